// Statements of native kernels.
#include "absl/strings/str_cat.h"
#include "compiler/codegen/llvm/kernel_printer.h"
#include "compiler/expr/bounds.h"
#include "kiln/internal/status_macros.h"

namespace kiln::llvm_text {
namespace {

// A tensor without a place in scratch stands on the worker's stack, which has room for little.
constexpr int64_t kMaxStackBytes = 4096;
constexpr int64_t kScratchAlign = 64;

}  // namespace

KernelPrinter::KernelPrinter(const ir::Kernel& kernel, Helpers& helpers)
    : kernel_(kernel), values_(out_, helpers), helpers_(helpers) {}

absl::StatusOr<std::string> KernelPrinter::Print() {
  for (const ir::SymbolFact& fact : kernel_.symbol_facts) facts_[fact.name] = {fact.min, fact.max, fact.divisor};
  for (const char* reserved : {"params", "cta_x", "cta_y", "cta_z", "scratch"}) out_.Unique(reserved);
  BindParameters();
  KILN_RETURN_IF_ERROR(Block(kernel_.body));
  out_.Return("void");
  return out_.Finish();
}

// Parameters are read once, at the top: eight bytes each, then the grid's three extents.
void KernelPrinter::BindParameters() {
  size_t slot = 0;
  auto address = [&] {
    return slot == 0 ? (++slot, std::string("%params"))
                     : out_.Set("getelementptr inbounds i64, ptr %params, i64 ", slot++);
  };
  auto define = [&](const std::string& name, const std::string& type, const std::string& at) {
    std::string pointer = out_.Unique(name);
    out_.Line(pointer, " = load ", type, ", ptr ", at, ", align 8");
    return pointer;
  };
  for (const ir::NativeParam& param : kernel_.native_params) {
    std::string at = address();
    Binding binding;
    if (param.kind == ir::NativeParam::Kind::kPointer) {
      binding.kind = Binding::Kind::kTensor;
      binding.pointer = define(param.name, "ptr", at);
      binding.value.dtype = param.dtype;
    } else {
      bool symbol = param.kind == ir::NativeParam::Kind::kSymbol;
      DType dtype = symbol || param.dtype == DType::kNone ? DType::kI64 : param.dtype;
      binding.value = {define(param.name, dtype == DType::kBool ? "i8" : HeldAs(dtype), at), dtype, 1};
      if (dtype == DType::kBool) {
        binding.value.dtype = DType::kU8;
        binding.value = values_.Convert(binding.value, DType::kBool);
      }
    }
    names_[param.name] = binding;
  }
  for (const char* name : {"grid.x", "grid.y", "grid.z"})
    names_[name].value = {define(name, "i64", address()), DType::kI64, 1};
  names_["cta_id.x"].value = {"%cta_x", DType::kI64, 1};
  names_["cta_id.y"].value = {"%cta_y", DType::kI64, 1};
  names_["cta_id.z"].value = {"%cta_z", DType::kI64, 1};
  for (const char* name : {"thread_id", "lane_id", "warp_id"}) names_[name].value = Values::IntLiteral(0, DType::kI64);
}

absl::Status KernelPrinter::Block(const ir::Block& block) {
  auto outer_names = names_;
  auto outer_facts = facts_;
  for (const ir::Stmt& stmt : block) KILN_RETURN_IF_ERROR(Statement(*stmt));
  names_ = std::move(outer_names);
  facts_ = std::move(outer_facts);
  return absl::OkStatus();
}

absl::Status KernelPrinter::Statement(const ir::StmtNode& stmt) {
  switch (stmt.kind) {
    case ir::StmtKind::kLet:
      return LetValue(stmt);
    case ir::StmtKind::kMutable:
      return MutableScalar(stmt);
    case ir::StmtKind::kAlloc:
      return Allocation(stmt);
    case ir::StmtKind::kAssign:
      return Assignment(stmt);
    case ir::StmtKind::kStore:
      return ElementStore(stmt);
    case ir::StmtKind::kFor:
      return ForLoop(stmt);
    case ir::StmtKind::kWhile:
      return WhileLoop(stmt);
    case ir::StmtKind::kIf:
      return Conditional(stmt);
    case ir::StmtKind::kEval:
      return Eval(stmt.value).status();
    case ir::StmtKind::kComment:
      out_.Line("; ", stmt.text);
      return absl::OkStatus();
    case ir::StmtKind::kReturn:
      out_.Return("void");
      return absl::OkStatus();
    case ir::StmtKind::kBreak:
    case ir::StmtKind::kContinue:
      KILN_CHECK(!loops_.empty(), "break and continue stand in loops");
      out_.Branch(stmt.kind == ir::StmtKind::kBreak ? loops_.back().on_break : loops_.back().on_continue);
      return absl::OkStatus();
    case ir::StmtKind::kRing:
    case ir::StmtKind::kRole:
    case ir::StmtKind::kSchedule:
    case ir::StmtKind::kTiles:
      break;
    case ir::StmtKind::kAssume:
    case ir::StmtKind::kAssert:
      return absl::OkStatus();  // For the checkers and the interpreter; machine code trusts them
  }
  KILN_CHECK(false, "a statement that is not native");
}

absl::Status KernelPrinter::LetValue(const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(Value v, Eval(stmt.value));
  if (stmt.dtype.Known()) v = values_.As(v, stmt.dtype.dtype);
  Bounds bounds = BoundsOf(stmt.value, facts_);
  facts_[stmt.name] = {bounds.min, bounds.max, DivisorOf(stmt.value, facts_)};
  names_[stmt.name] = {Binding::Kind::kValue, v, ""};
  return absl::OkStatus();
}

absl::Status KernelPrinter::MutableScalar(const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(Value v, EvalAs(stmt.value, stmt.dtype.dtype));
  std::string pointer = out_.Alloca(stmt.name, v.Type(), Bytes(v.dtype, v.lanes));
  out_.Line("store ", v.Typed(), ", ptr ", pointer);
  facts_.erase(stmt.name);
  names_[stmt.name] = {Binding::Kind::kMutable, {"", v.dtype, v.lanes}, pointer};
  return absl::OkStatus();
}

absl::Status KernelPrinter::Allocation(const ir::StmtNode& stmt) {
  const ir::TensorDecl& tensor = stmt.tensor;
  Binding binding{Binding::Kind::kTensor, {"", tensor.dtype.dtype, 1}, ""};
  if (tensor.offset >= 0) {
    binding.pointer = out_.Unique(tensor.name);
    out_.Line(binding.pointer, " = getelementptr inbounds i8, ptr %scratch, i64 ", tensor.offset);
  } else {
    int64_t elements = 1;
    for (const Expr& extent : tensor.shape) {
      int64_t value = 0;
      KILN_CHECK(IsConst(extent, &value) && value >= 0 && value <= kMaxStackBytes, "\"", tensor.name,
                 "\" has no place in scratch");
      elements *= value;
      KILN_CHECK(elements <= kMaxStackBytes, "\"", tensor.name, "\" has no place in scratch");
    }
    KILN_CHECK(Bytes(tensor.dtype.dtype, elements) <= kMaxStackBytes, "\"", tensor.name, "\" has no place in scratch");
    binding.pointer =
        out_.Alloca(tensor.name, absl::StrCat("[", Bytes(tensor.dtype.dtype, elements), " x i8]"), kScratchAlign);
  }
  names_[tensor.name] = binding;
  return absl::OkStatus();
}

absl::Status KernelPrinter::Assignment(const ir::StmtNode& stmt) {
  KILN_CHECK(stmt.target->kind == ExprKind::kVar, "native assignments are to scalars");
  auto it = names_.find(stmt.target->name);
  KILN_CHECK(it != names_.end() && it->second.kind == Binding::Kind::kMutable, "\"", stmt.target->name,
             "\" is no mutable scalar");
  KILN_ASSIGN_OR_RETURN(Value v, EvalAs(stmt.value, it->second.value.dtype));
  v = values_.Broadcast(v, it->second.value.lanes);
  out_.Line("store ", v.Typed(), ", ptr ", it->second.pointer);
  return absl::OkStatus();
}

absl::Status KernelPrinter::ForLoop(const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(Value begin, EvalAs(stmt.begin, DType::kI64));
  KILN_ASSIGN_OR_RETURN(Value end, EvalAs(stmt.end, DType::kI64));
  Value step = Values::IntLiteral(1, DType::kI64);
  if (stmt.step) {
    KILN_ASSIGN_OR_RETURN(step, EvalAs(stmt.step, DType::kI64));
  }
  std::string index = out_.Unique(stmt.name);
  std::string head = out_.NewLabel(stmt.name + ".head"), body = out_.NewLabel(stmt.name + ".body");
  std::string next = out_.NewLabel(stmt.name + ".next"), done = out_.NewLabel(stmt.name + ".done");
  std::string index_next = out_.Unique(stmt.name + ".step");
  out_.Branch(head);
  std::string before = out_.block();
  out_.StartBlock(head);
  out_.Line(index, " = phi i64 [ ", begin.text, ", %", before, " ], [ ", index_next, ", %", next, " ]");
  std::string more = out_.Set("icmp slt i64 ", index, ", ", end.text);
  out_.BranchIf(more, body, done);
  out_.StartBlock(body);

  auto outer_names = names_;
  auto outer_facts = facts_;
  Bounds first = BoundsOf(stmt.begin, facts_), last = BoundsOf(stmt.end, facts_);
  names_[stmt.name] = {Binding::Kind::kValue, {index, DType::kI64, 1}, ""};
  facts_[stmt.name] = {first.min, last.max == INT64_MIN ? last.max : last.max - 1, 1};
  loops_.push_back({next, done});
  KILN_RETURN_IF_ERROR(Block(stmt.body));
  loops_.pop_back();
  names_ = std::move(outer_names);
  facts_ = std::move(outer_facts);

  out_.StartBlock(next);
  out_.Line(index_next, " = add nsw i64 ", index, ", ", step.text);
  out_.Branch(head, stmt.loop == ir::LoopKind::kUnroll ? ", !llvm.loop !1" : "");
  out_.StartBlock(done);
  return absl::OkStatus();
}

absl::Status KernelPrinter::WhileLoop(const ir::StmtNode& stmt) {
  std::string head = out_.NewLabel("while.head"), body = out_.NewLabel("while.body"),
              done = out_.NewLabel("while.done");
  out_.StartBlock(head);
  KILN_ASSIGN_OR_RETURN(Value condition, EvalAs(stmt.value, DType::kBool));
  out_.BranchIf(condition.text, body, done);
  out_.StartBlock(body);
  loops_.push_back({head, done});
  KILN_RETURN_IF_ERROR(Block(stmt.body));
  loops_.pop_back();
  out_.Branch(head);
  out_.StartBlock(done);
  return absl::OkStatus();
}

absl::Status KernelPrinter::Conditional(const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(Value condition, EvalAs(stmt.value, DType::kBool));
  std::string then = out_.NewLabel("if.then"), done = out_.NewLabel("if.done");
  std::string otherwise = stmt.orelse.empty() ? done : out_.NewLabel("if.else");
  out_.BranchIf(condition.text, then, otherwise);
  out_.StartBlock(then);
  KILN_RETURN_IF_ERROR(Block(stmt.body));
  out_.Branch(done);
  if (!stmt.orelse.empty()) {
    out_.StartBlock(otherwise);
    KILN_RETURN_IF_ERROR(Block(stmt.orelse));
    out_.Branch(done);
  }
  out_.StartBlock(done);
  return absl::OkStatus();
}

}  // namespace kiln::llvm_text
