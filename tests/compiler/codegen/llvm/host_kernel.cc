#include "tests/compiler/codegen/llvm/host_kernel.h"

#include <cstdlib>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/toolchain/cpu_arch.h"
#include "kiln/internal/status_macros.h"

namespace kiln::testing {

const LlvmToolchain& Llvm() {
  static const LlvmToolchain* toolchain = [] {
    absl::StatusOr<std::unique_ptr<LlvmToolchain>> opened = LlvmToolchain::Open();
    if (!opened.ok()) std::abort();
    return opened->release();
  }();
  return *toolchain;
}

const Target& Host() {
  static const Target* target = [] {
    auto* host = new Target;
    host->kind = TargetKind::kCpu;
    host->name = "cpu";
    FillCpuTarget(Llvm().HostArch(), host);
    return host;
  }();
  return *target;
}

absl::StatusOr<HostKernel> HostKernel::Build(const ir::Kernel& native, const Target& target) {
  KILN_ASSIGN_OR_RETURN(Source source, EmitLlvm(native, target));
  CompileOptions options;
  options.arch = target.arch;
  KILN_ASSIGN_OR_RETURN(Compiled compiled, Llvm().Compile(source, options));
  KILN_ASSIGN_OR_RETURN(const LlvmBackendApi* api, OpenLlvmBackend());
  HostKernel kernel;
  KILN_ASSIGN_OR_RETURN(kernel.module_, runtime::cpu::Module::Load(*api, compiled.binary, source.entry));
  kernel.source_ = source.text;
  kernel.scratch_bytes_ = native.scratch_bytes;
  return kernel;
}

void HostKernel::Run(std::vector<uint64_t> params, int64_t x, int64_t y, int64_t z) const {
  params.insert(params.end(), {1, 1, 1});
  void* scratch = std::aligned_alloc(64, (scratch_bytes_ + 64) / 64 * 64);
  module_->entry()(params.data(), x, y, z, scratch);
  std::free(scratch);
}

}  // namespace kiln::testing
