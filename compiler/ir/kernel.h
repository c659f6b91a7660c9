// Statements, kernels and modules: what `.kiln` text and the wire form spell, what every compiler stage takes and
// gives.
//
// One IR carries a kernel from tiles to instructions: before `lower`, bodies hold tile operations, views and loops;
// after it, loops, address arithmetic, kLoad/kStore and intrinsic calls. Both forms print, parse, encode, verify and
// run in the interpreter.
//
// Values are immutable once built (Stmt is a shared pointer to const); Kernel and Module are plain structs that a stage
// copies and changes. Thread-compatible.
#ifndef KILN_COMPILER_IR_KERNEL_H_
#define KILN_COMPILER_IR_KERNEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/expr.h"
#include "kiln/internal/dtype.h"

namespace kiln::ir {

struct StmtNode;
using Stmt = std::shared_ptr<const StmtNode>;
using Block = std::vector<Stmt>;

enum class Space : uint8_t {
  kNone = 0,
  kGlobal = 1,
  kShared = 2,     // `shared`, static
  kSharedDyn = 3,  // `shared.dyn`, one arena a kernel
  kLocal = 4,      // `local`, registers, spread over the owner team's threads by the layout
  kTmem = 5,
  kSbuf = 6,
  kPsum = 7,
};

// A tensor made by `alloc` in a body.
struct TensorDecl {
  std::string name;
  DTypeRef dtype;
  std::vector<Expr> shape;  // The domain.
  Space space = Space::kLocal;
  Team owner = Team::kNone;     // `alloc warp.x`: whose registers; kNone = the enclosing unit (the CTA).
  std::string layout;           // Canonical text (layout::Parse reads it); empty = left out, decided by infer.
  std::vector<int64_t> padded;  // The padded shape the layout admits; empty = the domain itself.
  int64_t align = 0;            // Bytes; 0 = the dtype's own, or what the layout needs.
  int64_t offset = -1;          // Native: byte offset in the shared arena, or in CPU scratch; -1 = not placed.
};

enum class StmtKind : uint8_t {
  kLet = 1,  // name = value; immutable. Of a subscript of a global or shared tensor: a view. Of a local tile: a copy.
  kMutable,  // `var name: dtype = value`, a mutable scalar
  kAlloc,    // tensor, optional value (initial fill or map)
  kAssign,   // target = value: a mutable scalar, a whole tile, a subscript (slice: tile assignment; element: a store)
  kEval,     // value: a tile operation, an intrinsic call or an inline call, for its effect
  kFor,      // name, begin, end, step, loop, stages, body
  kWhile,    // value, body
  kIf,       // value, body, orelse
  kAssume,   // value
  kAssert,   // value, text
  kReturn,   // optional value (of an inline function)
  kBreak,
  kContinue,
  kStore,    // native: target = tensor Var, begin = flat element index, value (lanes as the value's type says)
  kComment,  // native: text; printed before what it describes
  kRing,  // name, stages: the number of slots, across_cluster, readers; body: an alloc a field. In no space: a part of
          // one slot; in shared memory, as specialized: of all slots, which its first dimension counts
  kRole,  // name, members, value: registers a thread (null = as launched), body. Specialized into a branch
  kSchedule,  // name, extents, order, value: of kGrouped, the rows of a group. Specialized away
  kTiles,     // name: a schedule; names: an index a dimension; body. Specialized into a loop
};

// In which order a schedule gives its tiles.
enum class TileOrder : uint8_t {
  kRow = 0,     // The last index fastest
  kColumn,      // The first index fastest
  kGrouped,     // Two dimensions: groups of rows, each by columns
  kSerpentine,  // Two dimensions: by rows, every other one backwards
};

enum class LoopKind : uint8_t { kSerial = 0, kUnroll, kVectorized, kPipelined };

struct StmtNode {
  StmtKind kind = StmtKind::kEval;
  std::string name;
  DTypeRef dtype;     // kMutable; kLet when written
  TensorDecl tensor;  // kAlloc
  Expr target;
  Expr value;
  Expr begin, end, step;  // kFor; step null = 1
  LoopKind loop = LoopKind::kSerial;
  Expr stages;  // kPipelined
  Block body;
  Block orelse;
  std::string text;

  std::vector<std::string> names;  // kTiles
  std::vector<Expr> extents;       // kSchedule
  TileOrder order = TileOrder::kRow;
  std::vector<int64_t> members;  // kRole: warpgroups, consecutive
  bool across_cluster = false;   // kRing: a slot is free once every CTA of the cluster has released it
  int64_t readers = 0;           // kRing: threads that release a slot; 0 = all of the CTA
  Location at;
};

Stmt MakeStmt(StmtNode node);
Stmt Let(std::string name, Expr value);
Stmt Mutable(std::string name, DType dtype, Expr value);
Stmt Alloc(TensorDecl tensor, Expr init = nullptr);
Stmt Assign(Expr target, Expr value);
Stmt Eval(Expr value);
Stmt For(std::string name, Expr begin, Expr end, Block body, LoopKind loop = LoopKind::kSerial, Expr step = nullptr);
Stmt If(Expr condition, Block then, Block orelse = {});
Stmt Store(Expr tensor, Expr index, Expr value);
Stmt Assume(Expr condition);
Stmt Comment(std::string text);

// `T: dtype(f16, bf16)`, `BM: tune(64, 128)`, `BK = 64`, `D: int`.
struct MetaParam {
  enum class Kind : uint8_t { kInt = 1, kDType = 2, kLayout = 3 };
  std::string name;
  Kind kind = Kind::kInt;
  std::vector<DType> dtypes;        // kDType: the allowed ones; empty = any
  std::vector<int64_t> candidates;  // kInt with `tune(...)`: the domain, in the order written; the first is no default
  Expr default_value;               // Of kInt or kLayout; may be null
  Location at;
};

enum class Direction : uint8_t { kIn = 0, kOut = 1, kInOut = 2 };

struct Param {
  std::string name;
  bool is_tensor = true;
  DTypeRef dtype;
  std::vector<Expr> shape;  // i64 expressions over symbols and meta-parameters; a bare name introduces a symbol
  Direction direction = Direction::kIn;
  Location at;
};

// What a kernel wants to know about a symbol at compile time.
struct SymbolPolicy {
  enum class Kind : uint8_t { kDynamic = 0, kStatic = 1, kBucket = 2, kMultipleOf = 3 };
  std::string name;
  Kind kind = Kind::kDynamic;
  std::vector<int64_t> values;  // kBucket: ascending limits; kMultipleOf: one divisor
  bool tuned_pow2 = false;      // `tuned(pow2)`: groups values for choosing a configuration, adds no fact
  Location at;
};

struct Launch {
  bool persistent = false;
  std::vector<Expr> grid;     // 1 to 3
  Expr block;                 // threads of a CTA; null = the compiler's choice
  std::vector<Expr> cluster;  // empty = none
};

// What `specialize` learned; null strides and unit divisors mean nothing is known.
struct SymbolFact {
  std::string name;
  int64_t min = 0;
  int64_t max = INT32_MAX;
  int64_t divisor = 1;
};
struct TensorFact {
  std::string param;
  std::vector<Expr>
      strides;        // In elements, one a dimension: literals, products of symbols, or a Var named `param.strideI`
  int64_t align = 1;  // Bytes, of the base address
};

// One argument of the native function, in ABI order.
struct NativeParam {
  enum class Kind : uint8_t { kPointer = 1, kSymbol = 2, kScalar = 3, kTensorMap = 4 };
  Kind kind = Kind::kPointer;
  std::string name;  // Of the parameter, the symbol, the stride variable or the map
  DType dtype = DType::kNone;

  // kTensorMap: how the copy engine sees a global tensor.
  std::string tensor;        // The parameter; the map has its dimensions, extents and strides
  std::vector<int64_t> box;  // Elements of one copy, by dimension, outermost first
  int swizzle = 0;           // Bytes of a shared row whose 16-byte chunks are XORed: 0, 32, 64 or 128
};

struct Kernel {
  std::string name;
  std::vector<MetaParam> metas;
  std::vector<Param> params;
  std::vector<SymbolPolicy> symbols;
  std::vector<Expr> required;        // `requires`
  std::vector<std::string> targets;  // `target sm_90a`; empty = portable
  Launch launch;
  Block body;
  Location at;

  // After specialize.
  bool specialized = false;
  std::vector<SymbolFact> symbol_facts;  // By name
  std::vector<TensorFact> tensor_facts;  // In parameter order, tensors only

  // After lower.
  bool native = false;
  std::vector<NativeParam> native_params;
  int64_t shared_bytes = 0;   // Of the dynamic arena
  int64_t scratch_bytes = 0;  // CPU: bytes a worker gives for locals and shared tensors, 64-byte aligned
};

// `inline name(s: f32[R, C] in local, c: f32) -> f32[R] in local { ... }`: by reference, extents bound at the call.
struct InlineParam {
  std::string name;
  bool is_tile = false;
  DTypeRef dtype;
  std::vector<Expr> shape;
  Space space = Space::kNone;
};
struct Inline {
  std::string name;
  std::vector<InlineParam> params;
  bool returns = false;
  InlineParam result;  // Nameless
  Block body;
  Location at;
};

// `op matmul { gemm_sm90 when target sm_90a and M >= 128, gemm generic }`
struct OpMember {
  std::string kernel;
  std::vector<std::string> targets;  // Any of; empty = every target
  Expr when;                         // Over symbols; null = always
  bool generic = false;
  Location at;
};
struct OpDecl {
  std::string name;
  std::vector<OpMember> members;
  Location at;
};

struct Module {
  std::vector<Inline> inlines;
  std::vector<Kernel> kernels;
  std::vector<OpDecl> ops;
};

const Kernel* FindKernel(const Module& module, std::string_view name);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_KERNEL_H_
