#include "runtime/fake/device.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"
#include "runtime/prepared_recipe.h"

namespace kiln::runtime {

class FakeKernel : public LoadedKernel {
 public:
  FakeKernel(FakeDevice* device, const Artifact& artifact)
      : device_(device), kernel_(artifact.kernel), recipe_(artifact.recipe), arg_count_(artifact.args.size()) {}

  absl::Status Launch(void* stream, absl::Span<const Arg> args) const override {
    if (args.size() != arg_count_)
      return absl::InvalidArgumentError(
          absl::StrCat("fake: launch ", kernel_, ": expected ", arg_count_, " arguments, found ", args.size()));
    ResolvedLaunch launch;
    if (absl::Status status = recipe_.Evaluate(args, device_->options_.limits, &launch); !status.ok()) return status;
    if (launch.empty()) return absl::OkStatus();
    device_->launch_count_.fetch_add(1, std::memory_order_relaxed);
    if (device_->options_.record) Record(stream, launch);
    return absl::OkStatus();
  }

 private:
  void Record(void* stream, const ResolvedLaunch& launch) const {
    FakeLaunch record;
    record.kernel = kernel_;
    std::copy(std::begin(launch.grid), std::end(launch.grid), record.grid);
    record.block = recipe_.recipe().block;
    record.shared_bytes = recipe_.recipe().shared_bytes;
    record.stream = stream;
    record.params.assign(launch.params, launch.params + launch.count);
    device_->Record(std::move(record));
  }

  FakeDevice* const device_;  // Borrowed; a device outlives what it loaded.
  const std::string kernel_;
  const PreparedRecipe recipe_;
  const size_t arg_count_;
};

FakeDevice::FakeDevice(FakeOptions options) : options_(std::move(options)) {}

FakeDevice::~FakeDevice() = default;

absl::StatusOr<std::shared_ptr<const LoadedKernel>> FakeDevice::Load(const Artifact& artifact) {
  if (artifact.kind != TargetKind::kFake && artifact.arch != options_.arch)
    return absl::FailedPreconditionError(absl::StrCat("fake: load ", artifact.kernel, ": the device runs ",
                                                      options_.arch, ", the artifact is for ", artifact.arch));
  KILN_RETURN_IF_ERROR(Validate(artifact.recipe, artifact.args));
  if (options_.on_load) KILN_RETURN_IF_ERROR(options_.on_load(artifact));
  loads_.fetch_add(1, std::memory_order_relaxed);
  return std::make_shared<const FakeKernel>(this, artifact);
}

void FakeDevice::Record(FakeLaunch launch) {
  absl::MutexLock lock(&mutex_);
  launches_.push_back(std::move(launch));
}

std::vector<FakeLaunch> FakeDevice::launches() const {
  absl::MutexLock lock(&mutex_);
  return launches_;
}

}  // namespace kiln::runtime
