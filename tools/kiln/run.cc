// `kiln run`: compiles or finds a kernel, runs it on made data, times it, and compares it with the reference.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "api/bench_run.h"
#include "api/made_data.h"
#include "api/op.h"
#include "api/reference.h"
#include "api/session.h"
#include "api/work.h"
#include "kiln/internal/status_macros.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/kernel.h"
#include "tools/kiln/report.h"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

// Scalar operations that `--check` may ask of the interpreter: about a second.
constexpr int64_t kCheckBudget = 150'000'000;

// The object that `--json` prints.
struct Report {
  std::string kernel;
  std::string target;
  std::map<std::string, int64_t> config;
  std::map<std::string, int64_t> shape;
  std::string cache = "none";
  double compile_ms = 0;
  double run_us = 0;
  double bytes = 0;
  double flops = 0;
  double roofline = 0;  // 0 = the target's rates are not known
  std::string check = "none";
  double max_error = 0;
  std::vector<std::string> rules;
  std::string note;  // For people: how much was checked, or what differs

  double Gbps() const { return run_us > 0 ? bytes / run_us * 1e-3 : 0; }
  double Tflops() const { return run_us > 0 ? flops / run_us * 1e-6 : 0; }
};

Json ToJson(const Report& report) {
  Json json = {{"kernel", report.kernel},     {"target", report.target}, {"config", report.config},
               {"shape", report.shape},       {"cache", report.cache},   {"compile_ms", report.compile_ms},
               {"run_us", report.run_us},     {"gbps", report.Gbps()},   {"tflops", report.Tflops()},
               {"roofline", report.roofline}, {"check", report.check},   {"max_error", report.max_error},
               {"rules", report.rules}};
  if (report.roofline == 0) json["roofline"] = nullptr;
  return json;
}

std::string Assignments(const std::map<std::string, int64_t>& values) {
  return values.empty() ? "none" : absl::StrJoin(values, ",", absl::PairFormatter("="));
}

void PrintText(const Report& report) {
  const bool hit = report.cache != "miss" && report.cache != "none";
  Print(absl::StrFormat("kernel   %s for %s, shape %s, config %s\n", report.kernel, report.target,
                        Assignments(report.shape), Assignments(report.config)));
  Print(absl::StrFormat("cache: %s%s\n", report.cache, hit ? " hit" : ""));
  Print(absl::StrFormat("compile  %.1f ms\n", report.compile_ms));
  Print(absl::StrFormat("run      %.1f us, %.2f GB/s", report.run_us, report.Gbps()));
  if (report.flops > 0) Print(absl::StrFormat(", %.3f TFLOP/s", report.Tflops()));
  if (report.roofline > 0) Print(absl::StrFormat(", %.0f%% of the roofline", report.roofline * 100));
  Print("\n");
  if (!report.rules.empty()) Print(absl::StrCat("rules    ", absl::StrJoin(report.rules, ", "), "\n"));
  if (report.check != "none")
    Print(absl::StrFormat("check: %s, largest error %.3g%s\n", report.check, report.max_error,
                          report.note.empty() ? "" : absl::StrCat(" (", report.note, ")")));
}

// Bytes that a kernel moves at least: every tensor once, in and out tensors twice.
double BytesOf(const ir::Kernel& kernel, const std::vector<api::MadeArgument>& made) {
  double bytes = 0;
  for (size_t i = 0; i < made.size(); ++i)
    if (made[i].is_tensor)
      bytes +=
          static_cast<double>(made[i].tensor.bytes) * (kernel.params[i].direction == ir::Direction::kInOut ? 2 : 1);
  return bytes;
}

// The share of the least time in which the target could move the bytes and do the products.
double Roofline(const Report& report, const Target& target, const std::vector<api::MadeArgument>& made) {
  const MemorySpace* global = target.Find("global");
  if (global == nullptr || global->bandwidth <= 0 || report.run_us <= 0) return 0;
  double seconds = report.bytes / global->bandwidth;
  if (report.flops > 0) {
    const auto peak = target.peak_flops.find(made.front().tensor.dtype);
    if (peak == target.peak_flops.end() || peak->second <= 0) return 0;
    seconds = std::max(seconds, report.flops / peak->second);
  }
  return seconds * 1e6 / report.run_us;
}

absl::Status RunCheck(const ir::Kernel& kernel, const std::vector<api::MadeArgument>& before,
                      const std::vector<api::MadeArgument>& got, Report* report) {
  std::vector<api::MadeArgument> want = api::CopyOf(before);
  KILN_ASSIGN_OR_RETURN(const api::ReferenceRun run, api::RunReference(kernel, &want, kCheckBudget));
  const api::Comparison comparison =
      api::Compare(before, want, got, api::RelativeTolerance(kernel), run.sample.empty());
  report->check = comparison.pass ? "pass" : "fail";
  report->max_error = comparison.max_error;
  report->note = comparison.pass ? absl::StrCat(comparison.compared, " elements") : comparison.worst;
  if (comparison.pass && !run.sample.empty())
    absl::StrAppend(&report->note, " of ", run.sample.size(), " of ", run.grid[0] * run.grid[1] * run.grid[2], " CTAs");
  return absl::OkStatus();
}

absl::StatusOr<Report> RunReferenceOnly(const LoadedKernel& loaded, const RunFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const CompileRequest request, api::MakeRequest(loaded.order));
  KILN_ASSIGN_OR_RETURN(std::vector<api::MadeArgument> made, MakeData(loaded, flags));
  Report report;
  report.config = request.config;
  const absl::Time start = absl::Now();
  KILN_RETURN_IF_ERROR(api::RunReference(request.kernel, &made, INT64_MAX).status());
  report.run_us = absl::ToDoubleMicroseconds(absl::Now() - start);
  report.bytes = BytesOf(request.kernel, made);
  report.flops = api::WorkOf(request.kernel, flags.kernel.shape).flops;
  return report;
}

absl::StatusOr<Report> RunOnDevice(const std::shared_ptr<api::Session>& session, const LoadedKernel& loaded,
                                   const RunFlags& flags) {
  api::OpOptions options;
  options.settings = flags.kernel.settings;
  KILN_ASSIGN_OR_RETURN(const std::shared_ptr<api::Op> op,
                        api::Op::Create(session, loaded.module, loaded.order.kernel, options));
  KILN_ASSIGN_OR_RETURN(std::vector<api::MadeArgument> made, MakeData(loaded, flags));
  std::vector<api::MadeArgument> before;
  if (flags.check) before = api::CopyOf(made);
  const kiln_dl_device place = {loaded.order.target.kind == TargetKind::kCuda ? KILN_DEVICE_CUDA : KILN_DEVICE_CPU, 0};
  KILN_ASSIGN_OR_RETURN(const api::BenchRun run, api::RunAndTime(session.get(), *op, place, &made, flags.repeat));

  const api::Executable::Description& description = run.executable->description();
  Report report;
  report.config = description.settings;
  report.cache = std::string(api::Name(description.outcome));
  report.compile_ms = description.compile_ms;
  report.run_us = run.run_us;
  if (!description.rules.empty()) report.rules = absl::StrSplit(description.rules, '\n');
  KILN_ASSIGN_OR_RETURN(const CompileRequest request, api::MakeRequest(loaded.order));
  report.bytes = BytesOf(request.kernel, made);
  report.flops = api::WorkOf(request.kernel, flags.kernel.shape).flops;
  report.roofline = Roofline(report, loaded.order.target, made);
  if (flags.check) KILN_RETURN_IF_ERROR(RunCheck(request.kernel, before, made, &report));
  return report;
}

absl::StatusOr<Report> Do(const RunFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const std::shared_ptr<api::Session> session, OpenSession());
  KILN_ASSIGN_OR_RETURN(const LoadedKernel loaded, Load(session.get(), flags.kernel));
  Report report;
  if (loaded.order.target.kind == TargetKind::kReference) {
    KILN_ASSIGN_OR_RETURN(report, RunReferenceOnly(loaded, flags));
  } else {
    KILN_ASSIGN_OR_RETURN(report, RunOnDevice(session, loaded, flags));
  }
  report.kernel = loaded.order.kernel;
  report.target = loaded.order.target.name;
  report.shape = flags.kernel.shape;
  return report;
}

}  // namespace

int Run(const RunFlags& flags) {
  const absl::StatusOr<Report> report = Do(flags);
  if (!report.ok()) return Fail(report.status());
  if (flags.json) {
    Print(ToJson(*report).dump() + "\n");
  } else {
    PrintText(*report);
  }
  if (report->check != "fail") return kDone;
  return Fail(absl::DataLossError(absl::StrCat("check: kernel \"", report->kernel, "\": ", report->note)));
}

}  // namespace kiln::tool
