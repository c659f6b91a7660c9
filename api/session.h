// The line and the jump: from a kernel and what is known of its arguments to an artifact, compiled or found.
//
//   bytes -> module -> bindings -> configuration -> specialized kernel -> request -> key
//                                                                                     | found: the artifact's bytes
//                                                            source <- plan <- infer <- not found
//                                                               | another key: found, or compiled and stored
//
// The only place that knows compiler, cache and devices at once. Thread-safe.
#ifndef KILN_API_SESSION_H_
#define KILN_API_SESSION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "api/backends.h"
#include "api/cache_tiers.h"
#include "api/compile_queue.h"
#include "api/metrics.h"
#include "api/options.h"
#include "cache/single_flight.h"
#include "compiler/ir/kernel.h"
#include "compiler/pipeline.h"
#include "compiler/request.h"
#include "compiler/specialize/specialize.h"

namespace kiln::api {

// What is to be built. Borrowed.
struct BuildOrder {
  const ir::Module* module = nullptr;
  std::string kernel;
  Bindings bindings;  // Integer meta-parameters left out take the compiler's choice
  Target target;
};

// Where an artifact came from.
enum class Outcome : uint8_t { kMiss = 0, kMemory = 1, kDisk = 2, kBundle = 3 };

// "miss", "memory", "disk", "bundle".
std::string_view Name(Outcome outcome);

// What a request is found under, and why.
struct KeyedRequest {
  cache::Key key;
  std::string text;  // Canonical
};

struct Built {
  Artifact artifact;
  std::map<std::string, int64_t> config;
  Outcome outcome = Outcome::kMiss;
  double compile_ms = 0;  // From the miss to the artifact; 0 when it was found
  std::string key;        // The request's, in hexadecimal
};

// Configuration, specialization: all of a request but the toolchain's fingerprint. Pure.
absl::StatusOr<CompileRequest> MakeRequest(const BuildOrder& order);

class Session {
 public:
  // Never fails: a cache directory that cannot be used is logged and done without.
  explicit Session(Options options);

  // The request's key. The toolchain's fingerprint is filled in here.
  absl::StatusOr<KeyedRequest> KeyOf(CompileRequest* request);

  // Finds the request's artifact, or compiles and stores it.
  absl::StatusOr<Built> Build(CompileRequest request);

  // What the vendor's tool is told beside the source.
  CompileOptions CompileOptionsFor(const CompileRequest& request) const;

  const Options& options() const { return options_; }
  Backends& backends() { return backends_; }
  Metrics& metrics() { return metrics_; }
  CompileQueue& queue() { return queue_; }
  cache::Stats CacheStats() const;
  void Log(LogLevel level, std::string_view text) const;

 private:
  // The jump: true when the request's artifact was in the cache.
  bool Find(const CompileRequest& request, const cache::Key& request_key, Built* built);
  absl::StatusOr<cache::EntryPtr> CompileEntry(const CompileRequest& request, const Lowered& lowered,
                                               const CompileOptions& options, const cache::Key& key,
                                               const std::string& request_text);
  void Count(Outcome outcome);

  const Options options_;
  Metrics metrics_;
  Backends backends_;
  CacheTiers cache_;
  std::unique_ptr<cache::SingleFlight> flights_;
  CompileQueue queue_;  // Last: its tasks use the rest
};

}  // namespace kiln::api

#endif  // KILN_API_SESSION_H_
