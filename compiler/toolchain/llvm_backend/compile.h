// LLVM IR text to an optimized ELF object.
#ifndef KILN_COMPILER_TOOLCHAIN_LLVM_BACKEND_COMPILE_H_
#define KILN_COMPILER_TOOLCHAIN_LLVM_BACKEND_COMPILE_H_

#include <string>

#include "kiln/internal/llvm_backend.h"

namespace kiln::llvm_backend {

// Parses, verifies, runs the O3 pipeline without its vectorizers (vectors are explicit in the text) and emits. On
// failure `log` holds LLVM's words.
LlvmResult Compile(const LlvmCompileInput& input, std::string* object, std::string* log);

}  // namespace kiln::llvm_backend

#endif  // KILN_COMPILER_TOOLCHAIN_LLVM_BACKEND_COMPILE_H_
