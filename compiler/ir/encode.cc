#include "compiler/ir/encode.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/ir/kiln_ir.pb.h"
#include "compiler/ir/places.h"
#include "compiler/ir/wire_mark.h"

namespace kiln::ir {
namespace {

class Encoder {
 public:
  wire::Module Run(const Module& module, EncodeOptions options) {
    module_.set_magic(kWireMagic);
    module_.set_version(kWireVersion);
    for (const Inline& function : module.inlines) Write(function, *module_.add_inlines());
    for (const Kernel& kernel : module.kernels) Write(kernel, *module_.add_kernels());
    for (const OpDecl& op : module.ops) Write(op, *module_.add_ops());
    if (options.positions) {
      WritePlaces(module);
      if (side_.places_size() > 0 || side_.comments_size() > 0) *module_.mutable_side() = std::move(side_);
    }
    return std::move(module_);
  }

 private:
  static uint32_t Value(auto enumerator) { return static_cast<uint32_t>(enumerator); }

  static void Write(const DTypeRef& ref, wire::DType* to) {
    if (ref.Known()) to->set_dtype(Value(ref.dtype));
    if (!ref.param.empty()) to->set_param(ref.param);
  }
  static bool IsSet(const DTypeRef& ref) { return ref.Known() || !ref.param.empty(); }

  // The index of the node; equal subtrees have one.
  uint32_t Index(const Expr& e) {
    if (auto seen = by_pointer_.find(e.get()); seen != by_pointer_.end()) return seen->second;
    wire::Node node;
    node.set_kind(Value(e->kind));
    node.set_op(Value(e->op));
    if (IsSet(e->dtype)) Write(e->dtype, node.mutable_dtype());
    node.set_int_value(e->int_value);
    // One NaN: a payload has no spelling.
    const double value = std::isnan(e->float_value) ? std::numeric_limits<double>::quiet_NaN() : e->float_value;
    node.set_float_bits(std::bit_cast<uint64_t>(value));
    node.set_name(e->name);
    for (const Expr& arg : e->args) node.add_args(Index(arg));
    for (int64_t value : e->ints) node.add_ints(value);
    for (const Attr& attr : e->attrs) Write(attr, *node.add_attrs());
    if (e->kind == ExprKind::kTileOp) {
      wire::TileOp& tile = *node.mutable_tile();
      tile.set_op(Value(e->tile.op));
      tile.set_team(Value(e->tile.team));
      tile.set_via(e->tile.via);
      for (const Attr& setting : e->tile.via_config) Write(setting, *tile.add_via_config());
    }
    auto [it, is_new] = by_bytes_.emplace(node.SerializeAsString(), module_.nodes_size());
    if (is_new) *module_.add_nodes() = std::move(node);
    by_pointer_.emplace(e.get(), it->second);
    return it->second;
  }
  uint32_t Ref(const Expr& e) { return e ? Index(e) + 1 : 0; }

  void Write(const Attr& attr, wire::Attr& to) {
    to.set_name(attr.name);
    to.set_value(Index(attr.value));
  }

  void Write(const TensorDecl& tensor, wire::Tensor& to) {
    to.set_name(tensor.name);
    Write(tensor.dtype, to.mutable_dtype());
    for (const Expr& extent : tensor.shape) to.add_shape(Index(extent));
    to.set_space(Value(tensor.space));
    to.set_owner(Value(tensor.owner));
    to.set_layout(tensor.layout);
    for (int64_t extent : tensor.padded) to.add_padded(extent);
    to.set_align(tensor.align);
    if (tensor.offset >= 0) to.set_offset(tensor.offset);
  }

  void Write(const StmtNode& stmt, wire::Stmt& to) {
    to.set_kind(Value(stmt.kind));
    to.set_name(stmt.name);
    if (IsSet(stmt.dtype)) Write(stmt.dtype, to.mutable_dtype());
    if (stmt.kind == StmtKind::kAlloc) Write(stmt.tensor, *to.mutable_tensor());
    to.set_target(Ref(stmt.target));
    to.set_value(Ref(stmt.value));
    to.set_begin(Ref(stmt.begin));
    to.set_end(Ref(stmt.end));
    to.set_step(Ref(stmt.step));
    to.set_stages(Ref(stmt.stages));
    to.set_loop(Value(stmt.loop));
    to.set_text(stmt.text);
    for (const std::string& name : stmt.names) to.add_names(name);
    for (const Expr& extent : stmt.extents) to.add_extents(Index(extent));
    to.set_order(Value(stmt.order));
    for (int64_t member : stmt.members) to.add_members(member);
    to.set_across_cluster(stmt.across_cluster);
    to.set_readers(stmt.readers);
    if (HasBody(stmt.kind)) Write(stmt.body, *to.mutable_body());
    if (stmt.kind == StmtKind::kIf) Write(stmt.orelse, *to.mutable_orelse());
  }

  void Write(const Block& block, google::protobuf::RepeatedPtrField<wire::Stmt>& to) {
    const uint32_t number = blocks_++;
    for (size_t i = 0; i < block.size(); ++i) {
      if (block[i]->kind != StmtKind::kComment) {
        Write(*block[i], *to.Add());
        continue;
      }
      wire::Comment& comment = *side_.add_comments();
      comment.set_block(number);
      comment.set_position(static_cast<uint32_t>(i));
      comment.set_text(block[i]->text);
    }
  }

  void Write(const MetaParam& meta, wire::Meta& to) {
    to.set_name(meta.name);
    to.set_kind(Value(meta.kind));
    for (DType dtype : meta.dtypes) to.add_dtypes(Value(dtype));
    for (int64_t candidate : meta.candidates) to.add_candidates(candidate);
    to.set_default_value(Ref(meta.default_value));
  }

  void Write(const Param& param, wire::Param& to) {
    to.set_name(param.name);
    to.set_is_tensor(param.is_tensor);
    Write(param.dtype, to.mutable_dtype());
    for (const Expr& extent : param.shape) to.add_shape(Index(extent));
    to.set_direction(Value(param.direction));
  }

  void Write(const SymbolPolicy& policy, wire::Policy& to) {
    to.set_name(policy.name);
    to.set_kind(Value(policy.kind));
    for (int64_t value : policy.values) to.add_values(value);
    to.set_tuned_pow2(policy.tuned_pow2);
  }

  void Write(const Launch& launch, wire::Launch& to) {
    to.set_persistent(launch.persistent);
    for (const Expr& extent : launch.grid) to.add_grid(Index(extent));
    to.set_block(Ref(launch.block));
    for (const Expr& extent : launch.cluster) to.add_cluster(Index(extent));
  }

  void WriteFacts(const Kernel& kernel, wire::Kernel& to) {
    to.set_specialized(kernel.specialized);
    for (const SymbolFact& fact : kernel.symbol_facts) {
      wire::SymbolFact& written = *to.add_symbol_facts();
      written.set_name(fact.name);
      written.set_min(fact.min);
      written.set_max(fact.max);
      written.set_divisor(fact.divisor);
    }
    for (const TensorFact& fact : kernel.tensor_facts) {
      wire::TensorFact& written = *to.add_tensor_facts();
      written.set_param(fact.param);
      for (const Expr& stride : fact.strides) written.add_strides(Ref(stride));
      written.set_align(fact.align);
    }
    to.set_native(kernel.native);
    for (const NativeParam& param : kernel.native_params) {
      wire::NativeParam& written = *to.add_native_params();
      written.set_kind(Value(param.kind));
      written.set_name(param.name);
      written.set_dtype(Value(param.dtype));
      written.set_tensor(param.tensor);
      for (int64_t extent : param.box) written.add_box(extent);
      written.set_swizzle(static_cast<uint32_t>(param.swizzle));
    }
    to.set_shared_bytes(kernel.shared_bytes);
    to.set_scratch_bytes(kernel.scratch_bytes);
  }

  void Write(const Kernel& kernel, wire::Kernel& to) {
    to.set_name(kernel.name);
    for (const MetaParam& meta : kernel.metas) Write(meta, *to.add_metas());
    for (const Param& param : kernel.params) Write(param, *to.add_params());
    for (const SymbolPolicy& policy : kernel.symbols) Write(policy, *to.add_symbols());
    for (const Expr& condition : kernel.required) to.add_required(Index(condition));
    for (const std::string& target : kernel.targets) to.add_targets(target);
    Write(kernel.launch, *to.mutable_launch());
    WriteFacts(kernel, to);
    Write(kernel.body, *to.mutable_body());
  }

  void Write(const InlineParam& param, wire::InlineParam& to) {
    to.set_name(param.name);
    to.set_is_tile(param.is_tile);
    Write(param.dtype, to.mutable_dtype());
    for (const Expr& extent : param.shape) to.add_shape(Index(extent));
    to.set_space(Value(param.space));
  }

  void Write(const Inline& function, wire::Inline& to) {
    to.set_name(function.name);
    for (const InlineParam& param : function.params) Write(param, *to.add_params());
    to.set_returns(function.returns);
    if (function.returns) Write(function.result, *to.mutable_result());
    Write(function.body, *to.mutable_body());
  }

  void Write(const OpDecl& op, wire::Op& to) {
    to.set_name(op.name);
    for (const OpMember& member : op.members) {
      wire::Member& written = *to.add_members();
      written.set_kernel(member.kernel);
      for (const std::string& target : member.targets) written.add_targets(target);
      written.set_when(Ref(member.when));
      written.set_generic(member.generic);
    }
  }

  // Nothing for a module that was never text.
  void WritePlaces(const Module& module) {
    std::vector<Location> places = CollectPlaces(module);
    bool known = false;
    for (const Location& at : places) known = known || at.line != 0;
    if (!known) return;
    int line = 0;
    for (const Location& at : places) {
      side_.add_places(at.line - line);
      side_.add_places(at.column);
      line = at.line;
    }
  }

  wire::Module module_;
  wire::Side side_;
  uint32_t blocks_ = 0;
  std::unordered_map<const Node*, uint32_t> by_pointer_;
  std::unordered_map<std::string, uint32_t> by_bytes_;
};

}  // namespace

std::string Encode(const Module& module, EncodeOptions options) {
  return Encoder().Run(module, options).SerializeAsString();
}

}  // namespace kiln::ir
