// Which threads agree on the value of an expression.
#ifndef KILN_COMPILER_PLAN_UNIFORM_H_
#define KILN_COMPILER_PLAN_UNIFORM_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/expr/expr.h"
#include "compiler/ir/kernel.h"

namespace kiln {

// The largest team whose threads all have one value, where they reach the expression together.
enum class Agreement : uint8_t { kNone = 0, kWarp, kWarpgroup, kCta };

// What follows from thread_id, lane_id and warp_id over the lets of a kernel, and how far the rest is shared: symbols,
// scalar parameters, ids of the CTA and what memory holds at an index that is shared are so by the whole CTA; what a
// variable was given under a condition, by those that agree on the condition. Names of sibling blocks are taken
// together. Immutable once made; thread-compatible.
class Uniformity {
 public:
  // REQUIRES: specialized, with a constant block.
  explicit Uniformity(const ir::Kernel& kernel);

  Agreement Of(const Expr& e) const;
  // The value of an integer or logical expression in one thread; nothing where it depends on more than the thread's
  // ids.
  std::optional<int64_t> In(int64_t thread, const Expr& e) const;
  int64_t threads() const { return threads_; }

 private:
  std::optional<int64_t> OfUnary(int64_t thread, const Node& e) const;
  std::optional<int64_t> OfBinary(int64_t thread, const Node& e) const;
  Agreement OfParts(const Expr& e) const;
  Agreement OfName(const std::string& name) const;
  void KeepValues(const std::string& name, const Expr& value);
  void Visit(const ir::Block& block, Agreement control);
  void VisitLoop(const ir::StmtNode& loop, Agreement control);
  void Lower(const std::string& name, Agreement to);

  int64_t threads_;
  std::map<std::string, std::vector<int64_t>>
      lets_;                                    // Of each thread, where the ids decide it and the name is one let's
  std::map<std::string, Agreement> agreement_;  // Of names less than the CTA's
  bool changed_ = false;
};

}  // namespace kiln

#endif  // KILN_COMPILER_PLAN_UNIFORM_H_
