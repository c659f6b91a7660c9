// What a call into Kiln costs, from bytes to a launch, in one process on this host:
//
//   text    bytes -> module -> specialized -> planned -> lowered -> source, for a gemm for sm_90a
//   nvrtc   that source -> cubin
//   disk    a request whose binary is on disk -> loadable bytes, in a process that has not met it
//   op      Op::Launch of three tensors on the fake device, kernel loaded
//   exec    Executable::Launch of the same
//
// Medians. Exits 1 when one is over its bar, which docs/benchmarks.md states.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "api/documents.h"
#include "api/kernel_order.h"
#include "api/made_data.h"
#include "api/op.h"
#include "api/session.h"
#include "kiln/internal/status_macros.h"

namespace kiln::tool {
namespace {

struct Figure {
  const char* name;
  const char* what;
  double micros = 0;
  double bar = 0;
  std::string skipped = {};
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Microseconds of one call: the median of `rounds` rounds of `calls` calls.
double Time(int rounds, int calls, const std::function<void()>& call) {
  std::vector<double> micros;
  for (int r = 0; r < rounds; ++r) {
    const int64_t start = absl::GetCurrentTimeNanos();
    for (int c = 0; c < calls; ++c) call();
    micros.push_back(static_cast<double>(absl::GetCurrentTimeNanos() - start) * 1e-3 / calls);
  }
  return Median(std::move(micros));
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(path + ": cannot open; run this from the root of the tree");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The first status that is not OK, of calls that are timed.
struct Failures {
  absl::Status first;
  void Note(const absl::Status& status) {
    if (first.ok()) first = status;
  }
};

absl::StatusOr<CompileRequest> GemmRequest(const std::string& bytes, std::shared_ptr<ir::Module>* module,
                                           const Target& target) {
  KILN_ASSIGN_OR_RETURN(ir::Module decoded, api::ModuleFromBytes(bytes, "gemm"));
  *module = std::make_shared<ir::Module>(std::move(decoded));
  api::KernelChoice choice;
  choice.kernel = "gemm";
  choice.shape = {{"N", 4096}, {"K", 4096}};
  choice.dtypes = {{"T", "bf16"}};
  choice.settings = {{"BM", 128}, {"BN", 128}, {"BK", 64}, {"STAGES", 3}};
  KILN_ASSIGN_OR_RETURN(const api::BuildOrder order, api::OrderFor(**module, choice, target));
  return api::MakeRequest(order);
}

absl::Status TimeText(api::Session* session, std::vector<Figure>* figures) {
  KILN_ASSIGN_OR_RETURN(const std::string text, ReadText("api/kernels/gemm.kiln"));
  KILN_ASSIGN_OR_RETURN(const std::string bytes, api::EncodeText(text, "gemm.kiln"));
  KILN_ASSIGN_OR_RETURN(const Target target, session->backends().TargetNamed("sm_90a"));
  std::shared_ptr<ir::Module> module;
  Failures failures;
  const double micros = Time(21, 1, [&] {
    absl::StatusOr<CompileRequest> request = GemmRequest(bytes, &module, target);
    failures.Note(request.ok() ? LowerToSource(*request).status() : request.status());
  });
  KILN_RETURN_IF_ERROR(failures.first);
  figures->push_back({"text", "bytes to source, gemm for sm_90a", micros, 5000});

  Figure nvrtc{"nvrtc", "that source to a cubin", 0, 600000};
  const absl::StatusOr<const Toolchain*> toolchain = session->backends().ToolchainFor(TargetKind::kCuda);
  if (!toolchain.ok()) {
    nvrtc.skipped = std::string(toolchain.status().message());
  } else {
    KILN_ASSIGN_OR_RETURN(CompileRequest request, GemmRequest(bytes, &module, target));
    KILN_ASSIGN_OR_RETURN(const Lowered lowered, LowerToSource(request));
    nvrtc.micros = Time(3, 1, [&] {
      failures.Note(CompileSource(request, lowered, **toolchain, session->CompileOptionsFor(request)).status());
    });
    KILN_RETURN_IF_ERROR(failures.first);
  }
  figures->push_back(nvrtc);
  return absl::OkStatus();
}

absl::StatusOr<api::BuildOrder> AddOrder(const ir::Module& module, const Target& target) {
  api::KernelChoice choice;
  choice.kernel = "add";
  choice.dtypes = {{"T", "f32"}};
  return api::OrderFor(module, choice, target);
}

absl::Status TimeDisk(const ir::Module& module, std::vector<Figure>* figures) {
  char folder[] = "/tmp/kiln-bench-XXXXXX";
  if (mkdtemp(folder) == nullptr) return absl::ErrnoToStatus(errno, "bench: cannot make a temporary folder");
  api::Options options;
  options.cache_dir = folder;
  std::vector<double> micros;
  absl::Status status;
  for (int i = 0; i < 21 && status.ok(); ++i) {
    api::Session session(options);
    status = [&]() -> absl::Status {
      KILN_ASSIGN_OR_RETURN(const Target target, session.backends().TargetNamed("cpu"));
      KILN_ASSIGN_OR_RETURN(const api::BuildOrder order, AddOrder(module, target));
      KILN_ASSIGN_OR_RETURN(const CompileRequest request, api::MakeRequest(order));
      KILN_RETURN_IF_ERROR(session.backends().ToolchainFor(TargetKind::kCpu).status());
      const int64_t start = absl::GetCurrentTimeNanos();
      KILN_ASSIGN_OR_RETURN(const api::Built built, session.Build(request));
      const double elapsed = static_cast<double>(absl::GetCurrentTimeNanos() - start) * 1e-3;
      const api::Outcome expected = i == 0 ? api::Outcome::kMiss : api::Outcome::kDisk;
      KILN_CHECK(built.outcome == expected, i);
      if (i > 0) micros.push_back(elapsed);
      return absl::OkStatus();
    }();
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  KILN_RETURN_IF_ERROR(status);
  figures->push_back({"disk", "request to loadable bytes from disk", Median(std::move(micros)), 300});
  return absl::OkStatus();
}

absl::Status TimeLaunches(std::shared_ptr<const ir::Module> module, std::vector<Figure>* figures) {
  api::Options options;
  options.fake_devices = 1;
  const auto session = std::make_shared<api::Session>(options);
  KILN_ASSIGN_OR_RETURN(const std::shared_ptr<api::Op> op, api::Op::Create(session, module, "add", {}));
  std::map<std::string, int64_t> shape;
  for (const api::Signature::Symbol& symbol : op->signature().symbols()) shape[symbol.name] = 1024;
  KILN_ASSIGN_OR_RETURN(const std::vector<api::MadeArgument> made,
                        api::MakeArguments(op->signature(), shape, {{"T", DType::kF32}}, {}, 1));
  std::vector<void*> data;
  for (const api::MadeArgument& argument : made) data.push_back(argument.tensor.data);
  std::vector<kiln_dl_tensor> tensors;
  const std::vector<kiln_arg> args = api::ArgumentsOf(made, {KILN_DEVICE_FAKE, 0}, data, &tensors);
  KILN_ASSIGN_OR_RETURN(const std::shared_ptr<const api::Executable> executable, op->Prepare(args));
  Failures failures;
  const double op_micros = Time(51, 10000, [&] { failures.Note(op->Launch(nullptr, args)); });
  const double exec_micros = Time(51, 10000, [&] { failures.Note(executable->Launch(nullptr, args)); });
  KILN_RETURN_IF_ERROR(failures.first);
  figures->push_back({"op", "Op::Launch, three tensors, fake device", op_micros, 0.4});
  figures->push_back({"exec", "Executable::Launch of the same", exec_micros, 0.15});
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Figure>> Measure() {
  std::vector<Figure> figures;
  api::Session session{api::Options()};
  KILN_RETURN_IF_ERROR(TimeText(&session, &figures));
  KILN_ASSIGN_OR_RETURN(const std::string text, ReadText("api/kernels/add.kiln"));
  KILN_ASSIGN_OR_RETURN(ir::Module parsed, api::ModuleFromText(text, "add.kiln"));
  const auto module = std::make_shared<const ir::Module>(std::move(parsed));
  KILN_RETURN_IF_ERROR(TimeDisk(*module, &figures));
  KILN_RETURN_IF_ERROR(TimeLaunches(module, &figures));
  return figures;
}

int Main() {
  const absl::StatusOr<std::vector<Figure>> figures = Measure();
  if (!figures.ok()) {
    std::fprintf(stderr, "error: %s\n", std::string(figures.status().message()).c_str());
    return 1;
  }
  bool within = true;
  for (const Figure& figure : *figures) {
    if (!figure.skipped.empty()) {
      std::printf("%-6s %-40s skipped: %s\n", figure.name, figure.what, figure.skipped.c_str());
      continue;
    }
    const bool good = figure.micros <= figure.bar;
    within &= good;
    std::printf("%-6s %-40s %12.3f us   bar %12.3f us   %s\n", figure.name, figure.what, figure.micros, figure.bar,
                good ? "within" : "OVER");
  }
  return within ? 0 : 1;
}

}  // namespace
}  // namespace kiln::tool

int main() { return kiln::tool::Main(); }
