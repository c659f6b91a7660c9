// libnvrtc, opened at run time: the functions of it that Kiln calls, declared by us from NVRTC's documentation, so that
// no CUDA header is needed to build and no CUDA library to start.
#ifndef KILN_COMPILER_TOOLCHAIN_NVRTC_LIBRARY_H_
#define KILN_COMPILER_TOOLCHAIN_NVRTC_LIBRARY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kiln::nvrtc {

// nvrtcResult and nvrtcProgram of the ABI.
using Result = int;
using Program = struct ProgramHandle*;

inline constexpr Result kSuccess = 0;
inline constexpr Result kInvalidOption = 5;
inline constexpr Result kCompilation = 6;
inline constexpr Result kBuiltinOperationFailure = 7;
inline constexpr Result kCancelled = 16;

struct Library {
  const char* (*GetErrorString)(Result) = nullptr;
  Result (*Version)(int* major, int* minor) = nullptr;
  Result (*CreateProgram)(Program*, const char* source, const char* name, int headers, const char* const* texts,
                          const char* const* names) = nullptr;
  Result (*DestroyProgram)(Program*) = nullptr;
  Result (*CompileProgram)(Program, int options, const char* const* texts) = nullptr;
  Result (*GetPTXSize)(Program, size_t*) = nullptr;
  Result (*GetPTX)(Program, char*) = nullptr;
  Result (*GetCUBINSize)(Program, size_t*) = nullptr;
  Result (*GetCUBIN)(Program, char*) = nullptr;
  Result (*GetProgramLogSize)(Program, size_t*) = nullptr;
  Result (*GetProgramLog)(Program, char*) = nullptr;
  // Null before CUDA 12.8: a running compile cannot be stopped then. The callback returns 1 to cancel.
  Result (*SetFlowCallback)(Program, int (*callback)(void* payload, void* reserved), void* payload) = nullptr;

  int major = 0;
  int minor = 0;
  std::string path;           // Of the file opened; for people, never part of a key
  std::string builtins_path;  // Of libnvrtc-builtins beside it; empty = not found there
};

// The places looked in, in order: `explicit_path` alone when given; else the loader's own search for libnvrtc.so.13 and
// .12, the CUDA toolkits under /usr/local, and the folder `nvrtc` beside the folder of the library or program this code
// is linked into. The library stays open until the process ends. Unavailable lists what was tried.
absl::StatusOr<Library> OpenLibrary(const std::string& explicit_path);

// "nvrtc 13.0 <digest>" of the opened library and its builtins.
std::string Fingerprint(const Library& library);

}  // namespace kiln::nvrtc

#endif  // KILN_COMPILER_TOOLCHAIN_NVRTC_LIBRARY_H_
