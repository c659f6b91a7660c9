#include "api/artifact_codec.h"

#include <gtest/gtest.h>

namespace kiln::api {
namespace {

Artifact Sample() {
  Artifact a;
  a.kind = TargetKind::kCuda;
  a.arch = "sm_90a";
  a.kernel = "norm";
  a.entry = "norm_entry";
  a.binary = std::string(
      "\x7f"
      "ELF\0\1",
      6);
  a.args = {
      {"x", true, DType::kBF16, 2, false}, {"y", true, DType::kBF16, 2, true}, {"eps", false, DType::kF32, 0, false}};
  a.recipe.grid[0] = {{RecipeOp::kDim, 0, 0, 0}, {RecipeOp::kConst, 0, 0, 4}, {RecipeOp::kCeilDiv}};
  a.recipe.block = 256;
  a.recipe.shared_bytes = 1024;
  a.recipe.params = {{RecipeParam::Kind::kPointer, 0, DType::kNone, {}},
                     {RecipeParam::Kind::kPointer, 1, DType::kNone, {}},
                     {RecipeParam::Kind::kInteger, 0, DType::kI32, {{RecipeOp::kDim, 0, 1, 0}}},
                     {RecipeParam::Kind::kScalar, 2, DType::kF32, {}}};
  a.recipe.guards = {
      {{{RecipeOp::kDim, 0, 1, 0}, {RecipeOp::kConst, 0, 0, -8}, {RecipeOp::kMod}, {RecipeOp::kNot}}, "N % 8 == 0"}};
  a.resources.registers = 40;
  a.resources.spill_bytes = 0;
  a.rules = {"cta.copy: vector", "cta.sum: shuffle"};
  a.log = "ptxas info";
  return a;
}

TEST(ArtifactCodec, RoundTrip) {
  const Artifact a = Sample();
  const std::string bytes = EncodeArtifact(a);
  const absl::StatusOr<Artifact> b = DecodeArtifact(bytes);
  ASSERT_TRUE(b.ok()) << b.status();
  EXPECT_EQ(EncodeArtifact(*b), bytes);
  EXPECT_EQ(b->binary, a.binary);
  EXPECT_EQ(b->args[1].written, true);
  EXPECT_EQ(b->recipe.guards[0].message, "N % 8 == 0");
  EXPECT_EQ(b->recipe.guards[0].condition[1].value, -8);
  EXPECT_EQ(b->recipe.params[2].dtype, DType::kI32);
  EXPECT_EQ(b->resources.registers, 40);
  EXPECT_EQ(b->resources.stack_bytes, -1);
  EXPECT_EQ(b->rules, a.rules);
}

TEST(ArtifactCodec, EveryTruncationIsRefusedOrWhole) {
  const std::string bytes = EncodeArtifact(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const absl::StatusOr<Artifact> decoded = DecodeArtifact(bytes.substr(0, size));
    // Fields that come last may be missing; then what is left is valid in itself.
    if (decoded.ok()) {
      EXPECT_EQ(decoded->recipe.params.size(), 4u) << size;
    } else {
      EXPECT_EQ(decoded.status().code(), absl::StatusCode::kDataLoss) << size;
    }
  }
}

std::string Refusal(const Artifact& artifact) {
  const absl::StatusOr<Artifact> decoded = DecodeArtifact(EncodeArtifact(artifact));
  EXPECT_EQ(decoded.status().code(), absl::StatusCode::kDataLoss);
  return std::string(decoded.status().message());
}

TEST(ArtifactCodec, RefusesWhatCouldNotBeLaunched) {
  Artifact a = Sample();
  a.binary.clear();
  EXPECT_EQ(Refusal(a), "artifact: it has no binary");
  a = Sample();
  a.kind = static_cast<TargetKind>(99);
  EXPECT_EQ(Refusal(a), "artifact: target kind 99 is unknown");
  a = Sample();
  a.args[0].rank = 9;
  EXPECT_EQ(Refusal(a), "artifact: argument \"x\" has rank 9");
  a = Sample();
  a.args[0].dtype = DType::kNone;
  EXPECT_EQ(Refusal(a), "artifact: argument \"x\" has no dtype");
  a = Sample();
  a.recipe.params[0].arg = 7;
  EXPECT_EQ(DecodeArtifact(EncodeArtifact(a)).status().code(), absl::StatusCode::kDataLoss);
  a = Sample();
  a.recipe.grid[0][0].index = 5;
  EXPECT_EQ(DecodeArtifact(EncodeArtifact(a)).status().code(), absl::StatusCode::kDataLoss);
  a = Sample();
  a.recipe.grid[0].pop_back();
  EXPECT_EQ(DecodeArtifact(EncodeArtifact(a)).status().code(), absl::StatusCode::kDataLoss);
}

TEST(ArtifactCodec, RefusesOtherBytes) {
  EXPECT_EQ(DecodeArtifact("").status().message(), "artifact: it has no version");
  EXPECT_EQ(DecodeArtifact("\xff\xff").status().message(), "artifact: the bytes are not of its form");
  const absl::Status later = DecodeArtifact(std::string("\x08\x02", 2)).status();
  EXPECT_EQ(later.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(later.message(), "artifact: version 2, at most 1 is known here: a later Kiln wrote it");
}

}  // namespace
}  // namespace kiln::api
