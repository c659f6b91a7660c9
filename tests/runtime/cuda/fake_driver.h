// A table of driver functions without a driver: one H200, whose calls are recorded and can be made to fail. The
// functions of the driver's ABI carry no context, so there is one state a process; a test begins with Reset.
#ifndef KILN_TESTS_RUNTIME_CUDA_FAKE_DRIVER_H_
#define KILN_TESTS_RUNTIME_CUDA_FAKE_DRIVER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/cuda/driver.h"

namespace kiln::runtime::cuda {

struct FakeDriverState {
  int major = 9, minor = 0;
  int static_shared = 0;
  std::map<std::string, Result> fail;  // By function name
  std::vector<std::string> calls;      // "ModuleLoadData", "FuncSetAttribute 8 65536", ... but for queries
  Context current = nullptr;
  uint64_t params[4] = {};
  LaunchConfig config;
  unsigned cluster_x = 0;
  std::map<Address, std::vector<unsigned char>> memory;
};

FakeDriverState& State();
Driver FakeDriver();
inline void Reset() { State() = {}; }

// What the retained primary context is.
Context PrimaryContext();

}  // namespace kiln::runtime::cuda

#endif  // KILN_TESTS_RUNTIME_CUDA_FAKE_DRIVER_H_
