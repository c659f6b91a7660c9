// `kiln decode`: bytes to canonical text.
#include "api/documents.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/files.h"
#include "tools/kiln/report.h"

namespace kiln::tool {

int Decode(const FileFlags& flags) {
  const absl::StatusOr<std::string> input = ReadFile(flags.file);
  if (!input.ok()) return Fail(input.status());
  const absl::StatusOr<std::string> text = api::DecodeBytes(*input, flags.file);
  if (!text.ok()) return Fail(text.status());
  const absl::Status written = WriteFile(flags.out, *text);
  return written.ok() ? kDone : Fail(written);
}

}  // namespace kiln::tool
