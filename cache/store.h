// Anything that keeps entries: one tier, or several stacked.
//
//   Lookup found = store.Get(key);
//   if (!found) store.Put(BuildEntry(key));
//
// Every method of every store is safe to call from any thread. Nothing here fails: trouble with an entry or its medium
// is a miss or a dropped write, and shows in Stats.
#ifndef KILN_CACHE_STORE_H_
#define KILN_CACHE_STORE_H_

#include <cstdint>
#include <string_view>

#include "cache/entry.h"
#include "cache/stats.h"

namespace kiln::cache {

// Where an entry was found. In-process values; nothing stores them.
enum class Tier : uint8_t { kNone, kMemory, kDisk, kBundle };

// "miss", "memory", "disk" or "bundle": the word that tools print for a lookup's outcome.
std::string_view Name(Tier tier);

struct Lookup {
  EntryPtr entry;  // Null on a miss.
  Tier tier = Tier::kNone;

  explicit operator bool() const { return entry != nullptr; }
};

class Store {
 public:
  virtual ~Store() = default;

  virtual Lookup Get(const Key& key) = 0;

  // Keeps `entry`, which is not null, unless one is already there: entries under one key are interchangeable.
  virtual void Put(const EntryPtr& entry) = 0;

  // Adds this store's figures to `stats`.
  virtual void AddStats(Stats* stats) const = 0;
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_STORE_H_
