// Expressions: immutable, shared trees of one node type, over scalars and over tiles alike.
//
//   Expr row = Var("cta_id.x") * Var("ROWS");
//   Expr tail = Min(Int(8), Var("M") - row);
//
// One node type serves the parser, the wire form (a flat table of nodes), every visitor and both printers; what a node
// means is its `kind`, and the table beside ExprKind says which fields each kind uses. Expressions hold no addresses
// that matter: two trees are the same when Equal says so. Names are identities: a kernel never has two visible things
// of one name.
//
// Thread-safety: nodes never change after they are made, so any thread may read any Expr.
#ifndef KILN_COMPILER_EXPR_EXPR_H_
#define KILN_COMPILER_EXPR_EXPR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/internal/dtype.h"

namespace kiln {

struct Node;
using Expr = std::shared_ptr<const Node>;

// A place in the source text; line and column count from 1, 0 = unknown. Never part of equality, digests or printed
// text.
struct Location {
  int line = 0;
  int column = 0;
};

// A dtype, or the name of the meta-parameter that will give it.
struct DTypeRef {
  DType dtype = DType::kNone;
  std::string param;  // Empty once bound.

  bool operator==(const DTypeRef&) const = default;
  bool Known() const { return dtype != DType::kNone; }
};

// The type of an expression. Empty (dtype kNone) until the typing pass of specialize ran; then every node has one.
// A scalar has lanes 1 and no shape; a native vector has lanes > 1; a tile has a shape (its domain), dims being i64
// expressions.
struct Type {
  DType dtype = DType::kNone;
  int lanes = 1;
  bool tile = false;
  std::vector<Expr> shape;  // Of a tile; a tile of rank 0 is legal.

  bool Known() const { return dtype != DType::kNone; }
};

enum class ExprKind : uint8_t {
  kInt = 1,  // int_value; dtype in `dtype` when written with one, else an untyped integer literal (i64 in index
             // arithmetic)
  kFloat,    // float_value; takes the float type of its surroundings (f32 alone)
  kBool,     // int_value 0 or 1
  kVar,      // name: a let, mutable scalar, loop variable, symbol, meta-parameter, builtin (`cta_id.x`), tensor or tile
  kUnary,    // op, args[0]
  kBinary,   // op, args[0..1]; tiles broadcast as numpy does after `_`
  kSelect,   // args: condition, if true, if false
  kCast,     // dtype, args[0]; round to nearest even, saturating for fp8 and integers
  kMath,     // op (kExp2, kRsqrt, ...), args; elementwise functions. int_value 1: the form that `precise.` asks for
  kSubscript,  // args[0] tensor; args[1..] one item a dimension (and `_`): an index drops the dimension, kSlice, kFull,
               // kNewAxis
  kSlice,      // args: start, extent, optional limit (views): `start +: extent`; only inside kSubscript
  kFull,       // `:`; only inside kSubscript
  kNewAxis,    // `_`; only inside kSubscript
  kReshape,    // args[0] tensor; args[1..] the new shape
  kPermute,    // args[0] tensor; ints: the order of dimensions
  kReinterpret,  // args[0] tensor; dtype: the same bytes as another dtype, innermost extent scaled
  kIndex,   // `index(t, axis)`: args[0] tensor; int_value axis; the logical index of each element, as a tile like t
  kDim,     // `dim(t, axis)`: args[0] tensor; int_value axis
  kTileOp,  // tile: a tile operation, as a statement or (reductions, gather) as a value
  kCall,  // name, args, attrs: an `inline` function before inlining, or a native intrinsic (compiler/ir/intrinsics.inc)
  kLoad,  // native: args[0] tensor Var, args[1] flat element index; int_value lanes
  kRamp,  // native: args[0] base; int_value lanes: base, base + 1, ...
  kBroadcast,  // native: args[0] scalar; int_value lanes
  kField,      // args[0]: a slot of a ring, by the name of its `let` or as the push or pop that gives it; name: a field
};

enum class Op : uint8_t {
  kNone = 0,
  // kUnary
  kNeg = 1,
  kNot,
  kBitNot,
  // kBinary; integer division and modulo are floor division and its remainder, shifts are of the left operand's type
  kAdd = 16,
  kSub,
  kMul,
  kDiv,
  kMod,
  kMin,
  kMax,
  kAnd,
  kOr,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShl,
  kShr,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kCeilDiv,
  // kMath
  kExp = 64,
  kExp2,
  kLog,
  kLog2,
  kSqrt,
  kRsqrt,
  kTanh,
  kSin,
  kCos,
  kErf,
  kAbs,
  kFloor,
  kCeil,
  kRound,
  kFma,
  kPow,
  kIsNan,
};

enum class Team : uint8_t { kNone = 0, kThread = 1, kWarp, kWarpgroup, kCta, kCluster };

enum class TileOpKind : uint8_t {
  kNone = 0,
  kCopy = 1,       // (dst, src)
  kCopyAsync,      // (dst, src)
  kFill,           // (dst, scalar)
  kMap,            // (dst, expression): what tile assignment becomes when it is planned
  kPermuteLayout,  // (dst, src)
  kGemm = 16,      // (acc, a, b); trans_a, trans_b, accumulate
  kGemmAsync,
  kSum = 32,
  kMax,
  kMin,
  kProd,
  kAny,          // (tile); axis: int, absent = all; value
  kGather = 48,  // (dst, table, index tile): dst[i, :] = table[index[i], :]
  kScatter,      // (table, index tile, src)
  kAtomicAdd,
  kAtomicMax,
  kAtomicMin,  // (dst, src)
  kSync = 64,  // ()
  kWaitCopy,
  kWaitGemm,
  kWaitStore,  // pending
  // Of the ring `name`; () -> the slot, an i64
  kPush = 80,  // waits until the slot after the last pushed is free, and arms it with its bytes
  kPop,        // waits until the oldest slot not popped yet is full
  kRelease,    // () : frees the oldest slot popped and not yet released
};

struct Attr {
  std::string name;
  Expr value;
};

// The part of a node that only tile operations have.
struct TileOpInfo {
  TileOpKind op = TileOpKind::kNone;
  Team team = Team::kNone;
  std::string via;               // Instruction family asked for; empty = the compiler's choice.
  std::vector<Attr> via_config;  // Typed by the rule; unknown keys are errors.
};

struct Node {
  ExprKind kind = ExprKind::kInt;
  Op op = Op::kNone;
  DTypeRef dtype;
  int64_t int_value = 0;
  double float_value = 0;
  std::string name;
  std::vector<Expr> args;
  std::vector<int64_t> ints;
  std::vector<Attr> attrs;  // Named arguments, in the order written.
  TileOpInfo tile;
  Type type;
  Location at;
};

// Builders. They fold nothing: see simplify.h. Every node comes from one of them.
Expr MakeExpr(Node node);
Expr Int(int64_t value, DType dtype = DType::kNone);
Expr Float(double value, DType dtype = DType::kNone);
Expr Bool(bool value);
Expr Var(std::string name, Type type = {});
Expr Unary(Op op, Expr a);
Expr Binary(Op op, Expr a, Expr b);
Expr Math(Op op, std::vector<Expr> args);
Expr Select(Expr condition, Expr if_true, Expr if_false);
Expr Cast(DTypeRef dtype, Expr a);
Expr Subscript(Expr tensor, std::vector<Expr> items);
Expr Slice(Expr start, Expr extent);
Expr Full();
Expr NewAxis();
Expr IndexOf(Expr tensor, int axis);
Expr Load(Expr tensor, Expr index, int lanes = 1);
Expr Ramp(Expr base, int lanes);
Expr Broadcast(Expr scalar, int lanes);
Expr Call(std::string name, std::vector<Expr> args, std::vector<Attr> attrs = {});
Expr TileOperation(TileOpInfo info, std::vector<Expr> operands, std::vector<Attr> attrs = {});

inline Expr operator+(Expr a, Expr b) { return Binary(Op::kAdd, std::move(a), std::move(b)); }
inline Expr operator-(Expr a, Expr b) { return Binary(Op::kSub, std::move(a), std::move(b)); }
inline Expr operator*(Expr a, Expr b) { return Binary(Op::kMul, std::move(a), std::move(b)); }
inline Expr FloorDiv(Expr a, Expr b) { return Binary(Op::kDiv, std::move(a), std::move(b)); }
inline Expr Mod(Expr a, Expr b) { return Binary(Op::kMod, std::move(a), std::move(b)); }
inline Expr CeilDiv(Expr a, Expr b) { return Binary(Op::kCeilDiv, std::move(a), std::move(b)); }
inline Expr Min(Expr a, Expr b) { return Binary(Op::kMin, std::move(a), std::move(b)); }
inline Expr Max(Expr a, Expr b) { return Binary(Op::kMax, std::move(a), std::move(b)); }
inline Expr Lt(Expr a, Expr b) { return Binary(Op::kLt, std::move(a), std::move(b)); }
inline Expr And(Expr a, Expr b) { return Binary(Op::kAnd, std::move(a), std::move(b)); }

// `node` with other arguments, keeping everything else, its type and place included; likewise the other two. A node
// that is moved in and that nobody else has is not copied.
Expr WithArgs(Expr node, std::vector<Expr> args);
Expr WithType(Expr node, Type type);
Expr At(Expr node, Location at);

// Same kind, operator, names, literals and arguments. Types and places are not compared.
bool Equal(const Expr& a, const Expr& b);
bool Equal(const Type& a, const Type& b);

// True and the value when `e` is an integer literal.
bool IsConst(const Expr& e, int64_t* value = nullptr);
bool IsConst(const Expr& e, int64_t expected);

// The value of a named argument, or null.
Expr FindAttr(const Node& node, std::string_view name);

}  // namespace kiln

#endif  // KILN_COMPILER_EXPR_EXPR_H_
