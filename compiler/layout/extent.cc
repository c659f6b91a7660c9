#include "compiler/layout/extent.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace kiln::layout {
namespace {

// Past these a polynomial counts as overflowed: no size of a kernel comes near, and products stay quick.
constexpr size_t kMaxTerms = 64;
constexpr size_t kMaxDegree = 16;

// The greatest term by degree, then by name: an order that products keep, as long division needs.
Extent::Terms::const_iterator LeadingTerm(const Extent::Terms& terms) {
  auto lead = terms.begin();
  for (auto it = terms.begin(); it != terms.end(); ++it) {
    if (it->first.size() > lead->first.size()) lead = it;
  }
  return lead;
}

}  // namespace

Extent Extent::Symbol(std::string_view name) { return FromTerms({{{std::string(name)}, 1}}); }

Extent::Terms Extent::AsTerms() const {
  if (terms_ != nullptr) return *terms_;
  if (value_ == 0) return {};
  return {{{}, value_}};
}

Extent Extent::FromTerms(Terms terms) {
  for (auto it = terms.begin(); it != terms.end();) {
    if (it->first.size() > kMaxDegree) return Overflow();
    it = it->second == 0 ? terms.erase(it) : std::next(it);
  }
  if (terms.size() > kMaxTerms) return Overflow();
  if (terms.empty()) return Extent(0);
  if (terms.size() == 1 && terms.begin()->first.empty()) return Extent(terms.begin()->second);
  Extent result;
  result.terms_ = std::make_shared<const Terms>(std::move(terms));
  return result;
}

Extent Extent::operator+(const Extent& other) const {
  if (overflowed() || other.overflowed()) return Overflow();
  if (terms_ == nullptr && other.terms_ == nullptr) {
    int64_t sum;
    return __builtin_add_overflow(value_, other.value_, &sum) ? Overflow() : Extent(sum);
  }
  Terms terms = AsTerms();
  for (const auto& [symbols, coefficient] : other.AsTerms()) {
    int64_t& mine = terms[symbols];
    if (__builtin_add_overflow(mine, coefficient, &mine)) return Overflow();
  }
  return FromTerms(std::move(terms));
}

Extent Extent::operator-(const Extent& other) const { return *this + other * Extent(-1); }

Extent Extent::operator*(const Extent& other) const {
  if (overflowed() || other.overflowed()) return Overflow();
  if (terms_ == nullptr && other.terms_ == nullptr) {
    int64_t product;
    return __builtin_mul_overflow(value_, other.value_, &product) ? Overflow() : Extent(product);
  }
  Terms terms;
  const Terms theirs = other.AsTerms();
  for (const auto& [symbols, coefficient] : AsTerms()) {
    for (const auto& [other_symbols, other_coefficient] : theirs) {
      std::vector<std::string> merged;
      std::merge(symbols.begin(), symbols.end(), other_symbols.begin(), other_symbols.end(),
                 std::back_inserter(merged));
      int64_t product;
      if (__builtin_mul_overflow(coefficient, other_coefficient, &product)) return Overflow();
      int64_t& sum = terms[merged];
      if (__builtin_add_overflow(sum, product, &sum)) return Overflow();
    }
  }
  return FromTerms(std::move(terms));
}

bool Extent::operator==(const Extent& other) const {
  if (terms_ == nullptr || other.terms_ == nullptr) {
    return terms_ == nullptr && other.terms_ == nullptr && value_ == other.value_;
  }
  return terms_ == other.terms_ || *terms_ == *other.terms_;
}

std::optional<Extent> Extent::DividedBy(const Extent& divisor) const {
  if (overflowed() || divisor.overflowed() || divisor.Is(0)) return std::nullopt;
  if (terms_ == nullptr && divisor.terms_ == nullptr) {
    if (divisor.value_ == -1) return *this * divisor;
    if (value_ % divisor.value_ != 0) return std::nullopt;
    return Extent(value_ / divisor.value_);
  }
  // Long division by the divisor's greatest term; exact or refused.
  const Terms by = divisor.AsTerms();
  const auto& [lead_symbols, lead_coefficient] = *LeadingTerm(by);
  Extent rest = *this;
  Extent quotient = 0;
  for (size_t step = 0; !rest.Is(0); ++step) {
    if (step > 64 || rest.overflowed()) return std::nullopt;
    const Terms mine = rest.AsTerms();
    const auto& [symbols, coefficient] = *LeadingTerm(mine);
    if (coefficient % lead_coefficient != 0) return std::nullopt;
    if (!std::includes(symbols.begin(), symbols.end(), lead_symbols.begin(), lead_symbols.end())) return std::nullopt;
    std::vector<std::string> left;
    std::set_difference(symbols.begin(), symbols.end(), lead_symbols.begin(), lead_symbols.end(),
                        std::back_inserter(left));
    const Extent term = FromTerms({{left, coefficient / lead_coefficient}});
    quotient += term;
    rest = rest - term * divisor;
  }
  return quotient;
}

bool Extent::ProvablyAtLeast(const Extent& other) const {
  const Extent difference = *this - other;
  if (difference.overflowed()) return false;
  if (difference.is_constant()) return difference.value_ >= 0;
  // With every symbol at least 1, a difference whose symbolic coefficients are positive is least at all ones.
  int64_t at_ones = 0;
  for (const auto& [symbols, coefficient] : *difference.terms_) {
    if (!symbols.empty() && coefficient < 0) return false;
    if (__builtin_add_overflow(at_ones, coefficient, &at_ones)) return false;
  }
  return at_ones >= 0;
}

int64_t Extent::Content() const {
  if (overflowed()) return 1;
  int64_t content = 0;
  for (const auto& [symbols, coefficient] : AsTerms()) content = std::gcd(content, coefficient);
  return content;
}

Extent Extent::Substitute(const std::map<std::string, int64_t>& values) const {
  if (terms_ == nullptr) return *this;
  Extent sum = 0;
  for (const auto& [symbols, coefficient] : *terms_) {
    Extent product = coefficient;
    for (const std::string& symbol : symbols) {
      const auto it = values.find(symbol);
      product *= it == values.end() ? Symbol(symbol) : Extent(it->second);
    }
    sum += product;
  }
  return sum;
}

bool Extent::operator<(const Extent& other) const {
  if (terms_ == nullptr && other.terms_ == nullptr) return value_ < other.value_;
  if (terms_ == nullptr || other.terms_ == nullptr) return terms_ == nullptr;
  return *terms_ < *other.terms_;
}

std::string Extent::ToString() const {
  if (overflowed()) return "overflow";
  if (terms_ == nullptr) return absl::StrCat(value_);
  std::string text;
  // Greatest term first, so that the constant comes last.
  for (auto it = terms_->rbegin(); it != terms_->rend(); ++it) {
    const auto& [symbols, coefficient] = *it;
    const bool negative = coefficient < 0;
    if (!text.empty()) {
      absl::StrAppend(&text, negative ? " - " : " + ");
    } else if (negative) {
      absl::StrAppend(&text, "-");
    }
    const uint64_t magnitude = negative ? -static_cast<uint64_t>(coefficient) : static_cast<uint64_t>(coefficient);
    if (symbols.empty()) {
      absl::StrAppend(&text, magnitude);
    } else if (magnitude == 1) {
      absl::StrAppend(&text, absl::StrJoin(symbols, "*"));
    } else {
      absl::StrAppend(&text, magnitude, "*", absl::StrJoin(symbols, "*"));
    }
  }
  return text;
}

std::string Extent::ToFactorString() const {
  if (terms_ != nullptr && terms_->size() > 1) return absl::StrCat("(", ToString(), ")");
  return ToString();
}

Extent Product(const Shape& shape) {
  Extent product = 1;
  for (const Extent& dim : shape) product *= dim;
  return product;
}

Shape ToShape(const std::vector<int64_t>& shape) { return Shape(shape.begin(), shape.end()); }

std::string ToString(const Shape& shape) {
  return absl::StrCat(
      "(",
      absl::StrJoin(shape, ", ", [](std::string* out, const Extent& dim) { absl::StrAppend(out, dim.ToString()); }),
      ")");
}

}  // namespace kiln::layout
