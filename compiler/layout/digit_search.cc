#include "compiler/layout/digit_search.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/layout/extent.h"

namespace kiln::layout {
namespace {

constexpr int64_t kReach = int64_t{1} << 61;

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
int64_t CeilDiv(int64_t a, int64_t b) { return -FloorDiv(-a, b); }

class Search {
 public:
  Search(std::vector<Term> terms, int64_t& budget) : terms_(std::move(terms)), budget_(budget) {
    least_.assign(terms_.size() + 1, 0);
    most_.assign(terms_.size() + 1, 0);
    divisor_.assign(terms_.size() + 1, 0);
    digits_.assign(terms_.size(), 0);
    for (size_t i = terms_.size(); i-- > 0;) {
      const Term& term = terms_[i];
      const int64_t ends[] = {term.stride * term.low, term.stride * term.high};
      least_[i] = least_[i + 1] + std::min(ends[0], ends[1]);
      most_[i] = most_[i + 1] + std::max(ends[0], ends[1]);
      divisor_[i] = std::gcd(divisor_[i + 1], term.stride);
    }
  }

  Decision Run(size_t at, int64_t target) {
    if (target < least_[at] || target > most_[at]) return Decision::kNo;
    if (at == terms_.size()) return Decision::kYes;
    if (divisor_[at] == 0 ? target != 0 : target % divisor_[at] != 0) return Decision::kNo;
    const Term& term = terms_[at];
    int64_t low = term.low;
    int64_t high = term.high;
    if (term.stride != 0) {
      // What the rest can make up bounds this digit.
      int64_t from = target - most_[at + 1];
      int64_t to = target - least_[at + 1];
      if (term.stride < 0) std::swap(from, to);
      low = std::max(low, CeilDiv(from, term.stride));
      high = std::min(high, FloorDiv(to, term.stride));
    } else {
      high = low;
    }
    for (int64_t digit = low; digit <= high; ++digit) {
      if (--budget_ < 0) return Decision::kUnknown;
      digits_[at] = digit;
      const Decision decision = Run(at + 1, target - digit * term.stride);
      if (decision != Decision::kNo) return decision;
    }
    return Decision::kNo;
  }

  const std::vector<int64_t>& digits() const { return digits_; }

 private:
  std::vector<Term> terms_;
  int64_t& budget_;
  std::vector<int64_t> least_;
  std::vector<int64_t> most_;
  std::vector<int64_t> divisor_;
  std::vector<int64_t> digits_;
};

}  // namespace

DigitSolution SolveDigits(const std::vector<Term>& terms, int64_t target, int64_t& budget) {
  Extent reach = target < 0 ? Extent(0) - target : Extent(target);
  for (const Term& term : terms) {
    const Extent stride = term.stride < 0 ? Extent(0) - term.stride : Extent(term.stride);
    reach += stride * std::max(std::max(term.high, -term.high), std::max(term.low, -term.low));
  }
  DigitSolution solution;
  if (reach.overflowed() || reach.constant() > kReach) return solution;
  std::vector<size_t> order(terms.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&terms](size_t a, size_t b) {
    return std::pair(-std::abs(terms[a].stride), a) < std::pair(-std::abs(terms[b].stride), b);
  });
  std::vector<Term> sorted;
  for (const size_t i : order) sorted.push_back(terms[i]);
  Search search(std::move(sorted), budget);
  solution.decision = search.Run(0, target);
  if (solution.decision == Decision::kYes) {
    solution.digits.resize(terms.size());
    for (size_t i = 0; i < order.size(); ++i) solution.digits[order[i]] = search.digits()[i];
  }
  return solution;
}

}  // namespace kiln::layout
