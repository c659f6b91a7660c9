#include "runtime/cuda/module.h"

#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"
#include "runtime/cuda/launch.h"
#include "runtime/cuda/status.h"
#include "runtime/launch_recipe.h"

namespace kiln::runtime::cuda {
namespace {

// Up to here a kernel may have dynamic shared memory without asking.
constexpr int64_t kDefaultSharedBytes = 48 * 1024;
// Clusters up to here fit every device that has clusters.
constexpr int kPortableCluster = 8;

absl::Status CheckShared(const Driver& driver, const DeviceLimits& limits, const Artifact& artifact,
                         Function function) {
  int fixed = 0;
  KILN_RETURN_IF_ERROR(StatusOf(driver, driver.FuncGetAttribute(&fixed, kSharedSizeBytes, function),
                                absl::StrCat("read the shared memory of ", artifact.kernel)));
  int64_t total = artifact.recipe.shared_bytes + fixed;
  if (total <= limits.max_shared_bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("cuda: load ", artifact.kernel, ": needs ", total,
                                                 " bytes of shared memory, the device has ", limits.max_shared_bytes));
}

bool AsksForClusters(const LaunchRecipe& recipe) {
  for (const RecipeProgram& extent : recipe.grid)
    for (const RecipeStep& step : extent)
      if (step.op == RecipeOp::kLimit && static_cast<RecipeLimit>(step.index) == RecipeLimit::kMaxClusters) return true;
  return false;
}

// Clusters (CTAs, where there are none) of this function that the device holds at once.
absl::StatusOr<int> ActiveClusters(const Driver& driver, const DeviceLimits& limits, const Artifact& artifact,
                                   Function function) {
  const LaunchRecipe& recipe = artifact.recipe;
  const std::string asking = absl::StrCat("ask how many clusters of ", artifact.kernel, " the device holds");
  int count = 0;
  if (recipe.cluster <= 1) {
    KILN_RETURN_IF_ERROR(StatusOf(driver,
                                  driver.OccupancyMaxActiveBlocksPerMultiprocessor(
                                      &count, function, recipe.block, static_cast<size_t>(recipe.shared_bytes)),
                                  asking));
    count *= limits.multiprocessors;
  } else {
    if (!driver.OccupancyMaxActiveClusters)
      return absl::FailedPreconditionError(
          absl::StrCat("cuda: load ", artifact.kernel, ": clusters need the driver of CUDA 11.8 or later"));
    LaunchAttribute attribute;
    attribute.cluster_x = static_cast<unsigned>(recipe.cluster);
    LaunchConfig config = {attribute.cluster_x,
                           1,
                           1,
                           static_cast<unsigned>(recipe.block),
                           1,
                           1,
                           static_cast<unsigned>(recipe.shared_bytes),
                           nullptr,
                           &attribute,
                           1};
    KILN_RETURN_IF_ERROR(StatusOf(driver, driver.OccupancyMaxActiveClusters(&count, function, &config), asking));
  }
  if (count < 1)
    return absl::FailedPreconditionError(
        absl::StrCat("cuda: load ", artifact.kernel, ": the device holds no cluster of ", recipe.cluster, " CTAs of ",
                     recipe.block, " threads and ", recipe.shared_bytes, " bytes of shared memory"));
  return count;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const LoadedKernel>> LoadKernel(const Driver& driver, Context context,
                                                               const DeviceLimits& limits, const Artifact& artifact,
                                                               Module* module) {
  const LaunchRecipe& recipe = artifact.recipe;
  KILN_RETURN_IF_ERROR(Validate(recipe, artifact.args));
  if (artifact.binary.empty())
    return absl::InvalidArgumentError(absl::StrCat("cuda: load ", artifact.kernel, ": the artifact has no binary"));
  if (recipe.cluster > 1 && !driver.LaunchKernelEx)
    return absl::FailedPreconditionError(
        absl::StrCat("cuda: load ", artifact.kernel, ": clusters need the driver of CUDA 11.8 or later"));
  KILN_RETURN_IF_ERROR(
      StatusOf(driver, driver.ModuleLoadData(module, artifact.binary.data()), absl::StrCat("load ", artifact.kernel)));
  Function function = nullptr;
  KILN_RETURN_IF_ERROR(StatusOf(driver, driver.ModuleGetFunction(&function, *module, artifact.entry.c_str()),
                                absl::StrCat("find ", artifact.entry, " in ", artifact.kernel)));
  // Asking for an attribute loads a lazy function; FuncLoad says so, where it exists.
  KILN_RETURN_IF_ERROR(CheckShared(driver, limits, artifact, function));
  if (recipe.shared_bytes > kDefaultSharedBytes)
    KILN_RETURN_IF_ERROR(StatusOf(
        driver, driver.FuncSetAttribute(function, kMaxDynamicSharedSizeBytes, static_cast<int>(recipe.shared_bytes)),
        absl::StrCat("raise the shared memory of ", artifact.kernel)));
  if (recipe.cluster > kPortableCluster)
    KILN_RETURN_IF_ERROR(StatusOf(driver, driver.FuncSetAttribute(function, kNonPortableClusterSizeAllowed, 1),
                                  absl::StrCat("allow large clusters of ", artifact.kernel)));
  if (driver.FuncLoad)
    KILN_RETURN_IF_ERROR(StatusOf(driver, driver.FuncLoad(function), absl::StrCat("load ", artifact.kernel)));
  DeviceLimits held = limits;
  if (AsksForClusters(recipe)) {
    KILN_ASSIGN_OR_RETURN(held.max_clusters, ActiveClusters(driver, limits, artifact, function));
  }
  return std::make_shared<const CudaKernel>(driver, context, function, held, artifact);
}

}  // namespace kiln::runtime::cuda
