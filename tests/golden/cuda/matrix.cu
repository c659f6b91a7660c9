#define DEVICE static __device__ __forceinline__
struct f16 { unsigned short bits; };
DEVICE unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
DEVICE void ldmatrix_x2(unsigned* d, const void* row) { asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(shared_address(row)) : "memory"); }
DEVICE void ldmatrix_x4(unsigned* d, const void* row) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(shared_address(row)) : "memory"); }
DEVICE void ldmatrix_trans_x1(unsigned* d, const void* row) { asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(d[0]) : "r"(shared_address(row)) : "memory"); }
DEVICE void ldmatrix_trans_x2(unsigned* d, const void* row) { asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(shared_address(row)) : "memory"); }
DEVICE void mma_m16n8k8_f16(float* c, const unsigned* a, const unsigned* b) { asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0])); }
DEVICE void mma_m16n8k8_bf16(float* c, const unsigned* a, const unsigned* b) { asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0])); }
DEVICE void mma_m16n8k4_tf32(float* c, const unsigned* a, const unsigned* b) { asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0])); }
DEVICE void mma_m16n8k16_i8(int* c, const unsigned* a, const unsigned* b) { asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0])); }
DEVICE void mma_m16n8k16_u8(int* c, const unsigned* a, const unsigned* b) { asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0])); }
DEVICE void mma_m16n8k16_f16(float* c, const unsigned* a, const unsigned* b) { asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
DEVICE void mma_m16n8k16_bf16(float* c, const unsigned* a, const unsigned* b) { asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
DEVICE void mma_m16n8k8_tf32(float* c, const unsigned* a, const unsigned* b) { asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
DEVICE void mma_m16n8k32_i8(int* c, const unsigned* a, const unsigned* b) { asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }
DEVICE void mma_m16n8k32_u8(int* c, const unsigned* a, const unsigned* b) { asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); }

extern "C" __global__ void __launch_bounds__(128) matrix(float* __restrict__ y, int* __restrict__ z) {
  const int thread_id = threadIdx.x;
  const int lane_id = threadIdx.x % 32;
  alignas(16) float f[4];
  alignas(16) int n[4];
  __shared__ alignas(16) f16 tile[1024];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    f[i] = 0.0f;
    n[i] = 0;
  }
  unsigned a_f16_8[2];
  unsigned b_f16_8[1];
  ldmatrix_x2(a_f16_8, &tile[lane_id * 8]);
  ldmatrix_trans_x1(b_f16_8, &tile[lane_id * 8]);
  mma_m16n8k8_f16(f, a_f16_8, b_f16_8);
  unsigned a_f16_16[4];
  unsigned b_f16_16[2];
  ldmatrix_x4(a_f16_16, &tile[lane_id * 8]);
  ldmatrix_trans_x2(b_f16_16, &tile[lane_id * 8]);
  mma_m16n8k16_f16(f, a_f16_16, b_f16_16);
  unsigned a_bf16_8[2];
  unsigned b_bf16_8[1];
  ldmatrix_x2(a_bf16_8, &tile[lane_id * 8]);
  ldmatrix_trans_x1(b_bf16_8, &tile[lane_id * 8]);
  mma_m16n8k8_bf16(f, a_bf16_8, b_bf16_8);
  unsigned a_bf16_16[4];
  unsigned b_bf16_16[2];
  ldmatrix_x4(a_bf16_16, &tile[lane_id * 8]);
  ldmatrix_trans_x2(b_bf16_16, &tile[lane_id * 8]);
  mma_m16n8k16_bf16(f, a_bf16_16, b_bf16_16);
  unsigned a_tf32_4[2];
  unsigned b_tf32_4[1];
  ldmatrix_x2(a_tf32_4, &tile[lane_id * 8]);
  ldmatrix_trans_x1(b_tf32_4, &tile[lane_id * 8]);
  mma_m16n8k4_tf32(f, a_tf32_4, b_tf32_4);
  unsigned a_tf32_8[4];
  unsigned b_tf32_8[2];
  ldmatrix_x4(a_tf32_8, &tile[lane_id * 8]);
  ldmatrix_trans_x2(b_tf32_8, &tile[lane_id * 8]);
  mma_m16n8k8_tf32(f, a_tf32_8, b_tf32_8);
  unsigned a_i8_16[2];
  unsigned b_i8_16[1];
  ldmatrix_x2(a_i8_16, &tile[lane_id * 8]);
  ldmatrix_trans_x1(b_i8_16, &tile[lane_id * 8]);
  mma_m16n8k16_i8(n, a_i8_16, b_i8_16);
  unsigned a_i8_32[4];
  unsigned b_i8_32[2];
  ldmatrix_x4(a_i8_32, &tile[lane_id * 8]);
  ldmatrix_trans_x2(b_i8_32, &tile[lane_id * 8]);
  mma_m16n8k32_i8(n, a_i8_32, b_i8_32);
  unsigned a_u8_16[2];
  unsigned b_u8_16[1];
  ldmatrix_x2(a_u8_16, &tile[lane_id * 8]);
  ldmatrix_trans_x1(b_u8_16, &tile[lane_id * 8]);
  mma_m16n8k16_u8(n, a_u8_16, b_u8_16);
  unsigned a_u8_32[4];
  unsigned b_u8_32[2];
  ldmatrix_x4(a_u8_32, &tile[lane_id * 8]);
  ldmatrix_trans_x2(b_u8_32, &tile[lane_id * 8]);
  mma_m16n8k32_u8(n, a_u8_32, b_u8_32);
  *(float4*)&y[thread_id * 4] = *(float4*)&f[0];
  *(int4*)&z[thread_id * 4] = *(int4*)&n[0];
}
