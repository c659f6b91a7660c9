// One object linked into the process, unloaded with its last user.
#ifndef KILN_RUNTIME_CPU_MODULE_H_
#define KILN_RUNTIME_CPU_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "kiln/internal/llvm_backend.h"

namespace kiln::runtime::cpu {

// As codegen emits it: native arguments and the grid's extents, this CTA, its scratch.
using EntryPoint = void (*)(const uint64_t* params, int64_t cta_x, int64_t cta_y, int64_t cta_z, void* scratch);

class Module {
 public:
  // Internal, with the linker's words, when the object is damaged or lacks the entry.
  static absl::StatusOr<std::unique_ptr<const Module>> Load(const LlvmBackendApi& llvm, const std::string& object,
                                                            const std::string& entry);
  // REQUIRES: no thread runs the module's code.
  ~Module() { llvm_.unload(handle_); }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  EntryPoint entry() const { return entry_; }

 private:
  Module(const LlvmBackendApi& llvm, void* handle, void* entry)
      : llvm_(llvm), handle_(handle), entry_(reinterpret_cast<EntryPoint>(entry)) {}

  const LlvmBackendApi& llvm_;
  void* handle_;
  EntryPoint entry_;
};

}  // namespace kiln::runtime::cpu

#endif  // KILN_RUNTIME_CPU_MODULE_H_
