// A layout as text, looked at: its canonical form, and where an element of it is.
#ifndef KILN_API_LAYOUT_VIEW_H_
#define KILN_API_LAYOUT_VIEW_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace kiln::api {

struct LayoutView {
  std::string layout;
  std::string canonical;
  // Of the element asked for, by axis; one a replica.
  std::vector<std::map<std::string, int64_t>> places;
};

// `shape` may be empty: `at` is then a linear index, or one number a shard iter. `at` may be empty: no element.
// InvalidArgument: the layout does not parse, does not admit the shape, or has no such element.
absl::StatusOr<LayoutView> ViewLayout(std::string_view text, const std::vector<int64_t>& shape,
                                      const std::vector<int64_t>& at);

}  // namespace kiln::api

#endif  // KILN_API_LAYOUT_VIEW_H_
