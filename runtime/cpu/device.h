// The host CPU as a device: loads objects through the LLVM backend, runs a grid's CTAs over a pool of threads.
//
//   KILN_ASSIGN_OR_RETURN(std::shared_ptr<Device> cpu, cpu::CreateDevice({}));
//   KILN_ASSIGN_OR_RETURN(std::shared_ptr<const LoadedKernel> kernel, cpu->Load(artifact));
//   KILN_RETURN_IF_ERROR(kernel->Launch(nullptr, args));   // Done when it returns
#ifndef KILN_RUNTIME_CPU_DEVICE_H_
#define KILN_RUNTIME_CPU_DEVICE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/cpu/parallel.h"
#include "runtime/device.h"

namespace kiln::runtime::cpu {

struct Options {
  int threads = 0;               // Of a launch, the caller's included; 0 = as many as the hardware runs at once
  Parallel* parallel = nullptr;  // Borrowed: an engine's own threads, instead of a pool of ours
  std::string llvm;              // Path of the LLVM backend; empty = beside this library
};

// Unavailable when the LLVM backend cannot be opened. Kernels it loaded keep what they need of it alive.
absl::StatusOr<std::shared_ptr<Device>> CreateDevice(const Options& options);

}  // namespace kiln::runtime::cpu

#endif  // KILN_RUNTIME_CPU_DEVICE_H_
