// The CTAs of a cluster, which run together; what they share, and the copies on their way to them.
#ifndef KILN_COMPILER_INTERP_NATIVE_CLUSTER_H_
#define KILN_COMPILER_INTERP_NATIVE_CLUSTER_H_

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/interp/native/actors.h"
#include "compiler/interp/native/bulk_copies.h"
#include "compiler/interp/native/clocks.h"
#include "compiler/interp/native/cta.h"
#include "compiler/interp/native/program.h"
#include "compiler/interp/value.h"

namespace kiln::interp {

class NativeCluster {
 public:
  // Borrows everything; `maps` go with the program's.
  NativeCluster(const NativeProgram& program, absl::Span<const GlobalMemory> globals, absl::Span<const TensorMap> maps,
                std::array<int64_t, 3> shape, int64_t threads, const RunOptions& options, int64_t& steps_left);

  // Once a cluster; `image` is the program's registers with scalars and grid filled in, `first` its first CTA.
  // Errors carry place, thread and CTA.
  absl::Status Run(const std::vector<Slot>& image, std::array<int64_t, 3> first);

  // For its CTAs.
  int64_t size() const { return static_cast<int64_t>(ctas_.size()); }
  NativeCta& cta(int64_t rank) { return *ctas_[static_cast<size_t>(rank)]; }
  const TensorMap& map(int number) const { return maps_[static_cast<size_t>(number)]; }
  Actors& actors() { return actors_; }
  Acquirer& acquirer() { return acquirer_; }
  void Issue(int64_t rank, const BulkLoad& load) { loads_.push_back({rank, load}); }

 private:
  struct Coming {
    int64_t rank = 0;
    BulkLoad load;
  };

  std::array<int64_t, 3> PositionOf(int64_t rank, std::array<int64_t, 3> first) const;
  absl::Status RunAll(int64_t& rank);
  bool Meet();
  // Copies that a thread waits for, of one barrier. False: there are none.
  absl::StatusOr<bool> LandNext(int64_t& rank);
  absl::Status Finish(int64_t& rank);
  absl::Status Stuck(int64_t& rank) const;

  const NativeProgram& program_;
  absl::Span<const TensorMap> maps_;
  std::array<int64_t, 3> shape_;
  Actors actors_;
  Acquirer acquirer_;
  std::list<Coming> loads_;  // In the order of their issue
  std::vector<std::unique_ptr<NativeCta>> ctas_;
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_CLUSTER_H_
