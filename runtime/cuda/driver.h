// libcuda, opened when the first device is asked for and never before: the functions of the CUDA driver API that Kiln
// calls, declared by us from its documentation.
#ifndef KILN_RUNTIME_CUDA_DRIVER_H_
#define KILN_RUNTIME_CUDA_DRIVER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace kiln::runtime::cuda {

// CUresult, CUdevice, CUcontext, CUmodule, CUfunction, CUstream, CUevent and CUdeviceptr of the ABI.
using Result = int;
using DeviceId = int;
using Context = struct ContextHandle*;
using Module = struct ModuleHandle*;
using Function = struct FunctionHandle*;
using Stream = struct StreamHandle*;
using Event = struct EventHandle*;
using Address = unsigned long long;

inline constexpr Result kSuccess = 0;
inline constexpr Result kInvalidValue = 1;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNotInitialized = 3;
inline constexpr Result kNoDevice = 100;

// CUdevice_attribute.
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kL2CacheSize = 38;
inline constexpr int kComputeCapabilityMajor = 75;
inline constexpr int kComputeCapabilityMinor = 76;
inline constexpr int kMaxSharedMemoryPerBlockOptin = 97;
// CUfunction_attribute.
inline constexpr int kSharedSizeBytes = 1;
inline constexpr int kMaxDynamicSharedSizeBytes = 8;
inline constexpr int kNonPortableClusterSizeAllowed = 14;

// CUlaunchAttribute with a cluster's size.
struct LaunchAttribute {
  int id = 4;  // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
  char pad[4] = {};
  unsigned cluster_x = 1, cluster_y = 1, cluster_z = 1;
  char rest[52] = {};  // The value is a union of 64 bytes
};
static_assert(sizeof(LaunchAttribute) == 72);

// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};
static_assert(sizeof(LaunchConfig) == 56);

// CUtensorMap.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

struct Driver {
  Result (*Init)(unsigned flags) = nullptr;
  Result (*GetErrorName)(Result, const char**) = nullptr;
  Result (*GetErrorString)(Result, const char**) = nullptr;
  Result (*DriverGetVersion)(int*) = nullptr;
  Result (*DeviceGetCount)(int*) = nullptr;
  Result (*DeviceGet)(DeviceId*, int ordinal) = nullptr;
  Result (*DeviceGetName)(char*, int size, DeviceId) = nullptr;
  Result (*DeviceGetAttribute)(int*, int attribute, DeviceId) = nullptr;
  Result (*DevicePrimaryCtxRetain)(Context*, DeviceId) = nullptr;
  Result (*DevicePrimaryCtxRelease)(DeviceId) = nullptr;
  Result (*CtxGetCurrent)(Context*) = nullptr;
  Result (*CtxPushCurrent)(Context) = nullptr;
  Result (*CtxPopCurrent)(Context*) = nullptr;
  Result (*ModuleLoadData)(Module*, const void* image) = nullptr;
  Result (*ModuleUnload)(Module) = nullptr;
  Result (*ModuleGetFunction)(Function*, Module, const char* name) = nullptr;
  Result (*FuncGetAttribute)(int*, int attribute, Function) = nullptr;
  Result (*FuncSetAttribute)(Function, int attribute, int value) = nullptr;
  Result (*FuncLoad)(Function) = nullptr;  // Null before CUDA 12.4
  Result (*LaunchKernel)(Function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream, void** params,
                         void** extra) = nullptr;
  Result (*LaunchKernelEx)(const LaunchConfig*, Function, void** params, void** extra) = nullptr;  // Null before 11.8
  Result (*OccupancyMaxActiveBlocksPerMultiprocessor)(int*, Function, int block, size_t shared_bytes) = nullptr;
  Result (*OccupancyMaxActiveClusters)(int*, Function, const LaunchConfig*) = nullptr;  // Null before 11.8
  Result (*TensorMapEncodeTiled)(TensorMap*, int dtype, unsigned rank, void* address, const uint64_t* extents,
                                 const uint64_t* strides, const uint32_t* box, const uint32_t* element_strides,
                                 int interleave, int swizzle, int l2_promotion,
                                 int fill) = nullptr;  // Null before 12.0
  // For the tools; no launch calls these.
  Result (*MemAlloc)(Address*, size_t bytes) = nullptr;
  Result (*MemFree)(Address) = nullptr;
  Result (*MemcpyHtoD)(Address, const void*, size_t bytes) = nullptr;
  Result (*MemcpyDtoH)(void*, Address, size_t bytes) = nullptr;
  Result (*MemsetD8Async)(Address, unsigned char value, size_t bytes, Stream) = nullptr;
  Result (*StreamCreate)(Stream*, unsigned flags) = nullptr;
  Result (*StreamDestroy)(Stream) = nullptr;
  Result (*StreamSynchronize)(Stream) = nullptr;
  Result (*EventCreate)(Event*, unsigned flags) = nullptr;
  Result (*EventDestroy)(Event) = nullptr;
  Result (*EventRecord)(Event, Stream) = nullptr;
  Result (*EventSynchronize)(Event) = nullptr;
  Result (*EventElapsedTime)(float* milliseconds, Event start, Event end) = nullptr;
};

// Opens and initializes the driver at the first call, in any thread; the same answer ever after. Unavailable when there
// is no libcuda, NotFound when there is no device. The library stays open until the process ends.
absl::StatusOr<const Driver*> OpenDriver();

}  // namespace kiln::runtime::cuda

#endif  // KILN_RUNTIME_CUDA_DRIVER_H_
