#include "api/loaded_kernels.h"

#include <utility>

#include "api/executable.h"

namespace kiln::api {
namespace {

constexpr size_t kFirstTableSize = 8;  // A power of two, as every later one

}  // namespace

LoadedKernels::LoadedKernels() {
  tables_.push_back(std::make_unique<Table>(kFirstTableSize));
  table_.store(tables_.back().get(), std::memory_order_release);
}

LoadedKernels::~LoadedKernels() = default;

const Executable* LoadedKernels::Find(const CallFacts& facts) const {
  const Table* table = table_.load(std::memory_order_acquire);
  for (size_t at = facts.hash & table->mask;; at = (at + 1) & table->mask) {
    const Slot& slot = table->slots[at];
    const Executable* executable = slot.executable.load(std::memory_order_acquire);
    if (executable == nullptr) return nullptr;
    if (slot.hash.load(std::memory_order_relaxed) == facts.hash && executable->facts() == facts) return executable;
  }
}

void LoadedKernels::Place(Table* table, const Executable* executable) {
  size_t at = executable->facts().hash & table->mask;
  while (table->slots[at].executable.load(std::memory_order_relaxed) != nullptr) at = (at + 1) & table->mask;
  table->slots[at].hash.store(executable->facts().hash, std::memory_order_relaxed);
  table->slots[at].executable.store(executable, std::memory_order_release);
}

std::shared_ptr<const Executable> LoadedKernels::Insert(std::shared_ptr<const Executable> executable) {
  absl::MutexLock lock(&mutex_);
  for (const std::shared_ptr<const Executable>& other : kept_)
    if (other->facts() == executable->facts()) return other;
  kept_.push_back(executable);
  Table* table = tables_.back().get();
  // Half empty, so that a search that finds nothing ends soon.
  if (kept_.size() * 2 > table->slots.size()) {
    auto larger = std::make_unique<Table>(table->slots.size() * 2);
    for (const std::shared_ptr<const Executable>& other : kept_) Place(larger.get(), other.get());
    table_.store(larger.get(), std::memory_order_release);
    tables_.push_back(std::move(larger));
  } else {
    Place(table, executable.get());
  }
  return executable;
}

size_t LoadedKernels::size() const {
  absl::MutexLock lock(&mutex_);
  return kept_.size();
}

}  // namespace kiln::api
