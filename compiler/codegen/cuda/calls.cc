// Native intrinsics: one function a row of compiler/ir/intrinsics.inc that has a CUDA form.
#include "compiler/codegen/cuda/printer.h"
#include "compiler/codegen/cuda/types.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/support/str_cat.h"

namespace kiln::cuda {
namespace {

using ir::Intrinsic;

}  // namespace

int64_t Constant(const Expr& e) {
  int64_t value = -1;
  if (e->kind == ExprKind::kBool) return e->int_value;
  IsConst(e, &value);
  return value;
}

Code Printer::CallValue(const Node& node) {
  const ir::IntrinsicInfo* info = ir::FindIntrinsic(node.name);
  if (!info) return Fail(StrCat("there is no intrinsic ", node.name));
  if (!ir::TakesArguments(*info, node.args.size()))
    return Fail(StrCat(node.name, ": expected ", ir::ArgumentsTaken(*info), " arguments, found ", node.args.size()));
  if (!info->feature.empty() && !target_.Has(std::string(info->feature)))
    return Fail(
        StrCat("intrinsic ", node.name, " needs ", ir::FeatureNeeded(*info), ", which ", target_.name, " has not"));
  switch (info->id) {
    case Intrinsic::kShflIdx:
    case Intrinsic::kShflXor:
      return Shuffle(node);
    case Intrinsic::kPack2:
      return Pack2(node);
    case Intrinsic::kElect:
      Use("elect");
      return {"elect()", kPrimary, false};
    default:
      return Fail(StrCat("intrinsic ", node.name, " as a value"));
  }
}

void Printer::PrintCall(const Node& node) {
  const ir::IntrinsicInfo* info = ir::FindIntrinsic(node.name);
  if (!info || !ir::TakesArguments(*info, node.args.size())) {
    Fail(StrCat("intrinsic ", node.name, ": unknown, or of another number of arguments"));
    return;
  }
  if (!info->feature.empty() && !target_.Has(std::string(info->feature))) {
    Fail(StrCat("intrinsic ", node.name, " needs ", ir::FeatureNeeded(*info), ", which ", target_.name, " has not"));
    return;
  }
  if (PrintCopyEngine(node) || PrintMatrixUnit(node)) return;
  switch (info->id) {
    case Intrinsic::kBarrier:
      return Line("__syncthreads();");
    case Intrinsic::kNamedBarrier:
      Use("named_barrier");
      return Line(StrCat("named_barrier<", Constant(node.args[0]), ", ", Constant(node.args[1]), ">();"));
    case Intrinsic::kClusterBarrier:
      Use("cluster_barrier");
      return Line("cluster_barrier();");
    case Intrinsic::kSetMaxRegisters: {
      const std::string function = Constant(node.args[1]) ? "raise_registers" : "lower_registers";
      Use(function);
      return Line(StrCat(function, "<", Constant(node.args[0]), ">();"));
    }
    case Intrinsic::kWarpBarrier:
      return Line("__syncwarp();");
    case Intrinsic::kTransposeQuads:
      Use("transpose_quads");
      return Line(StrCat("transpose_quads(", ElementAddress(node.args[0], node.args[1]), ");"));
    case Intrinsic::kLdMatrix:
    case Intrinsic::kStMatrix:
      return PrintFragments(node);
    case Intrinsic::kMma:
      return PrintMma(node);
    case Intrinsic::kCpAsync:
      return PrintCpAsync(node);
    case Intrinsic::kCpAsyncCommit:
      Use("cp_async_commit");
      return Line("cp_async_commit();");
    case Intrinsic::kCpAsyncWait:
      Use("cp_async_wait");
      return Line(StrCat("cp_async_wait<", Constant(node.args[0]), ">();"));
    case Intrinsic::kAtomicAdd:
      return PrintAtomicAdd(node);
    case Intrinsic::kAtomicMax:
    case Intrinsic::kAtomicMin:
      return PrintAtomicBound(node, info->id == Intrinsic::kAtomicMax);
    default:
      Fail(StrCat("intrinsic ", node.name, " for its effect"));
  }
}

// Narrow values travel as the f32 or i32 that holds them exactly.
Code Printer::Shuffle(const Node& node) {
  DType dtype = node.type.dtype;
  DType carried = IsNarrowFloat(dtype) ? DType::kF32 : Bits(dtype) < 32 ? DType::kI32 : dtype;
  std::string_view function = node.name == "shfl" ? "__shfl_sync" : "__shfl_xor_sync";
  Code value = Converted(node.args[0], carried);
  if (dtype == DType::kI64) value = Widened(value);
  Code code = CallOf(function, {"0xffffffffu", value.text, Value(node.args[1]).text});
  code.wide = dtype == DType::kI64;
  if (carried == dtype) return code;
  return IsNarrowFloat(dtype) ? ToNarrowFloat(code, carried, dtype) : CastTo(CType(dtype), code);
}

Code Printer::Pack2(const Node& node) {
  DType dtype = node.dtype.Known() ? node.dtype.dtype : node.type.dtype;
  std::string function = StrCat("pack_", kiln::Name(dtype));
  if (!Prelude::HasPiece(function)) return Fail(StrCat("pack2 to ", kiln::Name(dtype), ": expected f16 or bf16"));
  Use(function);
  return CallOf(function, {Converted(node.args[0], DType::kF32).text, Converted(node.args[1], DType::kF32).text});
}

// "&x[i]", or the word of a packed tensor; "x" for its first element.
std::string Printer::ElementAddress(const Expr& tensor, const Expr& index) {
  const Variable* variable = Tensor(tensor);
  if (!variable) return "";
  bool packed = variable->space == ir::Space::kLocal && IsPacked(variable->type.dtype);
  std::string text = packed ? WordIndex(index, variable->type.dtype) : Value(index).text;
  const std::string& name = names_.Of(tensor->name);
  return text == "0" ? name : StrCat("&", name, "[", text, "]");
}

void Printer::PrintFragments(const Node& node) {
  int64_t count = Constant(node.args[4]);
  std::string function = StrCat(node.name, "_", Constant(node.args[5]) == 1 ? "trans_" : "", "x", count);
  if (!Prelude::HasPiece(function)) {
    Fail(StrCat(node.name, " of ", count, " matrices: expected 1, 2 or 4"));
    return;
  }
  Use(function);
  Line(StrCat(function, "(", ElementAddress(node.args[0], node.args[1]), ", ",
              ElementAddress(node.args[2], node.args[3]), ");"));
}

void Printer::PrintMma(const Node& node) {
  const Variable *acc = Tensor(node.args[0]), *a = Tensor(node.args[2]), *b = Tensor(node.args[4]);
  if (!acc || !a || !b) return;
  DType dtype = a->type.dtype;
  std::string function = StrCat("mma_m16n8k", Constant(node.args[6]), "_", kiln::Name(dtype));
  DType expected = IsInteger(dtype) ? DType::kI32 : DType::kF32;
  if (!Prelude::HasPiece(function) || b->type.dtype != dtype || acc->type.dtype != expected) {
    Fail(StrCat("mma m16n8k", Constant(node.args[6]), " of ", kiln::Name(dtype), " and ", kiln::Name(b->type.dtype),
                " into ", kiln::Name(acc->type.dtype), ": there is no such instruction"));
    return;
  }
  Use(function);
  Line(StrCat(function, "(", ElementAddress(node.args[0], node.args[1]), ", ",
              ElementAddress(node.args[2], node.args[3]), ", ", ElementAddress(node.args[4], node.args[5]), ");"));
}

void Printer::PrintCpAsync(const Node& node) {
  int64_t bytes = Constant(node.args[4]), read = Constant(node.args[5]);
  std::string function = StrCat("cp_async_", bytes);
  if (!Prelude::HasPiece(function)) {
    Fail(StrCat("cp_async of ", bytes, " bytes: expected 4, 8 or 16"));
    return;
  }
  Use(function);
  std::string count = read == bytes ? "" : StrCat(", ", Value(node.args[5]).text);
  Line(StrCat(function, "(", ElementAddress(node.args[0], node.args[1]), ", ",
              ElementAddress(node.args[2], node.args[3]), count, ");"));
}

void Printer::PrintAtomicAdd(const Node& node) {
  const Variable* tensor = Tensor(node.args[0]);
  if (!tensor) return;
  DType dtype = tensor->type.dtype;
  std::string function = "atomicAdd";
  if (dtype == DType::kI64 || dtype == DType::kF16 || dtype == DType::kBF16) {
    function = "atomic_add";
    Use(StrCat("atomic_add_", kiln::Name(dtype)));
  } else if (Bits(dtype) < 32 || dtype == DType::kTF32) {
    Fail(StrCat("atomic_add to ", kiln::Name(dtype)));
    return;
  }
  Line(StrCat(function, "(", ElementAddress(node.args[0], node.args[1]), ", ", Converted(node.args[2], dtype).text,
              ");"));
}

void Printer::PrintAtomicBound(const Node& node, bool max) {
  const Variable* tensor = Tensor(node.args[0]);
  if (!tensor) return;
  DType dtype = tensor->type.dtype;
  std::string function = max ? "atomicMax" : "atomicMin";
  if (dtype == DType::kF32 || dtype == DType::kF64) {
    function = max ? "atomic_max" : "atomic_min";
    Use(StrCat(function, "_", kiln::Name(dtype)));
  } else if (!IsInteger(dtype) || Bits(dtype) < 32) {
    Fail(StrCat(node.name, " to ", kiln::Name(dtype)));
    return;
  }
  Line(StrCat(function, "(", ElementAddress(node.args[0], node.args[1]), ", ", Converted(node.args[2], dtype).text,
              ");"));
}

}  // namespace kiln::cuda
