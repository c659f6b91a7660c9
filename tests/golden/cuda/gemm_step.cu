#define DEVICE static __device__ __forceinline__
struct bf16 { unsigned short bits; };
DEVICE unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
DEVICE unsigned pack_bf16(float low, float high) { unsigned w; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low)); return w; }
DEVICE void ldmatrix_x2(unsigned* d, const void* row) { asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(shared_address(row)) : "memory"); }
DEVICE void ldmatrix_x4(unsigned* d, const void* row) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(shared_address(row)) : "memory"); }
DEVICE void mma_m16n8k16_bf16(float* c, const unsigned* a, const unsigned* b) { asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
DEVICE void cp_async_16(void* to, const void* from, int bytes = 16) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(shared_address(to)), "l"(from), "r"(bytes) : "memory"); }
DEVICE void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending> DEVICE void cp_async_wait() { asm volatile("cp.async.wait_group %0;" :: "n"(pending) : "memory"); }

extern "C" __global__ void __launch_bounds__(32) gemm_step(const bf16* __restrict__ a, const bf16* __restrict__ b, bf16* __restrict__ c, int K) {
  extern __shared__ __align__(1024) unsigned char arena[];
  const int lane_id = threadIdx.x % 32;
  bf16* const at = (bf16*)arena;
  bf16* const bt = (bf16*)(arena + 512);
  float acc[4];
  unsigned af[4];
  unsigned bf[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    acc[i] = 0.0f;
  }
  for (int k = 0; k < K; k += 16) {
    // cta.copy_async: cp_async
    cp_async_16(&at[lane_id * 8], &a[lane_id / 2 * K + k + lane_id % 2 * 8], min(16, (K - k) * 2));
    if (lane_id < 16) {
      cp_async_16(&bt[lane_id * 8], &b[lane_id / 2 * K + k + lane_id % 2 * 8]);
    }
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    // cta.gemm: mma
    ldmatrix_x4(af, &at[lane_id % 16 * 16 + lane_id / 16 * 8]);
    ldmatrix_x2(bf, &bt[lane_id % 8 * 16 + lane_id % 16 / 8 * 8]);
    mma_m16n8k16_bf16(acc, af, bf);
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    *(unsigned*)&c[(lane_id / 4 + r * 8) * 8 + lane_id % 4 * 2] = pack_bf16(acc[r * 2], acc[r * 2 + 1]);
  }
}
