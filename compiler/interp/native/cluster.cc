#include "compiler/interp/native/cluster.h"

#include "compiler/ir/meeting.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {

NativeCluster::NativeCluster(const NativeProgram& program, absl::Span<const GlobalMemory> globals,
                             absl::Span<const TensorMap> maps, std::array<int64_t, 3> shape, int64_t threads,
                             const RunOptions& options, int64_t& steps_left)
    : program_(program), maps_(maps), shape_(shape), actors_(threads, shape[0] * shape[1] * shape[2], program.places) {
  for (int64_t rank = 0; rank < shape[0] * shape[1] * shape[2]; ++rank)
    ctas_.push_back(std::make_unique<NativeCta>(program, globals, threads, options, *this, rank, steps_left));
}

std::array<int64_t, 3> NativeCluster::PositionOf(int64_t rank, std::array<int64_t, 3> first) const {
  return {first[0] + rank % shape_[0], first[1] + rank / shape_[0] % shape_[1],
          first[2] + rank / (shape_[0] * shape_[1])};
}

absl::Status NativeCluster::Run(const std::vector<Slot>& image, std::array<int64_t, 3> first) {
  actors_.Reset();
  loads_.clear();
  std::vector<Slot> own = image;
  auto set = [&](size_t builtin, int64_t value) { own[static_cast<size_t>(program_.builtins[builtin])].i = value; };
  for (int64_t rank = 0; rank < size(); ++rank) {
    const std::array<int64_t, 3> position = PositionOf(rank, first);
    for (size_t d = 0; d < position.size(); ++d) set(d, position[d]);
    set(kRankBuiltin, rank);
    cta(rank).Reset(own);
  }
  int64_t rank = 0;
  absl::Status status = RunAll(rank);
  if (status.ok()) return status;
  const std::array<int64_t, 3> at = PositionOf(rank, first);
  return absl::Status(status.code(), StrCat(status.message(), " (cta ", at[0], ", ", at[1], ", ", at[2], ")"));
}

absl::Status NativeCluster::RunAll(int64_t& rank) {
  for (;;) {
    bool moved = false, done = true;
    for (rank = 0; rank < size(); ++rank) {
      KILN_RETURN_IF_ERROR(cta(rank).Advance(moved));
      done = done && cta(rank).Done();
    }
    if (done) return Finish(rank);
    if (moved || Meet()) continue;
    KILN_ASSIGN_OR_RETURN(bool landed, LandNext(rank));
    if (!landed) return Stuck(rank);
  }
}

bool NativeCluster::Meet() {
  int pc = -1;
  for (const auto& cta : ctas_)
    if (!cta->WaitsForCluster(&pc)) return false;
  Gathering gathering;
  for (const auto& cta : ctas_) cta->GatherAll(gathering);
  const Known known = gathering.Take();
  for (const auto& cta : ctas_) cta->PassClusterBarrier(known);
  return true;
}

// As late as allowed: what no thread waits for stays on its way.
absl::StatusOr<bool> NativeCluster::LandNext(int64_t& rank) {
  auto next = loads_.begin();
  while (next != loads_.end() && !cta(next->rank).Awaits(next->load.barrier)) ++next;
  if (next == loads_.end()) return false;
  rank = next->rank;
  const int64_t barrier = next->load.barrier;
  while (next != loads_.end()) {
    if (next->rank != rank || next->load.barrier != barrier) {
      ++next;
      continue;
    }
    KILN_RETURN_IF_ERROR(cta(rank).Land(next->load));
    next = loads_.erase(next);
  }
  return true;
}

absl::Status NativeCluster::Finish(int64_t& rank) {
  if (!loads_.empty()) {
    rank = loads_.front().rank;
    const Location& at = program_.places[static_cast<size_t>(loads_.front().load.pc)];
    return absl::FailedPreconditionError(StrCat(
        ir::Place(at), "tma_load: its bytes are still on their way when the kernel ends; nobody waits for them"));
  }
  for (rank = 0; rank < size(); ++rank) KILN_RETURN_IF_ERROR(cta(rank).Finish());
  return absl::OkStatus();
}

absl::Status NativeCluster::Stuck(int64_t& rank) const {
  rank = 0;
  while (ctas_[static_cast<size_t>(rank)]->Done()) ++rank;
  absl::Status status = ctas_[static_cast<size_t>(rank)]->Stuck();
  std::string text(status.message());
  for (int64_t other = 0; other < size(); ++other) {
    std::string waiting = other == rank ? "" : ctas_[static_cast<size_t>(other)]->Waiting(-1);
    if (!waiting.empty()) StrAppend(&text, "; in CTA ", other, " of the cluster ", waiting);
  }
  return absl::Status(status.code(), text);
}

}  // namespace kiln::interp
