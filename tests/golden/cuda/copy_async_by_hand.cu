#define DEVICE static __device__ __forceinline__
DEVICE unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
DEVICE void cp_async_16(void* to, const void* from, int bytes = 16) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(shared_address(to)), "l"(from), "r"(bytes) : "memory"); }
DEVICE void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending> DEVICE void cp_async_wait() { asm volatile("cp.async.wait_group %0;" :: "n"(pending) : "memory"); }

extern "C" __global__ void __launch_bounds__(64) f(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ __align__(1024) unsigned char arena[];
  const int thread_id = threadIdx.x;
  float* const a = (float*)arena;
  float* const b = (float*)(arena + 512);
  // cta.copy_async(a, x[0 +: 128])  [cp_async]
  if (thread_id / 32 == 0) {
    cp_async_16(&a[thread_id % 32 * 4], &x[thread_id % 32 * 4]);
  }
  cp_async_commit();
  // cta.copy_async(b, x[128 +: 128])  [cp_async]
  if (thread_id / 32 == 0) {
    cp_async_16(&b[thread_id % 32 * 4], &x[thread_id % 32 * 4 + 128]);
  }
  cp_async_commit();
  cp_async_wait<1>();
  // cta.copy(y[0 +: 128], a)  [vector]
  __syncthreads();
  if (thread_id / 32 == 0) {
    alignas(16) float a_v[4];
    *(float4*)&a_v[0] = *(float4*)&a[thread_id % 32 * 4];
    alignas(16) float y_w[4];
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      y_w[v] = a_v[v];
    }
    *(float4*)&y[thread_id % 32 * 4] = *(float4*)&y_w[0];
  }
  cp_async_wait<0>();
  // cta.copy(y[128 +: 128], b)  [vector]
  __syncthreads();
  if (thread_id / 32 == 0) {
    alignas(16) float b_v[4];
    *(float4*)&b_v[0] = *(float4*)&b[thread_id % 32 * 4];
    alignas(16) float y_w_1[4];
#pragma unroll
    for (int v_1 = 0; v_1 < 4; ++v_1) {
      y_w_1[v_1] = b_v[v_1];
    }
    *(float4*)&y[thread_id % 32 * 4 + 128] = *(float4*)&y_w_1[0];
  }
}
