// Products of warpgroups. Each shape is one instruction of up to 128 accumulator registers; its function is written for
// the kernel that uses it.
#include <cstdint>

#include "compiler/codegen/cuda/printer.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/support/str_cat.h"

namespace kiln::cuda {
namespace {

using ir::Intrinsic;

// Where the arguments of `wgmma` stand.
enum Argument : size_t {
  kAcc = 0,
  kA = 2,
  kB = 4,
  kColumns = 6,
  kADescriptor = 7,  // leading, stride, swizzle, rows innermost
  kBDescriptor = 11,
  kAccumulate = 15,
};

std::string_view PtxType(DType dtype) {
  switch (dtype) {
    case DType::kF8E4M3:
      return "e4m3";
    case DType::kF8E5M2:
      return "e5m2";
    case DType::kI8:
      return "s8";
    case DType::kU8:
      return "u8";
    default:
      return Name(dtype);
  }
}

// The parts of a matrix descriptor that no address changes: offsets of 16 bytes at bits 16 and 32, the swizzle at 62.
std::string DescriptorBits(int64_t leading, int64_t stride, int64_t swizzle) {
  const uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
  const uint64_t bits =
      static_cast<uint64_t>(leading / 16) << 16 | static_cast<uint64_t>(stride / 16) << 32 | mode << 62;
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) text += kHex[bits >> shift & 15];
  return text + "ull";
}

struct Product {
  DType dtype = DType::kNone;
  int64_t columns = 0;
  bool a_registers = false;
  bool a_rows = false, b_rows = false;  // m or n innermost

  int64_t Registers() const { return columns / 2; }
  int64_t Depth() const { return 256 / Bits(dtype); }
  std::string Function() const {
    return StrCat("wgmma_m64n", columns, "k", Depth(), "_", Name(dtype), a_registers ? "_registers" : "",
                  a_rows ? "_ta" : "", b_rows ? "_tb" : "");
  }
};

std::string FunctionText(const Product& p) {
  const bool integers = IsInteger(p.dtype);
  const int64_t count = p.Registers();
  std::string registers, operands;
  for (int64_t i = 0; i < count; ++i) {
    StrAppend(&registers, i ? ", %" : "%", i);
    StrAppend(&operands, i ? ", " : "", integers ? "\"+r\"(d[" : "\"+f\"(d[", i, "])");
  }
  int64_t next = count;
  std::string a, a_operands, a_parameter;
  if (p.a_registers) {
    a = StrCat("{%", next, ", %", next + 1, ", %", next + 2, ", %", next + 3, "}");
    a_operands = "\"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3])";
    a_parameter = "const unsigned* a";
    next += 4;
  } else {
    a = StrCat("%", next++);
    a_operands = "\"l\"(a)";
    a_parameter = "unsigned long long a";
  }
  const std::string b = StrCat("%", next++), adds = StrCat("%", next++);
  std::string flags = integers ? "" : ", 1, 1";
  if (Bits(p.dtype) == 16) StrAppend(&flags, p.a_registers ? "" : p.a_rows ? ", 1" : ", 0", p.b_rows ? ", 1" : ", 0");
  const std::string_view type = PtxType(p.dtype);
  return StrCat("DEVICE void ", p.Function(), "(", integers ? "int" : "float", "* d, ", a_parameter,
                ", unsigned long long b, int accumulate) {\n  asm volatile(\"{ .reg .pred p; setp.ne.b32 p, ", adds,
                ", 0; wgmma.mma_async.sync.aligned.m64n", p.columns, "k", p.Depth(), integers ? ".s32." : ".f32.", type,
                ".", type, " {", registers, "}, ", a, ", ", b, ", p", flags, "; }\"\n    : ", operands,
                "\n    : ", a_operands, ", \"l\"(b), \"r\"(accumulate));\n}\n");
}

}  // namespace

bool Printer::PrintMatrixUnit(const Node& node) {
  switch (ir::FindIntrinsic(node.name)->id) {
    case Intrinsic::kWgmma:
      PrintWgmma(node);
      return true;
    case Intrinsic::kWgmmaFence:
    case Intrinsic::kWgmmaCommit:
      Use(node.name);
      Line(StrCat(node.name, "();"));
      return true;
    case Intrinsic::kWgmmaWait:
      Use(node.name);
      Line(StrCat(node.name, "<", Constant(node.args[0]), ">();"));
      return true;
    case Intrinsic::kRegisterFence:
      Use(node.name);
      Line(StrCat("register_fence(", names_.Of(node.args[0]->name), ");"));
      return true;
    default:
      return false;
  }
}

void Printer::PrintWgmma(const Node& node) {
  const Variable *acc = Tensor(node.args[kAcc]), *a = Tensor(node.args[kA]), *b = Tensor(node.args[kB]);
  if (!acc || !a || !b) return;
  Product product;
  product.dtype = a->type.dtype;
  product.columns = Constant(node.args[kColumns]);
  product.a_registers = a->space == ir::Space::kLocal;
  product.a_rows = Constant(node.args[kADescriptor + 3]) != 0;
  product.b_rows = Constant(node.args[kBDescriptor + 3]) != 0;
  Use("matrix_descriptor");
  prelude_.Define(product.Function(), FunctionText(product));
  auto descriptor = [&](Argument operand, size_t first) {
    return StrCat(
        "matrix_descriptor(", ElementAddress(node.args[operand], node.args[operand + 1]), ", ",
        DescriptorBits(Constant(node.args[first]), Constant(node.args[first + 1]), Constant(node.args[first + 2])),
        ")");
  };
  std::string a_text =
      product.a_registers ? ElementAddress(node.args[kA], node.args[kA + 1]) : descriptor(kA, kADescriptor);
  Line(StrCat(product.Function(), "(", ElementAddress(node.args[kAcc], node.args[kAcc + 1]), ", ", a_text, ", ",
              descriptor(kB, kBDescriptor), ", ", Condition(node.args[kAccumulate]).text, ");"));
}

}  // namespace kiln::cuda
