#include "tests/kernels/case.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ir/parse.h"
#include "compiler/specialize/default_config.h"
#include "kiln/internal/status_macros.h"

namespace kiln::testing {

std::string Text(const Config& config) {
  return config.empty() ? "the model's choice" : absl::StrJoin(config, ", ", absl::PairFormatter("="));
}

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.kernel << "_" << c.shape << "_" << Name(c.memory);
}

std::ostream& operator<<(std::ostream& out, const Run& run) { return out << Name(run); }

std::string Name(const Run& run) {
  std::ostringstream out;
  out << *run.test << "_" << kiln::Name(run.dtype);
  return out.str();
}

std::vector<Run> Runs() {
  std::vector<Run> runs;
  for (const Case& c : Cases())
    for (DType dtype : kDTypesOfT) runs.push_back({&c, dtype});
  return runs;
}

std::vector<Config> ConfigsOf(const Run& run, int turn) {
  std::vector<Config> configs = run.test->configs;
  configs.push_back({});
  if (!run.test->heavy) return configs;
  const size_t place = run.test - Cases().data() + static_cast<size_t>(run.dtype) + turn;
  return {configs[place % configs.size()]};
}

absl::StatusOr<const ir::Module*> ModuleOf(const std::string& file) {
  static auto* const modules = new std::map<std::string, std::unique_ptr<ir::Module>>();
  std::unique_ptr<ir::Module>& module = (*modules)[file];
  if (module == nullptr) {
    const std::string path = absl::StrCat("api/kernels/", file, ".kiln");
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    KILN_ASSIGN_OR_RETURN(ir::Module parsed, ir::Parse(text.str(), path));
    module = std::make_unique<ir::Module>(std::move(parsed));
  }
  return module.get();
}

absl::StatusOr<ir::Kernel> SpecializeFor(const Run& run, const Problem& problem, const Config& config,
                                         const Target& target) {
  KILN_ASSIGN_OR_RETURN(const ir::Module* module, ModuleOf(run.test->file));
  Bindings bindings;
  bindings.ints = run.test->ints;
  bindings.ints.insert(config.begin(), config.end());
  bindings.dtypes = {{"T", run.dtype}};
  for (const Argument& arg : problem.args)
    if (const auto* tensor = std::get_if<Tensor>(&arg.value)) bindings.tensors[arg.name] = tensor->Binding();
  KILN_ASSIGN_OR_RETURN(bindings.ints, DefaultConfig(*module, run.test->kernel, bindings, target));
  return Specialize(*module, run.test->kernel, bindings, target);
}

void ExpectResults(const Problem& problem) {
  for (const Argument& arg : problem.args)
    if (const auto* tensor = std::get_if<Tensor>(&arg.value)) {
      EXPECT_TRUE(tensor->GapsIntact()) << arg.name << ": bytes between its elements changed";
    }
  for (const auto& [index, values] : problem.expected) {
    const Argument& arg = problem.args[index];
    const Tensor& tensor = std::get<Tensor>(arg.value);
    ASSERT_EQ(static_cast<size_t>(tensor.count()), values.size()) << arg.name;
    int64_t wrong = 0, first = -1;
    for (int64_t i = 0; i < tensor.count(); ++i)
      if (!Within(tensor.dtype(), values[i], tensor.At(i)) && wrong++ == 0) first = i;
    if (wrong > 0)
      ADD_FAILURE() << arg.name << ": " << wrong << " of " << tensor.count() << " elements are off; the first, number "
                    << first << ": expected " << values[first].exact << " within " << values[first].error
                    << " before rounding, found " << tensor.At(first);
  }
}

}  // namespace kiln::testing
