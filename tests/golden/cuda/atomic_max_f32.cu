#define DEVICE static __device__ __forceinline__
DEVICE void atomic_max(float* p, float x) {
  unsigned* word = (unsigned*)p;
  unsigned old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, (unsigned)__float_as_uint(fmaxf(__uint_as_float(seen), x)));
  } while (old != seen);
}

extern "C" __global__ void __launch_bounds__(32) f(const float* __restrict__ x, float* __restrict__ y) {
  const int thread_id = threadIdx.x;
  const int cta_id_x = blockIdx.x;
  // cta.atomic_max(y, x[cta_id.x, :])  [red]
  if (thread_id / 8 == 0) {
    if (thread_id % 8 < 5) {
      float x_v[1];
      if (thread_id % 8 < 5) {
        x_v[0] = x[cta_id_x * 5 + thread_id % 8];
      } else {
        x_v[0] = 0.0f;
      }
      if (thread_id % 8 < 5) {
        atomic_max(&y[thread_id % 8], x_v[0]);
      }
    }
  }
}
