// A target: what the compiler may know of a machine. Data (compiler/targets/*.textproto), never code; two devices with
// equal targets share binaries, so nothing that does not change code is in it, except rates, which no key reads.
#ifndef KILN_INTERNAL_TARGET_H_
#define KILN_INTERNAL_TARGET_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kiln/internal/artifact.h"
#include "kiln/internal/dtype.h"

namespace kiln {

struct MemorySpace {
  std::string name;      // global, shared, local, tmem, sbuf, psum
  int64_t capacity = 0;  // Bytes a unit of `scope` has; 0 = unbounded
  int64_t granule = 1;   // Bytes allocations are rounded to
  std::string scope;     // device, cta, thread
  double bandwidth = 0;  // Bytes a second, whole device; 0 = unknown
};

// A copy that some instruction makes directly.
struct Route {
  std::string from;
  std::string to;
};

struct Target {
  TargetKind kind = TargetKind::kNone;
  std::string name;  // sm_90a, cpu, reference
  std::string
      arch;  // As the vendor tool takes it: sm_90a; for cpu the LLVM name with features, filled in from the host
  std::set<std::string> features;
  std::vector<MemorySpace> spaces;
  std::vector<Route> routes;
  int max_threads = 1024;  // Of a CTA
  int warp_size = 32;
  int max_registers = 255;             // Of a thread
  int64_t registers = 65536;           // Of a multiprocessor
  int vector_bytes = 16;               // Widest load or store; on a CPU the vector register
  std::map<DType, double> peak_flops;  // Matrix products a second, by operand dtype

  bool Has(const std::string& feature) const { return features.count(feature) != 0; }
  const MemorySpace* Find(const std::string& space) const {
    for (const MemorySpace& s : spaces)
      if (s.name == space) return &s;
    return nullptr;
  }
};

}  // namespace kiln

#endif  // KILN_INTERNAL_TARGET_H_
