#include "compiler/rules/matrix_fragments.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace kiln {
namespace {

constexpr int64_t kLanes = 32;

// Every digit with its dimension; thread ids become lanes and, above them, whole warps.
std::vector<PlacedDigit> Digits(const Distribution& distribution) {
  std::vector<PlacedDigit> out;
  for (size_t dim = 0; dim < distribution.dims.size(); ++dim) {
    for (Digit digit : distribution.dims[dim]) {
      if (digit.axis == DigitAxis::kThread && digit.stride < kLanes) {
        const int64_t lanes = std::min(digit.extent, kLanes / digit.stride);
        if (digit.extent > lanes)
          out.push_back({dim, {digit.extent / lanes, digit.weight * lanes, kLanes, DigitAxis::kThread}});
        digit.extent = lanes;
        digit.axis = DigitAxis::kLane;
      }
      out.push_back({dim, digit});
    }
  }
  return out;
}

bool Take(std::vector<PlacedDigit>& digits, size_t dim, const Digit& wanted) {
  auto it = std::find_if(digits.begin(), digits.end(),
                         [&](const PlacedDigit& d) { return d.dim == dim && d.digit == wanted; });
  if (it == digits.end()) return false;
  digits.erase(it);
  return true;
}

// Splits slot digits, the fastest first, into those over `count` matrices and the rest.
bool Split(const std::vector<PlacedDigit>& slots, int64_t count, MatrixFragments& out) {
  out.count = count;
  out.matrices.clear();
  out.loops.clear();
  for (const PlacedDigit& placed : slots) {
    const Digit& digit = placed.digit;
    const int64_t inner = std::min(count, digit.extent);
    if (count % inner != 0 || digit.extent % inner != 0) return false;
    if (inner > 1) out.matrices.push_back({placed.dim, {inner, digit.weight, digit.stride, digit.axis}});
    if (digit.extent > inner)
      out.loops.push_back({placed.dim, {digit.extent / inner, digit.weight * inner, digit.stride * inner, digit.axis}});
    count /= inner;
  }
  return count == 1;
}

}  // namespace

std::optional<MatrixFragments> MatrixFragmentsOf(const Distribution& distribution, std::string* why) {
  auto no = [&](std::string reason) {
    if (why) *why = std::move(reason);
    return std::nullopt;
  };
  const size_t rank = distribution.dims.size();
  if (rank < 2) return no("the tile has no rows");
  MatrixFragments out;
  std::vector<PlacedDigit> rest;
  bool found = false;
  for (bool transposed : {false, true}) {
    const size_t along = transposed ? rank - 2 : rank - 1, across = transposed ? rank - 1 : rank - 2;
    rest = Digits(distribution);
    found = Take(rest, along, {2, 1, 1, DigitAxis::kSlot}) && Take(rest, along, {4, 2, 1, DigitAxis::kLane}) &&
            Take(rest, across, {8, 1, 4, DigitAxis::kLane});
    out.transposed = transposed;
    if (found) break;
  }
  if (!found) return no("the register tile is not made of 8 x 8 fragments");
  std::vector<PlacedDigit> slots;
  for (const PlacedDigit& placed : rest) {
    if (placed.digit.axis == DigitAxis::kLane) return no("the register tile is not made of 8 x 8 fragments");
    (placed.digit.axis == DigitAxis::kSlot ? slots : out.threads).push_back(placed);
  }
  std::sort(slots.begin(), slots.end(),
            [](const PlacedDigit& a, const PlacedDigit& b) { return a.digit.stride < b.digit.stride; });
  int64_t next = 2;
  for (const PlacedDigit& placed : slots) {
    if (placed.digit.stride != next)
      return no(absl::StrCat("its registers have a gap before slot ", placed.digit.stride));
    next *= placed.digit.extent;
  }
  for (int64_t count : {4, 2, 1})
    if (Split(slots, count, out)) break;
  return out;
}

}  // namespace kiln
