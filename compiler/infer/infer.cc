#include "compiler/infer/infer.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/infer/choose_block.h"
#include "compiler/infer/shared_layout.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/visit.h"
#include "compiler/rules/rule.h"
#include "compiler/rules/site.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using ir::Stmt;
using ir::StmtKind;

std::optional<std::vector<int64_t>> ConstantShape(const std::vector<Expr>& shape) {
  std::vector<int64_t> out;
  for (const Expr& extent : shape) {
    int64_t value;
    if (!IsConst(extent, &value)) return std::nullopt;
    out.push_back(value);
  }
  return out;
}

class Inferrer {
 public:
  Inferrer(const ir::Kernel& kernel, const Target& target, Tensors tensors, std::vector<std::string>* notes)
      : kernel_(kernel), target_(target), tensors_(std::move(tensors)), notes_(notes) {}

  absl::StatusOr<ir::Kernel> Run() {
    KILN_RETURN_IF_ERROR(Anchor({TileOpKind::kGemm, TileOpKind::kGemmAsync}));
    KILN_RETURN_IF_ERROR(Anchor({TileOpKind::kCopyAsync}));
    KILN_RETURN_IF_ERROR(Spread());
    for (;;) {
      TensorInfo* open = FirstOpen();
      if (!open) break;
      KILN_RETURN_IF_ERROR(Default(*open));
      KILN_RETURN_IF_ERROR(Spread());
    }
    return WithLayouts();
  }

 private:
  absl::Status Set(const std::string& name, Distribution distribution, absl::string_view why) {
    TensorInfo& tensor = tensors_.at(name);
    if (tensor.space != ir::Space::kLocal || tensor.distribution) return absl::OkStatus();
    notes_->push_back(absl::StrCat("layout of ", name, ": ", LayoutText(distribution), " (", why, ")"));
    tensor.distribution = std::move(distribution);
    changed_ = true;
    return absl::OkStatus();
  }

  // What the first rule that applies to each of these operations wishes.
  absl::Status Anchor(std::initializer_list<TileOpKind> ops) {
    return ForEachSite(kernel_, target_, tensors_, [&](const Stmt& stmt, OpSite& site) -> absl::Status {
      if (std::find(ops.begin(), ops.end(), site.op) == ops.end()) return absl::OkStatus();
      for (const Rule& rule : CudaRules()) {
        if (rule.op != site.op || (site.node && !site.node->tile.via.empty() && site.node->tile.via != rule.name))
          continue;
        if (!rule.feature.empty() && !target_.Has(std::string(rule.feature))) continue;
        if (!rule.applies(site).yes) continue;
        if (!rule.layouts) return absl::OkStatus();
        const std::string why = absl::StrCat(std::string(ir::FindTileOp(site.op)->name), ": ", std::string(rule.name));
        std::vector<LayoutWish> wishes = rule.layouts(site);
        for (size_t i = 0; i < wishes.size(); ++i) {
          const std::string& name = site.operands[i].tensor->name;
          if (wishes[i].local) KILN_RETURN_IF_ERROR(Set(name, *wishes[i].local, why));
          if (!wishes[i].shared.empty()) KILN_RETURN_IF_ERROR(SetShared(name, wishes[i].shared, why, *stmt));
        }
        return absl::OkStatus();
      }
      return absl::OkStatus();
    });
  }

  // A shared tile has one layout for all its readers.
  absl::Status SetShared(const std::string& name, const std::string& layout, const std::string& why,
                         const ir::StmtNode& stmt) {
    if (tensors_.at(name).layout) return absl::OkStatus();
    auto [it, fresh] = shared_.emplace(name, Wish{layout, why, stmt.at});
    if (fresh) notes_->push_back(absl::StrCat("layout of ", name, ": ", layout, " (", why, ")"));
    if (it->second.layout == layout) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "infer: kernel \"", kernel_.name, "\": shared tile ", name, ": ", it->second.why, " at ", it->second.at.line,
        ":", it->second.at.column, " wants layout ", it->second.layout, ", ", why, " at ", stmt.at.line, ":",
        stmt.at.column, " wants ", layout, "; copy one of them to a tile of its own"));
  }

  // Layouts go from known tiles to those they are combined with, until nothing changes.
  absl::Status Spread() {
    do {
      changed_ = false;
      KILN_RETURN_IF_ERROR(ForEachSite(kernel_, target_, tensors_,
                                       [&](const Stmt& stmt, OpSite& site) { return SpreadSite(*stmt, site); }));
    } while (changed_);
    return absl::OkStatus();
  }

  absl::Status SpreadSite(const ir::StmtNode& stmt, const OpSite& site) {
    if (site.op == TileOpKind::kMap) return SpreadMap(site.operands[0], site.value);
    if (site.op == TileOpKind::kCopy && site.operands.size() == 2)
      return SpreadMap(site.operands[0], stmt.value->args[1]);
    if (IsReduction(site.op) && stmt.kind == StmtKind::kAssign) {
      Expr leaf = PrimaryLeafKnown(site.value);
      if (leaf && site.axis >= 0 && ir::IsByThread(*stmt.value)) return SpreadByThread(stmt, site, *leaf);
      if (leaf && site.axis >= 0)
        return Set(site.operands[0].tensor->name, Reduced(*tensors_.at(leaf->name).distribution, site.axis),
                   absl::StrCat("reduction of ", leaf->name));
    }
    return absl::OkStatus();
  }

  absl::Status SpreadByThread(const ir::StmtNode& stmt, const OpSite& site, const Node& leaf) {
    Distribution parts = ReducedByThread(*tensors_.at(leaf.name).distribution, site.axis);
    const int64_t threads = parts.Padded().back();
    if (threads != ir::kPartsOfRow)
      return absl::InvalidArgumentError(absl::StrCat("infer: kernel \"", kernel_.name, "\" ", stmt.at.line, ":",
                                                     stmt.at.column, ": thread reduction along axis ", site.axis,
                                                     " of ", leaf.name, ": expected its rows over ", ir::kPartsOfRow,
                                                     " threads, as a matrix accumulator has them, found ", threads));
    return Set(site.operands[0].tensor->name, std::move(parts), absl::StrCat("parts of ", leaf.name));
  }

  Expr PrimaryLeafKnown(const Expr& value) {
    for (const Expr& leaf : LeavesOf(value)) {
      if (leaf->kind != ExprKind::kVar) continue;
      const TensorInfo& tensor = tensors_.at(leaf->name);
      if (tensor.space == ir::Space::kLocal && tensor.distribution &&
          leaf->type.shape.size() == value->type.shape.size() && SameShape(leaf->type.shape, value->type.shape))
        return leaf;
    }
    return nullptr;
  }

  static bool SameShape(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    for (size_t d = 0; d < a.size(); ++d)
      if (!Equal(a[d], b[d])) return false;
    return a.size() == b.size();
  }

  absl::Status SpreadMap(const Operand& target, const Expr& value) {
    std::optional<Distribution> known;
    std::vector<Expr> shape;
    for (const OperandDim& dim : target.dims) shape.push_back(dim.extent);
    bool local = target.tensor->space == ir::Space::kLocal && target.IsWhole();
    std::string from;
    if (local && target.tensor->distribution) {
      known = target.tensor->distribution;
      from = target.tensor->name;
    }
    std::vector<Expr> leaves = LeavesOf(value);
    for (const Expr& leaf : leaves) {
      if (known) break;
      if (leaf->kind != ExprKind::kVar || !SameShape(leaf->type.shape, shape)) continue;
      const TensorInfo& tensor = tensors_.at(leaf->name);
      if (tensor.space != ir::Space::kLocal || !tensor.distribution) continue;
      known = tensor.distribution;
      from = tensor.name;
    }
    if (!known) return absl::OkStatus();
    if (local) KILN_RETURN_IF_ERROR(Set(target.tensor->name, *known, absl::StrCat("as ", from)));
    for (const Expr& leaf : leaves) {
      const TensorInfo& tensor = tensors_.at(RootOf(leaf)->name);
      if (tensor.space != ir::Space::kLocal || tensor.distribution) continue;
      if (leaf->kind == ExprKind::kVar && SameShape(leaf->type.shape, shape)) {
        KILN_RETURN_IF_ERROR(Set(tensor.name, *known, absl::StrCat("as ", from)));
      } else {
        KILN_ASSIGN_OR_RETURN(Operand operand, ResolveOperand(leaf, tensors_));
        if (std::optional<Distribution> part = DistributionFor(operand, *known))
          KILN_RETURN_IF_ERROR(Set(tensor.name, *part, absl::StrCat("broadcast to ", from)));
      }
    }
    return absl::OkStatus();
  }

  // Tiles that are reduced along an axis come first: their results follow them.
  TensorInfo* FirstOpen() {
    TensorInfo* open = nullptr;
    auto consider = [&](const std::string& name) {
      TensorInfo& tensor = tensors_.at(name);
      if (!open && tensor.space == ir::Space::kLocal && !tensor.distribution) open = &tensor;
    };
    ir::ForEachStmt(kernel_.body, [&](const Stmt& stmt) {
      if (stmt->kind != StmtKind::kAssign || stmt->value->kind != ExprKind::kTileOp || !stmt->target->type.tile) return;
      for (const Expr& leaf : LeavesOf(stmt->value->args[0]))
        if (leaf->kind == ExprKind::kVar) consider(leaf->name);
    });
    ir::ForEachStmt(kernel_.body, [&](const Stmt& stmt) {
      if (stmt->kind == StmtKind::kAlloc) consider(stmt->tensor.name);
    });
    return open;
  }

  // Coalesced vectors, as wide as everything the tile is copied or combined with allows.
  absl::Status Default(TensorInfo& tensor) {
    auto shape = ConstantShape(tensor.shape);
    if (!shape)
      return absl::InvalidArgumentError(
          absl::StrCat("infer: kernel \"", kernel_.name, "\": tile ", tensor.name,
                       " in local memory: expected constant extents; make its symbols static"));
    if (tensor.owner == Team::kThread) {
      Distribution own;
      for (int64_t extent : *shape)
        own.dims.push_back(extent > 1 ? std::vector<Digit>{{extent, 1, 0, DigitAxis::kSlot}} : std::vector<Digit>{});
      return Set(tensor.name, Renumbered(std::move(own)), "a thread's own");
    }
    int64_t vector = 16;
    bool bound = false;
    KILN_RETURN_IF_ERROR(ForEachSite(kernel_, target_, tensors_, [&](const Stmt& stmt, OpSite& site) -> absl::Status {
      std::vector<Operand> memory;
      bool uses = false;
      auto add = [&](const Operand& operand) {
        uses |= operand.tensor == &tensor;
        if (operand.tensor->space != ir::Space::kLocal) memory.push_back(operand);
      };
      for (const Operand& operand : site.operands) add(operand);
      if (site.value)
        for (const Expr& leaf : LeavesOf(site.value)) {
          KILN_ASSIGN_OR_RETURN(Operand operand, ResolveOperand(leaf, tensors_));
          add(operand);
        }
      if (!uses) return absl::OkStatus();
      for (const Operand& operand : memory) {
        if (operand.dims.size() != tensor.shape.size() || operand.dims.back().root < 0) continue;
        int64_t most = target_.vector_bytes * 8 / Bits(operand.tensor->dtype);
        vector = std::min(vector, VectorWidth(operand, most, site.facts));
        bound = true;
      }
      (void)stmt;
      return absl::OkStatus();
    }));
    if (!bound) vector = target_.vector_bytes * 8 / Bits(tensor.dtype);
    return Set(tensor.name, RowMajorDistribution(*shape, ThreadsOf(kernel_), vector), "coalesced vectors");
  }

  absl::StatusOr<ir::Kernel> WithLayouts() {
    ir::Kernel out = kernel_;
    absl::Status failed;
    out.body = ir::RewriteStmts(kernel_.body, [&](const Stmt& stmt) -> ir::Block {
      if (stmt->kind != StmtKind::kAlloc || !stmt->tensor.layout.empty()) return {stmt};
      ir::StmtNode node = *stmt;
      if (stmt->tensor.space == ir::Space::kLocal) {
        const Distribution& distribution = *tensors_.at(stmt->tensor.name).distribution;
        node.tensor.layout = LayoutText(distribution);
        node.tensor.padded = distribution.Padded();
      } else {
        auto shape = ConstantShape(stmt->tensor.shape);
        if (!shape) {
          failed = absl::InvalidArgumentError(
              absl::StrCat("infer: kernel \"", kernel_.name, "\" ", stmt->at.line, ":", stmt->at.column, ": tile ",
                           stmt->tensor.name, " in shared memory: expected constant extents; make its symbols static"));
          return {stmt};
        }
        if (auto wish = shared_.find(stmt->tensor.name); wish != shared_.end()) {
          node.tensor.layout = wish->second.layout;
          return {ir::MakeStmt(std::move(node))};
        }
        if (stmt->tensor.dtype.dtype == DType::kMBarrier) return {stmt};
        node.tensor.layout = SharedLayout(*shape, stmt->tensor.dtype.dtype);
        notes_->push_back(absl::StrCat("layout of ", stmt->tensor.name, ": ", node.tensor.layout, " (shared rows)"));
      }
      return {ir::MakeStmt(std::move(node))};
    });
    if (!failed.ok()) return failed;
    return out;
  }

  const ir::Kernel& kernel_;
  const Target& target_;
  Tensors tensors_;
  std::vector<std::string>* notes_;
  struct Wish {
    std::string layout;
    std::string why;
    Location at;
  };
  std::map<std::string, Wish> shared_;  // By tile
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<ir::Kernel> InferLayouts(const ir::Kernel& kernel, const Target& target,
                                        std::vector<std::string>* notes) {
  KILN_ASSIGN_OR_RETURN(const ir::Kernel with_block, ChooseBlock(kernel, target, notes));
  KILN_ASSIGN_OR_RETURN(Tensors tensors, TensorsOf(with_block));
  return Inferrer(with_block, target, std::move(tensors), notes).Run();
}

}  // namespace kiln
