#include "tests/compiler/ir/random_module.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/tile_ops.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

constexpr int kDepth = 4;

class Generator {
 public:
  Generator(const Pick& pick, bool comments) : pick_(pick), comments_(comments) {}

  Module Make() {
    Module module;
    for (uint64_t i = pick_(3); i > 0; --i) inlines_.push_back(StrCat("helper", i));
    for (const std::string& name : inlines_) module.inlines.push_back(MakeInline(name));
    for (uint64_t i = 1 + pick_(2); i > 0; --i) module.kernels.push_back(MakeKernel(StrCat("kernel", i)));
    for (uint64_t i = pick_(2); i > 0; --i) module.ops.push_back(MakeOp(StrCat("op", i)));
    return module;
  }

 private:
  bool Maybe() { return pick_(2) == 0; }
  template <typename List>
  auto& OneOf(const List& list) {
    return list[pick_(list.size())];
  }
  int64_t Small() { return static_cast<int64_t>(pick_(300)) - 20; }
  int64_t AnyInt() {
    switch (pick_(4)) {
      case 0:
        return std::numeric_limits<int64_t>::min();
      case 1:
        return std::numeric_limits<int64_t>::max();
      default:
        return Small();
    }
  }
  DType AnyDType() { return static_cast<DType>(1 + pick_(kDTypes.size() - 1)); }
  DTypeRef AnyDTypeRef() {
    if (!dtypes_.empty() && Maybe()) return {DType::kNone, OneOf(dtypes_)};
    return {AnyDType(), ""};
  }
  std::string Fresh(std::string_view stem) { return StrCat(stem, next_name_++); }

  Expr Integer() {
    if (pick_(3) > 0) return Int(AnyInt());
    DType dtype = AnyDType();
    return Int(AnyInt(), IsInteger(dtype) ? dtype : DType::kU64);
  }

  Expr Real() {
    const std::vector<double> values = {0.0,
                                        -0.0,
                                        1.0,
                                        -1.5,
                                        0.1,
                                        1e300,
                                        5e-324,
                                        std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN(),
                                        NamedConstants()[pick_(NamedConstants().size())].value,
                                        std::bit_cast<double>(pick_(uint64_t{1} << 62))};
    double value = OneOf(values);
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    if (pick_(3) > 0) return Float(value);
    DType dtype = AnyDType();
    return Float(value, IsFloat(dtype) ? dtype : DType::kF16);
  }

  Expr Name() {
    if (names_.empty() || pick_(5) == 0) return Var(std::string(Builtins()[pick_(Builtins().size())]));
    return Var(OneOf(names_));
  }

  Expr Leaf() {
    switch (pick_(5)) {
      case 0:
        return Integer();
      case 1:
        return Real();
      case 2:
        return Bool(Maybe());
      default:
        return Name();
    }
  }

  std::vector<Expr> Exprs(int depth, uint64_t count) {
    std::vector<Expr> list;
    for (; count > 0; --count) list.push_back(AnyExpr(depth));
    return list;
  }

  Expr WithDType(ExprKind kind, std::vector<Expr> args) {
    Node node;
    node.kind = kind;
    node.dtype = AnyDTypeRef();
    node.args = std::move(args);
    return MakeExpr(std::move(node));
  }

  Expr WithInt(ExprKind kind, std::vector<Expr> args, int64_t value) {
    Node node;
    node.kind = kind;
    node.int_value = value;
    node.args = std::move(args);
    return MakeExpr(std::move(node));
  }

  Expr View(int depth) {
    Expr base = AnyExpr(depth);
    if (pick_(4) == 0) return WithDType(ExprKind::kReinterpret, {base});
    if (pick_(3) == 0) {
      Node node;
      node.kind = ExprKind::kReshape;
      node.args = Exprs(depth, pick_(3));
      node.args.insert(node.args.begin(), base);
      return MakeExpr(std::move(node));
    }
    if (pick_(3) == 0) {
      Node node;
      node.kind = ExprKind::kPermute;
      node.args = {base};
      for (uint64_t i = pick_(3); i > 0; --i) node.ints.push_back(Small());
      return MakeExpr(std::move(node));
    }
    std::vector<Expr> items;
    for (uint64_t i = pick_(4); i > 0; --i) {
      switch (pick_(4)) {
        case 0:
          items.push_back(Full());
          break;
        case 1:
          items.push_back(NewAxis());
          break;
        case 2:
          items.push_back(Slice(AnyExpr(depth), AnyExpr(depth)));
          break;
        default:
          items.push_back(AnyExpr(depth));
      }
    }
    return Subscript(base, std::move(items));
  }

  // A field of a slot, by its name or as it is taken.
  Expr Field() {
    if (rings_.empty()) return Leaf();
    Node node;
    node.kind = ExprKind::kField;
    node.name = "part";
    if (!slots_.empty() && Maybe()) {
      node.args = {Var(OneOf(slots_))};
      return MakeExpr(std::move(node));
    }
    TileOpInfo info;
    info.op = Maybe() ? TileOpKind::kPush : TileOpKind::kPop;
    info.team = Team::kThread;
    Node slot = *TileOperation(std::move(info), {});
    slot.name = OneOf(rings_);
    node.args = {MakeExpr(std::move(slot))};
    return MakeExpr(std::move(node));
  }

  Expr TileOp(int depth) {
    const TileOpRow& row = TileOps()[pick_(TileOps().size())];
    TileOpInfo info;
    info.op = row.op;
    if (IsRingOp(row.op)) {
      if (rings_.empty()) return Leaf();
      info.team = Team::kThread;
      Node node = *TileOperation(std::move(info), {});
      node.name = OneOf(rings_);
      return std::make_shared<const Node>(std::move(node));
    }
    info.team = static_cast<Team>(1 + pick_(5));
    if (pick_(4) == 0) {
      info.via = "family";
      if (Maybe()) info.via_config = {{"multicast", Var("all")}, {"width", AnyExpr(depth)}};
    }
    std::vector<Attr> attrs;
    if (Maybe()) attrs.push_back({"axis", AnyExpr(depth)});
    if (Maybe()) attrs.push_back({"step", AnyExpr(depth)});
    return TileOperation(std::move(info), Exprs(depth, pick_(4)), std::move(attrs));
  }

  Expr AnyCall(int depth) {
    std::vector<Attr> attrs;
    if (pick_(4) == 0) attrs.push_back({"how", AnyExpr(depth)});
    if (!inlines_.empty() && Maybe()) return Call(OneOf(inlines_), Exprs(depth, pick_(3)), std::move(attrs));
    const std::vector<std::string> intrinsics = {"barrier", "shfl_xor", "mma", "pack2"};
    Expr call = Call(OneOf(intrinsics), Exprs(depth, pick_(4)), std::move(attrs));
    if (Maybe()) return call;
    Node typed = *call;
    typed.dtype = AnyDTypeRef();
    return MakeExpr(std::move(typed));
  }

  Expr AnyUnary(int depth) {
    const Op ops[] = {Op::kNeg, Op::kNot, Op::kBitNot};
    return Unary(ops[pick_(3)], AnyExpr(depth));
  }

  Expr AnyExpr(int depth) {
    if (depth <= 0) return Leaf();
    --depth;
    switch (pick_(14)) {
      case 0:
        return AnyUnary(depth);
      case 1:
      case 2:
      case 3: {
        Op op = static_cast<Op>(16 + pick_(21));
        return FindBinary(op) ? Binary(op, AnyExpr(depth), AnyExpr(depth)) : Leaf();
      }
      case 4:
        return Select(AnyExpr(depth), AnyExpr(depth), AnyExpr(depth));
      case 5:
        return WithDType(ExprKind::kCast, {AnyExpr(depth)});
      case 6: {
        const MathFunction& math = MathFunctions()[pick_(MathFunctions().size())];
        Node node = *Math(math.op, Exprs(depth, static_cast<uint64_t>(math.operands)));
        node.int_value = math.precise && pick_(2) == 0;
        return MakeExpr(std::move(node));
      }
      case 7:
        return View(depth);
      case 8:
        return WithInt(Maybe() ? ExprKind::kIndex : ExprKind::kDim, {AnyExpr(depth)}, static_cast<int64_t>(pick_(4)));
      case 9:
        return TileOp(depth);
      case 10:
        return pick_(4) == 0 ? Field() : AnyCall(depth);
      case 11:
        return Load(Name(), AnyExpr(depth), static_cast<int>(1 + pick_(16)));
      case 12:
        return WithInt(Maybe() ? ExprKind::kRamp : ExprKind::kBroadcast, {AnyExpr(depth)},
                       static_cast<int64_t>(1 + pick_(16)));
      default:
        return Leaf();
    }
  }

  Stmt AnyStmt(int depth) {
    StmtNode node;
    switch (pick_(depth > 0 ? 18 : 11)) {
      case 0:
        node.kind = StmtKind::kLet;
        if (Maybe()) node.dtype = AnyDTypeRef();
        node.value = AnyExpr(kDepth);
        node.name = Fresh("let");
        names_.push_back(node.name);
        if (node.value->kind == ExprKind::kTileOp && IsRingOp(node.value->tile.op) && !node.dtype.Known() &&
            node.dtype.param.empty())
          slots_.push_back(node.name);
        break;
      case 1:
        node.kind = StmtKind::kMutable;
        node.dtype = AnyDTypeRef();
        node.value = AnyExpr(kDepth);
        node.name = Fresh("var");
        names_.push_back(node.name);
        break;
      case 2:
        return AnyAlloc();
      case 3:
        return Assign(Maybe() ? Name() : Subscript(Name(), {AnyExpr(2), Full()}), AnyExpr(kDepth));
      case 4:
        if (Expr op = Maybe() ? TileOp(kDepth) : nullptr; op && op->kind == ExprKind::kTileOp) return Eval(op);
        return Eval(AnyCall(kDepth));
      case 5:
        node.kind = Maybe() ? StmtKind::kAssume : StmtKind::kAssert;
        node.value = AnyExpr(kDepth);
        if (node.kind == StmtKind::kAssert && Maybe()) node.text = "N is \"odd\"\\\n\t\x01 \xc3\xa9";
        break;
      case 6:
        node.kind = StmtKind::kReturn;
        if (Maybe()) node.value = AnyExpr(kDepth);
        break;
      case 7:
        node.kind = Maybe() ? StmtKind::kBreak : StmtKind::kContinue;
        break;
      case 8:
      case 9:
        return Store(Name(), AnyExpr(kDepth), AnyExpr(kDepth));
      case 10:
        return comments_ ? Comment(Maybe() ? "one line" : "two\nlines") : AnyStmt(depth);
      case 11:
        node.kind = StmtKind::kFor;
        node.loop = static_cast<LoopKind>(pick_(4));
        node.begin = AnyExpr(2);
        node.end = AnyExpr(2);
        if (Maybe()) node.step = AnyExpr(2);
        if (Maybe()) node.stages = AnyExpr(2);
        node.name = Fresh("loop");
        node.body = AnyBlock(depth - 1, node.name);
        break;
      case 12:
        node.kind = StmtKind::kWhile;
        node.value = AnyExpr(2);
        node.body = AnyBlock(depth - 1);
        break;
      case 13:
        node.kind = StmtKind::kRing;
        node.stages = AnyExpr(2);
        node.name = Fresh("ring");
        rings_.push_back(node.name);
        node.across_cluster = Maybe();
        if (Maybe()) node.readers = 128;
        if (Maybe()) {
          for (uint64_t i = 1 + pick_(3); i > 0; --i) node.body.push_back(AnyField());
          break;
        }
        for (uint64_t i = 1 + pick_(3); i > 0; --i) node.body.push_back(AnyAlloc());
        break;
      case 14:
        if (in_role_) return AnyAlloc();  // Its words are declared once
        node.kind = StmtKind::kRole;
        node.name = Fresh("role");
        for (uint64_t i = 1 + pick_(3); i > 0; --i) node.members.push_back(static_cast<int64_t>(pick_(9)));
        if (Maybe()) node.value = AnyExpr(2);
        in_role_ = true;
        node.body = AnyBlock(depth - 1, "role_rank");
        in_role_ = false;
        break;
      case 15:
        node.kind = StmtKind::kSchedule;
        node.extents = Exprs(2, 1 + pick_(3));
        node.order = static_cast<TileOrder>(pick_(4));
        if (node.order == TileOrder::kGrouped) node.value = AnyExpr(2);
        node.name = Fresh("schedule");
        schedules_.push_back(node.name);
        break;
      case 16:
        if (schedules_.empty()) return AnyAlloc();
        node.kind = StmtKind::kTiles;
        node.name = OneOf(schedules_);
        node.names = {Fresh("tile"), Fresh("tile")};
        node.body = AnyBlock(depth - 1, node.names[0]);
        break;
      default:
        node.kind = StmtKind::kIf;
        node.value = AnyExpr(2);
        node.body = AnyBlock(depth - 1);
        if (Maybe()) node.orelse = AnyBlock(depth - 1);
        break;
    }
    return MakeStmt(std::move(node));
  }

  Stmt AnyField() {
    StmtNode node;
    node.kind = StmtKind::kAlloc;
    node.tensor.space = Space::kNone;
    node.tensor.dtype = AnyDTypeRef();
    node.tensor.shape = Exprs(2, pick_(4));
    if (Maybe()) node.tensor.layout = "S[512:1]";
    node.tensor.name = Fresh("field");
    return MakeStmt(std::move(node));
  }

  Stmt AnyAlloc() {
    const std::vector<std::string> layouts = {"", "S[(8,4):(4@laneid,1@laneid)] + R[2:4@warpid] + 5@warpid",
                                              "swizzle[3,3,3] o S[512:1]"};
    TensorDecl tensor;
    tensor.dtype = AnyDTypeRef();
    tensor.shape = Exprs(2, pick_(4));
    tensor.space = static_cast<Space>(1 + pick_(7));
    tensor.owner = static_cast<Team>(pick_(6));
    tensor.layout = OneOf(layouts);
    for (uint64_t i = pick_(3); i > 0; --i) tensor.padded.push_back(static_cast<int64_t>(pick_(500)));
    tensor.align = static_cast<int64_t>(pick_(3) * 16);
    tensor.offset = static_cast<int64_t>(pick_(3)) * 128 - 1;
    if (tensor.offset > 0) ++tensor.offset;
    Expr init = Maybe() ? AnyExpr(3) : nullptr;
    tensor.name = Fresh("tile");
    names_.push_back(tensor.name);
    return Alloc(std::move(tensor), std::move(init));
  }

  Block AnyBlock(int depth, const std::string& declared = "") {
    size_t mark = names_.size(), rings = rings_.size(), slots = slots_.size(), schedules = schedules_.size();
    if (!declared.empty()) names_.push_back(declared);
    Block block;
    for (uint64_t i = pick_(4); i > 0; --i) block.push_back(AnyStmt(depth));
    names_.resize(mark);
    rings_.resize(rings);
    slots_.resize(slots);
    schedules_.resize(schedules);
    return block;
  }

  std::vector<Expr> Shape(uint64_t rank) {
    std::vector<Expr> shape;
    for (; rank > 0; --rank) {
      std::string symbol = Fresh("M");
      names_.push_back(symbol);
      shape.push_back(Var(symbol));
      if (Maybe()) shape.back() = Int(static_cast<int64_t>(pick_(5000)));
      if (IsConst(shape.back())) names_.pop_back();
    }
    return shape;
  }

  InlineParam MakeInlineParam(const std::string& name) {
    InlineParam param;
    param.name = name;
    param.dtype = AnyDTypeRef();
    param.is_tile = Maybe();
    if (param.is_tile) {
      param.shape = Shape(pick_(3));
      param.space = static_cast<Space>(1 + pick_(7));
    }
    return param;
  }

  Inline MakeInline(const std::string& name) {
    names_.clear();
    dtypes_.clear();
    Inline function;
    function.name = name;
    for (uint64_t i = pick_(3); i > 0; --i) {
      function.params.push_back(MakeInlineParam(Fresh("p")));
      names_.push_back(function.params.back().name);
    }
    function.returns = Maybe();
    if (function.returns) function.result = MakeInlineParam("");
    function.body = AnyBlock(2);
    return function;
  }

  MetaParam MakeMeta() {
    MetaParam meta;
    meta.name = Fresh("META");
    switch (pick_(5)) {
      case 0:
        meta.kind = MetaParam::Kind::kDType;
        for (uint64_t i = pick_(3); i > 0; --i) meta.dtypes.push_back(AnyDType());
        dtypes_.push_back(meta.name);
        return meta;
      case 1:
        meta.kind = MetaParam::Kind::kLayout;
        return meta;
      case 2:
        for (uint64_t i = 1 + pick_(3); i > 0; --i) meta.candidates.push_back(Small());
        break;
      default:
        break;
    }
    if (Maybe()) meta.default_value = AnyExpr(3);
    names_.push_back(meta.name);
    return meta;
  }

  void MakeFacts(Kernel& kernel) {
    kernel.specialized = true;
    for (const Param& param : kernel.params) {
      if (!param.is_tensor) continue;
      TensorFact fact{param.name, {}, static_cast<int64_t>(1 + pick_(64))};
      for (uint64_t i = pick_(4); i > 0; --i) {
        fact.strides.push_back(Maybe() ? AnyExpr(2) : nullptr);
        if (pick_(3) == 0) fact.strides.back() = Var(StrCat(param.name, ".stride", i));
      }
      kernel.tensor_facts.push_back(std::move(fact));
      for (const Expr& extent : param.shape)
        if (extent->kind == ExprKind::kVar) kernel.symbol_facts.push_back({extent->name, Small(), AnyInt(), Small()});
    }
  }

  void MakeNative(Kernel& kernel) {
    kernel.native = true;
    for (const Param& param : kernel.params) {
      kernel.native_params.push_back(
          {static_cast<NativeParam::Kind>(1 + pick_(3)), param.name, static_cast<DType>(pick_(kDTypes.size()))});
      if (param.is_tensor && Maybe()) {
        kernel.native_params.push_back({NativeParam::Kind::kSymbol, param.name + ".stride1", DType::kI64});
      }
    }
    kernel.shared_bytes = static_cast<int64_t>(pick_(3)) * 1024;
    kernel.scratch_bytes = static_cast<int64_t>(pick_(3)) * 64;
  }

  Kernel MakeKernel(const std::string& name) {
    names_.clear();
    dtypes_.clear();
    Kernel kernel;
    kernel.name = name;
    for (uint64_t i = pick_(4); i > 0; --i) kernel.metas.push_back(MakeMeta());
    for (uint64_t i = pick_(4); i > 0; --i) {
      Param param;
      param.name = Fresh("x");
      param.dtype = AnyDTypeRef();
      param.is_tensor = pick_(4) > 0;
      if (param.is_tensor) {
        param.shape = Shape(pick_(4));
        param.direction = static_cast<Direction>(pick_(3));
      }
      kernel.params.push_back(std::move(param));
    }
    for (const Param& param : kernel.params) names_.push_back(param.name);
    for (uint64_t i = pick_(3); i > 0 && !names_.empty(); --i) {
      SymbolPolicy policy;
      policy.name = OneOf(names_);
      policy.kind = static_cast<SymbolPolicy::Kind>(pick_(4));
      uint64_t values = policy.kind == SymbolPolicy::Kind::kBucket ? pick_(4) : 0;
      if (policy.kind == SymbolPolicy::Kind::kMultipleOf) values = 1;
      for (; values > 0; --values) policy.values.push_back(Small());
      policy.tuned_pow2 = Maybe();
      kernel.symbols.push_back(std::move(policy));
    }
    kernel.required = Exprs(3, pick_(3));
    if (Maybe()) kernel.targets = {"sm_90a", "cpu"};
    switch (pick_(3)) {
      case 0:
        kernel.launch.persistent = true;
        break;
      case 1:
        kernel.launch.grid = Exprs(2, 1 + pick_(3));
        break;
      default:
        break;
    }
    if (kernel.launch.persistent || !kernel.launch.grid.empty()) {
      if (Maybe()) kernel.launch.block = AnyExpr(2);
      if (Maybe()) kernel.launch.cluster = Exprs(2, 1 + pick_(3));
    }
    if (Maybe()) MakeFacts(kernel);
    if (Maybe()) MakeNative(kernel);
    kernel.body = AnyBlock(3);
    return kernel;
  }

  OpDecl MakeOp(const std::string& name) {
    OpDecl op;
    op.name = name;
    names_ = {"M", "N"};
    dtypes_.clear();
    for (uint64_t i = pick_(4); i > 0; --i) {
      OpMember member;
      member.kernel = StrCat("kernel", i);
      member.generic = pick_(4) == 0;
      if (!member.generic && Maybe()) member.targets = {"sm_90a", "sm_80"};
      if (!member.generic && Maybe()) member.when = AnyExpr(3);
      op.members.push_back(std::move(member));
    }
    return op;
  }

  const Pick& pick_;
  bool comments_;
  int next_name_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string> rings_;
  std::vector<std::string> slots_;
  std::vector<std::string> schedules_;
  bool in_role_ = false;
  std::vector<std::string> dtypes_;
  std::vector<std::string> inlines_;
};

}  // namespace

Module RandomModule(const Pick& pick, bool comments) { return Generator(pick, comments).Make(); }

}  // namespace kiln::ir
