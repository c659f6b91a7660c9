#define DEVICE static __device__ __forceinline__
DEVICE float divide(float a, float b) { float q; asm("div.full.f32 %0, %1, %2;" : "=f"(q) : "f"(a), "f"(b)); return q; }
DEVICE float inf() { return __int_as_float(0x7f800000); }
DEVICE float nan() { return __int_as_float(0x7fffffff); }
DEVICE float float_mod(float a, float b) { return a - b * floorf(a / b); }
DEVICE double float_mod(double a, double b) { return a - b * floor(a / b); }
DEVICE float exp2_approx(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
DEVICE float exp_approx(float x) { return exp2_approx(x * 1.44269504f); }
DEVICE float log2_approx(float x) { float y; asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
DEVICE float log_approx(float x) { return log2_approx(x) * 0.693147181f; }
DEVICE float rsqrt_approx(float x) { float y; asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
DEVICE float tanh_approx(float x) { float y; asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
// x minus the nearest multiple of 2 pi, in two steps: the hardware's sine is good within [-pi, pi].
DEVICE float reduce_angle(float x) { const float k = rintf(x * 0.159154943f); return fmaf(-k, -1.74845553e-7f, fmaf(-k, 6.28318548f, x)); }
DEVICE float sin_approx(float x) { float y; asm("sin.approx.f32 %0, %1;" : "=f"(y) : "f"(reduce_angle(x))); return y; }
DEVICE float cos_approx(float x) { float y; asm("cos.approx.f32 %0, %1;" : "=f"(y) : "f"(reduce_angle(x))); return y; }

extern "C" __global__ void __launch_bounds__(128) functions(const float* __restrict__ x, const double* __restrict__ d, float* __restrict__ y, double* __restrict__ e) {
  const int thread_id = threadIdx.x;
  const float v = x[thread_id];
  const double w = d[thread_id];
  y[thread_id + 0] = exp_approx(v);
  e[thread_id + 0] = exp(w);
  y[thread_id + 128] = exp2_approx(v);
  e[thread_id + 128] = exp2(w);
  y[thread_id + 256] = log_approx(v);
  e[thread_id + 256] = log(w);
  y[thread_id + 384] = log2_approx(v);
  e[thread_id + 384] = log2(w);
  y[thread_id + 512] = sqrtf(v);
  e[thread_id + 512] = sqrt(w);
  y[thread_id + 640] = rsqrt_approx(v);
  e[thread_id + 640] = rsqrt(w);
  y[thread_id + 768] = tanh_approx(v);
  e[thread_id + 768] = tanh(w);
  y[thread_id + 896] = sin_approx(v);
  e[thread_id + 896] = sin(w);
  y[thread_id + 1024] = cos_approx(v);
  e[thread_id + 1024] = cos(w);
  y[thread_id + 1152] = erff(v);
  e[thread_id + 1152] = erf(w);
  y[thread_id + 1280] = fabsf(v);
  e[thread_id + 1280] = fabs(w);
  y[thread_id + 1408] = floorf(v);
  e[thread_id + 1408] = floor(w);
  y[thread_id + 1536] = ceilf(v);
  e[thread_id + 1536] = ceil(w);
  y[thread_id + 1664] = rintf(v);
  e[thread_id + 1664] = rint(w);
  y[thread_id + 1792] = fmaf(v, v, 2.0f);
  y[thread_id + 1920] = powf(v, 0.1f);
  y[thread_id + 2048] = (float)isnan(v);
  y[thread_id + 2176] = float_mod(v, 3.0f);
  y[thread_id + 2304] = fminf(v, -inf());
  y[thread_id + 2432] = fmaxf(v, nan());
  y[thread_id + 2560] = fmaf(v, v, -v);
  y[thread_id + 2688] = fmaf(-v, v, 1.0f);
  y[thread_id + 2816] = v >= 0.0f ? v : -v;
  y[thread_id + 2944] = divide(v, v + 1.0f);
}
