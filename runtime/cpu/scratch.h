// Scratch memory for CTAs: buffers that workers borrow for a range of CTAs and give back, so that launches in a steady
// state allocate nothing and no kernel's tiles stand on a thread's stack. Thread-safe.
#ifndef KILN_RUNTIME_CPU_SCRATCH_H_
#define KILN_RUNTIME_CPU_SCRATCH_H_

#include <cstdint>
#include <mutex>

namespace kiln::runtime {

class ScratchPool {
 public:
  ScratchPool() = default;
  // REQUIRES: every lease has ended.
  ~ScratchPool();
  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;

  // Makes `count` buffers of at least `bytes` stand ready. False when memory ran out.
  bool Reserve(int count, int64_t bytes);

 private:
  friend class ScratchLease;
  // Stands at the head of its memory.
  struct Buffer {
    Buffer* next;
    int64_t bytes;
  };

  Buffer* Take(int64_t bytes);
  void Give(Buffer* buffer);

  std::mutex mutex_;
  Buffer* free_ = nullptr;
};

// A buffer for the holder alone, 64-byte aligned, with whatever it last held in it. `data` is null when memory ran out.
class ScratchLease {
 public:
  ScratchLease(ScratchPool& pool, int64_t bytes) : pool_(pool), buffer_(pool.Take(bytes)) {}
  ~ScratchLease() {
    if (buffer_) pool_.Give(buffer_);
  }
  ScratchLease(const ScratchLease&) = delete;
  ScratchLease& operator=(const ScratchLease&) = delete;

  void* data() const;

 private:
  ScratchPool& pool_;
  ScratchPool::Buffer* buffer_;
};

}  // namespace kiln::runtime

#endif  // KILN_RUNTIME_CPU_SCRATCH_H_
