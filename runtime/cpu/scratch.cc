#include "runtime/cpu/scratch.h"

#include <cstdlib>

namespace kiln::runtime {
namespace {

constexpr int64_t kAlign = 64;

}  // namespace

ScratchPool::~ScratchPool() {
  while (free_) {
    Buffer* buffer = free_;
    free_ = buffer->next;
    std::free(buffer);
  }
}

// Buffers too small for the request are dropped on the way: sizes only grow until every kernel in use fits.
ScratchPool::Buffer* ScratchPool::Take(int64_t bytes) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    while (free_) {
      Buffer* buffer = free_;
      free_ = buffer->next;
      if (buffer->bytes >= bytes) return buffer;
      std::free(buffer);
    }
  }
  int64_t rounded = (bytes + kAlign - 1) / kAlign * kAlign;
  auto* buffer = static_cast<Buffer*>(std::aligned_alloc(kAlign, static_cast<size_t>(rounded + kAlign)));
  if (buffer) *buffer = {nullptr, rounded};
  return buffer;
}

void ScratchPool::Give(Buffer* buffer) {
  std::lock_guard<std::mutex> lock(mutex_);
  buffer->next = free_;
  free_ = buffer;
}

bool ScratchPool::Reserve(int count, int64_t bytes) {
  Buffer* taken = nullptr;
  bool enough = true;
  for (int i = 0; i < count && enough; ++i) {
    Buffer* buffer = Take(bytes);
    enough = buffer != nullptr;
    if (!buffer) break;
    buffer->next = taken;
    taken = buffer;
  }
  while (taken) {
    Buffer* buffer = taken;
    taken = buffer->next;
    Give(buffer);
  }
  return enough;
}

void* ScratchLease::data() const { return buffer_ ? reinterpret_cast<char*>(buffer_) + kAlign : nullptr; }

}  // namespace kiln::runtime
