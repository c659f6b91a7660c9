// The C ABI's runtimes and modules.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "api/c_handles.h"
#include "api/c_options.h"
#include "api/documents.h"
#include "kiln/internal/status_macros.h"

using kiln::api::FailNull;
using kiln::api::Guarded;

namespace {

// As much of `text` as fits, ended by 0.
template <size_t N>
void CopyName(const std::string& text, char (&out)[N]) {
  const size_t count = std::min(text.size(), N - 1);
  std::memcpy(out, text.data(), count);
  out[count] = 0;
}

kiln_module* MakeModule(std::shared_ptr<kiln::api::Session> session, kiln::ir::Module module) {
  auto made = std::make_unique<kiln_module>();
  made->session = std::move(session);
  for (const kiln::ir::OpDecl& op : module.ops) made->names.push_back(op.name);
  for (const kiln::ir::Kernel& kernel : module.kernels) made->names.push_back(kernel.name);
  made->module = std::make_shared<const kiln::ir::Module>(std::move(module));
  return made.release();
}

}  // namespace

kiln_code kiln_runtime_create(const kiln_options* options, kiln_runtime** runtime, kiln_error* error) {
  if (runtime == nullptr) return FailNull("runtime", error);
  return Guarded(error, [&]() -> absl::Status {
    KILN_ASSIGN_OR_RETURN(kiln::api::Options ours, kiln::api::FromC(options));
    *runtime = new kiln_runtime{std::make_shared<kiln::api::Session>(std::move(ours))};
    return absl::OkStatus();
  });
}

void kiln_runtime_destroy(kiln_runtime* runtime) { delete runtime; }

kiln_code kiln_runtime_device_count(kiln_runtime* runtime, size_t* count, kiln_error* error) {
  if (runtime == nullptr) return FailNull("runtime", error);
  if (count == nullptr) return FailNull("count", error);
  return Guarded(error, [&] {
    *count = runtime->session->backends().Devices().size();
    return absl::OkStatus();
  });
}

kiln_code kiln_runtime_device(kiln_runtime* runtime, size_t index, kiln_device_info* info, kiln_error* error) {
  if (runtime == nullptr) return FailNull("runtime", error);
  if (info == nullptr) return FailNull("info", error);
  return Guarded(error, [&]() -> absl::Status {
    const auto& devices = runtime->session->backends().Devices();
    if (index >= devices.size())
      return absl::NotFoundError(absl::StrCat("device: expected an index below ", devices.size(), ", got ", index));
    const kiln::runtime::Device& device = *devices[index].device;
    kiln_device_info all = {};
    all.device = devices[index].place;
    CopyName(device.name(), all.name);
    CopyName(device.arch(), all.arch);
    all.multiprocessors = device.limits().multiprocessors;
    all.shared_bytes = device.limits().max_shared_bytes;
    return kiln::api::CopyOut(all, info);
  });
}

kiln_code kiln_runtime_stats(kiln_runtime* runtime, kiln_stats* stats, kiln_error* error) {
  if (runtime == nullptr) return FailNull("runtime", error);
  if (stats == nullptr) return FailNull("stats", error);
  return Guarded(error, [&] {
    const kiln::api::Metrics& metrics = runtime->session->metrics();
    kiln_stats all = {};
    all.launches = metrics.launches.Get();
    all.loads = metrics.loads;
    all.compiles = metrics.compiles;
    all.compile_failures = metrics.compile_failures;
    all.memory_hits = metrics.memory_hits;
    all.disk_hits = metrics.disk_hits;
    all.misses = metrics.misses;
    const kiln::cache::Stats cache = runtime->session->CacheStats();
    all.disk_corrupt = cache.disk_corrupt + cache.bundle_corrupt;
    all.bundle_hits = metrics.bundle_hits;
    all.disk_evictions = cache.disk_evictions;
    all.compile_seconds = static_cast<double>(metrics.compile_nanos) * 1e-9;
    return kiln::api::CopyOut(all, stats);
  });
}

kiln_code kiln_runtime_load(kiln_runtime* runtime, const void* bytes, size_t size, const char* name,
                            kiln_module** module, kiln_error* error) {
  if (runtime == nullptr) return FailNull("runtime", error);
  if (bytes == nullptr) return FailNull("bytes", error);
  if (module == nullptr) return FailNull("module", error);
  return Guarded(error, [&]() -> absl::Status {
    KILN_ASSIGN_OR_RETURN(kiln::ir::Module decoded, kiln::api::ModuleFromBytes({static_cast<const char*>(bytes), size},
                                                                               name == nullptr ? "module" : name));
    *module = MakeModule(runtime->session, std::move(decoded));
    return absl::OkStatus();
  });
}

kiln_code kiln_runtime_load_text(kiln_runtime* runtime, const char* text, size_t size, const char* name,
                                 kiln_module** module, kiln_error* error) {
  if (runtime == nullptr) return FailNull("runtime", error);
  if (text == nullptr) return FailNull("text", error);
  if (module == nullptr) return FailNull("module", error);
  return Guarded(error, [&]() -> absl::Status {
    KILN_ASSIGN_OR_RETURN(kiln::ir::Module parsed,
                          kiln::api::ModuleFromText({text, size}, name == nullptr ? "module" : name));
    *module = MakeModule(runtime->session, std::move(parsed));
    return absl::OkStatus();
  });
}

void kiln_module_destroy(kiln_module* module) { delete module; }

size_t kiln_module_name_count(const kiln_module* module) { return module == nullptr ? 0 : module->names.size(); }

const char* kiln_module_name(const kiln_module* module, size_t index) {
  return index < kiln_module_name_count(module) ? module->names[index].c_str() : nullptr;
}
