#include "compiler/interp/tile/holders.h"

#include <algorithm>
#include <utility>

#include "compiler/layout/evaluate.h"
#include "compiler/layout/parse.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

using layout::Axis;

// Threads that one step along an axis is worth.
constexpr std::pair<Axis, int64_t> kThreadAxes[] = {{Axis::kLaneId, 1},  {Axis::kTid, 1},      {Axis::kTidInWg, 1},
                                                    {Axis::kWarpId, 32}, {Axis::kWidInWg, 32}, {Axis::kWgId, 128}};

int64_t ThreadOf(const layout::Evaluator::Values& values) {
  int64_t thread = 0;
  for (const auto& [axis, threads] : kThreadAxes) thread += values[static_cast<size_t>(axis)] * threads;
  return thread;
}

// The number of element `index` of the domain in the padded shape that the layout is over.
int64_t PaddedIndex(int64_t index, absl::Span<const int64_t> shape, absl::Span<const int64_t> padded) {
  int64_t result = 0, scale = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    result += index % shape[d] * scale;
    index /= shape[d];
    scale *= padded[d];
  }
  return result;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Holders>> HoldersOf(const ir::TensorDecl& tensor,
                                                         absl::Span<const int64_t> shape) {
  KILN_ASSIGN_OR_RETURN(layout::Layout layout, layout::Parse(tensor.layout));
  KILN_ASSIGN_OR_RETURN(layout::Evaluator evaluator, layout::Evaluator::Make(layout));
  absl::Span<const int64_t> padded = tensor.padded.empty() ? shape : tensor.padded;
  int64_t size = 1, elements = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (padded.size() != shape.size() || padded[d] < shape[d]) {
      return absl::InvalidArgumentError(StrCat("\"", tensor.name, "\": the padded shape does not hold the domain"));
    }
    size *= padded[d];
    elements *= shape[d];
  }
  if (size != evaluator.size()) {
    return absl::InvalidArgumentError(StrCat("\"", tensor.name, "\": layout ", tensor.layout, " is of ",
                                             evaluator.size(), " elements, the tensor has ", size));
  }
  std::vector<std::vector<int64_t>> threads(static_cast<size_t>(elements));
  layout::Evaluator::Values values;
  for (int64_t element = 0; element < elements; ++element) {
    std::vector<int64_t>& holders = threads[static_cast<size_t>(element)];
    for (int64_t replica = 0; replica < evaluator.replicas(); ++replica) {
      evaluator.Evaluate(PaddedIndex(element, shape, padded), replica, values);
      holders.push_back(ThreadOf(values));
    }
    std::sort(holders.begin(), holders.end());
    holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
  }
  return std::make_shared<const Holders>(std::move(threads));
}

}  // namespace kiln::interp
