#include "cache/store.h"

namespace kiln::cache {

std::string_view Name(Tier tier) {
  switch (tier) {
    case Tier::kNone:
      return "miss";
    case Tier::kMemory:
      return "memory";
    case Tier::kDisk:
      return "disk";
    case Tier::kBundle:
      return "bundle";
  }
  return "unknown";
}

}  // namespace kiln::cache
