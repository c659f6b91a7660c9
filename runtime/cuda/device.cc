#include "runtime/cuda/device.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/module.h"
#include "runtime/cuda/status.h"

namespace kiln::runtime::cuda {

absl::StatusOr<int> CountDevices() {
  absl::StatusOr<const Driver*> driver = OpenDriver();
  if (absl::IsNotFound(driver.status())) return 0;
  if (!driver.ok()) return driver.status();
  int count = 0;
  KILN_RETURN_IF_ERROR(StatusOf(**driver, (*driver)->DeviceGetCount(&count), "count devices"));
  return count;
}

std::string ArchOf(int major, int minor) {
  bool specific = minor == 0 && (major == 9 || major == 10 || major == 12);
  return absl::StrCat("sm_", major, minor, specific ? "a" : "");
}

absl::StatusOr<std::unique_ptr<CudaDevice>> CudaDevice::Open(int ordinal) {
  KILN_ASSIGN_OR_RETURN(const Driver* driver, OpenDriver());
  return Open(*driver, ordinal);
}

absl::StatusOr<std::unique_ptr<CudaDevice>> CudaDevice::Open(const Driver& driver, int ordinal) {
  int count = 0;
  KILN_RETURN_IF_ERROR(StatusOf(driver, driver.DeviceGetCount(&count), "count devices"));
  if (ordinal < 0 || ordinal >= count)
    return absl::NotFoundError(absl::StrCat("cuda: there is no device ", ordinal, "; the driver sees ", count));
  std::unique_ptr<CudaDevice> device(new CudaDevice(driver, ordinal));
  KILN_RETURN_IF_ERROR(StatusOf(driver, driver.DeviceGet(&device->id_, ordinal), "find the device"));
  KILN_RETURN_IF_ERROR(device->ReadFacts());
  KILN_RETURN_IF_ERROR(
      StatusOf(driver, driver.DevicePrimaryCtxRetain(&device->context_, device->id_), "retain the primary context"));
  return device;
}

absl::Status CudaDevice::ReadFacts() {
  char name[256] = {};
  KILN_RETURN_IF_ERROR(StatusOf(driver_, driver_.DeviceGetName(name, sizeof(name) - 1, id_), "read the name"));
  name_ = name;
  int shared = 0, l2 = 0;
  const std::pair<int, int*> facts[] = {{kMultiprocessorCount, &limits_.multiprocessors},
                                        {kComputeCapabilityMajor, &major_},
                                        {kComputeCapabilityMinor, &minor_},
                                        {kMaxSharedMemoryPerBlockOptin, &shared},
                                        {kL2CacheSize, &l2}};
  for (auto [attribute, value] : facts)
    KILN_RETURN_IF_ERROR(StatusOf(driver_, driver_.DeviceGetAttribute(value, attribute, id_),
                                  absl::StrCat("read device attribute ", attribute)));
  limits_.max_shared_bytes = shared;
  l2_bytes_ = l2;
  arch_ = ArchOf(major_, minor_);
  return absl::OkStatus();
}

// Errors here have no one to go to: at exit the driver may be gone already.
CudaDevice::~CudaDevice() {
  if (!context_) return;
  {
    CurrentContext current(driver_, context_);
    absl::MutexLock lock(&mutex_);
    for (Module module : modules_) driver_.ModuleUnload(module);
  }
  driver_.DevicePrimaryCtxRelease(id_);
}

// A binary without a letter runs on every later device of its major version; sm_90a on that one alone.
bool CudaDevice::Runs(const std::string& arch) const {
  if (arch == arch_) return true;
  int number = 0;
  if (arch.rfind("sm_", 0) != 0 || !absl::SimpleAtoi(arch.substr(3), &number)) return false;
  return number / 10 == major_ && number % 10 <= minor_;
}

absl::StatusOr<std::shared_ptr<const LoadedKernel>> CudaDevice::Load(const Artifact& artifact) {
  if (artifact.kind != TargetKind::kCuda || !Runs(artifact.arch))
    return absl::FailedPreconditionError(absl::StrCat("cuda: load ", artifact.kernel, ": the device runs ", arch_,
                                                      ", the artifact is for ", artifact.arch));
  CurrentContext current(driver_, context_);
  KILN_RETURN_IF_ERROR(StatusOf(driver_, current.result(), "make the context current"));
  Module module = nullptr;
  absl::StatusOr<std::shared_ptr<const LoadedKernel>> kernel =
      LoadKernel(driver_, context_, limits_, artifact, &module);
  if (module) {
    absl::MutexLock lock(&mutex_);
    modules_.push_back(module);
  }
  return kernel;
}

}  // namespace kiln::runtime::cuda
