// The laws of the algebra on generated layouts, against evaluation.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>
#include <vector>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/evaluate.h"
#include "compiler/layout/group.h"
#include "compiler/layout/injective.h"
#include "compiler/layout/inverse.h"
#include "compiler/layout/layout.h"
#include "compiler/layout/parse.h"
#include "compiler/layout/slice.h"
#include "compiler/layout/tile.h"

namespace kiln::layout {
namespace {

const AxisTable kNone = AxisTable::None();

int64_t Int(int64_t low, int64_t high) { return *rc::gen::inRange<int64_t>(low, high + 1); }

Iter AnyIter(int64_t max_extent, bool negative) {
  const Axis axis = *rc::gen::element(Axis::kM, Axis::kM, Axis::kLaneId, Axis::kWarpId);
  return {Int(1, max_extent), Int(negative ? -3 : 0, 12), axis};
}

TileLayout AnyTile(size_t max_rank, int64_t max_extent, bool negative = false) {
  std::vector<Iter> shard;
  const int64_t rank = Int(1, static_cast<int64_t>(max_rank));
  for (int64_t i = 0; i < rank; ++i) shard.push_back(AnyIter(max_extent, negative));
  std::vector<Iter> replica;
  if (Int(0, 3) == 0) replica.push_back(AnyIter(3, negative));
  Offset offset;
  if (Int(0, 2) == 0) offset[Axis::kM] = Int(0, 20);
  return TileLayout::Make(shard, replica, offset).value();
}

// The places of an index, zeros dropped: what two layouts agree on.
std::set<Point> Places(const Layout& layout, int64_t index) {
  std::set<Point> places;
  const std::vector<Point> points = Apply(layout, {index}).value();
  for (Point point : points) {
    std::erase_if(point, [](const auto& entry) { return entry.second == 0; });
    places.insert(std::move(point));
  }
  return places;
}

int64_t SizeOf(const Layout& layout) { return Size(layout.base()).constant(); }

bool SameFunction(const Layout& a, const Layout& b) {
  if (SizeOf(a) != SizeOf(b)) return false;
  for (int64_t index = 0; index < SizeOf(a); ++index) {
    if (Places(a, index) != Places(b, index)) return false;
  }
  return true;
}

template <typename Property>
void Holds(const char* name, Property property) {
  EXPECT_TRUE(rc::check(name, property));
}

TEST(LayoutProperty, TextReadsBack) {
  Holds("parse(print(x)) = x", [] {
    const TileLayout tile = AnyTile(5, 6, true);
    RC_ASSERT(Parse(ToString(tile)).value() == Layout(tile));
  });
}

TEST(LayoutProperty, CanonicalFormIsIdempotentAndEvaluatesAlike) {
  Holds("canonicalize", [] {
    const TileLayout tile = AnyTile(5, 4, true);
    const TileLayout canonical = Canonicalize(tile, kNone).value();
    RC_ASSERT(Canonicalize(canonical, kNone).value() == canonical);
    RC_ASSERT(SameFunction(tile, canonical));
  });
}

TEST(LayoutProperty, GroupingKeepsTheFunctionAndCoversTheShape) {
  Holds("group", [] {
    const TileLayout tile = AnyTile(4, 6, true);
    Shape shape;
    int64_t rest = SizeOf(tile);
    while (rest > 1) {
      std::vector<int64_t> divisors;
      for (int64_t d = 1; d <= rest; ++d) {
        if (rest % d == 0) divisors.push_back(d);
      }
      const int64_t dim = *rc::gen::elementOf(divisors);
      shape.push_back(dim);
      if (dim == 1 && shape.size() > 6) break;
      rest /= dim;
    }
    if (rest > 1) shape.push_back(rest);
    const auto grouped = TryGroup(tile, shape).value();
    RC_PRE(grouped.has_value());
    RC_ASSERT(SameFunction(tile, grouped->layout));
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      Extent product = 1;
      for (const Iter& iter : grouped->Run(dim)) product *= iter.extent;
      RC_ASSERT(product == shape[dim]);
    }
  });
}

TEST(LayoutProperty, TileLaw) {
  Holds("L(o*|I| + i) = span_I * D_O(o) + D_I(i)", [] {
    std::vector<Iter> inner_iters;
    std::vector<Iter> outer_iters;
    Shape inner_shape;
    Shape outer_shape;
    const int64_t rank = Int(1, 2);
    for (int64_t dim = 0; dim < rank; ++dim) {
      inner_iters.push_back(AnyIter(4, false));
      outer_iters.push_back(AnyIter(4, false));
      inner_shape.push_back(inner_iters.back().extent);
      outer_shape.push_back(outer_iters.back().extent);
    }
    const TileLayout inner = TileLayout::Make(inner_iters).value();
    const TileLayout outer = TileLayout::Make(outer_iters).value();
    const Layout tiled = Tile(inner, outer, outer_shape, inner_shape, kNone).value();
    std::vector<int64_t> tiled_shape;
    for (size_t dim = 0; dim < inner_shape.size(); ++dim) {
      tiled_shape.push_back(inner_shape[dim].constant() * outer_shape[dim].constant());
    }
    for (int64_t o = 0; o < SizeOf(outer); ++o) {
      for (int64_t i = 0; i < SizeOf(inner); ++i) {
        std::vector<int64_t> coord(tiled_shape.size());
        int64_t o_rest = o;
        int64_t i_rest = i;
        for (size_t dim = coord.size(); dim-- > 0;) {
          const int64_t inner_extent = inner_shape[dim].constant();
          const int64_t outer_extent = outer_shape[dim].constant();
          coord[dim] = o_rest % outer_extent * inner_extent + i_rest % inner_extent;
          o_rest /= outer_extent;
          i_rest /= inner_extent;
        }
        Point expected = ApplyLinear(inner, i).value();
        const Point tile = ApplyLinear(outer, o).value();
        for (const auto& [axis, value] : tile) {
          expected[axis] += value * Span(inner, axis).constant();
        }
        std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
        const int64_t index = Flatten(coord, tiled_shape).value();
        RC_ASSERT(Places(tiled, index) == std::set<Point>{expected});
      }
    }
    // And the questions back have an answer that tiles again.
    const auto found = IsTileInner(inner, tiled, ToShape(tiled_shape), inner_shape, kNone).value();
    if (found.has_value()) RC_ASSERT(SameFunction(Tile(inner, *found, outer_shape, inner_shape, kNone).value(), tiled));
  });
}

TEST(LayoutProperty, SlicesAgreeAndAreFoundWhereTheyExist) {
  Holds("slice", [] {
    const TileLayout tile = AnyTile(4, 4, true);
    const int64_t size = SizeOf(tile);
    const int64_t begin = Int(0, size - 1);
    const int64_t end = Int(begin + 1, size);
    const auto slice = Slice(tile, {size}, {{begin, end}}, kNone).value();
    if (slice.has_value()) {
      RC_ASSERT(SizeOf(*slice) == end - begin);
      for (int64_t i = begin; i < end; ++i) RC_ASSERT(Places(tile, i) == Places(*slice, i - begin));
      return;
    }
    // None: then no two-iter layout has these values either, in any factorization.
    const auto value = [&](int64_t i) {
      Point point = ApplyLinear(tile, begin + i).value();
      const Point origin = ApplyLinear(tile, begin).value();
      for (const auto& [axis, start] : origin) point[axis] -= start;
      std::erase_if(point, [](const auto& entry) { return entry.second == 0; });
      return point;
    };
    const int64_t count = end - begin;
    for (int64_t inner = 1; inner <= count; ++inner) {
      if (count % inner != 0) continue;
      const Point step = inner > 1 ? value(1) : Point();
      const Point jump = inner < count ? value(inner) : Point();
      bool fits = step.size() <= 1 && jump.size() <= 1;
      for (int64_t i = 0; fits && i < count; ++i) {
        Point expected;
        for (const auto& [axis, amount] : step) expected[axis] += amount * (i % inner);
        for (const auto& [axis, amount] : jump) expected[axis] += amount * (i / inner);
        std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
        fits = expected == value(i);
      }
      RC_ASSERT(!fits);
    }
  });
}

TEST(LayoutProperty, InjectivityAgreesWithEnumeration) {
  Holds("injective", [] {
    const TileLayout tile = AnyTile(4, 4, true);
    std::map<Point, int64_t> owner;
    bool injective = true;
    for (int64_t index = 0; index < SizeOf(tile) && injective; ++index) {
      for (const Point& place : Places(tile, index)) {
        const auto [it, added] = owner.emplace(place, index);
        if (!added && it->second != index) injective = false;
      }
    }
    const Injectivity found = CheckInjective(tile);
    RC_ASSERT(found.decision == (injective ? Decision::kYes : Decision::kNo));
    if (injective) return;
    // The witness is one.
    RC_ASSERT(found.collision->first < found.collision->second);
    Point place = found.collision->place;
    std::erase_if(place, [](const auto& entry) { return entry.second == 0; });
    RC_ASSERT(Places(tile, found.collision->first).contains(place));
    RC_ASSERT(Places(tile, found.collision->second).contains(place));
  });
}

TEST(LayoutProperty, OverlapAgreesWithEnumeration) {
  Holds("overlaps", [] {
    const TileLayout a = AnyTile(3, 4, true);
    const TileLayout b = AnyTile(3, 4, true);
    std::set<Point> places;
    for (int64_t index = 0; index < SizeOf(a); ++index) places.merge(Places(a, index));
    bool meet = false;
    for (int64_t index = 0; index < SizeOf(b); ++index) {
      for (const Point& place : Places(b, index)) meet = meet || places.contains(place);
    }
    RC_ASSERT(Overlaps(a, b).decision == (meet ? Decision::kYes : Decision::kNo));
  });
}

TEST(LayoutProperty, TheInverseLeadsBack) {
  Holds("inverse", [] {
    // A permutation of dimensions, dense in memory.
    const int64_t rank = Int(1, 4);
    std::vector<int64_t> extents;
    std::vector<size_t> order;
    for (int64_t i = 0; i < rank; ++i) {
      extents.push_back(Int(1, 4));
      order.insert(order.begin() + Int(0, i), static_cast<size_t>(i));
    }
    std::vector<Iter> shard(extents.size());
    int64_t stride = 1;
    for (const size_t i : order) {
      shard[i] = {extents[i], stride, Axis::kM};
      stride *= extents[i];
    }
    const TileLayout layout = TileLayout::Make(shard).value();
    const auto inverse = Inverse(layout).value();
    RC_ASSERT(inverse.has_value());
    for (int64_t index = 0; index < SizeOf(layout); ++index) {
      const int64_t address = ApplyLinear(layout, index).value().at(Axis::kM);
      RC_ASSERT(ApplyLinear(*inverse, address).value().at(Axis::kM) == index);
    }
    // Their composition is the identity, where a layout composes them.
    const auto identity = Compose(*inverse, layout).value();
    if (identity.has_value()) {
      RC_ASSERT(SameFunction(*identity, TileLayout::RowMajor({SizeOf(layout)}).value()));
    }
  });
}

TEST(LayoutProperty, CompositionsAgree) {
  Holds("compose", [] {
    std::vector<Iter> outer_iters;
    for (int64_t i = Int(1, 3); i > 0; --i) outer_iters.push_back({Int(1, 6), Int(0, 9), Axis::kM});
    std::vector<Iter> inner_iters;
    for (int64_t i = Int(1, 3); i > 0; --i) inner_iters.push_back({Int(1, 4), Int(0, 8), Axis::kM});
    const TileLayout outer = TileLayout::Make(outer_iters).value();
    const TileLayout inner = TileLayout::Make(inner_iters, {}, {{Axis::kM, Int(0, 4)}}).value();
    const auto composed = Compose(outer, inner);
    RC_PRE(composed.ok());
    RC_PRE(composed->has_value());
    for (int64_t index = 0; index < SizeOf(inner); ++index) {
      const int64_t middle = ApplyLinear(inner, index).value().at(Axis::kM);
      RC_ASSERT(Places(**composed, index) == Places(outer, middle));
    }
  });
}

}  // namespace
}  // namespace kiln::layout
