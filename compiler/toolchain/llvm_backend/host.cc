#include "compiler/toolchain/llvm_backend/host.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <set>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

namespace kiln::llvm_backend {
namespace {

// The build id in a note segment, as hexadecimal; empty when the segment holds none.
std::string BuildIdOf(const char* note, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, note, sizeof(header));
    size_t name = (header.n_namesz + 3) & ~size_t{3};
    size_t descriptor = (header.n_descsz + 3) & ~size_t{3};
    size_t total = sizeof(header) + name + descriptor;
    if (total > size) break;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && !std::memcmp(note + sizeof(header), "GNU", 4))
      return llvm::toHex(llvm::StringRef(note + sizeof(header) + name, header.n_descsz), /*LowerCase=*/true);
    note += total;
    size -= total;
  }
  return "";
}

struct BuildIdSearch {
  const void* address;  // Inside the object asked for
  std::string id;
};

int VisitObject(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<BuildIdSearch*>(data);
  auto address = reinterpret_cast<uintptr_t>(search->address);
  bool holds = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    holds |= segment.p_type == PT_LOAD && address >= begin && address < begin + segment.p_memsz;
  }
  if (!holds) return 0;
  for (int i = 0; i < info->dlpi_phnum && search->id.empty(); ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      search->id = BuildIdOf(reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz);
  }
  return 1;
}

std::string BuildIdAt(const void* address) {
  BuildIdSearch search{address, ""};
  dl_iterate_phdr(&VisitObject, &search);
  return search.id;
}

}  // namespace

std::string HostArch() {
  std::set<std::string> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    if (feature.second) features.insert(feature.first().str());
  std::string arch = llvm::sys::getHostCPUName().str();
  for (const std::string& feature : features) arch += "+" + feature;
  return arch;
}

Arch ParseArch(std::string_view arch) {
  Arch parsed;
  size_t plus = arch.find('+');
  parsed.tune = arch.substr(0, plus);
  while (plus != std::string_view::npos) {
    size_t next = arch.find('+', plus + 1);
    std::string_view feature = arch.substr(plus, next == std::string_view::npos ? next : next - plus);
    if (!parsed.features.empty()) parsed.features += ',';
    parsed.features += feature;
    plus = next;
  }
  return parsed;
}

std::string_view BaselineCpu() {
  return llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArch() == llvm::Triple::x86_64 ? "x86-64" : "generic";
}

std::string Fingerprint() {
  static const char anchor = 0;
  std::string own = BuildIdAt(&anchor);
  // The same object when LLVM is linked statically; a library of its own otherwise.
  std::string llvm = BuildIdAt(reinterpret_cast<const void*>(&llvm::sys::getHostCPUName));
  std::string text = "LLVM " LLVM_VERSION_STRING " " + own;
  return llvm == own ? text : text + " " + llvm;
}

}  // namespace kiln::llvm_backend
