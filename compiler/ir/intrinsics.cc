#include "compiler/ir/intrinsics.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

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

// Constants that select an instruction: those listed, or first to last in steps.
struct ConstantRow {
  Intrinsic id;
  size_t argument;
  std::array<int64_t, 4> listed;  // Unused ones repeat the last; all zero where the range counts
  int64_t first = 0, last = 0, step = 1;
};
constexpr ConstantRow kConstants[] = {
    {Intrinsic::kLdMatrix, 4, {1, 2, 4, 4}},
    {Intrinsic::kStMatrix, 4, {1, 2, 4, 4}},
    {Intrinsic::kCpAsync, 4, {4, 8, 16, 16}},
    {Intrinsic::kMma, 6, {4, 8, 16, 32}},
    {Intrinsic::kWgmma, 6, {}, 8, 256, 8},
    {Intrinsic::kWgmma, 9, {0, 32, 64, 128}},
    {Intrinsic::kWgmma, 13, {0, 32, 64, 128}},
    {Intrinsic::kShflXor, 1, {}, 1, 31},
    {Intrinsic::kNamedBarrier, 0, {}, 1, 15},
    {Intrinsic::kNamedBarrier, 1, {}, 32, 1024, 32},
    {Intrinsic::kSetMaxRegisters, 0, {}, 24, 240, 8},
    {Intrinsic::kMBarrierInit, 2, {}, 1, (1 << 20) - 1},
    {Intrinsic::kCpAsyncWait, 0, {}, 0, 63},
    {Intrinsic::kBulkWait, 0, {}, 0, 63},
    {Intrinsic::kBulkWaitRead, 0, {}, 0, 63},
    {Intrinsic::kWgmmaWait, 0, {}, 0, 7},
};

// As compiler/targets has them; a test compares the two.
constexpr std::pair<std::string_view, std::string_view> kFeatures[] = {
    {"async_barrier", "sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a"},
    {"cluster", "sm_90a, sm_100a, sm_120a"},
    {"cp_async", "sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a"},
    {"cpu", "cpu"},
    {"cuda", "sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a"},
    {"ldmatrix", "sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a"},
    {"mma", "sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a"},
    {"setmaxnreg", "sm_90a, sm_100a, sm_120a"},
    {"stmatrix", "sm_90a, sm_100a, sm_120a"},
    {"tma", "sm_90a, sm_100a, sm_120a"},
    {"wgmma", "sm_90a"},
};

std::string_view FormOf(char operand) {
  switch (operand) {
    case 't':
      return "tensor, index";
    case 'm':
      return "tensor map";
    case 'i':
      return "integer";
    case 'c':
      return "constant";
    case 'b':
      return "bool";
    case '*':
      return "one to five integers";
    default:
      return "value";
  }
}

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

std::string ArgumentForms(const IntrinsicInfo& info) {
  std::string text;
  for (char operand : info.operands) StrAppend(&text, text.empty() ? "" : ", ", FormOf(operand));
  return StrCat("(", text, ")");
}

std::string ConstantsTaken(Intrinsic id, size_t argument, int64_t value) {
  for (const ConstantRow& row : kConstants) {
    if (row.id != id || row.argument != argument) continue;
    if (row.last > 0) {
      if (value >= row.first && value <= row.last && (value - row.first) % row.step == 0) return "";
      return StrCat(row.first, " to ", row.last, row.step > 1 ? StrCat(" in steps of ", row.step) : std::string());
    }
    if (std::find(row.listed.begin(), row.listed.end(), value) != row.listed.end()) return "";
    const size_t count = row.listed[2] == row.listed[3] ? 3 : 4;
    std::string text = StrCat(row.listed[0]);
    for (size_t i = 1; i < count; ++i) StrAppend(&text, i + 1 == count ? " or " : ", ", row.listed[i]);
    return text;
  }
  return "";
}

std::string FeatureNeeded(const IntrinsicInfo& info) {
  for (const auto& [feature, targets] : kFeatures)
    if (feature == info.feature) return feature == targets ? std::string(feature) : StrCat(feature, " (", targets, ")");
  return std::string(info.feature);
}

}  // namespace kiln::ir
