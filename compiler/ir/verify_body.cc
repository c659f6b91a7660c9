#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/nearest.h"
#include "compiler/ir/print.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/verifier.h"
#include "compiler/ir/visit.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

bool IsView(const Expr& e) {
  return e->kind == ExprKind::kSubscript || e->kind == ExprKind::kReshape || e->kind == ExprKind::kPermute ||
         e->kind == ExprKind::kReinterpret;
}

// The variable below all views; null when there is none.
Expr ViewedVar(Expr e) {
  while (IsView(e)) e = e->args[0];
  return e->kind == ExprKind::kVar ? e : nullptr;
}

class BodyVerifier {
 public:
  BodyVerifier(const Module& module, const Inline* function, NameTable names, Reporter& reporter,
               std::set<std::string>& written)
      : module_(module), function_(function), names_(std::move(names)), reporter_(reporter), written_(written) {}

  void VisitBlock(const Block& block) {
    std::vector<std::string> declared;
    for (const Stmt& stmt : block) {
      at_ = stmt->at;
      Visit(*stmt);
      if (stmt->kind == StmtKind::kFor) continue;
      if (const std::string& name = DeclaredName(*stmt); !name.empty() && Declare(*stmt)) declared.push_back(name);
    }
    for (const std::string& name : declared) names_.erase(name);
  }

 private:
  void Report(std::string_view code, const Expr& e, std::string message) {
    reporter_.Report(code, e && e->at.line > 0 ? e->at : at_, std::move(message));
  }
  void Report(std::string_view code, std::string message) { reporter_.Report(code, at_, std::move(message)); }

  const NameInfo* Find(const std::string& name) const {
    auto it = names_.find(name);
    return it == names_.end() ? nullptr : &it->second;
  }

  // --- Declarations

  bool Declare(const StmtNode& stmt) {
    NameInfo info;
    info.at = stmt.at;
    switch (stmt.kind) {
      case StmtKind::kMutable:
        info.use = NameUse::kMutable;
        info.rank = 0;
        break;
      case StmtKind::kFor:
        info.use = NameUse::kLoop;
        info.rank = 0;
        break;
      case StmtKind::kAlloc:
        info.use = NameUse::kTensor;
        info.rank = static_cast<int>(stmt.tensor.shape.size());
        break;
      default:
        info.use = NameUse::kLet;
        info.rank = RankOf(stmt.value);
        if (IsView(stmt.value)) info.base = BaseOf(stmt.value);
        break;
    }
    const std::string& name = DeclaredName(stmt);
    if (!IsBuiltin(name) && names_.insert({name, info}).second) return true;
    Report("K0002", StrCat("'", name, "' is declared twice"));
    return false;
  }

  // The tensor parameter that `e` is, or is a view of; empty when none is known.
  std::string BaseOf(const Expr& e) const {
    Expr var = ViewedVar(e);
    const NameInfo* info = var ? Find(var->name) : nullptr;
    return info ? info->base : "";
  }

  // Of a value, as far as it shows without types; -1 when it does not.
  int RankOf(const Expr& e) const {
    switch (e->kind) {
      case ExprKind::kVar: {
        const NameInfo* info = Find(e->name);
        return info ? info->rank : IsBuiltin(e->name) ? 0 : -1;
      }
      case ExprKind::kReshape:
        return static_cast<int>(e->args.size()) - 1;
      case ExprKind::kPermute:
      case ExprKind::kReinterpret:
        return RankOf(e->args[0]);
      case ExprKind::kSubscript: {
        int rank = RankOf(e->args[0]);
        if (rank < 0) return -1;
        for (size_t i = 1; i < e->args.size(); ++i) {
          ExprKind item = e->args[i]->kind;
          if (item == ExprKind::kNewAxis) ++rank;
          if (item != ExprKind::kNewAxis && item != ExprKind::kSlice && item != ExprKind::kFull) --rank;
        }
        return rank;
      }
      case ExprKind::kInt:
      case ExprKind::kFloat:
      case ExprKind::kBool:
      case ExprKind::kDim:
        return 0;
      default:
        return -1;
    }
  }

  // --- Writes

  void Write(const Expr& target) {
    std::string base = BaseOf(target);
    if (base.empty()) return;
    written_.insert(base);
    const NameInfo* info = Find(base);
    if (info && info->direction == Direction::kIn) {
      Report("K0016", target, StrCat("'", base, "' is an input and cannot be written; an output is declared 'out'"));
    }
  }

  void VisitTarget(const Expr& target) {
    VisitExpr(target);
    Write(target);
    if (target->kind != ExprKind::kVar) return;
    const NameInfo* info = Find(target->name);
    if (!info) return;
    constexpr std::string_view kWhat[] = {"a meta-parameter",   "a dtype",  "a layout", "a symbol",
                                          "a scalar parameter", "a tensor", "a 'let'",  "a 'var'",
                                          "a loop variable"};
    const bool view = info->use == NameUse::kLet && !info->base.empty();
    // A scalar parameter of an inline function is by reference too.
    const bool by_reference = info->use == NameUse::kScalar && function_ != nullptr;
    if (info->use == NameUse::kTensor || info->use == NameUse::kMutable || view || by_reference) return;
    Report("K0004", target,
           StrCat("'", target->name, "' is ", kWhat[static_cast<size_t>(info->use)],
                  " and cannot be assigned to; a scalar that changes is a 'var'"));
  }

  // --- Expressions

  void VisitExpr(const Expr& root) {
    ForEach(root, [&](const Expr& e) { CheckNode(e, e == root && statement_call_); });
  }

  void CheckNode(const Expr& e, bool statement) {
    CheckDType(e->dtype, e);
    switch (e->kind) {
      case ExprKind::kVar:
        return CheckVar(e);
      case ExprKind::kSubscript:
        return CheckSubscript(e);
      case ExprKind::kPermute:
        return CheckPermute(e);
      case ExprKind::kIndex:
      case ExprKind::kDim:
        if (int rank = RankOf(e->args[0]); rank >= 0 && e->int_value >= rank) {
          Report("K0028", e, StrCat("axis ", e->int_value, " of a tensor of rank ", rank));
        }
        return;
      case ExprKind::kTileOp:
        return CheckTileOp(e, statement);
      case ExprKind::kCall:
        return CheckCall(e);
      default:
        return;
    }
  }

  void CheckDType(const DTypeRef& dtype, const Expr& e) {
    if (dtype.param.empty()) return;
    const NameInfo* info = Find(dtype.param);
    if (info && info->use == NameUse::kDType) return;
    Report("K0029", e, StrCat("there is no dtype parameter '", dtype.param, "'"));
  }

  void CheckVar(const Expr& e) {
    if (IsBuiltin(e->name) || setting_words_.contains(e.get())) return;
    std::string_view param;
    int dimension = 0;
    if (SplitStride(e->name, &param, &dimension)) {
      const NameInfo* info = Find(std::string(param));
      if (info && info->use == NameUse::kTensor && dimension < info->rank) return;
    } else if (const NameInfo* info = Find(e->name)) {
      if (info->use != NameUse::kDType && info->use != NameUse::kLayout) return;
    }
    std::vector<std::string_view> known(Builtins().begin(), Builtins().end());
    for (const auto& [name, info] : names_) known.push_back(name);
    Report("K0003", e, StrCat("unknown name '", e->name, "'", DidYouMean(e->name, known)));
  }

  void CheckSubscript(const Expr& e) {
    int rank = RankOf(e->args[0]);
    int items = 0;
    for (size_t i = 1; i < e->args.size(); ++i) items += e->args[i]->kind != ExprKind::kNewAxis;
    if (rank < 0 || items == rank) return;
    Report(
        "K0005", e,
        StrCat("expected ", rank, " subscripts of '", Print(e->args[0]), "', one for each dimension, found ", items));
  }

  void CheckPermute(const Expr& e) {
    std::vector<int64_t> sorted = e->ints;
    std::sort(sorted.begin(), sorted.end());
    bool permutation = true;
    for (size_t i = 0; i < sorted.size(); ++i) permutation = permutation && sorted[i] == static_cast<int64_t>(i);
    int rank = RankOf(e->args[0]);
    if (permutation && (rank < 0 || rank == static_cast<int>(sorted.size()))) return;
    Report("K0028", e, StrCat("'", Print(e), "' is no order of ", rank < 0 ? "the" : StrCat(rank), " dimensions"));
  }

  void CheckTileOp(const Expr& e, bool statement) {
    const TileOpRow& row = *FindTileOp(e->tile.op);
    std::string name = StrCat(Name(e->tile.team), ".", row.name);
    if (static_cast<int>(e->args.size()) != row.operands) {
      Report("K0008", e,
             StrCat(name, " takes ", row.operands, row.operands == 1 ? " operand" : " operands", ", found ",
                    e->args.size()));
    }
    std::vector<std::string> known = absl::StrSplit(ToAbsl(row.attrs), ' ', absl::SkipEmpty());
    for (const Attr& attr : e->attrs) {
      if (std::find(known.begin(), known.end(), attr.name) != known.end()) continue;
      Report("K0009", e,
             StrCat(name, " has no argument '", attr.name, "'",
                    DidYouMean(attr.name, std::vector<std::string_view>(known.begin(), known.end()))));
    }
    if (row.value && statement) Report("K0010", e, StrCat("the value of ", name, " is not used"));
    if (!row.value && !statement) Report("K0010", e, StrCat(name, " has no value and stands as a statement"));
    if (row.written >= 0 && row.written < static_cast<int>(e->args.size())) {
      Write(e->args[static_cast<size_t>(row.written)]);
    }
    for (const Attr& setting : e->tile.via_config)
      if (setting.value->kind == ExprKind::kVar) setting_words_.insert(setting.value.get());
  }

  void CheckCall(const Expr& e) {
    if (const IntrinsicInfo* info = FindIntrinsic(e->name)) return CheckIntrinsic(e, *info);
    for (const Inline& callee : module_.inlines) {
      if (callee.name != e->name) continue;
      if (callee.params.size() != e->args.size() || !e->attrs.empty()) {
        Report("K0013", e,
               StrCat("'", e->name, "' takes ", callee.params.size(),
                      callee.params.size() == 1 ? " argument" : " arguments", ", found ",
                      e->args.size() + e->attrs.size()));
      }
      // By reference: what it does to them is known after inlining.
      for (const Expr& arg : e->args)
        if (std::string base = BaseOf(arg); !base.empty()) written_.insert(base);
      return;
    }
    std::vector<std::string_view> known = FunctionNames();
    for (const Inline& callee : module_.inlines) known.push_back(callee.name);
    Report("K0011", e, StrCat("unknown function '", e->name, "'", DidYouMean(e->name, known)));
  }

  void CheckIntrinsic(const Expr& e, const IntrinsicInfo& info) {
    size_t expected = 0;
    for (char operand : info.operands) expected += operand == 't' ? 2 : 1;
    if (e->args.size() != expected || !e->attrs.empty()) {
      return Report("K0012", e,
                    StrCat("'", info.name, "' takes ", expected, expected == 1 ? " argument" : " arguments",
                           " (a tensor and its index are two), found ", e->args.size() + e->attrs.size()));
    }
    size_t next = 0;
    for (size_t i = 0; i < info.operands.size(); ++i) {
      const Expr& arg = e->args[next];
      next += info.operands[i] == 't' ? 2 : 1;
      if (info.operands[i] != 't') continue;
      if (arg->kind != ExprKind::kVar) {
        Report("K0012", arg, StrCat("'", info.name, "' takes a tensor's name as argument ", next - 2));
      }
      // The first tensor is the one written, in every row.
      if (i == 0 && info.effect != '-') Write(arg);
    }
  }

  // --- Statements

  void Visit(const StmtNode& stmt) {
    if (!stmt.dtype.param.empty()) CheckDType(stmt.dtype, nullptr);
    switch (stmt.kind) {
      case StmtKind::kAlloc:
        VisitAlloc(stmt);
        break;
      case StmtKind::kAssign:
      case StmtKind::kStore:
        VisitTarget(stmt.target);
        if (stmt.begin) VisitExpr(stmt.begin);
        VisitExpr(stmt.value);
        break;
      case StmtKind::kEval:
        statement_call_ = true;
        VisitExpr(stmt.value);
        statement_call_ = false;
        break;
      case StmtKind::kFor:
        VisitFor(stmt);
        break;
      case StmtKind::kWhile:
      case StmtKind::kIf:
        VisitExpr(stmt.value);
        loops_ += stmt.kind == StmtKind::kWhile;
        VisitBlock(stmt.body);
        loops_ -= stmt.kind == StmtKind::kWhile;
        VisitBlock(stmt.orelse);
        break;
      case StmtKind::kReturn:
        VisitReturn(stmt);
        break;
      case StmtKind::kBreak:
      case StmtKind::kContinue:
        if (loops_ == 0)
          Report("K0006", StrCat(stmt.kind == StmtKind::kBreak ? "'break'" : "'continue'", " outside of a loop"));
        break;
      default:
        if (stmt.value) VisitExpr(stmt.value);
        break;
    }
  }

  void VisitAlloc(const StmtNode& stmt) {
    const TensorDecl& tensor = stmt.tensor;
    CheckDType(tensor.dtype, nullptr);
    for (size_t i = 0; i < tensor.shape.size(); ++i) {
      VisitExpr(tensor.shape[i]);
      int64_t extent = 0;
      if (!IsConst(tensor.shape[i], &extent)) continue;
      if (extent < 1) {
        Report("K0025", tensor.shape[i],
               StrCat("'", tensor.name, "' has an extent of ", extent, ": expected at least 1"));
      } else if (i < tensor.padded.size() && tensor.padded[i] < extent) {
        Report("K0031", StrCat("'", tensor.name, "' is padded to ", tensor.padded[i], " in a dimension of ", extent));
      }
    }
    if (!tensor.padded.empty() && tensor.padded.size() != tensor.shape.size()) {
      Report("K0031", StrCat("'", tensor.name, "' has rank ", tensor.shape.size(), " and a padded shape of rank ",
                             tensor.padded.size()));
    }
    if (tensor.align < 0 || (tensor.align > 0 && !std::has_single_bit(static_cast<uint64_t>(tensor.align)))) {
      Report("K0026", StrCat("'", tensor.name, "' is aligned to ", tensor.align, " bytes: expected a power of two"));
    }
    if (stmt.value) VisitExpr(stmt.value);
  }

  void VisitFor(const StmtNode& stmt) {
    for (const Expr* root : {&stmt.begin, &stmt.end, &stmt.step, &stmt.stages})
      if (*root) VisitExpr(*root);
    int64_t value = 0;
    if (IsConst(stmt.step, &value) && value < 1) {
      Report("K0023", stmt.step, StrCat("a step of ", value, ": expected at least 1"));
    }
    if (IsConst(stmt.stages, &value) && value < 1) {
      Report("K0027", stmt.stages, StrCat(value, " stages: expected at least 1"));
    }
    if (stmt.stages && stmt.loop != LoopKind::kPipelined) {
      Report("K0027", stmt.stages, "'stages' of a loop that is not pipelined");
    }
    const bool declared = Declare(stmt);
    ++loops_;
    VisitBlock(stmt.body);
    --loops_;
    if (declared) names_.erase(stmt.name);
  }

  void VisitReturn(const StmtNode& stmt) {
    if (stmt.value) VisitExpr(stmt.value);
    if (function_ == nullptr) {
      if (stmt.value) Report("K0007", "a kernel returns no value");
      return;
    }
    if (function_->returns && !stmt.value) Report("K0007", "expected a value to return");
    if (!function_->returns && stmt.value) Report("K0007", "returns a value, but declares none");
  }

  const Module& module_;
  const Inline* function_;
  NameTable names_;
  Reporter& reporter_;
  std::set<std::string>& written_;
  std::set<const Node*> setting_words_;  // `all` in `multicast = all`
  Location at_;                          // Of the statement
  int loops_ = 0;
  bool statement_call_ = false;
};

}  // namespace

void VerifyBody(const Module& module, const Inline* function, const Block& body, NameTable names, Reporter& reporter,
                std::set<std::string>& written) {
  BodyVerifier(module, function, std::move(names), reporter, written).VisitBlock(body);
}

}  // namespace kiln::ir
