#include "api/bench_run.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "kiln/internal/status_macros.h"
#if KILN_HAS_CUDA
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#endif

namespace kiln::api {
namespace {

std::vector<void*> HostData(std::vector<MadeArgument>* made) {
  std::vector<void*> data;
  for (MadeArgument& argument : *made) data.push_back(argument.is_tensor ? argument.tensor.data : nullptr);
  return data;
}

double Median(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  return values[middle];
}

// Copies of the tensors that a launch writes, so that timed runs leave the first one's results alone.
struct Scratch {
  std::vector<std::vector<char>> storage;
  std::vector<void*> data;
};

Scratch ScratchOf(const std::vector<MadeArgument>& made, std::vector<void*> data) {
  Scratch scratch{{}, std::move(data)};
  for (size_t i = 0; i < made.size(); ++i) {
    if (!made[i].is_tensor || !made[i].tensor.written) continue;
    std::vector<char>& copy = scratch.storage.emplace_back(static_cast<size_t>(made[i].tensor.bytes) + 64);
    char* aligned = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(copy.data()) + 63) / 64 * 64);
    std::memcpy(aligned, made[i].tensor.data, static_cast<size_t>(made[i].tensor.bytes));
    scratch.data[i] = aligned;
  }
  return scratch;
}

absl::StatusOr<BenchRun> RunOnHost(const Op& op, kiln_dl_device place, std::vector<MadeArgument>* made, int repeat) {
  BenchRun run;
  std::vector<kiln_dl_tensor> tensors;
  const std::vector<kiln_arg> args = ArgumentsOf(*made, place, HostData(made), &tensors);
  KILN_ASSIGN_OR_RETURN(run.executable, op.Prepare(args));
  const Scratch scratch = ScratchOf(*made, HostData(made));
  std::vector<kiln_dl_tensor> scratch_tensors;
  const std::vector<kiln_arg> timed = ArgumentsOf(*made, place, scratch.data, &scratch_tensors);
  KILN_RETURN_IF_ERROR(run.executable->Launch(nullptr, args));
  std::vector<double> micros;
  for (int i = 0; i < repeat; ++i) {
    const int64_t start = absl::GetCurrentTimeNanos();
    KILN_RETURN_IF_ERROR(run.executable->Launch(nullptr, timed));
    micros.push_back(static_cast<double>(absl::GetCurrentTimeNanos() - start) * 1e-3);
  }
  run.run_us = Median(std::move(micros));
  return run;
}

#if KILN_HAS_CUDA

// The tensors of one set of arguments in device memory.
struct DeviceCopy {
  std::vector<runtime::cuda::DeviceMemory> memory;
  std::vector<void*> data;
};

absl::StatusOr<DeviceCopy> CopyToDevice(const runtime::cuda::CudaDevice& device,
                                        const std::vector<MadeArgument>& made) {
  DeviceCopy copy;
  for (const MadeArgument& argument : made) {
    copy.data.push_back(nullptr);
    if (!argument.is_tensor) continue;
    const size_t bytes = static_cast<size_t>(argument.tensor.bytes);
    KILN_ASSIGN_OR_RETURN(runtime::cuda::DeviceMemory memory,
                          runtime::cuda::DeviceMemory::Allocate(device, std::max<size_t>(bytes, 1)));
    KILN_RETURN_IF_ERROR(memory.CopyFrom(argument.tensor.data, bytes));
    copy.data.back() = memory.data();
    copy.memory.push_back(std::move(memory));
  }
  return copy;
}

absl::Status CopyResults(const DeviceCopy& copy, std::vector<MadeArgument>* made) {
  size_t next = 0;
  for (MadeArgument& argument : *made) {
    if (!argument.is_tensor) continue;
    const runtime::cuda::DeviceMemory& memory = copy.memory[next++];
    if (argument.tensor.written)
      KILN_RETURN_IF_ERROR(memory.CopyTo(argument.tensor.data, static_cast<size_t>(argument.tensor.bytes)));
  }
  return absl::OkStatus();
}

absl::StatusOr<BenchRun> RunOnCuda(const runtime::cuda::CudaDevice& device, const Op& op, kiln_dl_device place,
                                   std::vector<MadeArgument>* made, int repeat) {
  BenchRun run;
  KILN_ASSIGN_OR_RETURN(const DeviceCopy copy, CopyToDevice(device, *made));
  std::vector<kiln_dl_tensor> tensors;
  const std::vector<kiln_arg> args = ArgumentsOf(*made, place, copy.data, &tensors);
  KILN_ASSIGN_OR_RETURN(run.executable, op.Prepare(args));
  KILN_ASSIGN_OR_RETURN(const runtime::cuda::OwnedStream stream, runtime::cuda::OwnedStream::Create(device));
  KILN_RETURN_IF_ERROR(run.executable->Launch(stream.get(), args));
  KILN_RETURN_IF_ERROR(stream.Synchronize());
  KILN_RETURN_IF_ERROR(CopyResults(copy, made));
  std::vector<double> micros;
  for (int i = 0; i < repeat; ++i) {
    KILN_ASSIGN_OR_RETURN(runtime::cuda::OwnedEvent start, runtime::cuda::OwnedEvent::Create(device));
    KILN_ASSIGN_OR_RETURN(runtime::cuda::OwnedEvent end, runtime::cuda::OwnedEvent::Create(device));
    KILN_RETURN_IF_ERROR(start.Record(stream.get()));
    KILN_RETURN_IF_ERROR(run.executable->Launch(stream.get(), args));
    KILN_RETURN_IF_ERROR(end.Record(stream.get()));
    KILN_RETURN_IF_ERROR(end.Synchronize());
    KILN_ASSIGN_OR_RETURN(const double elapsed, end.MicrosecondsSince(start));
    micros.push_back(elapsed);
  }
  run.run_us = Median(std::move(micros));
  return run;
}

#endif

}  // namespace

absl::StatusOr<BenchRun> RunAndTime(Session* session, const Op& op, kiln_dl_device place,
                                    std::vector<MadeArgument>* made, int repeat) {
  KILN_ASSIGN_OR_RETURN(const runtime::Device* device, session->backends().DeviceAt(place));
#if KILN_HAS_CUDA
  if (device->kind() == TargetKind::kCuda)
    return RunOnCuda(static_cast<const runtime::cuda::CudaDevice&>(*device), op, place, made, repeat);
#endif
  KILN_CHECK(device->kind() != TargetKind::kCuda, device->name());
  return RunOnHost(op, place, made, repeat);
}

}  // namespace kiln::api
