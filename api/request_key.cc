#include "api/request_key.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "api/artifact_codec.h"
#include "api/compiler_fingerprint.h"
#include "cache/digest.h"

namespace kiln::api {

std::string_view CompilerFingerprint() { return kCompilerFingerprint; }

cache::Key RequestKey(std::string_view canonical_text) {
  return {cache::EntryKind::kRequest, cache::TaggedHasher("kiln.request")
                                          .Add("compiler", CompilerFingerprint())
                                          .Add("request", canonical_text)
                                          .Finish()};
}

cache::Key SourceKey(const CompileRequest& request, const Lowered& lowered, const CompileOptions& options) {
  Artifact host;
  host.kind = lowered.source.kind;
  host.arch = options.arch;
  host.kernel = request.kernel.name;
  host.entry = lowered.source.entry;
  host.args = lowered.args;
  host.recipe = lowered.recipe;
  host.rules = lowered.rules;
  return {cache::EntryKind::kBinary, cache::TaggedHasher("kiln.source")
                                         .Add("source", lowered.source.text)
                                         .Add("toolchain", request.toolchain)
                                         .Add("flags", absl::StrJoin(options.flags, "\n"))
                                         .Add("spills", options.allow_spills ? "allowed" : "refused")
                                         .Add("host", EncodeArtifact(host))
                                         .Finish()};
}

}  // namespace kiln::api
