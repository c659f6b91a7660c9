#include "runtime/cuda/launch.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/status.h"
#include "runtime/cuda/tensor_map.h"

namespace kiln::runtime::cuda {
namespace {

// Largest grid extents of every device since compute capability 3.0.
constexpr int64_t kMaxGrid[3] = {std::numeric_limits<int32_t>::max(), 65535, 65535};

[[gnu::cold, gnu::noinline]] absl::Status GridTooLarge(const std::string& launching, const int64_t (&grid)[3]) {
  return absl::InvalidArgumentError(absl::StrCat("cuda: ", launching, ": expected a grid of at most ", kMaxGrid[0],
                                                 " x ", kMaxGrid[1], " x ", kMaxGrid[2], ", found ", grid[0], " x ",
                                                 grid[1], " x ", grid[2]));
}

}  // namespace

CudaKernel::CudaKernel(const Driver& driver, Context context, Function function, const DeviceLimits& limits,
                       const Artifact& artifact)
    : driver_(driver),
      context_(context),
      function_(function),
      limits_(limits),
      recipe_(artifact.recipe),
      arg_count_(artifact.args.size()),
      has_tensor_maps_(
          std::any_of(artifact.recipe.params.begin(), artifact.recipe.params.end(),
                      [](const RecipeParam& param) { return param.kind == RecipeParam::Kind::kTensorMap; })),
      launching_(absl::StrCat("launch ", artifact.kernel)) {}

absl::Status CudaKernel::Launch(void* stream, absl::Span<const Arg> args) const {
  if (args.size() != arg_count_)
    return absl::InvalidArgumentError(
        absl::StrCat("cuda: ", launching_, ": expected ", arg_count_, " arguments, found ", args.size()));
  ResolvedLaunch launch;
  if (absl::Status status = recipe_.Evaluate(args, limits_, &launch); !status.ok()) return status;
  if (launch.empty()) return absl::OkStatus();
  const int64_t(&grid)[3] = launch.grid;
  if (grid[0] > kMaxGrid[0] || grid[1] > kMaxGrid[1] || grid[2] > kMaxGrid[2]) return GridTooLarge(launching_, grid);
  const LaunchRecipe& recipe = recipe_.recipe();
  void* params[kMaxNativeParams];
  for (int i = 0; i < launch.count; ++i) params[i] = &launch.params[i];
  TensorMap maps[kMaxTensorMaps];
  for (int i = 0, next = 0; i < launch.count && has_tensor_maps_; ++i) {
    const RecipeParam& param = recipe.params[static_cast<size_t>(i)];
    if (param.kind != RecipeParam::Kind::kTensorMap) continue;
    if (absl::Status status = EncodeTensorMap(driver_, param, args[param.arg].tensor, &maps[next]); !status.ok())
      return status;
    params[i] = &maps[next++];
  }
  CurrentContext current(driver_, context_);
  Result result = current.result();
  const auto x = static_cast<unsigned>(grid[0]), y = static_cast<unsigned>(grid[1]), z = static_cast<unsigned>(grid[2]);
  const auto block = static_cast<unsigned>(recipe.block), shared = static_cast<unsigned>(recipe.shared_bytes);
  if (result == kSuccess && recipe.cluster <= 1) {
    result =
        driver_.LaunchKernel(function_, x, y, z, block, 1, 1, shared, static_cast<Stream>(stream), params, nullptr);
  } else if (result == kSuccess) {
    LaunchAttribute attribute;
    attribute.cluster_x = static_cast<unsigned>(recipe.cluster);
    LaunchConfig config = {x, y, z, block, 1, 1, shared, static_cast<Stream>(stream), &attribute, 1};
    result = driver_.LaunchKernelEx(&config, function_, params, nullptr);
  }
  return result == kSuccess ? absl::OkStatus() : StatusOf(driver_, result, launching_);
}

}  // namespace kiln::runtime::cuda
