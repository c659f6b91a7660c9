// Links objects into this process through ORC and JITLink.
#ifndef KILN_COMPILER_TOOLCHAIN_LLVM_BACKEND_JIT_H_
#define KILN_COMPILER_TOOLCHAIN_LLVM_BACKEND_JIT_H_

#include <string>
#include <string_view>

namespace kiln::llvm_backend {

struct LoadedObject;

// Null, and why in `error`, when the object is damaged, lacks `entry`, or needs a symbol that no kernel may call.
LoadedObject* LoadObject(std::string_view object, const char* entry, void** address, std::string* error);
void UnloadObject(LoadedObject* object);

}  // namespace kiln::llvm_backend

#endif  // KILN_COMPILER_TOOLCHAIN_LLVM_BACKEND_JIT_H_
