// Loads and stores of elements and vectors.
#include "absl/strings/str_cat.h"
#include "compiler/codegen/llvm/kernel_printer.h"
#include "compiler/codegen/llvm/lanes.h"
#include "kiln/internal/status_macros.h"

namespace kiln::llvm_text {
namespace {

// In memory a bool is a byte; everything else is as it is held.
std::string StoredAs(DType dtype) { return dtype == DType::kBool ? "i8" : HeldAs(dtype); }

}  // namespace

absl::StatusOr<const KernelPrinter::Binding*> KernelPrinter::Tensor(const Expr& e) {
  KILN_CHECK(e && e->kind == ExprKind::kVar, "a native load or store names its tensor");
  auto it = names_.find(e->name);
  KILN_CHECK(it != names_.end() && it->second.kind == Binding::Kind::kTensor, "no tensor \"", e->name, "\"");
  if (it->second.value.dtype == DType::kF4E2M1)
    return absl::UnimplementedError(absl::StrCat("codegen: tensor \"", e->name, "\": f4e2m1 has no CPU form"));
  return &it->second;
}

absl::StatusOr<Value> KernelPrinter::Address(const Binding& tensor, const Expr& index) {
  KILN_ASSIGN_OR_RETURN(Value i, EvalAs(index, DType::kI64));
  return Value{
      out_.Set("getelementptr inbounds ", StoredAs(tensor.value.dtype), ", ptr ", tensor.pointer, ", ", i.Typed()),
      DType::kU64, i.lanes};
}

Value KernelPrinter::LoadFrom(const std::string& pointer, DType dtype, int lanes, int64_t align) {
  std::string type = VectorType(StoredAs(dtype), lanes);
  Value loaded = Set(dtype == DType::kBool ? DType::kU8 : dtype, lanes,
                     absl::StrCat("load ", type, ", ptr ", pointer, ", align ", align));
  return dtype == DType::kBool ? values_.Convert(loaded, DType::kBool) : loaded;
}

Value KernelPrinter::Gather(const Value& addresses, DType dtype) {
  int lanes = addresses.lanes;
  std::string stored = StoredAs(dtype);
  std::string type = VectorType(stored, lanes);
  Value loaded =
      Set(dtype == DType::kBool ? DType::kU8 : dtype, lanes,
          absl::StrCat("call ", type, " @llvm.masked.gather.", Mangled(stored, lanes), ".", Mangled("ptr", lanes), "(",
                       VectorType("ptr", lanes), " ", addresses.text, ", i32 ", Bytes(dtype), ", ",
                       VectorType("i1", lanes), " ", IntConstant(1, "i1", lanes), ", ", type, " poison)"));
  return dtype == DType::kBool ? values_.Convert(loaded, DType::kBool) : loaded;
}

void KernelPrinter::StoreTo(const std::string& pointer, const Value& value, int64_t align, const std::string& suffix) {
  Value stored = value.dtype == DType::kBool ? values_.Convert(value, DType::kU8) : value;
  out_.Line("store ", stored.Typed(), ", ptr ", pointer, ", align ", align, suffix);
}

void KernelPrinter::Scatter(const Value& addresses, const Value& value) {
  Value stored = value.dtype == DType::kBool ? values_.Convert(value, DType::kU8) : value;
  int lanes = addresses.lanes;
  out_.Line("call void @llvm.masked.scatter.", Mangled(HeldAs(stored.dtype), lanes), ".", Mangled("ptr", lanes), "(",
            stored.Typed(), ", ", VectorType("ptr", lanes), " ", addresses.text, ", i32 ", Bytes(value.dtype), ", ",
            VectorType("i1", lanes), " ", IntConstant(1, "i1", lanes), ")");
}

absl::StatusOr<Value> KernelPrinter::ElementLoad(const Node& node) {
  KILN_ASSIGN_OR_RETURN(const Binding* tensor, Tensor(node.args[0]));
  KILN_ASSIGN_OR_RETURN(Value address, Address(*tensor, node.args[1]));
  DType dtype = tensor->value.dtype;
  if (address.lanes > 1) return Gather(address, dtype);
  return LoadFrom(address.text, dtype, static_cast<int>(node.int_value ? node.int_value : 1), Bytes(dtype));
}

absl::Status KernelPrinter::ElementStore(const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(const Binding* tensor, Tensor(stmt.target));
  KILN_ASSIGN_OR_RETURN(Value value, EvalAs(stmt.value, tensor->value.dtype));
  KILN_ASSIGN_OR_RETURN(Value address, Address(*tensor, stmt.begin));
  if (address.lanes > 1)
    Scatter(address, values_.Broadcast(value, address.lanes));
  else
    StoreTo(address.text, value, Bytes(value.dtype), "");
  return absl::OkStatus();
}

}  // namespace kiln::llvm_text
