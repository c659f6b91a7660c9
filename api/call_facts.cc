// CallFacts, as Bind packed them, read again: for Specialize, for comparing, for people.
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "api/argument_errors.h"
#include "api/fact_words.h"
#include "api/signature.h"
#include "compiler/support/str_cat.h"

namespace kiln::api {
namespace {

constexpr int kFirstSymbolWord = 2;

SymbolBinding BindingOf(const Signature::Symbol& symbol, int64_t word) {
  SymbolBinding binding;
  if (symbol.policy == ir::SymbolPolicy::Kind::kBucket) {
    binding.max = word;
    return binding;
  }
  const SymbolWord fact = UnpackSymbol(word);
  binding.divisor = fact.divisor;
  if (symbol.policy == ir::SymbolPolicy::Kind::kMultipleOf)
    binding.divisor = std::lcm(binding.divisor, symbol.values.front());
  if (fact.wide) binding.max = INT64_MAX;
  return binding;
}

TensorBinding BindingOf(TensorWord word) {
  TensorBinding binding;
  binding.contiguous = word.contiguous;
  binding.unit_inner = word.unit_inner;
  binding.stride_divisor = int64_t{1} << word.log2_stride;
  binding.align = int64_t{1} << word.log2_align;
  return binding;
}

bool SymbolCovers(const Signature::Symbol& symbol, int64_t made, int64_t call) {
  switch (symbol.policy) {
    case ir::SymbolPolicy::Kind::kStatic:
      return made == call;
    case ir::SymbolPolicy::Kind::kBucket:
      return call <= made;
    default:
      return UnpackSymbol(call).divisor % UnpackSymbol(made).divisor == 0 &&
             (UnpackSymbol(made).wide || !UnpackSymbol(call).wide);
  }
}

bool TensorCovers(TensorWord made, TensorWord call) {
  if (call.log2_align < made.log2_align) return false;
  if (made.contiguous) return call.contiguous;
  if (made.unit_inner && !call.unit_inner) return false;
  // The strides of a contiguous tensor are not looked at, so nothing is known to divide them.
  return made.log2_stride == 0 || (!call.contiguous && call.log2_stride >= made.log2_stride);
}

std::string DescribeSymbol(const Signature::Symbol& symbol, int64_t word) {
  switch (symbol.policy) {
    case ir::SymbolPolicy::Kind::kStatic:
      return StrCat(symbol.name, " = ", word);
    case ir::SymbolPolicy::Kind::kBucket:
      return StrCat(symbol.name, " <= ", word);
    default:
      break;
  }
  const SymbolWord fact = UnpackSymbol(word);
  std::string text;
  if (fact.divisor != 1) StrAppend(&text, symbol.name, " a multiple of ", fact.divisor);
  if (fact.wide) StrAppend(&text, text.empty() ? "" : ", ", symbol.name, " over 2^31");
  return text;
}

std::string DescribeTensor(const std::string& name, TensorWord word) {
  std::string text = StrCat(name, word.contiguous ? " dense" : word.unit_inner ? " with dense rows" : " strided");
  if (word.log2_stride != 0) StrAppend(&text, ", strides multiples of ", 1 << word.log2_stride);
  StrAppend(&text, ", ", 1 << word.log2_align, "-byte aligned");
  return text;
}

}  // namespace

TensorWord Signature::TensorFact(const CallFacts& facts, int tensor) const {
  const uint64_t word = static_cast<uint64_t>(facts.words[kFirstSymbolWord + symbols_.size() + tensor / 4]);
  return UnpackTensor(static_cast<uint16_t>(word >> (16 * (tensor % 4))));
}

bool Signature::Covers(const CallFacts& made, const CallFacts& call) const {
  if (made.words[0] != call.words[0] || made.words[1] != call.words[1]) return false;
  for (size_t s = 0; s < symbols_.size(); ++s)
    if (!SymbolCovers(symbols_[s], made.words[kFirstSymbolWord + s], call.words[kFirstSymbolWord + s])) return false;
  int tensor = 0;
  for (const Parameter& param : params_) {
    if (!param.is_tensor) continue;
    if (!TensorCovers(TensorFact(made, tensor), TensorFact(call, tensor))) return false;
    ++tensor;
  }
  return true;
}

std::string Signature::Describe(const CallFacts& facts) const {
  std::vector<std::string> parts = {DeviceName(UnpackDevice(facts.words[0]))};
  for (size_t i = 0; i < dtype_params_.size(); ++i)
    parts.push_back(StrCat(dtype_params_[i].name, " = ", Name(static_cast<DType>(facts.words[1] >> (8 * i) & 0xff))));
  for (size_t s = 0; s < symbols_.size(); ++s)
    if (std::string text = DescribeSymbol(symbols_[s], facts.words[kFirstSymbolWord + s]); !text.empty())
      parts.push_back(std::move(text));
  int tensor = 0;
  for (const Parameter& param : params_)
    if (param.is_tensor) parts.push_back(DescribeTensor(param.name, TensorFact(facts, tensor++)));
  return absl::StrJoin(parts, "; ");
}

Bindings Signature::BindingsOf(const CallFacts& facts) const {
  Bindings bindings;
  bindings.ints = settings_;
  for (size_t i = 0; i < dtype_params_.size(); ++i)
    bindings.dtypes[dtype_params_[i].name] = static_cast<DType>(facts.words[1] >> (8 * i) & 0xff);
  for (size_t s = 0; s < symbols_.size(); ++s) {
    const int64_t word = facts.words[kFirstSymbolWord + s];
    if (symbols_[s].policy == ir::SymbolPolicy::Kind::kStatic) {
      bindings.ints[symbols_[s].name] = word;
    } else {
      bindings.symbols[symbols_[s].name] = BindingOf(symbols_[s], word);
    }
  }
  int tensor = 0;
  for (const Parameter& param : params_)
    if (param.is_tensor) bindings.tensors[param.name] = BindingOf(TensorFact(facts, tensor++));
  return bindings;
}

}  // namespace kiln::api
