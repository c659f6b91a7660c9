// What the library's kernels compute, in float64 and by their definitions, and how far f32 arithmetic within the
// bounds of docs/numerics.md may be from it.
//
// All tensors are dense and row-major. Nothing here shares code or order of computation with a kernel or a backend.
#ifndef KILN_TESTS_KERNELS_REFERENCE_H_
#define KILN_TESTS_KERNELS_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "kiln/internal/dtype.h"

namespace kiln::testing {

using Doubles = std::vector<double>;

struct Value {
  double exact = 0;
  double error = 0;  // Bound of abs(computed - exact), before the store rounds to the output's dtype
};
using Values = std::vector<Value>;

// Largest relative error of a store of `dtype`: half a unit in the last place.
double UnitRoundoff(DType dtype);
// Whether `got`, read back from memory of `dtype`, is within the bound and one rounding of the store.
bool Within(DType dtype, const Value& want, double got);

Values Add(const Doubles& a, const Doubles& b);
Values SiluMul(const Doubles& a, const Doubles& b);
Values Gelu(const Doubles& x);
// Rows of n; w, b: [n].
Values RmsNorm(const Doubles& x, const Doubles& w, double eps);
Values LayerNorm(const Doubles& x, const Doubles& w, const Doubles& b, double eps);
// Rows of n, of which the first lens[row] take part; the others are zero.
Values Softmax(const Doubles& x, const Doubles& lens, int64_t n, double scale);
// Rows of n; an id outside the table gives zeros.
Values Embedding(const Doubles& table, const Doubles& ids, int64_t n);
// ids: [batch, length]; positions: at least [length, n]; kinds: its first row is added.
Values EmbeddingSum(const Doubles& words, const Doubles& positions, const Doubles& kinds, const Doubles& ids,
                    int64_t length, int64_t n);
// x: [batch, length, heads, 2 * half]; cos, sin: [length, half].
Values Rotary(const Doubles& x, const Doubles& cos, const Doubles& sin, int64_t length, int64_t heads, int64_t half);
// a: [m, k]; b: [n, k], or [k, n] unless `transposed`.
Values Gemm(const Doubles& a, const Doubles& b, int64_t m, int64_t n, int64_t k, bool transposed);
// Adds [n] to every row of n.
Values AddBias(Values c, const Doubles& bias);
Values AddTensor(Values c, const Doubles& residual);
// 0 none, 1 gelu, 2 silu.
Values Activate(Values c, int activation);

struct AttentionShape {
  int64_t batch, queries, keys, heads, groups, dim;
  bool causal;
};
// q: [batch, queries, heads, dim]; k, v: [batch, keys, groups, dim]; lens: [batch]. `dtype` is the one that weights
// round to before they meet v; `blocks` of keys are at most summed one after the other.
Values Attention(const Doubles& q, const Doubles& k, const Doubles& v, const Doubles& lens, const AttentionShape& shape,
                 double scale, DType dtype, int64_t blocks);
// x: [batch, length, n]; lens: [batch].
Values MeanPool(const Doubles& x, const Doubles& lens, int64_t length, int64_t n);

}  // namespace kiln::testing

#endif  // KILN_TESTS_KERNELS_REFERENCE_H_
