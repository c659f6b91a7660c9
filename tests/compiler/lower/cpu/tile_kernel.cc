#include "tests/compiler/lower/cpu/tile_kernel.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/ir/parse.h"
#include "compiler/lower/abi.h"
#include "compiler/lower/cpu/lower_cpu.h"
#include "kiln/internal/status_macros.h"
#include "runtime/cpu/device.h"
#include "tests/compiler/codegen/llvm/host_kernel.h"

namespace kiln::testing {

std::string ReadSource(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

absl::StatusOr<ir::Kernel> LowerText(std::string_view text, const Bindings& bindings, const Target& target,
                                     const std::string& name, std::vector<std::string>* rules) {
  KILN_ASSIGN_OR_RETURN(ir::Module module, ir::Parse(text, "test.kiln"));
  const std::string& kernel = name.empty() ? module.kernels.at(0).name : name;
  KILN_ASSIGN_OR_RETURN(ir::Kernel specialized, Specialize(module, kernel, bindings, target));
  return LowerCpu(specialized, target, rules);
}

absl::StatusOr<TileKernel> TileKernel::Build(std::string_view text, const Bindings& bindings, const std::string& name) {
  const Target& target = Host();
  Artifact artifact;
  KILN_ASSIGN_OR_RETURN(ir::Kernel native, LowerText(text, bindings, target, name, &artifact.rules));
  KILN_ASSIGN_OR_RETURN(Source source, EmitLlvm(native, target));
  CompileOptions options;
  options.arch = target.arch;
  KILN_ASSIGN_OR_RETURN(Compiled compiled, Llvm().Compile(source, options));
  artifact.kind = TargetKind::kCpu;
  artifact.arch = target.arch;
  artifact.kernel = native.name;
  artifact.entry = source.entry;
  artifact.binary = compiled.binary;
  artifact.args = ArgsOf(native);
  KILN_ASSIGN_OR_RETURN(artifact.recipe, MakeRecipe(native));
  static auto* device = new std::shared_ptr<runtime::Device>(runtime::cpu::CreateDevice({2, nullptr, ""}).value());
  TileKernel kernel;
  KILN_ASSIGN_OR_RETURN(kernel.kernel_, (*device)->Load(artifact));
  return kernel;
}

TileKernel& TileKernel::Add(DType dtype, void* data, std::vector<int64_t> shape, std::vector<int64_t> strides) {
  runtime::Arg arg;
  arg.tensor.data = data;
  arg.tensor.rank = static_cast<int32_t>(shape.size());
  arg.tensor.shape = extents_.emplace_back(std::move(shape)).data();
  if (!strides.empty()) arg.tensor.strides = extents_.emplace_back(std::move(strides)).data();
  arg.tensor.dtype = dtype;
  args_.push_back(arg);
  return *this;
}

TileKernel& TileKernel::Scalar(float value) {
  runtime::Arg arg;
  arg.is_tensor = false;
  arg.scalar_dtype = DType::kF32;
  std::memcpy(&arg.scalar, &value, sizeof(value));
  args_.push_back(arg);
  return *this;
}

TileKernel& TileKernel::Scalar(int64_t value, DType dtype) {
  runtime::Arg arg;
  arg.is_tensor = false;
  arg.scalar_dtype = dtype;
  arg.scalar = static_cast<uint64_t>(value);
  args_.push_back(arg);
  return *this;
}

absl::Status TileKernel::Launch() {
  absl::Status status = kernel_->Launch(nullptr, args_);
  args_.clear();
  return status;
}

}  // namespace kiln::testing
