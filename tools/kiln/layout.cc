// `kiln layout`: reads a layout, says where an element of it is.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "api/layout_view.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/report.h"

namespace kiln::tool {

int Layout(const LayoutFlags& flags) {
  const absl::StatusOr<api::LayoutView> view = api::ViewLayout(flags.layout, flags.shape, flags.at);
  if (!view.ok()) return Fail(view.status());
  if (flags.json) {
    const nlohmann::ordered_json json = {
        {"layout", view->layout}, {"canonical", view->canonical}, {"places", view->places}};
    Print(json.dump() + "\n");
    return kDone;
  }
  Print(absl::StrCat("layout     ", view->layout, "\ncanonical  ", view->canonical, "\n"));
  for (const auto& place : view->places)
    Print(absl::StrCat("(", absl::StrJoin(flags.at, ","), ")  ",
                       place.empty() ? "0 on every axis" : absl::StrJoin(place, " ", absl::PairFormatter("=")), "\n"));
  return kDone;
}

}  // namespace kiln::tool
