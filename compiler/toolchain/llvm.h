// The LLVM toolchain: LLVM IR text to an ELF object for the host's architecture.
//
//   KILN_ASSIGN_OR_RETURN(std::unique_ptr<LlvmToolchain> llvm, LlvmToolchain::Open());
//   KILN_ASSIGN_OR_RETURN(Compiled object, llvm->Compile(source, {.arch = llvm->HostArch()}));
#ifndef KILN_COMPILER_TOOLCHAIN_LLVM_H_
#define KILN_COMPILER_TOOLCHAIN_LLVM_H_

#include <memory>
#include <string>

#include "compiler/toolchain/toolchain.h"
#include "kiln/internal/llvm_backend.h"

namespace kiln {

class LlvmToolchain : public Toolchain {
 public:
  // `path` as OpenLlvmBackend takes it. Unavailable when the backend cannot be opened.
  static absl::StatusOr<std::unique_ptr<LlvmToolchain>> Open(const std::string& path = {});

  std::string Fingerprint() const override;
  // CompileOptions::flags must be empty: the pipeline is fixed. The deadline is looked at between passes.
  absl::StatusOr<Compiled> Compile(const Source& source, const CompileOptions& options) const override;

  // The arch string of this machine: "znver3+adx+aes+avx...".
  std::string HostArch() const;

 private:
  explicit LlvmToolchain(const LlvmBackendApi* api) : api_(api) {}
  const LlvmBackendApi* api_;  // Borrowed from the process: never closed
};

}  // namespace kiln

#endif  // KILN_COMPILER_TOOLCHAIN_LLVM_H_
