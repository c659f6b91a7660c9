// `kiln device`: devices, targets and toolchains here, and what is missing.
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "api/backends.h"
#include "api/session.h"
#include "kiln/internal/status_macros.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/kernel.h"
#include "tools/kiln/report.h"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

Json DeviceJson(const api::DeviceEntry& entry) {
  const runtime::DeviceLimits limits = entry.device->limits();
  return {{"name", entry.device->name()},
          {"target", entry.target},
          {"arch", entry.device->arch()},
          {"ordinal", entry.device->ordinal()},
          {"multiprocessors", limits.multiprocessors},
          {"shared_bytes", limits.max_shared_bytes}};
}

// The tool's fingerprint, or why it cannot be used.
Json ToolchainJson(api::Backends& backends, TargetKind kind) {
  const absl::StatusOr<const Toolchain*> toolchain = backends.ToolchainFor(kind);
  if (toolchain.ok()) return {{"found", true}, {"fingerprint", (*toolchain)->Fingerprint()}};
  return {{"found", false}, {"reason", std::string(toolchain.status().message())}};
}

Json Collect(api::Session* session) {
  api::Backends& backends = session->backends();
  Json json = {{"devices", Json::array()}};
  for (const api::DeviceEntry& entry : backends.Devices()) json["devices"].push_back(DeviceJson(entry));
  json["missing"] = Json::array();
  for (const absl::Status& status : {backends.CpuStatus(), backends.CudaStatus()})
    if (!status.ok()) json["missing"].push_back(std::string(status.message()));
  json["toolchains"] = {{"llvm", ToolchainJson(backends, TargetKind::kCpu)},
                        {"nvrtc", ToolchainJson(backends, TargetKind::kCuda)}};
  json["targets"] = api::Backends::TargetNames();
  json["options"] = {{"cache_dir", session->options().cache_dir},
                     {"cpu_threads", session->options().cpu_threads},
                     {"compile_threads", session->options().compile_threads},
                     {"compile_deadline_ms", absl::ToInt64Milliseconds(session->options().compile_deadline)}};
  return json;
}

void PrintText(const Json& json) {
  for (const Json& device : json["devices"])
    Print(absl::StrFormat("device     %s: %s, arch %s, %d multiprocessors\n", device["target"].get<std::string>(),
                          device["name"].get<std::string>(), device["arch"].get<std::string>(),
                          device["multiprocessors"].get<int>()));
  for (const Json& reason : json["missing"]) Print(absl::StrFormat("missing    %s\n", reason.get<std::string>()));
  for (const auto& [name, toolchain] : json["toolchains"].items())
    Print(absl::StrFormat("toolchain  %s: %s\n", name,
                          toolchain[toolchain["found"].get<bool>() ? "fingerprint" : "reason"].get<std::string>()));
  Print(absl::StrFormat("targets    %s\n", absl::StrJoin(json["targets"].get<std::vector<std::string>>(), ", ")));
  const std::string cache = json["options"]["cache_dir"].get<std::string>();
  Print(absl::StrFormat("cache      %s\n", cache.empty() ? "memory alone" : cache));
}

}  // namespace

int Device(const DeviceFlags& flags) {
  const absl::StatusOr<std::shared_ptr<api::Session>> session = OpenSession();
  if (!session.ok()) return Fail(session.status());
  const Json json = Collect(session->get());
  if (flags.json) {
    Print(json.dump() + "\n");
  } else {
    PrintText(json);
  }
  return kDone;
}

}  // namespace kiln::tool
