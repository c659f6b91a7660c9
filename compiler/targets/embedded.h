// The target files that are part of the library, made into string literals by embed.cmake when it is built.
#ifndef KILN_COMPILER_TARGETS_EMBEDDED_H_
#define KILN_COMPILER_TARGETS_EMBEDDED_H_

#include <string_view>

namespace kiln::targets {

struct EmbeddedTarget {
  std::string_view name;
  std::string_view text;
};

extern const EmbeddedTarget kEmbeddedTargets[];  // By name
extern const int kEmbeddedTargetCount;

}  // namespace kiln::targets

#endif  // KILN_COMPILER_TARGETS_EMBEDDED_H_
