// Artifact to bytes and back (artifact.proto).
//
// Bytes from a cache are not believed: decoding is bounded, and gives an artifact only when it could be launched
// without reading out of any bound, whatever its recipe says.
#ifndef KILN_API_ARTIFACT_CODEC_H_
#define KILN_API_ARTIFACT_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kiln/internal/artifact.h"

namespace kiln::api {

inline constexpr uint32_t kArtifactVersion = 1;
inline constexpr size_t kMaxArtifactBytes = 256 << 20;

// The same bytes for the same artifact.
std::string EncodeArtifact(const Artifact& artifact);

// DataLoss: not the bytes of a whole, valid artifact; says which part. Unimplemented: a later version wrote them.
absl::StatusOr<Artifact> DecodeArtifact(std::string_view bytes);

}  // namespace kiln::api

#endif  // KILN_API_ARTIFACT_CODEC_H_
