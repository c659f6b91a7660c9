// Which NVRTC this is. The linker's build id is a digest of the library's contents that is already in memory; only a
// library without one has its bytes read, a hundred megabytes of them.
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/toolchain/nvrtc_library.h"

namespace kiln::nvrtc {
namespace {

struct Search {
  const std::string& path;
  std::string build_id;
};

// The GNU build id among the notes of one segment, in hexadecimal; empty when there is none.
std::string BuildIdOf(const char* notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof(note));
    size_t name = (note.n_namesz + 3u) & ~size_t{3};
    size_t value = (note.n_descsz + 3u) & ~size_t{3};
    if (sizeof(note) + name + value > size) return "";
    if (note.n_type == NT_GNU_BUILD_ID && absl::string_view(notes + sizeof(note), 4) == absl::string_view("GNU", 4))
      return absl::BytesToHexString(absl::string_view(notes + sizeof(note) + name, note.n_descsz));
    notes += sizeof(note) + name + value;
    size -= sizeof(note) + name + value;
  }
  return "";
}

int Visit(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  if (!info->dlpi_name || search->path != info->dlpi_name) return 0;
  for (int i = 0; i < info->dlpi_phnum && search->build_id.empty(); ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      search->build_id = BuildIdOf(reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz);
  }
  return 1;
}

std::string DigestOfFile(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "unread";
  struct stat status;
  std::string digest = "unread";
  if (fstat(file, &status) == 0 && status.st_size > 0) {
    size_t size = static_cast<size_t>(status.st_size);
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) {
      XXH128_hash_t hash = XXH3_128bits(bytes, size);
      digest = absl::StrCat(absl::Hex(hash.high64, absl::kZeroPad16), absl::Hex(hash.low64, absl::kZeroPad16));
      munmap(bytes, size);
    }
  }
  close(file);
  return digest;
}

std::string Digest(const std::string& path) {
  Search search = {path, ""};
  dl_iterate_phdr(Visit, &search);
  return search.build_id.empty() ? DigestOfFile(path) : search.build_id;
}

}  // namespace

std::string Fingerprint(const Library& library) {
  return absl::StrCat("nvrtc ", library.major, ".", library.minor, " ", Digest(library.path), " builtins ",
                      library.builtins_path.empty() ? "unknown" : Digest(library.builtins_path));
}

}  // namespace kiln::nvrtc
