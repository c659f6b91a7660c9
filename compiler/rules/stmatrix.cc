#include "compiler/rules/stmatrix.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/ir/print.h"
#include "compiler/rules/matrix_fragments.h"

namespace kiln {
namespace {

bool IsShared(const Operand& operand) {
  return operand.tensor->space == ir::Space::kShared || operand.tensor->space == ir::Space::kSharedDyn;
}

const Type& IndexType() {
  static const Type* const type = new Type{DType::kI64};
  return *type;
}

}  // namespace

std::optional<RegisterSlice> RegisterSliceOf(const Operand& local, const Facts& facts, std::string* why) {
  const TensorInfo& tensor = *local.tensor;
  auto no = [&](std::string reason) {
    *why = absl::StrCat(tensor.name, ": ", reason);
    return std::nullopt;
  };
  if (!tensor.distribution) return no("its layout is not known");
  RegisterSlice out{*tensor.distribution, WithType(Int(0), IndexType())};
  const std::vector<int64_t> padded = tensor.distribution->Padded();
  if (local.dims.size() != padded.size()) return no("a dimension is dropped");
  for (size_t d = 0; d < padded.size(); ++d) {
    const OperandDim& dim = local.dims[d];
    int64_t extent = 0;
    if (dim.root != static_cast<int>(d)) return no("its dimensions are permuted");
    if (!IsConst(dim.extent, &extent)) return no("an extent is not constant");
    if (extent == padded[d]) continue;
    std::vector<Digit>& digits = out.distribution.dims[d];
    if (digits.empty() || digits.front().axis != DigitAxis::kSlot)
      return no(absl::StrCat("dimension ", d, " is spread over threads first"));
    Digit& outer = digits.front();
    if (extent % outer.weight != 0 || DivisorOf(dim.start, facts) % outer.weight != 0)
      return no(absl::StrCat("the part of dimension ", d, " is not whole steps of ", outer.weight));
    outer.extent = extent / outer.weight;
    Expr step = WithType(FloorDiv(dim.start, WithType(Int(outer.weight), IndexType())), IndexType());
    Expr slots = WithType(step * WithType(Int(outer.stride), IndexType()), IndexType());
    out.first = Simplify(WithType(out.first + slots, IndexType()), facts);
  }
  return out;
}

Verdict StMatrixApplies(const OpSite& site) {
  if (site.operands.size() != 2) return No("the source is an expression");
  const Operand &to = site.operands[0], &from = site.operands[1];
  if (!IsShared(to)) return No("the destination is not in shared memory");
  if (from.tensor->space != ir::Space::kLocal) return No("the source is not in local memory");
  const DType dtype = to.tensor->dtype;
  if (dtype != DType::kF16 && dtype != DType::kBF16)
    return No(absl::StrCat("stmatrix moves f16 and bf16, found ", std::string(Name(dtype))));
  if (from.tensor->dtype != dtype && from.tensor->dtype != DType::kF32)
    return No(absl::StrCat("the source is ", std::string(Name(from.tensor->dtype)), ", expected f32 or ",
                           std::string(Name(dtype))));
  if (site.team == Team::kThread) return No("one thread alone");
  if (site.threads % 32 != 0) return No(absl::StrCat(site.threads, " threads are not whole warps"));
  return Yes();
}

Verdict StMatrixAccepts(const OpSite& site) {
  const Operand &to = site.operands[0], &from = site.operands[1];
  std::string why;
  std::optional<RegisterSlice> slice = RegisterSliceOf(from, site.facts, &why);
  if (!slice) return No(why);
  if (!slice->distribution.replicas.empty()) return No(absl::StrCat(from.tensor->name, " is held in copies"));
  // Slots count within the whole tile: a part may leave gaps between what it takes.
  if (!MatrixFragmentsOf(slice->distribution, &why)) return No(why);
  for (const OperandDim& dim : to.dims) {
    if (dim.root < 0) return No(absl::StrCat(to.tensor->name, ": a dimension is broadcast"));
    Expr end = WithType(dim.start + dim.extent, IndexType());
    Expr inside = Simplify(WithType(Binary(Op::kLe, end, dim.limit), {DType::kBool}), site.facts);
    if (inside->kind != ExprKind::kBool || !inside->int_value) return No("the destination may reach past an edge");
  }
  if (VectorWidth(to, 8, site.facts, &why) < 8) return No(absl::StrCat("stmatrix writes rows of 16 B: ", why));
  return Yes();
}

}  // namespace kiln
