// A host that has Abseil, protobuf and LLVM of its own, the last of them loaded for everyone, and links libkiln.so.
#include <dlfcn.h>
#include <google/protobuf/struct.pb.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "kiln/kiln.h"

namespace {

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

TEST(HostClash, KilnRunsBesideTheHostsOwn) {
  HostUsesItsOwn();
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
}

}  // namespace
