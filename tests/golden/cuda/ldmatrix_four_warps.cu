#define DEVICE static __device__ __forceinline__
struct f16 { unsigned short bits; };
DEVICE unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
DEVICE float to_f32(f16 x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits)); return y; }
DEVICE unsigned short get16(const unsigned* w, int i) { return (unsigned short)(w[i / 2] >> i % 2 * 16); }
DEVICE unsigned pack_f16(float low, float high) { unsigned w; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low)); return w; }
// Word j of lane i of four lanes becomes word i of lane j.
DEVICE void transpose_quads(unsigned* w) {
  const bool odd = threadIdx.x & 1, high = threadIdx.x & 2;
  unsigned a = __shfl_xor_sync(0xffffffffu, odd ? w[0] : w[1], 1), b = __shfl_xor_sync(0xffffffffu, odd ? w[2] : w[3], 1);
  if (odd) w[0] = a, w[2] = b; else w[1] = a, w[3] = b;
  a = __shfl_xor_sync(0xffffffffu, high ? w[0] : w[2], 2), b = __shfl_xor_sync(0xffffffffu, high ? w[1] : w[3], 2);
  if (high) w[0] = a, w[1] = b; else w[2] = a, w[3] = b;
}
DEVICE void ldmatrix_x4(unsigned* d, const void* row) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(shared_address(row)) : "memory"); }

extern "C" __global__ void __launch_bounds__(128) ldmatrix_four_warps(const f16* __restrict__ x, f16* __restrict__ y) {
  extern __shared__ __align__(1024) unsigned char arena[];
  const int thread_id = threadIdx.x;
  const int lane_id = threadIdx.x % 32;
  const int warp_id = threadIdx.x / 32;
  f16* const s = (f16*)arena;
  unsigned f[8];
  // cta.copy(s, x)  [vector]
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    alignas(16) unsigned x_v[4];
    *(uint4*)&x_v[0] = *(const uint4*)&x[thread_id / 4 * 32 + i * 1024 + thread_id % 4 * 8];
    alignas(16) unsigned s_w[4];
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      s_w[v] = pack_f16(to_f32(f16{get16(x_v, v * 2)}), to_f32(f16{get16(x_v, v * 2 + 1)}));
    }
    *(uint4*)&s[thread_id / 4 * 32 + i * 1024 + (thread_id % 4 * 8 ^ thread_id / 8 % 4 * 8)] = *(uint4*)&s_w[0];
  }
  // cta.copy(f, s)  [ldmatrix]
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    ldmatrix_x4(&f[j * 4], &s[warp_id * 512 + lane_id % 8 * 32 + lane_id / 8 % 2 * 256 + ((lane_id / 16 * 8 + j * 16) ^ lane_id % 8 / 2 * 8)]);
  }
  // f = f16(f32(f) + f32(f))  [register]
#pragma unroll
  for (int i_1 = 0; i_1 < 2; ++i_1) {
#pragma unroll
    for (int j_1 = 0; j_1 < 4; ++j_1) {
      f[i_1 + j_1 * 2] = pack_f16(to_f32(f16{get16(f, i_1 * 2 + j_1 * 4)}) + to_f32(f16{get16(f, i_1 * 2 + j_1 * 4)}), to_f32(f16{get16(f, i_1 * 2 + j_1 * 4 + 1)}) + to_f32(f16{get16(f, i_1 * 2 + j_1 * 4 + 1)}));
    }
  }
  // cta.copy(y, f)  [vector]
#pragma unroll
  for (int i_2 = 0; i_2 < 2; ++i_2) {
    alignas(16) unsigned y_w[4];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      y_w[q] = pack_f16(to_f32(f16{get16(f, i_2 * 2 + q * 4)}), to_f32(f16{get16(f, i_2 * 2 + q * 4 + 1)}));
    }
    transpose_quads(y_w);
    *(uint4*)&y[warp_id * 512 + lane_id / 4 * 32 + i_2 * 256 + lane_id % 4 * 8] = *(uint4*)&y_w[0];
  }
}
