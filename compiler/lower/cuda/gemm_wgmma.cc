// Products of the matrix unit: every warpgroup of the team multiplies its rows of a by all of b, 64 rows and 32 bytes
// of k an instruction.
#include <string>
#include <utility>

#include "compiler/lower/cuda/operations.h"
#include "compiler/rules/matrix_layout.h"
#include "compiler/rules/site.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {
namespace {

constexpr int64_t kRows = 64;      // Of one instruction
constexpr int64_t kThreads = 128;  // Of a warpgroup
constexpr int64_t kWarps = 4;

// Rows of the accumulator that one warpgroup has, and the first of this one's.
struct Rows {
  int64_t count = 0;
  Expr first;
};

Rows RowsOf(const Lowering& lower, const Operand& c, Team team) {
  int64_t m = 0;
  IsConst(c.dims[0].extent, &m);
  const int64_t warpgroups = team == Team::kWarpgroup ? 1 : lower.threads() / kThreads;
  if (warpgroups == 1) return {m, I(0)};
  Expr warpgroup = WithType(FloorDiv(Var("warp_id", IndexType()), I(kWarps)), IndexType());
  return {m / warpgroups, MulI(warpgroup, m / warpgroups)};
}

struct Side {
  Operand operand;
  bool rows_innermost = false;
  MatrixDescriptor descriptor;  // In shared memory

  bool InRegisters() const { return operand.tensor->space == ir::Space::kLocal; }
  Expr Tensor() const { return TensorVar(operand.tensor->name, operand.tensor->dtype); }
  // The element at row `row` and k `k`.
  Expr At(const Expr& row, const Expr& k, const Facts& facts) const {
    return AddressOf(operand, rows_innermost ? std::vector<Expr>{k, row} : std::vector<Expr>{row, k}, facts);
  }
  void AppendTo(std::vector<Expr>& args) const {
    for (int64_t v : {descriptor.leading, descriptor.stride, descriptor.swizzle, int64_t{rows_innermost}})
      args.push_back(I(v));
  }
};

absl::StatusOr<Side> SideOf(Lowering& lower, const Expr& reference, bool rows_innermost) {
  Side side;
  KILN_ASSIGN_OR_RETURN(side.operand, ResolveOperand(reference, lower.tensors()));
  side.rows_innermost = rows_innermost;
  if (side.InRegisters()) return side;
  std::string why;
  std::optional<MatrixDescriptor> descriptor = DescriptorOf(side.operand, rows_innermost, lower.facts, &why);
  KILN_CHECK(descriptor.has_value(), why);
  side.descriptor = *descriptor;
  return side;
}

// What threads wrote to an operand is shown to the matrix unit first.
void ShowWrites(Lowering& lower, const Side& side) {
  if (side.InRegisters()) return;
  if (side.operand.tensor->ring.empty() && lower.barriers.NeedsBeforeRead(side.operand.tensor->name)) {
    lower.Add(ir::Eval(Intrinsic("fence_proxy_async", {})));
    lower.SyncNow();
  }
  lower.barriers.Read(side.operand.tensor->name);
}

}  // namespace

void WaitForProducts(Lowering& lower, int64_t pending) {
  lower.Add(ir::Eval(Intrinsic("wgmma_wait", {I(pending)})));
  for (const Expr& accumulator : lower.products.Retire(static_cast<size_t>(pending)))
    lower.Add(ir::Eval(Intrinsic("register_fence", {accumulator, I(0)})));
}

absl::Status LowerGemmWgmma(Lowering& lower, const ir::StmtNode& stmt) {
  const Node& op = *stmt.value;
  KILN_ASSIGN_OR_RETURN(Operand c, ResolveOperand(op.args[0], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Side a, SideOf(lower, op.args[1], Flag(op, "trans_a")));
  KILN_ASSIGN_OR_RETURN(Side b, SideOf(lower, op.args[2], !Flag(op, "trans_b")));
  const DType dtype = a.operand.tensor->dtype;
  const int64_t step = 256 / Bits(dtype);
  int64_t n = 0, k = 0;
  KILN_CHECK(IsConst(c.dims[1].extent, &n));
  KILN_CHECK(IsConst(a.operand.dims[a.rows_innermost ? 0 : 1].extent, &k));
  const Rows rows = RowsOf(lower, c, op.tile.team);

  ShowWrites(lower, a);
  ShowWrites(lower, b);
  Expr acc = TensorVar(c.tensor->name, c.tensor->dtype);
  const Expr yes = WithType(Bool(true), {DType::kBool});
  Expr accumulate = FindAttr(op, "accumulate");
  if (!accumulate) accumulate = yes;
  lower.Add(ir::Eval(Intrinsic("wgmma_fence", {})));
  lower.Unroll("mi", rows.count / kRows, [&](Expr mi) {
    lower.Unroll("ks", k / step, [&](Expr ks) {
      Expr at_k = MulI(ks, step);
      // A fragment of registers is two 16 x 8 pieces of an accumulator, 8 slots.
      Expr a_place = a.InRegisters() ? AddI(MulI(mi, k / 2), MulI(ks, 8))
                                     : a.At(AddI(rows.first, MulI(mi, kRows)), at_k, lower.facts);
      Expr later = WithType(Lt(I(0), ks), {DType::kBool});
      Expr adds = accumulate->kind == ExprKind::kBool && accumulate->int_value
                      ? yes
                      : lower.Simple(WithType(Binary(Op::kOr, later, accumulate), {DType::kBool}));
      std::vector<Expr> args = {acc,        lower.Simple(MulI(mi, n / 2)), a.Tensor(), lower.Simple(a_place),
                                b.Tensor(), b.At(I(0), at_k, lower.facts), I(n)};
      a.AppendTo(args);
      b.AppendTo(args);
      args.push_back(adds);
      lower.Add(ir::Eval(Intrinsic("wgmma", std::move(args))));
    });
  });
  lower.Add(ir::Eval(Intrinsic("wgmma_commit", {})));
  lower.products.Commit(acc);
  if (op.tile.op == TileOpKind::kGemm) WaitForProducts(lower, 0);
  return absl::OkStatus();
}

}  // namespace kiln::cuda
