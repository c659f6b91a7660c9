// Loop nests over a tile's domain, split where slices reach past an edge.
//
// A guard is a condition `value < limit` under which an element exists. One that bounds a single loop variable becomes
// the end of a loop: writes end there, reads go on with what lies past the edge in a loop of its own. What is no such
// bound is checked element by element.
#ifndef KILN_COMPILER_LOWER_CPU_NEST_H_
#define KILN_COMPILER_LOWER_CPU_NEST_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "compiler/expr/facts.h"
#include "compiler/ir/kernel.h"

namespace kiln::cpu {

struct Guard {
  Expr value;
  Expr limit;            // value < limit
  bool written = false;  // Of the element that the statement writes

  // How a nest takes care of it.
  enum class Kind { kElement, kSplit };
  Kind kind = Kind::kElement;
  int dim = -1;  // kSplit

  Expr Condition() const { return Lt(value, limit); }
};

struct Dim {
  std::string var;
  Expr extent;
};

// One place in the nest, for the body that is emitted there.
struct Point {
  std::vector<Expr> index;  // One a dimension; of the vector dimension the first lane's
  int lanes = 1;
  int slot = 0;            // Which of `unroll` vectors side by side
  std::vector<bool> edge;  // By dimension: past the edge of some read
};

class Nest {
 public:
  // `dims` outermost first; the last is the vector dimension. Facts hold what is known outside.
  Nest(std::vector<Dim> dims, int lanes, int unroll, Facts facts)
      : dims_(std::move(dims)), lanes_(lanes), unroll_(unroll), facts_(std::move(facts)) {}

  const std::vector<Dim>& dims() const { return dims_; }
  // The facts outside with the ranges of the loop variables.
  Facts InnerFacts() const;

  // A variable of a loop that the body opens itself: guards that read it are checked element by element.
  void AddInner(std::string var) { inner_.push_back(std::move(var)); }
  // Decides each guard's kind. A guard that another one implies, or that always holds, must not be given.
  void Plan(std::vector<Guard> guards);
  const std::vector<Guard>& guards() const { return guards_; }
  // Where some guard must be looked at lane by lane.
  bool NeedsScalars() const;
  void SetScalar() { lanes_ = unroll_ = 1; }
  int lanes() const { return lanes_; }

  // Statements that name the ends of loops; run before Emit's. `fresh` makes names.
  void Prologue(ir::Block& out, const std::function<std::string(const std::string&)>& fresh);
  // Where a dimension's writes end, and where its reads reach their first edge.
  const Expr& End(int dim) const { return ends_[dim]; }
  const Expr& Main(int dim) const { return mains_[dim]; }
  bool HasEdge(int dim) const;

  using Body = std::function<absl::Status(const Point& point, ir::Block& out)>;
  // Loops around what `body` emits; it is called once for each kind of place. REQUIRES: Prologue ran.
  absl::Status Emit(const Body& body, ir::Block& out) const;

  // The condition that an access under `guard` must check at `point`, null when loops took care of it.
  Expr Check(const Point& point, const Guard& guard) const;

 private:
  absl::Status EmitDim(size_t dim, Point point, const Body& body, ir::Block& out) const;
  absl::Status EmitVectors(Point point, const Body& body, ir::Block& out) const;
  absl::Status EmitLoop(const Expr& begin, const Expr& end, int64_t step, size_t dim,
                        const std::function<absl::Status(const Expr& index, ir::Block& out)>& body,
                        ir::Block& out) const;

  std::vector<Dim> dims_;
  int lanes_;
  int unroll_;
  Facts facts_;
  std::vector<std::string> inner_;
  std::vector<Guard> guards_;
  std::vector<Expr> ends_, mains_;
};

}  // namespace kiln::cpu

#endif  // KILN_COMPILER_LOWER_CPU_NEST_H_
