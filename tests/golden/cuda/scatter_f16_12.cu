#define DEVICE static __device__ __forceinline__
struct f16 { unsigned short bits; };
template <class T> struct unsigned_of { typedef unsigned type; };
template <> struct unsigned_of<long long> { typedef unsigned long long type; };
template <> struct unsigned_of<unsigned long long> { typedef unsigned long long type; };
template <class T> DEVICE T wrap_add(T a, T b) { typedef typename unsigned_of<T>::type U; return (T)((U)a + (U)b); }
template <class T> DEVICE T wrap_mul(T a, T b) { typedef typename unsigned_of<T>::type U; return (T)((U)a * (U)b); }
DEVICE f16 to_f16(float x) { f16 y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }
DEVICE void set16(unsigned* w, int i, unsigned short bits) { w[i / 2] = i % 2 ? (w[i / 2] & 0xffffu) | (unsigned)bits << 16 : (w[i / 2] & 0xffff0000u) | bits; }

extern "C" __global__ void __launch_bounds__(32) f(f16* __restrict__ t, const int* __restrict__ i, const float* __restrict__ x, int R) {
  const int thread_id = threadIdx.x;
  const int cta_id_x = blockIdx.x;
  // cta.scatter(t, i[cta_id.x * 4 +: 4], x[cta_id.x * 4 +: 4, :])  [vector]
  if (thread_id / 16 == 0) {
    if (thread_id % 4 * 4 < 12) {
      long long row = -1;
      if (cta_id_x * 4 + thread_id / 4 % 4 < R) {
        row = i[cta_id_x * 4 + thread_id / 4 % 4];
      }
      if (row >= 0 && row < 5 && cta_id_x * 4 + thread_id / 4 % 4 < R) {
        alignas(16) float x_v[4];
        if (cta_id_x * 4 + thread_id / 4 % 4 < R && thread_id % 4 * 4 < 12) {
          *(float4*)&x_v[0] = *(const float4*)&x[(long long)cta_id_x * 48 + thread_id / 4 % 4 * 12 + thread_id % 4 * 4];
        } else {
#pragma unroll
          for (int z = 0; z < 4; ++z) {
            x_v[z] = 0.0f;
          }
        }
        alignas(8) unsigned t_w[2];
#pragma unroll
        for (int v = 0; v < 4; ++v) {
          set16(t_w, v, to_f16(x_v[v]).bits);
        }
        if (thread_id % 4 * 4 < 12) {
          *(uint2*)&t[wrap_add<long long>(wrap_mul<long long>(row, 12), thread_id % 4 * 4)] = *(uint2*)&t_w[0];
        }
      }
    }
  }
}
