// A tile-level body as a flat list of steps, so that a thread is a number and its variables, and can wait anywhere.
#ifndef KILN_COMPILER_INTERP_TILE_PROGRAM_H_
#define KILN_COMPILER_INTERP_TILE_PROGRAM_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"

namespace kiln::interp {

struct Step {
  enum class Kind {
    kLet,       // variable = expr (a value, or a view)
    kMutable,   // variable = expr, converted to dtype
    kAlloc,     // stmt->tensor
    kRing,      // stmt; its fields are allocs that follow
    kAssign,    // target = expr
    kTileOp,    // expr is the operation; with a variable, a reduction whose result it takes
    kCall,      // expr is an intrinsic call; with a variable, its result
    kForBegin,  // variable, end_variable, step_variable = begin, end, step of stmt
    kForTest,   // to `jump` when variable >= end_variable
    kForNext,   // variable += step_variable, to `jump`
    kBranch,    // to `jump` when expr is false
    kJump,      // to `jump`
    kAssert,    // expr holds
    kEnd,
  } kind = Kind::kEnd;
  Expr target;
  Expr expr;
  ir::Stmt stmt;
  int variable = -1;
  int end_variable = -1;
  int step_variable = -1;
  int jump = -1;
  Team team = Team::kThread;  // Who executes the step together; a thread alone does not wait
  int branch = -1;            // The innermost kBranch or kForTest around this step
  std::string ring;           // kAlloc: whose field
  Location at;
};

// What is known of a name before running.
struct NameInfo {
  int id = -1;
  bool tile = false;
  int rank = -1;  // -1 = not known before the body runs
  ir::Space space = ir::Space::kNone;
  Team owner = Team::kNone;  // Whose registers a local tile, or a value computed from one, lives in
};

struct Program {
  std::vector<Step> steps;
  absl::flat_hash_map<std::string, NameInfo> names;
  int variables = 0;
  // One thread stands for a CTA: nothing in the body tells threads apart.
  bool uniform = true;
  // Groups of asynchronous copies are closed by the body; otherwise each copy is one.
  bool commits = false;
};

inline constexpr std::string_view kThreadId = "thread_id";
inline constexpr std::string_view kLaneId = "lane_id";
inline constexpr std::string_view kWarpId = "warp_id";
inline constexpr std::string_view kCtaRank = "cta_rank";
inline constexpr std::string_view kGridBuiltins[] = {"cta_id.x", "cta_id.y", "cta_id.z", "grid.x", "grid.y", "grid.z"};

// `integers` are the names of symbols and strides that the caller will bind.
absl::StatusOr<Program> FlattenBody(const ir::Kernel& kernel, const std::vector<std::string>& integers);

// Whether the expression is a tile, and whose: kNone where no local tile is in it.
bool IsTile(const Program& program, const Expr& e);
Team OwnerOf(const Program& program, const Expr& e);

// `warp.sum`, `cta.copy`, `tiles.pop`, `barrier`: how messages name a step's operation.
std::string OperationName(const Expr& e);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_TILE_PROGRAM_H_
