// Asynchronous copies between shared and global memory that the copy engine carries out: whom they reach, and how long
// they read.
#include <algorithm>
#include <cstring>
#include <utility>

#include "compiler/interp/tile/cta.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {

absl::StatusOr<uint64_t> Cta::MulticastMask(const Expr& e, Evaluator& evaluator) const {
  const uint64_t all = (uint64_t{1} << cluster_.ctas) - 1;
  const Attr& setting = e->tile.via_config[0];
  if (setting.name != "multicast") return absl::InvalidArgumentError(StrCat("no setting is named ", setting.name));
  if (setting.value->kind == ExprKind::kVar && setting.value->name == "all") return all;
  KILN_ASSIGN_OR_RETURN(int64_t mask, evaluator.EvalInt(setting.value));
  if (mask < 1 || (static_cast<uint64_t>(mask) & ~all) != 0) {
    return absl::FailedPreconditionError(
        StrCat("multicast: expected a mask of the cluster's ", cluster_.ctas, " CTAs, got ", mask));
  }
  return static_cast<uint64_t>(mask);
}

absl::Status Cta::IssueStore(const Expr& e, Evaluator& evaluator, ValuePtr value, Participants threads) {
  AsyncStore store;
  KILN_ASSIGN_OR_RETURN(store.source, evaluator.EvalView(e->args[1]));
  const ir::Space space = store.source.storage->space;
  if (space != ir::Space::kShared && space != ir::Space::kSharedDyn) return absl::OkStatus();
  store.value = std::move(value);
  store.first = threads[0];
  store.last = threads[0] + static_cast<int64_t>(threads.size());
  store.at = e->at;
  stores_.push_back(std::move(store));
  return absl::OkStatus();
}

absl::Status Cta::WaitStore(int64_t pending, Participants threads) {
  const int64_t first = threads[0], last = threads[0] + static_cast<int64_t>(threads.size());
  auto ours = [&](const AsyncStore& s) { return s.first < last && first < s.last; };
  int64_t left = std::count_if(stores_.begin(), stores_.end(), ours) - std::max<int64_t>(pending, 0);
  for (auto it = stores_.begin(); it != stores_.end() && left > 0;) {
    if (!ours(*it)) {
      ++it;
      continue;
    }
    const AsyncStore store = std::move(*it);
    it = stores_.erase(it);
    --left;
    KILN_ASSIGN_OR_RETURN(ValuePtr now, LoadView(store.source, ReadOptions(threads)));
    const std::vector<Slot>&a = now->data, &b = store.value->data;
    if (a.size() != b.size() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Slot)) != 0) {
      return absl::FailedPreconditionError(
          StrCat("\"", store.source.storage->name, "\" has changed before the wait for the copy_async that reads it",
                 store.at.line > 0 ? StrCat(", of ", store.at.line, ":", store.at.column) : std::string()));
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::interp
