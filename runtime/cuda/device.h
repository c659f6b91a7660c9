// An NVIDIA GPU.
//
//   KILN_ASSIGN_OR_RETURN(std::unique_ptr<CudaDevice> gpu, CudaDevice::Open(0));
//   KILN_ASSIGN_OR_RETURN(auto kernel, gpu->Load(artifact));
//   KILN_RETURN_IF_ERROR(kernel->Launch(stream, args));
//
// It uses the primary context, which engines and frameworks share. What was loaded stays loaded until the device goes:
// no kernel in flight or captured in a graph ever loses its code. Thread-safe.
#ifndef KILN_RUNTIME_CUDA_DEVICE_H_
#define KILN_RUNTIME_CUDA_DEVICE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "runtime/cuda/driver.h"
#include "runtime/device.h"

namespace kiln::runtime::cuda {

// Devices the driver sees. Unavailable without a driver.
absl::StatusOr<int> CountDevices();

class CudaDevice : public Device {
 public:
  // The first call of the process loads and initializes the driver. Unavailable without a driver, NotFound when there
  // is no such device.
  static absl::StatusOr<std::unique_ptr<CudaDevice>> Open(int ordinal);
  // With a driver of the caller's, which outlives the device.
  static absl::StatusOr<std::unique_ptr<CudaDevice>> Open(const Driver& driver, int ordinal);
  ~CudaDevice() override;

  TargetKind kind() const override { return TargetKind::kCuda; }
  int ordinal() const override { return ordinal_; }
  std::string name() const override { return name_; }
  std::string arch() const override { return arch_; }
  DeviceLimits limits() const override { return limits_; }
  absl::StatusOr<std::shared_ptr<const LoadedKernel>> Load(const Artifact& artifact) override;

  const Driver& driver() const { return driver_; }
  Context context() const { return context_; }
  int64_t l2_bytes() const { return l2_bytes_; }

 private:
  CudaDevice(const Driver& driver, int ordinal) : driver_(driver), ordinal_(ordinal) {}
  absl::Status ReadFacts();
  bool Runs(const std::string& arch) const;

  const Driver& driver_;
  const int ordinal_;
  DeviceId id_ = 0;
  Context context_ = nullptr;
  std::string name_;
  std::string arch_;
  DeviceLimits limits_;
  int64_t l2_bytes_ = 0;
  int major_ = 0;
  int minor_ = 0;
  absl::Mutex mutex_;
  std::vector<Module> modules_ ABSL_GUARDED_BY(mutex_);
};

// The arch whose artifacts a device of this compute capability runs best: sm_90a for 9.0, sm_89 for 8.9.
std::string ArchOf(int major, int minor);

}  // namespace kiln::runtime::cuda

#endif  // KILN_RUNTIME_CUDA_DEVICE_H_
