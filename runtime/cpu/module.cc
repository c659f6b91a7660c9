#include "runtime/cpu/module.h"

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kiln::runtime::cpu {

absl::StatusOr<std::unique_ptr<const Module>> Module::Load(const LlvmBackendApi& llvm, const std::string& object,
                                                           const std::string& entry) {
  void* handle = nullptr;
  void* address = nullptr;
  LlvmBuffer error;
  if (llvm.load(object.data(), object.size(), entry.c_str(), &handle, &address, &error) != 0) {
    std::string why(error.data ? error.data : "", error.size);
    llvm.release(&error);
    return absl::InternalError(absl::StrCat("load: kernel \"", entry, "\": the object does not link: ", why));
  }
  return absl::WrapUnique<const Module>(new Module(llvm, handle, address));
}

}  // namespace kiln::runtime::cpu
