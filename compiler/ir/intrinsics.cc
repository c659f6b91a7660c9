#include "compiler/ir/intrinsics.h"

#include <algorithm>
#include <array>

namespace kiln::ir {
namespace {

constexpr std::array kIntrinsics = {
#define KILN_INTRINSIC(id, name, operands, effect, feature, doc) \
  IntrinsicInfo{Intrinsic::id, name, operands, effect, feature, doc},
#include "compiler/ir/intrinsics.inc"
#undef KILN_INTRINSIC
};

}  // namespace

const IntrinsicInfo* FindIntrinsic(std::string_view name) {
  auto it = std::find_if(kIntrinsics.begin(), kIntrinsics.end(), [&](const auto& info) { return info.name == name; });
  return it == kIntrinsics.end() ? nullptr : &*it;
}

}  // namespace kiln::ir
