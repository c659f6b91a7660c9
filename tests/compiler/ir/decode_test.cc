#include "compiler/ir/decode.h"

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "compiler/ir/encode.h"
#include "compiler/ir/kiln_ir.pb.h"
#include "compiler/ir/limits.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::ir {
namespace {

using ::testing::HasSubstr;
using wire::Node;
using wire::Stmt;

// Small, with one of each thing that the cases below break.
constexpr std::string_view kText = R"(
inline f(s: f32[R] in local, c: f32) -> f32 { return c }
kernel k<T: dtype(f16), B: tune(1, 2), L: layout>(x: tensor<T>[M], y: out tensor<T>[M], s: f32)
  where M: dynamic, B: bucket(4)
  requires M > 1
  target sm_80
  launch grid(M) block(32)
  given M in 0 ..= 9, x align 16 strides (1)
  native(x: pointer<f16>, M: symbol<i64>) shared 64
{
  alloc t: T[B] in shared padded [4] align 16
  let a: f32 = f(t, 1.0)
  var n: i32 = 0
  for i in 0 .. 4 { t = x[0 +: B] }
  if n > 0 { cta.sync() } else { n = 1 }
  store(y, 0, load(x, 0, 4))
  assert n > 0, "positive"
  return
}
op o { k when target sm_80 and M > 4, k generic }
)";
// Statement numbers of the kernel above, as Decode counts: the function's return is 0.
constexpr int kAlloc = 0, kLet = 1, kVar = 2, kFor = 3, kIf = 4, kStore = 5, kAssert = 6, kReturn = 7;

wire::Module Good(bool positions = false) {
  wire::Module wire;
  auto module = Parse(kText, "good.kiln");
  EXPECT_TRUE(module.ok()) << module.status().message();
  EXPECT_TRUE(wire.ParseFromString(Encode(*module, {.positions = positions})));
  return wire;
}

std::string Error(const wire::Module& wire) {
  auto module = Decode(wire.SerializeAsString());
  return module.ok() ? "none" : std::string(module.status().message());
}

// Appends a node and gives its index.
uint32_t Add(wire::Module& m, const std::function<void(Node&)>& fill) {
  fill(*m.add_nodes());
  return static_cast<uint32_t>(m.nodes_size()) - 1;
}
uint32_t AddInt(wire::Module& m, int64_t value = 7) {
  return Add(m, [&](Node& n) {
    n.set_kind(1);
    n.set_int_value(value);
  });
}
Stmt& At(wire::Module& m, int statement) { return *m.mutable_kernels(0)->mutable_body(statement); }

struct Case {
  std::string name;
  std::function<void(wire::Module&)> breaks;
  std::string error;  // Without "decode: "; {n} stands for the index of the first node that the case adds
};

std::vector<Case> NodeCases() {
  auto node = [](std::function<void(Node&)> fill) { return [fill](wire::Module& m) { Add(m, fill); }; };
  auto kind = [&](uint32_t k) { return node([k](Node& n) { n.set_kind(k); }); };
  auto over_int = [](std::function<void(Node&, uint32_t)> fill) {
    return [fill](wire::Module& m) {
      uint32_t i = AddInt(m);
      Add(m, [&](Node& n) { fill(n, i); });
    };
  };
  return {
      {"no kind", kind(0), "node {n}: unknown kind 0"},
      {"future kind", kind(200), "node {n}: unknown kind 200"},
      {"unused", kind(1), "node {n}: is used by nothing"},
      {"field of another kind", node([](Node& n) { n.set_kind(1), n.set_name("x"); }),
       "node {n} (int): has no field 'name'"},
      {"operator of a variable", node([](Node& n) { n.set_kind(4), n.set_name("x"), n.set_op(1); }),
       "node {n} (var): has no field 'op'"},
      {"tile of a call", node([](Node& n) { n.set_kind(20), n.set_name("f"), n.mutable_tile(); }),
       "node {n} (call): has no field 'tile'"},
      {"too few arguments", kind(6), "node {n} (binary): expected 2 arguments, found 0"},
      {"too many arguments", over_int([](Node& n, uint32_t i) { n.set_kind(5), n.add_args(i), n.add_args(i); }),
       "node {n+1} (unary): expected 1 arguments, found 2"},
      {"subscript of nothing", kind(10), "node {n} (subscript): expected 1 to 4096 arguments, found 0"},
      {"itself as an argument",
       [](wire::Module& m) {
         uint32_t i = AddInt(m);
         Add(m, [&](Node& n) { n.set_kind(5), n.set_op(1), n.add_args(i + 1); });
       },
       "node {n+1} (unary): argument {n+1} is not an earlier node"},
      {"argument past the table", node([](Node& n) { n.set_kind(5), n.set_op(1), n.add_args(4000000000); }),
       "node {n} (unary): argument 4000000000 is not an earlier node"},
      {"no operator", over_int([](Node& n, uint32_t i) { n.set_kind(5), n.add_args(i); }),
       "node {n+1} (unary): unknown operator 0"},
      {"binary operator of one", over_int([](Node& n, uint32_t i) { n.set_kind(5), n.set_op(16), n.add_args(i); }),
       "node {n+1} (unary): unknown operator 16"},
      {"operator over a byte", over_int([](Node& n, uint32_t i) { n.set_kind(5), n.set_op(257), n.add_args(i); }),
       "node {n+1} (unary): unknown operator 257"},
      {"unknown function", over_int([](Node& n, uint32_t i) { n.set_kind(9), n.set_op(99), n.add_args(i); }),
       "node {n+1} (math): unknown operator 99"},
      {"fma of one", over_int([](Node& n, uint32_t i) { n.set_kind(9), n.set_op(78), n.add_args(i); }),
       "node {n+1} (math): fma takes 3 arguments, found 1"},
      {"unknown dtype", node([](Node& n) { n.set_kind(1), n.mutable_dtype()->set_dtype(77); }),
       "node {n} (int): unknown dtype 77"},
      {"float integer", node([](Node& n) { n.set_kind(1), n.mutable_dtype()->set_dtype(13); }),
       "node {n} (int): expected an integer dtype, found f32"},
      {"integer float", node([](Node& n) { n.set_kind(2), n.mutable_dtype()->set_dtype(4); }),
       "node {n} (float): expected a float dtype, found i32"},
      {"literal of a parameter", node([](Node& n) { n.set_kind(1), n.mutable_dtype()->set_param("T"); }),
       "node {n} (int): a literal's dtype cannot be a parameter"},
      {"NaN with a payload", node([](Node& n) { n.set_kind(2), n.set_float_bits(0x7ff8000000000001); }),
       "node {n} (float): a NaN with a payload or a sign"},
      {"boolean of two", node([](Node& n) { n.set_kind(3), n.set_int_value(2); }),
       "node {n} (bool): expected a value of 0 to 1, found 2"},
      {"variable without a name", kind(4), "node {n} (var): expected a name, found ''"},
      {"variable with a blank", node([](Node& n) { n.set_kind(4), n.set_name("a b"); }),
       "node {n} (var): expected a name, found 'a b'"},
      {"variable with a control character", node([](Node& n) { n.set_kind(4), n.set_name("a\n"); }),
       "node {n} (var): expected a name, found 'a\\n'"},
      {"variable that ends in a point", node([](Node& n) { n.set_kind(4), n.set_name("a."); }),
       "node {n} (var): expected a name, found 'a.'"},
      {"variable with a reserved name", node([](Node& n) { n.set_kind(4), n.set_name("kernel"); }),
       "node {n} (var): expected a name, found 'kernel'"},
      {"variable with a long name", node([](Node& n) { n.set_kind(4), n.set_name(std::string(200, 'a')); }),
       "node {n} (var): expected a name, found '" + std::string(40, 'a') + "...'"},
      {"cast to nothing", over_int([](Node& n, uint32_t i) { n.set_kind(8), n.add_args(i); }),
       "node {n+1} (cast): expected a dtype, found none"},
      {"cast to two", over_int([](Node& n, uint32_t i) {
         n.set_kind(8), n.add_args(i), n.mutable_dtype()->set_dtype(4), n.mutable_dtype()->set_param("T");
       }),
       "node {n+1} (cast): both a dtype and a dtype parameter"},
      {"slice outside of a subscript",
       [](wire::Module& m) {
         uint32_t i = AddInt(m);
         uint32_t s = Add(m, [&](Node& n) { n.set_kind(11), n.add_args(i), n.add_args(i); });
         Add(m, [&](Node& n) { n.set_kind(5), n.set_op(1), n.add_args(s); });
       },
       "node {n+2} (unary): argument {n+1} is a slice outside of a subscript"},
      {"subscript of a new axis",
       [](wire::Module& m) {
         uint32_t s = Add(m, [](Node& n) { n.set_kind(13); });
         Add(m, [&](Node& n) { n.set_kind(10), n.add_args(s); });
       },
       "node {n+1} (subscript): argument {n} is a new axis outside of a subscript"},
      {"negative axis", over_int([](Node& n, uint32_t i) { n.set_kind(17), n.add_args(i), n.set_int_value(-1); }),
       "node {n+1} (index): expected an axis of 0 to 2147483647, found -1"},
      {"ramp without lanes", over_int([](Node& n, uint32_t i) { n.set_kind(22), n.add_args(i); }),
       "node {n+1} (ramp): expected lanes of 1 to 4096, found 0"},
      {"load from a number",
       over_int([](Node& n, uint32_t i) { n.set_kind(21), n.add_args(i), n.add_args(i), n.set_int_value(1); }),
       "node {n+1} (load): expected a tensor's name to load from"},
      {"unknown tile operation",
       node([](Node& n) { n.set_kind(19), n.mutable_tile()->set_op(30), n.mutable_tile()->set_team(1); }),
       "node {n} (tile operation): unknown tile operation 30"},
      {"unknown team",
       node([](Node& n) { n.set_kind(19), n.mutable_tile()->set_op(64), n.mutable_tile()->set_team(6); }),
       "node {n} (tile operation): unknown team 6"},
      {"no team", node([](Node& n) { n.set_kind(19), n.mutable_tile()->set_op(64); }),
       "node {n} (tile operation): unknown team 0"},
      {"settings without a via", over_int([](Node& n, uint32_t i) {
         n.set_kind(19), n.mutable_tile()->set_op(64), n.mutable_tile()->set_team(1);
         auto* a = n.mutable_tile()->add_via_config();
         a->set_name("w"), a->set_value(i);
       }),
       "node {n+1} (tile operation): settings without a 'via'"},
      {"argument without a name",
       over_int([](Node& n, uint32_t i) { n.set_kind(20), n.set_name("f"), n.add_attrs()->set_value(i); }),
       "node {n+1} (call): expected an argument's name, found ''"},
      {"argument given twice", over_int([](Node& n, uint32_t i) {
         n.set_kind(20), n.set_name("f");
         for (int k = 0; k < 2; ++k) {
           auto* a = n.add_attrs();
           a->set_name("w"), a->set_value(i);
         }
       }),
       "node {n+1} (call): argument 'w' is given twice"},
      {"call of a function with a node of its own", node([](Node& n) { n.set_kind(20), n.set_name("select"); }),
       "node {n} (call): 'select' is a function with a node of its own"},
  };
}

std::vector<Case> StatementCases() {
  auto statement = [](int number, std::function<void(Stmt&)> change) {
    return [number, change](wire::Module& m) { change(At(m, number)); };
  };
  return {
      {"no kind", statement(kLet, [](Stmt& s) { s.set_kind(0); }), "kernel 'k': statement 2: unknown kind 0"},
      {"comment", statement(kLet, [](Stmt& s) { s.set_kind(15); }), "kernel 'k': statement 2: unknown kind 15"},
      {"let without a value", statement(kLet, [](Stmt& s) { s.set_value(0); }),
       "kernel 'k': statement 2 (let): expected a field 'value', found none"},
      {"let with a body", statement(kLet, [](Stmt& s) { s.add_body(); }),
       "kernel 'k': statement 2 (let): has no field 'body'"},
      {"let with a bad name", statement(kLet, [](Stmt& s) { s.set_name("1a"); }),
       "kernel 'k': statement 2 (let): expected a name, found '1a'"},
      {"node past the table", statement(kLet, [](Stmt& s) { s.set_value(5000); }),
       "kernel 'k': statement 2 (let): node 4999 is not in the table of 21"},
      {"var without a dtype", statement(kVar, [](Stmt& s) { s.clear_dtype(); }),
       "kernel 'k': statement 3 (var): expected a field 'dtype', found none"},
      {"alloc without a tensor", statement(kAlloc, [](Stmt& s) { s.clear_tensor(); }),
       "kernel 'k': statement 1 (alloc): expected a field 'tensor', found none"},
      {"alloc in no space", statement(kAlloc, [](Stmt& s) { s.mutable_tensor()->set_space(0); }),
       "kernel 'k': statement 1 (alloc): unknown memory space 0"},
      {"alloc in an unknown space", statement(kAlloc, [](Stmt& s) { s.mutable_tensor()->set_space(8); }),
       "kernel 'k': statement 1 (alloc): unknown memory space 8"},
      {"alloc of an unknown team", statement(kAlloc, [](Stmt& s) { s.mutable_tensor()->set_owner(9); }),
       "kernel 'k': statement 1 (alloc): unknown team 9"},
      {"alloc of no dtype", statement(kAlloc, [](Stmt& s) { s.mutable_tensor()->clear_dtype(); }),
       "kernel 'k': statement 1 (alloc): expected a dtype, found none"},
      {"alloc at a negative offset", statement(kAlloc, [](Stmt& s) { s.mutable_tensor()->set_offset(-1); }),
       "kernel 'k': statement 1 (alloc): negative offset -1"},
      {"alloc with a long layout",
       statement(kAlloc, [](Stmt& s) { s.mutable_tensor()->set_layout(std::string(5000, 'S')); }),
       "kernel 'k': statement 1 (alloc): expected at most 4096 bytes of layout, found 5000"},
      {"alloc with a broken layout", statement(kAlloc, [](Stmt& s) { s.mutable_tensor()->set_layout("S[8:"); }),
       "kernel 'k': statement 1 (alloc): 'S[8:': layout: parse: column 5: expected an integer, a symbol or '(', found "
       "the end of the text"},
      {"alloc of many dimensions",
       statement(kAlloc,
                 [](Stmt& s) {
                   for (int i = 0; i < 16; ++i) s.mutable_tensor()->add_shape(0);
                 }),
       "kernel 'k': statement 1 (alloc): expected at most 16 dimensions, found 17"},
      {"unknown loop", statement(kFor, [](Stmt& s) { s.set_loop(4); }),
       "kernel 'k': statement 4 (for): unknown loop 4"},
      {"assignment to a number", [](wire::Module& m) { At(m, kFor).mutable_body(0)->set_target(AddInt(m) + 1); },
       "kernel 'k': statement 5 (assign): expected a variable or a subscript to assign to"},
      {"call of a number", [](wire::Module& m) { At(m, kIf).mutable_body(0)->set_value(AddInt(m) + 1); },
       "kernel 'k': statement 7 (call): expected a tile operation or a call"},
      {"store to a number", [](wire::Module& m) { At(m, kStore).set_target(AddInt(m) + 1); },
       "kernel 'k': statement 9 (store): expected a tensor's name to store to"},
      {"long message", statement(kAssert, [](Stmt& s) { s.set_text(std::string(5000, 'x')); }),
       "kernel 'k': statement 10 (assert): expected at most 4096 bytes of message, found 5000"},
      {"return with an else", statement(kReturn, [](Stmt& s) { s.add_orelse(); }),
       "kernel 'k': statement 11 (return): has no field 'orelse'"},
      {"deep blocks",
       [](wire::Module& m) {
         Stmt outer = At(m, kFor);
         for (int i = 0; i < 20; ++i) {
           Stmt again = At(m, kFor);
           *again.mutable_body(0) = outer;
           outer = again;
         }
         for (int i = 0; i < 64; ++i) {
           Stmt again = At(m, kFor);
           again.clear_body();
           *again.add_body() = outer;
           outer = again;
         }
         At(m, kFor) = outer;
       },
       "kernel 'k': statement 67 (for): blocks nested more than 64 deep"},
  };
}

std::vector<Case> DeclarationCases() {
  auto kernel = [](std::function<void(wire::Kernel&)> change) {
    return [change](wire::Module& m) { change(*m.mutable_kernels(0)); };
  };
  auto op = [](std::function<void(wire::Member&)> change) {
    return [change](wire::Module& m) { change(*m.mutable_ops(0)->mutable_members(1)); };
  };
  return {
      {"kernel without a name", kernel([](wire::Kernel& k) { k.clear_name(); }),
       "kernel '': expected a name, found ''"},
      {"kernel with a keyword", kernel([](wire::Kernel& k) { k.set_name("for"); }),
       "kernel 'for': expected a name, found 'for'"},
      {"bad target", kernel([](wire::Kernel& k) { k.add_targets("sm 90"); }),
       "kernel 'k': expected a name, found 'sm 90'"},
      {"unknown meta-parameter", kernel([](wire::Kernel& k) { k.mutable_metas(0)->set_kind(4); }),
       "kernel 'k': meta-parameter 'T': unknown kind 4"},
      {"dtypes of an integer", kernel([](wire::Kernel& k) { k.mutable_metas(1)->add_dtypes(4); }),
       "kernel 'k': meta-parameter 'B': only a dtype parameter lists dtypes"},
      {"candidates of a dtype", kernel([](wire::Kernel& k) { k.mutable_metas(0)->add_candidates(4); }),
       "kernel 'k': meta-parameter 'T': only an integer has candidates or a default"},
      {"unknown dtype listed", kernel([](wire::Kernel& k) { k.mutable_metas(0)->add_dtypes(0); }),
       "kernel 'k': meta-parameter 'T': unknown dtype 0"},
      {"unknown direction", kernel([](wire::Kernel& k) { k.mutable_params(0)->set_direction(3); }),
       "kernel 'k': parameter 'x': unknown direction 3"},
      {"scalar with a direction", kernel([](wire::Kernel& k) { k.mutable_params(2)->set_direction(1); }),
       "kernel 'k': parameter 's': a scalar has no shape and cannot be written"},
      {"parameter without a dtype", kernel([](wire::Kernel& k) { k.mutable_params(0)->clear_dtype(); }),
       "kernel 'k': parameter 'x': expected a dtype, found none"},
      {"unknown policy", kernel([](wire::Kernel& k) { k.mutable_symbols(0)->set_kind(4); }),
       "kernel 'k': policy of 'M': unknown kind 4"},
      {"dynamic with a value", kernel([](wire::Kernel& k) { k.mutable_symbols(0)->add_values(4); }),
       "kernel 'k': policy of 'M': expected 0 values, found 1"},
      {"multiple of nothing", kernel([](wire::Kernel& k) { k.mutable_symbols(0)->set_kind(3); }),
       "kernel 'k': policy of 'M': expected 1 values, found 0"},
      {"grid of four", kernel([](wire::Kernel& k) {
         for (int i = 0; i < 3; ++i) k.mutable_launch()->add_grid(0);
       }),
       "kernel 'k': launch: expected at most 3 grid extents, found 4"},
      {"persistent with a grid", kernel([](wire::Kernel& k) { k.mutable_launch()->set_persistent(true); }),
       "kernel 'k': launch: both persistent and a grid"},
      {"block without a grid", kernel([](wire::Kernel& k) { k.mutable_launch()->clear_grid(); }),
       "kernel 'k': launch: expected a grid, found none"},
      {"facts without specialization", kernel([](wire::Kernel& k) { k.set_specialized(false); }),
       "kernel 'k': facts of a kernel that is not specialized"},
      {"native sizes without native", kernel([](wire::Kernel& k) { k.set_native(false); }),
       "kernel 'k': native parameters or sizes of a kernel that is not native"},
      {"unknown native parameter", kernel([](wire::Kernel& k) { k.mutable_native_params(0)->set_kind(0); }),
       "kernel 'k': native parameter 'x': unknown kind 0"},
      {"inline without its result", [](wire::Module& m) { m.mutable_inlines(0)->clear_result(); },
       "inline 'f': a result without 'returns', or none with it"},
      {"inline named like a function", [](wire::Module& m) { m.mutable_inlines(0)->set_name("max"); },
       "inline 'max': is the name of a builtin function"},
      {"inline tile without a space", [](wire::Module& m) { m.mutable_inlines(0)->mutable_params(0)->set_space(0); },
       "inline 'f': parameter 's': expected a memory space, found none"},
      {"inline scalar in a space", [](wire::Module& m) { m.mutable_inlines(0)->mutable_params(1)->set_space(1); },
       "inline 'f': parameter 'c': a scalar has no shape and no memory space"},
      {"result with a name", [](wire::Module& m) { m.mutable_inlines(0)->mutable_result()->set_name("r"); },
       "inline 'f': result: has no name, found 'r'"},
      {"generic with a condition", op([](wire::Member& o) { o.set_when(1); }),
       "op 'o': member 'k': the generic member has no condition"},
      {"member without a name", op([](wire::Member& o) { o.clear_kernel(); }),
       "op 'o': member '': expected a name, found ''"},
  };
}

std::string Expected(std::string error, int nodes) {
  for (int offset : {0, 1, 2}) {
    const std::string mark = offset == 0 ? "{n}" : "{n+" + std::to_string(offset) + "}";
    for (size_t at; (at = error.find(mark)) != std::string::npos;) {
      error.replace(at, mark.size(), std::to_string(nodes + offset));
    }
  }
  return "decode: " + error;
}

TEST(Decode, MalformedMessages) {
  const wire::Module good = Good();
  EXPECT_EQ(Error(good), "none");
  size_t count = 0;
  for (const auto& cases : {NodeCases(), StatementCases(), DeclarationCases()})
    for (const Case& c : cases) {
      wire::Module wire = good;
      c.breaks(wire);
      EXPECT_EQ(Error(wire), Expected(c.error, good.nodes_size())) << c.name;
      ++count;
    }
  EXPECT_GE(count, 60u);
}

TEST(Decode, BytesThatAreNoModule) {
  auto error = [](std::string_view bytes) { return std::string(Decode(bytes).status().message()); };
  const std::string good = Good().SerializeAsString();
  EXPECT_EQ(error(""), "decode: expected a Kiln module, found 0 bytes that do not begin like one");
  EXPECT_EQ(error("kernel k() { }"), "decode: expected a Kiln module, found 14 bytes that do not begin like one");
  EXPECT_EQ(error(good.substr(0, 6)), "decode: module cut off in its version");
  EXPECT_EQ(error(good.substr(0, 100)), "decode: module of 100 bytes is damaged: not well-formed protobuf");
  EXPECT_EQ(error(good + "\x7f"),
            "decode: module of " + std::to_string(good.size() + 1) + " bytes is damaged: not well-formed protobuf");
  EXPECT_EQ(error(std::string(kMaxWireBytes + 1, 'x')), "decode: module of 4194305 bytes: expected at most 4194304");
}

TEST(Decode, VersionsThatItDoesNotKnow) {
  wire::Module wire = Good();
  wire.set_version(kWireVersion + 1);
  EXPECT_EQ(Error(wire), "decode: module of version 2: this Kiln reads versions up to 1; a newer one is needed");
  // Also when nothing behind the version can be read.
  EXPECT_EQ(Decode(std::string_view("\x0dKILN\x10\x07\xff\xff", 9)).status().message(),
            "decode: module of version 7: this Kiln reads versions up to 1; a newer one is needed");
  EXPECT_EQ(Decode(std::string_view("\x0dKILN\x10\x00", 7)).status().message(),
            "decode: module of version 0: no such version");
}

TEST(Decode, CountsAreBounded) {
  wire::Module wire = Good();
  for (int i = 0; i <= kMaxNodes; ++i) wire.add_nodes();
  EXPECT_EQ(Error(wire), "decode: expected at most 262144 nodes, found " + std::to_string(wire.nodes_size()));
  wire = Good();
  for (int i = 0; i < 5000; ++i) wire.add_ops();
  EXPECT_EQ(Error(wire), "decode: module: expected at most 4096 ops, found 5001");
  wire = Good();
  for (int i = 0; i <= kMaxStatements; ++i) At(wire, kFor).add_body()->set_kind(12);
  EXPECT_EQ(Error(wire), "decode: kernel 'k': statement 65536: expected at most 65536 statements");
}

// Forty nodes that stand for a trillion: sharing must not let a small module make every walk endless.
TEST(Decode, SharingIsBounded) {
  wire::Module wire = Good();
  uint32_t last = AddInt(wire);
  for (int i = 0; i < 40; ++i) {
    last = Add(wire, [&](Node& n) { n.set_kind(6), n.set_op(16), n.add_args(last), n.add_args(last); });
  }
  At(wire, kLet).set_value(last + 1);
  EXPECT_EQ(
      Error(wire),
      Expected("node " + std::to_string(Good().nodes_size() + 18) + " (binary): stands for more than 262144 nodes", 0));
  wire = Good();
  last = AddInt(wire);
  for (int i = 0; i < 16; ++i) {
    last = Add(wire, [&](Node& n) { n.set_kind(6), n.set_op(16), n.add_args(last), n.add_args(last); });
  }
  for (int i = 0; i < 3; ++i) *wire.mutable_kernels(0)->mutable_body()->Add() = At(wire, kLet);
  for (int i = 8; i < 11; ++i) At(wire, i).set_value(last + 1);
  EXPECT_EQ(Error(wire), "decode: kernel 'k': statement 13 (let): the module stands for more than 262144 nodes");
}

TEST(Decode, HeightIsBounded) {
  wire::Module wire = Good();
  uint32_t last = AddInt(wire);
  for (int i = 0; i < kMaxHeight; ++i) {
    last = Add(wire, [&](Node& n) { n.set_kind(5), n.set_op(1), n.add_args(last); });
  }
  At(wire, kLet).set_value(last + 1);
  EXPECT_EQ(Error(wire), "decode: node " + std::to_string(last) + " (unary): nested more than 256 deep");
}

TEST(Decode, SideTablesThatDoNotFit) {
  wire::Module wire = Good(/*positions=*/true);
  EXPECT_EQ(Error(wire), "none");
  const int places = wire.side().places_size();
  wire.mutable_side()->add_places(1);
  EXPECT_EQ(Error(wire), "decode: side table: expected two numbers for each place in the module, found " +
                             std::to_string(places + 1));
  wire.mutable_side()->add_places(1);
  EXPECT_EQ(Error(wire), "decode: side table: expected two numbers for each place in the module, found " +
                             std::to_string(places + 2));
  wire = Good(/*positions=*/true);
  wire.mutable_side()->set_places(0, -1);
  EXPECT_EQ(Error(wire), "decode: place 0: out of range");
  wire = Good();
  wire.mutable_side()->add_comments()->set_block(77);
  EXPECT_EQ(Error(wire), "decode: comment 0: its place (block 77, position 0) does not exist");
  wire.mutable_side()->mutable_comments(0)->set_block(0);
  wire.mutable_side()->mutable_comments(0)->set_text(std::string(5000, 'x'));
  EXPECT_EQ(Error(wire), "decode: comment: expected at most 4096 bytes, found 5000");
}

TEST(Encode, StoresEqualSubtreesOnce) {
  auto module = Parse("kernel k(n: i32) launch grid(1) {\n  let a = n + 1\n  let b = (n + 1) * (n + 1)\n}\n", "t");
  ASSERT_TRUE(module.ok());
  wire::Module wire;
  ASSERT_TRUE(wire.ParseFromString(Encode(*module)));
  EXPECT_EQ(wire.nodes_size(), 4);  // 1, n, n + 1 and the product
}

TEST(Encode, PlacesAndCommentsAreNotInDigestBytes) {
  auto a = Parse("kernel k() launch grid(1) { cta.sync() }", "t");
  auto b = Parse("// why\n\n\nkernel k()\n  launch grid(1)\n{\n  cta.sync()  // here\n}\n", "t");
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(Encode(*a, {.positions = false}), Encode(*b, {.positions = false}));
  EXPECT_NE(Encode(*a), Encode(*b));
  b->kernels[0].body.insert(b->kernels[0].body.begin(), Comment("cta.sync: barrier"));
  EXPECT_EQ(Encode(*a, {.positions = false}), Encode(*b, {.positions = false}));
  auto decoded = Decode(Encode(*b));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(Print(*decoded), "kernel k()\n  launch grid(1)\n{\n  // cta.sync: barrier\n  cta.sync()\n}\n");
}

// The wire form is a contract: these bytes stay readable, and the same text gives them.
TEST(Encode, TheFormOfVersionOne) {
  auto module = Parse("kernel k(x: out tensor<f32>[M]) launch grid(M) { x[0] = 1.0 }", "t");
  ASSERT_TRUE(module.ok());
  wire::Module wire;
  ASSERT_TRUE(wire.ParseFromString(Encode(*module, {.positions = false})));
  EXPECT_EQ(wire.magic(), 0x4e4c494bu);
  EXPECT_EQ(wire.version(), 1u);
  ASSERT_EQ(wire.nodes_size(), 5);
  EXPECT_EQ(wire.nodes(0).kind(), 4u);
  EXPECT_EQ(wire.nodes(0).name(), "M");
  EXPECT_EQ(wire.nodes(1).name(), "x");
  EXPECT_EQ(wire.nodes(2).kind(), 1u);
  EXPECT_EQ(wire.nodes(3).kind(), 10u);
  EXPECT_EQ(wire.nodes(4).float_bits(), 0x3ff0000000000000u);
  EXPECT_EQ(wire.kernels(0).params(0).dtype().dtype(), 13u);
  EXPECT_EQ(wire.kernels(0).params(0).direction(), 1u);
  EXPECT_EQ(wire.kernels(0).body(0).kind(), 4u);
  EXPECT_EQ(wire.kernels(0).body(0).target(), 4u);
  EXPECT_EQ(wire.kernels(0).body(0).value(), 5u);
}

}  // namespace
}  // namespace kiln::ir
