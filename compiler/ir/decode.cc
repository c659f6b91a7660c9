#include "compiler/ir/decode.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/decode_expr.h"
#include "compiler/ir/encode.h"
#include "compiler/ir/kiln_ir.pb.h"
#include "compiler/ir/layout_text.h"
#include "compiler/ir/limits.h"
#include "compiler/ir/places.h"
#include "compiler/ir/wire_mark.h"
#include "compiler/ir/words.h"
#include "google/protobuf/io/coded_stream.h"
#include "kiln/internal/status_macros.h"

namespace kiln::ir {
namespace {

template <typename List>
absl::Status CheckCount(std::string_view where, std::string_view what, const List& list, size_t max = kMaxList) {
  if (static_cast<size_t>(list.size()) <= max) return absl::OkStatus();
  return DecodeError(where, ": expected at most ", max, " ", what, ", found ", list.size());
}

// The value of an enum whose values are 0 (or `min`) to `max` without gaps.
template <typename Enum>
absl::StatusOr<Enum> CheckEnum(std::string_view where, std::string_view what, uint32_t value, Enum max,
                               uint32_t min = 0) {
  if (value >= min && value <= static_cast<uint32_t>(max)) return static_cast<Enum>(value);
  return DecodeError(where, ": unknown ", what, " ", value);
}

absl::StatusOr<std::vector<std::string>> ReadTargets(std::string_view where,
                                                     const google::protobuf::RepeatedPtrField<std::string>& wire) {
  KILN_RETURN_IF_ERROR(CheckCount(where, "targets", wire));
  for (const std::string& target : wire) KILN_RETURN_IF_ERROR(CheckName(where, target));
  return std::vector<std::string>(wire.begin(), wire.end());
}

// What a statement of each kind holds: fields it may have, and those it must.
enum StmtField : unsigned {
  kName = 1u << 0,
  kDType = 1u << 1,
  kTensor = 1u << 2,
  kTarget = 1u << 3,
  kValue = 1u << 4,
  kBegin = 1u << 5,
  kEnd = 1u << 6,
  kStep = 1u << 7,
  kStages = 1u << 8,
  kLoop = 1u << 9,
  kBody = 1u << 10,
  kElse = 1u << 11,
  kText = 1u << 12,
  kNames = 1u << 13,
  kExtents = 1u << 14,
  kOrder = 1u << 15,
  kMembers = 1u << 16,
  kAcross = 1u << 17,
  kReaders = 1u << 18,
};
constexpr std::string_view kStmtFieldNames[] = {
    "name", "dtype",  "tensor", "target", "value",   "begin", "end",     "step",           "stages", "loop",
    "body", "orelse", "text",   "names",  "extents", "order", "members", "across_cluster", "readers"};
struct StmtRow {
  StmtKind kind;
  std::string_view name;
  unsigned must, may;
};
constexpr StmtRow kStmts[] = {
    {StmtKind::kLet, "let", kName | kValue, kDType},
    {StmtKind::kMutable, "var", kName | kValue | kDType, 0},
    {StmtKind::kAlloc, "alloc", kTensor, kValue},
    {StmtKind::kAssign, "assign", kTarget | kValue, 0},
    {StmtKind::kEval, "call", kValue, 0},
    {StmtKind::kFor, "for", kName | kBegin | kEnd, kStep | kStages | kLoop | kBody},
    {StmtKind::kWhile, "while", kValue, kBody},
    {StmtKind::kIf, "if", kValue, kBody | kElse},
    {StmtKind::kAssume, "assume", kValue, 0},
    {StmtKind::kAssert, "assert", kValue, kText},
    {StmtKind::kReturn, "return", 0, kValue},
    {StmtKind::kBreak, "break", 0, 0},
    {StmtKind::kContinue, "continue", 0, 0},
    {StmtKind::kStore, "store", kTarget | kBegin | kValue, 0},
    {StmtKind::kRing, "ring", kName | kStages | kBody, kAcross | kReaders},
    {StmtKind::kRole, "role", kName | kMembers, kValue | kBody},
    {StmtKind::kSchedule, "schedule", kName | kExtents, kOrder | kValue},
    {StmtKind::kTiles, "for over a schedule", kName | kNames, kBody},
};

unsigned FieldsOf(const wire::Stmt& stmt) {
  auto bit = [](bool set, unsigned field) { return set ? field : 0; };
  return bit(!stmt.name().empty(), kName) | bit(stmt.has_dtype(), kDType) | bit(stmt.has_tensor(), kTensor) |
         bit(stmt.target() != 0, kTarget) | bit(stmt.value() != 0, kValue) | bit(stmt.begin() != 0, kBegin) |
         bit(stmt.end() != 0, kEnd) | bit(stmt.step() != 0, kStep) | bit(stmt.stages() != 0, kStages) |
         bit(stmt.loop() != 0, kLoop) | bit(stmt.body_size() > 0, kBody) | bit(stmt.orelse_size() > 0, kElse) |
         bit(!stmt.text().empty(), kText) | bit(stmt.names_size() > 0, kNames) |
         bit(stmt.extents_size() > 0, kExtents) | bit(stmt.order() != 0, kOrder) |
         bit(stmt.members_size() > 0, kMembers) | bit(stmt.across_cluster(), kAcross) |
         bit(stmt.readers() != 0, kReaders);
}

// Lowest set bit as an index.
std::string_view FieldName(unsigned fields) {
  size_t i = 0;
  while (!(fields & (1u << i))) ++i;
  return kStmtFieldNames[i];
}

class Decoder {
 public:
  absl::StatusOr<Module> Run(const wire::Module& wire) {
    KILN_RETURN_IF_ERROR(CheckCount("module", "functions", wire.inlines()));
    KILN_RETURN_IF_ERROR(CheckCount("module", "kernels", wire.kernels()));
    KILN_RETURN_IF_ERROR(CheckCount("module", "ops", wire.ops()));
    KILN_RETURN_IF_ERROR(nodes_.Read(wire));
    comments_ = &wire.side().comments();
    Module module;
    for (const wire::Inline& function : wire.inlines()) {
      KILN_ASSIGN_OR_RETURN(Inline read, ReadInline(function));
      module.inlines.push_back(std::move(read));
    }
    for (const wire::Kernel& kernel : wire.kernels()) {
      KILN_ASSIGN_OR_RETURN(Kernel read, ReadKernel(kernel));
      module.kernels.push_back(std::move(read));
    }
    for (const wire::Op& op : wire.ops()) {
      KILN_ASSIGN_OR_RETURN(OpDecl read, ReadOp(op));
      module.ops.push_back(std::move(read));
    }
    KILN_RETURN_IF_ERROR(nodes_.CheckAllUsed());
    KILN_RETURN_IF_ERROR(ReadSide(wire.side(), module));
    return module;
  }

 private:
  absl::Status ReadExpr(std::string_view where, uint32_t index, Expr& to) {
    KILN_ASSIGN_OR_RETURN(to, nodes_.Use(where, index));
    return absl::OkStatus();
  }
  absl::Status ReadRef(std::string_view where, uint32_t ref, Expr& to) {
    return ref == 0 ? absl::OkStatus() : ReadExpr(where, ref - 1, to);
  }

  template <typename List>
  absl::Status ReadExprs(std::string_view where, std::string_view what, const List& wire, std::vector<Expr>& to,
                         size_t max = kMaxList) {
    KILN_RETURN_IF_ERROR(CheckCount(where, what, wire, max));
    for (uint32_t index : wire) KILN_RETURN_IF_ERROR(ReadExpr(where, index, to.emplace_back()));
    return absl::OkStatus();
  }

  absl::Status ReadTensor(const std::string& where, const wire::Tensor& wire, TensorDecl& to) {
    KILN_RETURN_IF_ERROR(CheckName(where, wire.name()));
    to.name = wire.name();
    KILN_ASSIGN_OR_RETURN(to.dtype, CheckDTypeRef(where, wire.dtype()));
    KILN_RETURN_IF_ERROR(ReadExprs(where, "dimensions", wire.shape(), to.shape, kMaxRank));
    KILN_ASSIGN_OR_RETURN(to.space, CheckEnum(where, "memory space", wire.space(), Space::kPsum, in_ring_ ? 0 : 1));
    KILN_ASSIGN_OR_RETURN(to.owner, CheckEnum(where, "team", wire.owner(), Team::kCluster));
    KILN_RETURN_IF_ERROR(CheckCount(where, "bytes of layout", wire.layout(), kMaxStringBytes));
    if (!wire.layout().empty()) {
      absl::StatusOr<std::string> layout = CanonicalLayout(wire.layout());
      if (!layout.ok()) return DecodeError(where, ": ", Quoted(wire.layout()), ": ", layout.status().message());
      to.layout = *std::move(layout);
    }
    KILN_RETURN_IF_ERROR(CheckCount(where, "padded extents", wire.padded()));
    to.padded.assign(wire.padded().begin(), wire.padded().end());
    to.align = wire.align();
    if (wire.has_offset() && wire.offset() < 0) return DecodeError(where, ": negative offset ", wire.offset());
    to.offset = wire.has_offset() ? wire.offset() : -1;
    return absl::OkStatus();
  }

  // As the parser gives them: `x + 1 = 2` is no assignment.
  static absl::Status CheckForm(const std::string& where, const StmtNode& node) {
    auto is = [](const Expr& e, ExprKind a, ExprKind b) { return e->kind == a || e->kind == b; };
    if (node.kind == StmtKind::kAssign && !is(node.target, ExprKind::kVar, ExprKind::kSubscript)) {
      return DecodeError(where, ": expected a variable or a subscript to assign to");
    }
    if (node.kind == StmtKind::kStore && node.target->kind != ExprKind::kVar) {
      return DecodeError(where, ": expected a tensor's name to store to");
    }
    if (node.kind == StmtKind::kEval && !is(node.value, ExprKind::kTileOp, ExprKind::kCall)) {
      return DecodeError(where, ": expected a tile operation or a call");
    }
    return absl::OkStatus();
  }

  absl::Status ReadStmt(const wire::Stmt& wire, Block& to) {
    std::string where = StrCat(owner_, ": statement ", statements_);
    if (++statements_ > kMaxStatements) return DecodeError(where, ": expected at most ", kMaxStatements, " statements");
    auto row = std::find_if(std::begin(kStmts), std::end(kStmts),
                            [&](const StmtRow& r) { return static_cast<uint32_t>(r.kind) == wire.kind(); });
    if (row == std::end(kStmts)) return DecodeError(where, ": unknown kind ", wire.kind());
    StrAppend(&where, " (", row->name, ")");
    const unsigned fields = FieldsOf(wire);
    if (unsigned missing = row->must & ~fields) {
      return DecodeError(where, ": expected a field '", FieldName(missing), "', found none");
    }
    if (unsigned extra = fields & ~(row->must | row->may)) {
      return DecodeError(where, ": has no field '", FieldName(extra), "'");
    }
    StmtNode node;
    node.kind = row->kind;
    if (fields & kName) KILN_RETURN_IF_ERROR(CheckName(where, wire.name()));
    node.name = wire.name();
    if (fields & kDType) {
      KILN_ASSIGN_OR_RETURN(node.dtype, CheckDTypeRef(where, wire.dtype()));
    }
    if (fields & kTensor) KILN_RETURN_IF_ERROR(ReadTensor(where, wire.tensor(), node.tensor));
    KILN_RETURN_IF_ERROR(ReadRef(where, wire.target(), node.target));
    KILN_RETURN_IF_ERROR(ReadRef(where, wire.value(), node.value));
    KILN_RETURN_IF_ERROR(ReadRef(where, wire.begin(), node.begin));
    KILN_RETURN_IF_ERROR(ReadRef(where, wire.end(), node.end));
    KILN_RETURN_IF_ERROR(ReadRef(where, wire.step(), node.step));
    KILN_RETURN_IF_ERROR(ReadRef(where, wire.stages(), node.stages));
    KILN_ASSIGN_OR_RETURN(node.loop, CheckEnum(where, "loop", wire.loop(), LoopKind::kPipelined));
    KILN_RETURN_IF_ERROR(CheckCount(where, "bytes of message", wire.text(), kMaxStringBytes));
    node.text = wire.text();
    KILN_RETURN_IF_ERROR(ReadMore(where, wire, node));
    KILN_RETURN_IF_ERROR(CheckForm(where, node));
    const bool in_ring = std::exchange(in_ring_, node.kind == StmtKind::kRing);
    if (HasBody(node.kind)) KILN_RETURN_IF_ERROR(ReadBlock(where, wire.body(), node.body));
    in_ring_ = in_ring;
    if (node.kind == StmtKind::kIf) KILN_RETURN_IF_ERROR(ReadBlock(where, wire.orelse(), node.orelse));
    if (node.kind == StmtKind::kRing) {
      for (const Stmt& field : node.body) {
        if (field->kind != StmtKind::kAlloc && field->kind != StmtKind::kComment)
          return DecodeError(where, ": expected fields of the ring alone");
      }
    }
    to.push_back(MakeStmt(std::move(node)));
    return absl::OkStatus();
  }

  // Of rings, roles and schedules.
  absl::Status ReadMore(const std::string& where, const wire::Stmt& wire, StmtNode& node) {
    KILN_RETURN_IF_ERROR(CheckCount(where, "indices", wire.names(), kMaxRank));
    for (const std::string& name : wire.names()) {
      KILN_RETURN_IF_ERROR(CheckName(where, name));
      node.names.push_back(name);
    }
    KILN_RETURN_IF_ERROR(ReadExprs(where, "extents", wire.extents(), node.extents, kMaxRank));
    KILN_ASSIGN_OR_RETURN(node.order, CheckEnum(where, "order", wire.order(), TileOrder::kSerpentine));
    KILN_RETURN_IF_ERROR(CheckCount(where, "warpgroups", wire.members()));
    node.members.assign(wire.members().begin(), wire.members().end());
    node.across_cluster = wire.across_cluster();
    if (wire.readers() < 0) return DecodeError(where, ": ", wire.readers(), " reading threads");
    node.readers = wire.readers();
    return absl::OkStatus();
  }

  absl::Status ReadBlock(const std::string& where, const google::protobuf::RepeatedPtrField<wire::Stmt>& wire,
                         Block& to) {
    if (++nesting_ > kMaxNesting) return DecodeError(where, ": blocks nested more than ", kMaxNesting, " deep");
    const uint32_t number = blocks_++;
    KILN_RETURN_IF_ERROR(ReadComments(number, to));
    for (const wire::Stmt& stmt : wire) {
      KILN_RETURN_IF_ERROR(ReadStmt(stmt, to));
      KILN_RETURN_IF_ERROR(ReadComments(number, to));
    }
    --nesting_;
    return absl::OkStatus();
  }

  // The comments of block `number` whose place is the end of what `block` holds so far: they are listed in program
  // order, so the next one to place is the first one left.
  absl::Status ReadComments(uint32_t number, Block& block) {
    while (next_comment_ < comments_->size()) {
      const wire::Comment& comment = comments_->Get(next_comment_);
      if (comment.block() != number || comment.position() != block.size()) return absl::OkStatus();
      KILN_RETURN_IF_ERROR(CheckCount("comment", "bytes", comment.text(), kMaxStringBytes));
      if (++statements_ > kMaxStatements) {
        return DecodeError("comment: expected at most ", kMaxStatements, " statements");
      }
      block.push_back(Comment(comment.text()));
      ++next_comment_;
    }
    return absl::OkStatus();
  }

  absl::Status ReadBody(const google::protobuf::RepeatedPtrField<wire::Stmt>& wire, Block& to) {
    return ReadBlock(owner_, wire, to);
  }

  absl::StatusOr<MetaParam> ReadMeta(const wire::Meta& wire) {
    std::string where = StrCat(owner_, ": meta-parameter ", Quoted(wire.name()));
    KILN_RETURN_IF_ERROR(CheckName(where, wire.name()));
    MetaParam meta;
    meta.name = wire.name();
    KILN_ASSIGN_OR_RETURN(meta.kind, CheckEnum(where, "kind", wire.kind(), MetaParam::Kind::kLayout, 1));
    KILN_RETURN_IF_ERROR(CheckCount(where, "dtypes", wire.dtypes()));
    KILN_RETURN_IF_ERROR(CheckCount(where, "candidates", wire.candidates()));
    const bool is_int = meta.kind == MetaParam::Kind::kInt;
    if (meta.kind != MetaParam::Kind::kDType && wire.dtypes_size() > 0) {
      return DecodeError(where, ": only a dtype parameter lists dtypes");
    }
    if (!is_int && (wire.candidates_size() > 0 || wire.default_value() != 0)) {
      return DecodeError(where, ": only an integer has candidates or a default");
    }
    for (uint32_t value : wire.dtypes()) {
      KILN_ASSIGN_OR_RETURN(DType dtype, CheckDType(where, value));
      meta.dtypes.push_back(dtype);
    }
    meta.candidates.assign(wire.candidates().begin(), wire.candidates().end());
    KILN_RETURN_IF_ERROR(ReadRef(where, wire.default_value(), meta.default_value));
    return meta;
  }

  absl::StatusOr<Param> ReadParam(const wire::Param& wire) {
    std::string where = StrCat(owner_, ": parameter ", Quoted(wire.name()));
    KILN_RETURN_IF_ERROR(CheckName(where, wire.name()));
    Param param;
    param.name = wire.name();
    param.is_tensor = wire.is_tensor();
    KILN_ASSIGN_OR_RETURN(param.dtype, CheckDTypeRef(where, wire.dtype()));
    KILN_RETURN_IF_ERROR(ReadExprs(where, "dimensions", wire.shape(), param.shape, kMaxRank));
    KILN_ASSIGN_OR_RETURN(param.direction, CheckEnum(where, "direction", wire.direction(), Direction::kInOut));
    if (!param.is_tensor && (!param.shape.empty() || param.direction != Direction::kIn)) {
      return DecodeError(where, ": a scalar has no shape and cannot be written");
    }
    return param;
  }

  absl::StatusOr<SymbolPolicy> ReadPolicy(const wire::Policy& wire) {
    std::string where = StrCat(owner_, ": policy of ", Quoted(wire.name()));
    KILN_RETURN_IF_ERROR(CheckName(where, wire.name()));
    SymbolPolicy policy;
    policy.name = wire.name();
    KILN_ASSIGN_OR_RETURN(policy.kind, CheckEnum(where, "kind", wire.kind(), SymbolPolicy::Kind::kMultipleOf));
    KILN_RETURN_IF_ERROR(CheckCount(where, "values", wire.values()));
    policy.values.assign(wire.values().begin(), wire.values().end());
    const bool bucket = policy.kind == SymbolPolicy::Kind::kBucket;
    const size_t expected = policy.kind == SymbolPolicy::Kind::kMultipleOf ? 1 : 0;
    if (!bucket && policy.values.size() != expected) {
      return DecodeError(where, ": expected ", expected, " values, found ", policy.values.size());
    }
    policy.tuned_pow2 = wire.tuned_pow2();
    return policy;
  }

  absl::Status ReadLaunch(const wire::Launch& wire, Launch& launch) {
    std::string where = StrCat(owner_, ": launch");
    launch.persistent = wire.persistent();
    KILN_RETURN_IF_ERROR(ReadExprs(where, "grid extents", wire.grid(), launch.grid, 3));
    KILN_RETURN_IF_ERROR(ReadRef(where, wire.block(), launch.block));
    KILN_RETURN_IF_ERROR(ReadExprs(where, "cluster extents", wire.cluster(), launch.cluster, 3));
    if (launch.persistent && !launch.grid.empty()) return DecodeError(where, ": both persistent and a grid");
    if (!launch.persistent && launch.grid.empty() && (launch.block || !launch.cluster.empty())) {
      return DecodeError(where, ": expected a grid, found none");
    }
    return absl::OkStatus();
  }

  absl::Status ReadFacts(const wire::Kernel& wire, Kernel& kernel) {
    kernel.specialized = wire.specialized();
    if (!kernel.specialized && (wire.symbol_facts_size() > 0 || wire.tensor_facts_size() > 0)) {
      return DecodeError(owner_, ": facts of a kernel that is not specialized");
    }
    KILN_RETURN_IF_ERROR(CheckCount(owner_, "facts", wire.symbol_facts()));
    KILN_RETURN_IF_ERROR(CheckCount(owner_, "facts", wire.tensor_facts()));
    for (const wire::SymbolFact& fact : wire.symbol_facts()) {
      std::string where = StrCat(owner_, ": fact of ", Quoted(fact.name()));
      KILN_RETURN_IF_ERROR(CheckName(where, fact.name()));
      kernel.symbol_facts.push_back({fact.name(), fact.min(), fact.max(), fact.divisor()});
    }
    for (const wire::TensorFact& fact : wire.tensor_facts()) {
      std::string where = StrCat(owner_, ": fact of ", Quoted(fact.param()));
      KILN_RETURN_IF_ERROR(CheckName(where, fact.param()));
      KILN_RETURN_IF_ERROR(CheckCount(where, "strides", fact.strides(), kMaxRank));
      TensorFact read{fact.param(), {}, fact.align()};
      for (uint32_t ref : fact.strides()) KILN_RETURN_IF_ERROR(ReadRef(where, ref, read.strides.emplace_back()));
      kernel.tensor_facts.push_back(std::move(read));
    }
    return absl::OkStatus();
  }

  absl::Status ReadNative(const wire::Kernel& wire, Kernel& kernel) {
    kernel.native = wire.native();
    if (!kernel.native && (wire.native_params_size() > 0 || wire.shared_bytes() != 0 || wire.scratch_bytes() != 0)) {
      return DecodeError(owner_, ": native parameters or sizes of a kernel that is not native");
    }
    KILN_RETURN_IF_ERROR(CheckCount(owner_, "native parameters", wire.native_params()));
    for (const wire::NativeParam& param : wire.native_params()) {
      std::string where = StrCat(owner_, ": native parameter ", Quoted(param.name()));
      KILN_RETURN_IF_ERROR(CheckDottedName(where, param.name()));
      NativeParam read;
      read.name = param.name();
      KILN_ASSIGN_OR_RETURN(read.kind, CheckEnum(where, "kind", param.kind(), NativeParam::Kind::kTensorMap, 1));
      if (param.dtype() != 0) {
        KILN_ASSIGN_OR_RETURN(read.dtype, CheckDType(where, param.dtype()));
      }
      KILN_RETURN_IF_ERROR(ReadTensorMap(where, param, read));
      kernel.native_params.push_back(std::move(read));
    }
    kernel.shared_bytes = wire.shared_bytes();
    kernel.scratch_bytes = wire.scratch_bytes();
    return absl::OkStatus();
  }

  static absl::Status ReadTensorMap(const std::string& where, const wire::NativeParam& wire, NativeParam& read) {
    const bool map = read.kind == NativeParam::Kind::kTensorMap;
    if (map != (wire.box_size() > 0) || map != !wire.tensor().empty() || (!map && wire.swizzle() != 0))
      return DecodeError(where, ": expected a tensor and a box of a tensor map, and of nothing else");
    if (!map) return absl::OkStatus();
    KILN_RETURN_IF_ERROR(CheckName(where, wire.tensor()));
    read.tensor = wire.tensor();
    if (wire.box_size() > 5) return DecodeError(where, ": expected at most 5 dimensions, got ", wire.box_size());
    for (int64_t extent : wire.box()) {
      if (extent < 1 || extent > 256) return DecodeError(where, ": expected box extents of 1 to 256, got ", extent);
      read.box.push_back(extent);
    }
    if (wire.swizzle() != 0 && wire.swizzle() != 32 && wire.swizzle() != 64 && wire.swizzle() != 128)
      return DecodeError(where, ": expected a swizzle of 0, 32, 64 or 128 bytes, got ", wire.swizzle());
    read.swizzle = static_cast<int>(wire.swizzle());
    return absl::OkStatus();
  }

  absl::StatusOr<Kernel> ReadKernel(const wire::Kernel& wire) {
    owner_ = StrCat("kernel ", Quoted(wire.name()));
    KILN_RETURN_IF_ERROR(CheckName(owner_, wire.name()));
    KILN_RETURN_IF_ERROR(CheckCount(owner_, "meta-parameters", wire.metas()));
    KILN_RETURN_IF_ERROR(CheckCount(owner_, "parameters", wire.params()));
    KILN_RETURN_IF_ERROR(CheckCount(owner_, "policies", wire.symbols()));
    Kernel kernel;
    kernel.name = wire.name();
    for (const wire::Meta& meta : wire.metas()) {
      KILN_ASSIGN_OR_RETURN(MetaParam read, ReadMeta(meta));
      kernel.metas.push_back(std::move(read));
    }
    for (const wire::Param& param : wire.params()) {
      KILN_ASSIGN_OR_RETURN(Param read, ReadParam(param));
      kernel.params.push_back(std::move(read));
    }
    for (const wire::Policy& policy : wire.symbols()) {
      KILN_ASSIGN_OR_RETURN(SymbolPolicy read, ReadPolicy(policy));
      kernel.symbols.push_back(std::move(read));
    }
    KILN_RETURN_IF_ERROR(ReadExprs(owner_, "requirements", wire.required(), kernel.required));
    KILN_ASSIGN_OR_RETURN(kernel.targets, ReadTargets(owner_, wire.targets()));
    KILN_RETURN_IF_ERROR(ReadLaunch(wire.launch(), kernel.launch));
    KILN_RETURN_IF_ERROR(ReadFacts(wire, kernel));
    KILN_RETURN_IF_ERROR(ReadNative(wire, kernel));
    KILN_RETURN_IF_ERROR(ReadBody(wire.body(), kernel.body));
    return kernel;
  }

  absl::StatusOr<InlineParam> ReadInlineParam(const wire::InlineParam& wire, bool named) {
    std::string where = named ? StrCat(owner_, ": parameter ", Quoted(wire.name())) : StrCat(owner_, ": result");
    if (named) KILN_RETURN_IF_ERROR(CheckName(where, wire.name()));
    if (!named && !wire.name().empty()) return DecodeError(where, ": has no name, found ", Quoted(wire.name()));
    InlineParam param;
    param.name = wire.name();
    param.is_tile = wire.is_tile();
    KILN_ASSIGN_OR_RETURN(param.dtype, CheckDTypeRef(where, wire.dtype()));
    KILN_RETURN_IF_ERROR(ReadExprs(where, "dimensions", wire.shape(), param.shape, kMaxRank));
    KILN_ASSIGN_OR_RETURN(param.space, CheckEnum(where, "memory space", wire.space(), Space::kPsum));
    if (!param.is_tile && (!param.shape.empty() || param.space != Space::kNone)) {
      return DecodeError(where, ": a scalar has no shape and no memory space");
    }
    if (param.is_tile && param.space == Space::kNone)
      return DecodeError(where, ": expected a memory space, found none");
    return param;
  }

  absl::StatusOr<Inline> ReadInline(const wire::Inline& wire) {
    owner_ = StrCat("inline ", Quoted(wire.name()));
    KILN_RETURN_IF_ERROR(CheckName(owner_, wire.name()));
    if (IsFunction(wire.name())) return DecodeError(owner_, ": is the name of a builtin function");
    KILN_RETURN_IF_ERROR(CheckCount(owner_, "parameters", wire.params()));
    Inline function;
    function.name = wire.name();
    for (const wire::InlineParam& param : wire.params()) {
      KILN_ASSIGN_OR_RETURN(InlineParam read, ReadInlineParam(param, /*named=*/true));
      function.params.push_back(std::move(read));
    }
    function.returns = wire.returns();
    if (function.returns != wire.has_result())
      return DecodeError(owner_, ": a result without 'returns', or none with it");
    if (function.returns) {
      KILN_ASSIGN_OR_RETURN(function.result, ReadInlineParam(wire.result(), /*named=*/false));
    }
    KILN_RETURN_IF_ERROR(ReadBody(wire.body(), function.body));
    return function;
  }

  absl::StatusOr<OpDecl> ReadOp(const wire::Op& wire) {
    owner_ = StrCat("op ", Quoted(wire.name()));
    KILN_RETURN_IF_ERROR(CheckName(owner_, wire.name()));
    KILN_RETURN_IF_ERROR(CheckCount(owner_, "members", wire.members()));
    OpDecl op;
    op.name = wire.name();
    for (const wire::Member& member : wire.members()) {
      std::string where = StrCat(owner_, ": member ", Quoted(member.kernel()));
      KILN_RETURN_IF_ERROR(CheckName(where, member.kernel()));
      OpMember read;
      read.kernel = member.kernel();
      KILN_ASSIGN_OR_RETURN(read.targets, ReadTargets(where, member.targets()));
      KILN_RETURN_IF_ERROR(ReadRef(where, member.when(), read.when));
      read.generic = member.generic();
      if (read.generic && (read.when || !read.targets.empty())) {
        return DecodeError(where, ": the generic member has no condition");
      }
      op.members.push_back(std::move(read));
    }
    return op;
  }

  absl::Status ReadSide(const wire::Side& side, Module& module) {
    if (next_comment_ != comments_->size()) {
      return DecodeError("comment ", next_comment_, ": its place (block ", comments_->Get(next_comment_).block(),
                         ", position ", comments_->Get(next_comment_).position(), ") does not exist");
    }
    if (side.places_size() == 0) return absl::OkStatus();
    std::vector<Location> places;
    int64_t line = 0;
    for (int i = 0; i + 1 < side.places_size(); i += 2) {
      line += side.places(i);
      if (line < 0 || line > INT32_MAX || side.places(i + 1) < 0) return DecodeError("place ", i / 2, ": out of range");
      places.push_back({static_cast<int>(line), side.places(i + 1)});
    }
    if (side.places_size() % 2 == 0 && AssignPlaces(module, places)) return absl::OkStatus();
    return DecodeError("side table: expected two numbers for each place in the module, found ", side.places_size());
  }

  NodeTable nodes_;
  std::string owner_;  // What is being read, for errors
  const google::protobuf::RepeatedPtrField<wire::Comment>* comments_ = nullptr;
  int next_comment_ = 0;
  uint32_t blocks_ = 0;
  bool in_ring_ = false;  // What is read is a field
  int nesting_ = 0;
  int64_t statements_ = 0;
};

// Reads mark and version by hand: a later version may be laid out in a way that this one cannot parse at all.
absl::Status CheckMark(std::string_view bytes) {
  if (bytes.size() > kMaxWireBytes) {
    return DecodeError("module of ", bytes.size(), " bytes: expected at most ", kMaxWireBytes);
  }
  if (!bytes.starts_with(kWireMark)) {
    return DecodeError("expected a Kiln module, found ", bytes.size(), " bytes that do not begin like one");
  }
  bytes.remove_prefix(kWireMark.size());
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  uint32_t version = 0;
  if (!stream.ReadVarint32(&version)) return DecodeError("module cut off in its version");
  if (version == 0) return DecodeError("module of version 0: no such version");
  if (version > kWireVersion) {
    return DecodeError("module of version ", version, ": this Kiln reads versions up to ", kWireVersion,
                       "; a newer one is needed");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Module> Decode(std::string_view bytes) {
  KILN_RETURN_IF_ERROR(CheckMark(bytes));
  wire::Module wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return DecodeError("module of ", bytes.size(), " bytes is damaged: not well-formed protobuf");
  }
  return Decoder().Run(wire);
}

}  // namespace kiln::ir
