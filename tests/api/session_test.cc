// The line and the jump: what is compiled, what is found, and where.
#include "api/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "api/documents.h"
#include "api/kernel_order.h"
#include "api/request_key.h"
#include "cache/inventory.h"

namespace kiln::api {
namespace {

constexpr char kText[] = R"(
kernel scale<T: dtype(f16, f32), ROWS: tune(1, 2)>(x: tensor<T>[M, N], y: out tensor<T>[M, N], by: f32)
  where M: dynamic, N: static
  launch grid(ceildiv(M, ROWS)) block(128)
{
  let row = cta_id.x * ROWS
  cta.copy(y[row +: ROWS, :], x[row +: ROWS, :] * by)
}
)";

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() {
    char name[] = "/tmp/kiln-session-test-XXXXXX";
    folder = mkdtemp(name);
    options.cache_dir = folder + "/cache";
    module = ModuleFromText(kText, "scale.kiln").value();
  }
  ~SessionTest() override { std::filesystem::remove_all(folder); }

  CompileRequest Request(Session& session, int64_t n = 64) const {
    KernelChoice choice{"scale", {{"N", n}}, {{"T", "f32"}}, {{"ROWS", 2}}};
    const Target target = session.backends().TargetNamed("cpu").value();
    return MakeRequest(OrderFor(module, choice, target).value()).value();
  }

  // Removes every entry of one kind from the disk.
  void Remove(cache::EntryKind kind) const {
    const auto root = cache::RootDir::Open({.path = options.cache_dir}).value();
    std::vector<std::string> paths;
    ASSERT_TRUE(cache::ListEntries(root.get(), "", [&](const cache::EntryInfo& info) {
                  if (info.key.kind == kind) paths.push_back(options.cache_dir + "/" + info.path);
                }).ok());
    ASSERT_FALSE(paths.empty());
    for (const std::string& path : paths) ASSERT_TRUE(std::filesystem::remove(path)) << path;
  }

  std::string folder;
  Options options;
  ir::Module module;
};

TEST_F(SessionTest, MissMemoryDisk) {
  Session first(options);
  const Built made = first.Build(Request(first)).value();
  EXPECT_EQ(made.outcome, Outcome::kMiss);
  EXPECT_GT(made.compile_ms, 0);
  EXPECT_EQ(made.config, (std::map<std::string, int64_t>{{"ROWS", 2}}));
  const Built again = first.Build(Request(first)).value();
  EXPECT_EQ(again.outcome, Outcome::kMemory);
  EXPECT_EQ(again.compile_ms, 0);
  Session second(options);
  const Built found = second.Build(Request(second)).value();
  EXPECT_EQ(found.outcome, Outcome::kDisk);
  EXPECT_EQ(found.compile_ms, 0);
  EXPECT_EQ(found.key, made.key);
  EXPECT_EQ(found.artifact.binary, made.artifact.binary);
  EXPECT_EQ(found.artifact.rules, made.artifact.rules);
  EXPECT_EQ(first.metrics().compiles, 1u);
  EXPECT_EQ(first.metrics().memory_hits, 1u);
  EXPECT_EQ(second.metrics().compiles, 0u);
  EXPECT_EQ(second.metrics().disk_hits, 1u);
}

TEST_F(SessionTest, AnotherStaticValueIsAnotherBinary) {
  Session session(options);
  const Built a = session.Build(Request(session, 64)).value();
  const Built b = session.Build(Request(session, 65)).value();
  EXPECT_NE(a.key, b.key);
  EXPECT_EQ(b.outcome, Outcome::kMiss);
}

TEST_F(SessionTest, AReleaseThatEmitsTheSameSourceMeetsTheOldBinary) {
  {
    Session session(options);
    ASSERT_TRUE(session.Build(Request(session)).ok());
  }
  // What another compiler's fingerprint does: no request leads anywhere any more.
  Remove(cache::EntryKind::kRequest);
  Session session(options);
  const Built built = session.Build(Request(session)).value();
  EXPECT_EQ(built.outcome, Outcome::kDisk);
  EXPECT_EQ(built.compile_ms, 0);
  EXPECT_EQ(session.metrics().compiles, 0u);
}

TEST_F(SessionTest, ARequestWhoseBinaryIsGoneIsAMissThatHeals) {
  {
    Session session(options);
    ASSERT_TRUE(session.Build(Request(session)).ok());
  }
  Remove(cache::EntryKind::kBinary);
  Session session(options);
  EXPECT_EQ(session.Build(Request(session)).value().outcome, Outcome::kMiss);
  Session healed(options);
  EXPECT_EQ(healed.Build(Request(healed)).value().outcome, Outcome::kDisk);
}

TEST_F(SessionTest, AFailureIsNotKept) {
  Options hurried = options;
  hurried.compile_deadline = absl::Nanoseconds(1);
  Session failing(hurried);
  const absl::Status status = failing.Build(Request(failing)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_EQ(failing.metrics().compile_failures, 1u);
  Session session(options);
  EXPECT_EQ(session.Build(Request(session)).value().outcome, Outcome::kMiss);
}

TEST_F(SessionTest, ACacheThatCannotBeUsedIsLoggedAndDoneWithout) {
  std::vector<std::string> lines;
  options.cache_dir = "/proc/nothing/here";
  options.log = [&](LogLevel level, std::string_view text) {
    EXPECT_EQ(level, LogLevel::kWarning);
    lines.emplace_back(text);
  };
  Session session(options);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], ::testing::StartsWith("cache: no disk tier: "));
  EXPECT_EQ(session.Build(Request(session)).value().outcome, Outcome::kMiss);
  EXPECT_EQ(session.Build(Request(session)).value().outcome, Outcome::kMemory);
}

// Case SPEC-3 C
TEST_F(SessionTest, EverythingThatChangesABinaryChangesTheSourceKey) {
  Session session(options);
  CompileRequest request = Request(session);
  request.toolchain = "llvm 1";
  const Lowered lowered = LowerToSource(request).value();
  const CompileOptions compile = session.CompileOptionsFor(request);
  const cache::Digest base = SourceKey(request, lowered, compile).digest;
  EXPECT_EQ(SourceKey(request, lowered, compile).digest, base);

  const auto changed = [&](auto change) {
    CompileRequest r = request;
    Lowered l = lowered;
    CompileOptions o = compile;
    change(r, l, o);
    return SourceKey(r, l, o).digest != base;
  };
  EXPECT_TRUE(changed([](auto& r, auto&, auto&) { r.toolchain = "llvm 2"; }));
  EXPECT_TRUE(changed([](auto&, auto& l, auto&) { l.source.text += " "; }));
  EXPECT_TRUE(changed([](auto&, auto& l, auto&) { l.source.entry += "_"; }));
  EXPECT_TRUE(changed([](auto&, auto& l, auto&) { l.source.kind = TargetKind::kCuda; }));
  EXPECT_TRUE(changed([](auto&, auto& l, auto&) { l.recipe.block += 1; }));
  EXPECT_TRUE(changed([](auto&, auto& l, auto&) { l.recipe.params.pop_back(); }));
  EXPECT_TRUE(changed([](auto&, auto& l, auto&) { l.args[0].written = !l.args[0].written; }));
  EXPECT_TRUE(changed([](auto&, auto& l, auto&) { l.rules.push_back("more"); }));
  EXPECT_TRUE(changed([](auto&, auto&, auto& o) { o.arch += "+avx"; }));
  EXPECT_TRUE(changed([](auto&, auto&, auto& o) { o.flags = {"-g"}; }));
  EXPECT_TRUE(changed([](auto&, auto&, auto& o) { o.allow_spills = true; }));
  // What changes no binary changes no key.
  EXPECT_FALSE(changed([](auto&, auto&, auto& o) { o.deadline = absl::Seconds(1); }));
  EXPECT_FALSE(changed([](auto&, auto& l, auto&) { l.explain += "more words"; }));
}

TEST_F(SessionTest, OurOwnCompilerIsInTheRequestKeyAlone) {
  EXPECT_THAT(std::string(CompilerFingerprint()), ::testing::MatchesRegex("[0-9a-f]{64}"));
  EXPECT_NE(RequestKey("a").digest, RequestKey("b").digest);
  EXPECT_EQ(RequestKey("a").kind, cache::EntryKind::kRequest);
}

}  // namespace
}  // namespace kiln::api
