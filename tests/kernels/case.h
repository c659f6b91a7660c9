// One run of a library kernel on made data, with what it must give: the table behind every runner of this folder.
//
// A case fixes kernel, shape, arrangement in memory and the configurations to try beside the model's choice; the dtype
// is the runner's to vary. Results are held to the bounds of reference.h: docs/numerics.md's for each operation,
// carried through to the result, and one rounding of the store.
#ifndef KILN_TESTS_KERNELS_CASE_H_
#define KILN_TESTS_KERNELS_CASE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "compiler/specialize/specialize.h"
#include "kiln/internal/target.h"
#include "tests/kernels/reference.h"
#include "tests/kernels/tensor.h"

namespace kiln::testing {

using Config = std::map<std::string, int64_t>;
std::string Text(const Config& config);  // "BM=64, BN=64"; of none "the model's choice"

struct Argument {
  std::string name;
  std::variant<Tensor, float> value;
};

// Arguments in the kernel's order, and the values of those it writes.
struct Problem {
  std::vector<Argument> args;
  std::map<size_t, Values> expected;
};

struct Case {
  std::string file;  // Of api/kernels, without .kiln
  std::string kernel;
  std::string shape;  // For the test's name: "3x7"
  Memory memory = Memory::kDense;
  Config ints;                  // Static symbols and plain meta-parameters
  std::vector<Config> configs;  // Tuning parameters to fix, one after the other
  bool heavy = false;           // Seconds for an interpreter: its runs take turns at the configurations
  std::function<Problem(DType, Memory)> make;
};
std::ostream& operator<<(std::ostream& out, const Case& c);

// Cases of every kernel: odd sizes, sizes that are no multiple of a tile, single rows, gaps and strides.
const std::vector<Case>& Cases();

// What every kernel of the library declares for T.
inline constexpr DType kDTypesOfT[] = {DType::kF16, DType::kBF16, DType::kF32};

// A case in one dtype, the parameter of the runners' tests.
struct Run {
  const Case* test = nullptr;
  DType dtype = DType::kNone;
};
std::ostream& operator<<(std::ostream& out, const Run& run);
std::vector<Run> Runs();
// The case's configurations and the model's choice (empty); of a heavy case one of them, by case, dtype and `turn`.
std::vector<Config> ConfigsOf(const Run& run, int turn);
std::string Name(const Run& run);

// The library file as a module; a file is parsed once.
absl::StatusOr<const ir::Module*> ModuleOf(const std::string& file);

// The case's kernel for arguments like `problem`'s on `target`; what `config` leaves open the model chooses.
absl::StatusOr<ir::Kernel> SpecializeFor(const Run& run, const Problem& problem, const Config& config,
                                         const Target& target);

// Fails the current test for each output that is not as expected and for each touched gap.
void ExpectResults(const Problem& problem);

}  // namespace kiln::testing

#endif  // KILN_TESTS_KERNELS_CASE_H_
