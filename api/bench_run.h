// One kernel on made data on one device: prepared, run, timed.
#ifndef KILN_API_BENCH_RUN_H_
#define KILN_API_BENCH_RUN_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "api/made_data.h"
#include "api/op.h"
#include "api/session.h"

namespace kiln::api {

struct BenchRun {
  std::shared_ptr<const Executable> executable;
  double run_us = 0;  // The median of the timed runs
};

// Runs `op` once on `made`, whose written tensors then hold the results; then `repeat` times more for the clock, on
// copies of what is written. A GPU is timed by its own events, one launch between two.
absl::StatusOr<BenchRun> RunAndTime(Session* session, const Op& op, kiln_dl_device place,
                                    std::vector<MadeArgument>* made, int repeat);

}  // namespace kiln::api

#endif  // KILN_API_BENCH_RUN_H_
