#include "compiler/ir/decode_expr.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "compiler/ir/kiln_ir.pb.h"
#include "compiler/ir/limits.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/words.h"
#include "kiln/internal/status_macros.h"

namespace kiln::ir {
namespace {

enum Field : unsigned {
  kOp = 1u << 0,
  kDType = 1u << 1,
  kInt = 1u << 2,
  kFloat = 1u << 3,
  kName = 1u << 4,
  kInts = 1u << 5,
  kAttrs = 1u << 6,
  kTile = 1u << 7,
};
constexpr std::string_view kFieldNames[] = {"op", "dtype", "int_value", "float_bits", "name", "ints", "attrs", "tile"};

constexpr int kAny = static_cast<int>(kMaxList);

// What a node of each kind may hold.
struct KindRow {
  ExprKind kind;
  std::string_view name;
  unsigned fields;
  int min_args, max_args;
};
constexpr KindRow kKinds[] = {
    {ExprKind::kInt, "int", kInt | kDType, 0, 0},
    {ExprKind::kFloat, "float", kFloat | kDType, 0, 0},
    {ExprKind::kBool, "bool", kInt, 0, 0},
    {ExprKind::kVar, "var", kName, 0, 0},
    {ExprKind::kUnary, "unary", kOp, 1, 1},
    {ExprKind::kBinary, "binary", kOp, 2, 2},
    {ExprKind::kSelect, "select", 0, 3, 3},
    {ExprKind::kCast, "cast", kDType, 1, 1},
    {ExprKind::kMath, "math", kOp | kInt, 1, 3},
    {ExprKind::kSubscript, "subscript", 0, 1, kAny},
    {ExprKind::kSlice, "slice", 0, 2, 2},
    {ExprKind::kFull, "full", 0, 0, 0},
    {ExprKind::kNewAxis, "new axis", 0, 0, 0},
    {ExprKind::kReshape, "reshape", 0, 1, kAny},
    {ExprKind::kPermute, "permute", kInts, 1, 1},
    {ExprKind::kReinterpret, "reinterpret", kDType, 1, 1},
    {ExprKind::kIndex, "index", kInt, 1, 1},
    {ExprKind::kDim, "dim", kInt, 1, 1},
    {ExprKind::kTileOp, "tile operation", kTile | kAttrs | kName, 0, kAny},
    {ExprKind::kCall, "call", kName | kDType | kAttrs, 0, kAny},
    {ExprKind::kLoad, "load", kInt, 2, 2},
    {ExprKind::kRamp, "ramp", kInt, 1, 1},
    {ExprKind::kBroadcast, "broadcast", kInt, 1, 1},
    {ExprKind::kField, "field", kName, 1, 1},
};

const KindRow* FindKind(uint32_t kind) {
  for (const KindRow& row : kKinds)
    if (static_cast<uint32_t>(row.kind) == kind) return &row;
  return nullptr;
}

unsigned FieldsOf(const wire::Node& node) {
  auto bit = [](bool set, unsigned field) { return set ? field : 0; };
  return bit(node.op() != 0, kOp) | bit(node.has_dtype(), kDType) | bit(node.int_value() != 0, kInt) |
         bit(node.float_bits() != 0, kFloat) | bit(!node.name().empty(), kName) | bit(node.ints_size() > 0, kInts) |
         bit(node.attrs_size() > 0, kAttrs) | bit(node.has_tile(), kTile);
}

bool IsItem(ExprKind kind) { return kind == ExprKind::kSlice || kind == ExprKind::kFull || kind == ExprKind::kNewAxis; }

absl::Status CheckRange(const std::string& where, std::string_view what, int64_t value, int64_t min, int64_t max) {
  if (value >= min && value <= max) return absl::OkStatus();
  return DecodeError(where, ": expected ", what, " of ", min, " to ", max, ", found ", value);
}

absl::Status CheckOp(const std::string& where, const Node& node) {
  switch (node.kind) {
    case ExprKind::kUnary:
      if (node.op == Op::kNeg || node.op == Op::kNot || node.op == Op::kBitNot) return absl::OkStatus();
      break;
    case ExprKind::kBinary:
      if (FindBinary(node.op)) return absl::OkStatus();
      break;
    default: {
      const MathFunction* math = FindMath(node.op);
      if (!math) break;
      if (node.int_value != 0 && !(node.int_value == 1 && math->precise))
        return DecodeError(where, ": ", math->name, " has no form ", node.int_value);
      if (node.args.size() == static_cast<size_t>(math->operands)) return absl::OkStatus();
      return DecodeError(where, ": ", math->name, " takes ", math->operands, " arguments, found ", node.args.size());
    }
  }
  return DecodeError(where, ": unknown operator ", static_cast<int>(node.op));
}

absl::Status CheckNumber(const std::string& where, const Node& node) {
  const DType dtype = node.dtype.dtype;
  if (!node.dtype.param.empty()) return DecodeError(where, ": a literal's dtype cannot be a parameter");
  if (node.kind == ExprKind::kInt) {
    if (dtype == DType::kNone || IsInteger(dtype)) return absl::OkStatus();
    return DecodeError(where, ": expected an integer dtype, found ", Name(dtype));
  }
  if (dtype != DType::kNone && !IsFloat(dtype)) {
    return DecodeError(where, ": expected a float dtype, found ", Name(dtype));
  }
  const uint64_t bits = std::bit_cast<uint64_t>(node.float_value);
  const uint64_t nan = std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN());
  if (std::isnan(node.float_value) && bits != nan) return DecodeError(where, ": a NaN with a payload or a sign");
  return absl::OkStatus();
}

absl::Status CheckTile(const std::string& where, const wire::TileOp& tile) {
  if (tile.op() > UINT8_MAX || !FindTileOp(static_cast<TileOpKind>(tile.op()))) {
    return DecodeError(where, ": unknown tile operation ", tile.op());
  }
  if (tile.team() == 0 || tile.team() > static_cast<uint32_t>(Team::kCluster)) {
    return DecodeError(where, ": unknown team ", tile.team());
  }
  if (!tile.via().empty()) KILN_RETURN_IF_ERROR(CheckName(where, tile.via()));
  if (tile.via().empty() && tile.via_config_size() > 0) return DecodeError(where, ": settings without a 'via'");
  return absl::OkStatus();
}

// Operations of a ring have its name and nothing else; others have no name.
absl::Status CheckRingOp(const std::string& where, const Node& node) {
  if (!IsRingOp(node.tile.op)) {
    return node.name.empty() ? absl::OkStatus() : DecodeError(where, ": has no field 'name'");
  }
  KILN_RETURN_IF_ERROR(CheckName(where, node.name));
  const std::string_view name = FindTileOp(node.tile.op)->name;
  if (node.tile.team != Team::kThread) return DecodeError(where, ": ", name, " of a ring is of a thread");
  if (node.args.empty() && node.attrs.empty() && node.tile.via.empty()) return absl::OkStatus();
  return DecodeError(where, ": ", name, " of a ring takes no operands");
}

// What is particular to one kind; counts, children and fields are known to be right.
absl::Status CheckNode(const std::string& where, const Node& node) {
  switch (node.kind) {
    case ExprKind::kInt:
    case ExprKind::kFloat:
      return CheckNumber(where, node);
    case ExprKind::kBool:
      return CheckRange(where, "a value", node.int_value, 0, 1);
    case ExprKind::kVar:
      return CheckDottedName(where, node.name);
    case ExprKind::kUnary:
    case ExprKind::kBinary:
    case ExprKind::kMath:
      return CheckOp(where, node);
    case ExprKind::kPermute:
      return absl::OkStatus();
    case ExprKind::kIndex:
    case ExprKind::kDim:
      return CheckRange(where, "an axis", node.int_value, 0, INT32_MAX);
    case ExprKind::kCall:
      KILN_RETURN_IF_ERROR(CheckName(where, node.name));
      if (IsFunction(node.name)) return DecodeError(where, ": '", node.name, "' is a function with a node of its own");
      return absl::OkStatus();
    case ExprKind::kTileOp:
      return CheckRingOp(where, node);
    case ExprKind::kField:
      if (node.args[0]->kind != ExprKind::kVar && node.args[0]->kind != ExprKind::kTileOp)
        return DecodeError(where, ": expected a slot to take a field of");
      return CheckName(where, node.name);
    case ExprKind::kLoad:
      if (node.args[0]->kind != ExprKind::kVar) return DecodeError(where, ": expected a tensor's name to load from");
      return CheckRange(where, "lanes", node.int_value, 1, kMaxLanes);
    case ExprKind::kRamp:
    case ExprKind::kBroadcast:
      return CheckRange(where, "lanes", node.int_value, 1, kMaxLanes);
    default:
      return absl::OkStatus();
  }
}

bool IsIdentifier(std::string_view word) {
  if (word.empty() || absl::ascii_isdigit(static_cast<unsigned char>(word[0]))) return false;
  return std::all_of(word.begin(), word.end(), [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

}  // namespace

std::string Quoted(std::string_view text) {
  constexpr size_t kShown = 40;
  std::string escaped = absl::CHexEscape(ToAbsl(text.substr(0, kShown)));
  return StrCat("'", escaped, text.size() > kShown ? "...'" : "'");
}

absl::Status CheckName(std::string_view where, std::string_view name) {
  if (IsName(name)) return absl::OkStatus();
  return DecodeError(where, ": expected a name, found ", Quoted(name));
}

absl::Status CheckDottedName(std::string_view where, std::string_view name) {
  size_t dot = name.find('.');
  bool ok = name.size() <= kMaxNameBytes && IsName(name.substr(0, dot));
  while (ok && dot != std::string_view::npos) {
    size_t next = name.find('.', dot + 1);
    ok = IsIdentifier(name.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1));
    dot = next;
  }
  if (ok) return absl::OkStatus();
  return DecodeError(where, ": expected a name, found ", Quoted(name));
}

absl::StatusOr<DType> CheckDType(std::string_view where, uint32_t value) {
  if (value == 0 || value >= kDTypes.size()) return DecodeError(where, ": unknown dtype ", value);
  return static_cast<DType>(value);
}

absl::StatusOr<DTypeRef> CheckDTypeRef(std::string_view where, const wire::DType& dtype, bool optional) {
  DTypeRef ref;
  if (dtype.dtype() != 0) {
    KILN_ASSIGN_OR_RETURN(ref.dtype, CheckDType(where, dtype.dtype()));
  }
  if (!dtype.param().empty()) {
    if (ref.Known()) return DecodeError(where, ": both a dtype and a dtype parameter");
    KILN_RETURN_IF_ERROR(CheckName(where, dtype.param()));
    ref.param = dtype.param();
  }
  if (!optional && !ref.Known() && ref.param.empty()) return DecodeError(where, ": expected a dtype, found none");
  return ref;
}

absl::Status NodeTable::Read(const wire::Module& module) {
  if (module.nodes_size() > kMaxNodes) {
    return DecodeError("expected at most ", kMaxNodes, " nodes, found ", module.nodes_size());
  }
  rows_.reserve(static_cast<size_t>(module.nodes_size()));
  for (const wire::Node& node : module.nodes()) KILN_RETURN_IF_ERROR(ReadNode(node, rows_.size()));
  return absl::OkStatus();
}

absl::Status NodeTable::ReadNode(const wire::Node& wire, size_t index) {
  std::string where = StrCat("node ", index);
  const KindRow* kind = FindKind(wire.kind());
  if (!kind) return DecodeError(where, ": unknown kind ", wire.kind());
  StrAppend(&where, " (", kind->name, ")");
  if (unsigned extra = FieldsOf(wire) & ~kind->fields; extra != 0) {
    return DecodeError(where, ": has no field '", kFieldNames[std::countr_zero(extra)], "'");
  }
  if (wire.args_size() < kind->min_args || wire.args_size() > kind->max_args) {
    return DecodeError(where, ": expected ",
                       kind->max_args == kAny             ? StrCat(kind->min_args, " to ", kAny)
                       : kind->min_args == kind->max_args ? StrCat(kind->min_args)
                                                          : StrCat(kind->min_args, " to ", kind->max_args),
                       " arguments, found ", wire.args_size());
  }
  if (static_cast<size_t>(wire.ints_size()) > kMaxList) {
    return DecodeError(where, ": expected at most ", kMaxList, " dimensions, found ", wire.ints_size());
  }
  if (wire.op() > UINT8_MAX) return DecodeError(where, ": unknown operator ", wire.op());
  Node node;
  node.kind = kind->kind;
  node.op = static_cast<Op>(wire.op());
  if (kind->fields & kDType) {
    bool optional = kind->kind != ExprKind::kCast && kind->kind != ExprKind::kReinterpret;
    KILN_ASSIGN_OR_RETURN(node.dtype, CheckDTypeRef(where, wire.dtype(), optional));
  }
  node.int_value = wire.int_value();
  node.float_value = std::bit_cast<double>(wire.float_bits());
  node.name = wire.name();
  node.ints.assign(wire.ints().begin(), wire.ints().end());
  Row row;
  KILN_RETURN_IF_ERROR(ReadChildren(wire, index, where, node, row));
  KILN_RETURN_IF_ERROR(CheckNode(where, node));
  if (++row.height > kMaxHeight) return DecodeError(where, ": nested more than ", kMaxHeight, " deep");
  if (++row.size > kMaxNodes) return DecodeError(where, ": stands for more than ", kMaxNodes, " nodes");
  row.expr = MakeExpr(std::move(node));
  rows_.push_back(std::move(row));
  return absl::OkStatus();
}

absl::Status NodeTable::ReadChildren(const wire::Node& wire, size_t index, const std::string& where, Node& node,
                                     Row& row) {
  for (uint32_t child : wire.args()) {
    bool item = node.kind == ExprKind::kSubscript && !node.args.empty();
    KILN_ASSIGN_OR_RETURN(Expr arg, Child(where, child, index, row, item));
    node.args.push_back(std::move(arg));
  }
  for (const wire::Attr& attr : wire.attrs()) KILN_RETURN_IF_ERROR(ReadAttr(attr, index, where, node.attrs, row));
  if (node.kind != ExprKind::kTileOp) return absl::OkStatus();
  KILN_RETURN_IF_ERROR(CheckTile(where, wire.tile()));
  node.tile.op = static_cast<TileOpKind>(wire.tile().op());
  node.tile.team = static_cast<Team>(wire.tile().team());
  node.tile.via = wire.tile().via();
  for (const wire::Attr& setting : wire.tile().via_config()) {
    KILN_RETURN_IF_ERROR(ReadAttr(setting, index, where, node.tile.via_config, row));
  }
  return absl::OkStatus();
}

absl::StatusOr<Expr> NodeTable::Child(const std::string& where, uint32_t child, size_t index, Row& row, bool item) {
  if (child >= index) return DecodeError(where, ": argument ", child, " is not an earlier node");
  Row& from = rows_[child];
  if (IsItem(from.expr->kind) && !item) {
    return DecodeError(where, ": argument ", child, " is a ", FindKind(static_cast<uint32_t>(from.expr->kind))->name,
                       " outside of a subscript");
  }
  from.used = true;
  row.height = std::max(row.height, from.height);
  row.size = std::min(row.size + from.size, kMaxNodes);
  return from.expr;
}

absl::Status NodeTable::ReadAttr(const wire::Attr& wire, size_t index, const std::string& where, std::vector<Attr>& to,
                                 Row& row) {
  if (!IsIdentifier(wire.name()) || wire.name().size() > kMaxNameBytes) {
    return DecodeError(where, ": expected an argument's name, found ", Quoted(wire.name()));
  }
  if (to.size() >= kMaxAttrs) return DecodeError(where, ": expected at most ", kMaxAttrs, " named arguments");
  for (const Attr& attr : to)
    if (attr.name == wire.name()) return DecodeError(where, ": argument '", wire.name(), "' is given twice");
  KILN_ASSIGN_OR_RETURN(Expr value, Child(where, wire.value(), index, row, /*item=*/false));
  to.push_back({wire.name(), std::move(value)});
  return absl::OkStatus();
}

absl::StatusOr<Expr> NodeTable::Use(std::string_view where, uint32_t index) {
  if (index >= rows_.size()) return DecodeError(where, ": node ", index, " is not in the table of ", rows_.size());
  Row& row = rows_[index];
  if (IsItem(row.expr->kind)) {
    return DecodeError(where, ": node ", index, " is a ", FindKind(static_cast<uint32_t>(row.expr->kind))->name,
                       " outside of a subscript");
  }
  row.used = true;
  total_ += row.size;
  if (total_ > kMaxNodes) return DecodeError(where, ": the module stands for more than ", kMaxNodes, " nodes");
  return row.expr;
}

absl::Status NodeTable::CheckAllUsed() const {
  for (size_t i = 0; i < rows_.size(); ++i)
    if (!rows_[i].used) return DecodeError("node ", i, ": is used by nothing");
  return absl::OkStatus();
}

}  // namespace kiln::ir
