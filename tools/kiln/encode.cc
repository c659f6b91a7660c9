// `kiln encode`: text to bytes.
#include "api/documents.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/files.h"
#include "tools/kiln/report.h"

namespace kiln::tool {

int Encode(const FileFlags& flags) {
  const absl::StatusOr<std::string> input = ReadFile(flags.file);
  if (!input.ok()) return Fail(input.status());
  const absl::StatusOr<std::string> bytes = api::EncodeText(*input, flags.file);
  if (!bytes.ok()) return Fail(bytes.status());
  const absl::Status written = WriteFile(flags.out, *bytes);
  return written.ok() ? kDone : Fail(written);
}

}  // namespace kiln::tool
