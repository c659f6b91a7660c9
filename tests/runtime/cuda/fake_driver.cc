#include "tests/runtime/cuda/fake_driver.h"

#include <cstdio>
#include <cstring>

namespace kiln::runtime::cuda {
namespace {

int g_context, g_module, g_function, g_stream, g_event;

template <typename Handle>
Handle HandleOf(int& object) {
  return reinterpret_cast<Handle>(&object);
}

Result Outcome(const std::string& function) {
  auto it = State().fail.find(function);
  return it == State().fail.end() ? kSuccess : it->second;
}

Result Called(const std::string& function, const std::string& detail = "") {
  State().calls.push_back(detail.empty() ? function : function + " " + detail);
  return Outcome(function);
}

Result NeedsContext(const std::string& function, const std::string& detail = "") {
  constexpr Result kInvalidContext = 201;
  if (State().current != PrimaryContext()) return kInvalidContext;
  return Called(function, detail);
}

Result GetErrorName(Result result, const char** name) {
  *name = result == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : result == 201 ? "CUDA_ERROR_INVALID_CONTEXT" : nullptr;
  return *name ? kSuccess : kInvalidValue;
}

Result GetErrorString(Result result, const char** text) {
  *text = result == kOutOfMemory ? "out of memory" : nullptr;
  return *text ? kSuccess : kInvalidValue;
}

Result DeviceGetAttribute(int* value, int attribute, DeviceId) {
  switch (attribute) {
    case kMultiprocessorCount:
      *value = 132;
      return kSuccess;
    case kComputeCapabilityMajor:
      *value = State().major;
      return kSuccess;
    case kComputeCapabilityMinor:
      *value = State().minor;
      return kSuccess;
    case kMaxSharedMemoryPerBlockOptin:
      *value = 232448;
      return kSuccess;
    case kL2CacheSize:
      *value = 50 << 20;
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

Result LaunchKernel(Function, unsigned x, unsigned y, unsigned z, unsigned block, unsigned, unsigned, unsigned shared,
                    Stream stream, void** params, void**) {
  State().config = {x, y, z, block, 1, 1, shared, stream, nullptr, 0};
  for (int i = 0; i < 3; ++i) std::memcpy(&State().params[i], params[i], sizeof(uint64_t));
  return NeedsContext("LaunchKernel");
}

Result LaunchKernelEx(const LaunchConfig* config, Function, void**, void**) {
  State().config = *config;
  State().cluster_x = config->attributes[0].cluster_x;
  return NeedsContext("LaunchKernelEx", std::to_string(config->attributes[0].id));
}

}  // namespace

FakeDriverState& State() {
  static FakeDriverState state;
  return state;
}

Context PrimaryContext() { return HandleOf<Context>(g_context); }

Driver FakeDriver() {
  Driver driver;
  driver.Init = [](unsigned) { return Called("Init"); };
  driver.GetErrorName = GetErrorName;
  driver.GetErrorString = GetErrorString;
  driver.DriverGetVersion = [](int* version) { return *version = 13000, kSuccess; };
  driver.DeviceGetCount = [](int* count) { return *count = 1, Outcome("DeviceGetCount"); };
  driver.DeviceGet = [](DeviceId* id, int ordinal) { return *id = ordinal, kSuccess; };
  driver.DeviceGetName = [](char* name, int size, DeviceId) {
    return std::snprintf(name, static_cast<size_t>(size), "NVIDIA H200"), kSuccess;
  };
  driver.DeviceGetAttribute = DeviceGetAttribute;
  driver.DevicePrimaryCtxRetain = [](Context* context, DeviceId) {
    return *context = PrimaryContext(), Called("DevicePrimaryCtxRetain");
  };
  driver.DevicePrimaryCtxRelease = [](DeviceId) { return Called("DevicePrimaryCtxRelease"); };
  driver.CtxGetCurrent = [](Context* context) { return *context = State().current, kSuccess; };
  driver.CtxPushCurrent = [](Context context) { return State().current = context, Called("CtxPushCurrent"); };
  driver.CtxPopCurrent = [](Context*) { return State().current = nullptr, Called("CtxPopCurrent"); };
  driver.ModuleLoadData = [](Module* module, const void*) {
    Result result = NeedsContext("ModuleLoadData");
    *module = result == kSuccess ? HandleOf<Module>(g_module) : nullptr;
    return result;
  };
  driver.ModuleUnload = [](Module) { return NeedsContext("ModuleUnload"); };
  driver.ModuleGetFunction = [](Function* function, Module, const char* name) {
    return *function = HandleOf<Function>(g_function), NeedsContext("ModuleGetFunction", name);
  };
  driver.FuncGetAttribute = [](int* value, int, Function) { return *value = State().static_shared, kSuccess; };
  driver.FuncSetAttribute = [](Function, int attribute, int value) {
    return NeedsContext("FuncSetAttribute", std::to_string(attribute) + " " + std::to_string(value));
  };
  driver.FuncLoad = [](Function) { return NeedsContext("FuncLoad"); };
  driver.LaunchKernel = LaunchKernel;
  driver.LaunchKernelEx = LaunchKernelEx;
  driver.MemAlloc = [](Address* address, size_t bytes) {
    *address = 4096 * (State().memory.size() + 1);
    State().memory[*address].resize(bytes);
    return NeedsContext("MemAlloc", std::to_string(bytes));
  };
  driver.MemFree = [](Address) { return NeedsContext("MemFree"); };
  driver.MemcpyHtoD = [](Address to, const void* from, size_t bytes) {
    return std::memcpy(State().memory.begin()->second.data() + (to - State().memory.begin()->first), from, bytes),
           kSuccess;
  };
  driver.MemcpyDtoH = [](void* to, Address from, size_t bytes) {
    return std::memcpy(to, State().memory.begin()->second.data() + (from - State().memory.begin()->first), bytes),
           kSuccess;
  };
  driver.MemsetD8Async = [](Address, unsigned char, size_t, Stream) { return NeedsContext("MemsetD8Async"); };
  driver.StreamCreate = [](Stream* stream, unsigned flags) {
    return *stream = HandleOf<Stream>(g_stream), NeedsContext("StreamCreate", std::to_string(flags));
  };
  driver.StreamDestroy = [](Stream) { return NeedsContext("StreamDestroy"); };
  driver.StreamSynchronize = [](Stream) { return NeedsContext("StreamSynchronize"); };
  driver.EventCreate = [](Event* event, unsigned) {
    return *event = HandleOf<Event>(g_event), NeedsContext("EventCreate");
  };
  driver.EventDestroy = [](Event) { return NeedsContext("EventDestroy"); };
  driver.EventRecord = [](Event, Stream) { return NeedsContext("EventRecord"); };
  driver.EventSynchronize = [](Event) { return NeedsContext("EventSynchronize"); };
  driver.EventElapsedTime = [](float* milliseconds, Event, Event) { return *milliseconds = 0.5f, kSuccess; };
  return driver;
}

}  // namespace kiln::runtime::cuda
