// Matrix products: at once, or asynchronous and as late as their wait allows.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "compiler/interp/tile/cta.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

absl::StatusOr<bool> Flag(const Expr& e, const char* name, bool otherwise, Evaluator& evaluator) {
  Expr value = FindAttr(*e, name);
  if (!value) return otherwise;
  return evaluator.EvalBool(value);
}

bool Same(const Value& a, const Value& b) {
  return a.data.size() == b.data.size() && std::memcmp(a.data.data(), b.data.data(), a.data.size() * sizeof(Slot)) == 0;
}

}  // namespace

absl::Status Cta::ExecuteGemm(const Expr& e, Evaluator& evaluator, Participants threads) {
  KILN_RETURN_IF_ERROR(ExpectOperands(e, 3));
  Product product;
  KILN_ASSIGN_OR_RETURN(product.target, evaluator.EvalView(e->args[0]));
  KILN_ASSIGN_OR_RETURN(product.form.trans_a, Flag(e, "trans_a", false, evaluator));
  KILN_ASSIGN_OR_RETURN(product.form.trans_b, Flag(e, "trans_b", false, evaluator));
  KILN_ASSIGN_OR_RETURN(product.form.accumulate, Flag(e, "accumulate", true, evaluator));
  LoadOptions options = ReadOptions(threads);
  for (size_t k = 0; k < 2; ++k) {
    KILN_ASSIGN_OR_RETURN(product.operands[k], evaluator.EvalView(e->args[k + 1]));
    KILN_ASSIGN_OR_RETURN(product.values[k], LoadView(product.operands[k], options));
  }
  // An accumulator that is overwritten may hold anything.
  const bool holds = options.check_uninitialized && product.form.accumulate;
  if (e->tile.op == TileOpKind::kGemmAsync) {
    KILN_RETURN_IF_ERROR(MarkAccumulating(product.target, holds));
    product.first = threads[0];
    product.last = threads[0] + static_cast<int64_t>(threads.size());
    product.at = e->at;
    product.name = OperationName(e);
    products_.push_back(std::move(product));
    return absl::OkStatus();
  }
  options.check_uninitialized = holds;
  KILN_ASSIGN_OR_RETURN(ValuePtr acc, LoadView(product.target, options));
  KILN_ASSIGN_OR_RETURN(ValuePtr result, Gemm(*acc, *product.values[0], *product.values[1], product.form));
  return StoreView(product.target, *result);
}

absl::Status Cta::WaitGemm(int64_t pending, Participants threads) {
  const int64_t first = threads[0], last = threads[0] + static_cast<int64_t>(threads.size());
  auto ours = [&](const Product& p) { return p.first < last && first < p.last; };
  int64_t left = std::count_if(products_.begin(), products_.end(), ours) - std::max<int64_t>(pending, 0);
  for (auto it = products_.begin(); it != products_.end() && left > 0;) {
    if (!ours(*it)) {
      ++it;
      continue;
    }
    Product product = std::move(*it);
    it = products_.erase(it);
    --left;
    absl::Status status = Complete(product, threads);
    if (!status.ok())
      return absl::Status(status.code(), StrCat(status.message(), ", in the ", product.name, Since(product.at)));
  }
  // Products that are still in flight may share what one of these has left.
  for (const Product& product : products_) KILN_RETURN_IF_ERROR(MarkAccumulating(product.target, false));
  return absl::OkStatus();
}

std::string Cta::Since(const Location& at) {
  return at.line > 0 ? StrCat(" of ", at.line, ":", at.column) : std::string(" that is waited for");
}

absl::Status Cta::Complete(const Product& product, Participants threads) {
  LoadOptions options = ReadOptions(threads);
  ValuePtr values[2];
  for (size_t k = 0; k < 2; ++k) {
    KILN_ASSIGN_OR_RETURN(values[k], LoadView(product.operands[k], options));
    if (!Same(*values[k], *product.values[k])) {
      return absl::FailedPreconditionError(StrCat("\"", product.operands[k].storage->name,
                                                  "\" has changed before the wait for the product that reads it"));
    }
  }
  ClearInFlight(product.target);
  options.check_uninitialized = false;
  KILN_ASSIGN_OR_RETURN(ValuePtr acc, LoadView(product.target, options));
  KILN_ASSIGN_OR_RETURN(ValuePtr result, Gemm(*acc, *values[0], *values[1], product.form));
  return StoreView(product.target, *result);
}

}  // namespace kiln::interp
