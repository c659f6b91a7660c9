#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random/maker.h"

namespace kiln::testing {
namespace {

std::string TypeName(DType dtype) { return std::string(Name(dtype)); }

bool Has(const Frame& frame, int axis) { return std::find(frame.begin(), frame.end(), axis) != frame.end(); }

}  // namespace

DType Maker::AnyDType() {
  return Any<DType>({DType::kF32, DType::kF32, DType::kF32, DType::kF16, DType::kF16, DType::kBF16, DType::kBF16,
                     DType::kI32, DType::kI32, DType::kI64, DType::kI8, DType::kU8, DType::kI16, DType::kU32,
                     DType::kF64, DType::kF8E4M3, DType::kF8E5M2, DType::kBool});
}

Memory Maker::AnyMemory() {
  return Any<Memory>({Memory::kDense, Memory::kDense, Memory::kDense, Memory::kPadded, Memory::kOdd, Memory::kSpread});
}

std::string Maker::Shape(const Frame& frame) const {
  return absl::StrJoin(frame, ", ", [&](std::string* out, int axis) { absl::StrAppend(out, axes_[axis].tile); });
}

std::string Maker::Symbols(const Frame& frame) const {
  return absl::StrJoin(frame, ", ", [&](std::string* out, int axis) { absl::StrAppend(out, axes_[axis].symbol); });
}

std::string Maker::Slices(const Frame& frame) {
  return absl::StrJoin(frame, ", ", [&](std::string* out, int axis) {
    const Axis& a = axes_[axis];
    if (a.fixed && a.tile == a.extent && a.start == "0" && Chance(60))
      absl::StrAppend(out, ":");
    else
      absl::StrAppend(out, a.start, " +: ", a.tile);
  });
}

std::vector<Frame> Maker::Frames() const {
  std::vector<Frame> out;
  for (int mask = 1; mask < 1 << open_.size(); ++mask) {
    Frame frame;
    for (size_t i = 0; i < open_.size(); ++i)
      if (mask >> i & 1) frame.push_back(open_[i]);
    if (frame.size() <= 3) out.push_back(std::move(frame));
  }
  return out;
}

Frame Maker::AnyFrame() {
  const std::vector<Frame> frames = Frames();
  // Often the largest one, which is last.
  return Chance(60) ? frames.back() : Any(frames);
}

Number Maker::NumberOf(const RandomArgument& arg) const {
  return {arg.dtype, std::max(std::fabs(arg.least), std::fabs(arg.most)), arg.grain, 0};
}

size_t Maker::AddArgument(RandomArgument arg, const std::string& shape) {
  const char* direction = arg.output ? "out " : arg.error >= 0 ? "inout " : "";
  declared_.push_back(absl::StrCat(arg.name, ": ", direction, "tensor<", TypeName(arg.dtype), ">[", shape, "]"));
  kernel_.args.push_back(std::move(arg));
  frames_.emplace_back();
  return kernel_.args.size() - 1;
}

size_t Maker::Input(const Frame& frame) {
  std::vector<size_t> same;
  for (size_t i = 0; i < frames_.size(); ++i)
    if (frames_[i] == frame) same.push_back(i);
  if (!same.empty() && (kernel_.args.size() > 6 || Chance(60))) return Any(same);
  RandomArgument arg;
  arg.name = Fresh("x");
  arg.dtype = AnyDType();
  arg.memory = AnyMemory();
  for (int axis : frame) arg.shape.push_back(axes_[axis].extent);
  if (IsFloat(arg.dtype) && Precision(arg.dtype) > 4) arg.grain = -1;
  if (IsUnsigned(arg.dtype)) arg.least = 0;
  if (arg.dtype == DType::kBool) arg.least = 0, arg.most = 1;
  const size_t index = AddArgument(std::move(arg), Symbols(frame));
  frames_[index] = frame;
  return index;
}

std::string Maker::StoreOf(const Named& named, const Value& value) {
  // An assignment of a tensor as it is would be a copy between memory spaces, which has its own word.
  const bool number = value.number.dtype != DType::kBool && named.number.dtype != DType::kBool;
  return number && Chance(50) ? absl::StrCat(named.name, " = ", value.text, " + 0")
                              : absl::StrCat("cta.copy(", named.name, ", ", value.text, ")");
}

void Maker::NewTile() {
  const Frame frame = AnyFrame();
  Named named{Fresh("t"), frame, {}, Named::Place::kLocal};
  const DType dtype = AnyDType();
  const int64_t kind = Pick(4);
  Value value = kind == 0 ? Covering(frame, Depth()) : Expression(frame, Depth());
  if (kind == 0) {
    // A tile of the value's own dtype.
    Line(absl::StrCat("let ", named.name, " = ", value.text, value.number.dtype == DType::kBool ? "" : " + 0"));
    named.number = value.number.dtype == DType::kBool ? value.number : Widened(value.number);
  } else {
    value = Fitting(std::move(value), dtype);
    named.number = value.number;
    const std::string alloc =
        absl::StrCat("alloc ", named.name, ": ", TypeName(named.number.dtype), "[", Shape(frame), "] in local");
    if (kind == 1) {
      Line(absl::StrCat(alloc, " = ", value.text));
    } else {
      Line(alloc);
      Line(StoreOf(named, value));
    }
  }
  tiles_.push_back(std::move(named));
}

void Maker::NewShared() {
  const Frame frame = AnyFrame();
  Named named{Fresh("s"), frame, {}, Named::Place::kShared};
  if (Chance(40)) {
    // A plain copy, which may be asynchronous.
    const size_t arg = Input(frame);
    named.number = NumberOf(kernel_.args[arg]);
    const bool async = Chance(25);
    Line(absl::StrCat("alloc ", named.name, ": ", TypeName(named.number.dtype), "[", Shape(frame), "] in shared"));
    Line(absl::StrCat("cta.copy(", named.name, ", ", kernel_.args[arg].name, "[", Slices(frame), "])"));
    if (async) Line("cta.sync()");
  } else {
    Value value = Fitting(Expression(frame, Depth()), AnyDType());
    named.number = value.number;
    Line(absl::StrCat("alloc ", named.name, ": ", TypeName(named.number.dtype), "[", Shape(frame), "] in shared"));
    Line(StoreOf(named, value));
  }
  tiles_.push_back(std::move(named));
}

void Maker::NewView() {
  const Frame frame = AnyFrame();
  const size_t arg = Input(frame);
  Named named{Fresh("v"), frame, NumberOf(kernel_.args[arg]), Named::Place::kGlobal};
  Line(absl::StrCat("let ", named.name, " = ", kernel_.args[arg].name, "[", Slices(frame), "]"));
  tiles_.push_back(std::move(named));
}

// `named` takes what `make` gives, which does not see it.
void Maker::Update(Named& named, const std::function<Value()>& make) {
  const Named kept = named;
  named.frame = {-1};  // No reference fits it
  Value value = make();
  named = kept;
  if (value.number.error > 0 && !IsFloat(named.number.dtype)) value = Constant();
  const bool narrow = IsFloat(named.number.dtype) && value.number.most > Limit(named.number.dtype);
  if (narrow) value = Clamped(std::move(value), IsNarrowFloat(named.number.dtype) ? 256 : 64);
  named.number = Either(Stored(value.number, named.number.dtype), named.number);
  Line(StoreOf(named, value));
}

void Maker::Reassign() {
  std::vector<size_t> own;
  for (size_t i = 0; i < tiles_.size(); ++i)
    if (tiles_[i].place != Named::Place::kGlobal && tiles_[i].number.dtype != DType::kBool) own.push_back(i);
  if (own.empty()) return NewTile();
  Named& named = tiles_[Any(own)];
  const Frame frame = named.frame;
  // Inside of a loop or a branch the earlier value may stay.
  Update(named, [&] {
    Value value = Expression(frame, Depth());
    Meet(value, value);
    return value;
  });
}

void Maker::Reduce() {
  std::vector<Frame> many;
  for (const Frame& frame : Frames()) many.push_back(frame);
  const Frame frame = Any(many);
  const size_t dim = Pick(static_cast<int64_t>(frame.size()));
  const bool whole = frame.size() == 1 || Chance(15);
  double count = 1;
  for (size_t i = 0; i < frame.size(); ++i)
    if (whole || i == dim) count *= static_cast<double>(axes_[frame[i]].tile);
  Value value = Covering(frame, Depth());
  const int64_t kind = Pick(8);
  std::string op = kind < 4 ? "sum" : kind < 5 ? "max" : kind < 6 ? "min" : kind < 7 ? "prod" : "any";
  Number number;
  if (op == "any") {
    value = Condition(frame, 1);
    if (!value.covers) return;
    number = {DType::kBool, 1, 0, 0};
  } else {
    Meet(value, value);
    number = value.number;
    if (op == "prod" && IsFloat(number.dtype)) op = "max";
    if (op == "sum") {
      if (IsFloat(number.dtype) && number.most * count > 0x1p20) value = Clamped(std::move(value), 8);
      number = Product(value.number, {value.number.dtype, count, 0, 0});
      if (number.error > 0)
        number.error += count * count * value.number.most * std::ldexp(1.0, -Precision(number.dtype));
    }
    if (op == "prod") number.most = Limit(number.dtype);
  }
  const std::string name = Fresh("r");
  const std::string reduction =
      absl::StrCat("cta.", op, "(", value.text, whole ? "" : absl::StrCat(", axis = ", dim), ")");
  Line(absl::StrCat("let ", name, " = ", reduction));
  if (whole) {
    scalars_.push_back({name, number});
    return;
  }
  Frame rest = frame;
  rest.erase(rest.begin() + static_cast<int64_t>(dim));
  tiles_.push_back({name, rest, number, Named::Place::kLocal});
}

void Maker::Restore(size_t tiles, size_t scalars) {
  tiles_.resize(tiles);
  scalars_.resize(scalars);
}

// Over an axis of its own, or a few times the same; tiles made before gather what it computes.
void Maker::Loop() {
  std::vector<size_t> own;
  for (size_t i = 0; i < tiles_.size(); ++i)
    if (tiles_[i].place == Named::Place::kLocal && tiles_[i].number.dtype != DType::kBool) own.push_back(i);
  if (own.empty()) {
    NewTile();
    return;
  }
  const size_t target = Any(own);
  const Frame frame = tiles_[target].frame;
  const bool over = frame.size() < 3 && Chance(60);
  const std::string variable = Fresh("k");
  int64_t trips = 1 + Pick(4);
  const std::vector<int> open = open_;
  std::string header = absl::StrCat("for ", variable, " in ");
  const char* kinds[] = {"", "serial ", "unroll ", "pipelined "};
  const int64_t kind = Pick(over ? 4 : 3);
  header += kinds[kind];
  if (over) {
    Axis axis;
    axis.symbol = Fresh("K");
    axis.tile = Any<int64_t>({1, 2, 4, 8, 16});
    axis.extent = 1 + Pick(3 * axis.tile);
    axis.start = variable;
    axis.fixed = kind == 2 || Chance(50);
    trips = axis.Trips();
    absl::StrAppend(&header, "0 .. ", axis.symbol, " step ", axis.tile);
    if (kind == 3) absl::StrAppend(&header, " stages ", 1 + Pick(4));
    axes_.push_back(axis);
    // Only axes of the target's and the loop's own, so that the slices of the loop stay small.
    open_ = frame;
    open_.push_back(static_cast<int>(axes_.size()) - 1);
    // The symbol must be some parameter's.
    Input(open_);
  } else {
    const int64_t begin = Pick(3), step = 1 + Pick(3);
    absl::StrAppend(&header, begin, " .. ", begin + (trips - 1) * step + 1,
                    step == 1 ? "" : absl::StrCat(" step ", step));
  }
  Line(header + " {");
  ++depth_;
  ++nesting_;
  const size_t tiles = tiles_.size(), scalars = scalars_.size();
  scalars_.push_back({variable, Whole(DType::kI64, static_cast<double>(over ? axes_.back().extent : 3 + 9))});
  Named hidden = tiles_[target];
  tiles_[target].frame = {-1};
  if (over) {
    const size_t arg = Input(open_);
    Named staged{Fresh("s"), open_, NumberOf(kernel_.args[arg]), Named::Place::kShared};
    Line(absl::StrCat("alloc ", staged.name, ": ", TypeName(staged.number.dtype), "[", Shape(open_), "] in shared"));
    Line(absl::StrCat("cta.copy(", staged.name, ", ", kernel_.args[arg].name, "[", Slices(open_), "])"));
    tiles_.push_back(std::move(staged));
  }
  const int64_t before = Pick(2);
  for (int64_t i = 0; i < before; ++i) Chance(50) ? NewTile() : NewShared();
  Value value;
  if (over && Chance(70)) {
    value = Covering(open_, Depth() - 1);
    Meet(value, value);
    value = Clamped(std::move(value), 8);
    const double count = static_cast<double>(axes_[open_.back()].tile);
    value.text = absl::StrCat("cta.sum(", value.text, ", axis = ", open_.size() - 1, ")");
    const Number one = value.number;
    value.number = Product(one, {one.dtype, count, 0, 0});
    if (value.number.error > 0) value.number.error += count * count * one.most * std::ldexp(1.0, -Precision(one.dtype));
  } else {
    const std::vector<int> all = std::exchange(open_, frame);
    value = Expression(frame, Depth() - 1);
    open_ = all;
  }
  if (value.number.error > 0 && !IsFloat(hidden.number.dtype)) value = Constant();
  Meet(value, value);
  if (IsFloat(value.number.dtype) && value.number.most > 128) value = Clamped(std::move(value), 64);
  // The sum of all steps, each rounded to the tile's dtype, or the last step, or the largest.
  Number& n = hidden.number;
  const int64_t join = Pick(3);
  const bool sum =
      join == 0 && (!IsFloat(n.dtype) || n.most + static_cast<double>(trips) * value.number.most < Limit(n.dtype) / 2);
  if (sum) {
    const DType meeting = Meeting(Widened(n).dtype, value.number.dtype);
    if (meeting == DType::kNone) value = Constant();
    for (int64_t i = 0; i < trips; ++i) {
      const Number step = Stored(Sum(Stored(n, DType::kF64), Stored(value.number, DType::kF64)), n.dtype);
      n = Either(n, step);
      if (n.error == 0 && IsFloat(n.dtype) && n.most / std::ldexp(1.0, n.grain) > std::ldexp(1.0, 24))
        n.error = n.most * 0x1p-22;
      n.error *= 1.01;
      if (n.error > 0) n.error += n.most * std::ldexp(1.0, 1 - Precision(n.dtype));
    }
    Line(absl::StrCat(hidden.name, Chance(50) ? " += " : absl::StrCat(" = ", hidden.name, " + "), value.text));
  } else {
    Value own{hidden.name, n, true};
    Meet(own, value);
    n = Either(n, Stored(value.number, n.dtype));
    Line(absl::StrCat(hidden.name, " = ", join == 1 ? "max(" : "min(", own.text, ", ", value.text, ")"));
  }
  Restore(tiles, scalars);
  tiles_[target] = std::move(hidden);
  open_ = open;
  --nesting_;
  --depth_;
  Line("}");
}

// A condition that is the same for a whole CTA.
void Maker::Branch() {
  Value a = Scalar(), b = Scalar();
  if (a.number.error > 0 || b.number.error > 0) a = Constant(), b = Element();
  if (b.number.error > 0) b = Constant();
  Meet(a, b);
  Line(absl::StrCat("if ", a.text, Any<std::string>({" < ", " >= ", " == "}), b.text, " {"));
  const size_t tiles = tiles_.size(), scalars = scalars_.size();
  for (int side = 0; side < 2; ++side) {
    ++depth_;
    ++nesting_;
    const int64_t count = 1 + Pick(2);
    for (int64_t i = 0; i < count; ++i) Chance(50) ? Reassign() : Statement();
    Restore(tiles, scalars);
    --nesting_;
    --depth_;
    if (side == 1 || Chance(50)) break;
    Line("} else {");
  }
  Line("}");
}

// acc += a * b over an axis of its own, through shared memory.
void Maker::Multiply() {
  if (open_.size() < 2) return NewTile();
  const Frame frame = {open_[0], open_[1]};
  Axis axis;
  axis.symbol = Fresh("K");
  axis.tile = Any<int64_t>({16, 16, 32, 8, 5});
  axis.extent = 1 + Pick(3 * axis.tile);
  axis.start = Fresh("k");
  axis.fixed = Chance(50);
  axes_.push_back(axis);
  const int k = static_cast<int>(axes_.size()) - 1;
  const bool turned = Chance(50), piped = Chance(60);
  const DType dtype = Any<DType>({DType::kF16, DType::kF16, DType::kBF16, DType::kF32, DType::kI8, DType::kF8E4M3});
  const DType sum = dtype == DType::kI8 ? DType::kI32 : DType::kF32;
  std::string names[2], tiles[2];
  const Frame frames[2] = {{frame[0], k}, turned ? Frame{frame[1], k} : Frame{k, frame[1]}};
  for (int i = 0; i < 2; ++i) {
    RandomArgument arg;
    names[i] = arg.name = Fresh("x");
    tiles[i] = Fresh("s");
    arg.dtype = dtype;
    arg.memory = AnyMemory();
    arg.grain = IsFloat(dtype) ? -1 : 0;
    for (int a : frames[i]) arg.shape.push_back(axes_[a].extent);
    frames_[AddArgument(std::move(arg), Symbols(frames[i]))] = frames[i];
  }
  Named acc{Fresh("acc"), frame, {sum, 16.0 * static_cast<double>(axis.extent), -2, 0}, Named::Place::kLocal};
  Line(absl::StrCat("alloc ", acc.name, ": ", TypeName(sum), "[", Shape(frame), "] in local = 0"));
  Line(absl::StrCat("for ", axis.start, " in ", piped ? "pipelined " : "", "0 .. ", axis.symbol, " step ", axis.tile,
                    piped ? absl::StrCat(" stages ", 1 + Pick(4)) : "", " {"));
  ++depth_;
  for (int i = 0; i < 2; ++i)
    Line(absl::StrCat("alloc ", tiles[i], ": ", TypeName(dtype), "[", Shape(frames[i]), "] in shared"));
  for (int i = 0; i < 2; ++i) Line(absl::StrCat("cta.copy(", tiles[i], ", ", names[i], "[", Slices(frames[i]), "])"));
  Line(absl::StrCat("cta.gemm(", acc.name, ", ", tiles[0], ", ", tiles[1], turned ? ", trans_b = true)" : ")"));
  --depth_;
  Line("}");
  tiles_.push_back(std::move(acc));
}

// Rows of a table by an index tensor, some of them out of range.
void Maker::Gather() {
  if (open_.size() < 2) return NewTile();
  const Frame frame = {open_[0], open_[1]};
  RandomArgument ids;
  ids.name = Fresh("ids");
  ids.dtype = Chance(70) ? DType::kI32 : DType::kI64;
  ids.shape = {axes_[frame[0]].extent};
  const int64_t rows = 1 + Pick(9);
  ids.least = -2;
  ids.most = static_cast<double>(rows + 2);
  const std::string index = ids.name;
  AddArgument(std::move(ids), Symbols({frame[0]}));
  RandomArgument table;
  table.name = Fresh("x");
  table.dtype = Any<DType>({DType::kF32, DType::kF16, DType::kBF16, DType::kI32, DType::kI8});
  table.memory = AnyMemory();
  table.shape = {rows, axes_[frame[1]].extent};
  const std::string name = table.name;
  const Number number = NumberOf(table);
  AddArgument(std::move(table), absl::StrCat(Fresh("V"), ", ", Symbols({frame[1]})));
  Named named{Fresh("t"), frame, number, Chance(60) ? Named::Place::kLocal : Named::Place::kShared};
  Line(absl::StrCat("alloc ", named.name, ": ", TypeName(number.dtype), "[", Shape(frame), "] in ",
                    named.place == Named::Place::kLocal ? "local" : "shared"));
  Line(absl::StrCat("cta.gather(", named.name, ", ", name, "[:, ", Slices({frame[1]}), "], ", index, "[",
                    Slices({frame[0]}), "])"));
  tiles_.push_back(std::move(named));
}

void Maker::ScalarStatement() {
  Value value = Scalar();
  if (Chance(60)) {
    Value other = Scalar();
    Meet(value, other);
    value = Tame({absl::StrCat("(", value.text, Chance(50) ? " + " : " * ", other.text, ")"),
                  Sum(value.number, other.number), false});
    value.number.most = std::max(value.number.most, 1.0) * std::max(other.number.most, 1.0) * 2;
    value.number.grain -= 4;
    value.number.error = value.number.error > 0 ? value.number.error * (value.number.most + 1) : 0;
    value = Tame(std::move(value));
  }
  Meet(value, value);
  if (Chance(60)) {
    const std::string name = Fresh("c");
    Line(absl::StrCat("let ", name, " = ", value.text));
    scalars_.push_back({name, value.number});
    return;
  }
  const std::string name = Fresh("c"), i = Fresh("j");
  value = Fitting(std::move(value), Any<DType>({DType::kI32, DType::kI64, DType::kF32}));
  const DType dtype = value.number.dtype;
  Line(absl::StrCat("var ", name, ": ", TypeName(dtype), " = ", value.text));
  const int64_t trips = 1 + Pick(5);
  Line(absl::StrCat("for ", i, " in 0 .. ", trips, " {"));
  Line(absl::StrCat("  if ", name, " > ", 10 + Pick(20), " { break }"));
  Line(absl::StrCat("  ", name, " = ", name, " + ", TypeName(dtype), "(", i, ")"));
  Line("}");
  Number number = Sum(value.number, {dtype, static_cast<double>(trips * trips), 0, 0});
  // A value with an error may leave the loop one step earlier or later.
  if (value.number.error > 0) number.error = value.number.error + static_cast<double>(trips * trips);
  scalars_.push_back({name, number});
}

// Into a tensor that all CTAs share, in any order.
void Maker::Join() {
  const Frame frame = AnyFrame();
  const bool add = Chance(50);
  RandomArgument arg;
  arg.name = Fresh("z");
  arg.dtype = Any<DType>({DType::kI32, DType::kF32});
  arg.error = 0;
  for (int axis : frame) arg.shape.push_back(axes_[axis].extent);
  Value value = Integer(frame, 1);
  value.text = absl::StrCat("(", value.text, " % 8)");
  const std::string op = add ? "add" : Chance(50) ? "max" : "min";
  Line(absl::StrCat("cta.atomic_", op, "(", arg.name, "[", Slices(frame), "], ", TypeName(arg.dtype), "(", value.text,
                    "))"));
  AddArgument(std::move(arg), Symbols(frame));
}

void Maker::Scatter() {
  // Every row at most once: none by an index past the end of the index tensor, which reads as zero.
  if (open_.size() != 2 || axes_[open_[0]].extent % axes_[open_[0]].tile != 0) return Join();
  RandomArgument ids;
  ids.name = Fresh("ids");
  ids.dtype = DType::kI32;
  ids.distinct = true;
  ids.shape = {axes_[open_[0]].extent};
  RandomArgument to;
  to.name = Fresh("z");
  Value value =
      Fitting(Covering({open_[0], open_[1]}, Depth() - 1), Any<DType>({DType::kF32, DType::kF16, DType::kI32}));
  to.dtype = value.number.dtype;
  to.error = value.number.error;
  ids.most = static_cast<double>(ids.shape[0] + Pick(4));
  to.shape = {static_cast<int64_t>(ids.most), axes_[open_[1]].extent};
  const std::string source = Fresh("t");
  Line(absl::StrCat("alloc ", source, ": ", TypeName(to.dtype), "[", Shape(open_), "] in local = ", value.text));
  Line(absl::StrCat("cta.scatter(", to.name, "[:, ", Slices({open_[1]}), "], ", ids.name, "[", Slices({open_[0]}),
                    "], ", source, ")"));
  AddArgument(std::move(ids), Symbols({open_[0]}));
  const std::string shape = absl::StrCat(Fresh("V"), ", ", Symbols({open_[1]}));
  AddArgument(std::move(to), shape);
}

void Maker::Statement() {
  const int64_t kind = Pick(100);
  if (kind < 18) return NewTile();
  if (kind < 32) return NewShared();
  if (kind < 38) return NewView();
  if (kind < 48) return Reassign();
  if (kind < 64) return Reduce();
  if (kind < 72) return ScalarStatement();
  if (nesting_ > 0) return Reassign();
  if (kind < 80) return Loop();
  if (kind < 86) return Branch();
  if (kind < 92) return Multiply();
  if (kind < 95) return Gather();
  if (kind < 98) return Join();
  Scatter();
}

void Maker::WriteOutputs() {
  std::vector<Frame> frames;
  for (const Frame& frame : Frames()) {
    bool every = true;
    for (int axis : open_) every &= Has(frame, axis) || axes_[axis].Trips() == 1;
    if (every) frames.push_back(frame);
  }
  if (frames.empty()) frames.push_back(open_);
  const int64_t count = 1 + Pick(2);
  for (int64_t i = 0; i < count; ++i) {
    const Frame frame = Chance(70) ? frames.back() : Any(frames);
    RandomArgument arg;
    arg.name = Fresh("y");
    arg.output = true;
    arg.memory = AnyMemory();
    for (int axis : frame) arg.shape.push_back(axes_[axis].extent);
    const bool turned = frame.size() == 2 && Chance(15);
    Value value = Expression(frame, Depth());
    const DType dtype = value.number.dtype == DType::kBool && Chance(50) ? DType::kBool : AnyDType();
    value = Fitting(std::move(value), dtype);
    arg.dtype = value.number.dtype;
    arg.error = value.number.error;
    Frame written = frame;
    if (turned) {
      std::swap(written[0], written[1]);
      std::swap(arg.shape[0], arg.shape[1]);
    }
    Line(absl::StrCat("cta.copy(", arg.name, "[", Slices(written), "]", turned ? ".permute(1, 0)" : "", ", ",
                      value.text, ")"));
    AddArgument(std::move(arg), Symbols(written));
  }
}

}  // namespace kiln::testing
