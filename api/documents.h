// Modules between their two spellings, text and bytes, each read with everything that is checked of it.
#ifndef KILN_API_DOCUMENTS_H_
#define KILN_API_DOCUMENTS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"

namespace kiln::api {

// `name` is what errors call the input. All problems are reported, not the first.
absl::StatusOr<ir::Module> ModuleFromText(std::string_view text, const std::string& name);
absl::StatusOr<ir::Module> ModuleFromBytes(std::string_view bytes, const std::string& name);
// Either; the first bytes say which.
absl::StatusOr<ir::Module> ModuleFromEither(std::string_view input, const std::string& name);

absl::StatusOr<std::string> EncodeText(std::string_view text, const std::string& name);
absl::StatusOr<std::string> DecodeBytes(std::string_view bytes, const std::string& name);
// The canonical form, comments kept.
absl::StatusOr<std::string> FormatText(std::string_view text, const std::string& name);

}  // namespace kiln::api

#endif  // KILN_API_DOCUMENTS_H_
