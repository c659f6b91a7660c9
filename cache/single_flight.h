// One build a key: threads of a process wait for the first of them, processes of a node for the first of those.
//
//   SingleFlight flights(&store, disk->root());
//   KILN_ASSIGN_OR_RETURN(Flight flight, flights.GetOrBuild(key, [&] { return Compile(request); }));
//
// Who waits is never held up for good: after a bound one of those who wait takes over, after another each builds by
// itself. A failed build is never stored; it is given to those who waited for it, and the next caller tries again.
#ifndef KILN_CACHE_SINGLE_FLIGHT_H_
#define KILN_CACHE_SINGLE_FLIGHT_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "cache/root_dir.h"
#include "cache/store.h"

namespace kiln::cache {

struct FlightOptions {
  // The longest wait for another process's build. After it, one of those who waited takes over, and the others wait for
  // that one as long again, at most; for another thread's build, which may be waiting for processes itself, three times
  // as long.
  absl::Duration max_wait = absl::Seconds(120);
};

// How GetOrBuild came by its entry.
struct Flight {
  EntryPtr entry;
  Tier tier = Tier::kNone;  // Where it was found; kNone: built, by this call or by the thread it waited for.
  bool built = false;       // By this very call.
};

// Thread-safe.
class SingleFlight {
 public:
  using Build = absl::FunctionRef<absl::StatusOr<EntryPtr>()>;

  // `store` is borrowed and outlives this. `lock_root` is where processes meet; null keeps to this process.
  SingleFlight(Store* store, std::shared_ptr<RootDir> lock_root, FlightOptions options = {})
      : store_(store), lock_root_(std::move(lock_root)), options_(options) {}

  // The entry of `key`: the store's, or another's build, or `build`'s, which is then stored.
  //
  // `build` runs at most once, without any lock of ours held but the key's. While it runs it may ask for other keys, if
  // no two builds ever ask for each other's. A status other than OK is the failure of the build that this call ran or
  // waited for; kCancelled is the wish of the owner alone, so who waited for it builds in its stead.
  // Internal: the build gave an entry under another key, or one without payload.
  absl::StatusOr<Flight> GetOrBuild(const Key& key, Build build);

  // Adds this part's figures to `stats`; the store's are its own.
  void AddStats(Stats* stats) const;

 private:
  // One build in progress in this process.
  struct Call {
    absl::Mutex mutex;
    bool done ABSL_GUARDED_BY(mutex) = false;
    absl::StatusOr<Flight> result ABSL_GUARDED_BY(mutex);
  };

  // The owner's call, made new or joined; `*joined` says which.
  std::shared_ptr<Call> JoinOrStart(const Key& key, bool* joined);
  void Finish(const Key& key, Call* call, const absl::StatusOr<Flight>& result);
  absl::StatusOr<Flight> BuildAcrossProcesses(const Key& key, Build build);
  absl::StatusOr<Flight> RunBuild(const Key& key, Build build);

  Store* const store_;
  const std::shared_ptr<RootDir> lock_root_;
  const FlightOptions options_;

  absl::Mutex mutex_;
  absl::flat_hash_map<Key, std::shared_ptr<Call>> calls_ ABSL_GUARDED_BY(mutex_);

  Counter builds_, build_failures_, private_builds_, waits_, shared_failures_, lock_wait_nanos_;
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_SINGLE_FLIGHT_H_
