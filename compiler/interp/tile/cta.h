// One CTA of a tile-level kernel.
#ifndef KILN_COMPILER_INTERP_TILE_CTA_H_
#define KILN_COMPILER_INTERP_TILE_CTA_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/interp/tile/cluster.h"
#include "compiler/interp/tile/evaluate.h"
#include "compiler/interp/tile/gemm.h"
#include "compiler/interp/tile/program.h"
#include "compiler/interp/tile/ring.h"
#include "compiler/interp/value.h"

namespace kiln::interp {

class Cta {
 public:
  // Borrows `program`, `options`, `cluster` and `steps_left`, which counts down over all CTAs.
  Cta(const Program& program, const Frame& arguments, int64_t threads, const RunOptions& options, Cluster& cluster,
      int64_t rank, int64_t& steps_left);

  // Runs every thread as far as it goes; false once all have ended. Errors carry place and thread.
  absl::StatusOr<bool> Advance();
  // Why nothing goes on. REQUIRES: neither this CTA nor another of its cluster did.
  absl::Status Stuck() const;

 private:
  struct Thread {
    Frame frame;
    int pc = 0;
    bool waiting = false;
    bool done = false;
  };
  // An asynchronous copy into shared memory, which lands at its wait and no sooner.
  struct AsyncCopy {
    View target;
    ValuePtr value;
  };
  // An asynchronous product, which reads its operands again at its wait.
  struct Product {
    View target;
    View operands[2];
    ValuePtr values[2];  // Of the operands when it was issued
    GemmForm form;
    int64_t first = 0, last = 0;  // Threads that issued it
    std::string name;
    Location at;
  };
  // An asynchronous copy out of shared memory, which reads its source again at its wait.
  struct AsyncStore {
    View source;
    ValuePtr value;  // Of the source when it was issued
    int64_t first = 0, last = 0;
    Location at;
  };
  using Participants = absl::Span<const int64_t>;

  // Runs one thread until it waits for its team or a ring, or ends.
  absl::Status RunThread(int64_t thread);
  // Lets every team whose threads all wait at one step execute it; whether one did.
  absl::Status Meet();
  // Whether the CTA, all of whose threads are at the cluster's barrier, goes on.
  bool PassClusterBarrier();
  absl::Status StuckAtRings() const;
  static std::string StepName(const Step& step);

  absl::Status Execute(const Step& step, Participants threads, Location& place);
  absl::Status ExecuteControl(const Step& step, Thread& thread, Location& place);
  absl::Status ExecuteLet(const Step& step, Participants threads, Location& place);
  absl::Status ExecuteAlloc(const Step& step, Participants threads, Location& place);
  absl::Status ExecuteAssign(const Step& step, Participants threads, Location& place);
  absl::Status ExecuteTileOp(const Step& step, Participants threads, Location& place);
  absl::Status ExecuteReduction(const Step& step, Participants threads, Location& place);
  absl::Status ExecuteGather(const Expr& e, Evaluator& evaluator, const Asking* asking);
  absl::Status ExecuteScatter(const Expr& e, Evaluator& evaluator);
  absl::Status Issue(const View& target, ValuePtr value);
  void Commit();
  // Until at most `pending` groups are in flight.
  absl::Status Wait(int64_t pending);
  absl::Status ExecuteGemm(const Expr& e, Evaluator& evaluator, Participants threads);
  // Until at most `pending` of the team's products are in flight.
  absl::Status WaitGemm(int64_t pending, Participants threads);
  absl::Status Complete(const Product& product, Participants threads);
  static std::string Since(const Location& at);
  // The CTAs that `multicast = all | MASK` names.
  absl::StatusOr<uint64_t> MulticastMask(const Expr& e, Evaluator& evaluator) const;
  absl::Status IssueStore(const Expr& e, Evaluator& evaluator, ValuePtr value, Participants threads);
  // Until at most `pending` of the team's stores still read shared memory.
  absl::Status WaitStore(int64_t pending, Participants threads);
  absl::Status ExecuteRing(const Step& step, Evaluator& evaluator);
  absl::Status ExecuteRingOperation(const Step& step, int64_t thread);
  // Whether the thread stands at a push or a pop that does not go on.
  bool AwaitsRing(int64_t thread) const;
  absl::Status ExecuteCall(const Step& step, Participants threads, Location& place);
  absl::Status CheckUniform(const Step& step, Participants threads) const;

  absl::StatusOr<std::shared_ptr<Storage>> StorageOf(const Step& step, int64_t thread, const Shape& shape);

  Evaluator EvaluatorOf(int64_t thread, const Asking* asking = nullptr) const;
  LoadOptions ReadOptions(Participants readers, const Asking* asking = nullptr) const;
  // Who asks, when the body runs thread by thread.
  std::optional<Asking> AskingOf(const Step& step, Participants threads) const;
  int64_t TeamSize(Team team) const;
  void Set(const Step& step, Participants threads, const Variable& variable);

  const Program& program_;
  const RunOptions& options_;
  Cluster& cluster_;
  const int64_t rank_;  // In the cluster
  int64_t& steps_left_;
  std::vector<Thread> threads_;
  Participants acting_;                        // Who executes the step at hand
  std::vector<Product> products_;              // In flight, oldest first
  std::vector<AsyncStore> stores_;             // In flight, oldest first
  std::optional<int64_t> at_cluster_barrier_;  // How many barriers of the cluster are behind it
  std::map<std::string, std::shared_ptr<Ring>> rings_;
  std::vector<AsyncCopy> open_;                                           // In no group yet
  std::deque<std::vector<AsyncCopy>> groups_;                             // Oldest first
  std::map<std::pair<int, int64_t>, std::shared_ptr<Storage>> storages_;  // By alloc step and owner
};

// Errors: the operation has fewer operands.
absl::Status ExpectOperands(const Expr& e, size_t count);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_TILE_CTA_H_
