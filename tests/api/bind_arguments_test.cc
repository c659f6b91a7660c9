// What a launch says of arguments that do not fit, word by word; and what it learns of those that do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/signature.h"
#include "compiler/ir/parse.h"
#include "tests/api/call_args.h"

namespace kiln::api {
namespace {

Signature Make(const char* text, const std::map<std::string, int64_t>& settings = {}) {
  absl::StatusOr<ir::Module> module = ir::Parse(text, "test.kiln");
  EXPECT_TRUE(module.ok()) << module.status();
  absl::StatusOr<Signature> signature = Signature::Create(module->kernels.at(0), settings);
  EXPECT_TRUE(signature.ok()) << signature.status();
  return *std::move(signature);
}

constexpr char kNorm[] = R"(
kernel norm<T: dtype(f16, f32)>(x: tensor<T>[M, N], w: tensor<T>[N], y: out tensor<T>[M, N], eps: f32)
  where M: dynamic, N: static
  launch grid(M)
{
}
)";

class Norm : public ::testing::Test {
 protected:
  absl::Status Bind(std::vector<kiln_arg> args, BindFor purpose = BindFor::kLaunch) {
    return signature.Bind(args, purpose, &call);
  }
  std::string Refusal(std::vector<kiln_arg> args) {
    const absl::Status status = Bind(std::move(args));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }

  const Signature signature = Make(kNorm);
  BoundCall call;
  TestTensor x{DType::kF32, {3, 8}};
  TestTensor w{DType::kF32, {8}};
  TestTensor y{DType::kF32, {3, 8}};
  kiln_arg eps = Number(1e-6);
};

TEST_F(Norm, FitsAndTellsItsFacts) {
  ASSERT_TRUE(Bind({x.arg(), w.arg(), y.arg(), eps}).ok());
  EXPECT_EQ(signature.Describe(call.facts),
            "cpu; T = f32; N = 8; x dense, 16-byte aligned; w dense, 16-byte aligned; y dense, 16-byte aligned");
  const Bindings bindings = signature.BindingsOf(call.facts);
  EXPECT_EQ(bindings.ints, (std::map<std::string, int64_t>{{"N", 8}}));
  EXPECT_EQ(bindings.dtypes, (std::map<std::string, DType>{{"T", DType::kF32}}));
  EXPECT_EQ(bindings.symbols.at("M").divisor, 1);
  EXPECT_EQ(bindings.symbols.at("M").max, INT32_MAX);
  ASSERT_EQ(call.Args().size(), 4u);
  EXPECT_EQ(call.Args()[0].tensor.data, x.tensor.data);
  EXPECT_EQ(call.Args()[0].tensor.strides, nullptr);
  EXPECT_EQ(call.Args()[3].scalar, 0x358637bdu);
}

TEST_F(Norm, AGrowingBatchIsTheSameKernel) {
  ASSERT_TRUE(Bind({x.arg(), w.arg(), y.arg(), eps}).ok());
  const CallFacts first = call.facts;
  for (int64_t rows : {1, 2, 7, 4096}) {
    TestTensor x2(DType::kF32, {rows, 8}), y2(DType::kF32, {rows, 8});
    ASSERT_TRUE(Bind({x2.arg(), w.arg(), y2.arg(), eps}).ok());
    EXPECT_TRUE(call.facts == first) << rows;
  }
}

TEST_F(Norm, Count) {
  EXPECT_EQ(Refusal({x.arg(), w.arg()}), "arguments: kernel \"norm\": expected 4 arguments (x, w, y, eps), got 2");
}

TEST_F(Norm, Kind) {
  EXPECT_EQ(Refusal({Integer(1), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"x\": expected a tensor, got an integer");
  EXPECT_EQ(Refusal({x.arg(), w.arg(), y.arg(), w.arg()}),
            "arguments: kernel \"norm\", argument \"eps\": expected a number of type f32, got a tensor");
  kiln_arg unknown = {77, 0, {}};
  EXPECT_EQ(Refusal({unknown, w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"x\": expected a tensor, got an unknown kind of argument");
}

TEST_F(Norm, Null) {
  kiln_arg null = {KILN_ARG_TENSOR, 0, {}};
  EXPECT_EQ(Refusal({null, w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"x\": expected a tensor, got NULL");
  null.kind = KILN_ARG_MANAGED_VERSIONED;
  EXPECT_EQ(Refusal({null, w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"x\": expected a tensor, got NULL");
  w.tensor.data = nullptr;
  EXPECT_EQ(Refusal({x.arg(), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"w\": expected data, got NULL for its data");
  EXPECT_TRUE(Bind({x.arg(), w.arg(), y.arg(), eps}, BindFor::kPrepare).ok());
  w.tensor.shape = nullptr;
  EXPECT_EQ(Refusal({x.arg(), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"w\": expected a shape, got NULL for its shape");
}

TEST_F(Norm, Rank) {
  TestTensor flat(DType::kF32, {24});
  EXPECT_EQ(Refusal({flat.arg(), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"x\": expected rank 2 [M, N], got rank 1");
}

TEST_F(Norm, DType) {
  TestTensor wide(DType::kF64, {3, 8});
  EXPECT_EQ(Refusal({wide.arg(), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"x\": expected one of the dtypes f16, f32, got f64");
  TestTensor half(DType::kF16, {8});
  EXPECT_EQ(Refusal({x.arg(), half.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"w\": expected dtype T = f32, which argument \"x\" has, got f16");
  TestTensor brain(DType::kBF16, {3, 8});
  EXPECT_EQ(Refusal({brain.arg(), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"x\": expected one of the dtypes f16, f32, got bf16");
  x.tensor.dtype.lanes = 4;
  EXPECT_EQ(Refusal({x.arg(), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"x\": expected one of the dtypes f16, f32, got float32x4");
}

TEST_F(Norm, Device) {
  w.On(KILN_DEVICE_CUDA, 1);
  EXPECT_EQ(Refusal({x.arg(), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"w\": expected device cpu, where argument \"x\" is, got cuda:1");
  x.On(KILN_DEVICE_CUDA_MANAGED, 1);
  y.On(KILN_DEVICE_CUDA, 0);
  EXPECT_EQ(Refusal({x.arg(), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"y\": expected device cuda:1, where argument \"x\" is, got cuda:0");
}

TEST_F(Norm, ShapeFacts) {
  TestTensor w7(DType::kF32, {7});
  EXPECT_EQ(
      Refusal({x.arg(), w7.arg(), y.arg(), eps}),
      "arguments: kernel \"norm\", argument \"w\": expected dimension 0 to be N = 8, which dimension 1 of argument "
      "\"x\" is, got 7");
  TestTensor y4(DType::kF32, {4, 8});
  EXPECT_EQ(
      Refusal({x.arg(), w.arg(), y4.arg(), eps}),
      "arguments: kernel \"norm\", argument \"y\": expected dimension 0 to be M = 3, which dimension 0 of argument "
      "\"x\" is, got 4");
  TestTensor negative(DType::kF32, {3, 8});
  negative.tensor.shape[0] = -1;
  EXPECT_EQ(Refusal({negative.arg(), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"x\": expected dimension 0 to be at least 0, got -1");
}

TEST_F(Norm, Strides) {
  TestTensor rows(DType::kF32, {3, 8}, {-8, 1});
  EXPECT_EQ(Refusal({rows.arg(), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"x\": expected the stride of dimension 0 to be at least 0, got -8");
  TestTensor spread(DType::kF32, {3, 8}, {0, 1});
  EXPECT_EQ(
      Refusal({x.arg(), w.arg(), spread.arg(), eps}),
      "arguments: kernel \"norm\", argument \"y\": expected the stride of dimension 0 to be at least 1, since it is "
      "written, got 0");
  ASSERT_TRUE(Bind({spread.arg(), w.arg(), y.arg(), eps}).ok());
  EXPECT_FALSE(signature.BindingsOf(call.facts).tensors.at("x").contiguous);
}

// Case SPEC-2 C
TEST_F(Norm, Alignment) {
  x.ShiftedBy(2);
  EXPECT_EQ(Refusal({x.arg(), w.arg(), y.arg(), eps}),
            "arguments: kernel \"norm\", argument \"x\": expected an address that 4 divides, got one that leaves 2");
  x.ShiftedBy(8);
  ASSERT_TRUE(Bind({x.arg(), w.arg(), y.arg(), eps}).ok());
  EXPECT_EQ(signature.BindingsOf(call.facts).tensors.at("x").align, 8);
}

TEST_F(Norm, Scalars) {
  EXPECT_EQ(Refusal({x.arg(), w.arg(), y.arg(), Integer((1 << 24) + 1)}),
            "arguments: kernel \"norm\", argument \"eps\": expected a number that f32 holds exactly, got 16777217");
  ASSERT_TRUE(Bind({x.arg(), w.arg(), y.arg(), Integer(2)}).ok());
  EXPECT_EQ(call.Args()[3].scalar, 0x40000000u);
}

TEST_F(Norm, Versions) {
  kiln_dl_managed_tensor_versioned managed = {};
  managed.version = {1, 1};
  managed.dl_tensor = y.tensor;
  kiln_arg arg = {KILN_ARG_MANAGED_VERSIONED, 0, {}};
  arg.as.versioned = &managed;
  EXPECT_TRUE(Bind({x.arg(), w.arg(), arg, eps}).ok());
  managed.flags = KILN_DL_READ_ONLY;
  EXPECT_EQ(Refusal({x.arg(), w.arg(), arg, eps}),
            "arguments: kernel \"norm\", argument \"y\": expected a tensor that may be written, got a read-only one");
  managed.version = {2, 0};
  EXPECT_EQ(Refusal({x.arg(), w.arg(), arg, eps}),
            "arguments: kernel \"norm\", argument \"y\": expected DLPack version 1, got version 2.0");
  kiln_dl_managed_tensor old = {};
  old.dl_tensor = y.tensor;
  arg.kind = KILN_ARG_MANAGED;
  arg.as.managed = &old;
  EXPECT_TRUE(Bind({x.arg(), w.arg(), arg, eps}).ok());
}

TEST_F(Norm, ExtentsOfOneHaveNoStride) {
  TestTensor x1(DType::kF32, {1, 8}, {1, 1}), y1(DType::kF32, {1, 8}, {99, 1});
  ASSERT_TRUE(Bind({x1.arg(), w.arg(), y1.arg(), eps}).ok());
  const CallFacts odd = call.facts;
  ASSERT_TRUE(Bind({x.arg(), w.arg(), y.arg(), eps}).ok());
  EXPECT_TRUE(call.facts == odd);
}

TEST_F(Norm, EmptyTensorsHaveNoStridesAndNoData) {
  TestTensor x0(DType::kF32, {0, 8}, {-1, 3}), y0(DType::kF32, {0, 8}, {0, 0});
  x0.tensor.data = nullptr;
  ASSERT_TRUE(Bind({x0.arg(), w.arg(), y0.arg(), eps}).ok());
  const CallFacts empty = call.facts;
  ASSERT_TRUE(Bind({x.arg(), w.arg(), y.arg(), eps}).ok());
  EXPECT_TRUE(call.facts == empty);
}

TEST_F(Norm, StridesAreKnownByPowersOfTwoUpToSixteenBytes) {
  const auto divisor = [&](int64_t stride) {
    TestTensor padded(DType::kF32, {3, 8}, {stride, 1});
    EXPECT_TRUE(Bind({padded.arg(), w.arg(), y.arg(), eps}).ok());
    const TensorBinding binding = signature.BindingsOf(call.facts).tensors.at("x");
    EXPECT_FALSE(binding.contiguous);
    EXPECT_TRUE(binding.unit_inner);
    return binding.stride_divisor;
  };
  EXPECT_EQ(divisor(9), 1);
  EXPECT_EQ(divisor(10), 2);
  EXPECT_EQ(divisor(12), 4);
  EXPECT_EQ(divisor(64), 4);
  TestTensor columns(DType::kF32, {3, 8}, {1, 3});
  ASSERT_TRUE(Bind({columns.arg(), w.arg(), y.arg(), eps}).ok());
  EXPECT_FALSE(signature.BindingsOf(call.facts).tensors.at("x").unit_inner);
}

TEST(Bind, Policies) {
  const Signature signature = Make(R"(
kernel k(x: tensor<f16>[B, K, L], y: out tensor<f16>[B, 2 * K])
  where B: bucket(1, 4, 16), K: multiple_of(64), L: dynamic tuned(pow2)
  launch grid(B)
{
}
)");
  BoundCall call;
  const auto bind = [&](int64_t b, int64_t k, int64_t l, int64_t k2) {
    TestTensor x(DType::kF16, {b, k, l}), y(DType::kF16, {b, k2});
    return std::string(signature.Bind({x.arg(), y.arg()}, BindFor::kLaunch, &call).message());
  };
  EXPECT_EQ(bind(3, 128, 20, 256), "");
  Bindings bindings = signature.BindingsOf(call.facts);
  EXPECT_EQ(bindings.symbols.at("B").max, 4);
  EXPECT_EQ(bindings.symbols.at("K").divisor, 64);
  EXPECT_EQ(bindings.symbols.at("L").divisor, 4);
  EXPECT_EQ(
      bind(17, 128, 20, 256),
      "arguments: kernel \"k\", argument \"x\": expected dimension 0 (B) to be at most 16, its largest bucket, got "
      "17");
  EXPECT_EQ(bind(3, 96, 20, 192),
            "arguments: kernel \"k\", argument \"x\": expected dimension 1 (K) to be a multiple of 64, got 96");
  EXPECT_EQ(bind(3, 128, 20, 255), "arguments: kernel \"k\", argument \"y\": expected dimension 1 to be 256, got 255");
}

TEST(Bind, WhatAKernelWasMadeForCoversMoreSpecialCalls) {
  const Signature signature = Make(R"(
kernel k(x: tensor<f32>[M, N], y: out tensor<f32>[M, N]) launch grid(M) {
}
)");
  const auto facts = [&](int64_t n, int64_t stride, uint64_t shift) {
    TestTensor x(DType::kF32, {4, n}, {stride, 1}), y(DType::kF32, {4, n});
    BoundCall call;
    EXPECT_TRUE(signature.Bind({x.ShiftedBy(shift).arg(), y.arg()}, BindFor::kLaunch, &call).ok());
    return call.facts;
  };
  EXPECT_TRUE(signature.Covers(facts(6, 6, 0), facts(12, 12, 0)));
  EXPECT_FALSE(signature.Covers(facts(12, 12, 0), facts(6, 6, 0)));
  EXPECT_TRUE(signature.Covers(facts(6, 6, 4), facts(6, 6, 0)));
  EXPECT_FALSE(signature.Covers(facts(6, 6, 0), facts(6, 6, 4)));
  EXPECT_TRUE(signature.Covers(facts(6, 7, 0), facts(6, 6, 0)));
  EXPECT_FALSE(signature.Covers(facts(6, 6, 0), facts(6, 7, 0)));
  EXPECT_FALSE(signature.Covers(facts(6, 8, 0), facts(6, 6, 0)));
}

TEST(Bind, IntegerParametersComeFromShapesOrFromSettings) {
  constexpr char kText[] = "kernel k<D: int>(x: tensor<f32>[N, D], y: out tensor<f32>[N, 2 * D]) launch grid(N) {\n}\n";
  TestTensor x(DType::kF32, {3, 4}), y(DType::kF32, {3, 8});
  BoundCall call;
  const Signature learnt = Make(kText);
  ASSERT_TRUE(learnt.Bind({x.arg(), y.arg()}, BindFor::kLaunch, &call).ok());
  EXPECT_EQ(learnt.BindingsOf(call.facts).ints, (std::map<std::string, int64_t>{{"D", 4}}));
  const Signature told = Make(kText, {{"D", 5}});
  EXPECT_EQ(told.Bind({x.arg(), y.arg()}, BindFor::kLaunch, &call).message(),
            "arguments: kernel \"k\", argument \"x\": expected dimension 1 to be 5, got 4");
}

TEST(SignatureCreate, RefusesWhatCannotBeChecked) {
  const auto refusal = [](const char* text, const std::map<std::string, int64_t>& settings) {
    absl::StatusOr<ir::Module> module = ir::Parse(text, "test.kiln");
    EXPECT_TRUE(module.ok()) << module.status();
    return std::string(Signature::Create(module->kernels.at(0), settings).status().message());
  };
  EXPECT_EQ(refusal("kernel k<B: tune(1, 2)>(x: tensor<f32>[N]) launch grid(N) {\n}\n", {{"C", 1}}),
            "load: kernel \"k\": setting \"C\": expected the name of an integer parameter, which it is not");
}

}  // namespace
}  // namespace kiln::api
