#include <bit>
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
        break;
      case StmtKind::kAlloc:
        info.use = NameUse::kTensor;
        info.rank = static_cast<int>(stmt.tensor.shape.size());
        break;
      default:
        info.use = NameUse::kLet;
        info.rank = exprs_.RankOf(stmt.value);
        info.base = exprs_.ViewedParam(stmt.value);
        break;
    }
    const std::string& name = stmt.kind == StmtKind::kRing ? stmt.name : DeclaredName(stmt);
    if (!IsBuiltin(name) && exprs_.names().insert({name, info}).second) return true;
    exprs_.Report("K0002", StrCat("'", name, "' is declared twice"));
    return false;
  }

  // --- Statements

  void Visit(const StmtNode& stmt) {
    if (!stmt.dtype.param.empty()) exprs_.CheckDType(stmt.dtype, nullptr);
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
  int loops_ = 0;
  int blocks_ = 0;  // Open around what is visited
};

}  // namespace

void VerifyBody(const Module& module, const Inline* function, const Block& body, NameTable names, Reporter& reporter,
                std::set<std::string>& written) {
  BodyVerifier(module, function, std::move(names), reporter, written).VisitBlock(body);
}

}  // namespace kiln::ir
