// Made-up arguments for running a kernel: tensors of the shapes that its symbols give, filled from a seed.
#ifndef KILN_API_MADE_DATA_H_
#define KILN_API_MADE_DATA_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/signature.h"
#include "kiln/internal/dtype.h"

namespace kiln::api {

struct MadeTensor {
  std::string name;
  DType dtype = DType::kNone;
  bool written = false;
  std::vector<int64_t> shape;
  std::vector<char> storage;
  char* data = nullptr;  // Into the storage, on a 64-byte boundary
  int64_t bytes = 0;
};

struct MadeArgument {
  bool is_tensor = true;
  MadeTensor tensor;
  DType scalar_dtype = DType::kNone;
  double scalar = 0;
};

// Dense arguments for `signature`. Floats are uniform in [-1, 1); integers in [0, n), n being the largest extent of all
// tensors, at most 127: some are indices into a table, some past its end, which the language gives a meaning. A scalar
// left out is 0.5, or 1 for integers. The same seed gives the same bytes everywhere.
// InvalidArgument: a symbol without value, an extent that cannot be computed or is negative, more than 64 GiB, a scalar
// that no parameter is called.
absl::StatusOr<std::vector<MadeArgument>> MakeArguments(const Signature& signature,
                                                        const std::map<std::string, int64_t>& shape,
                                                        const std::map<std::string, DType>& dtypes,
                                                        const std::map<std::string, double>& scalars, uint64_t seed);

// The same values in memory of their own.
std::vector<MadeArgument> CopyOf(const std::vector<MadeArgument>& made);

// As the C ABI takes them. Borrows `made`, and `tensors`, which it fills; `device` is where `data[i]` lies.
std::vector<kiln_arg> ArgumentsOf(const std::vector<MadeArgument>& made, kiln_dl_device device,
                                  const std::vector<void*>& data, std::vector<kiln_dl_tensor>* tensors);

}  // namespace kiln::api

#endif  // KILN_API_MADE_DATA_H_
