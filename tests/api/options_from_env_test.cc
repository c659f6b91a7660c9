#include "api/options_from_env.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

namespace kiln::api {
namespace {

absl::StatusOr<Options> From(std::map<std::string, std::string> variables) {
  const auto environment = [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
  return OptionsFrom(environment, [](const std::string& path) { return path.find("locked") == std::string::npos; });
}

std::string InTmp(const std::string& folder = "/tmp") { return folder + "/kiln-" + std::to_string(geteuid()); }

TEST(OptionsFromEnv, TheCacheGoesWhereItIsTold) {
  EXPECT_EQ(From({})->cache_dir, InTmp());
  EXPECT_EQ(From({{"HOME", "/home/me"}})->cache_dir, "/home/me/.cache/kiln");
  EXPECT_EQ(From({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/var/cache"}})->cache_dir, "/var/cache/kiln");
  EXPECT_EQ(From({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "relative"}})->cache_dir, "/home/me/.cache/kiln");
  EXPECT_EQ(From({{"HOME", "/home/me"}, {"KILN_CACHE_DIR", "/data/kiln"}})->cache_dir, "/data/kiln");
  EXPECT_EQ(From({{"HOME", "/home/me"}, {"KILN_CACHE_DIR", ""}})->cache_dir, "");
  EXPECT_EQ(From({{"KILN_CACHE_DIR", "here"}}).status().message(),
            "options: KILN_CACHE_DIR: expected an absolute path, got \"here\"");
}

TEST(OptionsFromEnv, TheCacheMayHaveLayers) {
  EXPECT_EQ(From({{"KILN_CACHE_DIR", "/data/kiln:/opt/a:/opt/b"}})->cache_dir, "/data/kiln:/opt/a:/opt/b");
  EXPECT_EQ(From({{"KILN_CACHE_DIR", "/data/kiln:opt"}}).status().message(),
            "options: KILN_CACHE_DIR: expected an absolute path, got \"/data/kiln:opt\"");
}

TEST(OptionsFromEnv, AHomeThatCannotBeWrittenIsPassedOver) {
  EXPECT_EQ(From({{"HOME", "/locked"}})->cache_dir, InTmp());
  EXPECT_EQ(From({{"HOME", "/locked"}, {"TMPDIR", "/scratch"}})->cache_dir, InTmp("/scratch"));
  EXPECT_EQ(From({{"XDG_CACHE_HOME", "/locked"}, {"HOME", "/home/me"}})->cache_dir, "/home/me/.cache/kiln");
  // Nothing will do: the first is the one to complain about.
  EXPECT_EQ(From({{"HOME", "/locked"}, {"TMPDIR", "/locked"}})->cache_dir, "/locked/.cache/kiln");
  EXPECT_EQ(From({{"HOME", "/home:me"}})->cache_dir, InTmp());
  // What was asked for by name is not replaced.
  EXPECT_EQ(From({{"KILN_CACHE_DIR", "/locked"}})->cache_dir, "/locked");
}

TEST(OptionsFromEnv, TrustedKeys) {
  const std::string keys = std::string(64, '0') + ":" + std::string(64, 'f');
  EXPECT_EQ(From({{"KILN_CACHE_TRUSTED_KEYS", keys}})->cache_trusted_keys, keys);
  EXPECT_EQ(From({{"KILN_CACHE_TRUSTED_KEYS", "mine"}}).status().message(),
            "options: KILN_CACHE_TRUSTED_KEYS: cache: trusted key: expected 64 hexadecimal digits, got \"mine\"");
}

TEST(OptionsFromEnv, Limits) {
  EXPECT_EQ(From({})->cache_max_bytes, uint64_t{10} << 30);
  EXPECT_EQ(From({})->cache_max_entries, 1000000u);
  EXPECT_EQ(From({{"KILN_CACHE_MAX_BYTES", "5000000000"}})->cache_max_bytes, 5000000000u);
  EXPECT_EQ(From({{"KILN_CACHE_MAX_ENTRIES", "0"}})->cache_max_entries, 0u);
  EXPECT_EQ(From({{"KILN_CACHE_MAX_BYTES", "10G"}}).status().message(),
            "options: KILN_CACHE_MAX_BYTES: expected a number from 0 to 9223372036854775807, got \"10G\"");
}

TEST(OptionsFromEnv, Numbers) {
  EXPECT_EQ(From({{"KILN_CPU_THREADS", "3"}})->cpu_threads, 3);
  EXPECT_EQ(From({{"KILN_COMPILE_THREADS", ""}})->compile_threads, 0);
  EXPECT_EQ(From({{"KILN_COMPILE_DEADLINE_MS", "250"}})->compile_deadline, absl::Milliseconds(250));
  EXPECT_EQ(From({{"KILN_CPU_THREADS", "-1"}}).status().message(),
            "options: KILN_CPU_THREADS: expected a number from 0 to 1024, got \"-1\"");
  EXPECT_EQ(From({{"KILN_COMPILE_DEADLINE_MS", "soon"}}).status().message(),
            "options: KILN_COMPILE_DEADLINE_MS: expected a number from 1 to 86400000, got \"soon\"");
}

TEST(OptionsFromEnv, Libraries) {
  EXPECT_EQ(From({{"KILN_NVRTC", "/opt/libnvrtc.so.13"}})->nvrtc_path, "/opt/libnvrtc.so.13");
  EXPECT_EQ(From({{"KILN_LLVM", "/opt/libkiln-llvm.so"}})->llvm_path, "/opt/libkiln-llvm.so");
}

}  // namespace
}  // namespace kiln::api
