#define DEVICE static __device__ __forceinline__
struct f16 { unsigned short bits; };
struct tf32 { unsigned bits; };
struct f8e4m3 { unsigned char bits; };
DEVICE float to_f32(f16 x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits)); return y; }
DEVICE float to_f32(tf32 x) { return __uint_as_float(x.bits & 0xffffe000u); }
DEVICE float to_f32(f8e4m3 x) {
  float y;
  asm("{ .reg .b32 pair; .reg .b16 low, high; cvt.rn.f16x2.e4m3x2 pair, %1; mov.b32 {low, high}, pair; cvt.f32.f16 %0, low; }" : "=f"(y) : "h"((unsigned short)x.bits));
  return y;
}
DEVICE f16 to_f16(float x) { f16 y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }
DEVICE tf32 to_tf32(float x) {
  const unsigned bits = __float_as_uint(x);
  return {x != x ? 0x7fffe000u : (bits + 0xfffu + (bits >> 13 & 1)) & 0xffffe000u};
}
DEVICE f8e4m3 to_f8e4m3(float x) {
  unsigned short pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return {(unsigned char)pair};
}
DEVICE unsigned short get16(const unsigned* w, int i) { return (unsigned short)(w[i / 2] >> i % 2 * 16); }
DEVICE void set16(unsigned* w, int i, unsigned short bits) { w[i / 2] = i % 2 ? (w[i / 2] & 0xffffu) | (unsigned)bits << 16 : (w[i / 2] & 0xffff0000u) | bits; }
DEVICE unsigned char get8(const unsigned* w, int i) { return (unsigned char)(w[i / 4] >> i % 4 * 8); }
DEVICE void set8(unsigned* w, int i, unsigned char bits) { w[i / 4] = (w[i / 4] & ~(0xffu << i % 4 * 8)) | (unsigned)bits << i % 4 * 8; }

extern "C" __global__ void __launch_bounds__(128) packed(const f16* __restrict__ x_f16, f16* __restrict__ y_f16, const short* __restrict__ x_i16, short* __restrict__ y_i16, const signed char* __restrict__ x_i8, signed char* __restrict__ y_i8, const unsigned char* __restrict__ x_u8, unsigned char* __restrict__ y_u8, const bool* __restrict__ x_bool, bool* __restrict__ y_bool, const f8e4m3* __restrict__ x_f8e4m3, f8e4m3* __restrict__ y_f8e4m3, const tf32* __restrict__ x_tf32, tf32* __restrict__ y_tf32) {
  const int thread_id = threadIdx.x;
  alignas(16) unsigned r_f16[4];
  *(uint4*)&r_f16[0] = *(const uint4*)&x_f16[thread_id * 8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    set16(r_f16, i, to_f16(to_f32(f16{get16(r_f16, i)}) + to_f32(f16{get16(r_f16, i)})).bits);
  }
  *(uint4*)&y_f16[thread_id * 8] = *(uint4*)&r_f16[0];
  alignas(16) unsigned r_i16[4];
  *(uint4*)&r_i16[0] = *(const uint4*)&x_i16[thread_id * 8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    set16(r_i16, i, (short)((short)get16(r_i16, i) + (short)get16(r_i16, i)));
  }
  *(uint4*)&y_i16[thread_id * 8] = *(uint4*)&r_i16[0];
  alignas(8) unsigned r_i8[2];
  *(uint2*)&r_i8[0] = *(const uint2*)&x_i8[thread_id * 8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    set8(r_i8, i, (signed char)((signed char)get8(r_i8, i) + (signed char)get8(r_i8, i)));
  }
  *(uint2*)&y_i8[thread_id * 8] = *(uint2*)&r_i8[0];
  alignas(8) unsigned r_u8[2];
  *(uint2*)&r_u8[0] = *(const uint2*)&x_u8[thread_id * 8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    set8(r_u8, i, (unsigned char)(get8(r_u8, i) + get8(r_u8, i)));
  }
  *(uint2*)&y_u8[thread_id * 8] = *(uint2*)&r_u8[0];
  alignas(8) unsigned r_bool[2];
  *(uint2*)&r_bool[0] = *(const uint2*)&x_bool[thread_id * 8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    set8(r_bool, i, !(get8(r_bool, i) != 0));
  }
  *(uint2*)&y_bool[thread_id * 8] = *(uint2*)&r_bool[0];
  alignas(8) unsigned r_f8e4m3[2];
  *(uint2*)&r_f8e4m3[0] = *(const uint2*)&x_f8e4m3[thread_id * 8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    set8(r_f8e4m3, i, to_f8e4m3(to_f32(f8e4m3{get8(r_f8e4m3, i)}) + to_f32(f8e4m3{get8(r_f8e4m3, i)})).bits);
  }
  *(uint2*)&y_f8e4m3[thread_id * 8] = *(uint2*)&r_f8e4m3[0];
  alignas(16) unsigned r_tf32[4];
  *(uint4*)&r_tf32[0] = *(const uint4*)&x_tf32[thread_id * 4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    r_tf32[i] = to_tf32(to_f32(tf32{r_tf32[i]}) + to_f32(tf32{r_tf32[i]})).bits;
  }
  *(uint4*)&y_tf32[thread_id * 4] = *(uint4*)&r_tf32[0];
}
