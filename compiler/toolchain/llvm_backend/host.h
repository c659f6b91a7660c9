// What the host CPU is, and how an arch string is read back.
#ifndef KILN_COMPILER_TOOLCHAIN_LLVM_BACKEND_HOST_H_
#define KILN_COMPILER_TOOLCHAIN_LLVM_BACKEND_HOST_H_

#include <string>
#include <string_view>

namespace kiln::llvm_backend {

// "znver3+adx+aes+avx": the tuning name, then every feature that cpuid and xgetbv report, sorted.
std::string HostArch();

struct Arch {
  std::string tune;      // znver3
  std::string features;  // "+adx,+aes,+avx", as LLVM takes it
};
Arch ParseArch(std::string_view arch);

// The CPU whose features every host of this architecture has. Code is generated for it plus the listed features, so
// that a name never implies an instruction that the machine (or its hypervisor) lacks.
std::string_view BaselineCpu();

// "LLVM 19.1.7 <build id of this object>[ <build id of LLVM's library>]".
std::string Fingerprint();

}  // namespace kiln::llvm_backend

#endif  // KILN_COMPILER_TOOLCHAIN_LLVM_BACKEND_HOST_H_
