// Tensor maps: what the copy engine of sm_90 knows of a global tensor, made of an argument at its launch.
#ifndef KILN_RUNTIME_CUDA_TENSOR_MAP_H_
#define KILN_RUNTIME_CUDA_TENSOR_MAP_H_

#include "absl/status/status.h"
#include "kiln/internal/launch_recipe.h"
#include "runtime/cuda/driver.h"
#include "runtime/device.h"

namespace kiln::runtime::cuda {

// REQUIRES: `param` is a tensor map, valid for `tensor`. Nothing is allocated but an error's text. Errors:
// InvalidArgument with what the engine does not take: an empty extent, a stride or address off 16 bytes.
absl::Status EncodeTensorMap(const Driver& driver, const RecipeParam& param, const TensorArg& tensor, TensorMap* map);

}  // namespace kiln::runtime::cuda

#endif  // KILN_RUNTIME_CUDA_TENSOR_MAP_H_
