#include "cache/root_dir.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/cache/faulty_file_ops.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

unsigned ModeOf(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

TEST(RootDirTest, MakesItselfAndItsParentsPrivate) {
  TempRoot root;
  const mode_t mask = umask(0);
  const absl::Status status = RootDir::Open({.path = root / "a/b"}).status();
  umask(mask);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(ModeOf(root / "a"), 0700u);
  EXPECT_EQ(ModeOf(root / "a/b"), 0700u);
  EXPECT_TRUE(RootDir::Open({.path = root / "a/b"}).ok());
}

TEST(RootDirTest, RefusesAPathThatDependsOnTheWorkingDirectory) {
  EXPECT_EQ(RootDir::Open({.path = "cache"}).status(),
            absl::InvalidArgumentError("cache root: path: expected an absolute one, found \"cache\""));
  EXPECT_EQ(RootDir::Open({.path = ""}).status(),
            absl::InvalidArgumentError("cache root: path: expected an absolute one, found \"\""));
}

TEST(RootDirTest, MakesNothingWhereItIsNotTo) {
  TempRoot parent;
  const std::string path = parent / "absent";
  EXPECT_EQ(RootDir::Open({.path = path, .create = false}).status(),
            absl::NotFoundError("cache root: open " + path + ": No such file or directory"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(RootDirTest, RefusesADirectoryThatOthersCanWrite) {
  TempRoot root;
  for (const mode_t mode : {0777, 0770, 0702}) {
    ASSERT_EQ(chmod(root.path().c_str(), mode), 0);
    const absl::Status status = RootDir::Open({.path = root.path()}).status();
    EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "expected a directory that others cannot write, found mode 07"));
    EXPECT_TRUE(RootDir::Open({.path = root.path(), .allow_shared = true}).ok());
  }
  for (const mode_t mode : {0700, 0755}) {
    ASSERT_EQ(chmod(root.path().c_str(), mode), 0);
    EXPECT_TRUE(RootDir::Open({.path = root.path()}).ok()) << mode;
  }
}

TEST(RootDirTest, RefusesAnotherUsersDirectory) {
  TempRoot root;
  struct stat info;
  ASSERT_EQ(stat(root.path().c_str(), &info), 0);
  FaultyFileOps ops;
  ops.user = info.st_uid + 1;
  // Root's own directories are believed by everyone, so the directory is given away where that is possible.
  if (geteuid() == 0) {
    ASSERT_EQ(chown(root.path().c_str(), 1234, 1234), 0);
    info.st_uid = 1234;
  }
  EXPECT_EQ(
      RootDir::Open({.path = root.path(), .ops = &ops}).status(),
      absl::PermissionDeniedError(absl::StrCat("cache root: ", root.path(), ": expected an owner of user ", *ops.user,
                                               " or 0, found ", info.st_uid, ": name a directory of your own")));
  EXPECT_TRUE(RootDir::Open({.path = root.path(), .allow_shared = true, .ops = &ops}).ok());
}

TEST(RootDirTest, BelievesRootsDirectories) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a directory of root's";
  TempRoot root;
  FaultyFileOps ops;
  ops.user = 1234;
  EXPECT_TRUE(RootDir::Open({.path = root.path(), .ops = &ops}).ok());
}

TEST(RootDirTest, RefusesASymbolicLinkAndAFile) {
  TempRoot root;
  std::filesystem::create_directory(root / "real");
  std::filesystem::create_directory_symlink(root / "real", root / "link");
  WriteFile(root / "file", "x");
  for (const std::string& name : {std::string("link"), std::string("file")}) {
    EXPECT_EQ(RootDir::Open({.path = root / name}).status(),
              absl::PermissionDeniedError(absl::StrCat("cache root: ", root / name,
                                                       ": expected a directory, found another file or a symbolic "
                                                       "link: name the directory itself")));
  }
  EXPECT_TRUE(absl::IsPermissionDenied(RootDir::Open({.path = root / "link//"}).status()));
  EXPECT_TRUE(RootDir::Open({.path = root / "real//"}).ok());
}

TEST(RootDirTest, GivesTheSystemsReason) {
  TempRoot root;
  FaultyFileOps ops;
  ops.plan = {.first = 0, .last = FaultyFileOps::kNever, .error = EACCES};
  const absl::Status status = RootDir::Open({.path = root.path(), .ops = &ops}).status();
  EXPECT_EQ(status.message(), absl::StrCat("cache root: open ", root.path(), ": Permission denied"));
  ops.plan = {.first = 0, .last = FaultyFileOps::kNever, .error = EROFS, .only_writes = true};
  EXPECT_EQ(RootDir::Open({.path = root / "absent", .ops = &ops}).status().message(),
            absl::StrCat("cache root: mkdir ", root / "absent", ": Read-only file system"));
}

TEST(CheckRootUsableTest, LeavesNothingButTheDirectories) {
  TempRoot root;
  EXPECT_TRUE(CheckRootUsable({.path = root / "cache"}).ok());
  EXPECT_EQ(CountFiles(root.path()), 0u);
}

TEST(CheckRootUsableTest, SaysWhyNot) {
  TempRoot root;
  FaultyFileOps ops;
  ops.plan = {.first = 0, .last = FaultyFileOps::kNever, .error = EROFS, .only_writes = true};
  EXPECT_EQ(CheckRootUsable({.path = root.path(), .ops = &ops}),
            absl::FailedPreconditionError(absl::StrCat(
                "cache root: ", root.path(),
                ": expected one that can be written, found: cache publish: make the temporary directory: Read-only "
                "file system")));
  // A foreign root keeps its own reason.
  ASSERT_EQ(chmod(root.path().c_str(), 0777), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(CheckRootUsable({.path = root.path()})));
}

}  // namespace
}  // namespace kiln::cache
