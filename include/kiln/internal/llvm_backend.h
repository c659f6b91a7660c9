// The LLVM backend: a shared object of its own, libkiln-llvm.so, which holds all of LLVM behind one exported symbol and
// is opened on demand. The compiler's LLVM toolchain and the CPU runtime share it.
//
//   KILN_ASSIGN_OR_RETURN(const LlvmBackendApi* llvm, OpenLlvmBackend());
//   std::string arch = llvm->host_arch();
//
// Thread-safety: every function may be called from any number of threads.
#ifndef KILN_INTERNAL_LLVM_BACKEND_H_
#define KILN_INTERNAL_LLVM_BACKEND_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace kiln {

// Bytes that the backend owns until `release`.
struct LlvmBuffer {
  char* data = nullptr;
  size_t size = 0;
};

enum class LlvmResult : int32_t { kOk = 0, kRefused = 1, kDeadline = 2, kCancelled = 3 };

struct LlvmCompileInput {
  const char* text = nullptr;  // LLVM IR; need not end in a zero byte
  size_t size = 0;
  const char* arch = nullptr;  // As `host_arch` spells it
  // Asked between passes; anything but kOk stops the compile with that result. May be null.
  LlvmResult (*interrupted)(const void* context) = nullptr;
  const void* context = nullptr;
};

inline constexpr uint32_t kLlvmBackendVersion = 1;

// Plain pointers and structs alone, so that the object and its caller may come from different compilers.
struct LlvmBackendApi {
  uint32_t version;  // kLlvmBackendVersion
  // "LLVM 19.1.7 <build id>"; static storage.
  const char* (*fingerprint)();
  // The CPU's LLVM name, then each feature it and the kernel offer, sorted: "znver3+adx+aes+avx"; static storage.
  const char* (*host_arch)();
  // IR text to an optimized ELF object. `log` holds LLVM's words on failure. Both are released by the caller.
  LlvmResult (*compile)(const LlvmCompileInput* input, LlvmBuffer* object, LlvmBuffer* log);
  // Links an object into this process. Zero = done; else `error` says why and is released by the caller.
  int (*load)(const char* object, size_t size, const char* entry, void** module, void** address, LlvmBuffer* error);
  // No code of the module may be running.
  void (*unload)(void* module);
  void (*release)(LlvmBuffer* buffer);
};

// Opens the object at `path`; empty = beside the library or program that this function is linked into, or in its
// ../lib. Opened once a path and never closed. Unavailable when it cannot be opened, naming what was tried.
absl::StatusOr<const LlvmBackendApi*> OpenLlvmBackend(const std::string& path = {});

}  // namespace kiln

// The one symbol that the object exports.
extern "C" const kiln::LlvmBackendApi* kiln_llvm_api();

#endif  // KILN_INTERNAL_LLVM_BACKEND_H_
