#include "runtime/cpu/device.h"

#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "kiln/internal/llvm_backend.h"
#include "kiln/internal/status_macros.h"
#include "runtime/cpu/launch.h"
#include "runtime/cpu/module.h"
#include "runtime/cpu/thread_pool.h"
#include "runtime/launch_recipe.h"

namespace kiln::runtime::cpu {
namespace {

// "AMD EPYC 7B13", as the kernel tells it; the tuning name where it does not.
std::string ModelName(const std::string& arch) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    size_t colon = line.find(':');
    if (colon != std::string::npos) return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return arch.substr(0, arch.find('+'));
}

// Features that an artifact was compiled for and this machine lacks. The name before them only tunes.
std::vector<std::string> MissingFeatures(const std::string& artifact, const std::string& host) {
  std::vector<std::string> wanted = absl::StrSplit(artifact, '+');
  std::set<std::string> offered;
  for (absl::string_view feature : absl::StrSplit(host, '+')) offered.insert(std::string(feature));
  std::vector<std::string> missing;
  for (size_t i = 1; i < wanted.size(); ++i)
    if (!offered.count(wanted[i])) missing.push_back(wanted[i]);
  return missing;
}

class CpuDevice : public Device {
 public:
  explicit CpuDevice(std::shared_ptr<Shared> shared) : shared_(std::move(shared)), name_(ModelName(shared_->arch)) {}

  TargetKind kind() const override { return TargetKind::kCpu; }
  int ordinal() const override { return 0; }
  std::string name() const override { return name_; }
  std::string arch() const override { return shared_->arch; }
  DeviceLimits limits() const override { return shared_->limits; }
  absl::StatusOr<std::shared_ptr<const LoadedKernel>> Load(const Artifact& artifact) override;

 private:
  std::shared_ptr<Shared> shared_;
  std::string name_;
};

absl::StatusOr<std::shared_ptr<const LoadedKernel>> CpuDevice::Load(const Artifact& artifact) {
  if (artifact.kind != TargetKind::kCpu)
    return absl::FailedPreconditionError(absl::StrCat(
        "load: kernel \"", artifact.kernel, "\": expected an artifact for the CPU, found one for ", artifact.arch));
  std::vector<std::string> missing = MissingFeatures(artifact.arch, shared_->arch);
  if (!missing.empty())
    return absl::FailedPreconditionError(
        absl::StrCat("load: kernel \"", artifact.kernel,
                     "\": compiled for features that this CPU lacks: ", absl::StrJoin(missing, ", ")));
  KILN_RETURN_IF_ERROR(Validate(artifact.recipe, artifact.args));
  KILN_ASSIGN_OR_RETURN(std::unique_ptr<const Module> module,
                        Module::Load(*shared_->llvm, artifact.binary, artifact.entry));
  // Launches find their scratch ready.
  if (!shared_->scratch.Reserve(shared_->parallel->width(), artifact.recipe.scratch_bytes))
    return absl::ResourceExhaustedError(absl::StrCat("load: kernel \"", artifact.kernel,
                                                     "\": no memory for scratch of ", artifact.recipe.scratch_bytes,
                                                     " bytes a worker"));
  return std::make_shared<CpuKernel>(shared_, std::move(module), artifact);
}

}  // namespace

absl::StatusOr<std::shared_ptr<Device>> CreateDevice(const Options& options) {
  auto shared = std::make_shared<Shared>();
  KILN_ASSIGN_OR_RETURN(shared->llvm, OpenLlvmBackend(options.llvm));
  shared->parallel = options.parallel;
  if (!shared->parallel) {
    shared->own_pool = std::make_unique<ThreadPool>(options.threads);
    shared->parallel = shared->own_pool.get();
  }
  shared->arch = shared->llvm->host_arch();
  shared->limits.multiprocessors = shared->parallel->width();
  shared->limits.max_clusters = shared->limits.multiprocessors;
  return std::make_shared<CpuDevice>(std::move(shared));
}

}  // namespace kiln::runtime::cpu
