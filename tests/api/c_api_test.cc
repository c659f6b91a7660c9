// The C ABI and the C++ face over it, from outside: this program links libkiln.so alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "kiln/kiln.h"

namespace kiln {
namespace {

constexpr char kScale[] = R"(
kernel scale<T: dtype(f16, f32), ROWS: tune(1, 2, 4)>(x: tensor<T>[M, N], y: out tensor<T>[M, N], by: f32)
  where M: dynamic, N: static
  launch grid(ceildiv(M, ROWS)) block(128)
{
  let row = cta_id.x * ROWS
  cta.copy(y[row +: ROWS, :], x[row +: ROWS, :] * by)
}
)";

struct Data {
  std::vector<float> x, y;
  int64_t rows, columns;

  Data(int64_t rows, int64_t columns) : x(rows * columns), y(rows * columns, -1), rows(rows), columns(columns) {
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 3;
  }
  Tensor in() const { return Tensor(x.data(), Type::kF32, {rows, columns}); }
  Tensor out() const { return Tensor(y.data(), Type::kF32, {rows, columns}); }
};

Runtime MakeRuntime(int32_t fake_devices = 0) {
  Options options;
  options.fake_devices = fake_devices;
  return Runtime::Create(options).value();
}

TEST(CApi, Versions) {
  EXPECT_EQ(kiln_abi_version(), uint32_t{KILN_ABI_MAJOR << 16 | KILN_ABI_MINOR});
  EXPECT_STREQ(kiln_version(), "0.1.0");
}

TEST(CApi, NullIsAnErrorEverywhere) {
  kiln_error* error = kiln_error_create();
  EXPECT_EQ(kiln_runtime_create(nullptr, nullptr, error), KILN_INVALID_ARGUMENT);
  EXPECT_STREQ(kiln_error_message(error), "arguments: runtime: expected a pointer, got NULL");
  EXPECT_STREQ(kiln_error_stage(error), "arguments");
  EXPECT_EQ(kiln_error_code(error), KILN_INVALID_ARGUMENT);
  EXPECT_EQ(kiln_runtime_create(nullptr, nullptr, nullptr), KILN_INVALID_ARGUMENT);
  EXPECT_EQ(kiln_runtime_load(nullptr, "", 0, nullptr, nullptr, error), KILN_INVALID_ARGUMENT);
  EXPECT_EQ(kiln_op_launch(nullptr, nullptr, nullptr, 0, error), KILN_INVALID_ARGUMENT);
  EXPECT_STREQ(kiln_error_message(error), "arguments: op: expected a pointer, got NULL");
  EXPECT_EQ(kiln_executable_launch(nullptr, nullptr, nullptr, 0, error), KILN_INVALID_ARGUMENT);
  EXPECT_EQ(kiln_future_wait(nullptr, 0, nullptr, error), KILN_INVALID_ARGUMENT);
  EXPECT_EQ(kiln_decode(nullptr, 0, nullptr, error), KILN_INVALID_ARGUMENT);
  kiln_error_destroy(error);
  kiln_error_destroy(nullptr);
  kiln_runtime_destroy(nullptr);
  kiln_module_destroy(nullptr);
  kiln_op_destroy(nullptr);
  kiln_future_destroy(nullptr);
  kiln_executable_destroy(nullptr);
  kiln_buffer_destroy(nullptr);
  EXPECT_STREQ(kiln_error_message(nullptr), "");
}

TEST(CApi, SizedStructsOfAnOlderProgram) {
  kiln_runtime* runtime = nullptr;
  ASSERT_EQ(kiln_runtime_create(nullptr, &runtime, nullptr), KILN_OK);
  kiln_stats stats;
  std::memset(&stats, 0x5a, sizeof(stats));
  // A program that knows `launches` and `loads` alone.
  stats.size = offsetof(kiln_stats, compiles);
  ASSERT_EQ(kiln_runtime_stats(runtime, &stats, nullptr), KILN_OK);
  EXPECT_EQ(stats.launches, 0u);
  EXPECT_EQ(stats.loads, 0u);
  EXPECT_EQ(stats.compiles, 0x5a5a5a5a5a5a5a5au);
  stats.size = 3;
  EXPECT_EQ(kiln_runtime_stats(runtime, &stats, nullptr), KILN_INVALID_ARGUMENT);
  kiln_runtime_destroy(runtime);
}

TEST(CApi, OptionsAreChecked) {
  Options options;
  options.cpu_threads = -1;
  const StatusOr<Runtime> refused = Runtime::Create(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().message(), "options: cpu_threads: expected a number from 0 to 1024, got -1");
  EXPECT_EQ(refused.status().stage(), "options");
  EXPECT_EQ(refused.status().code(), Code::kInvalidArgument);
}

TEST(CApi, TheLogsSinkGoesWithTheLastHandle) {
  auto alive = std::make_shared<int>(0);
  {
    Options options;
    options.log = [alive](LogLevel, std::string_view) {};
    StatusOr<Module> module = Status();
    {
      const Runtime runtime = Runtime::Create(options).value();
      module = runtime.LoadText(kScale).value();
    }
    options.log = nullptr;
    EXPECT_EQ(alive.use_count(), 2);
  }
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(CApi, ErrorsOfTheTextNameThePlace) {
  const StatusOr<Module> module = MakeRuntime().LoadText("kernel k(x: tensor<f32>[N]) {\n  let y = z\n}\n", "k.kiln");
  ASSERT_FALSE(module.ok());
  EXPECT_THAT(module.status().message(), ::testing::HasSubstr("k.kiln:2:11"));
}

TEST(CApi, EncodeAndDecode) {
  kiln_buffer* bytes = nullptr;
  kiln_error* error = kiln_error_create();
  ASSERT_EQ(kiln_encode(kScale, sizeof(kScale) - 1, "scale.kiln", &bytes, error), KILN_OK) << kiln_error_message(error);
  kiln_buffer* text = nullptr;
  ASSERT_EQ(kiln_decode(kiln_buffer_data(bytes), kiln_buffer_size(bytes), &text, error), KILN_OK);
  const std::string_view decoded(static_cast<const char*>(kiln_buffer_data(text)), kiln_buffer_size(text));
  EXPECT_THAT(std::string(decoded), ::testing::HasSubstr("kernel scale<T: dtype(f16, f32), ROWS: tune(1, 2, 4)>"));
  const StatusOr<Module> module =
      MakeRuntime().Load({static_cast<const char*>(kiln_buffer_data(bytes)), kiln_buffer_size(bytes)});
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_EQ(module->Names(), std::vector<std::string>{"scale"});
  const StatusOr<Module> damaged = MakeRuntime().Load("nonsense");
  EXPECT_FALSE(damaged.ok());
  kiln_buffer_destroy(text);
  kiln_buffer_destroy(bytes);
  kiln_error_destroy(error);
}

TEST(CApi, FindNamesWhatThereIs) {
  const Module module = MakeRuntime().LoadText(kScale).value();
  const StatusOr<Op> missing = module.Find("sclae");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), Code::kNotFound);
  EXPECT_EQ(missing.status().message(), "load: no op or kernel \"sclae\"; the module has scale");
  OpOptions options;
  options.settings["COLUMNS"] = 3;
  EXPECT_EQ(module.Find("scale", options).status().message(),
            "load: kernel \"scale\": setting \"COLUMNS\": expected the name of an integer parameter, which it is not");
}

TEST(CApi, RunsOnTheCpu) {
  const Runtime runtime = MakeRuntime();
  const Op op = runtime.LoadText(kScale).value().Find("scale").value();
  for (const int64_t rows : {1, 3, 8}) {
    const Data data(rows, 20);
    const Status status = op.Launch(nullptr, {data.in(), data.out(), 2});
    ASSERT_TRUE(status.ok()) << status.message();
    for (size_t i = 0; i < data.x.size(); ++i) ASSERT_EQ(data.y[i], 2 * data.x[i]) << i;
  }
  const kiln_stats stats = runtime.Stats();
  EXPECT_EQ(stats.launches, 3u);
  EXPECT_EQ(stats.loads, 1u);
  EXPECT_EQ(stats.compiles, 1u);
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_GT(stats.compile_seconds, 0);
}

TEST(CApi, ALaunchSaysWhatDoesNotFit) {
  const Op op = MakeRuntime().LoadText(kScale).value().Find("scale").value();
  const Data data(3, 8);
  const Tensor other(data.y.data(), Type::kF32, {3, 7});
  const Status status = op.Launch(nullptr, {data.in(), other, 2.0});
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(
      status.message(),
      "arguments: kernel \"scale\", argument \"y\": expected dimension 1 to be N = 8, which dimension 1 of argument "
      "\"x\" is, got 7");
}

TEST(CApi, PrepareNeedsNoData) {
  const Runtime runtime = MakeRuntime();
  const Op op = runtime.LoadText(kScale).value().Find("scale", {{{"ROWS", 2}}, OnMiss::kCompile}).value();
  const Tensor shape(nullptr, Type::kF32, {5, 16});
  const StatusOr<Future<Executable>> future = op.Prepare({shape, shape, 1.0});
  ASSERT_TRUE(future.ok()) << future.status().message();
  const StatusOr<Executable> executable = future->Wait();
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  EXPECT_TRUE(future->Ready());
  const kiln_executable_info info = executable->Describe();
  EXPECT_STREQ(info.kernel, "scale");
  EXPECT_STREQ(info.config, "ROWS=2");
  EXPECT_EQ(info.cache, KILN_CACHE_MISS);
  EXPECT_GT(info.compile_ms, 0);

  alignas(64) static float x[32], y[32];
  for (int i = 0; i < 32; ++i) x[i] = static_cast<float>(i);
  const Tensor in(x, Type::kF32, {2, 16}), out(y, Type::kF32, {2, 16});
  ASSERT_TRUE(executable->Launch(nullptr, {in, out, 0.5}).ok());
  EXPECT_EQ(y[31], 15.5f);
  EXPECT_EQ(runtime.Stats().compiles, 1u);

  const Tensor narrow(x, Type::kF32, {2, 8});
  const Status refused = executable->Launch(nullptr, {narrow, narrow, 0.5});
  EXPECT_EQ(refused.code(), Code::kInvalidArgument);
  EXPECT_EQ(
      refused.message(),
      "arguments: executable of kernel \"scale\": made for cpu; T = f32; N = 16; x dense, 16-byte aligned; y dense, "
      "16-byte aligned; got cpu; T = f32; N = 8; x dense, 16-byte aligned; y dense, 16-byte aligned");
}

TEST(CApi, OnMissFail) {
  const Op op = MakeRuntime().LoadText(kScale).value().Find("scale", {{}, OnMiss::kFail}).value();
  const Data data(3, 8);
  const Status status = op.Launch(nullptr, {data.in(), data.out(), 2.0});
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_EQ(op.Prepare({data.in(), data.out(), 2.0}).value().Wait().ok(), true);
  EXPECT_TRUE(op.Launch(nullptr, {data.in(), data.out(), 2.0}).ok());
}

TEST(CApi, HandlesOutliveTheirRuntime) {
  StatusOr<Op> op = Status();
  {
    const Runtime runtime = MakeRuntime();
    op = runtime.LoadText(kScale).value().Find("scale").value();
  }
  const Data data(2, 8);
  EXPECT_TRUE(op->Launch(nullptr, {data.in(), data.out(), 2.0}).ok());
}

TEST(CApi, ManyThreadsOneCompile) {
  const Runtime runtime = MakeRuntime();
  const Op op = runtime.LoadText(kScale).value().Find("scale").value();
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      const Data data(1 + t, 24);
      for (int i = 0; i < 50; ++i)
        if (!op.Launch(nullptr, {data.in(), data.out(), 2.0}).ok() || data.y.back() != 2 * data.x.back()) ++failures;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(runtime.Stats().compiles, 1u);
  EXPECT_EQ(runtime.Stats().loads, 1u);
  EXPECT_EQ(runtime.Stats().launches, 400u);
}

TEST(CApi, FakeDevicesCompileAndRunNothing) {
  const Runtime runtime = MakeRuntime(2);
  const std::vector<kiln_device_info> devices = runtime.Devices().value();
  ASSERT_GE(devices.size(), 3u);
  EXPECT_EQ(devices.front().device.device_type, KILN_DEVICE_CPU);
  EXPECT_EQ(devices.back().device.device_type, KILN_DEVICE_FAKE);
  EXPECT_EQ(devices.back().device.device_id, 1);
  const Op op = runtime.LoadText(kScale).value().Find("scale").value();
  const Data data(2, 8);
  const DeviceId fake{KILN_DEVICE_FAKE, 1};
  const Tensor x(data.x.data(), Type::kF32, {2, 8}, fake), y(data.y.data(), Type::kF32, {2, 8}, fake);
  ASSERT_TRUE(op.Launch(nullptr, {x, y, 2.0}).ok());
  EXPECT_EQ(data.y[0], -1);
  const DeviceId missing{KILN_DEVICE_FAKE, 2};
  const Tensor nowhere(data.x.data(), Type::kF32, {2, 8}, missing);
  const Status status = op.Launch(nullptr, {nowhere, nowhere, 2.0});
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(status.message(), ::testing::StartsWith("device: no fake:2; there is cpu, "));
}

}  // namespace
}  // namespace kiln
