#include "compiler/codegen/cuda/names.h"

#include <cctype>
#include <string_view>

#include "compiler/codegen/cuda/prelude.h"

namespace kiln::cuda {
namespace {

// C++ keywords, CUDA's own words and types, and the functions that are there without any header.
const std::set<std::string_view>& Reserved() {
  static const auto* const kWords = new std::set<std::string_view>{
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
      "class", "compl", "concept", "const", "const_cast", "constexpr", "continue", "decltype", "default", "delete",
      "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend",
      "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
      "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return",
      "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
      "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual",
      "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      // CUDA
      "arena", "blockDim", "blockIdx", "clock", "dim3", "double2", "float2", "float4", "gridDim", "int2", "int4",
      "longlong2", "main", "printf", "threadIdx", "uint2", "uint4", "ulonglong2", "warpSize",
      // Device functions
      "abs", "acos", "acosf", "all", "any", "asin", "atan", "atan2", "atomicAdd", "atomicCAS", "atomicMax", "atomicMin",
      "cbrt", "ceil", "ceilf", "cos", "cosf", "cosh", "erf", "erfc", "erff", "exp", "exp10", "exp2", "exp2f", "expf",
      "expm1", "fabs", "fabsf", "floor", "floorf", "fma", "fmaf", "fmax", "fmaxf", "fmin", "fminf", "fmod", "free",
      "frexp", "hypot", "isfinite", "isinf", "isnan", "j0", "j1", "jn", "ldexp", "log", "log10", "log1p", "log2",
      "log2f", "logb", "logf", "malloc", "max", "memcpy", "memset", "min", "modf", "norm", "pow", "powf", "remainder",
      "rint", "rintf", "round", "rsqrt", "rsqrtf", "signbit", "sin", "sincos", "sinf", "sinh", "sqrt", "sqrtf", "tan",
      "tanf", "tanh", "tanhf", "tgamma", "trunc", "y0", "y1", "yn"};
  return *kWords;
}

std::string Identifier(const std::string& name) {
  std::string identifier;
  for (char c : name) identifier += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (identifier.empty() || std::isdigit(static_cast<unsigned char>(identifier[0]))) identifier.insert(0, "v");
  return identifier;
}

bool Owned(const std::string& identifier) {
  return Reserved().count(identifier) || Prelude::Defines(identifier) || identifier.rfind("__", 0) == 0;
}

}  // namespace

const std::string& Names::Of(const std::string& name) {
  auto [it, is_new] = names_.try_emplace(name);
  if (is_new) {
    it->second = Identifier(name);
    if (it->second.rfind("__", 0) == 0) it->second.insert(0, "v");
    while (Owned(it->second) || !taken_.insert(it->second).second) it->second += '_';
  }
  return it->second;
}

}  // namespace kiln::cuda
