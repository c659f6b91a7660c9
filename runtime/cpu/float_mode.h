// The floating-point mode that kernels run in, whatever thread runs them: round to nearest even, subnormals kept, no
// traps.
#ifndef KILN_RUNTIME_CPU_FLOAT_MODE_H_
#define KILN_RUNTIME_CPU_FLOAT_MODE_H_

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kiln::runtime {

// Holds the mode for its lifetime and gives the thread its own back.
class FloatMode {
 public:
#if defined(__x86_64__)
  FloatMode() : saved_(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~FloatMode() { _mm_setcsr(saved_); }
#elif defined(__aarch64__)
  FloatMode() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved_));
    __asm__ volatile("msr fpcr, %0" : : "r"(uint64_t{0}));
  }
  ~FloatMode() { __asm__ volatile("msr fpcr, %0" : : "r"(saved_)); }
#else
  FloatMode() {}
#endif
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr uint32_t kDefault = 0x1F80;  // Every exception masked
  uint32_t saved_;
#else
  uint64_t saved_ = 0;
#endif
};

}  // namespace kiln::runtime

#endif  // KILN_RUNTIME_CPU_FLOAT_MODE_H_
