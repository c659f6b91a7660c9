#include "api/backends.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "api/argument_errors.h"
#include "compiler/targets/targets.h"
#include "kiln/internal/status_macros.h"
#include "runtime/fake/device.h"
#if KILN_HAS_CPU
#include "compiler/toolchain/cpu_arch.h"
#include "compiler/toolchain/llvm.h"
#include "runtime/cpu/device.h"
#endif
#if KILN_HAS_CUDA
#include "compiler/toolchain/nvrtc.h"
#include "runtime/cuda/device.h"
#endif

namespace kiln::api {
namespace {

[[maybe_unused]] absl::Status NotBuilt(absl::string_view backend) {
  return absl::UnimplementedError(absl::StrCat("load: this build of Kiln has no ", backend, " backend"));
}

bool SamePlace(kiln_dl_device a, kiln_dl_device b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

}  // namespace

Backends::Backends(const Options& options) : options_(options) {}
Backends::~Backends() = default;

absl::StatusOr<const Toolchain*> Backends::ToolchainFor(TargetKind kind) {
  absl::MutexLock lock(&mutex_);
  return Open(kind);
}

absl::StatusOr<const Toolchain*> Backends::Open(TargetKind kind) {
  switch (kind) {
    case TargetKind::kCpu:
#if KILN_HAS_CPU
      if (llvm_ == nullptr) {
        KILN_ASSIGN_OR_RETURN(llvm_, LlvmToolchain::Open(options_.llvm_path));
      }
      return llvm_.get();
#else
      return NotBuilt("CPU");
#endif
    case TargetKind::kCuda:
#if KILN_HAS_CUDA
      if (nvrtc_ == nullptr) {
        KILN_ASSIGN_OR_RETURN(nvrtc_, NvrtcToolchain::Open(options_.nvrtc_path));
      }
      return nvrtc_.get();
#else
      return NotBuilt("CUDA");
#endif
    default:
      return absl::UnimplementedError("compile: expected a CPU or CUDA target; the reference runs in the interpreter");
  }
}

absl::StatusOr<std::string> Backends::CompilePtx(const Source& source, const CompileOptions& options) {
#if KILN_HAS_CUDA
  const NvrtcToolchain* nvrtc = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    KILN_RETURN_IF_ERROR(Open(TargetKind::kCuda).status());
    nvrtc = nvrtc_.get();
  }
  return nvrtc->CompilePtx(source, options);
#else
  (void)source, (void)options;
  return NotBuilt("CUDA");
#endif
}

absl::StatusOr<Target> Backends::HostTarget() {
#if KILN_HAS_CPU
  KILN_ASSIGN_OR_RETURN(Target target, FindTarget("cpu"));
  absl::MutexLock lock(&mutex_);
  KILN_RETURN_IF_ERROR(Open(TargetKind::kCpu).status());
  FillCpuTarget(llvm_->HostArch(), &target);
  return target;
#else
  return NotBuilt("CPU");
#endif
}

absl::StatusOr<Target> Backends::TargetNamed(const std::string& name) {
  if (name == "cpu") return HostTarget();
  if (name != "cuda") return FindTarget(name);
  for (const DeviceEntry& entry : Devices())
    if (entry.device->kind() == TargetKind::kCuda) return TargetOf(*entry.device);
  return CudaStatus();
}

std::vector<std::string> Backends::TargetNames() { return kiln::TargetNames(); }

absl::StatusOr<Target> Backends::TargetOf(const runtime::Device& device) {
  if (device.kind() == TargetKind::kCuda) return FindTarget(device.arch());
  return HostTarget();
}

absl::StatusOr<runtime::Device*> Backends::DeviceAt(kiln_dl_device place) {
  std::vector<std::string> names;
  for (const DeviceEntry& entry : Devices()) {
    if (SamePlace(entry.place, place)) return entry.device.get();
    names.push_back(DeviceName(entry.place));
  }
  std::string why;
  if (place.device_type == KILN_DEVICE_CPU) why = absl::StrCat(": ", CpuStatus().message());
  if (place.device_type == KILN_DEVICE_CUDA) why = absl::StrCat(": ", CudaStatus().message());
  return absl::NotFoundError(absl::StrCat("device: no ", DeviceName(place), "; there is ",
                                          names.empty() ? "none" : absl::StrJoin(names, ", "), why));
}

absl::StatusOr<const std::string*> Backends::TargetNameAt(kiln_dl_device place) {
  for (const DeviceEntry& entry : Devices())
    if (SamePlace(entry.place, place)) return &entry.target;
  return DeviceAt(place).status();
}

const std::vector<DeviceEntry>& Backends::Devices() {
  if (!found_devices_.load(std::memory_order_acquire)) {
    absl::MutexLock lock(&mutex_);
    if (!found_devices_.load(std::memory_order_relaxed)) {
      FindDevices();
      found_devices_.store(true, std::memory_order_release);
    }
  }
  return devices_;
}

absl::Status Backends::CpuStatus() {
  Devices();
  absl::MutexLock lock(&mutex_);
  return cpu_status_;
}

absl::Status Backends::CudaStatus() {
  Devices();
  absl::MutexLock lock(&mutex_);
  return cuda_status_;
}

void Backends::FindDevices() {
  cpu_status_ = FindCpu();
  cuda_status_ = FindCuda();
  // Without a CPU backend nothing could be compiled for them.
  if (!cpu_status_.ok()) return;
  for (int i = 0; i < options_.fake_devices; ++i) {
    runtime::FakeOptions fake;
    fake.arch = devices_.front().device->arch();
    fake.record = false;
    devices_.push_back({{KILN_DEVICE_FAKE, i}, "cpu", std::make_shared<runtime::FakeDevice>(fake)});
  }
}

absl::Status Backends::FindCpu() {
#if KILN_HAS_CPU
  runtime::cpu::Options cpu_options;
  cpu_options.threads = options_.cpu_threads;
  cpu_options.llvm = options_.llvm_path;
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Device> cpu, runtime::cpu::CreateDevice(cpu_options));
  devices_.push_back({{KILN_DEVICE_CPU, 0}, "cpu", std::move(cpu)});
  return absl::OkStatus();
#else
  return NotBuilt("CPU");
#endif
}

absl::Status Backends::FindCuda() {
#if KILN_HAS_CUDA
  KILN_ASSIGN_OR_RETURN(const int count, runtime::cuda::CountDevices());
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    KILN_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Device> gpu, runtime::cuda::CudaDevice::Open(ordinal));
    const std::string target = gpu->arch();
    devices_.push_back({{KILN_DEVICE_CUDA, ordinal}, target, std::move(gpu)});
  }
  return absl::OkStatus();
#else
  return NotBuilt("CUDA");
#endif
}

}  // namespace kiln::api
