// How much a kernel computes, counted on its text: for rates, and for what an interpreter can be asked to run.
#ifndef KILN_API_WORK_H_
#define KILN_API_WORK_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "compiler/ir/kernel.h"

namespace kiln::api {

struct Work {
  std::array<int64_t, 3> grid = {1, 1, 1};
  double flops = 0;     // Of the grid's matrix products, edges of tiles included
  double elements = 0;  // Of everything else: elements that tile operations and expressions of one CTA touch
  double cta_flops = 0;

  double Ctas() const {
    return static_cast<double>(grid[0]) * static_cast<double>(grid[1]) * static_cast<double>(grid[2]);
  }
};

// REQUIRES: `kernel` is specialized. `values` are its symbols'; a bound that depends on data or on the CTA counts as
// for a CTA in the middle of the grid, or, where nothing is known, once.
Work WorkOf(const ir::Kernel& kernel, const std::map<std::string, int64_t>& values);

}  // namespace kiln::api

#endif  // KILN_API_WORK_H_
