#include "cache/network_file_system.h"

#include "gtest/gtest.h"

namespace kiln::cache {
namespace {

TEST(NetworkFileSystemTest, KnowsTheUsualOnes) {
  EXPECT_EQ(NetworkFileSystemOf(0x6969), "nfs");
  EXPECT_EQ(NetworkFileSystemOf(0xfe534d42), "smb");
  EXPECT_EQ(NetworkFileSystemOf(0x0bd00bd0), "lustre");
  EXPECT_EQ(NetworkFileSystemOf(0x65735546), "fuse");
}

TEST(NetworkFileSystemTest, LocalOnesAreNone) {
  EXPECT_EQ(NetworkFileSystemOf(0xef53), "") << "ext4";
  EXPECT_EQ(NetworkFileSystemOf(0x01021994), "") << "tmpfs";
  EXPECT_EQ(NetworkFileSystemAt("/proc"), "");
  EXPECT_EQ(NetworkFileSystemAt("/nowhere/at/all"), "");
}

}  // namespace
}  // namespace kiln::cache
