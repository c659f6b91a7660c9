#include "cache/network_file_system.h"

#include <sys/vfs.h>

namespace kiln::cache {

std::string_view NetworkFileSystemOf(unsigned long magic) {
  // As statfs(2) and the file systems' own sources have them; a few are in no header.
  switch (magic) {
    case 0x6969:
      return "nfs";
    case 0xff534d42:
    case 0xfe534d42:
      return "smb";
    case 0x0bd00bd0:
      return "lustre";
    case 0x00c36400:
      return "ceph";
    case 0x47504653:
      return "gpfs";
    case 0x19830326:
      return "beegfs";
    case 0x5346414f:
      return "afs";
    case 0x01021997:
      return "9p";
    case 0x65735546:
      return "fuse";
    default:
      return "";
  }
}

std::string_view NetworkFileSystemAt(const std::string& path) {
  struct statfs info;
  if (statfs(path.c_str(), &info) != 0) return "";
  return NetworkFileSystemOf(static_cast<unsigned long>(info.f_type) & 0xffffffff);
}

}  // namespace kiln::cache
