// A rule: one way to carry out a tile operation on a target, as one row of rules_<target>.inc.
//
// Three questions, answered without lowering anything: Applies (operation, dtype, spaces, target; no layouts), Layouts
// (what it proposes for its operands) and Accepts (the whole predicate). An answer is yes, or no with a reason in plain
// words; explain prints them. The lowering stands in lower/<target>/ under the rule's name.
#ifndef KILN_COMPILER_RULES_RULE_H_
#define KILN_COMPILER_RULES_RULE_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "compiler/expr/facts.h"
#include "compiler/rules/distribution.h"
#include "compiler/rules/operand.h"
#include "kiln/internal/target.h"

namespace kiln {

struct Verdict {
  bool yes = true;
  std::string reason;
};
inline Verdict Yes() { return {}; }
inline Verdict No(std::string reason) { return {false, std::move(reason)}; }

// What the whole kernel asks of a matrix accumulator.
struct GemmPolicy {
  bool rows_in_warp = false;  // Rows are reduced or fed to another gemm: every warp keeps whole rows
};

// A tile operation in its place.
struct OpSite {
  TileOpKind op = TileOpKind::kNone;
  Team team = Team::kCta;
  const Node* node = nullptr;     // The tile operation; null for a map written as an assignment
  std::vector<Operand> operands;  // Destination or accumulator first
  Expr value;                     // Of a map or a reduction: the elementwise expression
  DType result = DType::kNone;    // Of a reduction
  int axis = -1;                  // Of a reduction; -1 = all
  const Target* target = nullptr;
  int64_t threads = 0;
  Facts facts;
  GemmPolicy gemm;
};

// How a rule would like one operand to lie: registers by a distribution, shared memory by a layout's canonical text.
struct LayoutWish {
  LayoutWish() = default;
  LayoutWish(std::nullopt_t) {}                                                 // NOLINT: no wish.
  LayoutWish(Distribution wanted) : local(std::move(wanted)) {}                 // NOLINT
  LayoutWish(std::optional<Distribution> wanted) : local(std::move(wanted)) {}  // NOLINT
  static LayoutWish Shared(std::string layout) {
    LayoutWish out;
    out.shared = std::move(layout);
    return out;
  }

  std::optional<Distribution> local;
  std::string shared;
};

struct Rule {
  std::string_view name;  // As `via` names it
  TileOpKind op;
  std::string_view feature;  // Of the target; empty = all
  int priority;
  Verdict (*applies)(const OpSite&);
  // One for each operand. Null when it never has a wish.
  std::vector<LayoutWish> (*layouts)(const OpSite&);
  Verdict (*accepts)(const OpSite&);
  std::string_view doc;  // What it does, for docs/dispatch.md
};

// Highest priority first, then by name.
absl::Span<const Rule> CudaRules();
// One an operation; every kind of reduction goes by the row of kSum.
absl::Span<const Rule> CpuRules();

// The accumulator and register operands of matrix instructions, tiled over the CTA's warps.
struct WarpGrid {
  int64_t rows = 1;
  int64_t cols = 1;
};
// Null when no split of `warps` gives each whole 16 x 8 tiles.
std::optional<WarpGrid> MmaWarpGrid(int64_t m, int64_t n, int64_t warps, bool rows_in_warp);
Distribution MmaAccumulator(int64_t m, int64_t n, WarpGrid grid);
// A from registers, 16-bit elements: the same places as an accumulator of the same shape.
Distribution MmaOperandA(int64_t m, int64_t k, WarpGrid grid);
// The accumulator of warpgroup matrix instructions (m64nNkK) in every one of `warpgroups`, which share the rows.
Distribution WgmmaAccumulator(int64_t m, int64_t n, int64_t warpgroups);
// CUDA cores: every thread a rectangle.
Distribution FmaAccumulator(int64_t m, int64_t n, int64_t threads);

// True of `trans_a` and the like.
bool Flag(const Node& op, std::string_view name, bool absent = false);

}  // namespace kiln

#endif  // KILN_COMPILER_RULES_RULE_H_
