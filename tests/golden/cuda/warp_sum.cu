#define DEVICE static __device__ __forceinline__
template <class T> struct unsigned_of { typedef unsigned type; };
template <> struct unsigned_of<long long> { typedef unsigned long long type; };
template <> struct unsigned_of<unsigned long long> { typedef unsigned long long type; };
template <class T> DEVICE T wrap_add(T a, T b) { typedef typename unsigned_of<T>::type U; return (T)((U)a + (U)b); }

extern "C" __global__ void __launch_bounds__(32) f(int* __restrict__ a) {
  const int lane_id = threadIdx.x % 32;
  int v[2];
  // v = i32(index(v, 0) + 1)  [register]
#pragma unroll
  for (int v_1 = 0; v_1 < 2; ++v_1) {
    v[v_1] = lane_id * 2 + v_1 + 1;
  }
  // let sum0 = warp.sum(v)  [shuffle]
  int sum0_acc[1];
  sum0_acc[0] = 0;
#pragma unroll
  for (int v_2 = 0; v_2 < 2; ++v_2) {
    sum0_acc[0] = wrap_add<int>(sum0_acc[0], v[v_2]);
  }
  sum0_acc[0] = wrap_add<int>(sum0_acc[0], __shfl_xor_sync(0xffffffffu, sum0_acc[0], 1));
  sum0_acc[0] = wrap_add<int>(sum0_acc[0], __shfl_xor_sync(0xffffffffu, sum0_acc[0], 2));
  sum0_acc[0] = wrap_add<int>(sum0_acc[0], __shfl_xor_sync(0xffffffffu, sum0_acc[0], 4));
  sum0_acc[0] = wrap_add<int>(sum0_acc[0], __shfl_xor_sync(0xffffffffu, sum0_acc[0], 8));
  sum0_acc[0] = wrap_add<int>(sum0_acc[0], __shfl_xor_sync(0xffffffffu, sum0_acc[0], 16));
  const int sum0 = sum0_acc[0];
  a[lane_id] = sum0;
}
