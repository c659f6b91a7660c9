// A host that has Abseil, protobuf and LLVM of its own, all of them visible to everyone in the process, and links
// libkiln.so. Two of its messages are named as Kiln's own, down to the path of the file they are registered under.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "api/artifact.pb.h"
#include "compiler/targets/target.pb.h"
#include "kiln/kiln.h"

namespace {

using ::testing::StartsWith;

constexpr char kText[] = R"(
kernel twice(x: tensor<f32>[N], y: out tensor<f32>[N])
  where N: dynamic
  launch grid(ceildiv(N, 128)) block(128)
{
  let i = cta_id.x * 128
  cta.copy(y[i +: 128], x[i +: 128] * 2)
}
)";

// Every libLLVM of the system's.
std::vector<std::string> SystemLlvms() {
  std::vector<std::string> found;
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib/llvm-19/lib"}) {
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(folder, ignored))
      if (file.path().filename().string().rfind("libLLVM", 0) == 0 && !file.is_symlink())
        found.push_back(file.path().string());
  }
  return found;
}

// What the host does with its own copies.
void HostUsesItsOwn() {
  absl::flat_hash_map<std::string, absl::StatusOr<int>> map;
  map["a"] = 1;
  map["b"] = absl::NotFoundError(absl::StrCat("no ", 2));
  EXPECT_EQ(map["b"].status().message(), "no 2");
  google::protobuf::Struct message;
  (*message.mutable_fields())["key"].set_number_value(4);
  google::protobuf::Struct parsed;
  ASSERT_TRUE(parsed.ParseFromString(message.SerializeAsString()));
  EXPECT_EQ(parsed.fields().at("key").number_value(), 4);
  EXPECT_NE(google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName("google.protobuf.Struct"),
            nullptr);
}

// The messages that Kiln has too, of the same names and other fields.
void HostUsesSharedNames() {
  kiln::targets::TargetProto target;
  target.add_name("a");
  (*target.mutable_price())["b"] = 2.5;
  std::string text;
  ASSERT_TRUE(google::protobuf::TextFormat::PrintToString(target, &text));
  EXPECT_EQ(text, "name: \"a\"\nprice {\n  key: \"b\"\n  value: 2.5\n}\n");
  kiln::api::pb::Artifact artifact;
  artifact.mutable_next()->set_kind("c");
  kiln::api::pb::Artifact parsed;
  ASSERT_TRUE(parsed.ParseFromString(artifact.SerializeAsString()));
  EXPECT_EQ(parsed.ShortDebugString(), "next { kind: \"c\" }");

  const auto* pool = google::protobuf::DescriptorPool::generated_pool();
  const auto* file = pool->FindFileByName("compiler/targets/target.proto");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file, kiln::targets::TargetProto::descriptor()->file());
  EXPECT_EQ(file->message_type(0)->field_count(), 2);
  ASSERT_NE(pool->FindFileByName("api/artifact.proto"), nullptr);
  EXPECT_EQ(pool->FindMessageTypeByName("kiln.api.pb.Artifact")->field_count(), 2);
}

// The file that a symbol comes from when anybody in the process asks for it by name; empty when nobody has it.
std::string Provider(const char* symbol) {
  Dl_info info = {};
  void* address = dlsym(RTLD_DEFAULT, symbol);
  if (address == nullptr || dladdr(address, &info) == 0) return "";
  return std::filesystem::path(info.dli_fname).filename();
}

TEST(HostClash, KilnRunsBesideTheHostsOwn) {
  HostUsesItsOwn();
  HostUsesSharedNames();
  // What the test is about: the host's copies are there, and they are what the process at large sees.
  EXPECT_THAT(Provider("_ZN6google8protobuf8internal13VerifyVersionEiiPKc"), StartsWith("libprotobuf.so."));
  int loaded = 0;
  for (const std::string& llvm : SystemLlvms()) loaded += dlopen(llvm.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr;
  RecordProperty("llvms", loaded);
  const kiln::Runtime runtime = kiln::Runtime::Create().value();
  const kiln::Op op = runtime.LoadText(kText).value().Find("twice").value();
  const std::vector<float> x(300, 1.5f);
  std::vector<float> y(300);
  const kiln::Tensor in(x.data(), kiln::Type::kF32, {300}), out(y.data(), kiln::Type::kF32, {300});
  const kiln::Status status = op.Launch(nullptr, {in, out});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(y, std::vector<float>(300, 3.0f));
  EXPECT_FALSE(runtime.LoadText("kernel {").ok());
  HostUsesItsOwn();
  HostUsesSharedNames();
}

}  // namespace
