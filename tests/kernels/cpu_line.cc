#include "tests/kernels/cpu_line.h"

#include <utility>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/lower/abi.h"
#include "compiler/lower/cpu/lower_cpu.h"
#include "compiler/targets/targets.h"
#include "compiler/toolchain/cpu_arch.h"
#include "kiln/internal/status_macros.h"
#include "runtime/cpu/device.h"
#include "tests/compiler/codegen/llvm/host_kernel.h"

namespace kiln::testing {

const Target& ThisMachine() {
  static const auto* const target = [] {
    auto* made = new Target(FindTarget("cpu").value());
    FillCpuTarget(Llvm().HostArch(), made);
    return made;
  }();
  return *target;
}

absl::StatusOr<std::shared_ptr<const runtime::LoadedKernel>> LoadOnCpu(const ir::Kernel& kernel) {
  KILN_ASSIGN_OR_RETURN(const ir::Kernel native, LowerCpu(kernel, ThisMachine()));
  KILN_ASSIGN_OR_RETURN(const Source source, EmitLlvm(native, ThisMachine()));
  CompileOptions options;
  options.arch = ThisMachine().arch;
  KILN_ASSIGN_OR_RETURN(Compiled compiled, Llvm().Compile(source, options));
  Artifact artifact;
  artifact.kind = TargetKind::kCpu;
  artifact.arch = options.arch;
  artifact.kernel = kernel.name;
  artifact.entry = source.entry;
  artifact.binary = std::move(compiled.binary);
  artifact.args = ArgsOf(native);
  KILN_ASSIGN_OR_RETURN(artifact.recipe, MakeRecipe(native));
  static auto* const device =
      new std::shared_ptr<runtime::Device>(runtime::cpu::CreateDevice({2, nullptr, ""}).value());
  return (*device)->Load(artifact);
}

}  // namespace kiln::testing
