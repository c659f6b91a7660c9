#include "runtime/cuda/driver.h"

#include <dlfcn.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"
#include "runtime/cuda/status.h"

namespace kiln::runtime::cuda {
namespace {

template <typename Pointer>
void Find(void* library, const char* name, Pointer* function, std::string* missing) {
  *function = reinterpret_cast<Pointer>(dlsym(library, name));
  if (!*function && missing->empty()) *missing = name;
}

absl::StatusOr<Driver> Open() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* error = dlerror();
    return absl::UnavailableError(
        absl::StrCat("cuda: expected the NVIDIA driver's libcuda.so.1: ", error ? error : ""));
  }
  Driver driver;
  std::string missing, optional;
  Find(library, "cuInit", &driver.Init, &missing);
  Find(library, "cuGetErrorName", &driver.GetErrorName, &missing);
  Find(library, "cuGetErrorString", &driver.GetErrorString, &missing);
  Find(library, "cuDriverGetVersion", &driver.DriverGetVersion, &missing);
  Find(library, "cuDeviceGetCount", &driver.DeviceGetCount, &missing);
  Find(library, "cuDeviceGet", &driver.DeviceGet, &missing);
  Find(library, "cuDeviceGetName", &driver.DeviceGetName, &missing);
  Find(library, "cuDeviceGetAttribute", &driver.DeviceGetAttribute, &missing);
  Find(library, "cuDevicePrimaryCtxRetain", &driver.DevicePrimaryCtxRetain, &missing);
  Find(library, "cuDevicePrimaryCtxRelease_v2", &driver.DevicePrimaryCtxRelease, &missing);
  Find(library, "cuCtxGetCurrent", &driver.CtxGetCurrent, &missing);
  Find(library, "cuCtxPushCurrent_v2", &driver.CtxPushCurrent, &missing);
  Find(library, "cuCtxPopCurrent_v2", &driver.CtxPopCurrent, &missing);
  Find(library, "cuModuleLoadData", &driver.ModuleLoadData, &missing);
  Find(library, "cuModuleUnload", &driver.ModuleUnload, &missing);
  Find(library, "cuModuleGetFunction", &driver.ModuleGetFunction, &missing);
  Find(library, "cuFuncGetAttribute", &driver.FuncGetAttribute, &missing);
  Find(library, "cuFuncSetAttribute", &driver.FuncSetAttribute, &missing);
  Find(library, "cuFuncLoad", &driver.FuncLoad, &optional);
  Find(library, "cuLaunchKernel", &driver.LaunchKernel, &missing);
  Find(library, "cuLaunchKernelEx", &driver.LaunchKernelEx, &optional);
  Find(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", &driver.OccupancyMaxActiveBlocksPerMultiprocessor,
       &missing);
  Find(library, "cuOccupancyMaxActiveClusters", &driver.OccupancyMaxActiveClusters, &optional);
  Find(library, "cuTensorMapEncodeTiled", &driver.TensorMapEncodeTiled, &optional);
  Find(library, "cuMemAlloc_v2", &driver.MemAlloc, &missing);
  Find(library, "cuMemFree_v2", &driver.MemFree, &missing);
  Find(library, "cuMemcpyHtoD_v2", &driver.MemcpyHtoD, &missing);
  Find(library, "cuMemcpyDtoH_v2", &driver.MemcpyDtoH, &missing);
  Find(library, "cuMemsetD8Async", &driver.MemsetD8Async, &missing);
  Find(library, "cuStreamCreate", &driver.StreamCreate, &missing);
  Find(library, "cuStreamDestroy_v2", &driver.StreamDestroy, &missing);
  Find(library, "cuStreamSynchronize", &driver.StreamSynchronize, &missing);
  Find(library, "cuEventCreate", &driver.EventCreate, &missing);
  Find(library, "cuEventDestroy_v2", &driver.EventDestroy, &missing);
  Find(library, "cuEventRecord", &driver.EventRecord, &missing);
  Find(library, "cuEventSynchronize", &driver.EventSynchronize, &missing);
  Find(library, "cuEventElapsedTime", &driver.EventElapsedTime, &missing);
  if (!missing.empty())
    return absl::UnavailableError(
        absl::StrCat("cuda: libcuda.so.1 has no function ", missing, ": the driver is too old"));
  KILN_RETURN_IF_ERROR(StatusOf(driver, driver.Init(0), "initialize the driver"));
  return driver;
}

}  // namespace

absl::StatusOr<const Driver*> OpenDriver() {
  static const auto* const kDriver = new absl::StatusOr<Driver>(Open());
  if (!kDriver->ok()) return kDriver->status();
  return &**kDriver;
}

}  // namespace kiln::runtime::cuda
