#include "api/work.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "api/symbol_program.h"

namespace kiln::api {
namespace {

class Counter {
 public:
  explicit Counter(const std::map<std::string, int64_t>& values) {
    for (const auto& [name, value] : values) Set(name, value);
  }

  Work Count(const ir::Kernel& kernel) {
    for (size_t d = 0; d < kernel.launch.grid.size() && d < 3; ++d)
      work_.grid[d] = std::max<int64_t>(0, Value(kernel.launch.grid[d]).value_or(1));
    const char* const axes[] = {"x", "y", "z"};
    for (int d = 0; d < 3; ++d) {
      Set(std::string("cta_id.") + axes[d], work_.grid[d] / 2);
      Set(std::string("grid.") + axes[d], work_.grid[d]);
    }
    Visit(kernel.body, 1);
    work_.flops = work_.cta_flops * work_.Ctas();
    return work_;
  }

 private:
  void Set(const std::string& name, int64_t value) {
    names_.push_back(name);
    values_.push_back(value);
  }

  std::optional<int64_t> Value(const Expr& e) const {
    const absl::StatusOr<SymbolProgram> program = SymbolProgram::Compile(e, names_);
    if (!program.ok()) return std::nullopt;
    return program->Evaluate(values_.data());
  }

  double Elements(const Type& type) const {
    double count = 1;
    for (const Expr& extent : type.shape) count *= static_cast<double>(Value(extent).value_or(1));
    return count;
  }

  // Iterations of a loop; its variable stands for the middle one while its body is counted.
  double Enter(const ir::StmtNode& loop) {
    const std::optional<int64_t> begin = Value(loop.begin), end = Value(loop.end);
    const int64_t step = loop.step == nullptr ? 1 : Value(loop.step).value_or(1);
    if (!begin || !end || step <= 0) {
      Set(loop.name, begin.value_or(0));
      return 1;
    }
    Set(loop.name, *begin + (*end - *begin) / 2);
    return static_cast<double>(std::max<int64_t>(0, (*end - *begin + step - 1) / step));
  }

  void Visit(const ir::Block& block, double times) {
    const size_t visible = names_.size();
    for (const ir::Stmt& stmt : block) {
      for (const Expr& e : {stmt->target, stmt->value})
        if (e != nullptr) Visit(e, times);
      if (stmt->kind == ir::StmtKind::kLet && !stmt->value->type.tile)
        if (const std::optional<int64_t> value = Value(stmt->value)) Set(stmt->name, *value);
      const double inside = stmt->kind == ir::StmtKind::kFor ? Enter(*stmt) : 1;
      Visit(stmt->body, times * inside);
      Visit(stmt->orelse, times);
    }
    names_.resize(visible);
    values_.resize(visible);
  }

  void Visit(const Expr& e, double times) {
    if (e->kind == ExprKind::kTileOp && (e->tile.op == TileOpKind::kGemm || e->tile.op == TileOpKind::kGemmAsync)) {
      work_.cta_flops += times * GemmFlops(*e);
      return;
    }
    work_.elements += times * Elements(e->type);
    // A part of a tensor costs what it has, not what the tensor has.
    if (e->kind == ExprKind::kSubscript) return;
    for (const Expr& arg : e->args) Visit(arg, times);
  }

  double GemmFlops(const Node& op) const {
    if (op.args.size() < 3 || op.args[1]->type.shape.empty()) return 0;
    const Expr trans_a = FindAttr(op, "trans_a");
    const bool transposed = trans_a != nullptr && trans_a->int_value != 0;
    const std::vector<Expr>& a = op.args[1]->type.shape;
    const Expr& k = transposed ? a[a.size() - std::min<size_t>(2, a.size())] : a.back();
    return 2 * Elements(op.args[0]->type) * static_cast<double>(Value(k).value_or(1));
  }

  Work work_;
  std::vector<std::string> names_;
  std::vector<int64_t> values_;
};

}  // namespace

Work WorkOf(const ir::Kernel& kernel, const std::map<std::string, int64_t>& values) {
  return Counter(values).Count(kernel);
}

}  // namespace kiln::api
