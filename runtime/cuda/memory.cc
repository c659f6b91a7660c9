#include "runtime/cuda/memory.h"

#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/status.h"

namespace kiln::runtime::cuda {
namespace {

// Ordered with the default stream, on which the copies run: a kernel launched after CopyFrom returns sees the bytes,
// whose last part may still be on its way then.
constexpr unsigned kBlockingStream = 0;

// Runs `call` with the device's context current.
template <typename Call>
absl::Status With(const CudaDevice& device, absl::string_view doing, Call call) {
  CurrentContext current(device.driver(), device.context());
  Result result = current.result();
  if (result == kSuccess) result = call(device.driver());
  return StatusOf(device.driver(), result, doing);
}

absl::Status CheckRange(size_t bytes, size_t offset, size_t size) {
  if (offset <= size && bytes <= size - offset) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("cuda: copy of ", bytes, " bytes at ", offset, ": the buffer has ", size));
}

}  // namespace

absl::StatusOr<DeviceMemory> DeviceMemory::Allocate(const CudaDevice& device, size_t bytes) {
  Address address = 0;
  // An empty buffer has an address too, as a tensor with no elements may.
  KILN_RETURN_IF_ERROR(With(device, absl::StrCat("allocate ", bytes, " bytes"),
                            [&](const Driver& driver) { return driver.MemAlloc(&address, bytes ? bytes : 1); }));
  return DeviceMemory(device, address, bytes);
}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (address_) With(*device_, "free", [&](const Driver& driver) { return driver.MemFree(address_); }).IgnoreError();
}

absl::Status DeviceMemory::CopyFrom(const void* host, size_t bytes, size_t offset) {
  KILN_RETURN_IF_ERROR(CheckRange(bytes, offset, bytes_));
  if (bytes == 0) return absl::OkStatus();
  return With(*device_, "copy to the device",
              [&](const Driver& driver) { return driver.MemcpyHtoD(address_ + offset, host, bytes); });
}

absl::Status DeviceMemory::CopyTo(void* host, size_t bytes, size_t offset) const {
  KILN_RETURN_IF_ERROR(CheckRange(bytes, offset, bytes_));
  if (bytes == 0) return absl::OkStatus();
  return With(*device_, "copy to the host",
              [&](const Driver& driver) { return driver.MemcpyDtoH(host, address_ + offset, bytes); });
}

absl::Status DeviceMemory::Fill(unsigned char value, void* stream) {
  if (bytes_ == 0) return absl::OkStatus();
  return With(*device_, "fill", [&](const Driver& driver) {
    return driver.MemsetD8Async(address_, value, bytes_, static_cast<Stream>(stream));
  });
}

absl::StatusOr<OwnedStream> OwnedStream::Create(const CudaDevice& device) {
  Stream stream = nullptr;
  KILN_RETURN_IF_ERROR(With(device, "make a stream",
                            [&](const Driver& driver) { return driver.StreamCreate(&stream, kBlockingStream); }));
  return OwnedStream(device, stream);
}

OwnedStream::~OwnedStream() {
  if (stream_)
    With(*device_, "free a stream", [&](const Driver& driver) { return driver.StreamDestroy(stream_); }).IgnoreError();
}

absl::Status OwnedStream::Synchronize() const {
  return With(*device_, "wait for a stream", [&](const Driver& driver) { return driver.StreamSynchronize(stream_); });
}

absl::StatusOr<OwnedEvent> OwnedEvent::Create(const CudaDevice& device) {
  Event event = nullptr;
  KILN_RETURN_IF_ERROR(
      With(device, "make an event", [&](const Driver& driver) { return driver.EventCreate(&event, 0); }));
  return OwnedEvent(device, event);
}

OwnedEvent::~OwnedEvent() {
  if (event_)
    With(*device_, "free an event", [&](const Driver& driver) { return driver.EventDestroy(event_); }).IgnoreError();
}

absl::Status OwnedEvent::Record(void* stream) {
  return With(*device_, "record an event",
              [&](const Driver& driver) { return driver.EventRecord(event_, static_cast<Stream>(stream)); });
}

absl::Status OwnedEvent::Synchronize() const {
  return With(*device_, "wait for an event", [&](const Driver& driver) { return driver.EventSynchronize(event_); });
}

absl::StatusOr<double> OwnedEvent::MicrosecondsSince(const OwnedEvent& start) const {
  float milliseconds = 0;
  KILN_RETURN_IF_ERROR(With(*device_, "time two events", [&](const Driver& driver) {
    return driver.EventElapsedTime(&milliseconds, start.event_, event_);
  }));
  return static_cast<double>(milliseconds) * 1000;
}

}  // namespace kiln::runtime::cuda
