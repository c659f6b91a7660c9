#include "compiler/ir/verify.h"

#include <algorithm>

#include "compiler/expr/visit.h"
#include "compiler/ir/nearest.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verifier.h"
#include "compiler/ir/visit.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

class ModuleVerifier {
 public:
  ModuleVerifier(const Module& module, std::vector<Problem>& problems) : module_(module), reporter_(problems) {}

  void Run() {
    for (const Inline& function : module_.inlines) {
      reporter_.SetSubject(StrCat("inline '", function.name, "'"));
      DeclareGlobal(function.name, function.at);
      VerifyInline(function);
    }
    VerifyRecursion();
    for (const Kernel& kernel : module_.kernels) {
      reporter_.SetSubject(StrCat("kernel '", kernel.name, "'"));
      DeclareGlobal(kernel.name, kernel.at);
      VerifyKernel(kernel);
    }
    for (const OpDecl& op : module_.ops) {
      reporter_.SetSubject(StrCat("op '", op.name, "'"));
      DeclareGlobal(op.name, op.at);
      VerifyOp(op);
    }
  }

 private:
  void DeclareGlobal(const std::string& name, Location at) {
    if (globals_.insert(name).second) return;
    reporter_.Report("K0001", at, StrCat("'", name, "' is already declared in this module"));
  }

  void VerifyKernel(const Kernel& kernel) {
    std::set<std::string> written;
    VerifyBody(module_, nullptr, kernel.body, VerifyHeader(kernel, reporter_), reporter_, written);
    for (const Param& param : kernel.params) {
      if (param.direction == Direction::kIn || written.contains(param.name)) continue;
      reporter_.Report("K0015", param.at, StrCat("'", param.name, "' is an output that nothing writes"));
    }
  }

  void VerifyInline(const Inline& function) {
    NameTable names;
    auto add_type = [&](const InlineParam& type) {
      if (!type.dtype.param.empty()) names.insert({type.dtype.param, {NameUse::kDType, 0, {}, "", function.at}});
      for (const Expr& extent : type.shape)
        if (extent->kind == ExprKind::kVar) names.insert({extent->name, {NameUse::kSymbol, 0, {}, "", function.at}});
    };
    for (const InlineParam& param : function.params) {
      add_type(param);
      NameInfo info{param.is_tile ? NameUse::kTensor : NameUse::kScalar,
                    param.is_tile ? static_cast<int>(param.shape.size()) : 0, Direction::kInOut, "", function.at};
      if (!names.insert({param.name, info}).second) {
        reporter_.Report("K0002", function.at, StrCat("'", param.name, "' is declared twice"));
      }
    }
    add_type(function.result);
    std::set<std::string> written;
    VerifyBody(module_, &function, function.body, names, reporter_, written);
    const bool ends = !function.body.empty() && function.body.back()->kind == StmtKind::kReturn;
    if (function.returns && !ends) {
      reporter_.Report("K0007", function.at, "expected a 'return' as its last statement");
    }
  }

  // Depth first; a function met again on its own path closes a cycle, which is reported where it is found.
  void VerifyRecursion() {
    for (const Inline& function : module_.inlines) {
      std::vector<std::string> path;
      Visit(function, path);
    }
  }

  void Visit(const Inline& function, std::vector<std::string>& path) {
    auto on_path = std::find(path.begin(), path.end(), function.name);
    if (on_path != path.end()) {
      std::string cycle;
      for (auto it = on_path; it != path.end(); ++it) StrAppend(&cycle, *it, " -> ");
      reporter_.SetSubject(StrCat("inline '", function.name, "'"));
      return reporter_.Report("K0014", function.at, StrCat("calls itself: ", cycle, function.name));
    }
    if (!visited_.insert(function.name).second) return;
    path.push_back(function.name);
    ForEachExpr(function.body, [&](const Expr& e) {
      if (e->kind != ExprKind::kCall) return;
      for (const Inline& callee : module_.inlines)
        if (callee.name == e->name) return Visit(callee, path);
    });
    path.pop_back();
  }

  void VerifyOp(const OpDecl& op) {
    if (op.members.empty()) reporter_.Report("K0021", op.at, "expected at least one kernel");
    const Kernel* first = nullptr;
    bool generic = false;
    for (const OpMember& member : op.members) {
      if (member.generic && generic) {
        reporter_.Report("K0020", member.at, StrCat("'", member.kernel, "' is a second generic member"));
      }
      generic = generic || member.generic;
      const Kernel* kernel = FindKernel(module_, member.kernel);
      if (!kernel) {
        std::vector<std::string_view> known;
        for (const Kernel& candidate : module_.kernels) known.push_back(candidate.name);
        reporter_.Report("K0018", member.at,
                         StrCat("there is no kernel '", member.kernel, "'", DidYouMean(member.kernel, known)));
        continue;
      }
      VerifyCondition(member, *kernel);
      if (!first) {
        first = kernel;
      } else if (std::string difference = Difference(*first, *kernel); !difference.empty()) {
        reporter_.Report("K0019", member.at,
                         StrCat("'", kernel->name, "' and '", first->name, "' differ in signature: ", difference));
      }
    }
  }

  void VerifyCondition(const OpMember& member, const Kernel& kernel) {
    if (!member.when) return;
    std::set<std::string> names, symbols = SymbolsOf(kernel);
    CollectNames(member.when, names);
    std::vector<std::string_view> known(symbols.begin(), symbols.end());
    for (const std::string& name : names) {
      if (symbols.contains(name)) continue;
      reporter_.Report("K0030", member.at,
                       StrCat("'", name, "' is no symbol of kernel '", kernel.name, "'", DidYouMean(name, known)));
    }
  }

  // Empty when a call of one is a call of the other.
  static std::string Difference(const Kernel& a, const Kernel& b) {
    if (a.params.size() != b.params.size()) return StrCat(a.params.size(), " and ", b.params.size(), " parameters");
    constexpr std::string_view kDirections[] = {"in", "out", "inout"};
    for (size_t i = 0; i < a.params.size(); ++i) {
      const Param &x = a.params[i], &y = b.params[i];
      if (x.name != y.name) return StrCat("parameter ", i, " is '", x.name, "' and '", y.name, "'");
      std::string head = StrCat("'", x.name, "' is ");
      if (x.is_tensor != y.is_tensor) {
        return StrCat(head, x.is_tensor ? "a tensor and a scalar" : "a scalar and a tensor");
      }
      if (x.direction != y.direction) {
        return StrCat(head, kDirections[static_cast<size_t>(x.direction)], " and ",
                      kDirections[static_cast<size_t>(y.direction)]);
      }
      if (x.shape.size() != y.shape.size()) {
        return StrCat(head, "of rank ", x.shape.size(), " and of rank ", y.shape.size());
      }
      if (x.dtype.Known() && y.dtype.Known() && x.dtype != y.dtype) {
        return StrCat(head, Name(x.dtype.dtype), " and ", Name(y.dtype.dtype));
      }
    }
    return "";
  }

  const Module& module_;
  Reporter reporter_;
  std::set<std::string> globals_;
  std::set<std::string> visited_;
};

}  // namespace

std::vector<Problem> Verify(const Module& module) {
  std::vector<Problem> problems;
  ModuleVerifier(module, problems).Run();
  return problems;
}

std::string Render(const Problem& problem, std::string_view file) {
  std::string place = problem.at.line > 0 ? StrCat(":", problem.at.line, ":", problem.at.column) : "";
  return StrCat(file, place, ": error ", problem.code, ": ", problem.subject, ": ", problem.message);
}

absl::Status ToStatus(const std::vector<Problem>& problems, std::string_view file) {
  if (problems.empty()) return absl::OkStatus();
  std::string all;
  for (const Problem& problem : problems) StrAppend(&all, all.empty() ? "" : "\n", Render(problem, file));
  return absl::InvalidArgumentError(all);
}

}  // namespace kiln::ir
