#include "compiler/specialize/type.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/print.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/specialize/intrinsic_operands.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Space;
using ir::Stmt;
using ir::StmtKind;
using ir::StmtNode;

struct Binding {
  Type type;
  Space space = Space::kNone;
  bool tensor = false;
};

std::string_view SpaceName(Space space) {
  switch (space) {
    case Space::kGlobal:
      return "global";
    case Space::kShared:
      return "shared";
    case Space::kSharedDyn:
      return "shared.dyn";
    case Space::kLocal:
      return "local";
    case Space::kTmem:
      return "tmem";
    case Space::kSbuf:
      return "sbuf";
    case Space::kPsum:
      return "psum";
    case Space::kNone:
      return "none";
  }
  return "none";
}

class Typer {
 public:
  Typer(ir::Kernel& kernel, const Facts& facts) : kernel_(kernel), facts_(facts) {}

  absl::Status Run() {
    for (ir::Param& param : kernel_.params) KILN_RETURN_IF_ERROR(TypeParam(param));
    for (ir::TensorFact& fact : kernel_.tensor_facts)
      for (Expr& stride : fact.strides) KILN_RETURN_IF_ERROR(ToIndex(stride));
    for (Expr& extent : kernel_.launch.grid) KILN_RETURN_IF_ERROR(ToIndex(extent));
    if (kernel_.launch.block) KILN_RETURN_IF_ERROR(ToIndex(kernel_.launch.block));
    for (Expr& extent : kernel_.launch.cluster) KILN_RETURN_IF_ERROR(ToIndex(extent));
    for (Expr& condition : kernel_.required) KILN_RETURN_IF_ERROR(ToBool(condition));
    KILN_ASSIGN_OR_RETURN(kernel_.body, TypeBlock(kernel_.body));
    return absl::OkStatus();
  }

 private:
  absl::Status Fail(const Expr& at, absl::string_view what) const { return Fail(at ? at->at : Location{}, what); }
  absl::Status Fail(Location at, absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("specialize: kernel \"", kernel_.name, "\" ", at.line, ":", at.column, ": ", what));
  }

  absl::Status TypeParam(ir::Param& param) {
    Binding binding;
    binding.type.dtype = param.dtype.dtype;
    if (param.is_tensor) {
      for (Expr& extent : param.shape) KILN_RETURN_IF_ERROR(ToIndex(extent));
      binding.type.tile = true;
      binding.type.shape = param.shape;
      binding.space = Space::kGlobal;
      binding.tensor = true;
    }
    names_[param.name] = binding;
    return absl::OkStatus();
  }

  absl::Status ToIndex(Expr& e) {
    KILN_ASSIGN_OR_RETURN(e, TypeExpr(e));
    if (e->type.tile || !IsInteger(e->type.dtype))
      return Fail(e, absl::StrCat("expected an integer, found ", Describe(e)));
    e = Simplify(ConvertTo(e, DType::kI64), facts_);
    return absl::OkStatus();
  }

  absl::Status ToBool(Expr& e) {
    KILN_ASSIGN_OR_RETURN(e, TypeExpr(e));
    if (e->type.tile || e->type.dtype != DType::kBool)
      return Fail(e, absl::StrCat("expected a condition, found ", Describe(e)));
    return absl::OkStatus();
  }

  static std::string Describe(const Type& type) {
    std::string out(Name(type.dtype));
    if (type.lanes > 1) absl::StrAppend(&out, "x", type.lanes);
    if (type.tile) {
      absl::StrAppend(
          &out, "[",
          absl::StrJoin(type.shape, ", ", [](std::string* s, const Expr& e) { absl::StrAppend(s, ir::Print(e)); }),
          "]");
    }
    return out;
  }
  static std::string Describe(const Expr& e) {
    return absl::StrCat("`", ir::Print(e), "` of type ", Describe(e->type));
  }

  // --- Statements

  absl::StatusOr<Block> TypeBlock(const Block& block) {
    std::map<std::string, Binding> saved = names_;
    Block out;
    for (const Stmt& stmt : block) {
      KILN_ASSIGN_OR_RETURN(Stmt typed, TypeStmt(*stmt));
      out.push_back(std::move(typed));
    }
    names_ = std::move(saved);
    return out;
  }

  absl::StatusOr<Stmt> TypeStmt(StmtNode stmt) {
    switch (stmt.kind) {
      case StmtKind::kLet:
        KILN_RETURN_IF_ERROR(TypeLet(stmt));
        break;
      case StmtKind::kMutable:
        KILN_RETURN_IF_ERROR(TypeMutable(stmt));
        break;
      case StmtKind::kAlloc:
        KILN_RETURN_IF_ERROR(TypeAlloc(stmt));
        break;
      case StmtKind::kAssign:
        KILN_RETURN_IF_ERROR(TypeAssign(stmt));
        break;
      case StmtKind::kEval: {
        KILN_ASSIGN_OR_RETURN(stmt.value, TypeExpr(stmt.value));
        break;
      }
      case StmtKind::kFor:
        KILN_RETURN_IF_ERROR(TypeFor(stmt));
        break;
      case StmtKind::kWhile:
      case StmtKind::kIf: {
        KILN_RETURN_IF_ERROR(ToBool(stmt.value));
        KILN_ASSIGN_OR_RETURN(stmt.body, TypeBlock(stmt.body));
        KILN_ASSIGN_OR_RETURN(stmt.orelse, TypeBlock(stmt.orelse));
        break;
      }
      case StmtKind::kAssume:
      case StmtKind::kAssert:
        KILN_RETURN_IF_ERROR(ToBool(stmt.value));
        break;
      case StmtKind::kStore:
        KILN_RETURN_IF_ERROR(TypeStore(stmt));
        break;
      case StmtKind::kRing: {  // Its fields are seen by what follows it.
        KILN_ASSIGN_OR_RETURN(stmt.stages, TypeExpr(stmt.stages));
        stmt.stages = Simplify(stmt.stages, facts_);
        if (!IsConst(stmt.stages)) return Fail(stmt.at, "ring: expected a constant number of slots");
        for (Stmt& field : stmt.body) {
          KILN_ASSIGN_OR_RETURN(field, TypeStmt(*field));
        }
        break;
      }
      case StmtKind::kReturn:
        if (stmt.value) return Fail(stmt.at, "expected `return` without a value in a kernel");
        break;
      case StmtKind::kRole:
      case StmtKind::kSchedule:
      case StmtKind::kTiles:
        return Fail(stmt.at, "roles and schedules are expanded before types");
      case StmtKind::kBreak:
      case StmtKind::kContinue:
      case StmtKind::kComment:
        break;
    }
    return ir::MakeStmt(std::move(stmt));
  }

  absl::Status TypeLet(StmtNode& stmt) {
    KILN_ASSIGN_OR_RETURN(stmt.value, TypeExpr(stmt.value));
    if (stmt.dtype.Known()) stmt.value = ConvertTo(stmt.value, stmt.dtype.dtype);
    names_[stmt.name] = {stmt.value->type, stmt.value->type.tile ? Space::kLocal : Space::kNone, stmt.value->type.tile};
    return absl::OkStatus();
  }

  absl::Status TypeMutable(StmtNode& stmt) {
    KILN_ASSIGN_OR_RETURN(stmt.value, TypeExpr(stmt.value));
    if (stmt.value->type.tile)
      return Fail(stmt.at, absl::StrCat("`var ", stmt.name, "`: expected a scalar, found ", Describe(stmt.value)));
    stmt.value = ConvertTo(stmt.value, stmt.dtype.dtype);
    names_[stmt.name] = {Type{stmt.dtype.dtype}};
    return absl::OkStatus();
  }

  absl::Status TypeAlloc(StmtNode& stmt) {
    if (stmt.tensor.owner == Team::kThread) thread_tiles_.insert(stmt.tensor.name);
    ir::TensorDecl& tensor = stmt.tensor;
    for (Expr& extent : tensor.shape) KILN_RETURN_IF_ERROR(ToIndex(extent));
    Binding binding{Type{tensor.dtype.dtype, 1, true, tensor.shape}, tensor.space, true};
    if (stmt.value) {
      KILN_ASSIGN_OR_RETURN(stmt.value, TypeExpr(stmt.value));
      KILN_RETURN_IF_ERROR(CheckFits(stmt.value, binding.type, stmt.at));
      stmt.value = ConvertTo(stmt.value, tensor.dtype.dtype);
    }
    names_[tensor.name] = std::move(binding);
    return absl::OkStatus();
  }

  absl::Status TypeAssign(StmtNode& stmt) {
    KILN_ASSIGN_OR_RETURN(stmt.target, TypeExpr(stmt.target));
    KILN_ASSIGN_OR_RETURN(stmt.value, TypeExpr(stmt.value));
    const Expr& target = stmt.target;
    if (!target->type.tile) {
      if (stmt.value->type.tile)
        return Fail(stmt.at,
                    absl::StrCat("expected a scalar for `", ir::Print(target), "`, found ", Describe(stmt.value)));
      stmt.value = ConvertTo(stmt.value, target->type.dtype);
      return absl::OkStatus();
    }
    if (!IsTileReference(target))
      return Fail(stmt.at, absl::StrCat("expected a tile to assign to, found ", Describe(target)));
    if (IsTileReference(stmt.value)) {
      Space to = SpaceOf(target), from = SpaceOf(stmt.value);
      if (to != from)
        return Fail(stmt.at, absl::StrCat("bare assignment from ", std::string(SpaceName(from)), " to ",
                                          std::string(SpaceName(to)), " memory: expected a copy operation, `cta.copy(",
                                          ir::Print(target), ", ", ir::Print(stmt.value), ")`"));
    }
    KILN_RETURN_IF_ERROR(CheckFits(stmt.value, target->type, stmt.at));
    stmt.value = ConvertTo(stmt.value, target->type.dtype);
    return absl::OkStatus();
  }

  absl::Status TypeFor(StmtNode& stmt) {
    KILN_RETURN_IF_ERROR(ToIndex(stmt.begin));
    KILN_RETURN_IF_ERROR(ToIndex(stmt.end));
    if (stmt.step) KILN_RETURN_IF_ERROR(ToIndex(stmt.step));
    if (stmt.stages) KILN_RETURN_IF_ERROR(ToIndex(stmt.stages));
    std::map<std::string, Binding> saved = names_;
    names_[stmt.name] = {Type{DType::kI64}};
    KILN_ASSIGN_OR_RETURN(stmt.body, TypeBlock(stmt.body));
    names_ = std::move(saved);
    return absl::OkStatus();
  }

  absl::Status TypeStore(StmtNode& stmt) {
    KILN_ASSIGN_OR_RETURN(stmt.target, TypeExpr(stmt.target));
    KILN_RETURN_IF_ERROR(ToIndex(stmt.begin));
    KILN_ASSIGN_OR_RETURN(stmt.value, TypeExpr(stmt.value));
    stmt.value = ConvertTo(stmt.value, stmt.target->type.dtype);
    return absl::OkStatus();
  }

  Space SpaceOf(const Expr& reference) const {
    auto it = names_.find(RootOf(reference)->name);
    return it == names_.end() ? Space::kNone : it->second.space;
  }

  // A value fits a tile when it is a scalar or broadcasts to the tile's shape.
  absl::Status CheckFits(const Expr& value, const Type& tile, Location at) {
    if (!value->type.tile) return absl::OkStatus();
    bool fits = value->type.shape.size() == tile.shape.size();
    for (size_t i = 0; fits && i < tile.shape.size(); ++i)
      fits = IsConst(value->type.shape[i], 1) || ProveEqual(value->type.shape[i], tile.shape[i], facts_);
    if (fits) return absl::OkStatus();
    return Fail(at, absl::StrCat("expected a tile of shape ", Describe(tile), ", found ", Describe(value)));
  }

  // --- Expressions

  absl::StatusOr<std::vector<Expr>> TypeAll(const std::vector<Expr>& args) {
    std::vector<Expr> out;
    out.reserve(args.size());
    for (const Expr& arg : args) {
      KILN_ASSIGN_OR_RETURN(Expr typed, TypeExpr(arg));
      out.push_back(std::move(typed));
    }
    return out;
  }

  absl::StatusOr<Expr> TypeExpr(const Expr& e) {
    switch (e->kind) {
      case ExprKind::kInt:
        return WithType(e, {e->dtype.Known() ? e->dtype.dtype : DType::kI64});
      case ExprKind::kFloat:
        return WithType(e, {e->dtype.Known() ? e->dtype.dtype : DType::kF32});
      case ExprKind::kBool:
        return WithType(e, {DType::kBool});
      case ExprKind::kVar:
        return TypeVar(e);
      case ExprKind::kSubscript:
        return TypeSubscript(e);
      case ExprKind::kSlice:
      case ExprKind::kFull:
      case ExprKind::kNewAxis:
        return Fail(e, "a slice stands only inside a subscript");
      case ExprKind::kTileOp:
        return TypeTileOp(e);
      case ExprKind::kCall:
        return TypeCall(e);
      default:
        break;
    }
    KILN_ASSIGN_OR_RETURN(std::vector<Expr> args, TypeAll(e->args));
    switch (e->kind) {
      case ExprKind::kUnary:
        return TypeUnary(e, args);
      case ExprKind::kBinary:
        return TypeBinary(e, args);
      case ExprKind::kSelect:
        return TypeSelect(e, args);
      case ExprKind::kMath:
        return TypeMath(e, args);
      case ExprKind::kCast: {
        Type type = args[0]->type;
        type.dtype = e->dtype.dtype;
        if (args[0]->kind == ExprKind::kInt || args[0]->kind == ExprKind::kFloat)
          return At(ConvertTo(args[0], type.dtype), e->at);
        return WithType(WithArgs(e, args), type);
      }
      case ExprKind::kReshape:
        return TypeReshape(e, args);
      case ExprKind::kPermute:
        return TypePermute(e, args);
      case ExprKind::kReinterpret:
        return TypeReinterpret(e, args);
      case ExprKind::kIndex: {
        if (!args[0]->type.tile) return Fail(e, absl::StrCat("index: expected a tile, found ", Describe(args[0])));
        if (e->int_value < 0 || e->int_value >= static_cast<int64_t>(args[0]->type.shape.size()))
          return Fail(e, absl::StrCat("index: axis ", e->int_value, " of ", Describe(args[0])));
        Type type = args[0]->type;
        type.dtype = DType::kI64;
        return WithType(WithArgs(e, args), type);
      }
      case ExprKind::kDim: {
        if (e->int_value < 0 || e->int_value >= static_cast<int64_t>(args[0]->type.shape.size()))
          return Fail(e, absl::StrCat("dim: axis ", e->int_value, " of ", Describe(args[0])));
        return args[0]->type.shape[e->int_value];
      }
      case ExprKind::kLoad: {
        return WithType(WithArgs(e, {args[0], ConvertTo(args[1], DType::kI64)}),
                        {args[0]->type.dtype, static_cast<int>(e->int_value)});
      }
      case ExprKind::kRamp:
      case ExprKind::kBroadcast:
        return WithType(WithArgs(e, args), {args[0]->type.dtype, static_cast<int>(e->int_value)});
      default:
        return Fail(e, "unknown expression");
    }
  }

  absl::StatusOr<Expr> TypeVar(const Expr& e) {
    if (auto it = names_.find(e->name); it != names_.end()) return WithType(e, it->second.type);
    // Symbols, strides and builtins are index values.
    return WithType(e, {DType::kI64});
  }

  absl::StatusOr<Expr> TypeSubscript(const Expr& e) {
    KILN_ASSIGN_OR_RETURN(Expr base, TypeExpr(e->args[0]));
    if (!base->type.tile) return Fail(e, absl::StrCat("subscript: expected a tensor or tile, found ", Describe(base)));
    std::vector<Expr> args = {base};
    Type type{base->type.dtype, 1, true, {}};
    size_t dim = 0;
    const size_t rank = base->type.shape.size();
    for (size_t i = 1; i < e->args.size(); ++i) {
      const Expr& item = e->args[i];
      if (item->kind == ExprKind::kNewAxis) {
        type.shape.push_back(WithType(Int(1), {DType::kI64}));
        args.push_back(item);
        continue;
      }
      if (dim == rank)
        return Fail(e, absl::StrCat("subscript: ", Describe(base), " has ", rank, " dimensions, found more items"));
      if (item->kind == ExprKind::kFull) {
        type.shape.push_back(base->type.shape[dim]);
        args.push_back(item);
      } else if (item->kind == ExprKind::kSlice) {
        std::vector<Expr> parts = item->args;
        for (Expr& part : parts) KILN_RETURN_IF_ERROR(ToIndex(part));
        type.shape.push_back(parts[1]);
        args.push_back(WithArgs(item, std::move(parts)));
      } else {
        Expr index = item;
        KILN_RETURN_IF_ERROR(ToIndex(index));
        args.push_back(std::move(index));
      }
      ++dim;
    }
    for (; dim < rank; ++dim) {  // What is left out is whole.
      type.shape.push_back(base->type.shape[dim]);
      args.push_back(Full());
    }
    if (type.shape.empty()) type = Type{base->type.dtype};
    return WithType(WithArgs(e, std::move(args)), type);
  }

  absl::StatusOr<Expr> TypeReshape(const Expr& e, std::vector<Expr>& args) {
    Type type{args[0]->type.dtype, 1, true, {}};
    Expr before = WithType(Int(1), {DType::kI64}), after = before;
    for (const Expr& extent : args[0]->type.shape) before = WithType(before * extent, {DType::kI64});
    for (size_t i = 1; i < args.size(); ++i) {
      KILN_RETURN_IF_ERROR(ToIndex(args[i]));
      type.shape.push_back(args[i]);
      after = WithType(after * args[i], {DType::kI64});
    }
    if (!ProveEqual(before, after, facts_))
      return Fail(e, absl::StrCat("reshape: ", Describe(args[0]), " has ", ir::Print(Simplify(before, facts_)),
                                  " elements, the new shape ", ir::Print(Simplify(after, facts_))));
    return WithType(WithArgs(e, args), type);
  }

  absl::StatusOr<Expr> TypePermute(const Expr& e, std::vector<Expr>& args) {
    const size_t rank = args[0]->type.shape.size();
    std::vector<int64_t> sorted = e->ints;
    std::sort(sorted.begin(), sorted.end());
    bool valid = sorted.size() == rank;
    for (size_t i = 0; valid && i < rank; ++i) valid = sorted[i] == static_cast<int64_t>(i);
    if (!valid)
      return Fail(e, absl::StrCat("permute: expected an order of the ", rank, " dimensions of ", Describe(args[0])));
    Type type{args[0]->type.dtype, 1, true, {}};
    for (int64_t dim : e->ints) type.shape.push_back(args[0]->type.shape[dim]);
    return WithType(WithArgs(e, args), type);
  }

  absl::StatusOr<Expr> TypeReinterpret(const Expr& e, std::vector<Expr>& args) {
    Type type = args[0]->type;
    if (type.shape.empty()) return Fail(e, "reinterpret: expected a tensor with at least one dimension");
    int from = Bits(type.dtype), to = Bits(e->dtype.dtype);
    Expr scaled = type.shape.back();
    if (from > to) scaled = WithType(scaled * WithType(Int(from / to), {DType::kI64}), {DType::kI64});
    if (from < to) {
      scaled = Simplify(scaled, facts_);
      int64_t extent;
      if (IsConst(scaled, &extent) && extent * from % to != 0)
        return Fail(e, absl::StrCat("reinterpret: rows of ", extent, " ", std::string(Name(type.dtype)),
                                    " do not divide into ", std::string(Name(e->dtype.dtype))));
      scaled = WithType(FloorDiv(scaled, WithType(Int(to / from), {DType::kI64})), {DType::kI64});
    }
    type.shape.back() = Simplify(scaled, facts_);
    type.dtype = e->dtype.dtype;
    return WithType(WithArgs(e, args), type);
  }

  absl::StatusOr<Expr> TypeUnary(const Expr& e, std::vector<Expr>& args) {
    Type type = args[0]->type;
    if (e->op == Op::kNot) {
      if (type.dtype != DType::kBool) return Fail(e, absl::StrCat("not: expected a bool, found ", Describe(args[0])));
    } else {
      type.dtype = ArithmeticType(type.dtype);
      if (type.dtype == DType::kNone || (e->op == Op::kBitNot && !IsInteger(type.dtype)))
        return Fail(e, absl::StrCat("expected a number, found ", Describe(args[0])));
      if (e->op == Op::kNeg && args[0]->kind == ExprKind::kInt)
        return At(WithType(Int(-args[0]->int_value, args[0]->dtype.dtype), type), e->at);
      if (e->op == Op::kNeg && args[0]->kind == ExprKind::kFloat)
        return At(WithType(Float(-args[0]->float_value, args[0]->dtype.dtype), args[0]->type), e->at);
      args[0] = ConvertTo(args[0], type.dtype);
    }
    return WithType(WithArgs(e, args), type);
  }

  static bool IsLiteral(const Expr& e) {
    return (e->kind == ExprKind::kInt || e->kind == ExprKind::kFloat) && !e->dtype.Known();
  }

  // The common dtype of operands; kNone when there is none.
  static DType Common(const std::vector<Expr>& args) {
    DType out = DType::kNone;
    for (int literals : {0, 1}) {
      for (const Expr& arg : args) {
        if (IsLiteral(arg) != (literals == 1)) continue;
        DType dtype = ArithmeticType(arg->type.dtype);
        if (dtype == DType::kNone) return DType::kNone;
        if (out == DType::kNone) {
          out = dtype;
        } else if (literals == 1) {
          if (IsFloat(dtype) && !IsFloat(out)) out = dtype;
        } else {
          out = Promote(out, dtype);
          if (out == DType::kNone) return out;
        }
      }
    }
    return out;
  }

  static DType Promote(DType a, DType b) {
    if (a == b) return a;
    if (IsFloat(a) && IsFloat(b)) return DType::kF64;
    if (IsFloat(a)) return a;
    if (IsFloat(b)) return b;
    if (IsSigned(a) == IsSigned(b)) return Bits(a) > Bits(b) ? a : b;
    DType is_unsigned = IsUnsigned(a) ? a : b;
    return is_unsigned == DType::kU32 ? DType::kI64 : DType::kNone;
  }

  absl::StatusOr<Type> BroadcastType(const Expr& at, const std::vector<Expr>& args, DType dtype) {
    Type out{dtype};
    for (const Expr& arg : args) {
      if (arg->type.lanes > out.lanes) out.lanes = arg->type.lanes;
      if (!arg->type.tile) continue;
      if (!out.tile) {
        out.tile = true;
        out.shape = arg->type.shape;
        continue;
      }
      if (out.shape.size() != arg->type.shape.size())
        return Fail(at, absl::StrCat("expected operands of one rank, found ", Describe(args[0]), " and ", Describe(arg),
                                     "; write `_` for a dimension to broadcast along"));
      for (size_t i = 0; i < out.shape.size(); ++i) {
        if (IsConst(out.shape[i], 1)) out.shape[i] = arg->type.shape[i];
        if (IsConst(arg->type.shape[i], 1) || ProveEqual(out.shape[i], arg->type.shape[i], facts_)) continue;
        return Fail(at, absl::StrCat("axis ", i, ": expected equal extents, found ", Describe(args[0]), " and ",
                                     Describe(arg)));
      }
    }
    return out;
  }

  absl::StatusOr<Expr> TypeBinary(const Expr& e, std::vector<Expr>& args) {
    bool logic = e->op == Op::kAnd || e->op == Op::kOr;
    bool compare = e->op >= Op::kEq && e->op <= Op::kGe;
    DType dtype = logic ? DType::kBool : Common(args);
    if (compare && args[0]->type.dtype == DType::kBool && args[1]->type.dtype == DType::kBool) dtype = DType::kBool;
    if (logic)
      for (const Expr& arg : args)
        if (arg->type.dtype != DType::kBool) return Fail(e, absl::StrCat("expected a bool, found ", Describe(arg)));
    if (dtype == DType::kNone)
      return Fail(
          e, absl::StrCat("no common type of ", Describe(args[0]), " and ", Describe(args[1]), "; cast one of them"));
    bool integral = e->op == Op::kMod || e->op == Op::kCeilDiv || (e->op >= Op::kBitAnd && e->op <= Op::kShr);
    if (integral && !IsInteger(dtype))
      return Fail(e, absl::StrCat("expected integers, found ", Describe(args[0]), " and ", Describe(args[1])));
    if (!logic)
      for (Expr& arg : args) arg = ConvertTo(arg, dtype);
    KILN_ASSIGN_OR_RETURN(Type type, BroadcastType(e, args, compare ? DType::kBool : dtype));
    return WithType(WithArgs(e, args), type);
  }

  absl::StatusOr<Expr> TypeSelect(const Expr& e, std::vector<Expr>& args) {
    if (args[0]->type.dtype != DType::kBool)
      return Fail(e, absl::StrCat("select: expected a condition first, found ", Describe(args[0])));
    std::vector<Expr> branches = {args[1], args[2]};
    DType dtype = branches[0]->type.dtype == DType::kBool && branches[1]->type.dtype == DType::kBool ? DType::kBool
                                                                                                     : Common(branches);
    if (dtype == DType::kNone)
      return Fail(e, absl::StrCat("select: no common type of ", Describe(args[1]), " and ", Describe(args[2])));
    args[1] = ConvertTo(args[1], dtype);
    args[2] = ConvertTo(args[2], dtype);
    KILN_ASSIGN_OR_RETURN(Type type, BroadcastType(e, args, dtype));
    return WithType(WithArgs(e, args), type);
  }

  absl::StatusOr<Expr> TypeMath(const Expr& e, std::vector<Expr>& args) {
    DType dtype = Common(args);
    if (dtype == DType::kNone) return Fail(e, absl::StrCat("expected numbers, found ", Describe(args[0])));
    if (e->op != Op::kAbs && !IsFloat(dtype)) dtype = DType::kF32;
    for (Expr& arg : args) arg = ConvertTo(arg, dtype);
    KILN_ASSIGN_OR_RETURN(Type type, BroadcastType(e, args, e->op == Op::kIsNan ? DType::kBool : dtype));
    return WithType(WithArgs(e, args), type);
  }

  absl::StatusOr<Expr> TypeCall(const Expr& e) {
    const ir::IntrinsicInfo* info = ir::FindIntrinsic(e->name);
    if (!info) return Fail(e, absl::StrCat("unknown function `", e->name, "`"));
    KILN_ASSIGN_OR_RETURN(std::vector<Expr> args, TypeAll(e->args));
    if (std::string problem = SettleOperands(*info, facts_, args); !problem.empty()) return Fail(e, problem);
    Type type{e->dtype.Known() ? e->dtype.dtype : args.empty() ? DType::kBool : args[0]->type.dtype};
    if (info->id == ir::Intrinsic::kPack2) type.lanes = 2;
    if (info->effect != '-') type = Type{DType::kBool};
    return WithType(WithArgs(e, std::move(args)), type);
  }

  // --- Tile operations

  absl::StatusOr<Expr> TypeTileOp(const Expr& e) {
    KILN_ASSIGN_OR_RETURN(std::vector<Expr> args, TypeAll(e->args));
    Node node = *e;
    for (Attr& attr : node.attrs) {
      KILN_ASSIGN_OR_RETURN(attr.value, TypeExpr(attr.value));
      attr.value = Simplify(attr.value, facts_);
    }
    for (Attr& attr : node.tile.via_config) {
      if (attr.value->kind == ExprKind::kVar) continue;  // A word, as `all`
      KILN_ASSIGN_OR_RETURN(attr.value, TypeExpr(attr.value));
    }
    node.args = args;
    node.type = Type{DType::kBool};
    if (IsReduction(e->tile.op)) return TypeReduction(e, std::move(node));
    if (ir::IsRingOp(e->tile.op)) {
      if (ir::FindTileOp(e->tile.op)->value) node.type = {DType::kI64};
      return MakeExpr(std::move(node));
    }
    auto reference = [&](size_t i) -> absl::Status {
      if (i < args.size() && IsTileReference(args[i])) return absl::OkStatus();
      return Fail(e, absl::StrCat("operand ", i + 1, ": expected a tensor or a slice of one, found ",
                                  i < args.size() ? Describe(args[i]) : "nothing"));
    };
    switch (e->tile.op) {
      case TileOpKind::kCopy:
      case TileOpKind::kCopyAsync:
      case TileOpKind::kPermuteLayout:
      case TileOpKind::kAtomicAdd:
      case TileOpKind::kAtomicMax:
      case TileOpKind::kAtomicMin: {
        KILN_RETURN_IF_ERROR(reference(0));
        if (args.size() != 2) return Fail(e, "expected (destination, source)");
        // A copy from an expression is a map into the destination: `cta.copy(y, xs * inv)`.
        KILN_RETURN_IF_ERROR(CheckFits(args[1], args[0]->type, e->at));
        if (!IsTileReference(args[1])) node.args[1] = ConvertTo(args[1], args[0]->type.dtype);
        break;
      }
      case TileOpKind::kFill:
        KILN_RETURN_IF_ERROR(reference(0));
        if (args.size() != 2 || args[1]->type.tile) return Fail(e, "fill: expected (tile, scalar)");
        node.args[1] = ConvertTo(args[1], args[0]->type.dtype);
        break;
      case TileOpKind::kGemm:
      case TileOpKind::kGemmAsync:
        KILN_RETURN_IF_ERROR(CheckGemm(e, args));
        break;
      case TileOpKind::kGather:
      case TileOpKind::kScatter:
        for (size_t i = 0; i < 3; ++i) KILN_RETURN_IF_ERROR(reference(i));
        break;
      default:
        break;
    }
    return MakeExpr(std::move(node));
  }

  // Whether a tile of one thread's own is in it.
  bool IsOneThreads(const Expr& tile) const {
    return Any(tile, [&](const Expr& e) { return e->kind == ExprKind::kVar && thread_tiles_.count(e->name) != 0; });
  }

  absl::StatusOr<Expr> TypeReduction(const Expr& e, Node node) {
    if (node.args.size() != 1) return Fail(e, "reduction: expected one tile");
    Expr& tile = node.args[0];
    if (!tile->type.tile) return Fail(e, absl::StrCat("reduction: expected a tile, found ", Describe(tile)));
    DType dtype = e->tile.op == TileOpKind::kAny ? DType::kBool : ArithmeticType(tile->type.dtype);
    if (dtype == DType::kNone || (e->tile.op == TileOpKind::kAny && tile->type.dtype != DType::kBool))
      return Fail(e, absl::StrCat("reduction: cannot reduce ", Describe(tile)));
    if (dtype != DType::kBool) tile = ConvertTo(tile, dtype);
    node.type = Type{dtype};
    if (Expr axis = FindAttr(node, "axis")) {
      int64_t value;
      int64_t rank = static_cast<int64_t>(tile->type.shape.size());
      if (!IsConst(axis, &value) || value < 0 || value >= rank)
        return Fail(e, absl::StrCat("reduction: expected a constant axis below ", rank, ", found ", ir::Print(axis)));
      if (rank > 1) {
        node.type.tile = true;
        node.type.shape = tile->type.shape;
        node.type.shape.erase(node.type.shape.begin() + value);
        if (node.tile.team == Team::kThread && !IsOneThreads(tile))
          node.type.shape.push_back(WithType(Int(ir::kPartsOfRow), {DType::kI64}));
      }
    }
    return MakeExpr(std::move(node));
  }

  absl::Status CheckGemm(const Expr& e, const std::vector<Expr>& args) {
    if (args.size() != 3) return Fail(e, "gemm: expected (accumulator, a, b)");
    for (const Expr& arg : args)
      if (!IsTileReference(arg) || arg->type.shape.size() != 2)
        return Fail(e, absl::StrCat("gemm: expected a tile of two dimensions, found ", Describe(arg)));
    auto flag = [&](const char* name) {
      Expr value = FindAttr(*e, name);
      return value && value->kind == ExprKind::kBool && value->int_value != 0;
    };
    bool ta = flag("trans_a"), tb = flag("trans_b");
    const auto &c = args[0]->type.shape, &a = args[1]->type.shape, &b = args[2]->type.shape;
    if (!ProveEqual(c[0], a[ta ? 1 : 0], facts_) || !ProveEqual(c[1], b[tb ? 0 : 1], facts_) ||
        !ProveEqual(a[ta ? 0 : 1], b[tb ? 1 : 0], facts_))
      return Fail(e,
                  absl::StrCat("gemm: shapes do not agree: accumulator ", Describe(args[0]), ", a ", Describe(args[1]),
                               ta ? " transposed" : "", ", b ", Describe(args[2]), tb ? " transposed" : ""));
    if (args[1]->type.dtype != args[2]->type.dtype)
      return Fail(e, absl::StrCat("gemm: expected a and b of one dtype, found ", Describe(args[1]), " and ",
                                  Describe(args[2])));
    return absl::OkStatus();
  }

  ir::Kernel& kernel_;
  const Facts& facts_;
  std::map<std::string, Binding> names_;
  std::set<std::string> thread_tiles_;  // That one thread owns
};

}  // namespace

DType ArithmeticType(DType dtype) {
  if (IsNarrowFloat(dtype)) return DType::kF32;
  if (IsInteger(dtype) && Bits(dtype) < 32) return DType::kI32;
  return dtype == DType::kBool ? DType::kNone : dtype;
}

Expr ConvertTo(const Expr& e, DType dtype) {
  if (e->type.dtype == dtype) return e;
  Type type = e->type;
  type.dtype = dtype;
  if (e->kind == ExprKind::kInt && IsInteger(dtype))
    return At(WithType(Int(e->int_value, dtype == DType::kI64 ? DType::kNone : dtype), type), e->at);
  if (e->kind == ExprKind::kInt && (dtype == DType::kF32 || dtype == DType::kF64)) {
    double value = static_cast<double>(e->int_value);
    return At(WithType(dtype == DType::kF32 ? Float(static_cast<float>(value)) : Float(value, dtype), type), e->at);
  }
  if (e->kind == ExprKind::kFloat && (dtype == DType::kF32 || dtype == DType::kF64)) {
    double value = e->float_value;
    return At(WithType(dtype == DType::kF32 ? Float(static_cast<float>(value)) : Float(value, dtype), type), e->at);
  }
  return WithType(Cast({dtype, ""}, e), type);
}

absl::Status TypeKernel(ir::Kernel& kernel, const Facts& facts) { return Typer(kernel, facts).Run(); }

}  // namespace kiln
