// A kernel from `.kiln` text, specialized, lowered, compiled and launched on this machine: what tests of the CPU's
// lowerings share.
#ifndef KILN_TESTS_COMPILER_LOWER_CPU_TILE_KERNEL_H_
#define KILN_TESTS_COMPILER_LOWER_CPU_TILE_KERNEL_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/specialize/specialize.h"
#include "kiln/internal/target.h"
#include "runtime/device.h"

namespace kiln::testing {

// Lowers; the text's only kernel unless named.
absl::StatusOr<ir::Kernel> LowerText(std::string_view text, const Bindings& bindings, const Target& target,
                                     const std::string& name = "", std::vector<std::string>* rules = nullptr);

// The text of a file of the source tree.
std::string ReadSource(const std::string& path);

class TileKernel {
 public:
  static absl::StatusOr<TileKernel> Build(std::string_view text, const Bindings& bindings,
                                          const std::string& name = "");
  // Arguments in order; the object may be used again after each Launch.
  template <typename T>
  TileKernel& Tensor(DType dtype, std::vector<T>& data, std::vector<int64_t> shape, std::vector<int64_t> strides = {}) {
    return Add(dtype, data.data(), std::move(shape), std::move(strides));
  }
  TileKernel& Add(DType dtype, void* data, std::vector<int64_t> shape, std::vector<int64_t> strides);
  TileKernel& Scalar(float value);
  TileKernel& Scalar(int64_t value, DType dtype);
  absl::Status Launch();

 private:
  std::shared_ptr<const runtime::LoadedKernel> kernel_;
  std::vector<runtime::Arg> args_;
  std::deque<std::vector<int64_t>> extents_;
};

}  // namespace kiln::testing

#endif  // KILN_TESTS_COMPILER_LOWER_CPU_TILE_KERNEL_H_
