#include "compiler/ir/verify_expr.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_split.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/nearest.h"
#include "compiler/ir/print.h"
#include "compiler/ir/tile_ops.h"
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

}  // namespace

void ExprVerifier::Report(std::string_view code, const Expr& e, std::string message) {
  reporter_.Report(code, e && e->at.line > 0 ? e->at : at_, std::move(message));
}

const NameInfo* ExprVerifier::Find(const std::string& name) const {
  auto it = names_.find(name);
  return it == names_.end() ? nullptr : &it->second;
}

std::string ExprVerifier::ViewedParam(const Expr& e) const { return IsView(e) ? BaseOf(e) : ""; }

// The tensor parameter that `e` is, or is a view of; empty when none is known.
std::string ExprVerifier::BaseOf(const Expr& e) const {
  Expr var = ViewedVar(e);
  const NameInfo* info = var ? Find(var->name) : nullptr;
  return info ? info->base : "";
}

int ExprVerifier::RankOf(const Expr& e) const {
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
    case ExprKind::kField: {
      const std::pair<std::string, int>* field = FieldOf(e);
      return field ? field->second : -1;
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

void ExprVerifier::Write(const Expr& target) {
  std::string base = BaseOf(target);
  if (base.empty()) return;
  written_.insert(base);
  const NameInfo* info = Find(base);
  if (info && info->direction == Direction::kIn) {
    Report("K0016", target, StrCat("'", base, "' is an input and cannot be written; an output is declared 'out'"));
  }
}

void ExprVerifier::VisitTarget(const Expr& target) {
  Visit(target);
  Write(target);
  if (target->kind != ExprKind::kVar) return;
  const NameInfo* info = Find(target->name);
  if (!info) return;
  constexpr std::string_view kWhat[] = {"a meta-parameter",   "a dtype",      "a layout", "a symbol",
                                        "a scalar parameter", "a tensor",     "a 'let'",  "a 'var'",
                                        "a loop variable",    "a tensor map", "a ring",   "a schedule"};
  const bool view = info->use == NameUse::kLet && !info->base.empty();
  // A scalar parameter of an inline function is by reference too.
  const bool by_reference = info->use == NameUse::kScalar && function_ != nullptr;
  if (info->use == NameUse::kTensor || info->use == NameUse::kMutable || view || by_reference) return;
  Report("K0004", target,
         StrCat("'", target->name, "' is ", kWhat[static_cast<size_t>(info->use)],
                " and cannot be assigned to; a scalar that changes is a 'var'"));
}

void ExprVerifier::Visit(const Expr& root, bool statement, bool let) {
  named_ = let ? root : nullptr;
  in_field_.clear();
  ForEach(root, [&](const Expr& e) {
    if (e->kind == ExprKind::kField) in_field_.insert(e->args[0].get());
  });
  ForEach(root, [&](const Expr& e) { CheckNode(e, statement && e == root); });
}

void ExprVerifier::CheckNode(const Expr& e, bool statement) {
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
    case ExprKind::kField:
      return CheckField(e);
    default:
      return;
  }
}

void ExprVerifier::CheckDType(const DTypeRef& dtype, const Expr& e) {
  if (dtype.param.empty()) return;
  const NameInfo* info = Find(dtype.param);
  if (info && info->use == NameUse::kDType) return;
  Report("K0029", e, StrCat("there is no dtype parameter '", dtype.param, "'"));
}

void ExprVerifier::CheckVar(const Expr& e) {
  if (IsBuiltin(e->name) || setting_words_.contains(e.get())) return;
  std::string_view param;
  int dimension = 0;
  if (SplitStride(e->name, &param, &dimension)) {
    const NameInfo* info = Find(std::string(param));
    if (info && info->use == NameUse::kTensor && dimension < info->rank) return;
  } else if (const NameInfo* info = Find(e->name)) {
    if (info->use != NameUse::kDType && info->use != NameUse::kLayout && info->use != NameUse::kRing &&
        info->use != NameUse::kSchedule)
      return;
  }
  std::vector<std::string_view> known(Builtins().begin(), Builtins().end());
  for (const auto& [name, info] : names_) known.push_back(name);
  Report("K0003", e, StrCat("unknown name '", e->name, "'", DidYouMean(e->name, known)));
}

void ExprVerifier::CheckSubscript(const Expr& e) {
  int rank = RankOf(e->args[0]);
  int items = 0;
  for (size_t i = 1; i < e->args.size(); ++i) items += e->args[i]->kind != ExprKind::kNewAxis;
  if (rank < 0 || items <= rank) return;
  Report("K0005", e,
         StrCat("expected at most ", rank, " subscripts of '", Print(e->args[0]), "', one for each dimension, found ",
                items));
}

void ExprVerifier::CheckPermute(const Expr& e) {
  std::vector<int64_t> sorted = e->ints;
  std::sort(sorted.begin(), sorted.end());
  bool permutation = true;
  for (size_t i = 0; i < sorted.size(); ++i) permutation = permutation && sorted[i] == static_cast<int64_t>(i);
  int rank = RankOf(e->args[0]);
  if (permutation && (rank < 0 || rank == static_cast<int>(sorted.size()))) return;
  Report("K0028", e, StrCat("'", Print(e), "' is no order of ", rank < 0 ? "the" : StrCat(rank), " dimensions"));
}

void ExprVerifier::CheckTileOp(const Expr& e, bool statement) {
  const TileOpRow& row = *FindTileOp(e->tile.op);
  if (IsRingOp(row.op)) return CheckRingOp(e, row, statement);
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

void ExprVerifier::CheckRingOp(const Expr& e, const TileOpRow& row, bool statement) {
  std::string name = StrCat(e->name, ".", row.name);
  if (const NameInfo* info = Find(e->name); !info || info->use != NameUse::kRing) {
    Report("K0033", e, StrCat(name, ": there is no ring '", e->name, "'"));
  }
  if (!e->args.empty() || !e->attrs.empty()) Report("K0033", e, StrCat(name, " takes no operands"));
  if (row.value && e != named_ && !(in_field_.contains(e.get()) && may_take_slots_)) {
    Report("K0033", e,
           statement ? StrCat("the slot that ", name, " gives is not used")
                     : StrCat(name, " stands inside of an expression: expected 'let SLOT = ", name, "()'"));
  }
  if (!row.value && !statement) Report("K0010", e, StrCat(name, " has no value and stands as a statement"));
}

std::string ExprVerifier::RingOf(const Expr& slot) const {
  if (slot->kind == ExprKind::kTileOp) return slot->name;
  const NameInfo* info = slot->kind == ExprKind::kVar ? Find(slot->name) : nullptr;
  return info ? info->ring : "";
}

const std::pair<std::string, int>* ExprVerifier::FieldOf(const Expr& e) const {
  const NameInfo* ring = Find(RingOf(e->args[0]));
  if (!ring) return nullptr;
  for (const auto& field : ring->fields)
    if (field.first == e->name) return &field;
  return nullptr;
}

void ExprVerifier::CheckField(const Expr& e) {
  if (FieldOf(e)) return;
  const std::string ring = RingOf(e->args[0]);
  if (ring.empty()) {
    return Report("K0034", e,
                  StrCat("'", Print(e->args[0]), "' is no slot of a ring: it has no field '", e->name, "'"));
  }
  std::vector<std::string_view> known;
  if (const NameInfo* info = Find(ring))
    for (const auto& field : info->fields) known.push_back(field.first);
  Report("K0034", e, StrCat("a slot of ring '", ring, "' has no field '", e->name, "'", DidYouMean(e->name, known)));
}

void ExprVerifier::CheckCall(const Expr& e) {
  if (const IntrinsicInfo* info = FindIntrinsic(e->name)) return CheckIntrinsic(e, *info);
  for (const Inline& callee : module_.inlines) {
    if (callee.name != e->name) continue;
    if (callee.params.size() != e->args.size() || !e->attrs.empty()) {
      Report(
          "K0013", e,
          StrCat("'", e->name, "' takes ", callee.params.size(), callee.params.size() == 1 ? " argument" : " arguments",
                 ", found ", e->args.size() + e->attrs.size()));
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

void ExprVerifier::CheckIntrinsic(const Expr& e, const IntrinsicInfo& info) {
  if (!TakesArguments(info, e->args.size()) || !e->attrs.empty()) {
    const std::string expected = ArgumentsTaken(info);
    return Report("K0012", e,
                  StrCat("'", info.name, "' takes ", expected, expected == "1" ? " argument" : " arguments", ", ",
                         ArgumentForms(info), ", found ", e->args.size() + e->attrs.size()));
  }
  size_t next = 0;
  for (size_t i = 0; i < info.operands.size(); ++i) {
    const Expr& arg = e->args[next];
    next += info.operands[i] == 't' ? 2 : 1;
    if (info.operands[i] == 'm' && arg->kind != ExprKind::kVar)
      Report("K0012", arg, StrCat("'", info.name, "' takes a tensor map's name as argument ", next));
    // The first tensor or map is the one written, in every row.
    if (i == 0 && info.effect != '-' && (info.operands[i] == 't' || info.operands[i] == 'm')) Write(arg);
    if (info.operands[i] != 't') continue;
    if (arg->kind != ExprKind::kVar) {
      Report("K0012", arg, StrCat("'", info.name, "' takes a tensor's name as argument ", next - 2));
    }
  }
}

}  // namespace kiln::ir
