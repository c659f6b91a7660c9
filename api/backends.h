// The backends that this build has: for a kind of target its toolchain, for a place of tensors its device. Everything
// is opened on first use, once: making a runtime touches no driver and no vendor library.
#ifndef KILN_API_BACKENDS_H_
#define KILN_API_BACKENDS_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "api/options.h"
#include "compiler/toolchain/toolchain.h"
#include "kiln/c_api.h"
#include "kiln/internal/target.h"
#include "runtime/device.h"

namespace kiln {
class LlvmToolchain;
class NvrtcToolchain;
}  // namespace kiln

namespace kiln::api {

struct DeviceEntry {
  kiln_dl_device place;
  std::string target;  // Its name
  std::shared_ptr<runtime::Device> device;
};

// Thread-safe. What it gives lives as long as it does.
class Backends {
 public:
  // `options` is borrowed.
  explicit Backends(const Options& options);
  ~Backends();

  // Unimplemented: this build has no such backend. Unavailable: the vendor's library cannot be opened.
  absl::StatusOr<const Toolchain*> ToolchainFor(TargetKind kind);

  // PTX of a CUDA source, for people.
  absl::StatusOr<std::string> CompilePtx(const Source& source, const CompileOptions& options);

  // A shipped target by name, complete: `cpu` is this host, `cuda` the first CUDA device's own.
  absl::StatusOr<Target> TargetNamed(const std::string& name);
  static std::vector<std::string> TargetNames();
  absl::StatusOr<Target> TargetOf(const runtime::Device& device);

  // NotFound names the devices there are.
  absl::StatusOr<runtime::Device*> DeviceAt(kiln_dl_device place);
  // The name of its target, borrowed. Takes no lock once the devices are known.
  absl::StatusOr<const std::string*> TargetNameAt(kiln_dl_device place);
  // CPU first.
  const std::vector<DeviceEntry>& Devices();

  // Why there is no such device, or OK when there is one.
  absl::Status CpuStatus();
  absl::Status CudaStatus();

 private:
  absl::StatusOr<Target> HostTarget();
  void FindDevices() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<const Toolchain*> Open(TargetKind kind) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status FindCpu() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status FindCuda() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options& options_;
  absl::Mutex mutex_;
  // Null where this build has no such backend, and before the first use.
  std::shared_ptr<LlvmToolchain> llvm_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<NvrtcToolchain> nvrtc_ ABSL_GUARDED_BY(mutex_);
  absl::Status cpu_status_ ABSL_GUARDED_BY(mutex_);
  absl::Status cuda_status_ ABSL_GUARDED_BY(mutex_);
  // Written once, under the mutex, before the flag says that they are known; read without it from then on.
  std::vector<DeviceEntry> devices_;
  std::atomic<bool> found_devices_{false};
};

}  // namespace kiln::api

#endif  // KILN_API_BACKENDS_H_
