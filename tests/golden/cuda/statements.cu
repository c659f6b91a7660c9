#define DEVICE static __device__ __forceinline__
struct f16 { unsigned short bits; };
struct bf16 { unsigned short bits; };
template <class T> struct unsigned_of { typedef unsigned type; };
template <> struct unsigned_of<long long> { typedef unsigned long long type; };
template <> struct unsigned_of<unsigned long long> { typedef unsigned long long type; };
template <class T> DEVICE T wrap_add(T a, T b) { typedef typename unsigned_of<T>::type U; return (T)((U)a + (U)b); }
DEVICE float to_f32(f16 x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits)); return y; }
DEVICE f16 to_f16(float x) { f16 y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }
DEVICE bf16 to_bf16(float x) { bf16 y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }
DEVICE unsigned splat16(unsigned short bits) { return bits * 0x10001u; }
DEVICE void atomic_add(long long* p, long long x) { atomicAdd((unsigned long long*)p, (unsigned long long)x); }
DEVICE void atomic_add(f16* p, f16 x) { asm volatile("red.relaxed.gpu.add.noftz.f16 [%0], %1;" :: "l"(p), "h"(x.bits) : "memory"); }
DEVICE void atomic_add(bf16* p, bf16 x) { asm volatile("red.relaxed.gpu.add.noftz.bf16 [%0], %1;" :: "l"(p), "h"(x.bits) : "memory"); }

extern "C" __global__ void __launch_bounds__(128) double_(float* __restrict__ float_, const int* __restrict__ n, int x_stride0, bf16* __restrict__ b, f16* __restrict__ h, long long* __restrict__ q) {
  const int thread_id = threadIdx.x;
  int t = 0;
  __builtin_assume(n[0] < 100);
  while (t < x_stride0) {
    t = wrap_add<int>(t, 1);
    if (t == 7) {
      break;
    }
    if (t == 5) {
      continue;
    }
  }
  if (!(t < 9)) __trap();
  if (t == 1) {
    float_[0] = 1.5f;
  } else if (t < 2 || (3 < t && t < 5)) {
    float_[1] = 1e+30f;
  } else {
    float_[2] = (float)t;
  }
  __syncwarp();
  atomicAdd(&float_[3], 1.0f);
  atomic_add(&b[thread_id], to_bf16(1.0f));
  atomic_add(&h[thread_id], to_f16(1.0f));
  atomic_add(q, t);
  *(uint4*)&b[8] = uint4{};
  *(uint4*)&b[16] = uint4{splat16(to_bf16(1.0f).bits), splat16(to_bf16(1.0f).bits), splat16(to_bf16(1.0f).bits), splat16(to_bf16(1.0f).bits)};
  *(float4*)&float_[4] = float4{1.0f, 1.0f, 1.0f, 1.0f};
  *(float4*)&float_[8] = t < 4 ? *(float4*)&float_[12] : float4{};
  h[0] = to_f16(__shfl_sync(0xffffffffu, to_f32(h[1]), 3));
  return;
}
