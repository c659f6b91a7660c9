// The kernels an op has loaded, by the facts they were made for: what a launch looks into, and nothing else on a hit.
//
// Readers take no lock, write no memory and make no system call: they read one table through an atomic pointer, and a
// slot through another. Writers take a mutex. A table that has grown too small stays until the map goes, so that a
// reader may still be in it; all of them together are smaller than the last one twice over.
#ifndef KILN_API_LOADED_KERNELS_H_
#define KILN_API_LOADED_KERNELS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "api/call_facts.h"

namespace kiln::api {

class Executable;

// Thread-safe.
class LoadedKernels {
 public:
  LoadedKernels();
  ~LoadedKernels();
  LoadedKernels(const LoadedKernels&) = delete;
  LoadedKernels& operator=(const LoadedKernels&) = delete;

  // REQUIRES, here and below: the facts are sealed.
  // Null when nothing was made for these facts. What it gives lives as long as the map.
  const Executable* Find(const CallFacts& facts) const;

  // Keeps `executable` under its own facts, unless one is there; gives the one that is kept.
  std::shared_ptr<const Executable> Insert(std::shared_ptr<const Executable> executable);

  size_t size() const;

 private:
  struct Slot {
    std::atomic<uint64_t> hash{0};
    std::atomic<const Executable*> executable{nullptr};
  };
  struct Table {
    explicit Table(size_t size) : slots(size), mask(size - 1) {}
    std::vector<Slot> slots;
    const size_t mask;
  };

  static void Place(Table* table, const Executable* executable);

  std::atomic<const Table*> table_;
  mutable absl::Mutex mutex_;
  std::vector<std::unique_ptr<Table>> tables_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const Executable>> kept_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::api

#endif  // KILN_API_LOADED_KERNELS_H_
