#include <bit>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/verifier.h"
#include "compiler/ir/verify_expr.h"
#include "compiler/ir/visit.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

class BodyVerifier {
 public:
  BodyVerifier(const Module& module, const Inline* function, NameTable names, Reporter& reporter,
               std::set<std::string>& written)
      : function_(function), exprs_(module, function, std::move(names), reporter, written) {}

  void VisitBlock(const Block& block) {
    std::vector<std::string> declared;
    ++blocks_;
    for (const Stmt& stmt : block) {
      exprs_.SetPlace(stmt->at);
      Visit(*stmt);
      if (stmt->kind == StmtKind::kRing) {
        VisitRing(*stmt, declared);
        continue;
      }
      if (stmt->kind == StmtKind::kSchedule && Declare(*stmt)) declared.push_back(stmt->name);
      if (stmt->kind == StmtKind::kFor) continue;
      if (const std::string& name = DeclaredName(*stmt); !name.empty() && Declare(*stmt)) declared.push_back(name);
    }
    for (const std::string& name : declared) exprs_.names().erase(name);
    --blocks_;
  }

 private:
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
      case StmtKind::kRing:
        info.use = NameUse::kRing;
        for (const Stmt& field : stmt.body)
          if (field->kind == StmtKind::kAlloc && field->tensor.space == Space::kNone)
            info.fields.emplace_back(field->tensor.name, static_cast<int>(field->tensor.shape.size()));
        break;
      case StmtKind::kSchedule:
        info.use = NameUse::kSchedule;
        info.indices = stmt.extents.size();
        break;
      case StmtKind::kAlloc:
        info.use = NameUse::kTensor;
        info.rank = static_cast<int>(stmt.tensor.shape.size());
        break;
      default:
        info.use = NameUse::kLet;
        info.rank = exprs_.RankOf(stmt.value);
        info.base = exprs_.ViewedParam(stmt.value);
        if (stmt.value->kind == ExprKind::kTileOp) info.ring = exprs_.RingOf(stmt.value);
        break;
    }
    const bool named = stmt.kind == StmtKind::kRing || stmt.kind == StmtKind::kSchedule;
    return DeclareName(named ? stmt.name : DeclaredName(stmt), std::move(info));
  }

  bool DeclareName(const std::string& name, NameInfo info) {
    if (!IsBuiltin(name) && exprs_.names().insert({name, info}).second) return true;
    exprs_.Report("K0002", StrCat("'", name, "' is declared twice"));
    return false;
  }

  // --- Statements

  void Visit(const StmtNode& stmt) {
    if (!stmt.dtype.param.empty()) exprs_.CheckDType(stmt.dtype, nullptr);
    // Before the statement, once: so not in a condition or a bound.
    exprs_.MayTakeSlots(stmt.kind == StmtKind::kLet || stmt.kind == StmtKind::kEval || stmt.kind == StmtKind::kAssign);
    switch (stmt.kind) {
      case StmtKind::kAlloc:
        VisitAlloc(stmt);
        break;
      case StmtKind::kAssign:
      case StmtKind::kStore:
        exprs_.VisitTarget(stmt.target);
        if (stmt.begin) exprs_.Visit(stmt.begin);
        exprs_.Visit(stmt.value);
        break;
      case StmtKind::kEval:
        exprs_.Visit(stmt.value, /*statement=*/true);
        break;
      case StmtKind::kFor:
        VisitFor(stmt);
        break;
      case StmtKind::kWhile:
      case StmtKind::kIf:
        exprs_.Visit(stmt.value);
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
          exprs_.Report("K0006",
                        StrCat(stmt.kind == StmtKind::kBreak ? "'break'" : "'continue'", " outside of a loop"));
        break;
      case StmtKind::kLet:
        exprs_.Visit(stmt.value, /*statement=*/false, /*let=*/true);
        break;
      case StmtKind::kRing:
        exprs_.Visit(stmt.stages);
        break;
      case StmtKind::kRole:
        VisitRole(stmt);
        break;
      case StmtKind::kSchedule:
        VisitSchedule(stmt);
        break;
      case StmtKind::kTiles:
        VisitTiles(stmt);
        break;
      default:
        if (stmt.value) exprs_.Visit(stmt.value);
        break;
    }
  }

  // What it declares is visible where it is, and named in `declared`.
  void VisitRing(const StmtNode& stmt, std::vector<std::string>& declared) {
    auto report = [&](auto... words) { exprs_.Report("K0032", StrCat("ring '", stmt.name, "' ", words...)); };
    if (function_ != nullptr || blocks_ > 1) report("is not at the top of a kernel's body");
    int64_t slots = 0;
    const bool known = IsConst(stmt.stages, &slots);
    if (known && slots < 1) report("has ", slots, " slots: expected at least 1");
    if (stmt.body.empty()) report("has no fields");
    if (Declare(stmt)) declared.push_back(stmt.name);
    for (const Stmt& field : stmt.body) {
      if (field->kind == StmtKind::kComment) continue;
      exprs_.SetPlace(field->at);
      if (field->kind != StmtKind::kAlloc) {
        report("holds what is no field");
        continue;
      }
      VisitAlloc(*field);
      const TensorDecl& tensor = field->tensor;
      if (tensor.space == Space::kNone) {
        for (const Stmt& other : stmt.body)
          if (other.get() != field.get() && other->tensor.name == tensor.name && other->at.line <= field->at.line)
            report("has two fields '", tensor.name, "'");
        continue;
      }
      if (tensor.space != Space::kShared && tensor.space != Space::kSharedDyn) {
        report("has a field '", tensor.name, "' in ", Name(tensor.space), ": expected shared memory");
      }
      int64_t extent = 0;
      if (tensor.shape.empty()) {
        report("has a field '", tensor.name, "' without dimensions: expected the slots first");
      } else if (known && IsConst(tensor.shape[0], &extent) && extent != slots) {
        report("of ", slots, " slots has a field '", tensor.name, "' of ", extent);
      }
      if (field->value) report("has a field '", tensor.name, "' with a value: a slot is filled after its push");
      if (Declare(*field)) declared.push_back(tensor.name);
    }
  }

  void VisitRole(const StmtNode& stmt) {
    auto report = [&](auto... words) { exprs_.Report("K0035", StrCat("role '", stmt.name, "' ", words...)); };
    if (function_ != nullptr || blocks_ > 1) report("is not at the top of a kernel's body");
    for (size_t i = 0; i < stmt.members.size(); ++i) {
      if (i > 0 && stmt.members[i] != stmt.members[i - 1] + 1)
        report("takes warpgroup ", stmt.members[i], " after ", stmt.members[i - 1], ": expected consecutive ones");
      if (!in_roles_.insert({stmt.members[i], stmt.name}).second)
        report("takes warpgroup ", stmt.members[i], ", which role '", in_roles_[stmt.members[i]], "' has");
    }
    if (stmt.value) exprs_.Visit(stmt.value);
    int64_t registers = 0;
    if (IsConst(stmt.value, &registers) && (registers < 24 || registers > 256 || registers % 8 != 0))
      report("asks for ", registers, " registers: expected a multiple of 8 from 24 to 256");
    NameInfo word;
    word.at = stmt.at;
    word.rank = 0;
    std::vector<std::string> declared;
    for (std::string_view name : {kRoleRank, kFirstWarp})
      if (DeclareName(std::string(name), word)) declared.emplace_back(name);
    VisitBlock(stmt.body);
    for (const std::string& name : declared) exprs_.names().erase(name);
  }

  void VisitSchedule(const StmtNode& stmt) {
    auto report = [&](auto... words) { exprs_.Report("K0036", StrCat("schedule '", stmt.name, "' ", words...)); };
    if (function_ != nullptr || blocks_ > 1) report("is not at the top of a kernel's body");
    for (const Expr& extent : stmt.extents) exprs_.Visit(extent);
    if (stmt.extents.size() > 3) report("has ", stmt.extents.size(), " dimensions: expected 1 to 3");
    const bool by_rows = stmt.order == TileOrder::kGrouped || stmt.order == TileOrder::kSerpentine;
    if (by_rows && stmt.extents.size() != 2)
      report("has ", stmt.extents.size(), " dimensions: the order ", Name(stmt.order), " takes two");
    if ((stmt.order == TileOrder::kGrouped) != (stmt.value != nullptr)) report("expected the rows of a group");
    if (stmt.value) exprs_.Visit(stmt.value);
    int64_t rows = 0;
    if (IsConst(stmt.value, &rows) && rows < 1) report("groups ", rows, " rows: expected at least 1");
  }

  void VisitTiles(const StmtNode& stmt) {
    auto it = exprs_.names().find(stmt.name);
    if (it == exprs_.names().end() || it->second.use != NameUse::kSchedule) {
      exprs_.Report("K0036", StrCat("there is no schedule '", stmt.name, "'"));
    } else if (it->second.indices != stmt.names.size()) {
      exprs_.Report("K0036", StrCat("schedule '", stmt.name, "' has ", it->second.indices, " dimensions, the loop ",
                                    stmt.names.size(), stmt.names.size() == 1 ? " index" : " indices"));
    }
    NameInfo index;
    index.use = NameUse::kLoop;
    index.rank = 0;
    index.at = stmt.at;
    std::vector<std::string> declared;
    for (const std::string& name : stmt.names)
      if (DeclareName(name, index)) declared.push_back(name);
    ++loops_;
    VisitBlock(stmt.body);
    --loops_;
    for (const std::string& name : declared) exprs_.names().erase(name);
  }

  void VisitAlloc(const StmtNode& stmt) {
    const TensorDecl& tensor = stmt.tensor;
    exprs_.CheckDType(tensor.dtype, nullptr);
    for (size_t i = 0; i < tensor.shape.size(); ++i) {
      exprs_.Visit(tensor.shape[i]);
      int64_t extent = 0;
      if (!IsConst(tensor.shape[i], &extent)) continue;
      if (extent < 1) {
        exprs_.Report("K0025", tensor.shape[i],
                      StrCat("'", tensor.name, "' has an extent of ", extent, ": expected at least 1"));
      } else if (i < tensor.padded.size() && tensor.padded[i] < extent) {
        exprs_.Report("K0031",
                      StrCat("'", tensor.name, "' is padded to ", tensor.padded[i], " in a dimension of ", extent));
      }
    }
    if (!tensor.padded.empty() && tensor.padded.size() != tensor.shape.size()) {
      exprs_.Report("K0031", StrCat("'", tensor.name, "' has rank ", tensor.shape.size(),
                                    " and a padded shape of rank ", tensor.padded.size()));
    }
    if (tensor.align < 0 || (tensor.align > 0 && !std::has_single_bit(static_cast<uint64_t>(tensor.align)))) {
      exprs_.Report("K0026",
                    StrCat("'", tensor.name, "' is aligned to ", tensor.align, " bytes: expected a power of two"));
    }
    if (stmt.value) exprs_.Visit(stmt.value);
  }

  void VisitFor(const StmtNode& stmt) {
    for (const Expr* root : {&stmt.begin, &stmt.end, &stmt.step, &stmt.stages})
      if (*root) exprs_.Visit(*root);
    int64_t value = 0;
    if (IsConst(stmt.step, &value) && value < 1) {
      exprs_.Report("K0023", stmt.step, StrCat("a step of ", value, ": expected at least 1"));
    }
    if (IsConst(stmt.stages, &value) && value < 1) {
      exprs_.Report("K0027", stmt.stages, StrCat(value, " stages: expected at least 1"));
    }
    if (stmt.stages && stmt.loop != LoopKind::kPipelined) {
      exprs_.Report("K0027", stmt.stages, "'stages' of a loop that is not pipelined");
    }
    const bool declared = Declare(stmt);
    ++loops_;
    VisitBlock(stmt.body);
    --loops_;
    if (declared) exprs_.names().erase(stmt.name);
  }

  void VisitReturn(const StmtNode& stmt) {
    if (stmt.value) exprs_.Visit(stmt.value);
    if (function_ == nullptr) {
      if (stmt.value) exprs_.Report("K0007", "a kernel returns no value");
      return;
    }
    if (function_->returns && !stmt.value) exprs_.Report("K0007", "expected a value to return");
    if (!function_->returns && stmt.value) exprs_.Report("K0007", "returns a value, but declares none");
  }

  const Inline* function_;
  ExprVerifier exprs_;
  std::map<int64_t, std::string> in_roles_;  // Warpgroups that roles have
  int loops_ = 0;
  int blocks_ = 0;  // Open around what is visited
};

}  // namespace

void VerifyBody(const Module& module, const Inline* function, const Block& body, NameTable names, Reporter& reporter,
                std::set<std::string>& written) {
  BodyVerifier(module, function, std::move(names), reporter, written).VisitBlock(body);
}

}  // namespace kiln::ir
