#define DEVICE static __device__ __forceinline__
struct f16 { unsigned short bits; };
DEVICE unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
DEVICE float to_f32(f16 x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits)); return y; }
DEVICE f16 to_f16(float x) { f16 y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }
DEVICE unsigned short get16(const unsigned* w, int i) { return (unsigned short)(w[i / 2] >> i % 2 * 16); }
DEVICE void set16(unsigned* w, int i, unsigned short bits) { w[i / 2] = i % 2 ? (w[i / 2] & 0xffffu) | (unsigned)bits << 16 : (w[i / 2] & 0xffff0000u) | bits; }
DEVICE unsigned pack_f16(float low, float high) { unsigned w; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low)); return w; }
DEVICE void ldmatrix_trans_x4(unsigned* d, const void* row) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(shared_address(row)) : "memory"); }

extern "C" __global__ void __launch_bounds__(32) ldmatrix_x4_trans(const f16* __restrict__ x, f16* __restrict__ y) {
  extern __shared__ __align__(1024) unsigned char arena[];
  const int thread_id = threadIdx.x;
  const int lane_id = threadIdx.x % 32;
  f16* const s = (f16*)arena;
  unsigned f[4];
  // cta.copy(s, x)  [vector]
  alignas(16) unsigned x_v[4];
  *(uint4*)&x_v[0] = *(const uint4*)&x[thread_id / 2 * 16 + thread_id % 2 * 8];
  alignas(16) unsigned s_w[4];
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    s_w[v] = pack_f16(to_f32(f16{get16(x_v, v * 2)}), to_f32(f16{get16(x_v, v * 2 + 1)}));
  }
  *(uint4*)&s[thread_id / 2 * 16 + (thread_id % 2 * 8 ^ thread_id / 8 % 2 * 8)] = *(uint4*)&s_w[0];
  // cta.copy(f, s)  [ldmatrix]
  __syncthreads();
  ldmatrix_trans_x4(f, &s[lane_id % 8 * 16 + lane_id / 8 % 2 * 128 + (lane_id / 16 * 8 ^ lane_id % 8 / 4 * 8)]);
  // f = f16(f32(f) + f32(f))  [register]
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int i_1 = 0; i_1 < 2; ++i_1) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        set16(f, i * 2 + i_1 + j * 4, to_f16(to_f32(f16{get16(f, i * 2 + i_1 + j * 4)}) + to_f32(f16{get16(f, i * 2 + i_1 + j * 4)})).bits);
      }
    }
  }
  // cta.copy(y, f)  [vector]
#pragma unroll
  for (int i_2 = 0; i_2 < 2; ++i_2) {
#pragma unroll
    for (int i_3 = 0; i_3 < 2; ++i_3) {
#pragma unroll
      for (int j_1 = 0; j_1 < 2; ++j_1) {
        y[lane_id % 4 * 32 + i_2 * 128 + i_3 * 16 + lane_id / 4 + j_1 * 8] = f16{get16(f, i_2 * 2 + i_3 + j_1 * 4)};
      }
    }
  }
}
