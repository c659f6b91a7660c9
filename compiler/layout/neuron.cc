#include "compiler/layout/neuron.h"

#include <algorithm>
#include <utility>

#include "compiler/layout/error.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {

absl::StatusOr<TileLayout> NeuronTensor(std::string_view annotation, const std::vector<int64_t>& shape, bool psum) {
  if (annotation.size() != shape.size() || annotation.find_first_not_of("PF") != std::string_view::npos) {
    return Error("neuron tensor", "expected one P or F for each of the ", shape.size(), " dimensions, got \"",
                 annotation.substr(0, 64), "\"");
  }
  const auto partition_dims = std::count(annotation.begin(), annotation.end(), 'P');
  Extent partitions = 1;
  Extent free = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 1)
      return Error("neuron tensor", "expected dimensions of at least 1, got ", ToString(ToShape(shape)));
    (annotation[i] == 'P' ? partitions : free) *= shape[i];
  }
  const bool fits = Extent(kNeuronPartitions).ProvablyAtLeast(partitions);
  const bool folds = partition_dims == 1 && partitions.DividedBy(kNeuronPartitions).has_value();
  if (!fits && !folds) {
    return Error("neuron tensor", "partitions must be at most ", kNeuronPartitions,
                 " together, or one dimension of a multiple of it, got ", partitions.ToString(), " in ",
                 ToString(ToShape(shape)));
  }
  std::vector<Iter> reversed;
  Extent partition_stride = 1;
  Extent free_stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (annotation[i] == 'F') {
      reversed.push_back({shape[i], free_stride, Axis::kF});
      free_stride *= shape[i];
    } else if (fits) {
      reversed.push_back({shape[i], partition_stride, Axis::kP});
      partition_stride *= shape[i];
    } else {
      reversed.push_back({kNeuronPartitions, 1, Axis::kP});
      reversed.push_back({shape[i] / kNeuronPartitions, free, Axis::kF});
    }
  }
  KILN_ASSIGN_OR_RETURN(const TileLayout layout,
                        TileLayout::Make(std::vector<Iter>(reversed.rbegin(), reversed.rend())));
  return psum ? ToPsum(layout) : layout;
}

absl::StatusOr<TileLayout> ToPsum(const TileLayout& layout) {
  if (!layout.is_constant()) return Error("psum", "expected a layout without symbols, got ", ToString(layout));
  const auto straddles = [&] {
    return Error("psum", "indivisible: F does not split into banks of ", kPsumBankElements, " elements in ",
                 ToString(layout));
  };
  std::vector<Iter> shard;
  std::vector<Iter> replica;
  for (const auto& [from, to] : {std::pair(&layout.shard(), &shard), std::pair(&layout.replica(), &replica)}) {
    for (const Iter& iter : *from) {
      if (iter.axis != Axis::kF) {
        to->push_back(iter);
        continue;
      }
      const int64_t extent = iter.extent.constant();
      const int64_t stride = iter.stride.constant();
      if (stride % kPsumBankElements == 0) {
        to->push_back({extent, stride / kPsumBankElements, Axis::kBank});
        continue;
      }
      if (stride < 0) return straddles();
      if (!(iter.extent * stride).ProvablyAtLeast(kPsumBankElements)) {
        to->push_back(iter);
        continue;
      }
      const int64_t in_bank = kPsumBankElements / stride;
      if (kPsumBankElements % stride != 0 || extent % in_bank != 0) return straddles();
      to->push_back({extent / in_bank, 1, Axis::kBank});
      to->push_back({in_bank, stride, Axis::kF});
    }
  }
  Offset offset = layout.offset();
  if (const int64_t start = layout.offset(Axis::kF).constant(); start != 0) {
    if (start < 0) return straddles();
    offset[Axis::kF] = start % kPsumBankElements;
    offset[Axis::kBank] += start / kPsumBankElements;
  }
  KILN_ASSIGN_OR_RETURN(TileLayout result, TileLayout::Make(std::move(shard), std::move(replica), std::move(offset)));
  // Several iters, each inside a bank, may still add up past its end.
  if (!Extent(kPsumBankElements).ProvablyAtLeast(Span(result, Axis::kF))) return straddles();
  return result;
}

}  // namespace kiln::layout
