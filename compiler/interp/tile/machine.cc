#include "compiler/interp/tile/machine.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/interp/tile/cta.h"
#include "compiler/interp/tile/program.h"
#include "compiler/ir/meeting.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

// Variables that are the same in every CTA: symbols, scalars, tensor arguments.
Frame ArgumentFrame(const ir::Kernel& kernel, const Program& program, const Bound& bound) {
  Frame frame;
  frame.variables.resize(static_cast<size_t>(program.variables));
  auto slot = [&](const std::string& name) -> Variable& {
    return frame.variables[static_cast<size_t>(program.names.at(name).id)];
  };
  for (const auto& [name, value] : bound.ints) slot(name).value = ScalarValue(DType::kI64, IntSlot(value));
  for (const ir::Param& param : kernel.params) {
    if (!param.is_tensor) {
      const Scalar& scalar = bound.scalars.at(param.name);
      slot(param.name).value =
          ScalarValue(scalar.dtype, IsFloat(scalar.dtype) ? FloatSlot(scalar.f) : IntSlot(scalar.i));
      continue;
    }
    const Tensor& tensor = bound.tensors.at(param.name);
    auto storage = std::make_shared<Storage>();
    storage->name = param.name;
    storage->dtype = tensor.dtype;
    storage->space = ir::Space::kGlobal;
    storage->data = static_cast<uint8_t*>(tensor.data);
    View view = WholeView(std::move(storage), tensor.shape);
    for (size_t d = 0; d < view.dims.size(); ++d) view.dims[d].stride = tensor.strides[d];
    slot(param.name).view = std::make_shared<const View>(std::move(view));
  }
  return frame;
}

}  // namespace

absl::Status RunTile(const ir::Kernel& kernel, const Bound& bound, const RunOptions& options) {
  std::vector<std::string> integers;
  for (const auto& [name, value] : bound.ints) integers.push_back(name);
  KILN_ASSIGN_OR_RETURN(Program program, FlattenBody(kernel, integers));
  Frame arguments = ArgumentFrame(kernel, program, bound);
  int64_t steps_left = options.max_steps;
  for (int64_t z = 0; z < bound.grid[2]; ++z) {
    for (int64_t y = 0; y < bound.grid[1]; ++y) {
      for (int64_t x = 0; x < bound.grid[0]; ++x) {
        const int64_t ids[] = {x, y, z, bound.grid[0], bound.grid[1], bound.grid[2]};
        for (size_t k = 0; k < std::size(ids); ++k) {
          auto id = static_cast<size_t>(program.names.at(std::string(kGridBuiltins[k])).id);
          arguments.variables[id].value = ScalarValue(DType::kI64, IntSlot(ids[k]));
        }
        Cta cta(program, arguments, program.uniform ? 1 : bound.block, options, steps_left);
        absl::Status status = cta.Run();
        if (!status.ok())
          return absl::Status(status.code(), StrCat(status.message(), " (cta ", x, ", ", y, ", ", z, ")"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::interp
