#include "compiler/codegen/llvm/function_text.h"

#include <bit>

#include "absl/strings/str_format.h"

namespace kiln::llvm_text {
namespace {

std::string Splat(const std::string& element, absl::string_view scalar, int lanes) {
  if (lanes == 1) return element;
  std::string text = "<";
  for (int i = 0; i < lanes; ++i) absl::StrAppend(&text, i ? ", " : "", scalar, " ", element);
  return text + ">";
}

// LLVM's names take letters, digits and "-$._"; kernels' names are such already, except for what hints add.
std::string Sanitized(absl::string_view hint) {
  std::string name(hint);
  for (char& c : name) {
    bool legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (!legal) c = '_';
  }
  // Temporaries begin with a dot, unnamed values with a digit.
  if (name.empty() || name[0] == '.' || (name[0] >= '0' && name[0] <= '9')) name.insert(0, "_");
  return name;
}

}  // namespace

std::string VectorType(absl::string_view scalar, int lanes) {
  return lanes == 1 ? std::string(scalar) : absl::StrCat("<", lanes, " x ", scalar, ">");
}

std::string FloatConstant(double value, absl::string_view scalar, int lanes) {
  if (scalar == "float") value = static_cast<float>(value);
  return Splat(absl::StrFormat("0x%016X", std::bit_cast<uint64_t>(value)), scalar, lanes);
}

std::string IntConstant(int64_t value, absl::string_view scalar, int lanes) {
  if (lanes > 1 && value == 0) return "zeroinitializer";
  return Splat(absl::StrCat(value), scalar, lanes);
}

std::string FunctionText::Unique(absl::string_view hint) {
  std::string name = Sanitized(hint);
  while (true) {
    int& count = taken_[name];
    if (count++ == 0) return "%" + name;
    name = absl::StrCat(Sanitized(hint), ".", count - 1);
    if (!taken_.contains(name)) {
      taken_[name] = 1;
      return "%" + name;
    }
    name = Sanitized(hint);
  }
}

std::string FunctionText::NewLabel(absl::string_view hint) { return Unique(hint).substr(1); }

void FunctionText::StartBlock(const std::string& label) {
  if (!ended_) Branch(label);
  absl::StrAppend(&body_, label, ":\n");
  block_ = label;
  ended_ = false;
}

void FunctionText::Branch(const std::string& label, absl::string_view metadata) {
  if (!ended_) Line("br label %", label, metadata);
  ended_ = true;
}

void FunctionText::BranchIf(absl::string_view condition, const std::string& if_true, const std::string& if_false) {
  if (!ended_) Line("br i1 ", condition, ", label %", if_true, ", label %", if_false);
  ended_ = true;
}

void FunctionText::Return(absl::string_view value) {
  if (!ended_) Line("ret ", value);
  ended_ = true;
}

std::string FunctionText::Alloca(absl::string_view hint, absl::string_view type, int64_t align) {
  std::string name = Unique(hint);
  absl::StrAppend(&allocas_, "  ", name, " = alloca ", type, ", align ", align, "\n");
  return name;
}

std::string FunctionText::Finish() const { return absl::StrCat("entry:\n", allocas_, body_); }

}  // namespace kiln::llvm_text
