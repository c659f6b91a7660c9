#include "compiler/ir/places.h"

#include <utility>

#include "absl/functional/function_ref.h"

namespace kiln::ir {
namespace {

// Calls `at` for every place and gives it back changed or not. Collecting and assigning are the same walk, so that
// their orders cannot differ.
class Walk {
 public:
  explicit Walk(absl::FunctionRef<void(Location&)> at) : at_(at) {}

  void Visit(Module& module) {
    for (Inline& function : module.inlines) {
      at_(function.at);
      for (InlineParam& param : function.params) Visit(param.shape);
      Visit(function.result.shape);
      Visit(function.body);
    }
    for (Kernel& kernel : module.kernels) Visit(kernel);
    for (OpDecl& op : module.ops) {
      at_(op.at);
      for (OpMember& member : op.members) {
        at_(member.at);
        Visit(member.when);
      }
    }
  }

 private:
  void Visit(Kernel& kernel) {
    at_(kernel.at);
    for (MetaParam& meta : kernel.metas) {
      at_(meta.at);
      Visit(meta.default_value);
    }
    for (Param& param : kernel.params) {
      at_(param.at);
      Visit(param.shape);
    }
    for (SymbolPolicy& policy : kernel.symbols) at_(policy.at);
    Visit(kernel.required);
    Visit(kernel.launch.grid);
    Visit(kernel.launch.block);
    Visit(kernel.launch.cluster);
    for (TensorFact& fact : kernel.tensor_facts) Visit(fact.strides);
    Visit(kernel.body);
  }

  void Visit(Block& block) {
    for (Stmt& stmt : block) {
      if (stmt->kind == StmtKind::kComment) continue;
      StmtNode node = *stmt;
      at_(node.at);
      Visit(node.tensor.shape);
      Visit(node.extents);
      for (Expr* root : {&node.target, &node.value, &node.begin, &node.end, &node.step, &node.stages}) Visit(*root);
      Visit(node.body);
      Visit(node.orelse);
      stmt = MakeStmt(std::move(node));
    }
  }

  void Visit(std::vector<Expr>& list) {
    for (Expr& e : list) Visit(e);
  }

  void Visit(Expr& e) {
    if (!e) return;
    Node node = *e;
    at_(node.at);
    Visit(node.args);
    for (Attr& attr : node.attrs) Visit(attr.value);
    for (Attr& setting : node.tile.via_config) Visit(setting.value);
    e = MakeExpr(std::move(node));
  }

  absl::FunctionRef<void(Location&)> at_;
};

}  // namespace

std::vector<Location> CollectPlaces(const Module& module) {
  std::vector<Location> places;
  Module copy = module;
  Walk([&](Location& at) { places.push_back(at); }).Visit(copy);
  return places;
}

bool AssignPlaces(Module& module, const std::vector<Location>& places) {
  size_t next = 0;
  Walk([&](Location& at) {
    at = next < places.size() ? places[next] : Location{};
    ++next;
  }).Visit(module);
  return next == places.size();
}

}  // namespace kiln::ir
