#include "compiler/interp/tile/reduce.h"

#include <limits>
#include <utility>

#include "compiler/interp/arith.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

Slot Identity(TileOpKind op, DType dtype) {
  bool max = op == TileOpKind::kMax;
  if (op == TileOpKind::kMax || op == TileOpKind::kMin) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    if (IsFloat(dtype)) return FloatSlot(max ? -kInf : kInf);
    return IntSlot(scalar::FloatToInteger(dtype, max ? -kInf : kInf));
  }
  bool one = op == TileOpKind::kProd;
  return IsFloat(dtype) ? FloatSlot(one) : IntSlot(one);
}

Slot Join(TileOpKind op, DType dtype, Slot a, Slot b) {
  // Sums and products of floats stay in double until the end.
  DType in = dtype == DType::kF32 ? DType::kF64 : dtype;
  Op binary = op == TileOpKind::kSum    ? Op::kAdd
              : op == TileOpKind::kProd ? Op::kMul
              : op == TileOpKind::kMax  ? Op::kMax
              : op == TileOpKind::kMin  ? Op::kMin
                                        : Op::kOr;
  Slot result;
  ApplyBinary(binary, in, &a, 0, &b, 0, 1, &result);  // None of these has a fault.
  return result;
}

}  // namespace

absl::StatusOr<ValuePtr> Reduce(TileOpKind op, DType dtype, absl::Span<const ValuePtr> parts,
                                std::optional<int64_t> axis, int64_t threads) {
  const Value& first = *parts[0];
  DType compute = op == TileOpKind::kAny ? DType::kBool : ComputeType(first.dtype);
  auto rank = static_cast<int64_t>(first.shape.size());
  if (axis && *axis < 0) *axis += rank;
  if (axis && (*axis < 0 || *axis >= rank)) {
    return absl::InvalidArgumentError(StrCat("reduction: axis ", *axis, " of a tile of rank ", rank));
  }
  Value result;
  result.dtype = compute;
  int64_t inner = 1, extent = ElementCount(first.shape);
  if (axis) {
    result.shape = first.shape;
    result.shape.erase(result.shape.begin() + *axis);
    extent = first.shape[static_cast<size_t>(*axis)];
    inner = ElementCount(absl::MakeConstSpan(first.shape).subspan(static_cast<size_t>(*axis) + 1));
  }
  if (threads > 1) result.shape.push_back(threads);
  result.data.assign(static_cast<size_t>(ElementCount(result.shape)), Identity(op, compute));
  for (const ValuePtr& part : parts) {
    if (part->shape != first.shape)
      return absl::InvalidArgumentError("reduction: the team's threads have tiles of different shapes");
    if (axis && !part->held.empty()) {
      return absl::UnimplementedError("reduction along an axis of what a part of the owner's threads holds");
    }
    Value values = *part;
    ConvertAll(compute, values.dtype, values.data.data(), static_cast<int64_t>(values.data.size()));
    for (size_t k = 0; k < values.data.size(); ++k) {
      if (!values.held.empty() && !values.held[k]) continue;
      auto number = static_cast<int64_t>(k);
      const int64_t part = number / inner % extent / 2 % threads;
      const int64_t place = number / (inner * extent) * inner + number % inner;
      Slot& target = result.data[static_cast<size_t>(place * threads + part)];
      target = Join(op, compute, target, values.data[k]);
    }
  }
  DType to = dtype == DType::kNone ? compute : dtype;
  ConvertAll(to, compute == DType::kF32 ? DType::kF64 : compute, result.data.data(),
             static_cast<int64_t>(result.data.size()));
  result.dtype = to;
  return std::make_shared<const Value>(std::move(result));
}

}  // namespace kiln::interp
