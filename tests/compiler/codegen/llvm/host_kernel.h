// Compiles a native kernel for this machine and runs CTAs of it by hand: what CPU tests share.
#ifndef KILN_TESTS_COMPILER_CODEGEN_LLVM_HOST_KERNEL_H_
#define KILN_TESTS_COMPILER_CODEGEN_LLVM_HOST_KERNEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "compiler/toolchain/llvm.h"
#include "kiln/internal/target.h"
#include "runtime/cpu/module.h"

namespace kiln::testing {

// The toolchain, opened once a process.
const LlvmToolchain& Llvm();

// This machine as a target, with its arch, features and vector width.
const Target& Host();

class HostKernel {
 public:
  static absl::StatusOr<HostKernel> Build(const ir::Kernel& native, const Target& target = Host());

  // Runs CTA (x, y, z) with params as the native ABI takes them; the grid's extents are {1, 1, 1}.
  void Run(std::vector<uint64_t> params, int64_t x = 0, int64_t y = 0, int64_t z = 0) const;
  const std::string& source() const { return source_; }

 private:
  std::unique_ptr<const runtime::cpu::Module> module_;
  std::string source_;
  int64_t scratch_bytes_ = 0;
};

inline uint64_t Pointer(const void* p) { return reinterpret_cast<uint64_t>(p); }

}  // namespace kiln::testing

#endif  // KILN_TESTS_COMPILER_CODEGEN_LLVM_HOST_KERNEL_H_
