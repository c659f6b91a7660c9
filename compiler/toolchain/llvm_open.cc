#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kiln/internal/llvm_backend.h"

namespace kiln {
namespace {

constexpr char kObject[] = "libkiln-llvm.so";

// The folder of the library or program that holds this function, with its slash.
std::string OwnFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&OwnFolder), &info) || !info.dli_fname) return "";
  std::string file = info.dli_fname;
  size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

std::vector<std::string> Candidates(const std::string& path) {
  if (!path.empty()) return {path};
  std::string folder = OwnFolder();
  return {folder + kObject, absl::StrCat(folder, "../lib/", kObject)};
}

absl::StatusOr<const LlvmBackendApi*> Open(const std::string& path) {
  std::vector<std::string> refusals;
  for (const std::string& file : Candidates(path)) {
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      refusals.push_back(dlerror());
      continue;
    }
    auto get = reinterpret_cast<decltype(&kiln_llvm_api)>(dlsym(handle, "kiln_llvm_api"));
    const LlvmBackendApi* api = get ? get() : nullptr;
    if (api && api->version == kLlvmBackendVersion) return api;
    refusals.push_back(absl::StrCat(file, ": expected interface ", kLlvmBackendVersion, ", found ",
                                    api ? absl::StrCat(api->version) : std::string("none")));
  }
  return absl::UnavailableError(
      absl::StrCat("llvm: cannot open the LLVM backend; set KILN_LLVM to its path: ", absl::StrJoin(refusals, "; ")));
}

}  // namespace

absl::StatusOr<const LlvmBackendApi*> OpenLlvmBackend(const std::string& path) {
  // Never destroyed: threads may still ask while the process ends.
  static auto* mutex = new std::mutex;
  static auto* opened = new std::map<std::string, const LlvmBackendApi*>;
  std::lock_guard<std::mutex> lock(*mutex);
  if (auto it = opened->find(path); it != opened->end()) return it->second;
  absl::StatusOr<const LlvmBackendApi*> api = Open(path);
  if (api.ok()) opened->emplace(path, *api);
  return api;
}

}  // namespace kiln
