#include "tests/kernels/reference.h"

#include <algorithm>
#include <cmath>

namespace kiln::testing {
namespace {

// Of f32: what one correctly rounded operation may be off, relative to its result.
constexpr double kUnit = 0x1p-24;
// docs/numerics.md, the wider of CUDA and the CPU.
constexpr double kDivide = 4 * kUnit;
constexpr double kExp2 = 8 * kUnit;
constexpr double kRsqrt = 4 * kUnit;
constexpr double kErf = 16 * kUnit;  // Absolute
// Results under the normal range of f32 may be flushed.
constexpr double kTiny = 0x1p-126;

double Silu(double x) { return x / (1 + std::exp(-x)); }
double GeluOf(double x) { return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }

// exp2(-log2e * x): two roundings of the argument, worth abs(x) units each; then a sum and a quotient.
double SiluError(double x) { return std::fabs(Silu(x)) * (2 * kUnit * std::fabs(x) + kExp2 + kUnit + kDivide) + kTiny; }

// The argument of erf is off by two roundings; abs(z * erf'(z)) < 1/2.
double GeluError(double x) {
  return std::fabs(0.5 * x) * (kErf + 4 * kUnit) + 2 * kUnit * std::fabs(GeluOf(x)) + kTiny;
}

double SumError(double terms, double magnitude) { return std::max(terms - 1, 0.0) * kUnit * magnitude; }

}  // namespace

double UnitRoundoff(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return 0x1p-11;
    case DType::kBF16:
      return 0x1p-8;
    default:
      return 0x1p-24;
  }
}

bool Within(DType dtype, const Value& want, double got) {
  const double largest = std::fabs(want.exact) + want.error;
  const double subnormal = dtype == DType::kF16 ? 0x1p-25 : 0;
  const double bound = want.error + std::max(UnitRoundoff(dtype) * largest, subnormal);
  return std::fabs(got - want.exact) <= bound;  // False for NaN
}

Values Add(const Doubles& a, const Doubles& b) {
  Values y(a.size());
  for (size_t i = 0; i < a.size(); ++i) y[i] = {a[i] + b[i], kUnit * std::fabs(a[i] + b[i])};
  return y;
}

Values SiluMul(const Doubles& a, const Doubles& b) {
  Values y(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const double exact = Silu(a[i]) * b[i];
    y[i] = {exact, SiluError(a[i]) * std::fabs(b[i]) + kUnit * std::fabs(exact)};
  }
  return y;
}

Values Gelu(const Doubles& x) {
  Values y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = {GeluOf(x[i]), GeluError(x[i])};
  return y;
}

Values RmsNorm(const Doubles& x, const Doubles& w, double eps) {
  const int64_t n = w.size();
  Values y(x.size());
  for (size_t row = 0; row < x.size() / n; ++row) {
    double squares = 0;
    for (int64_t j = 0; j < n; ++j) squares += x[row * n + j] * x[row * n + j];
    const double inv = 1 / std::sqrt(squares / n + eps);
    // x may itself be a rounded sum, which its square counts twice; the root halves what its argument is off.
    const double argument = (n + 3) * kUnit + kDivide + kUnit;
    for (int64_t j = 0; j < n; ++j) {
      const double exact = x[row * n + j] * inv * w[j];
      y[row * n + j] = {exact, std::fabs(exact) * (argument / 2 + kRsqrt + 3 * kUnit)};
    }
  }
  return y;
}

Values LayerNorm(const Doubles& x, const Doubles& w, const Doubles& b, double eps) {
  const int64_t n = w.size();
  Values y(x.size());
  for (size_t row = 0; row < x.size() / n; ++row) {
    const double* in = &x[row * n];
    double sum = 0, magnitude = 0;
    for (int64_t j = 0; j < n; ++j) {
      sum += in[j];
      magnitude += std::fabs(in[j]);
    }
    const double mean = sum / n;
    const double mean_error = SumError(n, magnitude) / n + kDivide * std::fabs(mean);
    double variance = 0, variance_error = 0;
    for (int64_t j = 0; j < n; ++j) {
      const double centred = std::fabs(in[j] - mean);
      const double off = mean_error + kUnit * (centred + mean_error);
      variance += centred * centred / n;
      variance_error += (2 * centred * off + off * off) / n;
    }
    variance_error += (variance + variance_error) * ((n + 1) * kUnit + kDivide);
    const double argument = variance_error / (variance + eps) + kUnit;
    const double inv = 1 / std::sqrt(variance + eps);
    for (int64_t j = 0; j < n; ++j) {
      const double centred = in[j] - mean;
      const double scaled = centred * inv * w[j];
      const double off = mean_error + kUnit * std::fabs(centred);
      // The root is concave: past an argument error of a half it moves by at most as much as its argument.
      const double error = std::fabs(inv * w[j]) * off + std::fabs(scaled) * (argument + kRsqrt + 2 * kUnit);
      y[row * n + j] = {scaled + b[j], error + kUnit * (std::fabs(scaled + b[j]) + error)};
    }
  }
  return y;
}

Values Softmax(const Doubles& x, const Doubles& lens, int64_t n, double scale) {
  Values y(x.size());
  for (size_t row = 0; row < x.size() / n; ++row) {
    const int64_t length = std::min<int64_t>(lens[row], n);
    if (length <= 0) continue;
    const double* in = &x[row * n];
    const double most = *std::max_element(in, in + length);
    Doubles weight(length), relative(length);
    double total = 0, total_error = 0;
    for (int64_t j = 0; j < length; ++j) {
      const double argument = (in[j] - most) * scale;
      weight[j] = std::exp(argument);
      // Of the exponent: a difference, log2e, its product with scale, the product of both.
      relative[j] = std::fabs(argument) * 4 * kUnit + kExp2;
      total += weight[j];
      total_error += weight[j] * relative[j];
    }
    const double total_relative = total_error / total + n * kUnit;
    for (int64_t j = 0; j < length; ++j) {
      const double exact = weight[j] / total;
      y[row * n + j] = {exact, exact * (relative[j] + total_relative + kDivide + 2 * kUnit) + 2 * kTiny};
    }
  }
  return y;
}

Values Embedding(const Doubles& table, const Doubles& ids, int64_t n) {
  const int64_t rows = table.size() / n;
  Values y(ids.size() * n);
  for (size_t i = 0; i < ids.size(); ++i)
    for (int64_t j = 0; j < n; ++j)
      y[i * n + j] = {ids[i] >= 0 && ids[i] < rows ? table[static_cast<int64_t>(ids[i]) * n + j] : 0, 0};
  return y;
}

Values EmbeddingSum(const Doubles& words, const Doubles& positions, const Doubles& kinds, const Doubles& ids,
                    int64_t length, int64_t n) {
  Values y = Embedding(words, ids, n);
  for (size_t i = 0; i < ids.size(); ++i)
    for (int64_t j = 0; j < n; ++j) {
      Value& value = y[i * n + j];
      const double first = value.exact + positions[i % length * n + j];
      value.exact = first + kinds[j];
      value.error = kUnit * (2 * std::fabs(first) + std::fabs(value.exact));
    }
  return y;
}

Values Rotary(const Doubles& x, const Doubles& cos, const Doubles& sin, int64_t length, int64_t heads, int64_t half) {
  Values y(x.size());
  for (size_t row = 0; row < x.size() / (2 * half); ++row) {
    const int64_t position = row / heads % length;
    for (int64_t j = 0; j < half; ++j) {
      const size_t first = row * 2 * half + j, second = first + half;
      const double c = cos[position * half + j], s = sin[position * half + j];
      const double bound = 2 * kUnit * (std::fabs(x[first]) + std::fabs(x[second]));  // abs(c), abs(s) <= 1
      y[first] = {x[first] * c - x[second] * s, bound};
      y[second] = {x[second] * c + x[first] * s, bound};
    }
  }
  return y;
}

Values Gemm(const Doubles& a, const Doubles& b, int64_t m, int64_t n, int64_t k, bool transposed) {
  Values c(m * n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0, magnitude = 0;
      for (int64_t l = 0; l < k; ++l) {
        const double product = a[i * k + l] * (transposed ? b[j * k + l] : b[l * n + j]);
        sum += product;
        magnitude += std::fabs(product);
      }
      c[i * n + j] = {sum, k * 0x1p-22 * magnitude};
    }
  return c;
}

Values AddBias(Values c, const Doubles& bias) {
  for (size_t i = 0; i < c.size(); ++i) {
    c[i].exact += bias[i % bias.size()];
    c[i].error += kUnit * (std::fabs(c[i].exact) + c[i].error);
  }
  return c;
}

Values AddTensor(Values c, const Doubles& residual) { return AddBias(std::move(c), residual); }

Values Activate(Values c, int activation) {
  for (Value& value : c) {
    const double x = value.exact;
    // The slopes of both are under 1.13; their own errors hardly change over an error of the argument.
    if (activation == 1) value = {GeluOf(x), 1.13 * value.error + 1.01 * GeluError(x)};
    if (activation == 2) value = {Silu(x), 1.13 * value.error + 1.01 * SiluError(x)};
  }
  return c;
}

Values Attention(const Doubles& q, const Doubles& k, const Doubles& v, const Doubles& lens, const AttentionShape& s,
                 double scale, DType dtype, int64_t blocks) {
  Values o(q.size());
  const double rounding = dtype == DType::kF32 ? 0 : UnitRoundoff(dtype);
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t i = 0; i < s.queries; ++i)
      for (int64_t h = 0; h < s.heads; ++h) {
        const int64_t group = h / (s.heads / s.groups);
        int64_t count = std::min<int64_t>(lens[b], s.keys);
        if (s.causal) count = std::min(count, i + 1);
        if (count <= 0) continue;
        const int64_t row = ((b * s.queries + i) * s.heads + h) * s.dim;
        const auto key = [&](int64_t j) { return ((b * s.keys + j) * s.groups + group) * s.dim; };
        Doubles score(count), score_error(count);
        for (int64_t j = 0; j < count; ++j) {
          double magnitude = 0;
          for (int64_t d = 0; d < s.dim; ++d) {
            const double product = q[row + d] * k[key(j) + d];
            score[j] += scale * product;
            magnitude += std::fabs(scale * product);
          }
          score_error[j] = s.dim * 0x1p-22 * magnitude;
        }
        const double most = *std::max_element(score.begin(), score.end());
        const double reach = std::fabs(most) + std::fabs(*std::min_element(score.begin(), score.end()));
        Doubles weight(count), relative(count);
        double total = 0, total_error = 0;
        for (int64_t j = 0; j < count; ++j) {
          weight[j] = std::exp(score[j] - most);
          // Two products with scale * log2e of numbers no larger than `reach`; then a factor a block of keys.
          relative[j] = score_error[j] + reach * 6 * kUnit + kExp2 + blocks * (kExp2 + reach * 4 * kUnit + kUnit);
          total += weight[j];
          total_error += weight[j] * relative[j];
        }
        const double total_relative = total_error / total + (s.keys + blocks) * kUnit;
        for (int64_t d = 0; d < s.dim; ++d) {
          double sum = 0, error = 0;
          for (int64_t j = 0; j < count; ++j) {
            const double value = v[key(j) + d];
            sum += weight[j] * value;
            error += weight[j] * std::fabs(value) * (relative[j] + rounding + (s.keys + blocks) * 0x1p-22);
            if (dtype == DType::kF16) error += std::fabs(value) * 0x1p-25;  // A weight that is a subnormal
          }
          const double exact = sum / total;
          error = error / total + std::fabs(exact) * (total_relative + kDivide) + kTiny;
          o[row + d] = {exact, 1.01 * error};  // Second-order terms
        }
      }
  return o;
}

Values MeanPool(const Doubles& x, const Doubles& lens, int64_t length, int64_t n) {
  const int64_t batch = lens.size();
  Values y(batch * n);
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t count = std::min<int64_t>(lens[b], length);
    if (count <= 0) continue;
    Values mean(n);
    double squares = 0, error_squares = 0;
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0, magnitude = 0;
      for (int64_t i = 0; i < count; ++i) {
        sum += x[(b * length + i) * n + j];
        magnitude += std::fabs(x[(b * length + i) * n + j]);
      }
      // The kernel adds whole blocks of at most 32 tokens, zeros past the last.
      mean[j].exact = sum / count;
      mean[j].error = SumError(count + 32, magnitude) / count + kDivide * std::fabs(mean[j].exact);
      squares += mean[j].exact * mean[j].exact;
      error_squares += mean[j].error * mean[j].error;
    }
    const double norm = std::sqrt(squares);
    const double norm_relative = std::sqrt(error_squares) / norm + (n + 2) * kUnit;
    for (int64_t j = 0; j < n; ++j) {
      const double exact = mean[j].exact / norm;
      y[b * n + j] = {exact, 1.01 * (mean[j].error / norm + std::fabs(exact) * (norm_relative + kDivide))};
    }
  }
  return y;
}

}  // namespace kiln::testing
