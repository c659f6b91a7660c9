// The table of cases: for each kernel how to make a problem of a shape, then the shapes.

#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/kernels/case.h"
#include "tests/kernels/problem_builder.h"

namespace kiln::testing {
namespace {

constexpr Memory kDense = Memory::kDense;
constexpr Memory kPadded = Memory::kPadded;
constexpr Memory kOdd = Memory::kOdd;
constexpr Memory kSpread = Memory::kSpread;

using Shape = std::vector<int64_t>;

Case MakeCase(const std::string& file, const std::string& kernel, const Shape& shape, Memory memory, Config ints,
              const std::vector<Config>& configs, std::function<Problem(DType, Memory)> make) {
  return {file, kernel, absl::StrJoin(shape, "x"), memory, std::move(ints), configs, /*heavy=*/false, std::move(make)};
}

// y = f(a, b), f(x): all take any [m, n].
void AddElementwise(std::vector<Case>& cases) {
  const std::vector<Config> configs = {{{"ROWS", 1}, {"COLS", 512}, {"THREADS", 128}},
                                       {{"ROWS", 4}, {"COLS", 1024}, {"THREADS", 256}}};
  const std::pair<Shape, Memory> shapes[] = {{{1, 1}, kDense},     {{3, 7}, kDense},    {{5, 640}, kDense},
                                             {{9, 1031}, kPadded}, {{2, 513}, kSpread}, {{6, 520}, kOdd}};
  for (const auto& [shape, memory] : shapes) {
    cases.push_back(MakeCase("add", "add", shape, memory, {}, configs, [shape = shape](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles a = p.In("a", shape, 4), b = p.In("b", shape, 4);
      p.Expect(p.Out("y", shape), Add(a, b));
      return p.Done();
    }));
    const auto silu_mul = [shape = shape](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles a = p.In("a", shape, 12), b = p.In("b", shape, 4);
      p.Expect(p.Out("y", shape), SiluMul(a, b));
      return p.Done();
    };
    cases.push_back(MakeCase("silu_mul", "silu_mul", shape, memory, {}, configs, silu_mul));
    cases.push_back(MakeCase("gelu", "gelu", shape, memory, {}, configs, [shape = shape](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles x = p.In("x", shape, 6);
      p.Expect(p.Out("y", shape), Gelu(x));
      return p.Done();
    }));
  }
}

void AddNorms(std::vector<Case>& cases) {
  const std::vector<Config> configs = {{{"ROWS", 1}, {"THREADS", 128}}, {{"ROWS", 4}, {"THREADS", 256}}};
  const std::pair<Shape, Memory> shapes[] = {{{1, 384}, kDense},  {{3, 7}, kDense},    {{9, 1000}, kDense},
                                             {{5, 640}, kPadded}, {{2, 333}, kSpread}, {{6, 264}, kOdd}};
  for (const auto& [shape, memory] : shapes) {
    const int64_t n = shape[1];
    const Config ints = {{"N", n}};
    const auto rmsnorm = [shape = shape, n](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles x = p.In("x", shape, 2), w = p.In("w", {n}, 0.5, 1);
      const size_t y = p.Out("y", shape);
      p.Expect(y, RmsNorm(x, w, p.Scalar("eps", 1e-5f)));
      return p.Done();
    };
    cases.push_back(MakeCase("rmsnorm", "rmsnorm", shape, memory, ints, configs, rmsnorm));
    const auto add_rmsnorm = [shape = shape, n](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles x = p.In("x", shape, 2), residual = p.In("residual", shape, 2), w = p.In("w", {n}, 0.5, 1);
      const size_t r = p.Out("r", shape), y = p.Out("y", shape);
      Doubles sum(x.size());
      for (size_t i = 0; i < x.size(); ++i) sum[i] = x[i] + residual[i];
      p.Expect(r, Add(x, residual));
      p.Expect(y, RmsNorm(sum, w, p.Scalar("eps", 1e-5f)));
      return p.Done();
    };
    cases.push_back(MakeCase("add_rmsnorm", "add_rmsnorm", shape, memory, ints, configs, add_rmsnorm));
    const auto layernorm = [shape = shape, n](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles x = p.In("x", shape, 2, 3), w = p.In("w", {n}, 0.5, 1), b = p.In("b", {n}, 1);
      const size_t y = p.Out("y", shape);
      p.Expect(y, LayerNorm(x, w, b, p.Scalar("eps", 1e-5f)));
      return p.Done();
    };
    cases.push_back(MakeCase("layernorm", "layernorm", shape, memory, ints, configs, layernorm));
    const auto softmax = [shape = shape, n](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles x = p.In("x", shape, 20);
      const size_t y = p.Out("y", shape);
      p.Expect(y, Softmax(x, Doubles(shape[0], n), n, p.Scalar("scale", 0.5f)));
      return p.Done();
    };
    cases.push_back(MakeCase("softmax", "softmax", shape, memory, ints, configs, softmax));
    // Rows of every kind of length: none, one, all, more than there are. What a mask hides may hold anything.
    const auto softmax_masked = [shape = shape, n](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles x = p.In("x", shape, 20);
      const Doubles lens = p.Exactly(DType::kI32, "lens", {shape[0]}, {n - 1.0, 1, 0, double(n), n + 9.0});
      for (int64_t i = 0; i < shape[0] * n; ++i)
        if (i % n >= lens[i / n]) p.tensor(0).Set(i, std::numeric_limits<double>::quiet_NaN());
      const size_t y = p.Out("y", shape);
      p.Expect(y, Softmax(x, lens, n, p.Scalar("scale", 0.5f)));
      return p.Done();
    };
    cases.push_back(MakeCase("softmax", "softmax_masked", shape, memory, ints, configs, softmax_masked));
  }
}

void AddEmbeddings(std::vector<Case>& cases) {
  const std::vector<Config> configs = {{{"ROWS", 1}, {"THREADS", 32}}, {{"ROWS", 4}, {"THREADS", 128}}};
  constexpr int64_t kRows = 11;
  const Doubles ids = {3, 0, kRows - 1.0, kRows, -1, 7, 100000, 5};  // Some outside the table
  const std::pair<Shape, Memory> shapes[] = {
      {{1, 1, 384}, kDense}, {{2, 9, 7}, kDense}, {{1, 5, 136}, kPadded}, {{3, 3, 33}, kSpread}, {{2, 4, 72}, kOdd}};
  for (const auto& [shape, memory] : shapes) {
    const int64_t batch = shape[0], length = shape[1], n = shape[2];
    const Config ints = {{"N", n}};
    const auto embedding = [=](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles table = p.In("table", {kRows, n});
      const Doubles rows = p.Exactly(DType::kI32, "ids", {batch * length}, ids);
      p.Expect(p.Out("y", {batch * length, n}), Embedding(table, rows, n));
      return p.Done();
    };
    cases.push_back(MakeCase("embedding", "embedding", {batch * length, n}, memory, ints, configs, embedding));
    const auto embedding_sum = [=](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles words = p.In("words", {kRows, n}), positions = p.In("positions", {length + 3, n});
      const Doubles kinds = p.In("kinds", {2, n});
      const Doubles rows = p.Exactly(DType::kI32, "ids", {batch, length}, ids);
      p.Expect(p.Out("y", {batch, length, n}), EmbeddingSum(words, positions, kinds, rows, length, n));
      return p.Done();
    };
    cases.push_back(MakeCase("embedding", "embedding_sum", shape, memory, ints, configs, embedding_sum));
  }
}

void AddRotary(std::vector<Case>& cases) {
  const std::vector<Config> configs = {{{"ROWS", 1}, {"THREADS", 32}}, {{"ROWS", 4}, {"THREADS", 64}}};
  // Batch, length, heads, half a head.
  const std::pair<Shape, Memory> shapes[] = {{{1, 1, 1, 64}, kDense},  {{2, 5, 3, 32}, kDense}, {{1, 7, 2, 5}, kDense},
                                             {{2, 3, 2, 16}, kPadded}, {{1, 9, 2, 8}, kSpread}, {{1, 6, 1, 24}, kOdd}};
  for (const auto& [shape, memory] : shapes) {
    const int64_t length = shape[1], heads = shape[2], half = shape[3];
    const Shape whole = {shape[0], length, heads, 2 * half};
    const auto rotary = [=](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles x = p.In("x", whole, 3);
      const Doubles cos = p.InAs(DType::kF32, "cos", {length, half}, 1, 0);
      const Doubles sin = p.InAs(DType::kF32, "sin", {length, half}, 1, 0);
      p.Expect(p.Out("y", whole), Rotary(x, cos, sin, length, heads, half));
      return p.Done();
    };
    cases.push_back(MakeCase("rotary", "rotary", shape, memory, {{"HALF", half}}, configs, rotary));
  }
}

void AddGemms(std::vector<Case>& cases) {
  const std::vector<Config> configs = {{{"BM", 64}, {"BN", 64}, {"BK", 32}, {"STAGES", 2}},
                                       {{"BM", 128}, {"BN", 64}, {"BK", 64}, {"STAGES", 3}}};
  const std::pair<Shape, Memory> shapes[] = {{{1, 64, 64}, kDense},   {{37, 72, 40}, kDense}, {{5, 33, 17}, kDense},
                                             {{70, 96, 72}, kPadded}, {{9, 20, 50}, kSpread}, {{66, 8, 100}, kOdd}};
  for (const auto& [shape, memory] : shapes) {
    const int64_t m = shape[0], n = shape[1], k = shape[2];
    const Config ints = {{"N", n}, {"K", k}};
    for (const bool transposed : {true, false}) {
      const auto gemm = [=](DType dtype, Memory memory) {
        ProblemBuilder p(dtype, memory);
        const Doubles a = p.In("a", {m, k}), b = p.In("b", transposed ? Shape{n, k} : Shape{k, n});
        p.Expect(p.Out("c", {m, n}), Gemm(a, b, m, n, k, transposed));
        return p.Done();
      };
      cases.push_back(MakeCase("gemm", transposed ? "gemm" : "gemm_nn", shape, memory, ints, configs, gemm));
    }
    const int activation = static_cast<int>(cases.size() % 3);  // Each in turn
    Config with_activation = ints;
    with_activation["ACT"] = activation;
    const auto linear = [=](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles a = p.In("a", {m, k}), b = p.In("b", {n, k}), bias = p.In("bias", {n});
      p.Expect(p.Out("c", {m, n}), Activate(AddBias(Gemm(a, b, m, n, k, true), bias), activation));
      return p.Done();
    };
    Case with_bias = MakeCase("gemm", "linear", shape, memory, with_activation, configs, linear);
    absl::StrAppend(&with_bias.shape, "_act", activation);
    cases.push_back(std::move(with_bias));
    if (memory == kSpread || m < 8) continue;  // What follows differs only in its last statement
    const auto residual = [=](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles a = p.In("a", {m, k}), b = p.In("b", {n, k}), bias = p.In("bias", {n});
      const Doubles residual = p.In("residual", {m, n}, 4);
      p.Expect(p.Out("c", {m, n}), AddTensor(AddBias(Gemm(a, b, m, n, k, true), bias), residual));
      return p.Done();
    };
    cases.push_back(MakeCase("gemm", "linear_residual", shape, memory, ints, configs, residual));
    const auto batched = [=](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles a = p.In("a", {2, m, k}), b = p.In("b", {2, n, k});
      Values c;
      for (int64_t i = 0; i < 2; ++i) {
        const Values one = Gemm(Doubles(a.begin() + i * m * k, a.begin() + (i + 1) * m * k),
                                Doubles(b.begin() + i * n * k, b.begin() + (i + 1) * n * k), m, n, k, true);
        c.insert(c.end(), one.begin(), one.end());
      }
      p.Expect(p.Out("c", {2, m, n}), std::move(c));
      return p.Done();
    };
    cases.push_back(MakeCase("gemm", "gemm_batched", {2, m, n, k}, memory, ints, configs, batched));
  }
}

void AddAttention(std::vector<Case>& cases) {
  const std::vector<Config> configs = {{{"BM", 64}, {"BN", 32}, {"STAGES", 2}, {"THREADS", 128}},
                                       {{"BM", 128}, {"BN", 64}, {"STAGES", 2}, {"THREADS", 128}}};
  struct Row {
    AttentionShape shape;
    Doubles lens;
    Memory memory;
  };
  const Row rows[] = {
      {{1, 1, 1, 1, 1, 64, false}, {1}, kDense},       {{2, 5, 70, 2, 1, 32, false}, {70, 33}, kDense},
      {{2, 37, 37, 1, 1, 64, true}, {37, 20}, kDense}, {{3, 9, 45, 2, 2, 32, false}, {0, 99, 45}, kPadded},
      {{1, 67, 67, 2, 1, 128, true}, {67}, kPadded},   {{1, 20, 33, 1, 1, 128, false}, {30}, kOdd},
      {{1, 10, 40, 2, 2, 32, true}, {40}, kSpread},
  };
  for (const Row& row : rows) {
    const AttentionShape s = row.shape;
    const Shape queries = {s.batch, s.queries, s.heads, s.dim}, keys = {s.batch, s.keys, s.groups, s.dim};
    const auto attention = [=, lens = row.lens](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles q = p.In("q", queries, 2), k = p.In("k", keys, 2), v = p.In("v", keys);
      const Doubles valid = p.Exactly(DType::kI32, "lens", {s.batch}, lens);
      const size_t o = p.Out("o", queries);
      const double scale = p.Scalar("scale", s.dim == 64 ? 0.125f : 0.25f);
      p.Expect(o, Attention(q, k, v, valid, s, scale, dtype, (s.keys + 31) / 32));
      return p.Done();
    };
    const Config ints = {{"D", s.dim}, {"CAUSAL", s.causal ? 1 : 0}};
    const Shape named = {s.batch, s.queries, s.keys, s.heads, s.groups, s.dim};
    Case c = MakeCase("attention", "attention", named, row.memory, ints, configs, attention);
    if (s.causal) c.shape += "_causal";
    cases.push_back(std::move(c));
  }
}

void AddMeanPool(std::vector<Case>& cases) {
  const std::vector<Config> configs = {{{"ROWS", 16}, {"THREADS", 128}}, {{"ROWS", 32}, {"THREADS", 256}}};
  const std::pair<Shape, Memory> shapes[] = {{{1, 1, 384}, kDense},   {{4, 37, 100}, kDense}, {{4, 20, 7}, kDense},
                                             {{2, 17, 136}, kPadded}, {{3, 5, 33}, kSpread},  {{2, 40, 64}, kOdd}};
  for (const auto& [shape, memory] : shapes) {
    const int64_t length = shape[1], n = shape[2];
    const auto mean_pool = [shape = shape, length, n](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles x = p.In("x", shape, 1, 0.25);
      const Doubles lens = p.Exactly(DType::kI32, "lens", {shape[0]}, {double(length), 1, 0, length + 5.0});
      p.Expect(p.OutAs(DType::kF32, "y", {shape[0], n}), MeanPool(x, lens, length, n));
      return p.Done();
    };
    cases.push_back(MakeCase("mean_pool", "mean_pool", shape, memory, {{"N", n}}, configs, mean_pool));
  }
}

std::vector<Case> MakeCases() {
  std::vector<Case> cases;
  AddElementwise(cases);
  AddNorms(cases);
  AddEmbeddings(cases);
  AddRotary(cases);
  const size_t light = cases.size();
  AddGemms(cases);
  AddAttention(cases);
  for (size_t i = light; i < cases.size(); ++i) cases[i].heavy = true;
  AddMeanPool(cases);
  return cases;
}

}  // namespace

const std::vector<Case>& Cases() {
  static const auto* const cases = new std::vector<Case>(MakeCases());
  return *cases;
}

}  // namespace kiln::testing
