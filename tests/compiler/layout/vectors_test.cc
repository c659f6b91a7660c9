// Replays layout test vectors: `layout_vectors_test --vectors FILE`. The last line is `N passed, N failed, N skipped`;
// the exit status is 0 when none failed. The file's meta.conventions says how a vector reads.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "compiler/layout/canonicalize.h"
#include "compiler/layout/direct_sum.h"
#include "compiler/layout/evaluate.h"
#include "compiler/layout/fragments.h"
#include "compiler/layout/group.h"
#include "compiler/layout/layout.h"
#include "compiler/layout/neuron.h"
#include "compiler/layout/pack.h"
#include "compiler/layout/parse.h"
#include "compiler/layout/rearrange.h"
#include "compiler/layout/scope.h"
#include "compiler/layout/shared_tiles.h"
#include "compiler/layout/slice.h"
#include "compiler/layout/tile.h"
#include "compiler/layout/tmem.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

using Json = nlohmann::json;

struct Skip {
  const char* id;
  const char* reason;
};

constexpr const char* kGridAxes =
    "bx, by and bz count CTAs in the grid; the vector has them count CTAs in a thread (docs/adr/0007)";

// Where Kiln differs on purpose.
constexpr Skip kSkips[] = {
    {"axis_info-001", kGridAxes},
    {"axis_info-002", kGridAxes},
    {"axis_info-003", kGridAxes},
};

// The vector itself is not of the form that its operation has.
absl::Status Malformed(const std::string& what) { return absl::FailedPreconditionError("vector: " + what); }

absl::StatusOr<std::vector<Iter>> IterList(const Json& json) {
  std::vector<Iter> iters;
  for (const Json& each : json) {
    KILN_ASSIGN_OR_RETURN(const Axis axis, ParseAxis(each.at(2).get<std::string>()));
    iters.push_back({each.at(0).get<int64_t>(), each.at(1).get<int64_t>(), axis});
  }
  return iters;
}

absl::StatusOr<TileLayout> TileFrom(const Json& json) {
  KILN_ASSIGN_OR_RETURN(std::vector<Iter> shard, IterList(json.at("shard")));
  KILN_ASSIGN_OR_RETURN(std::vector<Iter> replica, IterList(json.at("replica")));
  Offset offset;
  for (const auto& [name, value] : json.at("offset").items()) {
    KILN_ASSIGN_OR_RETURN(const Axis axis, ParseAxis(name));
    offset[axis] = value.get<int64_t>();
  }
  return TileLayout::Make(std::move(shard), std::move(replica), std::move(offset));
}

absl::StatusOr<Layout> SwizzledFrom(const Json& json, const Json& tile_json) {
  KILN_ASSIGN_OR_RETURN(TileLayout tile, TileFrom(tile_json));
  Swizzle swizzle;
  swizzle.per_element = json.at("per_element").get<int>();
  swizzle.swizzle_len = json.at("swizzle_len").get<int>();
  swizzle.atom_len = json.at("atom_len").get<int>();
  swizzle.inner = json.value("swizzle_inner", true);
  KILN_ASSIGN_OR_RETURN(SwizzledLayout swizzled, SwizzledLayout::Make(swizzle, std::move(tile)));
  return Layout(std::move(swizzled));
}

absl::StatusOr<Layout> LayoutFrom(const Json& json) {
  if (json.contains("compose")) return SwizzledFrom(json.at("compose"), json.at("tile"));
  KILN_ASSIGN_OR_RETURN(TileLayout tile, TileFrom(json));
  return Layout(std::move(tile));
}

std::vector<int64_t> Numbers(const Json& json) { return json.get<std::vector<int64_t>>(); }
std::vector<size_t> Indices(const Json& json) { return json.get<std::vector<size_t>>(); }
Shape ShapeOf(const Json& json) { return ToShape(Numbers(json)); }

AxisTable TableOf(const Json& args) {
  return args.is_object() && args.value("target", "") == "cuda" ? AxisTable::Cuda() : AxisTable::None();
}

// Replicas are a multiset, zero offsets absent.
absl::StatusOr<Layout> Normalized(const Layout& layout) {
  std::vector<Iter> replica = layout.base().replica();
  std::sort(replica.begin(), replica.end(), [](const Iter& a, const Iter& b) {
    return std::tie(a.axis, a.extent, a.stride) < std::tie(b.axis, b.extent, b.stride);
  });
  Offset offset = layout.base().offset();
  std::erase_if(offset, [](const auto& entry) { return entry.second.Is(0); });
  KILN_ASSIGN_OR_RETURN(TileLayout base,
                        TileLayout::Make(layout.base().shard(), std::move(replica), std::move(offset)));
  return layout.WithBase(std::move(base));
}

Json PointToJson(const Point& point, bool zeros) {
  Json json = Json::object();
  for (const auto& [axis, value] : point) {
    if (zeros || value != 0) json[std::string(Name(axis))] = value;
  }
  return json;
}

absl::StatusOr<Point> PointFrom(const Json& json) {
  Point point;
  for (const auto& [name, value] : json.items()) {
    KILN_ASSIGN_OR_RETURN(const Axis axis, ParseAxis(name));
    point[axis] = value.get<int64_t>();
  }
  return point;
}

// What an operation gives back, as the file states expectations.
struct Outcome {
  Json facts = Json::object();  // value, coord, set, separators, scope, ...
  bool is_layout = false;
  std::optional<Layout> layout;  // None: no such layout.

  static Outcome Value(Json value) {
    Outcome outcome;
    outcome.facts["value"] = std::move(value);
    return outcome;
  }
  static Outcome Of(std::optional<Layout> layout) {
    Outcome outcome;
    outcome.is_layout = true;
    outcome.layout = std::move(layout);
    return outcome;
  }
};

template <typename T>
std::optional<Layout> Widen(const std::optional<T>& layout) {
  if (!layout.has_value()) return std::nullopt;
  return Layout(*layout);
}

using Operation = absl::StatusOr<Outcome> (*)(const Layout& layout, const Json& args, const Json& expect);

absl::StatusOr<Outcome> DoConstruct(const Layout&, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout layout, Parse(args.at("spec").get<std::string>()));
  KILN_ASSIGN_OR_RETURN(const Layout again, Parse(ToString(layout)));
  if (!(again == layout)) return absl::InternalError(absl::StrCat("does not print back: ", ToString(layout)));
  return Outcome::Of(layout);
}

absl::StatusOr<Outcome> DoConstructCompose(const Layout&, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout layout, SwizzledFrom(args, args.at("tile")));
  return Outcome::Of(layout);
}

absl::StatusOr<Outcome> DoGetScope(const Layout& layout, const Json&, const Json&) {
  KILN_ASSIGN_OR_RETURN(const std::optional<ScopeRange> range, GetScope(layout.base()));
  Outcome outcome;
  outcome.facts["scope"] = nullptr;
  if (range.has_value()) outcome.facts["scope"] = {std::string(Name(range->unit)), std::string(Name(range->scope))};
  return outcome;
}

absl::StatusOr<Outcome> DoVerify(const Layout& layout, const Json&, const Json&) {
  KILN_RETURN_IF_ERROR(VerifyWellFormed(layout));
  return Outcome::Value(true);
}

absl::StatusOr<Outcome> DoCanonicalize(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout result, Canonicalize(layout, TableOf(args)));
  KILN_ASSIGN_OR_RETURN(const Layout again, Canonicalize(result, TableOf(args)));
  if (!(again == result)) return absl::InternalError("canonicalizing twice differs");
  return Outcome::Of(result);
}

absl::StatusOr<Outcome> DoEquivalent(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout other, LayoutFrom(args.at("other")));
  KILN_ASSIGN_OR_RETURN(const bool equal, Equivalent(layout, other, TableOf(args)));
  return Outcome::Value(equal);
}

absl::StatusOr<Outcome> DoTile(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const TileLayout outer, TileFrom(args.at("outer")));
  KILN_ASSIGN_OR_RETURN(const Layout result, Tile(layout, outer, ShapeOf(args.at("outer_shape")),
                                                  ShapeOf(args.at("inner_shape")), TableOf(args)));
  return Outcome::Of(result);
}

absl::StatusOr<Outcome> DoTileTo(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout result,
                        TileTo(layout, ShapeOf(args.at("to_shape")), ShapeOf(args.at("current_shape")), TableOf(args)));
  return Outcome::Of(result);
}

absl::StatusOr<Outcome> DoIsTileInner(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout tiled, LayoutFrom(args.at("tile_layout")));
  KILN_ASSIGN_OR_RETURN(const auto outer, IsTileInner(layout, tiled, ShapeOf(args.at("tiled_shape")),
                                                      ShapeOf(args.at("inner_shape")), TableOf(args)));
  return Outcome::Of(Widen(outer));
}

absl::StatusOr<Outcome> DoIsTileOuter(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout tiled, LayoutFrom(args.at("tile_layout")));
  KILN_ASSIGN_OR_RETURN(const auto inner, IsTileOuter(layout, tiled, ShapeOf(args.at("tiled_shape")),
                                                      ShapeOf(args.at("outer_shape")), TableOf(args)));
  return Outcome::Of(inner);
}

absl::StatusOr<Outcome> DoDirectSum(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const TileLayout left, TileFrom(args.at("left")));
  KILN_ASSIGN_OR_RETURN(const Layout result, DirectSum(left, layout, ShapeOf(args.at("left_shape")),
                                                       ShapeOf(args.at("right_shape")), TableOf(args)));
  return Outcome::Of(result);
}

absl::StatusOr<Outcome> DoIsDirectSumRight(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout sum, LayoutFrom(args.at("sum_layout")));
  KILN_ASSIGN_OR_RETURN(const auto left, IsDirectSumRight(layout, sum, ShapeOf(args.at("interleaved_shape")),
                                                          ShapeOf(args.at("right_shape")), TableOf(args)));
  return Outcome::Of(Widen(left));
}

absl::StatusOr<Outcome> DoIsDirectSumLeft(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout sum, LayoutFrom(args.at("sum_layout")));
  KILN_ASSIGN_OR_RETURN(const auto right, IsDirectSumLeft(layout, sum, ShapeOf(args.at("interleaved_shape")),
                                                          ShapeOf(args.at("left_shape")), TableOf(args)));
  return Outcome::Of(right);
}

std::optional<Axis> AxisOf(const Json& args, absl::Status& status) {
  if (!args.is_object() || !args.contains("axis")) return std::nullopt;
  absl::StatusOr<Axis> axis = ParseAxis(args.at("axis").get<std::string>());
  if (!axis.ok()) {
    status = axis.status();
    return std::nullopt;
  }
  return *axis;
}

absl::StatusOr<Outcome> DoSize(const Layout& layout, const Json& args, const Json&) {
  absl::Status status;
  const std::optional<Axis> axis = AxisOf(args, status);
  KILN_RETURN_IF_ERROR(status);
  KILN_ASSIGN_OR_RETURN(const Extent size, Size(layout, axis));
  return Outcome::Value(size.constant());
}

absl::StatusOr<Outcome> DoSpan(const Layout& layout, const Json& args, const Json&) {
  absl::Status status;
  const std::optional<Axis> axis = AxisOf(args, status);
  KILN_RETURN_IF_ERROR(status);
  KILN_ASSIGN_OR_RETURN(const Extent span, Span(layout, axis));
  return Outcome::Value(span.constant());
}

// The coordinate's place of the first replica is the least, as strides are positive here.
absl::StatusOr<Outcome> DoApply(const Layout& layout, const Json& args, const Json&) {
  const std::vector<int64_t> coord = Numbers(args.at("coord"));
  absl::StatusOr<std::vector<Point>> points =
      args.contains("shape") ? Apply(layout, coord, Numbers(args.at("shape"))) : Apply(layout, coord);
  KILN_RETURN_IF_ERROR(points.status());
  Outcome outcome;
  outcome.facts["coord"] = PointToJson(points->front(), true);
  return outcome;
}

absl::StatusOr<Outcome> DoApplySet(const Layout& layout, const Json& args, const Json&) {
  const std::vector<int64_t> coord = Numbers(args.at("coord"));
  absl::StatusOr<std::vector<Point>> points =
      args.contains("shape") ? Apply(layout, coord, Numbers(args.at("shape"))) : Apply(layout, coord);
  KILN_RETURN_IF_ERROR(points.status());
  Outcome outcome;
  outcome.facts["set"] = Json::array();
  for (const Point& point : *points) outcome.facts["set"].push_back(PointToJson(point, true));
  return outcome;
}

absl::StatusOr<Outcome> DoApplyLinear(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Point point, ApplyLinear(layout, args.at("index").get<int64_t>()));
  Outcome outcome;
  outcome.facts["coord"] = PointToJson(point, true);
  return outcome;
}

absl::StatusOr<Outcome> DoApplyTable(const Layout& layout, const Json& args, const Json& expect) {
  const Extent count = Product(ShapeOf(args.at("shape")));
  Json table = Json::array();
  for (int64_t index = 0; index < count.constant(); ++index) {
    KILN_ASSIGN_OR_RETURN(const Point point, ApplyLinear(layout, index));
    Json row = Json::array();
    for (const Json& name : expect.at("axes")) {
      KILN_ASSIGN_OR_RETURN(const Axis axis, ParseAxis(name.get<std::string>()));
      const auto it = point.find(axis);
      row.push_back(it == point.end() ? 0 : it->second);
    }
    table.push_back(std::move(row));
  }
  Outcome outcome;
  outcome.facts["row_major_table"] = std::move(table);
  return outcome;
}

absl::StatusOr<Outcome> DoApplyToShape(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const std::vector<int64_t> components,
                        ApplyToShape(layout, Numbers(args.at("coord")), Numbers(args.at("shape"))));
  return Outcome::Value(components);
}

absl::StatusOr<Outcome> DoGroup(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Grouped grouped, Group(layout.base(), ShapeOf(args.at("shape"))));
  Outcome outcome = Outcome::Of(Layout(grouped.layout));
  outcome.facts["separators"] = grouped.separators;
  return outcome;
}

absl::StatusOr<Outcome> DoGroupMany(const Layout& layout, const Json& args, const Json&) {
  std::vector<Shape> shapes;
  for (const Json& shape : args.at("shapes")) shapes.push_back(ShapeOf(shape));
  KILN_ASSIGN_OR_RETURN(const GroupedMany grouped, GroupMany(layout.base(), shapes));
  Outcome outcome = Outcome::Of(Layout(grouped.layout));
  outcome.facts["separators"] = grouped.separators;
  return outcome;
}

// Every coordinate of a slice lands where the sliced layout puts the same coordinate of the region.
absl::Status CheckSliceProperty(const Layout& layout, const Layout& slice, const std::vector<int64_t>& shape,
                                const std::vector<std::vector<int64_t>>& region) {
  std::vector<int64_t> box;
  for (const auto& range : region) box.push_back(range[1] - range[0]);
  const int64_t count = Product(ToShape(box)).constant();
  for (int64_t index = 0; index < count; ++index) {
    std::vector<int64_t> inside(box.size());
    std::vector<int64_t> outside(box.size());
    int64_t rest = index;
    for (size_t dim = box.size(); dim-- > 0;) {
      inside[dim] = rest % box[dim];
      outside[dim] = region[dim][0] + inside[dim];
      rest /= box[dim];
    }
    KILN_ASSIGN_OR_RETURN(const std::vector<Point> expected, Apply(layout, outside, shape));
    KILN_ASSIGN_OR_RETURN(const std::vector<Point> found, Apply(slice, inside, box));
    bool same = expected.size() == found.size();
    for (size_t i = 0; same && i < expected.size(); ++i) {
      same = PointToJson(expected[i], false) == PointToJson(found[i], false);
    }
    if (!same) return absl::InternalError(absl::StrCat("the slice differs from the layout at index ", index));
  }
  return absl::OkStatus();
}

absl::StatusOr<Outcome> DoSlice(const Layout& layout, const Json& args, const Json& expect) {
  const auto ranges = args.at("region").get<std::vector<std::vector<int64_t>>>();
  Region region;
  for (const auto& range : ranges) region.push_back({range.at(0), range.at(1)});
  KILN_ASSIGN_OR_RETURN(const auto slice, Slice(layout, ShapeOf(args.at("shape")), region, TableOf(args)));
  Outcome outcome = Outcome::Of(slice);
  if (slice.has_value() && expect.contains("property")) {
    KILN_RETURN_IF_ERROR(CheckSliceProperty(layout, *slice, Numbers(args.at("shape")), ranges));
    outcome.facts["property"] = expect.at("property");
  }
  if (slice.has_value() && expect.contains("thread_axis")) {
    KILN_ASSIGN_OR_RETURN(const Axis axis, ParseAxis(expect.at("thread_axis").get<std::string>()));
    outcome.facts["thread_axis"] = slice->base().Uses(axis) ? Json(std::string(Name(axis))) : Json();
    outcome.facts["threads"] = Span(slice->base(), axis).constant();
  }
  return outcome;
}

absl::StatusOr<Outcome> DoStorage(const Layout& layout, const Json&, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout result, Storage(layout));
  return Outcome::Of(result);
}

absl::StatusOr<Outcome> DoPack(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout result, Pack(layout, args.at("num").get<int64_t>()));
  return Outcome::Of(result);
}

absl::StatusOr<Outcome> DoUnpack(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout result, Unpack(layout, args.at("num").get<int64_t>()));
  return Outcome::Of(result);
}

absl::StatusOr<Outcome> DoBroadcast(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Axis axis, ParseAxis(args.value("axis", "m")));
  KILN_ASSIGN_OR_RETURN(const Layout result,
                        Broadcast(layout, args.at("num").get<int64_t>(), args.value("position", int64_t{-1}), axis));
  return Outcome::Of(result);
}

absl::StatusOr<Outcome> DoPermuteDims(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout result, PermuteDims(layout, Indices(args.at("perm"))));
  return Outcome::Of(result);
}

absl::StatusOr<Outcome> DoPermuteByGroups(const Layout& layout, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Layout result,
                        PermuteByGroups(layout, Indices(args.at("separators")), Indices(args.at("perm"))));
  return Outcome::Of(result);
}

absl::StatusOr<Outcome> DoToPsum(const Layout& layout, const Json&, const Json&) {
  KILN_ASSIGN_OR_RETURN(const TileLayout result, ToPsum(layout.base()));
  return Outcome::Of(Layout(result));
}

absl::StatusOr<Outcome> DoBanks(const Layout& layout, const Json& args, const Json&) {
  const std::vector<int64_t> shape = Numbers(args.at("shape"));
  std::vector<int64_t> banks;
  for (int64_t row = 0; row < shape.at(0); ++row) {
    KILN_ASSIGN_OR_RETURN(const std::vector<Point> points,
                          Apply(layout, {row, args.at("column").get<int64_t>()}, shape));
    banks.push_back(points.front().at(Axis::kM) * args.at("elem_bytes").get<int64_t>() / 4 % 32);
  }
  return Outcome::Value(banks);
}

absl::StatusOr<Outcome> DoNeuronTensor(const Layout&, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const TileLayout result, NeuronTensor(args.at("annotation").get<std::string>(),
                                                              Numbers(args.at("shape")), args.value("psum", false)));
  return Outcome::Of(Layout(result));
}

absl::StatusOr<Outcome> DoSharedOperand(const Layout&, const Json& args, const Json&) {
  static const std::map<std::string, int64_t> kModes = {{"none", 0}, {"32B", 32}, {"64B", 64}, {"128B", 128}};
  const auto mode = kModes.find(args.at("swizzle").get<std::string>());
  if (mode == kModes.end()) return Malformed("unknown swizzle mode");
  KILN_ASSIGN_OR_RETURN(const Layout result, SharedOperandTile(Numbers(args.at("shape")),
                                                               args.at("elem_bits").get<int64_t>(), mode->second));
  return Outcome::Of(result);
}

absl::StatusOr<Outcome> DoCheckOperandShape(const Layout&, const Json& args, const Json&) {
  KILN_RETURN_IF_ERROR(CheckOperandShape(Numbers(args.at("shape")), args.at("elem_bits").get<int64_t>(),
                                         args.at("swizzle_bytes").get<int64_t>()));
  return Outcome::Value(true);
}

absl::StatusOr<Outcome> DoWarpgroupRows(const Layout&, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const TileLayout result,
                        WarpgroupRows(args.value("rows", int64_t{128}), args.at("cols").get<int64_t>()));
  return Outcome::Of(Layout(result));
}

absl::StatusOr<Outcome> DoTmemDatapath(const Layout&, const Json& args, const Json&) {
  const std::string letter = args.at("datapath").get<std::string>();
  if (letter.size() != 1) return absl::InvalidArgumentError("a datapath is one letter");
  KILN_ASSIGN_OR_RETURN(const TileLayout result,
                        TmemDatapath(letter[0], args.at("rows").get<int64_t>(), args.at("cols").get<int64_t>(),
                                     args.value("sub_slab", int64_t{0})));
  return Outcome::Of(Layout(result));
}

absl::StatusOr<Outcome> DoTcgen05Atom(const Layout&, const Json& args, const Json&) {
  const std::vector<int64_t> shape = Numbers(args.at("tensor_shape"));
  if (shape.size() != 2) return absl::InvalidArgumentError("an atom has two dimensions");
  KILN_ASSIGN_OR_RETURN(const TileLayout result, Tcgen05Atom(args.at("instr_shape").get<std::string>(), shape[0],
                                                             shape[1], args.at("elem_bits").get<int64_t>()));
  return Outcome::Of(Layout(result));
}

absl::StatusOr<Outcome> DoTmemOperand(const Layout&, const Json& args, const Json&) {
  const std::string operand = args.at("operand").get<std::string>();
  if (operand.size() != 1) return absl::InvalidArgumentError("an operand is one letter");
  TmemMma mma;
  mma.m = args.at("M").get<int64_t>();
  mma.cta_group = args.at("cta_group").get<int64_t>();
  mma.ws = args.value("ws", false);
  const std::vector<int64_t> group = args.contains("group") ? Numbers(args.at("group")) : std::vector<int64_t>();
  KILN_ASSIGN_OR_RETURN(const TileLayout result, TmemMmaOperand(operand[0], Numbers(args.at("shape")), mma, group));
  return Outcome::Of(Layout(result));
}

absl::StatusOr<Outcome> DoScaleFactors(const Layout&, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const TileLayout result,
                        ScaleFactors(args.at("rows").get<int64_t>(), args.at("SF_K").get<int64_t>(),
                                     args.at("sf_per_mma").get<int64_t>()));
  Outcome outcome = Outcome::Of(Layout(result));
  outcome.facts["tcol_span"] = Span(result, Axis::kTCol).constant();
  return outcome;
}

absl::StatusOr<Outcome> DoAxisInfo(const Layout&, const Json& args, const Json&) {
  KILN_ASSIGN_OR_RETURN(const Axis axis, ParseAxis(args.at("axis").get<std::string>()));
  const AxisInfo& info = InfoOf(axis);
  Outcome outcome;
  outcome.facts["kind"] = info.kind == AxisKind::kMemory   ? "memory"
                          : info.kind == AxisKind::kThread ? "thread"
                                                           : "device";
  if (info.kind == AxisKind::kThread) {
    outcome.facts["scope"] = std::string(Name(info.scope));
    outcome.facts["subscope"] = std::string(Name(info.unit));
  }
  return outcome;
}

const std::map<std::string, Operation>& Operations() {
  static const auto* const kOperations = new std::map<std::string, Operation>{
      {"apply", DoApply},
      {"apply_linear", DoApplyLinear},
      {"apply_set", DoApplySet},
      {"apply_table", DoApplyTable},
      {"apply_to_shape", DoApplyToShape},
      {"axis_info", DoAxisInfo},
      {"banks", DoBanks},
      {"broadcast", DoBroadcast},
      {"canonicalize", DoCanonicalize},
      {"construct", DoConstruct},
      {"construct_compose", DoConstructCompose},
      {"direct_sum", DoDirectSum},
      {"equal_after_canonicalize", DoEquivalent},
      {"get_scope", DoGetScope},
      {"group", DoGroup},
      {"group_many", DoGroupMany},
      {"is_direct_sum_left", DoIsDirectSumLeft},
      {"is_direct_sum_right", DoIsDirectSumRight},
      {"is_tile_inner", DoIsTileInner},
      {"is_tile_outer", DoIsTileOuter},
      {"mma_shared_layout", DoSharedOperand},
      {"pack", DoPack},
      {"permute_by_groups", DoPermuteByGroups},
      {"permute_dims", DoPermuteDims},
      {"sf_tmem_layout", DoScaleFactors},
      {"size", DoSize},
      {"slice", DoSlice},
      {"span", DoSpan},
      {"storage", DoStorage},
      {"tcgen05_atom_layout", DoTcgen05Atom},
      {"tile", DoTile},
      {"tile_to", DoTileTo},
      {"tmem_datapath_layout", DoTmemDatapath},
      {"tmem_mma_operand_layout", DoTmemOperand},
      {"to_psum", DoToPsum},
      {"trainium_layout", DoNeuronTensor},
      {"unpack", DoUnpack},
      {"validate_mma_alloc_shape", DoCheckOperandShape},
      {"verify_well_formed", DoVerify},
      {"wg_local_layout", DoWarpgroupRows},
  };
  return *kOperations;
}

// Empty where the layouts agree.
absl::StatusOr<std::string> CompareLayouts(const Json& expected, const std::optional<Layout>& found, bool canonical,
                                           const AxisTable& axes) {
  if (expected.is_null() || !found.has_value()) {
    if (expected.is_null() && !found.has_value()) return std::string();
    return absl::StrCat("expected ", expected.is_null() ? "no such layout" : expected.dump(), ", found ",
                        found.has_value() ? ToString(*found) : "no such layout");
  }
  KILN_ASSIGN_OR_RETURN(Layout wanted, LayoutFrom(expected));
  Layout mine = *found;
  if (canonical) {
    KILN_ASSIGN_OR_RETURN(wanted, Canonicalize(wanted, axes));
    KILN_ASSIGN_OR_RETURN(mine, Canonicalize(mine, axes));
  }
  KILN_ASSIGN_OR_RETURN(wanted, Normalized(wanted));
  KILN_ASSIGN_OR_RETURN(mine, Normalized(mine));
  if (wanted == mine) return std::string();
  return absl::StrCat("expected ", ToString(wanted), ", found ", ToString(mine));
}

// A map or a set of maps from axis names, aliases resolved and zeros dropped.
absl::StatusOr<Json> NormalizedPoints(const Json& points) {
  if (points.is_object()) {
    KILN_ASSIGN_OR_RETURN(const Point point, PointFrom(points));
    return PointToJson(point, false);
  }
  std::set<std::string> members;
  for (const Json& each : points) {
    KILN_ASSIGN_OR_RETURN(const Point point, PointFrom(each));
    members.insert(PointToJson(point, false).dump());
  }
  return Json(members);
}

// Empty where the outcome is the expected one.
absl::StatusOr<std::string> Compare(const Json& expect, const absl::StatusOr<Outcome>& outcome, const AxisTable& axes) {
  if (expect.contains("error")) {
    if (!outcome.ok() && absl::IsInvalidArgument(outcome.status())) return std::string();
    return absl::StrCat("expected an error, found ", outcome.ok() ? "a result" : outcome.status().ToString());
  }
  KILN_RETURN_IF_ERROR(outcome.status());
  bool checked = false;
  for (const auto& [key, expected] : expect.items()) {
    if (key == "axes" || key == "formula") continue;
    checked = true;
    if (key == "layout" || key == "layout_canonical") {
      if (!outcome->is_layout) return std::string("the operation gives no layout");
      KILN_ASSIGN_OR_RETURN(const std::string difference,
                            CompareLayouts(expected, outcome->layout, key == "layout_canonical", axes));
      if (!difference.empty()) return difference;
      continue;
    }
    if (!outcome->facts.contains(key)) return absl::StrCat("nothing to compare with the expected ", key);
    Json wanted = expected;
    Json found = outcome->facts.at(key);
    if (key == "coord" || key == "set") {
      KILN_ASSIGN_OR_RETURN(wanted, NormalizedPoints(wanted));
      KILN_ASSIGN_OR_RETURN(found, NormalizedPoints(found));
    }
    if (wanted != found) return absl::StrCat(key, ": expected ", wanted.dump(), ", found ", found.dump());
  }
  if (!checked) return std::string("the vector expects nothing");
  return std::string();
}

absl::StatusOr<std::string> RunVector(const Json& vector) {
  const auto operation = Operations().find(vector.at("op").get<std::string>());
  if (operation == Operations().end()) return absl::StrCat("unknown operation ", vector.at("op").dump());
  const Json args = vector.value("args", Json::object());
  const Json& expect = vector.at("expect");
  Layout layout;
  if (vector.contains("layout") && !vector.at("layout").is_null()) {
    absl::StatusOr<Layout> parsed = LayoutFrom(vector.at("layout"));
    if (!parsed.ok()) return Compare(expect, parsed.status(), TableOf(args));
    layout = *std::move(parsed);
  }
  return Compare(expect, operation->second(layout, args, expect), TableOf(args));
}

const char* SkipReason(const std::string& id) {
  for (const Skip& skip : kSkips) {
    if (id == skip.id) return skip.reason;
  }
  return nullptr;
}

int RunFile(const char* path) {
  std::ifstream file(path);
  Json root = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded() || !root.contains("vectors")) {
    std::fprintf(stderr, "%s: not a file of layout vectors\n", path);
    return 2;
  }
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  for (const Json& vector : root.at("vectors")) {
    const std::string id = vector.value("id", "(no id)");
    if (const char* reason = SkipReason(id)) {
      std::printf("SKIPPED %s: %s\n", id.c_str(), reason);
      ++skipped;
      continue;
    }
    std::string difference;
    try {
      absl::StatusOr<std::string> result = RunVector(vector);
      difference = result.ok() ? *result : result.status().ToString();
    } catch (const Json::exception& error) {
      difference = absl::StrCat("malformed vector: ", error.what());
    }
    if (difference.empty()) {
      ++passed;
    } else {
      std::printf("FAILED %s: %s\n", id.c_str(), difference.c_str());
      ++failed;
    }
  }
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace kiln::layout

int main(int argc, char** argv) {
  if (argc != 3 || std::strcmp(argv[1], "--vectors") != 0) {
    std::fprintf(stderr, "usage: %s --vectors FILE\n", argv[0]);
    return 2;
  }
  return kiln::layout::RunFile(argv[2]);
}
