#define DEVICE static __device__ __forceinline__
template <class T> struct unsigned_of { typedef unsigned type; };
template <> struct unsigned_of<long long> { typedef unsigned long long type; };
template <> struct unsigned_of<unsigned long long> { typedef unsigned long long type; };
template <class T> DEVICE T wrap_add(T a, T b) { typedef typename unsigned_of<T>::type U; return (T)((U)a + (U)b); }
template <class T> DEVICE T wrap_mul(T a, T b) { typedef typename unsigned_of<T>::type U; return (T)((U)a * (U)b); }

extern "C" __global__ void __launch_bounds__(2) staging(const int* __restrict__ q, int* __restrict__ r, int N) {
  extern __shared__ __align__(1024) unsigned char arena[];
  const int thread_id = threadIdx.x;
  const int cta_id_x = blockIdx.x;
  const int grid_x = gridDim.x;
  int* const s = (int*)arena;
  for (int t = cta_id_x; t < N / 2; t += grid_x) {
    for (int i = thread_id; i < 2; i += 2) {
      s[i] = wrap_mul<int>(q[t * 2 + i], 2);
    }
    __syncthreads();
    for (int j = thread_id; j < 2; j += 2) {
      r[t * 2 + j] = wrap_add<int>(s[j], 1);
    }
    __syncthreads();
  }
}
