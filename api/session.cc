#include "api/session.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "api/artifact_codec.h"
#include "api/request_key.h"
#include "cache/key_map.h"
#include "compiler/specialize/default_config.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {
namespace {

Outcome OutcomeOf(cache::Tier tier) {
  switch (tier) {
    case cache::Tier::kMemory:
      return Outcome::kMemory;
    case cache::Tier::kDisk:
      return Outcome::kDisk;
    case cache::Tier::kBundle:
      return Outcome::kBundle;
    case cache::Tier::kNone:
      break;
  }
  return Outcome::kMiss;
}

// An artifact that a cache gave, if it is what the request asks for.
absl::StatusOr<Artifact> ArtifactFrom(const cache::Entry& entry, const CompileRequest& request) {
  KILN_ASSIGN_OR_RETURN(Artifact artifact, DecodeArtifact(entry.payload));
  if (artifact.arch != request.target.arch)
    return absl::DataLossError(
        absl::StrCat("artifact: expected one for ", request.target.arch, ", got one for ", artifact.arch));
  return artifact;
}

std::string ConfigText(const std::map<std::string, int64_t>& config) {
  return absl::StrJoin(config, ",", absl::PairFormatter("="));
}

}  // namespace

std::string_view Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kMiss:
      return "miss";
    case Outcome::kMemory:
      return "memory";
    case Outcome::kDisk:
      return "disk";
    case Outcome::kBundle:
      return "bundle";
  }
  return "";
}

Session::Session(Options options)
    : options_(std::move(options)),
      backends_(options_),
      cache_(OpenCacheTiers(options_)),
      flights_(std::make_unique<cache::SingleFlight>(cache_.store.get(), cache_.lock_root)),
      queue_(options_.compile_threads) {}

void Session::Log(LogLevel level, std::string_view text) const {
  if (options_.log) options_.log(level, text);
}

cache::Stats Session::CacheStats() const {
  cache::Stats stats;
  cache_.store->AddStats(&stats);
  flights_->AddStats(&stats);
  return stats;
}

absl::StatusOr<CompileRequest> MakeRequest(const BuildOrder& order) {
  const ir::Kernel* kernel = ir::FindKernel(*order.module, order.kernel);
  KILN_CHECK(kernel != nullptr, order.kernel);
  Bindings bindings = order.bindings;
  KILN_ASSIGN_OR_RETURN(bindings.ints, DefaultConfig(*order.module, order.kernel, order.bindings, order.target));
  CompileRequest request;
  KILN_ASSIGN_OR_RETURN(request.kernel, Specialize(*order.module, order.kernel, bindings, order.target));
  request.target = order.target;
  for (const ir::MetaParam& meta : kernel->metas)
    if (const auto value = bindings.ints.find(meta.name); value != bindings.ints.end()) request.config.insert(*value);
  return request;
}

absl::StatusOr<KeyedRequest> Session::KeyOf(CompileRequest* request) {
  KILN_ASSIGN_OR_RETURN(const Toolchain* toolchain, backends_.ToolchainFor(request->target.kind));
  request->toolchain = toolchain->Fingerprint();
  std::string text = CanonicalText(*request);
  const cache::Key key = RequestKey(text);
  return KeyedRequest{key, std::move(text)};
}

absl::StatusOr<Built> Session::Build(CompileRequest request) {
  KILN_ASSIGN_OR_RETURN(const KeyedRequest keyed, KeyOf(&request));
  const auto& [request_key, text] = keyed;
  Built built;
  built.config = request.config;
  built.key = request_key.digest.ToHex();
  if (Find(request, request_key, &built)) return built;

  const absl::Time start = absl::Now();
  KILN_ASSIGN_OR_RETURN(const Lowered lowered, LowerToSource(request));
  const CompileOptions options = CompileOptionsFor(request);
  const cache::Key source_key = SourceKey(request, lowered, options);
  KILN_ASSIGN_OR_RETURN(const cache::Flight flight, flights_->GetOrBuild(source_key, [&] {
    return CompileEntry(request, lowered, options, source_key, keyed.text);
  }));
  KILN_ASSIGN_OR_RETURN(built.artifact, ArtifactFrom(*flight.entry, request));
  cache_.store->Put(cache::MakeKeyMap(request_key.digest, source_key.digest, text));
  built.outcome = OutcomeOf(flight.tier);
  if (built.outcome == Outcome::kMiss) built.compile_ms = absl::ToDoubleMilliseconds(absl::Now() - start);
  Count(built.outcome);
  return built;
}

bool Session::Find(const CompileRequest& request, const cache::Key& request_key, Built* built) {
  const cache::Lookup map = cache_.store->Get(request_key);
  if (!map) return false;
  const absl::StatusOr<cache::Digest> source = cache::SourceOf(*map.entry);
  if (!source.ok()) return false;
  const cache::Lookup binary = cache_.store->Get({cache::EntryKind::kBinary, *source});
  if (!binary) return false;
  absl::StatusOr<Artifact> artifact = ArtifactFrom(*binary.entry, request);
  if (!artifact.ok()) {
    Log(LogLevel::kWarning, absl::StrCat("cache: entry ", source->ToHex(), " not used: ", artifact.status().message()));
    return false;
  }
  built->artifact = *std::move(artifact);
  built->outcome = OutcomeOf(binary.tier);
  Count(built->outcome);
  return true;
}

void Session::Count(Outcome outcome) {
  switch (outcome) {
    case Outcome::kMiss:
      ++metrics_.misses;
      break;
    case Outcome::kMemory:
      ++metrics_.memory_hits;
      break;
    case Outcome::kDisk:
      ++metrics_.disk_hits;
      break;
    case Outcome::kBundle:
      ++metrics_.bundle_hits;
      break;
  }
}

CompileOptions Session::CompileOptionsFor(const CompileRequest& request) const {
  CompileOptions options;
  options.arch = request.target.arch;
  options.deadline = options_.compile_deadline;
  return options;
}

absl::StatusOr<cache::EntryPtr> Session::CompileEntry(const CompileRequest& request, const Lowered& lowered,
                                                      const CompileOptions& options, const cache::Key& key,
                                                      const std::string& request_text) {
  KILN_ASSIGN_OR_RETURN(const Toolchain* toolchain, backends_.ToolchainFor(request.target.kind));
  const absl::Time start = absl::Now();
  ++metrics_.compiles;
  absl::StatusOr<Artifact> artifact = CompileSource(request, lowered, *toolchain, options);
  metrics_.compile_nanos += absl::ToInt64Nanoseconds(absl::Now() - start);
  if (!artifact.ok()) {
    ++metrics_.compile_failures;
    return std::move(artifact).status();
  }
  auto entry = std::make_shared<cache::Entry>();
  entry->key = key;
  entry->fields = {{"arch", artifact->arch},
                   {"config", ConfigText(request.config)},
                   {"kernel", request.kernel.name},
                   {"toolchain", request.toolchain}};
  entry->request = request_text;
  entry->payload = EncodeArtifact(*artifact);
  return cache::EntryPtr(std::move(entry));
}

}  // namespace kiln::api
