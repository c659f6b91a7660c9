// Targets by name, or from a file of the user's: text (target.proto, protobuf text format) into kiln::Target.
//
//   KILN_ASSIGN_OR_RETURN(Target hopper, FindTarget("sm_90a"));
//   KILN_ASSIGN_OR_RETURN(Target mine, ParseTarget(text_of_a_file));
//
// Pure and thread-safe: the shipped files are compiled into the library, nothing is read at run time.
#ifndef KILN_COMPILER_TARGETS_TARGETS_H_
#define KILN_COMPILER_TARGETS_TARGETS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kiln/internal/target.h"

namespace kiln {

// NotFound names the targets there are. `cpu` has no arch and 16-byte vectors until a runtime fills the host's in.
absl::StatusOr<Target> FindTarget(absl::string_view name);

// InvalidArgument with line and column when the text does not parse, with the field when a value makes no sense. Texts
// over 64 KiB are refused.
absl::StatusOr<Target> ParseTarget(absl::string_view text);

// Of the shipped targets, sorted.
std::vector<std::string> TargetNames();

}  // namespace kiln

#endif  // KILN_COMPILER_TARGETS_TARGETS_H_
