// Several stores as one, nearest first: a hit below is kept above, and a new entry is kept in all.
#ifndef KILN_CACHE_TIERED_STORE_H_
#define KILN_CACHE_TIERED_STORE_H_

#include <memory>
#include <utility>
#include <vector>

#include "cache/store.h"

namespace kiln::cache {

class TieredStore : public Store {
 public:
  // Owns its tiers. None of them is null; the list may be empty, which holds nothing.
  explicit TieredStore(std::vector<std::unique_ptr<Store>> tiers) : tiers_(std::move(tiers)) {}

  // The lookup names the tier that had the entry, not the one it has been kept in since.
  Lookup Get(const Key& key) override;
  void Put(const EntryPtr& entry) override;
  void AddStats(Stats* stats) const override;

 private:
  const std::vector<std::unique_ptr<Store>> tiers_;
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_TIERED_STORE_H_
