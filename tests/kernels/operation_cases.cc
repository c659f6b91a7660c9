#include "tests/kernels/operation_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/ir/parse.h"
#include "kiln/internal/status_macros.h"

namespace kiln::testing {
namespace {

using interp::Array;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> Count(int64_t n, double first = 0, double step = 1) {
  std::vector<double> out;
  for (int64_t i = 0; i < n; ++i) out.push_back(first + step * static_cast<double>(i));
  return out;
}

// 32 lanes hold 1..64, two consecutive values each.
OperationCase TeamSum(const std::string& team, bool first_lane) {
  OperationCase c;
  c.name = absl::StrCat(team, "_sum", first_lane ? "_in_lane_0" : "");
  const std::string store = absl::StrCat("a[lane_id] = ", team, ".sum(v)");
  c.text = absl::StrCat("kernel f(a: inout tensor<i32>[32]) launch grid(1) block(32) {\n",
                        "alloc warp.v: i32[64] in local layout S[(32,2):(1@laneid,1)]\nv = index(v, 0) + 1\n",
                        first_lane ? absl::StrCat("if lane_id == 0 { ", store, " }") : store, "\n}");
  c.args = {Array(DType::kI32, {32})};
  std::vector<double> expected = team == "thread" ? Count(32, 3, 4) : std::vector<double>(32, 2080);
  if (first_lane) {
    expected.assign(32, 0);
    expected[0] = 3;
  }
  c.expected[0] = std::move(expected);
  c.rules = {"cta.map: register", team == "thread" ? "thread.sum: thread" : "warp.sum: shuffle"};
  c.cpu = false;
  return c;
}

// q = 0..7 in tiles of 2 through shared memory, doubled on the way in, plus one on the way out; its loops stride by
// grid and block, so that any launch gives the same.
OperationCase Staging(int64_t blocks, int64_t threads) {
  OperationCase c;
  c.name = absl::StrCat("staging_", blocks, "x", threads);
  c.text = R"(kernel staging<BLOCKS: int, THREADS: int>(q: tensor<i32>[N], r: out tensor<i32>[N])
  launch grid(BLOCKS) block(THREADS)
{
  alloc s: i32[2] in shared
  for t in cta_id.x .. N / 2 step grid.x {
    for i in thread_id .. 2 step THREADS { s[i] = q[2 * t + i] * 2 }
    cta.sync()
    for j in thread_id .. 2 step THREADS { r[2 * t + j] = s[j] + 1 }
    cta.sync()
  }
})";
  c.bindings.ints = {{"BLOCKS", blocks}, {"THREADS", threads}};
  c.args = {Array(DType::kI32, {8}, Count(8)), Array(DType::kI32, {8})};
  c.expected[1] = Count(8, 1, 2);
  c.cpu = threads == 1;
  return c;
}

// The same data flow in tile operations.
OperationCase TileStaging() {
  OperationCase c;
  c.name = "tile_staging";
  c.text = R"(kernel staging(q: tensor<i32>[N], r: out tensor<i32>[N]) launch grid(4) block(32) {
  alloc s: i32[2] in shared
  for t in cta_id.x .. N / 2 step grid.x {
    cta.copy(s, q[2 * t +: 2] * 2)
    cta.copy(r[2 * t +: 2], s + 1)
  }
})";
  c.args = {Array(DType::kI32, {8}, Count(8)), Array(DType::kI32, {8})};
  c.expected[1] = Count(8, 1, 2);
  c.rules = {"cta.map: register", "cta.map: register"};
  return c;
}

// Two copies in flight, each a group of its own, waited for one after the other.
OperationCase CopyAsyncByHand() {
  OperationCase c;
  c.name = "copy_async_by_hand";
  c.text = R"(kernel f(x: tensor<f32>[256], y: out tensor<f32>[256]) launch grid(1) block(64) {
  alloc a: f32[128] in shared
  alloc b: f32[128] in shared
  cta.copy_async(a, x[0 +: 128])
  cta.copy_async(b, x[128 +: 128])
  cta.wait_copy(pending = 1)
  cta.copy(y[0 +: 128], a)
  cta.wait_copy(pending = 0)
  cta.copy(y[128 +: 128], b)
})";
  c.args = {Array(DType::kF32, {256}, Count(256)), Array(DType::kF32, {256})};
  c.expected[1] = Count(256);
  c.rules = {"cta.copy_async: cp_async", "cta.copy_async: cp_async", "cta.copy: vector", "cta.copy: vector"};
  return c;
}

// Beside a loop whose copies the compiler groups itself.
OperationCase CopyAsyncBesideALoop() {
  OperationCase c;
  c.name = "copy_async_beside_a_loop";
  c.text = R"(kernel f(x: tensor<f32>[320], y: out tensor<f32>[64]) launch grid(1) block(32) {
  alloc first: f32[64] in shared
  alloc sum: f32[64] in local = 0
  cta.copy_async(first, x[0 +: 64])
  for k in pipelined 64 .. 320 step 64 stages 3 {
    alloc t: f32[64] in shared
    cta.copy(t, x[k +: 64])
    sum = sum + t
  }
  cta.wait_copy(pending = 0)
  cta.copy(y, sum + first)
})";
  c.args = {Array(DType::kF32, {320}, Count(320)), Array(DType::kF32, {64})};
  c.expected[1] = Count(64, 5 * 128, 5);
  return c;
}

// Through shared memory into fragments and out again, what the layout says unchanged.
OperationCase LdMatrix(const std::string& name, DType dtype, std::vector<int64_t> shape, const std::string& layout,
                       int64_t threads = 32) {
  OperationCase c;
  c.name = absl::StrCat("ldmatrix_", name);
  const std::string type = absl::StrCat(std::string(Name(dtype)), "[", shape[0], ", ", shape[1], "]");
  const std::string tensor = absl::StrCat("tensor<", std::string(Name(dtype)), ">[", shape[0], ", ", shape[1], "]");
  c.text = absl::StrCat("kernel ldmatrix_", name, "(x: ", tensor, ", y: out ", tensor, ") launch grid(1) block(",
                        threads, ") {\n  alloc s: ", type, " in shared\n  alloc f: ", type, " in local layout ", layout,
                        "\n  cta.copy(s, x)\n  cta.copy(f, s)\n  f = f + f\n  cta.copy(y, f)\n}");
  const int64_t count = shape[0] * shape[1];
  c.args = {Array(dtype, shape, Count(count, 0, 0.125)), Array(dtype, shape)};
  // bf16 holds 8 bits of it.
  c.expected[1] = Array(dtype, shape, Count(count, 0, 0.125)).values();
  for (double& v : c.expected[1]) v *= 2;
  c.rules = {"cta.copy: vector", "cta.copy: ldmatrix", "cta.map: register", "cta.copy: vector"};
  c.cpu = false;
  return c;
}

OperationCase PermuteLayout() {
  OperationCase c;
  c.name = "permute_layout";
  c.text = R"(kernel permute(x: tensor<f32>[32, 4], y: out tensor<f32>[32, 4]) launch grid(1) block(32) {
  alloc a: f32[32, 4] in local layout S[(32,4):(1@laneid,1)]
  alloc b: f32[32, 4] in local layout S[(4,8,4):(1,4@laneid,1@laneid)]
  cta.copy(a, x)
  cta.permute_layout(b, a)
  b = b + index(b, 0) * 1000
  cta.copy(y, b)
})";
  c.args = {Array(DType::kF32, {32, 4}, Count(128)), Array(DType::kF32, {32, 4})};
  for (int i = 0; i < 128; ++i) c.expected[1].push_back(i + 1000 * (i / 4));
  c.rules = {"cta.copy: vector", "cta.permute_layout: shared", "cta.map: register", "cta.copy: vector"};
  return c;
}

OperationCase PermuteNothing() {
  OperationCase c;
  c.name = "permute_nothing";
  c.text = R"(kernel permute(x: tensor<i32>[64], y: out tensor<i32>[64]) launch grid(1) block(32) {
  alloc a: i32[64] in local
  alloc b: i32[64] in local
  cta.copy(a, x)
  cta.permute_layout(b, a)
  cta.copy(y, b)
})";
  c.args = {Array(DType::kI32, {64}, Count(64)), Array(DType::kI32, {64})};
  c.expected[1] = Count(64);
  c.rules = {"cta.copy: vector", "cta.permute_layout: register", "cta.copy: vector"};
  return c;
}

// Trailing dimensions that a subscript leaves out are whole; a view of a view as well.
OperationCase PartialSubscripts() {
  OperationCase c;
  c.name = "partial_subscripts";
  c.text = R"(kernel f(x: tensor<f32>[4, 3, 8], y: out tensor<f32>[4, 3, 8]) launch grid(4) block(32) {
  alloc staged: f32[2, 2, 3, 8] in shared
  let out = staged[cta_id.x / 2, cta_id.x % 2]
  cta.copy(out, x[cta_id.x])
  let row = out[1]
  cta.copy(y[cta_id.x, 0 +: 2], out[1 +: 2])
  cta.copy(y[cta_id.x, 2], row + out[0])
})";
  c.args = {Array(DType::kF32, {4, 3, 8}, Count(96)), Array(DType::kF32, {4, 3, 8})};
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 16; ++k) c.expected[1].push_back(24 * i + 8 + k);
    for (int k = 0; k < 8; ++k) c.expected[1].push_back(24 * i + 8 + k + 24 * i + k);
  }
  return c;
}

// Four CTAs join their rows; the value is converted first, and a number wins over a NaN.
OperationCase Atomic(const std::string& op, DType dtype, DType from, std::vector<double> expected) {
  OperationCase c;
  c.name = absl::StrCat("atomic_", op, "_", std::string(Name(dtype)), from == dtype ? "" : "_of_",
                        from == dtype ? "" : std::string(Name(from)));
  c.text = absl::StrCat("kernel f(x: tensor<", std::string(Name(from)), ">[4, 5], y: inout tensor<",
                        std::string(Name(dtype)), ">[5]) launch grid(4) block(32) {\n  cta.atomic_", op,
                        "(y, x[cta_id.x, :])\n}");
  const double gap = IsFloat(from) && IsFloat(dtype) ? kNan : 7;
  const std::vector<double> rows = {-3, 2, 9,  -8, gap,  //
                                    -1, 4, -7, -2, 5,    //
                                    -6, 0, 8,  -9, 6,    //
                                    -2, 3, 1,  -4, gap};
  c.args = {Array(from, {4, 5}, rows), Array(dtype, {5}, {-4, 1, 2, 3, 4})};
  c.expected[1] = std::move(expected);
  c.rules = {absl::StrCat("cta.atomic_", op, ": red")};
  return c;
}

// Rows of an index outside the table are dropped.
OperationCase Scatter(DType dtype, int64_t columns) {
  OperationCase c;
  c.name = absl::StrCat("scatter_", std::string(Name(dtype)), "_", columns);
  c.text = absl::StrCat("kernel f<N: int>(t: inout tensor<", std::string(Name(dtype)),
                        ">[5, N], i: tensor<i32>[R], x: tensor<f32>[R, N]) launch grid(ceildiv(R, 4)) block(32) {\n",
                        "  cta.scatter(t, i[cta_id.x * 4 +: 4], x[cta_id.x * 4 +: 4, :])\n}");
  c.bindings.ints = {{"N", columns}};
  c.args = {Array(dtype, {5, columns}, std::vector<double>(5 * columns, -1)),
            Array(DType::kI32, {6}, {3, -1, 0, 5, 4, 1}), Array(DType::kF32, {6, columns}, Count(6 * columns))};
  std::vector<double> expected(5 * columns, -1);
  for (auto [to, from] : {std::pair{3, 0}, {0, 2}, {4, 4}, {1, 5}})
    for (int64_t k = 0; k < columns; ++k) expected[to * columns + k] = static_cast<double>(from * columns + k);
  c.expected[0] = std::move(expected);
  c.rules = {"cta.scatter: vector"};
  return c;
}

std::vector<OperationCase> Make() {
  const char* of_a = "S[(2,8,2,4,2):(2,4@laneid,4,1@laneid,1)]";
  const char* across = "S[(2,4,2,2,8):(2,1@laneid,1,4,4@laneid)]";
  return {TeamSum("thread", false),
          TeamSum("warp", false),
          TeamSum("thread", true),
          Staging(4, 2),
          Staging(1, 1),
          TileStaging(),
          CopyAsyncByHand(),
          CopyAsyncBesideALoop(),
          LdMatrix("x4", DType::kF16, {16, 16}, of_a),
          LdMatrix("x4_trans", DType::kF16, {16, 16}, across),
          LdMatrix("x2", DType::kF16, {16, 8}, "S[(2,8,4,2):(2,4@laneid,1@laneid,1)]"),
          LdMatrix("x1", DType::kBF16, {8, 8}, "S[(8,4,2):(4@laneid,1@laneid,1)]"),
          LdMatrix("x1_trans", DType::kBF16, {8, 8}, "S[(4,2,8):(1@laneid,1,4@laneid)]"),
          LdMatrix("four_warps", DType::kF16, {64, 32}, "S[(4,2,8,4,4,2):(1@warpid,2,4@laneid,4,1@laneid,1)]", 128),
          PermuteLayout(),
          PermuteNothing(),
          PartialSubscripts(),
          Atomic("max", DType::kF32, DType::kF32, {-1, 4, 9, 3, 6}),
          Atomic("min", DType::kF32, DType::kF32, {-6, 0, -7, -9, 4}),
          Atomic("max", DType::kF32, DType::kF16, {-1, 4, 9, 3, 6}),
          Atomic("max", DType::kI32, DType::kI32, {-1, 4, 9, 3, 7}),
          Atomic("min", DType::kI32, DType::kI32, {-6, 0, -7, -9, 4}),
          Atomic("min", DType::kF64, DType::kF32, {-6, 0, -7, -9, 4}),
          Atomic("add", DType::kI32, DType::kI32, {-16, 10, 13, -20, 29}),
          Scatter(DType::kF32, 8),
          Scatter(DType::kF16, 12),
          Scatter(DType::kF32, 3)};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const OperationCase& c) { return out << c.name; }

const std::vector<OperationCase>& OperationCases() {
  static const auto* const cases = new std::vector<OperationCase>(Make());
  return *cases;
}

const OperationCase& OperationNamed(const std::string& name) {
  const std::vector<OperationCase>& cases = OperationCases();
  return *std::find_if(cases.begin(), cases.end(), [&](const OperationCase& c) { return c.name == name; });
}

absl::StatusOr<ir::Kernel> SpecializeFor(const OperationCase& c, const Target& target) {
  KILN_ASSIGN_OR_RETURN(ir::Module module, ir::Parse(c.text, c.name));
  return Specialize(module, module.kernels.at(0).name, c.bindings, target);
}

runtime::TensorArg ArgumentOf(const interp::Tensor& tensor, void* data) {
  return {data, tensor.shape.data(), nullptr, static_cast<int32_t>(tensor.shape.size()), tensor.dtype};
}

void ExpectResults(const OperationCase& c, const std::vector<Array>& args) {
  for (const auto& [index, values] : c.expected) EXPECT_EQ(args[index].values(), values) << "argument " << index;
}

}  // namespace kiln::testing
