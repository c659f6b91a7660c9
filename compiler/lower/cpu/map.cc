// Maps, copies and fills: one nest over the target's domain.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/lower/cpu/lowering.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cpu {
namespace {

// Outputs above this are not read again from any cache before they are evicted: they are written past the caches, which
// saves reading the lines they replace. Rows below the second limit do not fill the write-combining buffers.
constexpr int64_t kStreamBytes = int64_t{16} << 20;
constexpr int64_t kStreamRowBytes = 1024;
constexpr int64_t kStreamAlign = 16;

bool SameIndex(const Access& a, const Access& b) {
  if (a.index.size() != b.index.size()) return false;
  for (size_t d = 0; d < a.index.size(); ++d)
    if (!Equal(a.index[d], b.index[d])) return false;
  return true;
}

bool SameGuard(const Guard& a, const Guard& b) { return Equal(a.value, b.value) && Equal(a.limit, b.limit); }

void AddNew(const std::vector<Guard>& from, bool written, std::vector<Guard>& to) {
  for (Guard guard : from) {
    if (std::any_of(to.begin(), to.end(), [&](const Guard& known) { return SameGuard(known, guard); })) continue;
    guard.written = written;
    to.push_back(std::move(guard));
  }
}

}  // namespace

std::vector<Dim> Lowering::DomainOf(const std::vector<Expr>& shape, std::vector<Expr>* index) {
  std::vector<Dim> dims;
  for (const Expr& extent : shape) {
    Dim dim{Fresh("i"), Simplify(extent, scope_.facts)};
    // An axis of one element has one index, by which broadcast operands are seen to be the same.
    index->push_back(WithType(IsConst(dim.extent, 1) ? Int(0) : Var(dim.var), {DType::kI64}));
    dims.push_back(std::move(dim));
  }
  return dims;
}

void Lowering::OrderDims(const Access& target, std::vector<Dim>& dims, const Facts& facts) const {
  for (size_t d = dims.size(); d-- > 0;) {
    if (IsConst(dims[d].extent, 1) || !ContiguousAlong(target, dims[d].var, 2, facts)) continue;
    std::rotate(dims.begin() + d, dims.begin() + d + 1, dims.end());
    return;
  }
}

int Lowering::LanesFor(const Expr& value, DType stored, const Expr& extent) const {
  int64_t bytes = 4;
  if (IsTileReference(value) && value->type.dtype == stored) {
    bytes = Bytes(stored);
  } else if (stored == DType::kF64 || value->type.dtype == DType::kF64) {
    bytes = 8;
  }
  int64_t lanes = std::max<int64_t>(1, target_.vector_bytes / bytes);
  int64_t constant = 0;
  if (IsConst(extent, &constant))
    while (lanes > constant && lanes > 1) lanes /= 2;
  return static_cast<int>(lanes);
}

absl::Status Lowering::PlanNest(const Access& target, const std::vector<Access>& reads, Nest& nest, ir::Block& out) {
  std::vector<Guard> guards;
  AddNew(target.guards, true, guards);
  for (const Access& read : reads) AddNew(read.guards, false, guards);
  nest.Plan(std::move(guards));
  if (nest.NeedsScalars()) nest.SetScalar();
  // The ends of loops are index arithmetic; what they read of memory is read here, once.
  ir::Block prologue;
  nest.Prologue(prologue, [this](const std::string& stem) { return Fresh(stem); });
  for (const ir::Stmt& stmt : prologue) {
    ir::StmtNode node = *stmt;
    KILN_ASSIGN_OR_RETURN(node.value, Scalar(node.value));
    AddLet(node.name, node.value);
    out.push_back(ir::MakeStmt(std::move(node)));
  }
  return absl::OkStatus();
}

absl::Status Lowering::EmitMap(const MapTask& task, const Access& target, Nest& nest, const std::vector<Expr>& index,
                               bool stream, ir::Block& out) {
  return nest.Emit(
      [&](const Point& point, ir::Block& body) -> absl::Status {
        KILN_RETURN_IF_ERROR(EmitPrefetch(task.value, task.target->type.shape, index, nest, point, body));
        KILN_ASSIGN_OR_RETURN(Expr value,
                              Element(task.value, BroadcastIndex(task.value, index), nest, point, task.fill));
        return StoreElement(target, nest, point, value, stream, body);
      },
      out);
}

// When to write past the caches: null = never.
Expr Lowering::StreamCondition(const Access& target, const Nest& nest, int lanes) const {
  const Storage& storage = *target.storage;
  if (!storage.global || lanes <= 1 || storage.align < kStreamAlign) return nullptr;
  int64_t element = Bytes(storage.stored);
  int64_t row = 0;
  if (!IsConst(nest.dims().back().extent, &row) || row * element < kStreamRowBytes) return nullptr;
  if (lanes * element % kStreamAlign != 0) return nullptr;
  Point point;
  point.lanes = lanes;
  for (const Dim& dim : nest.dims()) point.index.push_back(Var(dim.var));
  LaneIndex at = IndexLanes(target, nest, point);
  Facts facts = PointFacts(nest, point);
  if (at.kind != LaneIndex::Kind::kContiguous || !IsMultipleOf(at.flat, kStreamAlign / element, facts)) return nullptr;
  Expr bytes = Int(element);
  for (const Expr& extent : storage.shape) bytes = bytes * extent;
  return Simplify(Binary(Op::kGe, Simplify(bytes, scope_.facts), Int(kStreamBytes)), scope_.facts);
}

// What lies past the edge of a copy's source is zero in the tile it went to.
void Lowering::NoteValid(const MapTask& task, const Nest& nest, const std::vector<Expr>& index) {
  const std::string& tile = RootOf(task.target)->name;
  scope_.valid.erase(tile);
  NoteLoaded(task);
  if (task.target->kind != ExprKind::kVar || task.fill || !IsTileReference(task.value)) return;
  std::vector<Expr> valid = task.target->type.shape;
  for (size_t d = 0; d < nest.dims().size(); ++d)
    for (size_t k = 0; k < index.size(); ++k)
      if (index[k]->kind == ExprKind::kVar && index[k]->name == nest.dims()[d].var)
        valid[k] = nest.Main(static_cast<int>(d));
  scope_.valid[tile] = std::move(valid);
}

absl::Status Lowering::LowerMap(MapTask task, ir::Block& out) {
  std::vector<Expr> index;
  std::vector<Dim> dims = DomainOf(task.target->type.shape, &index);
  if (dims.empty()) dims.push_back({Fresh("i"), Int(1)});
  Facts facts = Nest(dims, 1, 1, scope_.facts).InnerFacts();
  KILN_ASSIGN_OR_RETURN(Access target, Resolve(task.target, index, facts));
  if (task.fill) {
    KILN_ASSIGN_OR_RETURN(task.fill, Scalar(task.fill));
  }

  std::vector<Access> reads;
  if (task.value->type.tile)
    KILN_RETURN_IF_ERROR(CollectAccesses(task.value, BroadcastIndex(task.value, index), facts, reads));
  // A tile that is read elsewhere than where it is written goes through a copy of its own.
  for (const Access& read : reads) {
    if (read.storage != target.storage || SameIndex(read, target)) continue;
    std::string name = Fresh(target.storage->name + "_new");
    KILN_ASSIGN_OR_RETURN(const Storage* copy,
                          AddTile(name, target.storage->logical, task.target->type.shape, nullptr, task.at, out));
    Expr reference = WithType(Var(copy->name), task.target->type);
    KILN_RETURN_IF_ERROR(LowerMap({reference, task.value, task.fill, task.at}, out));
    return LowerMap({task.target, reference, nullptr, task.at}, out);
  }

  OrderDims(target, dims, facts);
  if (IsTranspose(task, target, dims, facts)) return LowerTranspose(task, target, std::move(dims), index, out);
  int lanes = LanesFor(task.value, target.storage->stored, dims.back().extent);
  if (lanes > 1 && !ContiguousAlong(target, dims.back().var, lanes, facts)) lanes = 1;
  Nest nest(std::move(dims), lanes, 1, scope_.facts);
  KILN_RETURN_IF_ERROR(PlanNest(target, reads, nest, out));

  Expr stream = StreamCondition(target, nest, nest.lanes());
  if (!stream || (stream->kind == ExprKind::kBool && !stream->int_value)) {
    KILN_RETURN_IF_ERROR(EmitMap(task, target, nest, index, false, out));
  } else if (stream->kind == ExprKind::kBool) {
    KILN_RETURN_IF_ERROR(EmitMap(task, target, nest, index, true, out));
  } else {
    ir::Block streamed, cached;
    KILN_RETURN_IF_ERROR(EmitMap(task, target, nest, index, true, streamed));
    KILN_RETURN_IF_ERROR(EmitMap(task, target, nest, index, false, cached));
    out.push_back(ir::If(stream, std::move(streamed), std::move(cached)));
  }
  NoteValid(task, nest, index);
  return absl::OkStatus();
}

}  // namespace kiln::cpu
