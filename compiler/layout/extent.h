// The integers of a layout: constants, or polynomials over named symbols with integer coefficients.
//
// Symbols stand for positive integers (run-time sizes). A constant costs no allocation. Arithmetic that leaves 64 bits
// gives an overflowed value, which every later operation keeps and every layout constructor refuses.
#ifndef KILN_COMPILER_LAYOUT_EXTENT_H_
#define KILN_COMPILER_LAYOUT_EXTENT_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::layout {

class Extent {
 public:
  // From a symbol product (sorted names, repeated for powers) to its coefficient, never zero.
  using Terms = std::map<std::vector<std::string>, int64_t>;

  Extent() = default;
  Extent(int64_t constant) : value_(constant) {}  // NOLINT: an integer is an extent wherever one is asked for.
  static Extent Symbol(std::string_view name);
  static Extent Overflow() { return Extent(kOverflow); }

  bool is_constant() const { return terms_ == nullptr && value_ != kOverflow; }
  bool overflowed() const { return terms_ == nullptr && value_ == kOverflow; }
  // REQUIRES: is_constant().
  int64_t constant() const { return value_; }
  bool Is(int64_t constant) const { return terms_ == nullptr && value_ == constant; }

  Extent operator+(const Extent& other) const;
  Extent operator-(const Extent& other) const;
  Extent operator*(const Extent& other) const;
  Extent& operator*=(const Extent& other) { return *this = *this * other; }
  Extent& operator+=(const Extent& other) { return *this = *this + other; }
  bool operator==(const Extent& other) const;

  // The quotient, where the division is provably exact for every value of the symbols.
  std::optional<Extent> DividedBy(const Extent& divisor) const;

  // True only where *this >= other for every positive value of the symbols.
  bool ProvablyAtLeast(const Extent& other) const;

  // The largest constant that divides the value whatever the symbols are; 0 for zero.
  int64_t Content() const;

  // Symbols that `values` names replaced; the others stay.
  Extent Substitute(const std::map<std::string, int64_t>& values) const;

  // A total order for deterministic sorting; constants by value, before the others.
  bool operator<(const Extent& other) const;

  // `192*N`; a sum of several terms as `16*N + 3`.
  std::string ToString() const;
  // As ToString, a sum in parentheses.
  std::string ToFactorString() const;

 private:
  static constexpr int64_t kOverflow = std::numeric_limits<int64_t>::min();

  Terms AsTerms() const;
  static Extent FromTerms(Terms terms);

  int64_t value_ = 0;
  std::shared_ptr<const Terms> terms_;  // Null for a constant.
};

using Shape = std::vector<Extent>;

// The product of the dimensions.
Extent Product(const Shape& shape);
Shape ToShape(const std::vector<int64_t>& shape);
// `(8, 16)`.
std::string ToString(const Shape& shape);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_EXTENT_H_
