// A device that loads artifacts and launches them: the host CPU, a CUDA device, the fake one of tests.
//
// Ownership: a Device outlives what it loaded; a LoadedKernel keeps its module loaded. Both are thread-safe.
#ifndef KILN_RUNTIME_DEVICE_H_
#define KILN_RUNTIME_DEVICE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kiln/internal/artifact.h"

namespace kiln::runtime {

// A tensor argument, borrowed for the call. Strides are in elements; null strides = dense row-major.
struct TensorArg {
  void* data = nullptr;
  const int64_t* shape = nullptr;
  const int64_t* strides = nullptr;
  int32_t rank = 0;
  DType dtype = DType::kNone;
};

// A tensor, or a scalar whose bits stand in `scalar` in its own dtype's width.
struct Arg {
  bool is_tensor = true;
  TensorArg tensor;
  DType scalar_dtype = DType::kNone;
  uint64_t scalar = 0;
};

struct DeviceLimits {
  int multiprocessors = 1;
  int max_clusters = 0;
  int64_t max_shared_bytes = 0;
};

class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;
  // Evaluates the recipe and launches on the caller's stream (a CUstream; ignored by the CPU, which runs before it
  // returns). A zero grid is success without a launch. Arguments were checked against Artifact::args by the caller.
  // Never allocates device memory, never synchronizes a stream.
  virtual absl::Status Launch(void* stream, absl::Span<const Arg> args) const = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual TargetKind kind() const = 0;
  virtual int ordinal() const = 0;
  virtual std::string name() const = 0;  // "NVIDIA H200", "AMD EPYC ..."
  virtual std::string arch() const = 0;  // Of the target whose artifacts it runs: sm_90a; the CPU's name with features
  virtual DeviceLimits limits() const = 0;
  // Loads and, where the driver loads lazily, forces the function in. FailedPrecondition when the artifact is of
  // another arch.
  virtual absl::StatusOr<std::shared_ptr<const LoadedKernel>> Load(const Artifact& artifact) = 0;
};

}  // namespace kiln::runtime

#endif  // KILN_RUNTIME_DEVICE_H_
