// The two keys of an artifact. The first is made of what was asked for, by this very compiler; it leads to the second,
// made of what the vendor's tool was given, so that a release of ours which emits the same source meets the old binary.
#ifndef KILN_API_REQUEST_KEY_H_
#define KILN_API_REQUEST_KEY_H_

#include <string_view>

#include "cache/entry.h"
#include "compiler/pipeline.h"
#include "compiler/request.h"

namespace kiln::api {

// Of all that can change an artifact, our own compiler included.
cache::Key RequestKey(std::string_view canonical_text);

// Of the source, the vendor tool and its options, and of the host's half of the artifact (arguments, recipe), which our
// compiler makes too.
cache::Key SourceKey(const CompileRequest& request, const Lowered& lowered, const CompileOptions& options);

// The digest of the sources of our compiler, made by the build; 64 hexadecimal digits.
std::string_view CompilerFingerprint();

}  // namespace kiln::api

#endif  // KILN_API_REQUEST_KEY_H_
