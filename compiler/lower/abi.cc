#include "compiler/lower/abi.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/print.h"
#include "compiler/ir/visit.h"
#include "compiler/specialize/bind.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

std::set<std::string> NamesInBody(const ir::Kernel& kernel) {
  std::set<std::string> used;
  ir::ForEachExpr(kernel.body, [&](const Expr& e) {
    if (e->kind == ExprKind::kVar) used.insert(e->name);
  });
  return used;
}

class RecipeMaker {
 public:
  explicit RecipeMaker(const ir::Kernel& kernel) : kernel_(kernel) {}

  absl::StatusOr<RecipeProgram> Program(const Expr& e) {
    RecipeProgram out;
    KILN_RETURN_IF_ERROR(Append(e, out));
    if (out.size() > kMaxRecipeSteps)
      return absl::InvalidArgumentError(absl::StrCat("lower: kernel \"", kernel_.name, "\": `", ir::Print(e),
                                                     "` is too long to evaluate at a launch"));
    return out;
  }

 private:
  absl::Status Append(const Expr& e, RecipeProgram& out) {
    switch (e->kind) {
      case ExprKind::kInt:
      case ExprKind::kBool:
        out.push_back({RecipeOp::kConst, 0, 0, e->int_value});
        return absl::OkStatus();
      case ExprKind::kVar:
        return AppendName(e->name, out);
      case ExprKind::kCast:
        return Append(e->args[0], out);
      case ExprKind::kUnary:
        if (e->op == Op::kNeg) out.push_back({RecipeOp::kConst, 0, 0, 0});
        KILN_RETURN_IF_ERROR(Append(e->args[0], out));
        out.push_back({e->op == Op::kNeg ? RecipeOp::kSub : RecipeOp::kNot});
        return absl::OkStatus();
      case ExprKind::kBinary:
        return AppendBinary(*e, out);
      default:
        break;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("lower: kernel \"", kernel_.name, "\": `", ir::Print(e), "` cannot be evaluated at a launch"));
  }

  absl::Status AppendBinary(const Node& e, RecipeProgram& out) {
    Expr a = e.args[0], b = e.args[1];
    RecipeOp op;
    switch (e.op) {
      case Op::kAdd:
        op = RecipeOp::kAdd;
        break;
      case Op::kSub:
        op = RecipeOp::kSub;
        break;
      case Op::kMul:
        op = RecipeOp::kMul;
        break;
      case Op::kDiv:
        op = RecipeOp::kFloorDiv;
        break;
      case Op::kCeilDiv:
        op = RecipeOp::kCeilDiv;
        break;
      case Op::kMod:
        op = RecipeOp::kMod;
        break;
      case Op::kMin:
        op = RecipeOp::kMin;
        break;
      case Op::kMax:
        op = RecipeOp::kMax;
        break;
      case Op::kEq:
        op = RecipeOp::kEq;
        break;
      case Op::kNe:
        op = RecipeOp::kNe;
        break;
      case Op::kLt:
        op = RecipeOp::kLt;
        break;
      case Op::kLe:
        op = RecipeOp::kLe;
        break;
      case Op::kGt:
        op = RecipeOp::kLt;
        std::swap(a, b);
        break;
      case Op::kGe:
        op = RecipeOp::kLe;
        std::swap(a, b);
        break;
      case Op::kAnd:
        op = RecipeOp::kAnd;
        break;
      case Op::kOr:
        op = RecipeOp::kOr;
        break;
      default:
        return absl::InvalidArgumentError(
            absl::StrCat("lower: kernel \"", kernel_.name, "\": an operator that a launch cannot evaluate"));
    }
    KILN_RETURN_IF_ERROR(Append(a, out));
    KILN_RETURN_IF_ERROR(Append(b, out));
    out.push_back({op});
    return absl::OkStatus();
  }

  // A symbol is an extent of the first argument whose shape has it alone; `x.stride0` a stride; a scalar parameter
  // itself.
  absl::Status AppendName(const std::string& name, RecipeProgram& out) {
    for (size_t arg = 0; arg < kernel_.params.size(); ++arg) {
      const ir::Param& param = kernel_.params[arg];
      if (!param.is_tensor) {
        if (param.name != name) continue;
        out.push_back({RecipeOp::kScalar, static_cast<uint16_t>(arg)});
        return absl::OkStatus();
      }
      for (size_t d = 0; d < param.shape.size(); ++d) {
        RecipeStep step{RecipeOp::kDim, static_cast<uint16_t>(arg), static_cast<uint16_t>(d)};
        if (name == absl::StrCat(param.name, ".stride", d)) step.op = RecipeOp::kStride;
        bool extent = param.shape[d]->kind == ExprKind::kVar && param.shape[d]->name == name;
        if (!extent && step.op != RecipeOp::kStride) continue;
        out.push_back(step);
        return absl::OkStatus();
      }
    }
    return absl::InvalidArgumentError(absl::StrCat("lower: kernel \"", kernel_.name, "\": no argument gives ", name,
                                                   " directly; give a tensor an extent that is ", name, " alone"));
  }

  const ir::Kernel& kernel_;
};

// What the code was made to rely on, beyond every symbol's default range.
absl::Status AddGuards(const ir::Kernel& kernel, RecipeMaker& maker, LaunchRecipe& recipe) {
  auto add = [&](const Expr& condition, std::string message) -> absl::Status {
    RecipeGuard guard;
    KILN_ASSIGN_OR_RETURN(guard.condition, maker.Program(condition));
    guard.message = std::move(message);
    recipe.guards.push_back(std::move(guard));
    return absl::OkStatus();
  };
  for (const Expr& condition : kernel.required)
    KILN_RETURN_IF_ERROR(add(condition, absl::StrCat("requires ", ir::Print(condition))));
  for (const ir::SymbolFact& fact : kernel.symbol_facts) {
    Expr value = Var(fact.name);
    if (fact.divisor > 1)
      KILN_RETURN_IF_ERROR(add(Binary(Op::kEq, Mod(value, Int(fact.divisor)), Int(0)),
                               absl::StrCat(fact.name, " is not a multiple of ", fact.divisor)));
    KILN_RETURN_IF_ERROR(add(Binary(Op::kLe, value, Int(fact.max)), absl::StrCat(fact.name, " is above ", fact.max)));
    if (fact.min > 0)
      KILN_RETURN_IF_ERROR(add(Binary(Op::kLe, Int(fact.min), value), absl::StrCat(fact.name, " is below ", fact.min)));
  }
  return absl::OkStatus();
}

}  // namespace

void SetNativeParams(ir::Kernel& kernel) {
  const std::set<std::string> used = NamesInBody(kernel);
  kernel.native_params.clear();
  for (const ir::Param& param : kernel.params)
    if (param.is_tensor)
      kernel.native_params.push_back({ir::NativeParam::Kind::kPointer, param.name, param.dtype.dtype});
  for (const ir::SymbolFact& fact : kernel.symbol_facts) {
    if (!used.count(fact.name)) continue;
    kernel.native_params.push_back(
        {ir::NativeParam::Kind::kSymbol, fact.name, fact.max <= INT32_MAX ? DType::kI32 : DType::kI64});
  }
  for (const ir::Param& param : kernel.params)
    if (!param.is_tensor)
      kernel.native_params.push_back({ir::NativeParam::Kind::kScalar, param.name, param.dtype.dtype});
}

absl::StatusOr<LaunchRecipe> MakeRecipe(const ir::Kernel& kernel) {
  LaunchRecipe recipe;
  RecipeMaker maker(kernel);
  for (size_t i = 0; i < kernel.launch.grid.size() && i < 3; ++i) {
    KILN_ASSIGN_OR_RETURN(recipe.grid[i], maker.Program(kernel.launch.grid[i]));
  }
  int64_t block = 1;
  if (kernel.launch.block) KILN_CHECK(IsConst(kernel.launch.block, &block));
  recipe.block = static_cast<int32_t>(block);
  recipe.cluster = static_cast<int32_t>(ClusterSize(kernel));
  if (kernel.launch.persistent) {
    recipe.grid[0].push_back({RecipeOp::kLimit, 0, static_cast<uint16_t>(RecipeLimit::kMaxClusters)});
    recipe.grid[0].push_back({RecipeOp::kConst, 0, 0, recipe.cluster});
    recipe.grid[0].push_back({RecipeOp::kMul});
  }
  recipe.shared_bytes = kernel.shared_bytes;
  recipe.scratch_bytes = kernel.scratch_bytes;
  auto index_of = [&](const std::string& name) {
    auto it =
        std::find_if(kernel.params.begin(), kernel.params.end(), [&](const ir::Param& p) { return p.name == name; });
    return static_cast<uint16_t>(it - kernel.params.begin());
  };
  for (const ir::NativeParam& native : kernel.native_params) {
    RecipeParam param;
    param.dtype = native.dtype;
    switch (native.kind) {
      case ir::NativeParam::Kind::kPointer:
        param.kind = RecipeParam::Kind::kPointer;
        param.arg = index_of(native.name);
        break;
      case ir::NativeParam::Kind::kTensorMap:
        param.kind = RecipeParam::Kind::kTensorMap;
        param.arg = index_of(native.tensor);
        param.box = native.box;
        param.swizzle = native.swizzle;
        break;
      case ir::NativeParam::Kind::kScalar:
        param.kind = RecipeParam::Kind::kScalar;
        param.arg = index_of(native.name);
        break;
      case ir::NativeParam::Kind::kSymbol: {
        param.kind = RecipeParam::Kind::kInteger;
        KILN_ASSIGN_OR_RETURN(param.value, maker.Program(Var(native.name)));
        break;
      }
    }
    recipe.params.push_back(std::move(param));
  }
  KILN_RETURN_IF_ERROR(AddGuards(kernel, maker, recipe));
  return recipe;
}

std::vector<ArgSpec> ArgsOf(const ir::Kernel& kernel) {
  std::vector<ArgSpec> out;
  for (const ir::Param& param : kernel.params)
    out.push_back({param.name, param.is_tensor, param.dtype.dtype, static_cast<int>(param.shape.size()),
                   param.direction != ir::Direction::kIn});
  return out;
}

}  // namespace kiln
