// `kiln compile`: a kernel as far as asked.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "api/emit.h"
#include "kiln/internal/status_macros.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/files.h"
#include "tools/kiln/kernel.h"
#include "tools/kiln/report.h"

namespace kiln::tool {
namespace {

// NVIDIA's disassembler reads a file alone.
absl::StatusOr<std::string> Disassemble(const std::string& cubin) {
  char path[] = "/tmp/kiln-sass-XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0) return absl::ErrnoToStatus(errno, "sass: cannot make a temporary file");
  close(fd);
  absl::Status written = WriteFile(path, cubin);
  std::string sass;
  int status = -1;
  if (written.ok()) {
    // NOLINTNEXTLINE(cert-env33-c): the path is ours alone and has no character that a shell reads.
    if (std::FILE* pipe = popen(absl::StrCat("nvdisasm ", path, " 2>/dev/null").c_str(), "r"); pipe != nullptr) {
      char chunk[1 << 16];
      while (const size_t count = std::fread(chunk, 1, sizeof(chunk), pipe)) sass.append(chunk, count);
      status = pclose(pipe);
    }
  }
  std::remove(path);
  KILN_RETURN_IF_ERROR(written);
  if (status != 0 || sass.empty())
    return absl::UnavailableError("sass: nvdisasm, of the CUDA toolkit, is not on the PATH, or it failed");
  return sass;
}

absl::Status Do(const CompileFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const std::shared_ptr<api::Session> session, OpenSession());
  KILN_ASSIGN_OR_RETURN(const LoadedKernel loaded, Load(session.get(), flags.kernel));
  KILN_ASSIGN_OR_RETURN(const CompileRequest request, api::MakeRequest(loaded.order));
  const bool sass = flags.emit == "sass";
  KILN_ASSIGN_OR_RETURN(std::string emitted, api::Emit(session.get(), request, sass ? "cubin" : flags.emit));
  if (sass) {
    KILN_ASSIGN_OR_RETURN(emitted, Disassemble(emitted));
  }
  const bool binary = flags.emit == "cubin" || flags.emit == "object";
  if (binary && flags.out.empty() && isatty(STDOUT_FILENO) != 0)
    return absl::InvalidArgumentError(absl::StrCat("emit: ", flags.emit, ": a terminal cannot show it; use -o FILE"));
  return WriteFile(flags.out, emitted);
}

}  // namespace

int Compile(const CompileFlags& flags) {
  const absl::Status done = Do(flags);
  return done.ok() ? kDone : Fail(done);
}

}  // namespace kiln::tool
