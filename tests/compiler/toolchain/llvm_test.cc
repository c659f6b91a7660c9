#include "compiler/toolchain/llvm.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const LlvmToolchain& Llvm() {
  static const LlvmToolchain* toolchain = LlvmToolchain::Open().value().release();
  return *toolchain;
}

Source Doubling() {
  return {TargetKind::kCpu, "twice",
          "define void @twice(ptr %p) {\n"
          "  %x = load <8 x float>, ptr %p, align 4\n"
          "  %y = fadd <8 x float> %x, %x\n"
          "  store <8 x float> %y, ptr %p, align 4\n"
          "  ret void\n"
          "}\n"};
}

CompileOptions ForHost() {
  CompileOptions options;
  options.arch = Llvm().HostArch();
  return options;
}

TEST(LlvmToolchain, NamesItselfAndTheHost) {
  EXPECT_THAT(Llvm().Fingerprint(), StartsWith("LLVM 19."));
  EXPECT_EQ(Llvm().Fingerprint().find('/'), std::string::npos);
  EXPECT_NE(Llvm().HostArch().find('+'), std::string::npos);
  EXPECT_EQ(Llvm().HostArch().find(','), std::string::npos);
}

TEST(LlvmToolchain, MakesAnObject) {
  Compiled compiled = Llvm().Compile(Doubling(), ForHost()).value();
  EXPECT_EQ(compiled.binary.substr(0, 4),
            "\x7f"
            "ELF");
  EXPECT_EQ(compiled.log, "");
}

#if defined(__x86_64__)
// Case CPU-4 C
// The tuning name gives no feature: an object for a plain machine has no AVX, whatever CPU it is tuned for.
TEST(LlvmToolchain, FeaturesComeFromTheListAlone) {
  CompileOptions plain, wide;
  plain.arch = "znver4+sse2";
  wide.arch = "znver4+avx+sse2";
  std::string without = Llvm().Compile(Doubling(), plain).value().binary;
  std::string with = Llvm().Compile(Doubling(), wide).value().binary;
  // vaddps on a 256-bit register: the two-byte VEX prefix, the operands' byte, the opcode.
  const std::string vex_256 = {'\xc5', '\xfc', '\x58'};
  EXPECT_EQ(without.find(vex_256), std::string::npos);
  EXPECT_NE(with.find(vex_256), std::string::npos);
}
#endif

TEST(LlvmToolchain, RefusesWithTheReason) {
  Source broken = Doubling();
  broken.text = "define void @twice(ptr %p) {\n  ret i32 0\n}\n";
  absl::Status status = Llvm().Compile(broken, ForHost()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("kernel.ll"));

  Source cuda = Doubling();
  cuda.kind = TargetKind::kCuda;
  EXPECT_EQ(Llvm().Compile(cuda, ForHost()).status(),
            absl::InvalidArgumentError("llvm: \"twice\": expected LLVM IR, found other source"));

  CompileOptions flags = ForHost();
  flags.flags = {"-O0"};
  EXPECT_EQ(Llvm().Compile(Doubling(), flags).status(),
            absl::InvalidArgumentError("llvm: \"twice\": expected no flags, found \"-O0\""));

  EXPECT_EQ(LlvmToolchain::Open("/nowhere/libkiln-llvm.so").status().code(), absl::StatusCode::kUnavailable);
}

TEST(LlvmToolchain, StopsAtItsDeadlineAndWhenCancelled) {
  CompileOptions late = ForHost();
  late.deadline = absl::ZeroDuration();
  EXPECT_EQ(Llvm().Compile(Doubling(), late).status(),
            absl::DeadlineExceededError("llvm: \"twice\": expected an object within 0, stopped"));
  std::atomic<bool> cancel{true};
  CompileOptions cancelled = ForHost();
  cancelled.cancel = &cancel;
  EXPECT_EQ(Llvm().Compile(Doubling(), cancelled).status(), absl::CancelledError("llvm: \"twice\": cancelled"));
}

// LLVM's state is the process's: many compiles at once neither fail nor differ.
TEST(LlvmToolchain, ManyThreadsCompileAtOnce) {
  std::string expected = Llvm().Compile(Doubling(), ForHost()).value().binary;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 24; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 4; ++round) {
        absl::StatusOr<Compiled> compiled = Llvm().Compile(Doubling(), ForHost());
        if (!compiled.ok() || compiled->binary != expected) wrong.fetch_add(1);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace kiln
