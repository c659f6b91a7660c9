#include "compiler/toolchain/nvrtc_library.h"

#include <dlfcn.h>
#include <glob.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kiln/internal/status_macros.h"

namespace kiln::nvrtc {
namespace {

std::string Folder(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// The file that the code or data at `address` was loaded from.
std::string FileOf(const void* address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

// Newest first: cuda-13.0 sorts after cuda-12.4 and after plain cuda, which is a link to one of them.
std::vector<std::string> Matches(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  std::sort(paths.rbegin(), paths.rend());
  return paths;
}

std::vector<std::string> Candidates(const std::string& explicit_path) {
  if (!explicit_path.empty()) return {explicit_path};
  static constexpr const char* kVersions[] = {"13", "12"};
  static const char kAnchor = 0;
  std::vector<std::string> candidates;
  for (const char* version : kVersions) candidates.push_back(absl::StrCat("libnvrtc.so.", version));
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
    for (const char* version : kVersions)
      for (std::string& path : Matches(absl::StrCat("/usr/local/cuda*/", folder, "/libnvrtc.so.", version)))
        candidates.push_back(std::move(path));
  for (const char* version : kVersions)
    candidates.push_back(absl::StrCat(Folder(FileOf(&kAnchor)), "/../nvrtc/libnvrtc.so.", version));
  return candidates;
}

template <typename Function>
absl::Status Find(void* handle, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(handle, name));
  if (*function) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("nvrtc: the library has no function ", name));
}

absl::Status FindFunctions(void* handle, Library* library) {
  KILN_RETURN_IF_ERROR(Find(handle, "nvrtcGetErrorString", &library->GetErrorString));
  KILN_RETURN_IF_ERROR(Find(handle, "nvrtcVersion", &library->Version));
  KILN_RETURN_IF_ERROR(Find(handle, "nvrtcCreateProgram", &library->CreateProgram));
  KILN_RETURN_IF_ERROR(Find(handle, "nvrtcDestroyProgram", &library->DestroyProgram));
  KILN_RETURN_IF_ERROR(Find(handle, "nvrtcCompileProgram", &library->CompileProgram));
  KILN_RETURN_IF_ERROR(Find(handle, "nvrtcGetPTXSize", &library->GetPTXSize));
  KILN_RETURN_IF_ERROR(Find(handle, "nvrtcGetPTX", &library->GetPTX));
  KILN_RETURN_IF_ERROR(Find(handle, "nvrtcGetCUBINSize", &library->GetCUBINSize));
  KILN_RETURN_IF_ERROR(Find(handle, "nvrtcGetCUBIN", &library->GetCUBIN));
  KILN_RETURN_IF_ERROR(Find(handle, "nvrtcGetProgramLogSize", &library->GetProgramLogSize));
  KILN_RETURN_IF_ERROR(Find(handle, "nvrtcGetProgramLog", &library->GetProgramLog));
  library->SetFlowCallback =
      reinterpret_cast<decltype(library->SetFlowCallback)>(dlsym(handle, "nvrtcSetFlowCallback"));
  return absl::OkStatus();
}

// NVRTC opens its builtins by bare name in the middle of a compile, where a loader that does not look into NVRTC's own
// folder fails. Loaded here by path, they are found by that name.
std::string PreloadBuiltins(const Library& library) {
  std::string path = absl::StrCat(Folder(library.path), "/libnvrtc-builtins.so.", library.major, ".", library.minor);
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) ? path : "";
}

}  // namespace

absl::StatusOr<Library> OpenLibrary(const std::string& explicit_path) {
  std::vector<std::string> candidates = Candidates(explicit_path);
  std::vector<std::string> errors;
  for (const std::string& candidate : candidates) {
    void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char* error = dlerror();
      errors.push_back(error ? error : candidate);
      continue;
    }
    Library library;
    KILN_RETURN_IF_ERROR(FindFunctions(handle, &library));
    library.path = FileOf(reinterpret_cast<const void*>(library.Version));
    Result result = library.Version(&library.major, &library.minor);
    if (result != kSuccess)
      return absl::UnavailableError(absl::StrCat("nvrtc: nvrtcVersion: ", library.GetErrorString(result)));
    library.builtins_path = PreloadBuiltins(library);
    return library;
  }
  return absl::UnavailableError(absl::StrCat(
      "nvrtc: expected libnvrtc.so.13 or .12 (CUDA toolkit, or the Python package nvidia-cuda-nvrtc); tried: ",
      absl::StrJoin(errors, "; ")));
}

}  // namespace kiln::nvrtc
