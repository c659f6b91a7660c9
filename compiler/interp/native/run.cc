#include "compiler/interp/native/run.h"

#include <vector>

#include "compiler/interp/native/bulk_copies.h"
#include "compiler/interp/native/cluster.h"
#include "compiler/interp/native/compile.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

absl::StatusOr<std::vector<GlobalMemory>> GlobalsOf(const NativeProgram& program, const Bound& bound) {
  std::vector<GlobalMemory> globals;
  for (const NativeTensor& tensor : program.tensors) {
    if (tensor.space != ir::Space::kGlobal) break;
    auto it = bound.tensors.find(tensor.name);
    if (it == bound.tensors.end())
      return absl::InvalidArgumentError(StrCat("native parameter \"", tensor.name, "\" is no tensor argument"));
    globals.push_back({static_cast<uint8_t*>(it->second.data), ElementSpan(it->second)});
  }
  return globals;
}

// Registers with the arguments filled in.
absl::StatusOr<std::vector<Slot>> ImageOf(const NativeProgram& program, const Bound& bound) {
  std::vector<Slot> image = program.image;
  for (const NativeProgram::Scalar& scalar : program.scalars) {
    Slot& slot = image[static_cast<size_t>(scalar.reg)];
    auto given = bound.scalars.find(scalar.name);
    if (given != bound.scalars.end()) {
      bool is_float = IsFloat(given->second.dtype);
      slot =
          Convert(scalar.dtype, given->second.dtype, is_float ? FloatSlot(given->second.f) : IntSlot(given->second.i));
      continue;
    }
    auto symbol = bound.ints.find(scalar.name);
    if (symbol == bound.ints.end())
      return absl::InvalidArgumentError(StrCat("native parameter \"", scalar.name, "\": no argument gives its value"));
    slot = Convert(scalar.dtype, DType::kI64, IntSlot(symbol->second));
    if (slot.i != symbol->second)
      return absl::InvalidArgumentError(
          StrCat("native parameter \"", scalar.name, "\": ", symbol->second, " does not fit ", Name(scalar.dtype)));
  }
  return image;
}

absl::StatusOr<std::vector<TensorMap>> MapsOf(const NativeProgram& program, const Bound& bound, bool check_alignment) {
  std::vector<TensorMap> maps;
  for (const ir::NativeParam& param : program.maps) {
    auto it = bound.tensors.find(param.tensor);
    if (it == bound.tensors.end())
      return absl::InvalidArgumentError(
          StrCat("tensor map \"", param.name, "\": \"", param.tensor, "\" is no tensor argument"));
    KILN_ASSIGN_OR_RETURN(TensorMap map, MakeTensorMap(param, it->second, check_alignment));
    maps.push_back(map);
  }
  return maps;
}

}  // namespace

absl::Status RunNative(const ir::Kernel& kernel, const Bound& bound, const RunOptions& options) {
  KILN_ASSIGN_OR_RETURN(NativeProgram program, CompileNative(kernel));
  KILN_ASSIGN_OR_RETURN(std::vector<GlobalMemory> globals, GlobalsOf(program, bound));
  KILN_ASSIGN_OR_RETURN(std::vector<Slot> image, ImageOf(program, bound));
  KILN_ASSIGN_OR_RETURN(std::vector<TensorMap> maps, MapsOf(program, bound, options.check_alignment));
  for (size_t d = 0; d < 3; ++d) image[static_cast<size_t>(program.builtins[3 + d])].i = bound.grid[d];
  int64_t steps_left = options.max_steps;
  NativeCluster cluster(program, globals, maps, bound.cluster, bound.block, options, steps_left);
  for (int64_t z = 0; z < bound.grid[2]; z += bound.cluster[2]) {
    for (int64_t y = 0; y < bound.grid[1]; y += bound.cluster[1]) {
      for (int64_t x = 0; x < bound.grid[0]; x += bound.cluster[0]) KILN_RETURN_IF_ERROR(cluster.Run(image, {x, y, z}));
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::interp
