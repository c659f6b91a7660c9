// The C ABI's executables.
#include "api/c_handles.h"

using kiln::api::FailNull;
using kiln::api::Guarded;

static_assert(KILN_CACHE_MISS == static_cast<int>(kiln::api::Outcome::kMiss));
static_assert(KILN_CACHE_MEMORY == static_cast<int>(kiln::api::Outcome::kMemory));
static_assert(KILN_CACHE_DISK == static_cast<int>(kiln::api::Outcome::kDisk));

kiln_code kiln_executable_describe(const kiln_executable* executable, kiln_executable_info* info, kiln_error* error) {
  if (executable == nullptr) return FailNull("executable", error);
  if (info == nullptr) return FailNull("info", error);
  return Guarded(error, [&] {
    const kiln::api::Executable::Description& description = executable->executable->description();
    kiln_executable_info all = {};
    all.kernel = description.kernel.c_str();
    all.arch = description.arch.c_str();
    all.config = description.config.c_str();
    all.rules = description.rules.c_str();
    all.cache = static_cast<int32_t>(description.outcome);
    all.compile_ms = description.compile_ms;
    all.registers = description.resources.registers;
    all.shared_bytes = description.resources.shared_bytes;
    all.spill_bytes = description.resources.spill_bytes;
    return kiln::api::CopyOut(all, info);
  });
}

kiln_code kiln_executable_launch(const kiln_executable* executable, void* stream, const kiln_arg* args, size_t num_args,
                                 kiln_error* error) {
  if (__builtin_expect(executable == nullptr, 0)) return FailNull("executable", error);
  if (__builtin_expect(args == nullptr && num_args != 0, 0)) return FailNull("args", error);
  return Guarded(error, [&] { return executable->executable->Launch(stream, {args, num_args}); });
}

void kiln_executable_destroy(kiln_executable* executable) { delete executable; }
