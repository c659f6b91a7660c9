// The verifier's view of expressions: names, ranks, subscripts, operations and calls, and what is written through them.
#ifndef KILN_COMPILER_IR_VERIFY_EXPR_H_
#define KILN_COMPILER_IR_VERIFY_EXPR_H_

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/intrinsics.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/verifier.h"

namespace kiln::ir {

class ExprVerifier {
 public:
  // `function` is null in a kernel's body. The tensor parameters that are written are added to `written`.
  ExprVerifier(const Module& module, const Inline* function, NameTable names, Reporter& reporter,
               std::set<std::string>& written)
      : module_(module), function_(function), names_(std::move(names)), reporter_(reporter), written_(written) {}

  // Where the statement at hand stands; for expressions without a place of their own.
  void SetPlace(Location at) { at_ = at; }
  NameTable& names() { return names_; }

  // With `statement`, `root` stands alone, for its effect; with `let`, it is all that a `let` names.
  void Visit(const Expr& root, bool statement = false, bool let = false);
  // What an assignment or a store writes.
  void VisitTarget(const Expr& target);
  void CheckDType(const DTypeRef& dtype, const Expr& e);

  // Of a value, as far as it shows without types; -1 when it does not.
  int RankOf(const Expr& e) const;
  // The tensor parameter that a view stands for; empty when `e` is no view, or of none.
  std::string ViewedParam(const Expr& e) const;

  // The ring whose slot `slot` is; empty when it is none.
  std::string RingOf(const Expr& slot) const;
  // Whether a push or a pop may stand in the expression at hand, for the field that is taken of its slot.
  void MayTakeSlots(bool may) { may_take_slots_ = may; }

  void Report(std::string_view code, const Expr& e, std::string message);
  void Report(std::string_view code, std::string message) { reporter_.Report(code, at_, std::move(message)); }

 private:
  const NameInfo* Find(const std::string& name) const;
  std::string BaseOf(const Expr& e) const;
  void Write(const Expr& target);
  void CheckNode(const Expr& e, bool statement);
  void CheckVar(const Expr& e);
  void CheckSubscript(const Expr& e);
  void CheckPermute(const Expr& e);
  void CheckTileOp(const Expr& e, bool statement);
  void CheckRingOp(const Expr& e, const TileOpRow& row, bool statement);
  void CheckField(const Expr& e);
  const std::pair<std::string, int>* FieldOf(const Expr& e) const;
  void CheckCall(const Expr& e);
  void CheckIntrinsic(const Expr& e, const IntrinsicInfo& info);

  const Module& module_;
  const Inline* function_;
  NameTable names_;
  Reporter& reporter_;
  std::set<std::string>& written_;
  std::set<const Node*> setting_words_;  // `all` in `multicast = all`
  Expr named_;                           // What a `let` names
  std::set<const Node*> in_field_;       // Slots that a field is taken of
  bool may_take_slots_ = false;
  Location at_;  // Of the statement
};

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_VERIFY_EXPR_H_
