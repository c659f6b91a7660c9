#include "api/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "api/work.h"
#include "compiler/interp/interpreter.h"
#include "compiler/ir/visit.h"
#include "compiler/support/scalar_math.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {
namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

std::vector<interp::Argument> InterpArguments(std::vector<MadeArgument>* made) {
  std::vector<interp::Argument> args;
  for (MadeArgument& argument : *made) {
    if (argument.is_tensor) {
      args.push_back(interp::Tensor{argument.tensor.dtype, argument.tensor.shape, {}, argument.tensor.data});
    } else if (IsFloat(argument.scalar_dtype)) {
      args.push_back(interp::Scalar::Float(argument.scalar_dtype, argument.scalar));
    } else {
      args.push_back(interp::Scalar::Int(argument.scalar_dtype, static_cast<int64_t>(argument.scalar)));
    }
  }
  return args;
}

// Values of the symbols that bare extents name.
std::map<std::string, int64_t> SymbolsOf(const ir::Kernel& kernel, const std::vector<MadeArgument>& made) {
  std::map<std::string, int64_t> values;
  for (size_t i = 0; i < made.size(); ++i)
    for (size_t d = 0; d < kernel.params[i].shape.size(); ++d)
      if (kernel.params[i].shape[d]->kind == ExprKind::kVar)
        values.emplace(kernel.params[i].shape[d]->name, made[i].tensor.shape[d]);
  return values;
}

// The kernel of one CTA of the grid, as a grid of its own.
ir::Kernel OneCta(const ir::Kernel& kernel, const std::array<int64_t, 3>& grid, int64_t linear) {
  Substitution values;
  for (int d = 0; d < 3; ++d) {
    const Type type = {DType::kI64};
    values[StrCat("cta_id.", kAxes[d])] = WithType(Int(linear % grid[d]), type);
    values[StrCat("grid.", kAxes[d])] = WithType(Int(grid[d]), type);
    linear /= grid[d];
  }
  ir::Kernel one = kernel;
  one.launch.grid = {WithType(Int(1), {DType::kI64})};
  one.body = ir::Substitute(kernel.body, values);
  return one;
}

// Whether CTAs talk to each other, through atomics or clusters.
bool CtasDepend(const ir::Kernel& kernel) {
  bool depend = !kernel.launch.cluster.empty() || kernel.launch.persistent;
  ir::ForEachExpr(kernel.body, [&](const Expr& e) {
    if (e->kind != ExprKind::kTileOp) return;
    const TileOpKind op = e->tile.op;
    depend |= op == TileOpKind::kAtomicAdd || op == TileOpKind::kAtomicMax || op == TileOpKind::kAtomicMin;
  });
  return depend;
}

double ValueAt(const MadeTensor& tensor, int64_t i) {
  const int bits = Bits(tensor.dtype);
  uint64_t pattern = 0;
  if (bits >= 8) {
    std::memcpy(&pattern, tensor.data + i * (bits / 8), bits / 8);
  } else {
    pattern = static_cast<uint8_t>(tensor.data[i / 2]) >> (4 * (i % 2)) & 15;
  }
  if (IsFloat(tensor.dtype)) return scalar::DecodeFloat(tensor.dtype, pattern);
  return static_cast<double>(scalar::DecodeInteger(tensor.dtype, pattern));
}

int64_t CountOf(const MadeTensor& tensor) {
  int64_t count = 1;
  for (int64_t extent : tensor.shape) count *= extent;
  return count;
}

// Half a unit in the last place, relative: what rounding to the dtype may cost, twice over, since both sides round.
double RoundingOf(DType dtype) {
  if (!IsFloat(dtype)) return 0;
  if (dtype == DType::kF64) return 0x1p-52;
  if (dtype == DType::kF8E8M0) return 1;
  return std::ldexp(1.0, -scalar::FormatOf(dtype).mantissa_bits);
}

std::string IndexText(const MadeTensor& tensor, int64_t linear) {
  std::vector<int64_t> index(tensor.shape.size());
  for (size_t d = index.size(); d-- > 0;) {
    index[d] = linear % tensor.shape[d];
    linear /= tensor.shape[d];
  }
  return StrCat(tensor.name, "[", absl::StrJoin(index, ", "), "]");
}

void Note(const MadeTensor& tensor, int64_t i, double expected, double found, double tolerance, Comparison* result) {
  if (result->pass)
    result->worst =
        StrCat(IndexText(tensor, i), ": expected ", expected, ", got ", found, " (tolerance ", tolerance, ")");
  result->pass = false;
}

bool SameValue(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void CompareTensor(const MadeTensor& before, const MadeTensor& want, const MadeTensor& got, double relative,
                   bool complete, Comparison* result) {
  const int64_t count = CountOf(want);
  std::vector<int64_t> written;
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = ValueAt(want, i);
    const double old = ValueAt(before, i);
    if (!SameValue(value, old)) {
      written.push_back(i);
      if (std::isfinite(value)) squares += value * value;
    } else if (complete && !SameValue(ValueAt(got, i), old)) {
      // What the reference left alone keeps its old bytes, whatever the kernel is.
      Note(want, i, old, ValueAt(got, i), 0, result);
    }
  }
  const double rms = written.empty() ? 0 : std::sqrt(squares / static_cast<double>(written.size()));
  for (const int64_t i : written) {
    const double expected = ValueAt(want, i), found = ValueAt(got, i);
    ++result->compared;
    if (SameValue(expected, found)) continue;
    const double error = std::fabs(expected - found);
    double tolerance = 0;
    if (IsFloat(want.dtype))
      tolerance = RoundingOf(want.dtype) * std::fabs(expected) + relative * std::max(std::fabs(expected), rms);
    result->max_error = std::max(result->max_error, std::isnan(error) ? HUGE_VAL : error);
    if (!(error <= tolerance)) Note(want, i, expected, found, tolerance, result);
  }
}

}  // namespace

absl::StatusOr<ReferenceRun> RunReference(const ir::Kernel& kernel, std::vector<MadeArgument>* made, int64_t budget) {
  const Work work = WorkOf(kernel, SymbolsOf(kernel, *made));
  ReferenceRun run;
  run.grid = work.grid;
  const double ctas = work.Ctas();
  const double each = work.cta_flops / 2 + work.elements;
  const std::vector<interp::Argument> args = InterpArguments(made);
  if (ctas * each <= static_cast<double>(budget)) {
    KILN_RETURN_IF_ERROR(interp::Run(kernel, args));
    return run;
  }
  if (CtasDepend(kernel))
    return absl::UnimplementedError(StrCat("check: kernel \"", kernel.name,
                                           "\": its CTAs depend on each other, so a sample cannot stand for the ",
                                           "grid, and all of it is too much for the reference: check a smaller shape"));
  const double affordable = std::floor(static_cast<double>(budget) / each);
  if (affordable < 1)
    return absl::UnimplementedError(StrCat("check: kernel \"", kernel.name,
                                           "\": one CTA alone is too much for the reference: check a smaller shape"));
  const int64_t total = static_cast<int64_t>(ctas);
  const int64_t count = std::min<int64_t>(total, static_cast<int64_t>(std::min(affordable, 64.0)));
  // Spread evenly, the last one, which has the edges, always among them.
  std::set<int64_t> chosen;
  for (int64_t i = 1; i <= count; ++i) chosen.insert(static_cast<int64_t>(static_cast<double>(total) * i / count) - 1);
  run.sample.assign(chosen.begin(), chosen.end());
  for (const int64_t linear : run.sample) KILN_RETURN_IF_ERROR(interp::Run(OneCta(kernel, run.grid, linear), args));
  return run;
}

Comparison Compare(const std::vector<MadeArgument>& before, const std::vector<MadeArgument>& want,
                   const std::vector<MadeArgument>& got, double relative, bool complete) {
  Comparison result;
  for (size_t i = 0; i < want.size(); ++i)
    if (want[i].is_tensor && want[i].tensor.written)
      CompareTensor(before[i].tensor, want[i].tensor, got[i].tensor, relative, complete, &result);
  return result;
}

double RelativeTolerance(const ir::Kernel& kernel) {
  // Sums and products in another order, and exp, log and rsqrt as the targets have them.
  double relative = 0x1p-14;
  ir::ForEachExpr(kernel.body, [&](const Expr& e) {
    if (e->kind == ExprKind::kMath && e->op == Op::kTanh && !e->int_value) relative = std::max(relative, 0x1p-9);
  });
  return relative;
}

}  // namespace kiln::api
