// The native intrinsics that a CPU has.
#include "absl/strings/str_cat.h"
#include "compiler/codegen/llvm/kernel_printer.h"
#include "compiler/codegen/llvm/lanes.h"
#include "kiln/internal/status_macros.h"

namespace kiln::llvm_text {
namespace {

// The constant mask of a shuffle: lane i of the result is lane `pick(i)` of the operands side by side.
template <typename Pick>
std::string Mask(int lanes, Pick pick) {
  std::string text = "<";
  for (int i = 0; i < lanes; ++i) absl::StrAppend(&text, i ? ", " : "", "i32 ", pick(i));
  return text + ">";
}

}  // namespace

absl::StatusOr<Value> KernelPrinter::IntrinsicCall(const Node& node) {
  const ir::IntrinsicInfo* info = ir::FindIntrinsic(node.name);
  KILN_CHECK(info, "no intrinsic \"", node.name, "\"");
  switch (info->id) {
    case ir::Intrinsic::kReduceAdd:
    case ir::Intrinsic::kReduceMax:
    case ir::Intrinsic::kReduceMin:
      return LaneReduction(info->id, node);
    case ir::Intrinsic::kZipLow:
      return Zip(false, node);
    case ir::Intrinsic::kZipHigh:
      return Zip(true, node);
    case ir::Intrinsic::kStreamStore:
      KILN_RETURN_IF_ERROR(StreamStore(node));
      return Value{};
    case ir::Intrinsic::kPrefetch:
      KILN_RETURN_IF_ERROR(Prefetch(node));
      return Value{};
    case ir::Intrinsic::kAtomicAdd:
    case ir::Intrinsic::kAtomicMax:
    case ir::Intrinsic::kAtomicMin:
      KILN_RETURN_IF_ERROR(Atomic(info->id, node));
      return Value{};
    case ir::Intrinsic::kBarrier:
    case ir::Intrinsic::kWarpBarrier:
      return Value{};  // A CTA is one thread
    default:
      return absl::UnimplementedError(absl::StrCat("codegen: intrinsic \"", node.name, "\" needs ",
                                                   ir::FeatureNeeded(*info),
                                                   ", which cpu has not; target `reference` interprets it"));
  }
}

absl::StatusOr<Value> KernelPrinter::LaneReduction(ir::Intrinsic id, const Node& node) {
  KILN_ASSIGN_OR_RETURN(Value v, Eval(node.args[0]));
  v = values_.As(v, ComputedIn(v.dtype));
  while (v.lanes > 1) {
    int half = v.lanes / 2;
    KILN_CHECK(half * 2 == v.lanes, "lanes are a power of two");
    auto part = [&](int from) {
      if (half == 1) return Set(v.dtype, 1, absl::StrCat("extractelement ", v.Typed(), ", i64 ", from));
      return Set(v.dtype, half,
                 absl::StrCat("shufflevector ", v.Typed(), ", ", v.Type(), " poison, ", VectorType("i32", half), " ",
                              Mask(half, [&](int i) { return from + i; })));
    };
    Value low = part(0), high = part(half);
    v = id == ir::Intrinsic::kReduceAdd ? Arithmetic(Op::kAdd, low, high)
                                        : MinMax(id == ir::Intrinsic::kReduceMax, low, high);
  }
  return v;
}

absl::StatusOr<Value> KernelPrinter::Zip(bool high, const Node& node) {
  KILN_ASSIGN_OR_RETURN(Value a, Eval(node.args[0]));
  KILN_ASSIGN_OR_RETURN(Value b, Eval(node.args[1]));
  KILN_CHECK(a.dtype == b.dtype && a.lanes == b.lanes && a.lanes % 2 == 0, "both halves are alike");
  int start = high ? a.lanes / 2 : 0;
  return Set(a.dtype, a.lanes,
             absl::StrCat("shufflevector ", a.Typed(), ", ", b.Typed(), ", ", VectorType("i32", a.lanes), " ",
                          Mask(a.lanes, [&](int i) { return start + i / 2 + (i % 2 ? a.lanes : 0); })));
}

absl::Status KernelPrinter::StreamStore(const Node& node) {
  KILN_ASSIGN_OR_RETURN(const Binding* tensor, Tensor(node.args[0]));
  KILN_ASSIGN_OR_RETURN(Value value, EvalAs(node.args[2], tensor->value.dtype));
  KILN_ASSIGN_OR_RETURN(Value address, Address(*tensor, node.args[1]));
  StoreTo(address.text, value, 16, ", !nontemporal !0");
  return absl::OkStatus();
}

absl::Status KernelPrinter::Prefetch(const Node& node) {
  KILN_ASSIGN_OR_RETURN(const Binding* tensor, Tensor(node.args[0]));
  KILN_ASSIGN_OR_RETURN(Value address, Address(*tensor, node.args[1]));
  out_.Line("call void @llvm.prefetch.p0(ptr ", address.text, ", i32 0, i32 3, i32 1)");
  return absl::OkStatus();
}

absl::Status KernelPrinter::Atomic(ir::Intrinsic id, const Node& node) {
  KILN_ASSIGN_OR_RETURN(const Binding* tensor, Tensor(node.args[0]));
  DType dtype = tensor->value.dtype;
  if (IsNarrowFloat(dtype) || dtype == DType::kBool)
    return absl::UnimplementedError(absl::StrCat("codegen: ", node.name, " on ", std::string(Name(dtype)),
                                                 " has no CPU form: expected f32, f64 or an integer"));
  KILN_ASSIGN_OR_RETURN(Value value, EvalAs(node.args[2], dtype));
  KILN_ASSIGN_OR_RETURN(Value address, Address(*tensor, node.args[1]));
  // `fmax` and `fmin` let a number win over a NaN.
  const char* add = IsFloat(dtype) ? "fadd" : "add";
  const char* max = IsFloat(dtype) ? "fmax" : IsUnsigned(dtype) ? "umax" : "max";
  const char* min = IsFloat(dtype) ? "fmin" : IsUnsigned(dtype) ? "umin" : "min";
  out_.Set("atomicrmw ",
           id == ir::Intrinsic::kAtomicAdd   ? add
           : id == ir::Intrinsic::kAtomicMax ? max
                                             : min,
           " ptr ", address.text, ", ", value.Typed(), " monotonic, align ", Bytes(dtype));
  return absl::OkStatus();
}

}  // namespace kiln::llvm_text
