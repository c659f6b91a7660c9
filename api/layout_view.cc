#include "api/layout_view.h"

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/evaluate.h"
#include "compiler/layout/parse.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {

absl::StatusOr<LayoutView> ViewLayout(std::string_view text, const std::vector<int64_t>& shape,
                                      const std::vector<int64_t>& at) {
  KILN_ASSIGN_OR_RETURN(const layout::Layout parsed, layout::Parse(text));
  KILN_ASSIGN_OR_RETURN(const layout::Layout canonical, layout::Canonicalize(parsed, layout::AxisTable::Cuda()));
  LayoutView view;
  view.layout = layout::ToString(parsed);
  view.canonical = layout::ToString(canonical);
  if (at.empty()) return view;
  // Of the layout as it was written: the canonical form may name other thread axes.
  KILN_ASSIGN_OR_RETURN(const std::vector<layout::Point> points,
                        shape.empty() ? layout::Apply(parsed, at) : layout::Apply(parsed, at, shape));
  for (const layout::Point& point : points) {
    std::map<std::string, int64_t>& place = view.places.emplace_back();
    for (const auto& [axis, value] : point) place[std::string(layout::Name(axis))] = value;
  }
  return view;
}

}  // namespace kiln::api
