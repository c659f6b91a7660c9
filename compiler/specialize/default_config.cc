#include "compiler/specialize/default_config.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/visit.h"
#include "compiler/specialize/gemm_threads.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

// Sizes that the text declares, under one binding of its parameters.
struct Footprint {
  int64_t shared = 0;  // Bytes a CTA
  int64_t local = 0;   // Bytes a CTA
  int64_t items = 0;   // Elements of the largest map or copy
  int64_t gemm_m = 0;  // Of the largest accumulator
  int64_t gemm_n = 0;
  int64_t gemm_k = 0;
  DType gemm_dtype = DType::kNone;  // Of its operands
  int64_t stages = 1;
  int64_t threads = 0;  // 0: left to the compiler
};

class Estimator {
 public:
  Estimator(const ir::Kernel& kernel, const Substitution& values, const std::map<std::string, DType>& dtypes)
      : values_(values), dtypes_(dtypes) {
    if (kernel.launch.block) out_.threads = Value(kernel.launch.block);
    Visit(kernel.body, 1);
  }
  const Footprint& result() const { return out_; }

 private:
  // Negative when it is no constant.
  int64_t Value(const Expr& e) const {
    if (!e) return -1;
    Expr simple = Simplify(Substitute(e, values_), {});
    int64_t value;
    return IsConst(simple, &value) ? value : -1;
  }

  void Visit(const ir::Block& block, int64_t stages) {
    for (const ir::Stmt& stmt : block) {
      if (stmt->kind == ir::StmtKind::kAlloc) AddAlloc(stmt->tensor, stages);
      if (stmt->kind == ir::StmtKind::kEval && stmt->value->kind == ExprKind::kTileOp &&
          (stmt->value->tile.op == TileOpKind::kGemm || stmt->value->tile.op == TileOpKind::kGemmAsync))
        AddGemm(*stmt->value);
      if (stmt->kind == ir::StmtKind::kEval && stmt->value->kind == ExprKind::kTileOp && !stmt->value->args.empty())
        AddItems(stmt->value->args[0]);
      if (stmt->kind == ir::StmtKind::kAssign) AddItems(stmt->target);
      int64_t inner = stages;
      if (stmt->kind == ir::StmtKind::kFor && stmt->loop == ir::LoopKind::kPipelined && stmt->stages) {
        inner = std::max<int64_t>(1, Value(stmt->stages));
        out_.stages = std::max(out_.stages, inner);
      }
      const bool slots =
          stmt->kind == ir::StmtKind::kRing && !stmt->body.empty() && stmt->body[0]->tensor.space == ir::Space::kNone;
      if (slots) {
        inner = std::max<int64_t>(1, Value(stmt->stages));
        out_.stages = std::max(out_.stages, inner);
      }
      if (stmt->kind == ir::StmtKind::kRole) units_ = static_cast<int64_t>(stmt->members.size());
      Visit(stmt->body, inner);
      Visit(stmt->orelse, inner);
      if (stmt->kind == ir::StmtKind::kRole) units_ = 1;
    }
  }

  void AddAlloc(const ir::TensorDecl& tensor, int64_t stages) {
    int64_t elements = 1;
    for (const Expr& extent : tensor.shape) {
      int64_t value = Value(extent);
      if (value < 0 || value > (int64_t{1} << 32) || elements > (int64_t{1} << 30)) return;
      elements *= value;
    }
    DType dtype = tensor.dtype.dtype;
    if (auto it = dtypes_.find(tensor.dtype.param); it != dtypes_.end()) dtype = it->second;
    int64_t bytes = dtype == DType::kNone ? elements * 4 : Bytes(dtype, elements);
    tensors_[tensor.name] = &tensor;
    bytes_[tensor.name] = bytes;
    if (tensor.space == ir::Space::kLocal)
      out_.local += bytes * units_;
    else
      out_.shared += bytes * stages;
  }

  // What a slice names: `y[row +: ROWS, :]` counts its slices; a whole dimension is bounded by what the kernel holds of
  // it elsewhere.
  void AddItems(const Expr& target) {
    if (target->kind != ExprKind::kSubscript) return;
    int64_t items = 1;
    for (size_t i = 1; i < target->args.size(); ++i) {
      if (target->args[i]->kind != ExprKind::kSlice) continue;
      int64_t extent = Value(target->args[i]->args[1]);
      if (extent > 0 && items < (int64_t{1} << 30)) items *= extent;
    }
    out_.items = std::max(out_.items, items);
  }

  void AddGemm(const Node& op) {
    auto acc = tensors_.find(op.args[0]->name), a = tensors_.find(op.args[1]->name);
    if (acc == tensors_.end() || acc->second->shape.size() != 2) return;
    // CUDA cores read a register operand through shared memory; matrix instructions take 16-bit ones as they are.
    if (a != tensors_.end() && a->second->space == ir::Space::kLocal && BitsOf(*a->second) > 16)
      out_.shared += bytes_[a->first];
    int64_t m = Value(acc->second->shape[0]) * units_, n = Value(acc->second->shape[1]);
    if (m * n <= out_.gemm_m * out_.gemm_n) return;
    out_.gemm_m = m;
    out_.gemm_n = n;
    if (a == tensors_.end()) return;
    if (a->second->shape.size() == 2) out_.gemm_k = Value(a->second->shape[1]);
    out_.gemm_dtype = DTypeOf(*a->second);
  }

  DType DTypeOf(const ir::TensorDecl& tensor) const {
    auto it = dtypes_.find(tensor.dtype.param);
    return it != dtypes_.end() ? it->second : tensor.dtype.dtype;
  }
  int BitsOf(const ir::TensorDecl& tensor) const { return Bits(DTypeOf(tensor)); }

  const Substitution& values_;
  const std::map<std::string, DType>& dtypes_;
  std::map<std::string, const ir::TensorDecl*> tensors_;
  std::map<std::string, int64_t> bytes_;
  int64_t units_ = 1;  // Warpgroups of the role at hand: each has local tiles of its own
  Footprint out_;
};

double NearPowerOfTwo(double value, double wished) { return -std::abs(std::log2(std::max(value, 1e-6) / wished)); }

// Words of tiles a thread may hold beside its addresses and fragments before ptxas 13.0 spills: attention's 178 fit up
// to sm_90a, and spill 16 to 48 bytes for the architectures after it.
double MostWords(const Target& target) {
  return std::atoi(target.arch.c_str() + std::min<size_t>(3, target.arch.size())) >= 100 ? 168 : 180;
}

// Products of warpgroups, fed by the copy engine.
bool FeedsMatrixUnit(const Footprint& f, const Target& target, int64_t threads) {
  return target.Has("wgmma") && target.Has("tma") && IsFloat(f.gemm_dtype) && Bits(f.gemm_dtype) <= 16 &&
         threads % 128 == 0 && f.gemm_m % (threads / 128 * 64) == 0 && f.gemm_n <= 256 && f.stages > 1;
}

// One CTA keeps the unit busy: the tile decides, then slots, rows of whole 128-byte lines, and wide instructions.
double ScoreMatrixUnit(const Footprint& f) {
  double score = static_cast<double>(f.gemm_m * f.gemm_n) / static_cast<double>(f.gemm_m + f.gemm_n);
  score *= 1 + 0.05 * static_cast<double>(std::min<int64_t>(f.stages, 4));
  if (f.gemm_k * Bits(f.gemm_dtype) >= 1024) score *= 1.1;
  if (f.gemm_n > f.gemm_m) score *= 1.01;
  return 1000 * score;
}

// Higher is better; nullopt = does not fit. Measured choices stand in docs/benchmarks.md.
std::optional<double> ScoreCuda(const Footprint& f, const Target& target) {
  const MemorySpace* shared = target.Find("shared");
  if (shared && shared->capacity > 0 && f.shared > shared->capacity) return std::nullopt;
  int64_t threads = f.threads;
  if (threads <= 0) threads = f.gemm_m > 0 ? GemmThreads(f.gemm_m, f.gemm_n, f.gemm_dtype, target) : 128;
  if (threads > target.max_threads) return std::nullopt;
  const double words = static_cast<double>(f.local) / 4 / static_cast<double>(threads);
  if (f.gemm_m > 0) {
    if (words > MostWords(target)) return std::nullopt;
    if (FeedsMatrixUnit(f, target, threads)) return ScoreMatrixUnit(f);
    // Loads a product: a tile of m x n reads m + n of every k. Two CTAs on a multiprocessor hide each other's ends.
    double score = 1000.0 * static_cast<double>(f.gemm_m * f.gemm_n) / static_cast<double>(f.gemm_m + f.gemm_n);
    score *= 1 + 0.05 * static_cast<double>(std::min<int64_t>(f.stages, 4));
    const double registers = static_cast<double>(threads) * (words + 64);
    if (shared && f.shared * 2 <= shared->capacity && registers * 2 <= static_cast<double>(target.registers))
      score *= 1.4;
    if (f.gemm_m >= f.gemm_n) score *= 1.01;
    score *= 1 + words / 1000;  // A warp with more of the accumulator reads less of shared memory for it
    return score;
  }
  if (words > 96) return std::nullopt;
  // Without tiles of its own a thread moves a vector or two, in large CTAs; with them it holds sixteen words.
  const double items = static_cast<double>(f.items) / static_cast<double>(threads);
  if (f.local == 0) return NearPowerOfTwo(items, 8) + 0.05 * NearPowerOfTwo(static_cast<double>(threads), 512);
  return NearPowerOfTwo(std::max(words, items), 16) + 0.05 * NearPowerOfTwo(static_cast<double>(threads), 256);
}

std::optional<double> ScoreCpu(const Footprint& f) {
  const double bytes = static_cast<double>(f.local + f.shared);
  if (f.gemm_m > 0) {
    // Panels and accumulator share the second-level cache with the rows they come from.
    if (bytes > 768 * 1024) return std::nullopt;
    return static_cast<double>(f.gemm_m * f.gemm_n) / static_cast<double>(f.gemm_m + f.gemm_n) +
           0.01 * static_cast<double>(f.gemm_k) - 0.001 * static_cast<double>(f.stages);
  }
  return NearPowerOfTwo(std::max(bytes, 4.0 * static_cast<double>(f.items)), 16 * 1024);
}

}  // namespace

absl::StatusOr<std::map<std::string, int64_t>> DefaultConfig(const ir::Module& module, const std::string& name,
                                                             const Bindings& bindings, const Target& target) {
  const ir::Kernel* kernel = ir::FindKernel(module, name);
  if (!kernel) return absl::NotFoundError(absl::StrCat("specialize: no kernel is named \"", name, "\""));
  std::map<std::string, int64_t> config = bindings.ints;
  std::vector<const ir::MetaParam*> open;
  int64_t combinations = 1;
  for (const ir::MetaParam& meta : kernel->metas) {
    if (meta.candidates.empty() || config.count(meta.name)) continue;
    open.push_back(&meta);
    combinations *= static_cast<int64_t>(meta.candidates.size());
    if (combinations > 100000)
      return absl::ResourceExhaustedError(
          absl::StrCat("specialize: kernel \"", name,
                       "\": more than 100000 combinations of tuning parameters; give some of them values"));
  }
  if (open.empty()) return config;

  std::optional<double> best;
  std::map<std::string, int64_t> chosen;
  for (int64_t i = 0; i < combinations; ++i) {
    std::map<std::string, int64_t> trial = config;
    int64_t rest = i;
    for (const ir::MetaParam* meta : open) {
      trial[meta->name] = meta->candidates[rest % meta->candidates.size()];
      rest /= static_cast<int64_t>(meta->candidates.size());
    }
    Substitution values;
    for (const auto& [key, value] : trial) values[key] = WithType(Int(value), {DType::kI64});
    for (const ir::MetaParam& meta : kernel->metas)
      if (meta.default_value && !values.count(meta.name))
        values[meta.name] = Simplify(Substitute(meta.default_value, values), {});
    bool holds = true;
    for (const Expr& condition : kernel->required) {
      Expr simple = Simplify(Substitute(condition, values), {});
      holds &= !(simple->kind == ExprKind::kBool && !simple->int_value);
    }
    if (!holds) continue;
    Estimator estimator(*kernel, values, bindings.dtypes);
    std::optional<double> score =
        target.kind == TargetKind::kCuda ? ScoreCuda(estimator.result(), target) : ScoreCpu(estimator.result());
    if (score && (!best || *score >= *best)) {  // Of equals the last: wide rather than tall
      best = score;
      chosen = std::move(trial);
    }
  }
  if (!best)
    return absl::ResourceExhaustedError(absl::StrCat("specialize: kernel \"", name,
                                                     "\": no combination of its tuning parameters fits ", target.name,
                                                     "; give them values with smaller tiles"));
  return chosen;
}

}  // namespace kiln
