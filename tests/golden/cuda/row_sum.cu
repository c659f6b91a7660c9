#define DEVICE static __device__ __forceinline__
struct f16 { unsigned short bits; };
DEVICE float to_f32(f16 x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits)); return y; }
DEVICE float rsqrt_approx(float x) { float y; asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }

extern "C" __global__ void __launch_bounds__(128) row_sum(const f16* __restrict__ x, float* __restrict__ y, int M, float eps) {
  const int thread_id = threadIdx.x;
  const int lane_id = threadIdx.x % 32;
  const int warp_id = threadIdx.x / 32;
  const int cta_id_x = blockIdx.x;
  // cta.sum: shared
  __shared__ alignas(16) float partial[4];
  float sum = 0.0f;
  for (int j = thread_id; j < 4096; j += 128) {
    sum = fmaf(to_f32(x[(long long)cta_id_x * 4096 + j]), to_f32(x[(long long)cta_id_x * 4096 + j]), sum);
  }
  sum = sum + __shfl_xor_sync(0xffffffffu, sum, 16);
  sum = sum + __shfl_xor_sync(0xffffffffu, sum, 8);
  sum = sum + __shfl_xor_sync(0xffffffffu, sum, 4);
  sum = sum + __shfl_xor_sync(0xffffffffu, sum, 2);
  sum = sum + __shfl_xor_sync(0xffffffffu, sum, 1);
  if (lane_id == 0) {
    partial[warp_id] = sum;
  }
  __syncthreads();
  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    total = total + partial[i];
  }
  if (thread_id == 0) {
    y[cta_id_x] = rsqrt_approx(total / 4096.0f + eps);
  }
}
