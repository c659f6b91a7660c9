#include "compiler/interp/tile/machine.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
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

// Runs the CTAs of one cluster side by side, each as far as it goes, until all have ended.
absl::Status RunCluster(std::vector<std::unique_ptr<Cta>>& ctas, const std::vector<std::array<int64_t, 3>>& ids,
                        const int64_t& steps_left) {
  auto at = [&](const absl::Status& status, size_t k) {
    return absl::Status(status.code(),
                        StrCat(status.message(), " (cta ", ids[k][0], ", ", ids[k][1], ", ", ids[k][2], ")"));
  };
  for (;;) {
    const int64_t before = steps_left;
    std::optional<size_t> running;
    for (size_t k = 0; k < ctas.size(); ++k) {
      absl::StatusOr<bool> goes_on = ctas[k]->Advance();
      if (!goes_on.ok()) return at(goes_on.status(), k);
      if (*goes_on && !running) running = k;
    }
    if (!running) return absl::OkStatus();
    // A thread that stands at a ring goes on once another one has come further.
    if (steps_left == before) return at(ctas[*running]->Stuck(), *running);
  }
}

}  // namespace

absl::Status RunTile(const ir::Kernel& kernel, const Bound& bound, const RunOptions& options) {
  std::vector<std::string> integers;
  for (const auto& [name, value] : bound.ints) integers.push_back(name);
  KILN_ASSIGN_OR_RETURN(Program program, FlattenBody(kernel, integers));
  Frame arguments = ArgumentFrame(kernel, program, bound);
  auto set = [&](std::string_view name, int64_t value) {
    auto id = static_cast<size_t>(program.names.at(std::string(name)).id);
    arguments.variables[id].value = ScalarValue(DType::kI64, IntSlot(value));
  };
  int64_t steps_left = options.max_steps;
  const std::array<int64_t, 3>&grid = bound.grid, &extent = bound.cluster;
  for (int64_t z = 0; z < grid[2]; z += extent[2]) {
    for (int64_t y = 0; y < grid[1]; y += extent[1]) {
      for (int64_t x = 0; x < grid[0]; x += extent[0]) {
        Cluster cluster;
        cluster.ctas = extent[0] * extent[1] * extent[2];
        std::vector<std::unique_ptr<Cta>> ctas;
        std::vector<std::array<int64_t, 3>> ids;
        for (int64_t rank = 0; rank < cluster.ctas; ++rank) {
          ids.push_back({x + rank % extent[0], y + rank / extent[0] % extent[1], z + rank / (extent[0] * extent[1])});
          for (size_t d = 0; d < 3; ++d) {
            set(kGridBuiltins[d], ids.back()[d]);
            set(kGridBuiltins[3 + d], grid[d]);
          }
          set(kCtaRank, rank);
          ctas.push_back(std::make_unique<Cta>(program, arguments, program.uniform ? 1 : bound.block, options, cluster,
                                               rank, steps_left));
        }
        KILN_RETURN_IF_ERROR(RunCluster(ctas, ids, steps_left));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::interp
