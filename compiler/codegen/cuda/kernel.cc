// The kernel around its body: prelude, signature, shared arena, builtins.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "compiler/codegen/cuda/printer.h"
#include "compiler/codegen/cuda/types.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/visit.h"
#include "compiler/ir/words.h"
#include "compiler/specialize/bind.h"
#include "compiler/support/str_cat.h"

namespace kiln::cuda {
namespace {

// How each builtin is read, in the order of declaration.
struct Builtin {
  std::string_view name;
  std::string_view value;
};
constexpr Builtin kBuiltins[] = {
    {"thread_id", "threadIdx.x"}, {"lane_id", "threadIdx.x % 32"}, {"warp_id", "threadIdx.x / 32"},
    {"cta_id.x", "blockIdx.x"},   {"cta_id.y", "blockIdx.y"},      {"cta_id.z", "blockIdx.z"},
    {"cta_rank", "cta_rank()"},   {"grid.x", "gridDim.x"},         {"grid.y", "gridDim.y"},
    {"grid.z", "gridDim.z"},
};

const ir::Param* FindParam(const ir::Kernel& kernel, const std::string& name) {
  for (const ir::Param& param : kernel.params)
    if (param.name == name) return &param;
  return nullptr;
}

bool UsesIntrinsic(const ir::Kernel& kernel, ir::Intrinsic id) {
  bool uses = false;
  ir::ForEachExpr(kernel.body, [&](const Expr& e) {
    if (e->kind != ExprKind::kCall) return;
    const ir::IntrinsicInfo* info = ir::FindIntrinsic(e->name);
    uses |= info && info->id == id;
  });
  return uses;
}

}  // namespace

void Printer::DeclareParams() {
  for (const ir::SymbolFact& fact : kernel_.symbol_facts) facts_[fact.name] = {fact.min, fact.max, fact.divisor};
  for (const ir::NativeParam& native : kernel_.native_params) {
    Variable variable;
    variable.type.dtype = native.dtype;
    if (native.kind == ir::NativeParam::Kind::kTensorMap) {
      variable.map = true;
      Use("tensor_map");
    } else if (native.kind == ir::NativeParam::Kind::kPointer) {
      const ir::Param* param = FindParam(kernel_, native.name);
      variable.tensor = true;
      variable.constant = param && param->direction == ir::Direction::kIn;
      if (param && param->dtype.Known()) variable.type.dtype = param->dtype.dtype;
    } else if (native.kind == ir::NativeParam::Kind::kSymbol) {
      // Index arithmetic is 64-bit in meaning; an int parameter says that its values fit one.
      variable.type.dtype = DType::kI64;
      variable.wide = native.dtype != DType::kI32;
      Fact& fact = facts_[native.name];
      if (!variable.wide)
        fact.min = std::max<int64_t>(fact.min, INT32_MIN), fact.max = std::min<int64_t>(fact.max, INT32_MAX);
    } else {
      variable.wide = native.dtype == DType::kI64;
    }
    names_.Of(native.name);
    Declare(native.name, variable);
  }
}

void Printer::LearnBuiltins() {
  for (std::string_view name : ir::Builtins()) builtins_[std::string(name)] = false;
  int64_t block = 0;
  if (!kernel_.launch.block || !IsConst(kernel_.launch.block, &block) || block < 1) {
    Fail("expected a constant number of threads");
    return;
  }
  facts_["thread_id"] = {0, block - 1, 1};
  facts_["lane_id"] = {0, std::min<int64_t>(31, block - 1), 1};
  facts_["warp_id"] = {0, (block - 1) / 32, 1};
  static constexpr const char* kAxes[] = {"x", "y", "z"};
  for (size_t i = 0; i < 3; ++i) {
    Bounds bounds = i < kernel_.launch.grid.size() ? BoundsOf(Typed(kernel_.launch.grid[i]), facts_) : Bounds{1, 1};
    int64_t most = std::clamp<int64_t>(bounds.max, 1, i == 0 ? INT32_MAX : 65535);
    facts_[StrCat("cta_id.", kAxes[i])] = {0, most - 1, 1};
    facts_[StrCat("grid.", kAxes[i])] = {1, most, 1};
  }
  const Facts known = FactsOf(kernel_);
  facts_["cta_rank"] = known.at("cta_rank");
  if (!kernel_.launch.persistent) return;
  // As many CTAs as the device holds.
  facts_["cta_id.x"] = known.at("cta_id.x");
  facts_["grid.x"] = known.at("grid.x");
}

std::vector<std::string> Printer::BuiltinLines() {
  std::vector<std::string> lines;
  for (const Builtin& builtin : kBuiltins)
    if (auto it = builtins_.find(std::string(builtin.name)); it != builtins_.end() && it->second)
      lines.push_back(StrCat("  const int ", names_.Of(it->first), " = ", builtin.value, ";"));
  return lines;
}

std::string Printer::Signature() {
  std::vector<std::string> params;
  for (const ir::NativeParam& native : kernel_.native_params) {
    const Variable& variable = variables_.at(native.name);
    const std::string& name = names_.Of(native.name);
    if (variable.map) {
      params.push_back(StrCat("const __grid_constant__ TensorMap ", name));
    } else if (variable.tensor) {
      params.push_back(StrCat(variable.constant ? "const " : "", CType(variable.type.dtype), "* __restrict__ ", name));
    } else {
      params.push_back(StrCat(CType(native.dtype), " ", name));
    }
  }
  int64_t block = 0;
  IsConst(kernel_.launch.block, &block);
  // Registers change hands only where the number of CTAs is known.
  const char* ctas = UsesIntrinsic(kernel_, ir::Intrinsic::kSetMaxRegisters) ? ", 1" : "";
  return StrCat("extern \"C\" __global__ void __launch_bounds__(", block, ctas, ") ", names_.Of(kernel_.name), "(",
                absl::StrJoin(params, ", "), ") {");
}

// A tensor that is read or written as vectors is aligned for the widest of them.
void Printer::FindVectorAccesses() {
  auto note = [this](const Expr& tensor, DType dtype, int64_t lanes) {
    if (lanes <= 1 || !tensor || tensor->kind != ExprKind::kVar) return;
    int64_t& bytes = vector_bytes_[tensor->name];
    bytes = std::max(bytes, Bytes(dtype, lanes));
  };
  std::map<std::string, DType> dtypes;
  ir::ForEachStmt(kernel_.body, [&](const ir::Stmt& stmt) {
    if (stmt->kind == ir::StmtKind::kAlloc) dtypes[stmt->tensor.name] = stmt->tensor.dtype.dtype;
  });
  ir::ForEachStmt(kernel_.body, [&](const ir::Stmt& stmt) {
    if (stmt->kind == ir::StmtKind::kStore && stmt->target->kind == ExprKind::kVar &&
        dtypes.count(stmt->target->name)) {
      const Node& value = *stmt->value;
      bool counted = value.kind == ExprKind::kLoad || value.kind == ExprKind::kBroadcast;
      note(stmt->target, dtypes[stmt->target->name], counted ? value.int_value : value.type.lanes);
    }
  });
  ir::ForEachExpr(kernel_.body, [&](const Expr& e) {
    if (e->kind == ExprKind::kLoad && e->args[0]->kind == ExprKind::kVar && dtypes.count(e->args[0]->name))
      note(e->args[0], dtypes[e->args[0]->name], e->int_value);
  });
}

absl::StatusOr<Source> Printer::Emit() {
  if (!kernel_.native) return absl::InternalError(StrCat("codegen: kernel \"", kernel_.name, "\" is not lowered"));
  const std::string entry = names_.Of(kernel_.name);
  DeclareParams();
  LearnBuiltins();
  for (const ir::NativeParam& native : kernel_.native_params)
    if (native.kind != ir::NativeParam::Kind::kTensorMap) Name(variables_.at(native.name).type.dtype);
  FindVectorAccesses();
  PrintBlock(kernel_.body);
  if (!error_.ok()) return error_;
  std::string text = prelude_.Text();
  if (!text.empty()) text += "\n";
  StrAppend(&text, Signature(), "\n");
  if (kernel_.shared_bytes > 0) text += "  extern __shared__ __align__(1024) unsigned char arena[];\n";
  for (const std::string& line : BuiltinLines()) StrAppend(&text, line, "\n");
  for (const std::string& line : lines_) StrAppend(&text, line, "\n");
  text += "}\n";
  return Source{TargetKind::kCuda, entry, std::move(text)};
}

}  // namespace kiln::cuda
