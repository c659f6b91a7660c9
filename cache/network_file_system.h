// Whether a directory lies on a file system that other nodes share, where more can go stale and locks may end at a
// node.
#ifndef KILN_CACHE_NETWORK_FILE_SYSTEM_H_
#define KILN_CACHE_NETWORK_FILE_SYSTEM_H_

#include <string>
#include <string_view>

namespace kiln::cache {

// "nfs", "lustre", ...; empty for a local file system, for one that is not known, and for no directory at all.
std::string_view NetworkFileSystemAt(const std::string& path);

// The same for the number by which the system tells file systems apart.
std::string_view NetworkFileSystemOf(unsigned long magic);

}  // namespace kiln::cache

#endif  // KILN_CACHE_NETWORK_FILE_SYSTEM_H_
