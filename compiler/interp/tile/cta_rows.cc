// Gather and scatter of rows by an index tile.
#include <utility>

#include "compiler/interp/tile/cta.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {

// dst[i, :] = table[index[i], :], rows of an index outside the table reading zero.
absl::Status Cta::ExecuteGather(const Expr& e, Evaluator& evaluator, const Asking* asking) {
  KILN_RETURN_IF_ERROR(ExpectOperands(e, 3));
  KILN_ASSIGN_OR_RETURN(View target, evaluator.EvalView(e->args[0]));
  KILN_ASSIGN_OR_RETURN(View table, evaluator.EvalView(e->args[1]));
  KILN_ASSIGN_OR_RETURN(ValuePtr index, evaluator.Eval(e->args[2]));
  if (target.dims.empty() || table.dims.size() != target.dims.size() || index->shape != Shape{target.dims[0].extent}) {
    return absl::InvalidArgumentError(StrCat("gather: ", ShapeText(table.shape()), " by ", ShapeText(index->shape),
                                             " does not give ", ShapeText(target.shape())));
  }
  for (int64_t row = 0; row < target.dims[0].extent; ++row) {
    if (row < target.dims[0].valid_begin || row >= target.dims[0].valid_end) continue;
    int64_t from = index->data[static_cast<size_t>(row)].i;
    KILN_ASSIGN_OR_RETURN(View to_row, SubscriptOf(target, {{SubscriptItem::Kind::kIndex, row, 0}}));
    // A slice, which reads zero where an index would be an error.
    KILN_ASSIGN_OR_RETURN(View from_row, SubscriptOf(table, {{SubscriptItem::Kind::kSlice, from, 1}}));
    LoadOptions options = ReadOptions(acting_);
    KILN_ASSIGN_OR_RETURN(ValuePtr value, LoadView(from_row, options));
    Value row_value = *value;
    row_value.shape.erase(row_value.shape.begin());
    KILN_RETURN_IF_ERROR(StoreView(to_row, row_value, asking));
  }
  return absl::OkStatus();
}

// table[index[i], :] = src[i, :], rows of an index outside the table being dropped.
absl::Status Cta::ExecuteScatter(const Expr& e, Evaluator& evaluator) {
  KILN_RETURN_IF_ERROR(ExpectOperands(e, 3));
  KILN_ASSIGN_OR_RETURN(View table, evaluator.EvalView(e->args[0]));
  KILN_ASSIGN_OR_RETURN(ValuePtr index, evaluator.Eval(e->args[1]));
  KILN_ASSIGN_OR_RETURN(View source, evaluator.EvalView(e->args[2]));
  if (source.dims.empty() || table.dims.size() != source.dims.size() || index->shape != Shape{source.dims[0].extent}) {
    return absl::InvalidArgumentError(StrCat("scatter: ", ShapeText(source.shape()), " by ", ShapeText(index->shape),
                                             " into ", ShapeText(table.shape())));
  }
  LoadOptions options = ReadOptions(acting_);
  KILN_ASSIGN_OR_RETURN(ValuePtr rows, LoadView(source, options));
  int64_t width = ElementCount(absl::MakeConstSpan(rows->shape).subspan(1));
  for (int64_t row = 0; row < source.dims[0].extent; ++row) {
    if (row < source.dims[0].valid_begin || row >= source.dims[0].valid_end) continue;
    Value value;
    value.dtype = rows->dtype;
    value.shape.assign(rows->shape.begin(), rows->shape.end());
    value.shape[0] = 1;
    value.data.assign(rows->data.begin() + row * width, rows->data.begin() + (row + 1) * width);
    SubscriptItem slice{SubscriptItem::Kind::kSlice, index->data[static_cast<size_t>(row)].i, 1};
    KILN_ASSIGN_OR_RETURN(View to_row, SubscriptOf(table, {slice}));
    KILN_RETURN_IF_ERROR(StoreView(to_row, value));
  }
  return absl::OkStatus();
}

}  // namespace kiln::interp
