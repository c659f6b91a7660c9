// The exported symbol, and the table behind it.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "compiler/toolchain/llvm_backend/compile.h"
#include "compiler/toolchain/llvm_backend/host.h"
#include "compiler/toolchain/llvm_backend/jit.h"
#include "kiln/internal/llvm_backend.h"
#include "llvm/Support/TargetSelect.h"

namespace kiln::llvm_backend {
namespace {

// LLVM's registries are process-wide and unguarded: filled once, before anything reads them.
void InitializeOnce() {
  static std::once_flag flag;
  std::call_once(flag, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

LlvmBuffer ToBuffer(const std::string& text) {
  LlvmBuffer buffer;
  if (text.empty()) return buffer;
  buffer.data = static_cast<char*>(std::malloc(text.size()));
  if (!buffer.data) return buffer;
  std::memcpy(buffer.data, text.data(), text.size());
  buffer.size = text.size();
  return buffer;
}

const char* ApiFingerprint() {
  static const std::string* text = new std::string(Fingerprint());
  return text->c_str();
}

const char* ApiHostArch() {
  static const std::string* text = new std::string(HostArch());
  return text->c_str();
}

LlvmResult ApiCompile(const LlvmCompileInput* input, LlvmBuffer* object, LlvmBuffer* log) {
  InitializeOnce();
  std::string object_bytes, log_text;
  LlvmResult result = Compile(*input, &object_bytes, &log_text);
  *object = ToBuffer(object_bytes);
  *log = ToBuffer(log_text);
  return result;
}

int ApiLoad(const char* object, size_t size, const char* entry, void** module, void** address, LlvmBuffer* error) {
  InitializeOnce();
  std::string why;
  *module = LoadObject(std::string_view(object, size), entry, address, &why);
  *error = ToBuffer(*module ? std::string() : why);
  return *module ? 0 : 1;
}

void ApiUnload(void* module) { UnloadObject(static_cast<LoadedObject*>(module)); }

void ApiRelease(LlvmBuffer* buffer) {
  std::free(buffer->data);
  *buffer = {};
}

constexpr LlvmBackendApi kApi = {kLlvmBackendVersion, &ApiFingerprint, &ApiHostArch, &ApiCompile, &ApiLoad,
                                 &ApiUnload,          &ApiRelease};

}  // namespace
}  // namespace kiln::llvm_backend

extern "C" __attribute__((visibility("default"))) const kiln::LlvmBackendApi* kiln_llvm_api() {
  return &kiln::llvm_backend::kApi;
}
