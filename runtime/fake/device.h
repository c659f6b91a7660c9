// A device without hardware: it evaluates recipes and records launches. For tests of everything above the device, and
// for timing what a launch costs before any driver is called.
#ifndef KILN_RUNTIME_FAKE_DEVICE_H_
#define KILN_RUNTIME_FAKE_DEVICE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "runtime/device.h"

namespace kiln::runtime {

// One launch as the device would have got it.
struct FakeLaunch {
  std::string kernel;
  int64_t grid[3] = {1, 1, 1};
  int32_t block = 1;
  int64_t shared_bytes = 0;
  void* stream = nullptr;
  std::vector<uint64_t> params;
};

struct FakeOptions {
  std::string name = "fake";
  std::string arch = "fake";
  DeviceLimits limits = {132, 66, 232448};
  // Off: launches are counted alone, without a lock or an allocation, as a benchmark wants it.
  bool record = true;
  // The status that the next Load gets; null = always success.
  std::function<absl::Status(const Artifact&)> on_load;
};

// Loads artifacts of any kind whose arch is the options', and of kind kFake whatever their arch; the recipe is
// validated as on every device, the binary is not looked at. Thread-safe.
class FakeDevice : public Device {
 public:
  explicit FakeDevice(FakeOptions options = {});
  ~FakeDevice() override;

  TargetKind kind() const override { return TargetKind::kFake; }
  int ordinal() const override { return 0; }
  std::string name() const override { return options_.name; }
  std::string arch() const override { return options_.arch; }
  DeviceLimits limits() const override { return options_.limits; }
  absl::StatusOr<std::shared_ptr<const LoadedKernel>> Load(const Artifact& artifact) override;

  int64_t loads() const { return loads_.load(std::memory_order_relaxed); }
  int64_t launch_count() const { return launch_count_.load(std::memory_order_relaxed); }
  // What was recorded, oldest first; empty when recording is off.
  std::vector<FakeLaunch> launches() const;

 private:
  friend class FakeKernel;
  void Record(FakeLaunch launch);

  const FakeOptions options_;
  std::atomic<int64_t> loads_ = 0;
  std::atomic<int64_t> launch_count_ = 0;
  mutable absl::Mutex mutex_;
  std::vector<FakeLaunch> launches_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::runtime

#endif  // KILN_RUNTIME_FAKE_DEVICE_H_
