// Device memory, streams and events for the tools and tests, which have no engine to own them. The library itself
// allocates and synchronizes nothing.
//
// Each object belongs to one device, which outlives it, and may be used from one thread at a time.
#ifndef KILN_RUNTIME_CUDA_MEMORY_H_
#define KILN_RUNTIME_CUDA_MEMORY_H_

#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "runtime/cuda/device.h"

namespace kiln::runtime::cuda {

class DeviceMemory {
 public:
  static absl::StatusOr<DeviceMemory> Allocate(const CudaDevice& device, size_t bytes);
  DeviceMemory(DeviceMemory&& other) noexcept
      : device_(other.device_), address_(std::exchange(other.address_, 0)), bytes_(other.bytes_) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();

  void* data() const { return reinterpret_cast<void*>(address_); }
  size_t size() const { return bytes_; }

  // Both wait for the copy. InvalidArgument past the end.
  absl::Status CopyFrom(const void* host, size_t bytes, size_t offset = 0);
  absl::Status CopyTo(void* host, size_t bytes, size_t offset = 0) const;
  absl::Status Fill(unsigned char value, void* stream);

 private:
  DeviceMemory(const CudaDevice& device, Address address, size_t bytes)
      : device_(&device), address_(address), bytes_(bytes) {}

  const CudaDevice* device_;
  Address address_;
  size_t bytes_;
};

class OwnedStream {
 public:
  static absl::StatusOr<OwnedStream> Create(const CudaDevice& device);
  OwnedStream(OwnedStream&& other) noexcept : device_(other.device_), stream_(std::exchange(other.stream_, nullptr)) {}
  OwnedStream& operator=(OwnedStream&&) = delete;
  ~OwnedStream();

  void* get() const { return stream_; }
  absl::Status Synchronize() const;

 private:
  OwnedStream(const CudaDevice& device, Stream stream) : device_(&device), stream_(stream) {}

  const CudaDevice* device_;
  Stream stream_;
};

class OwnedEvent {
 public:
  static absl::StatusOr<OwnedEvent> Create(const CudaDevice& device);
  OwnedEvent(OwnedEvent&& other) noexcept : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
  OwnedEvent& operator=(OwnedEvent&&) = delete;
  ~OwnedEvent();

  absl::Status Record(void* stream);
  absl::Status Synchronize() const;
  // Microseconds from `start` to this one. Both must have happened.
  absl::StatusOr<double> MicrosecondsSince(const OwnedEvent& start) const;

 private:
  OwnedEvent(const CudaDevice& device, Event event) : device_(&device), event_(event) {}

  const CudaDevice* device_;
  Event event_;
};

}  // namespace kiln::runtime::cuda

#endif  // KILN_RUNTIME_CUDA_MEMORY_H_
