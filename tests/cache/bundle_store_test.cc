#include "cache/bundle_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cache/bundle_file.h"
#include "cache/disk_store.h"
#include "cache/entry_path.h"
#include "cache/key_map.h"
#include "gtest/gtest.h"
#include "tests/cache/faulty_file_ops.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

class BundleStoreTest : public testing::Test {
 protected:
  // A bundle of entries 1 to 3.
  void Write(const SigningKey* signer = nullptr) {
    std::vector<std::string> entries;
    for (int i = 1; i <= 3; ++i) entries.push_back(*EncodeEntry(*SampleEntry(i)));
    ASSERT_EQ(WriteBundleFile(PosixFileOps(), path_, *EncodeBundle(entries, signer)), absl::OkStatus());
  }
  absl::StatusOr<std::shared_ptr<const Bundle>> Open(const std::vector<PublicKey>& trusted = {}) {
    return Bundle::Open({.path = path_}, trusted);
  }

  TempRoot root_;
  const std::string path_ = root_ / "model.kbundle";
};

TEST_F(BundleStoreTest, AnswersAsAnyStore) {
  Write();
  BundleStore store(Open().value());
  const Lookup found = store.Get(SampleKey(2));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found.entry, *SampleEntry(2));
  EXPECT_EQ(found.tier, Tier::kBundle);
  EXPECT_FALSE(store.Get(SampleKey(4)));
  store.Put(SampleEntry(4));
  EXPECT_FALSE(store.Get(SampleKey(4)));
  Stats stats;
  store.AddStats(&stats);
  EXPECT_EQ(stats.bundle_hits, 1u);
  EXPECT_EQ(stats.bundle_misses, 2u);
  EXPECT_EQ(stats.bundle_corrupt, 0u);
}

TEST_F(BundleStoreTest, ServesFromWhereverItLiesReadOnly) {
  Write();
  const std::string elsewhere = root_ / "else where";
  std::filesystem::create_directory(elsewhere);
  std::filesystem::rename(path_, elsewhere + "/m");
  ASSERT_EQ(chmod((elsewhere + "/m").c_str(), 0444), 0);
  ASSERT_EQ(chmod(elsewhere.c_str(), 0555), 0);
  BundleStore store(Bundle::Open({.path = elsewhere + "/m"}, {}).value());
  EXPECT_TRUE(store.Get(SampleKey(1)));
}

TEST_F(BundleStoreTest, ADamagedEntryIsACountedMissAndTheOthersServe) {
  Write();
  std::string bytes = ReadFile(path_);
  bytes[bytes.size() - 20] ^= 1;
  WriteFile(path_, bytes);
  BundleStore store(Open().value());
  int found = 0;
  for (int i = 1; i <= 3; ++i) found += static_cast<bool>(store.Get(SampleKey(i)));
  EXPECT_EQ(found, 2);
  Stats stats;
  store.AddStats(&stats);
  EXPECT_EQ(stats.bundle_corrupt, 1u);
  EXPECT_EQ(VerifyBundle(*Open().value()).size(), 1u);
}

TEST_F(BundleStoreTest, WhatWasCutOffSinceIsNotTouched) {
  Write();
  BundleStore store(Open().value());
  ASSERT_EQ(truncate(path_.c_str(), 100), 0);
  EXPECT_FALSE(store.Get(SampleKey(1)));
}

TEST_F(BundleStoreTest, OneThatIsReplacedServesAsItWas) {
  Write();
  BundleStore store(Open().value());
  std::filesystem::remove(path_);
  EXPECT_TRUE(store.Get(SampleKey(1)));
}

TEST_F(BundleStoreTest, RefusesWhatOthersCouldHaveWritten) {
  Write();
  ASSERT_EQ(chmod(path_.c_str(), 0666), 0);
  EXPECT_EQ(Open().status(),
            absl::PermissionDeniedError(absl::StrCat("cache bundle: ", path_,
                                                     ": expected a file that only we or root can write, found one of "
                                                     "user ",
                                                     geteuid(), " with mode 0666")));
  EXPECT_TRUE(Bundle::Open({.path = path_, .allow_shared = true}, {}).ok());
  ASSERT_EQ(chmod(path_.c_str(), 0644), 0);
  FaultyFileOps stranger;
  stranger.user = 4711;
  // Root's are believed by all.
  EXPECT_EQ(Bundle::Open({.path = path_, .ops = &stranger}, {}).ok(), geteuid() == 0);
}

TEST_F(BundleStoreTest, RefusesLinksPipesAndDirectories) {
  Write();
  std::filesystem::rename(path_, root_ / "real");
  std::filesystem::create_symlink(root_ / "real", path_);
  EXPECT_TRUE(absl::IsPermissionDenied(Open().status()));
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(Open().status()));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_TRUE(absl::IsPermissionDenied(Open().status()));
  std::filesystem::remove(path_);
  EXPECT_TRUE(absl::IsNotFound(Open().status()));
  WriteFile(path_, "");
  EXPECT_TRUE(absl::IsDataLoss(Open().status()));
}

TEST_F(BundleStoreTest, OnlyATrustedSignersServesWhereSignersAreNamed) {
  const SigningKey mine = SigningKey::Generate();
  const SigningKey other = SigningKey::Generate();
  Write(&mine);
  EXPECT_TRUE(Open().ok());
  EXPECT_TRUE(Open({other.public_key(), mine.public_key()}).ok());
  EXPECT_EQ(Open({other.public_key()}).status(),
            absl::PermissionDeniedError(absl::StrCat("cache bundle: ", path_,
                                                     ": expected a signature by a trusted key, found one by ",
                                                     mine.public_key().ToHex())));
  // A signature that is wrong is refused by everyone.
  std::string bytes = ReadFile(path_);
  bytes.back() ^= 1;
  WriteFile(path_, bytes);
  EXPECT_TRUE(absl::IsDataLoss(Open().status()));
  std::filesystem::remove(path_);
  Write();
  EXPECT_EQ(Open({mine.public_key()}).status(),
            absl::PermissionDeniedError(
                absl::StrCat("cache bundle: ", path_, ": expected a signature by a trusted key, found none")));
}

TEST_F(BundleStoreTest, EveryOperationOfOpeningMayFail) {
  Write();
  for (const int error : {EIO, EACCES, ESTALE, EINTR, ENOENT}) {
    int failures = 0;
    for (int n = 0;; ++n) {
      FaultyFileOps ops;
      ops.plan = {.first = n, .last = n, .error = error};
      const auto bundle = Bundle::Open({.path = path_, .ops = &ops}, {});
      if (ops.failures() == 0) break;
      failures += !bundle.ok();
      if (bundle.ok()) {
        EXPECT_TRUE(BundleStore(*bundle).Get(SampleKey(1)));
      }
    }
    // Open, stat and map; an interrupted open is made again.
    EXPECT_EQ(failures, error == EINTR ? 2 : 3) << error;
  }
}

TEST_F(BundleStoreTest, EveryOperationOfWritingMayFail) {
  for (const int error : {ENOSPC, EDQUOT, EROFS, EACCES, EIO, ESTALE, EBUSY, EINTR}) {
    for (int n = 0;; ++n) {
      FaultyFileOps ops;
      ops.plan = {.first = n, .last = n, .error = error, .longest_transfer = 40};
      const absl::Status status = WriteBundleFile(&ops, path_, *EncodeBundle({*EncodeEntry(*SampleEntry(1))}, nullptr));
      const bool there = std::filesystem::exists(path_);
      ASSERT_EQ(there, status.ok()) << status;
      if (there) {
        ASSERT_TRUE(Open().ok());
        std::filesystem::remove(path_);
      }
      if (ops.failures() == 0) break;
    }
  }
}

TEST_F(BundleStoreTest, NothingIsReplaced) {
  Write();
  const std::string before = ReadFile(path_);
  EXPECT_TRUE(absl::IsAlreadyExists(WriteBundleFile(PosixFileOps(), path_, "other")));
  EXPECT_EQ(ReadFile(path_), before);
  EXPECT_EQ(CountFiles(root_.path()), 1u);
}

TEST(CollectEntriesTest, TakesWhatHasTheFieldsAndTheMapsThatLeadThere) {
  TempRoot root;
  auto store = DiskStore::Open({.root = {.path = root.path()}}).value();
  store->Put(SampleEntry(1));
  Entry other = *SampleEntry(2);
  other.fields["target"] = "sm_100a";
  store->Put(std::make_shared<const Entry>(other));
  store->Put(SampleEntry(3));
  WriteFile(root / PathOf(SampleKey(3)).Relative(), "damaged");
  store->Put(MakeKeyMap(DigestOf("a"), SampleKey(1).digest, "first"));
  store->Put(MakeKeyMap(DigestOf("b"), SampleKey(2).digest, "second"));

  const auto keys = [&](const std::map<std::string, std::string>& fields) {
    std::vector<Key> keys;
    const auto collected = CollectEntries(store->root().get(), fields);
    EXPECT_TRUE(collected.ok()) << collected.status();
    for (const std::string& bytes : *collected) keys.push_back(DecodeEntry(bytes)->key);
    return keys;
  };
  EXPECT_EQ(keys({{"target", "sm_100a"}}), (std::vector<Key>{SampleKey(2), {EntryKind::kRequest, DigestOf("b")}}));
  EXPECT_EQ(keys({}).size(), 4u);
  EXPECT_TRUE(keys({{"target", "sm_100a"}, {"kernel", "other"}}).empty());
}

TEST(CollectEntriesTest, JoinsBundlesAndStopsAtDamage) {
  TempRoot root;
  const auto write = [&](const std::string& name, const std::vector<std::string>& entries) {
    ASSERT_TRUE(WriteBundleFile(PosixFileOps(), root / name, *EncodeBundle(entries, nullptr)).ok());
  };
  write("a", {*EncodeEntry(*SampleEntry(1))});
  write("b", {*EncodeEntry(*SampleEntry(1, 50)), *EncodeEntry(*SampleEntry(2))});
  const auto a = Bundle::Open({.path = root / "a"}, {}).value();
  const auto b = Bundle::Open({.path = root / "b"}, {}).value();
  const auto joined = CollectEntries({a, b});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(*EncodeBundle(*joined, nullptr),
            *EncodeBundle({*EncodeEntry(*SampleEntry(1)), *EncodeEntry(*SampleEntry(2))}, nullptr));
  std::string bytes = ReadFile(root / "b");
  bytes.back() ^= 1;
  WriteFile(root / "b", bytes);
  EXPECT_TRUE(absl::IsDataLoss(CollectEntries({a, Bundle::Open({.path = root / "b"}, {}).value()}).status()));
}

}  // namespace
}  // namespace kiln::cache
