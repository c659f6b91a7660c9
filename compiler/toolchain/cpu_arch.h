// What an arch string of the CPU says: "znver3+adx+aes+avx2", a tuning name and features.
#ifndef KILN_COMPILER_TOOLCHAIN_CPU_ARCH_H_
#define KILN_COMPILER_TOOLCHAIN_CPU_ARCH_H_

#include <string>

#include "kiln/internal/target.h"

namespace kiln {

// Sets arch, features and vector_bytes. The width goes by features, never by names: 64 bytes with AVX-512 (F and VL),
// 32 with AVX2 and FMA, else 16. A CPU whose 512-bit units are two of 256 still wins by the larger register file.
void FillCpuTarget(const std::string& arch, Target* target);

}  // namespace kiln

#endif  // KILN_COMPILER_TOOLCHAIN_CPU_ARCH_H_
