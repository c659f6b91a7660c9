// The CUDA toolchain: CUDA C++ text to a cubin through NVRTC. Needs no GPU and no driver.
//
//   KILN_ASSIGN_OR_RETURN(std::unique_ptr<NvrtcToolchain> nvrtc, NvrtcToolchain::Open());
//   KILN_ASSIGN_OR_RETURN(Compiled compiled, nvrtc->Compile(source, {.arch = "sm_90a"}));
//
// NVRTC's success is not success: the log is read, and an empty binary, spills that were not allowed, and instructions
// that ptxas ignored or serialized are errors. Thread-safe.
#ifndef KILN_COMPILER_TOOLCHAIN_NVRTC_H_
#define KILN_COMPILER_TOOLCHAIN_NVRTC_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/base/call_once.h"
#include "absl/status/statusor.h"
#include "compiler/toolchain/nvrtc_library.h"
#include "compiler/toolchain/toolchain.h"

namespace kiln {

class NvrtcToolchain : public Toolchain {
 public:
  // Opens libnvrtc: `path` when given, else where OpenLibrary looks. Unavailable when there is none.
  static absl::StatusOr<std::unique_ptr<NvrtcToolchain>> Open(const std::string& path = "");
  explicit NvrtcToolchain(nvrtc::Library library) : library_(std::move(library)) {}

  // Computed at the first call.
  std::string Fingerprint() const override;
  // The flags of `options` follow Kiln's own. A running compile stops within about 0.3 s of `cancel` or the deadline,
  // with CUDA 12.8 or later; before that it is only looked at before the compile.
  absl::StatusOr<Compiled> Compile(const Source& source, const CompileOptions& options) const override;

  // PTX in place of a cubin, for people. `options` as for Compile; ptxas does not run, so that nothing is known of
  // resources.
  absl::StatusOr<std::string> CompilePtx(const Source& source, const CompileOptions& options) const;

  const nvrtc::Library& library() const { return library_; }

 private:
  // When the builtins do not lie beside NVRTC, the first use compiles one line, so that a library that cannot find
  // them says so by name and not inside a kernel's log.
  absl::Status CheckFirstUse(const std::string& arch) const;

  nvrtc::Library library_;
  mutable absl::once_flag fingerprint_once_;
  mutable std::string fingerprint_;
  mutable absl::once_flag first_use_once_;
  mutable absl::Status first_use_;
};

}  // namespace kiln

#endif  // KILN_COMPILER_TOOLCHAIN_NVRTC_H_
