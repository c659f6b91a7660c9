#include <numeric>

#include "absl/strings/str_split.h"
#include "compiler/codegen/cuda/printer.h"
#include "compiler/codegen/cuda/types.h"
#include "compiler/ir/visit.h"
#include "compiler/specialize/simplify_body.h"
#include "compiler/support/str_cat.h"

namespace kiln::cuda {
namespace {

using ir::StmtKind;
using ir::StmtNode;

// Elements of the flat storage of a tensor; -1 when an extent is not constant.
int64_t Elements(const ir::TensorDecl& tensor) {
  int64_t count = 1;
  if (!tensor.padded.empty()) {
    for (int64_t extent : tensor.padded) count *= extent;
    return count;
  }
  for (const Expr& extent : tensor.shape) {
    int64_t value = 0;
    if (!IsConst(extent, &value)) return -1;
    count *= value;
  }
  return count;
}

bool CallsMatrixUnit(const ir::Block& body) {
  bool calls = false;
  ir::ForEachStmt(body, [&](const ir::Stmt& stmt) {
    calls |= stmt->kind == StmtKind::kEval && stmt->value->kind == ExprKind::kCall && stmt->value->name == "wgmma";
  });
  return calls;
}

}  // namespace

void Printer::Line(std::string_view text) { lines_.push_back(StrCat(std::string(2 * depth_, ' '), text)); }

void Printer::Nested(const ir::Block& block) {
  ++depth_;
  PrintBlock(block);
  --depth_;
}

void Printer::PrintBlock(const ir::Block& block) {
  for (const ir::Stmt& stmt : block) Print(*stmt);
}

void Printer::Print(const StmtNode& stmt) {
  switch (stmt.kind) {
    case StmtKind::kLet:
      return PrintLet(stmt);
    case StmtKind::kMutable:
      return PrintMutable(stmt);
    case StmtKind::kAlloc:
      return PrintAlloc(stmt);
    case StmtKind::kAssign:
      return PrintAssign(stmt);
    case StmtKind::kFor:
      return PrintFor(stmt);
    case StmtKind::kStore:
      return PrintStore(stmt);
    case StmtKind::kIf:
      return PrintIf(stmt, "if (");
    case StmtKind::kEval:
      if (stmt.value->kind != ExprKind::kCall) {
        Fail("a value that nothing uses");
        return;
      }
      return PrintCall(*Typed(stmt.value));
    case StmtKind::kWhile:
      Line(StrCat("while (", Condition(Typed(stmt.value)).text, ") {"));
      Nested(stmt.body);
      return Line("}");
    case StmtKind::kAssume:
      Line(StrCat("__builtin_assume(", Condition(Typed(stmt.value)).text, ");"));
      facts_ = Assuming(Typed(stmt.value), std::move(facts_));
      return;
    case StmtKind::kAssert:
      return Line(StrCat("if (!", Operand(Condition(Typed(stmt.value)), kPrefix), ") __trap();"));
    case StmtKind::kReturn:
      return Line("return;");
    case StmtKind::kBreak:
      return Line("break;");
    case StmtKind::kContinue:
      return Line("continue;");
    case StmtKind::kRing:
      Fail("a ring is barriers by now");
      return;
    case StmtKind::kRole:
    case StmtKind::kSchedule:
    case StmtKind::kTiles:
      Fail("roles and schedules are branches and loops by now");
      return;
    case StmtKind::kComment:
      for (absl::string_view line : absl::StrSplit(stmt.text, '\n')) Line(StrCat("// ", line));
      return;
  }
}

void Printer::PrintLet(const StmtNode& stmt) {
  Expr value = Typed(stmt.value);
  Type type = value->type;
  if (stmt.dtype.Known()) type.dtype = stmt.dtype.dtype;
  Variable variable;
  variable.type = type;
  if (type.lanes > 1) {
    Code code = VectorValue(value, type.dtype, Bytes(type.dtype, type.lanes));
    Line(StrCat("const auto ", names_.Of(stmt.name), " = ", code.text, ";"));
    return Declare(stmt.name, variable);
  }
  Code code = Converted(value, type.dtype);
  std::string type_name = Name(type.dtype);
  if (IsInteger(type.dtype)) {
    Bounds bounds = BoundsOf(value, facts_);
    facts_[stmt.name] = {bounds.min, bounds.max, DivisorOf(value, facts_)};
    if (type.dtype == DType::kI64) {
      variable.wide = !bounds.Within(INT32_MIN, INT32_MAX) && code.wide;
      if (!variable.wide) type_name = "int";
    }
  }
  Line(StrCat("const ", type_name, " ", names_.Of(stmt.name), " = ", code.text, ";"));
  Declare(stmt.name, variable);
}

void Printer::PrintMutable(const StmtNode& stmt) {
  Variable variable;
  variable.type.dtype = stmt.dtype.dtype;
  variable.wide = stmt.dtype.dtype == DType::kI64;
  facts_.erase(stmt.name);
  Code code = Converted(Typed(stmt.value), stmt.dtype.dtype);
  Line(StrCat(Name(stmt.dtype.dtype), " ", names_.Of(stmt.name), " = ", code.text, ";"));
  Declare(stmt.name, variable);
}

void Printer::PrintAlloc(const StmtNode& stmt) {
  const ir::TensorDecl& tensor = stmt.tensor;
  const DType dtype = tensor.dtype.dtype;
  const std::string& name = names_.Of(tensor.name);
  int64_t count = Elements(tensor);
  if (count < 1) {
    Fail(StrCat("tensor \"", tensor.name, "\": expected constant extents"));
    return;
  }
  Variable variable;
  variable.tensor = true;
  variable.space = tensor.space;
  variable.type.dtype = dtype;
  Declare(tensor.name, variable);
  if (stmt.value) Fail(StrCat("tensor \"", tensor.name, "\": an initial value is a loop by now"));
  int64_t vector = vector_bytes_.count(tensor.name) ? vector_bytes_[tensor.name] : 0;
  switch (tensor.space) {
    case ir::Space::kLocal: {
      bool packed = IsPacked(dtype);
      int64_t words = packed ? (count + PerWord(dtype) - 1) / PerWord(dtype) : count;
      int64_t element = packed ? 4 : Bytes(dtype);
      std::string align = vector > element ? StrCat("alignas(", vector, ") ") : "";
      return Line(StrCat(align, packed ? "unsigned" : Name(dtype), " ", name, "[", words, "];"));
    }
    case ir::Space::kShared:
    case ir::Space::kSharedDyn:
      if (tensor.offset >= 0 && kernel_.shared_bytes > 0) {
        std::string place = tensor.offset > 0 ? StrCat("(arena + ", tensor.offset, ")") : "arena";
        return Line(StrCat(Name(dtype), "* const ", name, " = (", Name(dtype), "*)", place, ";"));
      }
      return Line(StrCat("__shared__ alignas(", std::max<int64_t>(16, tensor.align), ") ", Name(dtype), " ", name, "[",
                         count, "];"));
    default:
      Fail(StrCat("tensor \"", tensor.name, "\": its memory space has no CUDA form"));
  }
}

void Printer::PrintAssign(const StmtNode& stmt) {
  const Variable* variable = stmt.target->kind == ExprKind::kVar ? Find(stmt.target->name) : nullptr;
  if (!variable || variable->tensor) {
    Fail("an assignment to something other than a mutable scalar");
    return;
  }
  Code code = Converted(Typed(stmt.value), variable->type.dtype);
  Line(StrCat(names_.Of(stmt.target->name), " = ", code.text, ";"));
}

void Printer::PrintFor(const StmtNode& stmt) {
  Expr begin = Typed(stmt.begin), end = Typed(stmt.end);
  int64_t step = 1;
  if (stmt.step && (!IsConst(stmt.step, &step) || step < 1)) step = 0;
  Expr step_value = stmt.step ? Typed(stmt.step) : nullptr;
  Bounds first = BoundsOf(begin, facts_), last = BoundsOf(end, facts_);
  Bounds steps = step_value ? BoundsOf(step_value, facts_) : Bounds{1, 1};
  // The variable leaves the loop at up to end - 1 + step.
  bool fits = first.min >= INT32_MIN && last.max <= INT32_MAX && steps.min >= 1 && steps.max <= INT32_MAX &&
              last.max - 1 + steps.max <= INT32_MAX && first.max <= INT32_MAX;
  Variable variable;
  variable.type.dtype = DType::kI64;
  variable.wide = !fits;
  Code from = Value(begin), to = Value(end);
  int64_t divisor = std::gcd(DivisorOf(begin, facts_), step_value ? DivisorOf(step_value, facts_) : 1);
  const std::string& name = names_.Of(stmt.name);
  facts_[stmt.name] = {first.min, std::max(first.min, last.max == INT64_MAX ? last.max : last.max - 1), divisor};
  Declare(stmt.name, variable);
  std::string advance = StrCat("++", name);
  if (step != 1) advance = StrCat(name, " += ", Value(step_value).text);
  if (stmt.loop == ir::LoopKind::kUnroll || stmt.loop == ir::LoopKind::kVectorized) lines_.push_back("#pragma unroll");
  // Copies of products in flight, with branches between them, make ptxas serialize them all (C7520).
  else if (CallsMatrixUnit(stmt.body))
    lines_.push_back("#pragma unroll 1");
  if (stmt.loop == ir::LoopKind::kPipelined) Fail("a pipelined loop is a serial one by now");
  Line(StrCat("for (", fits ? "int " : "long long ", name, " = ", from.text, "; ", name, " < ",
              Operand(to, kRelation + 1), "; ", advance, ") {"));
  Nested(stmt.body);
  Line("}");
}

void Printer::PrintIf(const StmtNode& stmt, std::string_view opening) {
  // A scope of its own is all that is left of a condition that always holds.
  if (stmt.value->kind == ExprKind::kBool && stmt.value->int_value && opening == "if (")
    Line("{");
  else
    Line(StrCat(opening, Condition(Typed(stmt.value)).text, ") {"));
  Nested(stmt.body);
  bool chained = stmt.orelse.size() == 1 && stmt.orelse[0]->kind == StmtKind::kIf;
  if (chained) return PrintIf(*stmt.orelse[0], "} else if (");
  if (!stmt.orelse.empty()) {
    Line("} else {");
    Nested(stmt.orelse);
  }
  Line("}");
}

void Printer::PrintStore(const StmtNode& stmt) {
  const Variable* tensor = Tensor(stmt.target);
  if (!tensor) return;
  const std::string& name = names_.Of(stmt.target->name);
  const DType dtype = tensor->type.dtype;
  Expr index = Typed(stmt.begin), value = Typed(stmt.value);
  if (value->type.lanes > 1) {
    int64_t bytes = Bytes(dtype, value->type.lanes);
    std::string place = Place(*tensor, name, index, bytes, dtype);
    return Line(StrCat(place, " = ", VectorValue(value, dtype, bytes).text, ";"));
  }
  Code code = Converted(value, dtype);
  if (tensor->space != ir::Space::kLocal || !IsPacked(dtype))
    return Line(StrCat(name, "[", Value(index).text, "] = ", code.text, ";"));
  std::string bits = IsFloat(dtype) ? StrCat(Operand(code, kPrimary), ".bits") : code.text;
  if (Bits(dtype) == 32) return Line(StrCat(name, "[", Value(index).text, "] = ", bits, ";"));
  std::string_view set = Bits(dtype) == 16 ? "set16" : "set8";
  Use(set);
  Line(StrCat(set, "(", name, ", ", Value(index).text, ", ", bits, ");"));
}

}  // namespace kiln::cuda
