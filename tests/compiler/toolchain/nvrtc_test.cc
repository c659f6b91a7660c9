#include "compiler/toolchain/nvrtc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kReverse[] = R"(
extern "C" __global__ void __launch_bounds__(32) reverse(float* p) {
  __shared__ float s[32];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[31 - threadIdx.x];
}
)";

Source Cuda(std::string entry, std::string text) { return {TargetKind::kCuda, std::move(entry), std::move(text)}; }

// 200 live values in 32 registers.
std::string Spilling() {
  return R"(
extern "C" __global__ void __maxnreg__(32) spill(float* p, int n) {
  float a[200];
#pragma unroll
  for (int i = 0; i < 200; ++i) a[i] = p[i] * n;
  for (int j = 0; j < n; ++j) {
#pragma unroll
    for (int i = 0; i < 200; ++i) a[i] = a[i] * a[(i + 7) % 200] + p[i];
  }
#pragma unroll
  for (int i = 0; i < 200; ++i) p[i] = a[i];
}
)";
}

// Seconds of work for the compiler.
std::string Long() {
  std::string text = "extern \"C\" __global__ void slow(float* p, int n) {\n  float x = p[0];\n";
  for (int i = 0; i < 6000; ++i) {
    std::string c = std::to_string(i);
    text += "  if (p[" + c + "] > x) x = x * p[n + " + c + "] + sinf(x); else p[" + c + "] = x;\n";
  }
  return text + "  p[0] = x;\n}\n";
}

class NvrtcTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    absl::StatusOr<std::unique_ptr<NvrtcToolchain>> opened = NvrtcToolchain::Open();
    if (opened.ok()) nvrtc_ = opened->release();
  }
  static void TearDownTestSuite() {
    delete nvrtc_;
    nvrtc_ = nullptr;
  }
  void SetUp() override {
    if (!nvrtc_) GTEST_SKIP() << "libnvrtc is not installed";
  }

  static CompileOptions For(std::string arch) {
    CompileOptions options;
    options.arch = std::move(arch);
    return options;
  }

  static inline NvrtcToolchain* nvrtc_ = nullptr;
};

TEST_F(NvrtcTest, CompilesForEveryArchitecture) {
  for (const char* arch : {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"}) {
    absl::StatusOr<Compiled> compiled = nvrtc_->Compile(Cuda("reverse", kReverse), For(arch));
    ASSERT_TRUE(compiled.ok()) << arch << ": " << compiled.status();
    EXPECT_THAT(compiled->binary, StartsWith("\x7f"
                                             "ELF"))
        << arch;
    EXPECT_GT(compiled->resources.registers, 0) << arch;
    EXPECT_GE(compiled->resources.shared_bytes, 128) << arch;
    EXPECT_EQ(compiled->resources.spill_bytes, 0) << arch;
    EXPECT_EQ(compiled->resources.barriers, 1) << arch;
  }
}

// Case DIAG-3 C
TEST_F(NvrtcTest, SameSourceSameBytes) {
  absl::StatusOr<Compiled> first = nvrtc_->Compile(Cuda("reverse", kReverse), For("sm_90a"));
  absl::StatusOr<Compiled> second = nvrtc_->Compile(Cuda("reverse", kReverse), For("sm_90a"));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->binary, second->binary);
  EXPECT_EQ(first->log, second->log);
}

TEST_F(NvrtcTest, ThreadsCompileAtOnce) {
  std::vector<std::string> binaries(4);
  std::vector<std::thread> threads;
  for (std::string& binary : binaries)
    threads.emplace_back([&binary] {
      absl::StatusOr<Compiled> compiled = nvrtc_->Compile(Cuda("reverse", kReverse), For("sm_80"));
      if (compiled.ok()) binary = compiled->binary;
    });
  for (std::thread& thread : threads) thread.join();
  ASSERT_FALSE(binaries[0].empty());
  for (const std::string& binary : binaries) EXPECT_EQ(binary, binaries[0]);
}

TEST_F(NvrtcTest, SyntaxErrorCarriesTheLog) {
  absl::Status status =
      nvrtc_->Compile(Cuda("bad", "extern \"C\" __global__ void bad() { int x = ; }\n"), For("sm_90a")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              StartsWith("nvrtc: nvrtcCompileProgram: NVRTC_ERROR_COMPILATION\nkiln.cu(1): error"));
}

// Case LIMIT-4 N
TEST_F(NvrtcTest, SpillsAreErrorsUnlessAllowed) {
  absl::Status status = nvrtc_->Compile(Cuda("spill", Spilling()), For("sm_90a")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), StartsWith("nvrtc: spill: expected no register spills, found "));
  CompileOptions options = For("sm_90a");
  options.allow_spills = true;
  absl::StatusOr<Compiled> compiled = nvrtc_->Compile(Cuda("spill", Spilling()), options);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_GT(compiled->resources.spill_bytes, 0);
  EXPECT_EQ(compiled->resources.registers, 32);
}

TEST_F(NvrtcTest, IgnoredInstructionsAreErrors) {
  // Without launch bounds ptxas cannot honour setmaxnreg: it says so in the log and succeeds.
  absl::Status status =
      nvrtc_
          ->Compile(Cuda("regs",
                         "extern \"C\" __global__ void regs(float* p) {\n"
                         "  asm volatile(\"setmaxnreg.dec.sync.aligned.u32 40;\");\n  p[0] = 1;\n}\n"),
                    For("sm_90a"))
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), StartsWith("nvrtc: regs: ptxas ignored or serialized instructions: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("C7508"));
}

TEST_F(NvrtcTest, EmptyBinaryIsAnError) {
  nvrtc::Library library = nvrtc_->library();
  library.GetCUBINSize = [](nvrtc::Program, size_t* size) { return *size = 0, nvrtc::kSuccess; };
  absl::Status status = NvrtcToolchain(library).Compile(Cuda("reverse", kReverse), For("sm_90a")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), StartsWith("nvrtc: reverse: success, but the binary is empty"));
}

TEST_F(NvrtcTest, FirstUseFindsMissingBuiltins) {
  nvrtc::Library library = nvrtc_->library();
  library.builtins_path = "";
  library.CompileProgram = [](nvrtc::Program, int, const char* const*) { return nvrtc::kBuiltinOperationFailure; };
  absl::Status status = NvrtcToolchain(library).Compile(Cuda("reverse", kReverse), For("sm_90a")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("(libnvrtc-builtins.so."));
}

// Case DIAG-2 N
TEST_F(NvrtcTest, DeadlineStopsARunningCompile) {
  if (!nvrtc_->library().SetFlowCallback) GTEST_SKIP() << "this NVRTC has no flow callback";
  CompileOptions options = For("sm_90a");
  options.deadline = absl::Milliseconds(50);
  absl::Status status = nvrtc_->Compile(Cuda("slow", Long()), options).status();
  EXPECT_EQ(status, absl::DeadlineExceededError("nvrtc: the compile took longer than 50ms"));
}

TEST_F(NvrtcTest, CancelStopsARunningCompile) {
  if (!nvrtc_->library().SetFlowCallback) GTEST_SKIP() << "this NVRTC has no flow callback";
  std::atomic<bool> cancel = false;
  CompileOptions options = For("sm_90a");
  options.cancel = &cancel;
  absl::Status status;
  std::thread compile([&] { status = nvrtc_->Compile(Cuda("slow", Long()), options).status(); });
  cancel = true;
  compile.join();
  EXPECT_EQ(status, absl::CancelledError("nvrtc: the compile was cancelled"));
}

TEST_F(NvrtcTest, ArchCannotCarryAFlag) {
  for (const char* arch : {"", "sm_", "sm_90 --use_fast_math", "compute_90", "sm_90aa", "sm_12345"}) {
    absl::Status status = nvrtc_->Compile(Cuda("reverse", kReverse), For(arch)).status();
    EXPECT_EQ(status.message(), std::string("nvrtc: expected an arch such as sm_90a, found \"") + arch + "\"");
  }
}

TEST_F(NvrtcTest, UnknownFlagIsInvalidArgument) {
  CompileOptions options = For("sm_90a");
  options.flags = {"--no-such-flag"};
  absl::Status status = nvrtc_->Compile(Cuda("reverse", kReverse), options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no-such-flag"));
}

TEST_F(NvrtcTest, Ptx) {
  absl::StatusOr<std::string> ptx = nvrtc_->CompilePtx(Cuda("reverse", kReverse), For("sm_90a"));
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  EXPECT_THAT(*ptx, HasSubstr(".target sm_90a"));
  EXPECT_THAT(*ptx, HasSubstr(".visible .entry reverse("));
  EXPECT_EQ(ptx->find('\0'), std::string::npos);
}

TEST_F(NvrtcTest, DivisionIsFullRangeAndNothingIsContracted) {
  absl::StatusOr<std::string> ptx = nvrtc_->CompilePtx(
      Cuda("k", "extern \"C\" __global__ void k(float* p) { p[0] = p[1] / p[2]; p[3] = p[4] * p[5] + p[6]; }\n"),
      For("sm_90a"));
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  EXPECT_THAT(*ptx, HasSubstr("div.full.f32"));
  EXPECT_THAT(*ptx, HasSubstr("mul.rn.f32"));
  EXPECT_EQ(ptx->find("fma"), std::string::npos);
}

TEST_F(NvrtcTest, FingerprintNamesVersionAndNoPath) {
  std::string fingerprint = nvrtc_->Fingerprint();
  EXPECT_THAT(fingerprint, StartsWith("nvrtc " + std::to_string(nvrtc_->library().major) + "."));
  EXPECT_EQ(fingerprint.find('/'), std::string::npos);
  EXPECT_EQ(fingerprint, nvrtc_->Fingerprint());
  EXPECT_THAT(fingerprint, HasSubstr(" --fmad=false "));
}

TEST(NvrtcLibrary, MissingLibraryIsUnavailableAndNamed) {
  absl::Status status = NvrtcToolchain::Open("/no/such/libnvrtc.so").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/no/such/libnvrtc.so"));
}

TEST(NvrtcLibrary, AnotherLibraryIsUnavailable) {
  absl::Status status = NvrtcToolchain::Open("libm.so.6").status();
  EXPECT_EQ(status, absl::UnavailableError("nvrtc: the library has no function nvrtcGetErrorString"));
}

}  // namespace
}  // namespace kiln
