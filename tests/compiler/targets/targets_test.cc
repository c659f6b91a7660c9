#include "compiler/targets/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kSmall[] = R"(
kind: CUDA
name: "mine"
arch: "sm_90a"
spaces { name: "global" scope: "device" }
spaces { name: "shared" capacity: 131072 scope: "cta" }
routes { from: "global" to: "shared" }
max_threads: 256
warp_size: 32
max_registers: 255
registers: 65536
vector_bytes: 16
)";

std::string Error(const std::string& text) { return std::string(ParseTarget(text).status().message()); }

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Targets, NamesAreSortedAndAllParse) {
  EXPECT_THAT(TargetNames(),
              ElementsAre("cpu", "reference", "sm_100a", "sm_120a", "sm_80", "sm_86", "sm_89", "sm_90a"));
  for (const std::string& name : TargetNames()) {
    absl::StatusOr<Target> target = FindTarget(name);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ(target->name, name);
    EXPECT_NE(target->Find("shared"), nullptr);
    EXPECT_FALSE(target->routes.empty());
  }
}

TEST(Targets, SharedMemoryOfEachArchitecture) {
  const std::pair<const char*, int64_t> kKibibytes[] = {{"sm_80", 163},  {"sm_86", 99},    {"sm_89", 99},
                                                        {"sm_90a", 227}, {"sm_100a", 227}, {"sm_120a", 99}};
  for (auto [name, kib] : kKibibytes) EXPECT_EQ(FindTarget(name)->Find("shared")->capacity, kib * 1024) << name;
}

TEST(Targets, Hopper) {
  Target target = FindTarget("sm_90a").value();
  EXPECT_EQ(target.kind, TargetKind::kCuda);
  EXPECT_EQ(target.arch, "sm_90a");
  EXPECT_TRUE(target.Has("wgmma"));
  EXPECT_TRUE(target.Has("tma"));
  EXPECT_FALSE(target.Has("tcgen05"));
  EXPECT_EQ(target.max_threads, 1024);
  EXPECT_EQ(target.registers, 65536);
  EXPECT_DOUBLE_EQ(target.peak_flops.at(DType::kBF16), 989.4e12);
  EXPECT_DOUBLE_EQ(target.Find("global")->bandwidth, 4.8e12);
}

TEST(Targets, Fp8BeginsWithAda) {
  EXPECT_FALSE(FindTarget("sm_86")->Has("mma_fp8"));
  EXPECT_TRUE(FindTarget("sm_89")->Has("mma_fp8"));
}

TEST(Targets, UnknownNameListsTheTargets) {
  absl::Status status = FindTarget("sm_75").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "there is no target \"sm_75\"; the targets are cpu, reference, sm_100a, sm_120a, sm_80, sm_86, sm_89, "
            "sm_90a");
}

TEST(Targets, UserFile) {
  absl::StatusOr<Target> target = ParseTarget(kSmall);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->Find("shared")->capacity, 131072);
  EXPECT_EQ(target->Find("shared")->granule, 1);
  EXPECT_EQ(target->max_threads, 256);
  ASSERT_EQ(target->routes.size(), 1u);
  EXPECT_EQ(target->routes[0].to, "shared");
}

TEST(Targets, ErrorsNameThePlace) {
  EXPECT_EQ(Error("kind: CUDA\nnane: \"x\""),
            "target file:2:5: Message type \"kiln.targets.TargetProto\" has no field named \"nane\".");
  EXPECT_EQ(Error("kind: CUDA"), "target \"\": expected a name");
  EXPECT_EQ(Error("name: \"x\""), "target \"x\": kind: expected REFERENCE, CPU, CUDA or NEURON, found none");
  EXPECT_EQ(Error("name: \"x\" kind: CUDA"), "target \"x\": expected an arch, such as \"sm_90a\"");
  EXPECT_EQ(Error(Replaced(kSmall, "\"cta\"", "\"core\"")),
            "target \"mine\": space \"shared\" scope: expected device, cta or thread, found \"core\"");
  EXPECT_EQ(Error(Replaced(kSmall, "to: \"shared\"", "to: \"tmem\"")),
            "target \"mine\": route global -> tmem: there is no space \"tmem\"");
  EXPECT_EQ(Error(Replaced(kSmall, "131072", "-1")),
            "target \"mine\": space \"shared\": capacity -1, granule 0, bandwidth 0: none may be negative");
  EXPECT_EQ(Error(Replaced(kSmall, "vector_bytes: 16", "")),
            "target \"mine\": vector_bytes: expected 1 to 4096, found 0");
  EXPECT_EQ(Error(std::string(kSmall) + "peak_flops { dtype: \"f33\" flops: 1 }"),
            "target \"mine\": peak_flops: there is no dtype \"f33\"");
  EXPECT_EQ(Error(std::string(kSmall) + "peak_flops { dtype: \"f32\" flops: nan }"),
            "target \"mine\": peak_flops: expected a positive rate, found nan");
}

TEST(Targets, LongTextIsRefused) {
  EXPECT_EQ(Error(std::string(70000, '#')), "target file: expected at most 65536 bytes, found 70000");
}

}  // namespace
}  // namespace kiln
