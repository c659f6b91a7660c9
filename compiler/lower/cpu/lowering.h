// The walk over one kernel's body. One class, spread over files by what they lower: statements (lowering.cc),
// references and elements (elements.cc), maps and copies (map.cc), transposing copies (transpose.cc), prefetches
// (prefetch.cc), reductions (reduce.cc), gemm (gemm.cc), gathers and scatters (gather.cc).
#ifndef KILN_COMPILER_LOWER_CPU_LOWERING_H_
#define KILN_COMPILER_LOWER_CPU_LOWERING_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/expr/facts.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/kernel.h"
#include "compiler/lower/cpu/nest.h"
#include "compiler/lower/cpu/storage.h"
#include "kiln/internal/target.h"

namespace kiln::cpu {

// An element of a tensor as a function of a nest's variables.
struct Access {
  const Storage* storage = nullptr;
  std::vector<Expr> index;    // One a dimension of the storage
  std::vector<Guard> guards;  // Under which the element exists
};

class Lowering {
 public:
  Lowering(const ir::Kernel& kernel, const Target& target, std::vector<std::string>* rules);

  absl::StatusOr<ir::Kernel> Run();

 private:
  // What a map's body is emitted with.
  struct MapTask {
    Expr target;
    Expr value;
    Expr fill;  // What reads past an edge give; null = zero
    Location at;
  };

  // What holds from some statement to the end of its block.
  struct Scope {
    Facts facts;
    Substitution lets;                  // Index lets, fully expanded
    std::map<std::string, Expr> below;  // Variables known to be less than an extent
    // How much of a tile's dimensions holds anything but zeros, after a copy that met an edge.
    std::map<std::string, std::vector<Expr>> valid;
    // The copies from global memory that filled tiles.
    std::map<std::string, MapTask> loaded;
    int64_t scratch_top = 0;
  };

  absl::Status Fail(absl::StatusCode code, Location at, const std::string& what) const;
  absl::Status CheckThreads() const;
  void DeclareParams();
  std::vector<ir::NativeParam> NativeParams(const ir::Block& body) const;
  std::string Fresh(const std::string& stem);
  // Notes the rule of rules_cpu.inc for an operation. Errors: there is none, or `via` asks for another.
  absl::Status ChooseRule(TileOpKind op, Team team, const std::string& via, Location at);

  // lowering.cc
  absl::StatusOr<ir::Block> LowerBlock(const ir::Block& block);
  absl::Status LowerStmt(const ir::StmtNode& stmt, ir::Block& out);
  absl::Status LowerAlloc(const ir::StmtNode& stmt, ir::Block& out);
  absl::Status LowerAssign(const ir::StmtNode& stmt, ir::Block& out);
  absl::Status LowerEval(const ir::StmtNode& stmt, ir::Block& out);
  absl::Status LowerTileOp(const Expr& op, Location at, ir::Block& out);
  absl::StatusOr<const Storage*> AddTile(const std::string& name, DType dtype, const std::vector<Expr>& shape,
                                         const Packing* packing, Location at, ir::Block& out);
  void AddLet(const std::string& name, const Expr& value);

  // elements.cc
  absl::StatusOr<Expr> Scalar(const Expr& e);
  absl::StatusOr<Access> Resolve(const Expr& reference, std::vector<Expr> index, const Facts& facts);
  absl::Status ResolveInto(const Expr& reference, std::vector<Expr> index, const Facts& facts, Access& access);
  // value < limit, by ranges, by the grid's extents, or as a branch around said.
  bool ProveLess(const Expr& value, const Expr& limit, const Facts& facts) const;
  void AddGuard(const Expr& value, const Expr& limit, const Facts& facts, Access& access) const;
  // The index of an operand of `shape` within a domain indexed by `index`: axes of extent 1 are broadcast.
  static std::vector<Expr> BroadcastIndex(const Expr& operand, const std::vector<Expr>& index);
  // Every access that `value` makes at `index`.
  absl::Status CollectAccesses(const Expr& value, const std::vector<Expr>& index, const Facts& facts,
                               std::vector<Access>& accesses);
  // `value` at one point of a nest.
  absl::StatusOr<Expr> Element(const Expr& value, const std::vector<Expr>& index, const Nest& nest, const Point& point,
                               const Expr& fill);
  absl::StatusOr<Expr> LoadElement(const Access& access, const Nest& nest, const Point& point, const Expr& fill);
  absl::Status StoreElement(const Access& access, const Nest& nest, const Point& point, const Expr& value, bool stream,
                            ir::Block& out);
  // Lanes along the nest's last dimension: the flat index of the first, and how far the others lie.
  struct LaneIndex {
    Expr flat;
    enum class Kind { kUniform, kContiguous, kScattered } kind = Kind::kUniform;
  };
  LaneIndex IndexLanes(const Access& access, const Nest& nest, const Point& point) const;
  // Whether elements of `access` follow each other along `var`, `lanes` at a time.
  bool ContiguousAlong(const Access& access, const std::string& var, int lanes, const Facts& facts) const;
  Facts PointFacts(const Nest& nest, const Point& point) const;

  // map.cc
  absl::Status LowerMap(MapTask task, ir::Block& out);
  absl::Status EmitMap(const MapTask& task, const Access& target, Nest& nest, const std::vector<Expr>& index,
                       bool stream, ir::Block& out);
  std::vector<Dim> DomainOf(const std::vector<Expr>& shape, std::vector<Expr>* index);
  // The loops' order: the dimension along which `target` is contiguous innermost.
  void OrderDims(const Access& target, std::vector<Dim>& dims, const Facts& facts) const;
  int LanesFor(const Expr& value, DType stored, const Expr& extent) const;
  absl::Status PlanNest(const Access& target, const std::vector<Access>& reads, Nest& nest, ir::Block& out);
  Expr StreamCondition(const Access& target, const Nest& nest, int lanes) const;
  void NoteValid(const MapTask& task, const Nest& nest, const std::vector<Expr>& index);

  // prefetch.cc
  void NoteLoaded(const MapTask& task);
  // While a costly map goes over a tile, memory brings what the next CTA will read in its place.
  absl::Status EmitPrefetch(const Expr& value, const std::vector<Expr>& shape, const std::vector<Expr>& index,
                            const Nest& nest, const Point& point, ir::Block& out);

  // transpose.cc
  bool IsTranspose(const MapTask& task, const Access& target, const std::vector<Dim>& dims, const Facts& facts);
  absl::Status LowerTranspose(const MapTask& task, const Access& target, std::vector<Dim> dims,
                              const std::vector<Expr>& index, ir::Block& out);

  // fuse.cc
  // The map of `first` when the reduction of `second` can be taken while the map's elements are in registers.
  std::optional<MapTask> Fusible(const ir::StmtNode& first, const ir::StmtNode& second) const;
  // Lowers block[i], with the reduction after it where it can; returns how many statements that were.
  absl::StatusOr<size_t> LowerStmts(const ir::Block& block, size_t i, ir::Block& out);

  // reduce.cc
  // `producer`, when given, is a map into a tile that the reduction reads, made on the way.
  absl::Status LowerReduction(const Expr& op, const Expr& target, const std::string& let_name, Location at,
                              const MapTask* producer, ir::Block& out);
  absl::Status ReduceLast(const Expr& op, const std::vector<Dim>& dims, size_t kept, const std::vector<Expr>& index,
                          const MapTask* producer,
                          const std::function<absl::Status(const Expr& total, ir::Block&)>& finish, ir::Block& out);
  absl::Status ReduceAcross(const Expr& op, std::vector<Dim> dims, size_t axis, const std::vector<Expr>& index,
                            const Access& target, ir::Block& out);

  // gemm.cc
  absl::Status LowerGemm(const Expr& op, Location at, ir::Block& out);
  absl::StatusOr<Expr> PackOperand(const Expr& operand, const Packing& packing, Location at, ir::Block& out);

  // gather.cc
  absl::Status LowerGather(const Expr& op, Location at, ir::Block& out);
  absl::Status LowerScatter(const Expr& op, Location at, ir::Block& out);
  absl::Status LowerAtomic(const Expr& op, ir::Block& out);
  absl::Status Assume(const Expr& row, const Expr& rows, const std::function<absl::Status()>& fn);

  const ir::Kernel& kernel_;
  const Target& target_;
  std::vector<std::string>* rules_;
  std::map<std::string, Packing> packing_;
  std::map<std::string, Storage> tensors_;
  std::set<std::string> names_;
  std::map<std::string, Expr> grid_;  // cta_id.x -> the grid's extent
  Scope scope_;
  int64_t scratch_max_ = 0;
};

}  // namespace kiln::cpu

#endif  // KILN_COMPILER_LOWER_CPU_LOWERING_H_
