#define DEVICE static __device__ __forceinline__
struct bf16 { unsigned short bits; };
DEVICE float to_f32(bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }
DEVICE bf16 to_bf16(float x) { bf16 y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }
DEVICE unsigned short get16(const unsigned* w, int i) { return (unsigned short)(w[i / 2] >> i % 2 * 16); }
DEVICE void set16(unsigned* w, int i, unsigned short bits) { w[i / 2] = i % 2 ? (w[i / 2] & 0xffffu) | (unsigned)bits << 16 : (w[i / 2] & 0xffff0000u) | bits; }

extern "C" __global__ void __launch_bounds__(128) scale(const bf16* __restrict__ x, const float* __restrict__ w, bf16* __restrict__ y, int N) {
  const int thread_id = threadIdx.x;
  const int cta_id_x = blockIdx.x;
  // cta.copy: vector
  const int i = (cta_id_x * 128 + thread_id) * 8;
  if (i + 8 <= N) {
    alignas(16) unsigned xs[4];
    alignas(16) float ws[8];
    *(uint4*)&xs[0] = *(const uint4*)&x[i];
    *(float4*)&ws[0] = *(const float4*)&w[i];
    *(float4*)&ws[4] = *(const float4*)&w[i + 4];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      set16(xs, k, to_bf16(to_f32(bf16{get16(xs, k)}) * ws[k]).bits);
    }
    *(uint4*)&y[i] = *(uint4*)&xs[0];
  }
}
