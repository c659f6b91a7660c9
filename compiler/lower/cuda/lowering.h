// What the lowerings of one kernel share: tensors, facts, fresh names, where statements go, and the barriers between
// them.
#ifndef KILN_COMPILER_LOWER_CUDA_LOWERING_H_
#define KILN_COMPILER_LOWER_CUDA_LOWERING_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "compiler/ir/kernel.h"
#include "compiler/lower/cuda/rings.h"
#include "compiler/plan/plan.h"
#include "compiler/rules/operand.h"

namespace kiln::cuda {

// Short builders of typed index arithmetic.
inline const Type& IndexType() {
  static const Type* const type = new Type{DType::kI64};
  return *type;
}
inline Expr I(int64_t v) { return WithType(Int(v), IndexType()); }
inline Expr AddI(const Expr& a, const Expr& b) { return WithType(a + b, IndexType()); }
inline Expr MulI(const Expr& a, int64_t b) { return WithType(a * I(b), IndexType()); }
inline Expr LessI(const Expr& a, const Expr& b) { return WithType(Lt(a, b), {DType::kBool}); }
inline Expr Both(const Expr& a, const Expr& b) {
  if (!a) return b;
  return b ? WithType(And(a, b), {DType::kBool}) : a;
}
Expr Element(const Expr& tensor, const Expr& index, int lanes = 1);  // Load, typed
Expr TensorVar(const std::string& name, DType dtype);
Expr Intrinsic(const std::string& name, std::vector<Expr> args);  // For its effect

// Which shared tensors threads have touched since the CTA's last barrier. Between a tile operation and whatever comes
// next to its data a barrier is the compiler's to place; between elements that threads take one by one, the author's.
class BarrierTracker {
 public:
  bool NeedsBeforeRead(const std::string& tensor) const {
    return written_.count(tensor) != 0 || elements_written_.count(tensor) != 0;
  }
  bool NeedsBeforeWrite(const std::string& tensor) const {
    return NeedsBeforeRead(tensor) || read_.count(tensor) != 0 || elements_read_.count(tensor) != 0;
  }
  bool NeedsBeforeElementRead(const std::string& tensor) const { return written_.count(tensor) != 0; }
  bool NeedsBeforeElementWrite(const std::string& tensor) const {
    return written_.count(tensor) != 0 || read_.count(tensor) != 0;
  }
  void Read(const std::string& tensor) { read_.insert(tensor); }
  void Write(const std::string& tensor) { written_.insert(tensor); }
  void ReadElement(const std::string& tensor) { elements_read_.insert(tensor); }
  void WriteElement(const std::string& tensor) { elements_written_.insert(tensor); }
  // An asynchronous copy's data is written, for others, when it has been waited for.
  void WriteAsync(const std::string& tensor) { in_flight_.insert(tensor); }
  void Landed() { written_.insert(in_flight_.begin(), in_flight_.end()); }
  void Barrier() {
    read_.clear();
    written_.clear();
    elements_read_.clear();
    elements_written_.clear();
  }
  bool Quiet() const { return read_.empty() && written_.empty(); }
  void Join(const BarrierTracker& other);

 private:
  std::set<std::string> read_, written_, in_flight_, elements_read_, elements_written_;
};

// Groups of products that the matrix unit may still be working on, oldest first, each with the accumulator it writes.
class ProductGroups {
 public:
  void Commit(const Expr& accumulator) { accumulators_.push_back(accumulator); }
  // Accumulators that belong to the threads again once at most `pending` groups are left.
  std::vector<Expr> Retire(size_t pending);

 private:
  std::vector<Expr> accumulators_;
};

class Lowering {
 public:
  Lowering(const ir::Kernel& kernel, const Target& target, const Plan& plan, Tensors tensors);

  const ir::Kernel& kernel() const { return kernel_; }
  const Target& target() const { return target_; }
  const Plan& plan() const { return plan_; }
  const Tensors& tensors() const { return tensors_; }
  int64_t threads() const { return threads_; }

  Facts facts;  // Of every name visible here; loop names are fresh, so that none is ever wrong
  BarrierTracker barriers;
  ProductGroups products;
  Rings rings;
  bool inside = false;  // The statement at hand is known to lie within every tensor: no guards

  // GuardOf, or null where the statement is known to be inside.
  Expr Guard(const Operand& operand, const std::vector<Expr>& coords) const;

  // Appends to the innermost open block.
  void Add(ir::Stmt stmt) { blocks_.back()->push_back(std::move(stmt)); }
  // Runs `fill` with a new block open, and returns the block.
  ir::Block Inside(absl::FunctionRef<void()> fill);
  // for name in unroll 0 .. extent; the body gets the variable. An extent of 1 is no loop.
  void Unroll(const std::string& stem, int64_t extent, absl::FunctionRef<void(Expr)> body);
  // if condition { body }; a null condition is no branch.
  void When(const Expr& condition, absl::FunctionRef<void()> body, absl::FunctionRef<void()> otherwise = [] {});
  std::string Fresh(const std::string& stem);
  // alloc name: dtype[slots] in local
  Expr Registers(const std::string& stem, DType dtype, int64_t slots);
  // A local tile of the lowering's own, known by its name from here on.
  const TensorInfo& NewTile(const std::string& stem, DType dtype, const std::vector<Expr>& shape,
                            Distribution distribution, Team owner = Team::kNone);
  // Shared memory of the kernel's own, `elements` of `dtype` at least; one arena a dtype, for one use at a time.
  Expr Scratch(DType dtype, int64_t elements);

  // A barrier now, if one is due: of the CTA, or of this warpgroup where a part of the CTA alone is known to be.
  void SyncBeforeRead(const Operand& operand);
  void SyncBeforeWrite(const Operand& operand);
  void SyncNow();
  // A barrier of the running thread's team.
  void Sync(Team team);
  // Whether these facts leave but some of the CTA's warps.
  bool IsPartOfCta(const Facts& facts) const;

  Expr Simple(const Expr& e) const;

  // The map through which the copy engine sees `tensor` in boxes: a native parameter, one for each box and swizzle.
  Expr TensorMap(const TensorInfo& tensor, const std::vector<int64_t>& box, int swizzle);
  const std::vector<ir::NativeParam>& tensor_maps() const { return tensor_maps_; }

  // Declarations to put before everything else.
  ir::Block Prologue() const;

 private:
  const ir::Kernel& kernel_;
  const Target& target_;
  const Plan& plan_;
  Tensors tensors_;
  int64_t threads_;
  std::vector<ir::Block*> blocks_;
  std::set<std::string> names_;
  std::map<DType, int64_t> scratch_;
  std::vector<ir::NativeParam> tensor_maps_;

 public:
  ir::Block top;  // The kernel's own body
};

bool IsShared(const TensorInfo& tensor);

// The shared memory that lowerings exchange values of a dtype through.
std::string ScratchName(DType dtype);

}  // namespace kiln::cuda

#endif  // KILN_COMPILER_LOWER_CUDA_LOWERING_H_
