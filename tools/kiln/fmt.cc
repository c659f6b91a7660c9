// `kiln fmt`: text in its canonical form.
#include "absl/strings/str_cat.h"
#include "api/documents.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/files.h"
#include "tools/kiln/report.h"

namespace kiln::tool {

int Format(const FileFlags& flags) {
  if (flags.write && flags.compare) return FailUsage("fmt: --write and --check exclude each other");
  if (flags.write && flags.file == "-") return FailUsage("fmt: --write needs a file");
  const absl::StatusOr<std::string> input = ReadFile(flags.file);
  if (!input.ok()) return Fail(input.status());
  const absl::StatusOr<std::string> formatted = api::FormatText(*input, flags.file);
  if (!formatted.ok()) return Fail(formatted.status());
  if (flags.compare) {
    if (*formatted == *input) return kDone;
    return Fail(absl::FailedPreconditionError(
        absl::StrCat("fmt: ", flags.file, ": expected the canonical form; kiln fmt --write gives it")));
  }
  if (flags.write && *formatted == *input) return kDone;
  const absl::Status written = WriteFile(flags.write ? flags.file : "", *formatted);
  return written.ok() ? kDone : Fail(written);
}

}  // namespace kiln::tool
