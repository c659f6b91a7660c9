extern "C" __global__ void __launch_bounds__(32) permute(const float* __restrict__ x, float* __restrict__ y) {
  extern __shared__ __align__(1024) unsigned char arena[];
  const int lane_id = threadIdx.x % 32;
  float* const scratch_f32 = (float*)arena;
  float a[4];
  float b[4];
  // cta.copy(a, x)  [vector]
  alignas(16) float x_v[4];
  *(float4*)&x_v[0] = *(const float4*)&x[lane_id * 4];
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    a[v] = x_v[v];
  }
  // cta.permute_layout(b, a)  [shared]
  // permute_layout of a  [shared]
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    scratch_f32[lane_id * 4 + j] = a[j];
  }
  __syncthreads();
  float a_moved[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    a_moved[i] = scratch_f32[lane_id / 4 * 4 + i * 32 + lane_id % 4];
  }
#pragma unroll
  for (int i_1 = 0; i_1 < 4; ++i_1) {
    b[i_1] = a_moved[i_1];
  }
  // b = b + f32(index(b, 0) * 1000)  [register]
#pragma unroll
  for (int i_2 = 0; i_2 < 4; ++i_2) {
    b[i_2] = b[i_2] + (float)(lane_id / 4 * 1000 + i_2 * 8000);
  }
  // cta.copy(y, b)  [vector]
#pragma unroll
  for (int i_3 = 0; i_3 < 4; ++i_3) {
    y[lane_id / 4 * 4 + i_3 * 32 + lane_id % 4] = b[i_3];
  }
}
