#include "compiler/toolchain/cpu_arch.h"

#include <cstddef>

namespace kiln {

void FillCpuTarget(const std::string& arch, Target* target) {
  target->arch = arch;
  target->features.clear();
  for (size_t plus = arch.find('+'); plus != std::string::npos;) {
    size_t next = arch.find('+', plus + 1);
    target->features.insert(arch.substr(plus + 1, next == std::string::npos ? next : next - plus - 1));
    plus = next;
  }
  target->vector_bytes = 16;
  if (target->Has("avx2") && target->Has("fma")) target->vector_bytes = 32;
  if (target->Has("avx512f") && target->Has("avx512vl")) target->vector_bytes = 64;
}

}  // namespace kiln
