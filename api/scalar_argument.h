// A number given by a caller as the bits of a scalar parameter.
#ifndef KILN_API_SCALAR_ARGUMENT_H_
#define KILN_API_SCALAR_ARGUMENT_H_

#include <cstdint>

#include "kiln/internal/dtype.h"

namespace kiln::api {

// False where `dtype` does not hold `value` exactly, and for dtypes that no scalar parameter has (fp8, fp4).
bool ScalarFromInt(int64_t value, DType dtype, uint64_t* bits);
// Round to nearest even. False for dtypes other than f16, bf16, tf32, f32 and f64.
bool ScalarFromDouble(double value, DType dtype, uint64_t* bits);

}  // namespace kiln::api

#endif  // KILN_API_SCALAR_ARGUMENT_H_
