// What the CTAs of a cluster share while they run.
#ifndef KILN_COMPILER_INTERP_TILE_CLUSTER_H_
#define KILN_COMPILER_INTERP_TILE_CLUSTER_H_

#include <cstdint>
#include <map>
#include <string>

#include "compiler/interp/tile/ring.h"

namespace kiln::interp {

struct Cluster {
  int64_t ctas = 1;
  std::map<std::string, Ring::Reach> rings;  // `across cluster`, by name
  int64_t arrived = 0;                       // CTAs whose threads are all at the cluster's barrier
  int64_t barriers = 0;                      // Barriers that all CTAs have passed
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_TILE_CLUSTER_H_
