// Native intrinsics: what lowered kernels, and `.kiln` text at the native level, call by name. One row each in
// intrinsics.inc.
#ifndef KILN_COMPILER_IR_INTRINSICS_H_
#define KILN_COMPILER_IR_INTRINSICS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::ir {

enum class Intrinsic {
#define KILN_INTRINSIC(id, name, operands, effect, feature, doc) id,
#include "compiler/ir/intrinsics.inc"
#undef KILN_INTRINSIC
};

struct IntrinsicInfo {
  Intrinsic id;
  std::string_view name;
  // One letter an operand: t a tensor followed by its element index (two arguments), m a tensor map, i an integer, c an
  // integer constant, f a scalar value of any type, b a bool. A last * stands for one to five integers.
  std::string_view operands;
  // '-' pure value, 'w' writes memory it is given, 's' synchronizes, 'a' asynchronous.
  char effect;
  std::string_view feature;  // Of the target; empty = every target
  std::string_view doc;
};

// Null when there is none of that name.
const IntrinsicInfo* FindIntrinsic(std::string_view name);

// Whether a call may have `count` arguments.
bool TakesArguments(const IntrinsicInfo& info, size_t count);
// "3", or "4 to 8".
std::string ArgumentsTaken(const IntrinsicInfo& info);
// "(tensor, index, constant, bool)": what each argument is.
std::string ArgumentForms(const IntrinsicInfo& info);
// What is wrong with the constant `value` as argument `argument`, counted from 0, as the values that it takes:
// "1, 2 or 4"; empty where nothing is.
std::string ConstantsTaken(Intrinsic id, size_t argument, int64_t value);
// "tma (sm_90a, sm_100a, sm_120a)": the feature, and the shipped targets that have it.
std::string FeatureNeeded(const IntrinsicInfo& info);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_INTRINSICS_H_
