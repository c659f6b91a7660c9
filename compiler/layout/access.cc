#include "compiler/layout/access.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/error.h"
#include "compiler/layout/evaluate.h"
#include "compiler/layout/thread_of.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

constexpr int64_t kWordBytes = 4;
constexpr int64_t kBanks = 32;
constexpr int64_t kCycleBytes = kBanks * kWordBytes;
constexpr int64_t kSectorBytes = 32;
constexpr int64_t kMaxElements = int64_t{1} << 20;

}  // namespace

int64_t MaxVector(const Layout& layout, int64_t alignment) {
  const TileLayout& base = layout.base();
  const std::vector<Iter> shard = FuseRun(base.shard());
  if (shard.empty() || shard.back().axis != Axis::kM || !shard.back().stride.Is(1)) return 1;
  int64_t width = std::gcd(alignment, shard.back().extent.Content());
  for (size_t i = 0; i + 1 < shard.size(); ++i) {
    if (shard[i].axis == Axis::kM) width = std::gcd(width, shard[i].stride.Content());
  }
  for (const Iter& iter : base.replica()) {
    if (iter.axis == Axis::kM && !iter.extent.Is(1)) width = std::gcd(width, iter.stride.Content());
  }
  width = std::gcd(width, base.offset(Axis::kM).Content());
  // The XOR keeps runs of 2^per_element together.
  if (const SwizzledLayout* swizzled = layout.swizzled_if()) {
    if (swizzled->swizzle().swizzle_len > 0) width = std::gcd(width, int64_t{1} << swizzled->swizzle().per_element);
  }
  return std::max<int64_t>(width, 1);
}

absl::StatusOr<WarpAccess> AccessOf(const Layout& memory, const TileLayout& registers, int64_t slot, int64_t vector,
                                    int64_t element_bits) {
  if (vector < 1 || element_bits < 1 || vector > kMaxElements || element_bits > kMaxElements ||
      vector * element_bits % 8 != 0) {
    return Error("access", "expected whole bytes, got ", vector, " elements of ", element_bits, " bits");
  }
  KILN_ASSIGN_OR_RETURN(const Evaluator addresses, Evaluator::Make(memory));
  KILN_ASSIGN_OR_RETURN(const ThreadMap threads, ThreadMap::Make(registers));
  if (addresses.size() != threads.size() || threads.size() > kMaxElements) {
    return Error("access", "expected layouts of one size up to ", kMaxElements, ", got ", ToString(memory), " and ",
                 ToString(registers));
  }
  std::map<int64_t, int64_t> by_lane;
  Evaluator::Values values;
  for (int64_t index = 0; index < threads.size(); ++index) {
    for (int64_t replica = 0; replica < threads.replicas(); ++replica) {
      const ThreadSlot at = threads.At(index, replica);
      if (at.warp != 0 || at.slot != slot) continue;
      addresses.Evaluate(index, 0, values);
      by_lane.emplace(at.lane, values[static_cast<size_t>(Axis::kM)] * element_bits / 8);
    }
  }
  if (by_lane.empty()) return Error("access", "no lane of warp 0 holds slot ", slot, " of ", ToString(registers));
  WarpAccess access;
  access.bytes = vector * element_bits / 8;
  for (const auto& [lane, address] : by_lane) access.addresses.push_back(address);
  return access;
}

BankUse BankConflicts(const WarpAccess& access) {
  BankUse use;
  const size_t lanes_a_cycle =
      static_cast<size_t>(std::max<int64_t>(1, kCycleBytes / std::max<int64_t>(access.bytes, kWordBytes)));
  for (size_t start = 0; start < access.addresses.size(); start += lanes_a_cycle) {
    const size_t end = std::min(access.addresses.size(), start + lanes_a_cycle);
    std::array<std::set<int64_t>, kBanks> words;
    std::set<int64_t> all;
    for (size_t lane = start; lane < end; ++lane) {
      const int64_t first = access.addresses[lane] / kWordBytes;
      const int64_t last = (access.addresses[lane] + access.bytes - 1) / kWordBytes;
      for (int64_t word = first; word <= last; ++word) {
        words[static_cast<size_t>(word % kBanks)].insert(word);
        all.insert(word);
      }
    }
    size_t most = 0;
    for (const std::set<int64_t>& bank : words) most = std::max(most, bank.size());
    use.transactions += static_cast<int64_t>(most);
    use.ideal += (static_cast<int64_t>(all.size()) + kBanks - 1) / kBanks;
  }
  return use;
}

Coalescing CoalescedBytes(const WarpAccess& access) {
  std::set<int64_t> bytes;
  std::set<int64_t> sectors;
  for (const int64_t address : access.addresses) {
    for (int64_t byte = address; byte < address + access.bytes; ++byte) {
      bytes.insert(byte);
      sectors.insert(byte / kSectorBytes);
    }
  }
  Coalescing result;
  result.used_bytes = static_cast<int64_t>(bytes.size());
  result.sectors = static_cast<int64_t>(sectors.size());
  result.moved_bytes = result.sectors * kSectorBytes;
  return result;
}

}  // namespace kiln::layout
