// A store over others that are only read: what it lacks they may have. Unlike between tiers, nothing is copied up,
// since what lies below is as near.
#ifndef KILN_CACHE_LAYERED_STORE_H_
#define KILN_CACHE_LAYERED_STORE_H_

#include <memory>
#include <utility>
#include <vector>

#include "cache/store.h"

namespace kiln::cache {

class LayeredStore : public Store {
 public:
  // Owns all. `upper` may be null: then nothing is kept.
  LayeredStore(std::unique_ptr<Store> upper, std::vector<std::unique_ptr<Store>> layers)
      : upper_(std::move(upper)), layers_(std::move(layers)) {}

  Lookup Get(const Key& key) override;
  void Put(const EntryPtr& entry) override;
  void AddStats(Stats* stats) const override;

 private:
  const std::unique_ptr<Store> upper_;
  const std::vector<std::unique_ptr<Store>> layers_;
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_LAYERED_STORE_H_
