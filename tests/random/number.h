// What is known of every element of a tile or of a scalar in a random kernel: how large it is, of what power of two it
// is a multiple, and how far two backends may be apart.
//
// While f32 holds a value exactly, order and contraction of its operations do not show, and backends must agree to the
// bit; `error` is 0 then. Past that point the bounds of docs/numerics.md are carried along. A value with an error is
// never rounded to an integer and never decides a branch: two backends could part there by as much as they like.
#ifndef KILN_TESTS_RANDOM_NUMBER_H_
#define KILN_TESTS_RANDOM_NUMBER_H_

#include "kiln/internal/dtype.h"

namespace kiln::testing {

struct Number {
  DType dtype = DType::kF32;
  double most = 0;   // abs(value) is at most this
  int grain = 0;     // The value is a multiple of 2^grain
  double error = 0;  // abs(computed - exact) is at most this, on every backend
};

// A number that its dtype holds.
Number Whole(DType dtype, double most);
// Of either one or the other.
Number Either(const Number& a, const Number& b);

// As arithmetic reads it: narrow floats as f32, narrow integers as i32.
Number Widened(const Number& a);
// The dtype that two operands meet in; kNone where there is none.
DType Meeting(DType a, DType b);

// REQUIRES: operands in their common dtype.
Number Sum(const Number& a, const Number& b);
Number Product(const Number& a, const Number& b);
// A function whose slope is at most `slope` over the argument's range and whose value is within `bound` of the exact
// one.
Number Smooth(const Number& a, double most, double slope, double bound);
// Stored as, or cast to, `dtype`. REQUIRES: no error where `dtype` is an integer or a bool.
Number Stored(const Number& a, DType dtype);

// The largest magnitude that `dtype` holds without saturating, as far as random kernels use it.
double Limit(DType dtype);
// Bits of the significand, the leading one included.
int Precision(DType dtype);

}  // namespace kiln::testing

#endif  // KILN_TESTS_RANDOM_NUMBER_H_
