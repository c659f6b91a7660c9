#include "runtime/launch_recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/prepared_recipe.h"

namespace kiln::runtime {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

RecipeStep Const(int64_t value) { return {RecipeOp::kConst, 0, 0, value}; }
RecipeStep Dim(uint16_t arg, uint16_t index) { return {RecipeOp::kDim, arg, index, 0}; }
RecipeStep Stride(uint16_t arg, uint16_t index) { return {RecipeOp::kStride, arg, index, 0}; }
RecipeStep Do(RecipeOp op) { return {op, 0, 0, 0}; }

// x: f32[M, N], y: f32[M, N], eps: f32, n: i32
class LaunchRecipeTest : public ::testing::Test {
 protected:
  LaunchRecipeTest() {
    for (int i = 0; i < 2; ++i) {
      args_[i].tensor = {&storage_[i], shape_, nullptr, 2, DType::kF32};
      specs_.push_back({i == 0 ? "x" : "y", true, DType::kF32, 2, i == 1});
    }
    args_[2].is_tensor = false;
    args_[2].scalar_dtype = DType::kF32;
    args_[2].scalar = 0x3f800000;
    specs_.push_back({"eps", false, DType::kF32, 0, false});
    args_[3].is_tensor = false;
    args_[3].scalar_dtype = DType::kI32;
    args_[3].scalar = 0xffffffff;  // -1
    specs_.push_back({"n", false, DType::kI32, 0, false});
  }

  // Both ways to evaluate a recipe, which must agree.
  absl::Status Evaluate() {
    const absl::Status status = runtime::Evaluate(recipe_, args_, limits_, &launch_);
    ResolvedLaunch prepared;
    EXPECT_EQ(PreparedRecipe(recipe_).Evaluate(args_, limits_, &prepared), status);
    if (!status.ok()) return status;
    EXPECT_TRUE(std::equal(launch_.grid, launch_.grid + 3, prepared.grid));
    EXPECT_EQ(std::vector<uint64_t>(launch_.params, launch_.params + launch_.count),
              std::vector<uint64_t>(prepared.params, prepared.params + prepared.count));
    return status;
  }
  std::string EvaluateError() { return std::string(Evaluate().message()); }
  std::string ValidateError() { return std::string(Validate(recipe_, specs_).message()); }

  // Value of a program as a 64-bit native argument.
  int64_t Value(RecipeProgram program) {
    recipe_ = {};
    recipe_.params.push_back({RecipeParam::Kind::kInteger, 0, DType::kI64, std::move(program)});
    absl::Status status = Evaluate();
    EXPECT_TRUE(status.ok()) << status;
    return static_cast<int64_t>(launch_.params[0]);
  }
  int64_t Binary(RecipeOp op, int64_t a, int64_t b) { return Value({Const(a), Const(b), Do(op)}); }
  std::string BinaryError(RecipeOp op, int64_t a, int64_t b) {
    recipe_ = {};
    recipe_.params.push_back({RecipeParam::Kind::kInteger, 0, DType::kI64, {Const(a), Const(b), Do(op)}});
    return EvaluateError();
  }

  int64_t shape_[2] = {1001, 4096};
  float storage_[2] = {};
  Arg args_[4];
  std::vector<ArgSpec> specs_;
  DeviceLimits limits_ = {132, 66, 232448};
  LaunchRecipe recipe_;
  ResolvedLaunch launch_;
};

TEST_F(LaunchRecipeTest, GridAndEveryKindOfParameter) {
  recipe_.grid[0] = {Dim(0, 0), Const(4), Do(RecipeOp::kCeilDiv)};
  recipe_.params = {{RecipeParam::Kind::kPointer, 1},
                    {RecipeParam::Kind::kInteger, 0, DType::kI32, {Dim(0, 0)}},
                    {RecipeParam::Kind::kScalar, 2, DType::kF32}};
  ASSERT_TRUE(Validate(recipe_, specs_).ok()) << Validate(recipe_, specs_);
  ASSERT_TRUE(Evaluate().ok());
  EXPECT_EQ(launch_.grid[0], 251);
  EXPECT_EQ(launch_.grid[1], 1);
  EXPECT_EQ(launch_.grid[2], 1);
  ASSERT_EQ(launch_.count, 3);
  EXPECT_EQ(launch_.params[0], reinterpret_cast<uintptr_t>(&storage_[1]));
  EXPECT_EQ(launch_.params[1], 1001u);
  EXPECT_EQ(launch_.params[2], 0x3f800000u);
  EXPECT_FALSE(launch_.empty());
}

TEST_F(LaunchRecipeTest, Facts) {
  EXPECT_EQ(Value({Stride(0, 0)}), 4096);
  EXPECT_EQ(Value({Stride(0, 1)}), 1);
  const int64_t strides[] = {5000, 2};
  args_[0].tensor.strides = strides;
  EXPECT_EQ(Value({Stride(0, 0)}), 5000);
  EXPECT_EQ(Value({Stride(0, 1)}), 2);
  EXPECT_EQ(Value({{RecipeOp::kScalar, 3, 0, 0}}), -1);
  EXPECT_EQ(Value({{RecipeOp::kLimit, 0, 1, 0}}), 132);
  EXPECT_EQ(Value({{RecipeOp::kLimit, 0, 2, 0}}), 66);
  EXPECT_EQ(Value({{RecipeOp::kLimit, 0, 3, 0}}), 232448);
  EXPECT_EQ(Value({{RecipeOp::kAddress, 0, 0, 0}, Const(16), Do(RecipeOp::kMod)}),
            static_cast<int64_t>(reinterpret_cast<uintptr_t>(&storage_[0]) % 16));
}

TEST_F(LaunchRecipeTest, DivisionFloors) {
  EXPECT_EQ(Binary(RecipeOp::kFloorDiv, 7, 2), 3);
  EXPECT_EQ(Binary(RecipeOp::kFloorDiv, -7, 2), -4);
  EXPECT_EQ(Binary(RecipeOp::kFloorDiv, 7, -2), -4);
  EXPECT_EQ(Binary(RecipeOp::kFloorDiv, -8, 2), -4);
  EXPECT_EQ(Binary(RecipeOp::kCeilDiv, 7, 2), 4);
  EXPECT_EQ(Binary(RecipeOp::kCeilDiv, -7, 2), -3);
  EXPECT_EQ(Binary(RecipeOp::kCeilDiv, 8, 2), 4);
  EXPECT_EQ(Binary(RecipeOp::kMod, 7, 3), 1);
  EXPECT_EQ(Binary(RecipeOp::kMod, -7, 3), 2);
  EXPECT_EQ(Binary(RecipeOp::kMod, 7, -3), -2);
}

TEST_F(LaunchRecipeTest, TheOtherOperators) {
  EXPECT_EQ(Binary(RecipeOp::kAdd, 2, 3), 5);
  EXPECT_EQ(Binary(RecipeOp::kSub, 2, 3), -1);
  EXPECT_EQ(Binary(RecipeOp::kMul, 1 << 20, 1 << 20), int64_t{1} << 40);
  EXPECT_EQ(Binary(RecipeOp::kMin, 2, 3), 2);
  EXPECT_EQ(Binary(RecipeOp::kMax, 2, 3), 3);
  EXPECT_EQ(Binary(RecipeOp::kEq, 2, 2), 1);
  EXPECT_EQ(Binary(RecipeOp::kNe, 2, 2), 0);
  EXPECT_EQ(Binary(RecipeOp::kLt, 2, 3), 1);
  EXPECT_EQ(Binary(RecipeOp::kLe, 3, 2), 0);
  EXPECT_EQ(Binary(RecipeOp::kAnd, 4, 2), 1);
  EXPECT_EQ(Binary(RecipeOp::kOr, 0, 0), 0);
  EXPECT_EQ(Value({Const(0), Do(RecipeOp::kNot)}), 1);
}

TEST_F(LaunchRecipeTest, OverflowAndZeroDivisorAreErrors) {
  const std::string kOverflow = "launch: native argument 0: the value does not fit 64 bits";
  EXPECT_EQ(BinaryError(RecipeOp::kAdd, kMax, 1), kOverflow);
  EXPECT_EQ(BinaryError(RecipeOp::kSub, kMin, 1), kOverflow);
  EXPECT_EQ(BinaryError(RecipeOp::kMul, kMax, 2), kOverflow);
  EXPECT_EQ(BinaryError(RecipeOp::kFloorDiv, kMin, -1), kOverflow);
  EXPECT_EQ(BinaryError(RecipeOp::kMod, 1, 0), "launch: native argument 0: division by zero");
  shape_[0] = shape_[1] = int64_t{1} << 62;
  args_[0].tensor.rank = 2;
  recipe_ = {};
  recipe_.grid[0] = {Dim(0, 0)};
  recipe_.grid[1] = {Dim(0, 1)};
  EXPECT_EQ(EvaluateError(),
            "launch: grid: the value does not fit 64 bits with argument 0 extent 1 = 4611686018427387904");
}

// Case SHAPE-1 C
TEST_F(LaunchRecipeTest, ZeroGridIsSuccess) {
  shape_[0] = 0;
  recipe_.grid[0] = {Dim(0, 0), Const(4), Do(RecipeOp::kCeilDiv)};
  ASSERT_TRUE(Evaluate().ok());
  EXPECT_TRUE(launch_.empty());
}

TEST_F(LaunchRecipeTest, NegativeGridIsAnError) {
  recipe_.grid[2] = {{RecipeOp::kScalar, 3, 0, 0}};
  EXPECT_EQ(EvaluateError(), "launch: grid z: expected no negative extent, found -1");
}

TEST_F(LaunchRecipeTest, GuardNamesItsMessageAndValues) {
  recipe_.guards.push_back(
      {{Dim(0, 0), Const(8), Do(RecipeOp::kMod), Const(0), Do(RecipeOp::kEq)}, "x: M must be a multiple of 8"});
  absl::Status status = Evaluate();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "launch: x: M must be a multiple of 8 (argument 0 extent 0 = 1001)");
  shape_[0] = 1008;
  EXPECT_TRUE(Evaluate().ok());
}

TEST_F(LaunchRecipeTest, SeveralGuardsOfOneFact) {
  recipe_.guards = {{{Const(8), Dim(0, 0), Do(RecipeOp::kLe)}, "M is below 8"},
                    {{Dim(0, 0), Const(2000), Do(RecipeOp::kLe)}, "M is above 2000"},
                    {{Dim(0, 0), Const(1500), Do(RecipeOp::kLe)}, "M is above 1500"},
                    {{Dim(0, 0), Const(4), Do(RecipeOp::kMod), Const(0), Do(RecipeOp::kEq)}, "M is odd"},
                    {{Dim(0, 0), Const(3), Do(RecipeOp::kMod), Const(0), Do(RecipeOp::kEq)}, "M and 3"},
                    {{Dim(0, 0), Dim(0, 1), Do(RecipeOp::kLt)}, "M is not below N"}};
  const std::pair<int64_t, std::string> cases[] = {
      {0, "launch: M is below 8 (argument 0 extent 0 = 0)"},
      {7, "launch: M is below 8 (argument 0 extent 0 = 7)"},
      {1501, "launch: M is above 1500 (argument 0 extent 0 = 1501)"},
      {2001, "launch: M is above 2000 (argument 0 extent 0 = 2001)"},
      {10, "launch: M is odd (argument 0 extent 0 = 10)"},
      {8, "launch: M and 3 (argument 0 extent 0 = 8)"},
      {12, ""},
      {1500, ""},
  };
  for (const auto& [extent, message] : cases) {
    shape_[0] = extent;
    EXPECT_EQ(EvaluateError(), message) << extent;
  }
  shape_[0] = 12;
  shape_[1] = 12;
  EXPECT_EQ(EvaluateError(), "launch: M is not below N (argument 0 extent 0 = 12, argument 0 extent 1 = 12)");
}

TEST_F(LaunchRecipeTest, NarrowParameterThatDoesNotFit) {
  shape_[0] = int64_t{1} << 31;
  recipe_.params.push_back({RecipeParam::Kind::kInteger, 0, DType::kI32, {Dim(0, 0)}});
  EXPECT_EQ(EvaluateError(), "launch: native argument 0: expected a value of 32 bits, found 2147483648");
}

TEST_F(LaunchRecipeTest, ScalarOfAnotherDtype) {
  recipe_.params.push_back({RecipeParam::Kind::kScalar, 2, DType::kF64});
  EXPECT_EQ(ValidateError(), "launch recipe: native argument 0: argument 2 (eps) is f32, passed as f64");
}

TEST_F(LaunchRecipeTest, TheDeepestStackIsLegal) {
  RecipeProgram program(kMaxRecipeDepth, Const(1));
  program.resize(2 * kMaxRecipeDepth - 1, Do(RecipeOp::kAdd));
  EXPECT_EQ(Value(program), 16);
  EXPECT_TRUE(Validate(recipe_, specs_).ok()) << Validate(recipe_, specs_);
}

TEST_F(LaunchRecipeTest, ValidateNamesWhatIsWrong) {
  recipe_.grid[1] = {Dim(0, 2)};
  EXPECT_EQ(ValidateError(), "launch recipe: grid 1: dimension 2 of argument 0 (x) of rank 2");
  recipe_.grid[1] = {Dim(7, 0)};
  EXPECT_EQ(ValidateError(), "launch recipe: grid 1: argument 7 of 4");
  recipe_.grid[1] = {Dim(2, 0)};
  EXPECT_EQ(ValidateError(), "launch recipe: grid 1: argument 2 (eps): expected a tensor, found a scalar");
  recipe_.grid[1] = {{RecipeOp::kScalar, 2, 0, 0}};
  EXPECT_EQ(ValidateError(), "launch recipe: grid 1: argument 2 (eps): expected an integer, found f32");
  recipe_.grid[1] = {Const(1), Const(1)};
  EXPECT_EQ(ValidateError(), "launch recipe: grid 1: expected one value at the end, found 2");
  recipe_.grid[1] = {Const(1), Do(RecipeOp::kAdd)};
  EXPECT_EQ(ValidateError(), "launch recipe: grid 1: a step takes more values than there are");
  recipe_.grid[1] = RecipeProgram(kMaxRecipeDepth + 1, Const(1));
  EXPECT_EQ(ValidateError(), "launch recipe: grid 1: needs a stack over 16 values");
  recipe_.grid[1] = {{static_cast<RecipeOp>(200), 0, 0, 0}};
  EXPECT_EQ(ValidateError(), "launch recipe: grid 1: there is no step 200");
  recipe_.grid[1] = {{RecipeOp::kLimit, 0, 0, 0}};
  EXPECT_EQ(ValidateError(), "launch recipe: grid 1: there is no device limit 0");
  recipe_.grid[1] = RecipeProgram(kMaxRecipeSteps + 1, Const(1));
  EXPECT_EQ(ValidateError(), "launch recipe: grid 1: expected at most 256 steps, found 257");
  recipe_.grid[1] = {};
  recipe_.block = 2048;
  EXPECT_EQ(ValidateError(), "launch recipe: block: expected 1 to 1024, found 2048");
  recipe_.block = 128;
  recipe_.shared_bytes = -1;
  EXPECT_EQ(ValidateError(), "launch recipe: shared bytes: expected 0 to 1099511627776, found -1");
  recipe_.shared_bytes = 0;
  recipe_.params.push_back({RecipeParam::Kind::kInteger, 0, DType::kF32, {Const(1)}});
  EXPECT_EQ(ValidateError(), "launch recipe: native argument 0: expected i32 or i64, found f32");
  recipe_.params.assign(kMaxNativeParams + 1, {RecipeParam::Kind::kPointer});
  EXPECT_EQ(ValidateError(), "launch recipe: native arguments: expected 0 to 64, found 65");
}

// Recipes damaged at random: Validate refuses them by name, or Evaluate finds every index and stack slot it asks for
// (which the address sanitizer watches).
class DamagedRecipe : public LaunchRecipeTest {
 protected:
  DamagedRecipe() {
    recipe_.grid[0] = {Dim(0, 0), Const(4), Do(RecipeOp::kCeilDiv)};
    recipe_.grid[1] = {Dim(1, 1), {RecipeOp::kLimit, 0, 1, 0}, Do(RecipeOp::kMin)};
    recipe_.block = 128;
    recipe_.params = {{RecipeParam::Kind::kPointer, 1},
                      {RecipeParam::Kind::kInteger, 0, DType::kI64, {Stride(0, 0), {RecipeOp::kScalar, 3, 0, 0}}},
                      {RecipeParam::Kind::kScalar, 2, DType::kF32}};
    recipe_.params[1].value.push_back(Do(RecipeOp::kAdd));
    recipe_.guards = {{{{RecipeOp::kAddress, 0, 0, 0}, Const(1), Do(RecipeOp::kMod), Do(RecipeOp::kNot)}, "aligned"}};
  }

  uint32_t Below(uint32_t bound) { return random_() % bound; }

  RecipeProgram& AnyProgram() {
    switch (Below(4)) {
      case 0:
        return recipe_.grid[Below(3)];
      case 1:
        return recipe_.params[Below(3)].value;
      case 2:
        return recipe_.guards[0].condition;
      default:
        return recipe_.grid[0];
    }
  }

  void Damage() {
    RecipeProgram& program = AnyProgram();
    RecipeParam& param = recipe_.params[Below(3)];
    const uint32_t at = program.empty() ? 0 : Below(static_cast<uint32_t>(program.size()));
    switch (Below(program.empty() ? 5 : 9)) {
      case 0:
        param.arg = static_cast<uint16_t>(Below(2) ? Below(6) : random_());
        break;
      case 1:
        param.kind = static_cast<RecipeParam::Kind>(Below(5));
        break;
      case 2:
        param.dtype = static_cast<DType>(Below(kDTypes.size()));
        break;
      case 3:
        program.push_back({static_cast<RecipeOp>(Below(40)), static_cast<uint16_t>(Below(5)), 0, 1});
        break;
      case 4:
        (Below(2) ? recipe_.block : recipe_.cluster) = static_cast<int32_t>(random_());
        break;
      case 5:
        program[at].op = static_cast<RecipeOp>(Below(40));
        break;
      case 6:
        program[at].arg = static_cast<uint16_t>(Below(2) ? Below(6) : random_());
        break;
      case 7:
        program[at].index = static_cast<uint16_t>(Below(2) ? Below(4) : random_());
        break;
      default:
        program.erase(program.begin() + at);
        break;
    }
  }

  std::mt19937 random_{20};
};

TEST_F(DamagedRecipe, IsRefusedOrEvaluates) {
  ASSERT_TRUE(Validate(recipe_, specs_).ok()) << Validate(recipe_, specs_);
  ASSERT_TRUE(Evaluate().ok());
  const LaunchRecipe whole = recipe_;
  int refused = 0, failed = 0, evaluated = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    recipe_ = whole;
    for (uint32_t damages = 1 + Below(3); damages > 0; --damages) Damage();
    if (const std::string error = ValidateError(); !error.empty()) {
      ASSERT_EQ(error.rfind("launch recipe: ", 0), 0u) << error;
      ++refused;
      continue;
    }
    const std::string error = EvaluateError();
    ASSERT_TRUE(error.empty() || error.rfind("launch: ", 0) == 0) << error;
    ++(error.empty() ? evaluated : failed);
  }
  EXPECT_EQ(refused + failed + evaluated, 20000);
  EXPECT_GT(refused, 10000);
  EXPECT_GT(failed, 100);
  EXPECT_GT(evaluated, 500);
}

}  // namespace
}  // namespace kiln::runtime
