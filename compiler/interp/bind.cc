#include "compiler/interp/bind.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "compiler/interp/arith.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

constexpr int64_t kMaxThreads = 1024;
constexpr int64_t kMaxGrid = std::numeric_limits<int32_t>::max();

absl::Status BindTensor(const ir::Param& param, const Argument& arg, Bound& bound) {
  const Tensor* tensor = std::get_if<Tensor>(&arg);
  if (!tensor)
    return absl::InvalidArgumentError(StrCat("argument \"", param.name, "\": expected a tensor, got a scalar"));
  if (tensor->dtype != param.dtype.dtype) {
    return absl::InvalidArgumentError(
        StrCat("argument \"", param.name, "\": expected ", Name(param.dtype.dtype), ", got ", Name(tensor->dtype)));
  }
  if (tensor->shape.size() != param.shape.size()) {
    return absl::InvalidArgumentError(
        StrCat("argument \"", param.name, "\": expected rank ", param.shape.size(), ", got ", tensor->shape.size()));
  }
  Tensor full = *tensor;
  size_t rank = full.shape.size();
  if (full.strides.empty()) {
    full.strides.resize(rank);
    int64_t stride = 1;
    for (size_t d = rank; d-- > 0; stride *= full.shape[d]) full.strides[d] = stride;
  }
  if (full.strides.size() != rank) {
    return absl::InvalidArgumentError(
        StrCat("argument \"", param.name, "\": expected ", rank, " strides, got ", full.strides.size()));
  }
  for (size_t d = 0; d < rank; ++d) {
    if (full.shape[d] < 0 || full.strides[d] < 0) {
      return absl::InvalidArgumentError(StrCat("argument \"", param.name, "\" dim ", d,
                                               ": expected no negative extent or stride, got ", full.shape[d], " and ",
                                               full.strides[d]));
    }
    bound.ints[StrCat(param.name, ".stride", d)] = full.strides[d];
    const Expr& extent = param.shape[d];
    if (extent->kind == ExprKind::kVar && !bound.ints.contains(extent->name)) bound.ints[extent->name] = full.shape[d];
  }
  if (!full.data && ElementSpan(full) > 0)
    return absl::InvalidArgumentError(StrCat("argument \"", param.name, "\": null data"));
  bound.tensors[param.name] = std::move(full);
  return absl::OkStatus();
}

absl::Status BindScalar(const ir::Param& param, const Argument& arg, Bound& bound) {
  const Scalar* scalar = std::get_if<Scalar>(&arg);
  if (!scalar)
    return absl::InvalidArgumentError(StrCat("argument \"", param.name, "\": expected a scalar, got a tensor"));
  Slot slot = IsFloat(scalar->dtype) ? FloatSlot(scalar->f) : IntSlot(scalar->i);
  slot = Convert(param.dtype.dtype, scalar->dtype, slot);
  bound.scalars[param.name] =
      IsFloat(param.dtype.dtype) ? Scalar::Float(param.dtype.dtype, slot.f) : Scalar::Int(param.dtype.dtype, slot.i);
  if (!IsFloat(param.dtype.dtype)) bound.ints.emplace(param.name, slot.i);
  return absl::OkStatus();
}

absl::Status CheckShapes(const ir::Kernel& kernel, const Bound& bound) {
  for (const ir::Param& param : kernel.params) {
    for (size_t d = 0; d < (param.is_tensor ? param.shape.size() : 0); ++d) {
      KILN_ASSIGN_OR_RETURN(int64_t expected, EvaluateIndex(param.shape[d], bound.ints));
      int64_t found = bound.tensors.at(param.name).shape[d];
      if (expected != found) {
        return absl::InvalidArgumentError(
            StrCat("argument \"", param.name, "\" dim ", d, ": expected ", expected, ", got ", found));
      }
    }
  }
  return absl::OkStatus();
}

constexpr int64_t kMaxCluster = 16;  // CTAs

absl::Status BindCluster(const ir::Kernel& kernel, const RunOptions& options, Bound& bound) {
  if (kernel.launch.cluster.size() > bound.cluster.size())
    return absl::InvalidArgumentError("launch: expected at most 3 cluster dimensions");
  int64_t ctas = 1;
  for (size_t d = 0; d < kernel.launch.cluster.size(); ++d) {
    KILN_ASSIGN_OR_RETURN(bound.cluster[d], EvaluateIndex(kernel.launch.cluster[d], bound.ints));
    if (bound.cluster[d] >= 1 && bound.cluster[d] <= kMaxCluster) ctas *= bound.cluster[d];
    if (bound.cluster[d] < 1 || bound.cluster[d] > kMaxCluster || ctas > kMaxCluster)
      return absl::InvalidArgumentError(StrCat("launch: cluster: expected 1 .. ", kMaxCluster, " CTAs"));
  }
  if (kernel.launch.persistent) {
    bound.grid = bound.cluster;
    bound.grid[0] *= std::max<int64_t>(1, options.persistent_grid / ctas);
  }
  for (size_t d = 0; d < bound.grid.size(); ++d) {
    if (bound.grid[d] % bound.cluster[d] != 0) {
      return absl::InvalidArgumentError(StrCat("launch: grid dimension ", d, ": expected a multiple of the cluster's ",
                                               bound.cluster[d], ", got ", bound.grid[d]));
    }
  }
  return absl::OkStatus();
}

absl::Status BindLaunch(const ir::Kernel& kernel, const RunOptions& options, Bound& bound) {
  if (kernel.launch.grid.size() > bound.grid.size())
    return absl::InvalidArgumentError("launch: expected at most 3 grid dimensions");
  for (size_t d = 0; d < kernel.launch.grid.size(); ++d) {
    KILN_ASSIGN_OR_RETURN(bound.grid[d], EvaluateIndex(kernel.launch.grid[d], bound.ints));
    if (bound.grid[d] < 0 || bound.grid[d] > kMaxGrid) {
      return absl::InvalidArgumentError(
          StrCat("launch: grid dimension ", d, ": expected 0 .. ", kMaxGrid, ", got ", bound.grid[d]));
    }
  }
  KILN_RETURN_IF_ERROR(BindCluster(kernel, options, bound));
  bound.block = options.default_block;
  if (kernel.launch.block) {
    KILN_ASSIGN_OR_RETURN(bound.block, EvaluateIndex(kernel.launch.block, bound.ints));
  } else if (kernel.native) {
    bound.block = 1;  // What lowering left out is a worker of a CPU.
  }
  if (bound.block < 1 || bound.block > kMaxThreads) {
    return absl::InvalidArgumentError(
        StrCat("launch: block: expected 1 .. ", kMaxThreads, " threads, got ", bound.block));
  }
  return absl::OkStatus();
}

}  // namespace

int64_t ElementSpan(const Tensor& tensor) {
  int64_t span = 1;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] == 0) return 0;
    span += (tensor.shape[d] - 1) * tensor.strides[d];
  }
  return span;
}

absl::StatusOr<int64_t> EvaluateIndex(const Expr& e, const std::map<std::string, int64_t>& names) {
  switch (e->kind) {
    case ExprKind::kInt:
    case ExprKind::kBool:
      return e->int_value;
    case ExprKind::kVar: {
      auto it = names.find(e->name);
      if (it == names.end()) return absl::InvalidArgumentError(StrCat("\"", e->name, "\" has no value here"));
      return it->second;
    }
    case ExprKind::kCast:
      return EvaluateIndex(e->args[0], names);
    case ExprKind::kSelect: {
      KILN_ASSIGN_OR_RETURN(int64_t condition, EvaluateIndex(e->args[0], names));
      return EvaluateIndex(e->args[condition ? 1 : 2], names);
    }
    case ExprKind::kUnary:
    case ExprKind::kBinary: {
      Slot operands[2] = {};
      for (size_t k = 0; k < e->args.size(); ++k) {
        KILN_ASSIGN_OR_RETURN(operands[k].i, EvaluateIndex(e->args[k], names));
      }
      Slot result;
      Fault fault = e->kind == ExprKind::kUnary
                        ? ApplyUnary(e->op, DType::kI64, operands, 1, &result)
                        : ApplyBinary(e->op, DType::kI64, operands, 0, operands + 1, 0, 1, &result);
      if (fault) return absl::InvalidArgumentError(fault);
      return result.i;
    }
    default:
      return absl::InvalidArgumentError("expected an integer expression over symbols");
  }
}

absl::StatusOr<Bound> Bind(const ir::Kernel& kernel, absl::Span<const Argument> args, const RunOptions& options) {
  if (args.size() != kernel.params.size()) {
    return absl::InvalidArgumentError(StrCat("expected ", kernel.params.size(), " arguments, got ", args.size()));
  }
  Bound bound;
  for (size_t k = 0; k < args.size(); ++k) {
    const ir::Param& param = kernel.params[k];
    if (!param.dtype.Known())
      return absl::InvalidArgumentError(
          StrCat("parameter \"", param.name, "\" has no dtype: the kernel is not specialized"));
    KILN_RETURN_IF_ERROR(param.is_tensor ? BindTensor(param, args[k], bound) : BindScalar(param, args[k], bound));
  }
  KILN_RETURN_IF_ERROR(CheckShapes(kernel, bound));
  KILN_RETURN_IF_ERROR(BindLaunch(kernel, options, bound));
  return bound;
}

}  // namespace kiln::interp
