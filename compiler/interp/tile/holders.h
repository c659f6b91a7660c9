// Which threads hold which element of a local tensor, from its layout.
#ifndef KILN_COMPILER_INTERP_TILE_HOLDERS_H_
#define KILN_COMPILER_INTERP_TILE_HOLDERS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/ir/kernel.h"

namespace kiln::interp {

// Threads counted from the first of the tensor's owner.
struct ThreadRange {
  int64_t first = 0;
  int64_t count = 0;
  bool Has(int64_t thread) const { return thread >= first && thread < first + count; }
};

class Holders {
 public:
  // One list of threads an element, in row-major order of the domain; replicas give several.
  explicit Holders(std::vector<std::vector<int64_t>> threads) : threads_(std::move(threads)) {}

  bool AnyOf(int64_t element, const ThreadRange& range) const {
    for (int64_t thread : threads_[static_cast<size_t>(element)])
      if (range.Has(thread)) return true;
    return false;
  }

 private:
  std::vector<std::vector<int64_t>> threads_;
};

// Of a local tensor of this domain. Errors: a layout that does not parse, or does not admit the shape.
absl::StatusOr<std::shared_ptr<const Holders>> HoldersOf(const ir::TensorDecl& tensor, absl::Span<const int64_t> shape);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_TILE_HOLDERS_H_
