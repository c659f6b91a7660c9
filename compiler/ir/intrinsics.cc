#include "compiler/ir/intrinsics.h"

#include <algorithm>
#include <array>

#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

constexpr std::array kIntrinsics = {
#define KILN_INTRINSIC(id, name, operands, effect, feature, doc) \
  IntrinsicInfo{Intrinsic::id, name, operands, effect, feature, doc},
#include "compiler/ir/intrinsics.inc"
#undef KILN_INTRINSIC
};

size_t FewestArguments(const IntrinsicInfo& info) {
  return info.operands.size() + static_cast<size_t>(std::count(info.operands.begin(), info.operands.end(), 't'));
}
bool IsOpen(const IntrinsicInfo& info) { return info.operands.ends_with('*'); }
constexpr size_t kMoreArguments = 4;  // Than one, for a *

}  // namespace

const IntrinsicInfo* FindIntrinsic(std::string_view name) {
  auto it = std::find_if(kIntrinsics.begin(), kIntrinsics.end(), [&](const auto& info) { return info.name == name; });
  return it == kIntrinsics.end() ? nullptr : &*it;
}

bool TakesArguments(const IntrinsicInfo& info, size_t count) {
  const size_t fewest = FewestArguments(info);
  return count >= fewest && count <= fewest + (IsOpen(info) ? kMoreArguments : 0);
}

std::string ArgumentsTaken(const IntrinsicInfo& info) {
  const size_t fewest = FewestArguments(info);
  return IsOpen(info) ? StrCat(fewest, " to ", fewest + kMoreArguments) : StrCat(fewest);
}

}  // namespace kiln::ir
