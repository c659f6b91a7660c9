#include "tests/compiler/interp/testing.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include "compiler/expr/visit.h"
#include "compiler/interp/element.h"
#include "compiler/interp/interpreter.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/visit.h"
#include "compiler/specialize/specialize.h"
#include "compiler/targets/targets.h"

namespace kiln::interp {
namespace {

void Bind(ir::Kernel& kernel, const Metas& metas) {
  Substitution values;
  for (const auto& [name, value] : metas.ints) values[name] = Int(value);
  auto bind = [&](Expr& e) {
    if (e) e = Substitute(e, values);
  };
  auto bind_dtype = [&](DTypeRef& dtype) {
    auto it = metas.dtypes.find(dtype.param);
    if (it != metas.dtypes.end()) dtype = {it->second, ""};
  };
  kernel.body = ir::BindDTypes(ir::Substitute(kernel.body, values), metas.dtypes);
  for (ir::Param& param : kernel.params) {
    bind_dtype(param.dtype);
    for (Expr& extent : param.shape) bind(extent);
  }
  for (Expr& extent : kernel.launch.grid) bind(extent);
  bind(kernel.launch.block);
}

int64_t CountOf(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

}  // namespace

ir::Kernel KernelOf(std::string_view text, const Metas& metas) {
  auto module = ir::Parse(text, "test.kiln");
  if (!module.ok() || module->kernels.size() != 1) {
    ADD_FAILURE() << module.status();
    return {};
  }
  ir::Kernel kernel = module->kernels[0];
  Bind(kernel, metas);
  return kernel;
}

ir::Kernel KernelOfFile(const std::string& path, const Metas& metas) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto module = ir::Parse(text, path);
  auto target = FindTarget("reference");
  EXPECT_TRUE(module.ok() && target.ok()) << module.status() << target.status();
  if (!module.ok() || !target.ok()) return {};
  auto kernel =
      Specialize(*module, std::filesystem::path(path).stem().string(), {metas.ints, metas.dtypes, {}, {}}, *target);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  return kernel.ok() ? *kernel : ir::Kernel{};
}

absl::Status RunKernel(const ir::Kernel& kernel, const std::vector<Argument>& args, const RunOptions& options) {
  return Run(kernel, args, options);
}

std::string MessageOf(const ir::Kernel& kernel, const std::vector<Argument>& args, const RunOptions& options) {
  return std::string(Run(kernel, args, options).message());
}

Array::Array(DType dtype, std::vector<int64_t> shape)
    : dtype_(dtype), shape_(std::move(shape)), count_(CountOf(shape_)) {
  words_.resize(static_cast<size_t>((Bytes(dtype, count_) + 7) / 8 + 2));
}

Array::Array(DType dtype, std::vector<int64_t> shape, const std::vector<double>& values)
    : Array(dtype, std::move(shape)) {
  EXPECT_EQ(static_cast<int64_t>(values.size()), count_);
  std::vector<Slot> slots;
  for (double value : values) slots.push_back(Convert(dtype, DType::kF64, FloatSlot(value)));
  StoreElements(dtype, reinterpret_cast<uint8_t*>(words_.data()), 0, count_, slots.data());
}

Tensor Array::tensor() { return Tensor{dtype_, shape_, {}, words_.data()}; }

std::vector<double> Array::values() const {
  std::vector<Slot> slots(static_cast<size_t>(count_));
  LoadElements(dtype_, reinterpret_cast<const uint8_t*>(words_.data()), 0, count_, slots.data());
  std::vector<double> values;
  for (Slot slot : slots) values.push_back(Convert(DType::kF64, IsFloat(dtype_) ? DType::kF64 : DType::kI64, slot).f);
  return values;
}

std::vector<double> Noise(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> values;
  for (int64_t k = 0; k < count; ++k) values.push_back(static_cast<double>(static_cast<int>(random() % 128) - 64) / 64);
  return values;
}

}  // namespace kiln::interp
