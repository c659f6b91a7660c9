#include "tests/random/run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "compiler/interp/interpreter.h"
#include "compiler/ir/parse.h"
#include "compiler/targets/targets.h"
#include "kiln/internal/status_macros.h"
#include "tests/kernels/cuda_line.h"

namespace kiln::testing {
namespace {

absl::StatusOr<Results> Interpret(const ir::Kernel& kernel, std::vector<Tensor> tensors) {
  std::vector<interp::Argument> args;
  for (Tensor& tensor : tensors)
    args.push_back(interp::Tensor{tensor.dtype(), tensor.shape(), tensor.strides(), tensor.data()});
  KILN_RETURN_IF_ERROR(interp::Run(kernel, args));
  return tensors;
}

// What is wrong with one kernel: nothing, an error of its own, or of the backend.
struct Verdict {
  bool well_formed = false;
  std::string wrong;
};

Verdict Judge(const RandomKernel& kernel, const Backend& backend) {
  Verdict verdict;
  const absl::StatusOr<Results> want = RunTiles(kernel);
  if (!want.ok()) {
    verdict.wrong = std::string(want.status().ToString());
    return verdict;
  }
  verdict.well_formed = true;
  const absl::StatusOr<Results> got = backend(kernel);
  // A working set over what a target has is refused there, as it should be.
  if (absl::IsResourceExhausted(got.status())) return verdict;
  verdict.wrong = got.ok() ? Difference(kernel, *want, *got) : std::string(got.status().ToString());
  return verdict;
}

// The line that closes the block that `line` opens; `line` itself where it opens none.
size_t BlockEnd(const std::vector<std::string>& lines, size_t line) {
  int depth = 0;
  for (size_t i = line; i < lines.size(); ++i) {
    for (char c : lines[i]) depth += (c == '{') - (c == '}');
    if (depth <= 0) return i;
  }
  return line;
}

// `kernel` without statements that the failure does without.
RandomKernel Shrunk(const RandomKernel& kernel, const Backend& backend) {
  RandomKernel best = kernel;
  for (bool again = true; again;) {
    again = false;
    const std::vector<std::string> lines = absl::StrSplit(best.text, '\n');
    for (size_t i = lines.size(); i-- > 3 && !again;) {
      std::vector<std::string> fewer(lines.begin(), lines.begin() + i);
      fewer.insert(fewer.end(), lines.begin() + BlockEnd(lines, i) + 1, lines.end());
      RandomKernel candidate = best;
      candidate.text = absl::StrJoin(fewer, "\n");
      const Verdict verdict = Judge(candidate, backend);
      if (!verdict.well_formed || verdict.wrong.empty()) continue;
      best = std::move(candidate);
      again = true;
    }
  }
  return best;
}

}  // namespace

absl::StatusOr<ir::Kernel> SpecializeFor(const RandomKernel& kernel, const std::vector<Tensor>& tensors,
                                         const Target& target) {
  KILN_ASSIGN_OR_RETURN(ir::Module module, ir::Parse(kernel.text, "random"));
  return Specialize(module, "k", kernel.BindingsFor(tensors), target);
}

absl::StatusOr<Results> RunTiles(const RandomKernel& kernel) {
  std::vector<Tensor> tensors = kernel.Tensors();
  KILN_ASSIGN_OR_RETURN(const Target target, FindTarget("reference"));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel tiles, SpecializeFor(kernel, tensors, target));
  return Interpret(tiles, std::move(tensors));
}

absl::StatusOr<Results> RunLowered(const RandomKernel& kernel, const Target& target) {
  std::vector<Tensor> tensors = kernel.Tensors();
  KILN_ASSIGN_OR_RETURN(const ir::Kernel tiles, SpecializeFor(kernel, tensors, target));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel native, LowerForCuda(tiles, target));
  return Interpret(native, std::move(tensors));
}

std::string Difference(const RandomKernel& kernel, const Results& want, const Results& got) {
  for (size_t a = 0; a < want.size(); ++a) {
    const RandomArgument& arg = kernel.args[a];
    if (!got[a].GapsIntact()) return absl::StrCat(arg.name, ": bytes between its elements changed");
    for (int64_t i = 0; i < want[a].count(); ++i) {
      const double x = want[a].At(i), y = got[a].At(i);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      if (arg.error > 0 && std::fabs(x - y) <= 2 * arg.error) continue;
      return absl::StrCat(arg.name, ": element ", i, ": expected ", x, ", found ", y, " (bound ",
                          std::max(0.0, 2 * arg.error), ")");
    }
  }
  return "";
}

std::string Disagreement(uint64_t seed, const Backend& backend) {
  const int size = 1 + static_cast<int>(seed % kLargestSize);
  RandomKernel kernel = MakeRandomKernel(seed, size);
  Verdict verdict = Judge(kernel, backend);
  if (verdict.wrong.empty()) return "";
  for (int smaller = 1; smaller < size; ++smaller) {
    RandomKernel candidate = MakeRandomKernel(seed, smaller);
    if (Judge(candidate, backend).wrong.empty()) continue;
    kernel = std::move(candidate);
    break;
  }
  if (Judge(kernel, backend).well_formed) kernel = Shrunk(kernel, backend);
  std::string ints = absl::StrJoin(kernel.ints, ", ", absl::PairFormatter("="));
  std::string shapes;
  for (const RandomArgument& arg : kernel.args)
    absl::StrAppend(&shapes, " ", arg.name, "[", absl::StrJoin(arg.shape, ","), "] ", Name(arg.memory));
  return absl::StrCat("seed ", seed, ": ", Judge(kernel, backend).wrong, "\n", ints, ";", shapes, "\n", kernel.text);
}

}  // namespace kiln::testing
