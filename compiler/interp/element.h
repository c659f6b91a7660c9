// One element in a register, and elements in memory.
#ifndef KILN_COMPILER_INTERP_ELEMENT_H_
#define KILN_COMPILER_INTERP_ELEMENT_H_

#include <cstdint>
#include <vector>

#include "compiler/support/scalar_math.h"
#include "kiln/internal/dtype.h"

namespace kiln::interp {

// Integers and bools in `i`, floats of every dtype in `f`, in the forms of compiler/support/scalar_math.h. The dtype is
// known from where the slot stands.
union Slot {
  int64_t i;
  double f;
};

inline Slot IntSlot(int64_t value) {
  Slot slot;
  slot.i = value;
  return slot;
}
inline Slot FloatSlot(double value) {
  Slot slot;
  slot.f = value;
  return slot;
}

// Elements `index` .. `index + count - 1` of packed memory of `dtype`.
void LoadElements(DType dtype, const uint8_t* data, int64_t index, int64_t count, Slot* out);
void StoreElements(DType dtype, uint8_t* data, int64_t index, int64_t count, const Slot* values);

Slot Convert(DType to, DType from, Slot value);
void ConvertAll(DType to, DType from, Slot* values, int64_t count);

// The dtype in which an operator computes on operands of these two.
DType CommonType(DType a, DType b);
inline DType ComputeType(DType a) { return CommonType(a, a); }

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_ELEMENT_H_
