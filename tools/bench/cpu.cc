// bench_cpu: kernels on the host CPU beside what they are measured against, in one run: OpenBLAS's sgemm, where its
// library is found, and a memcpy that reads and writes the same totals, both on as many threads.
//
//   bench_cpu [--kernels api/kernels] [--threads 2] [--repeat 21] [--set BM=256 ...]
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "kiln/kiln.h"

namespace {

using Call = std::function<void()>;

// What each ratio must reach; docs/benchmarks.md has what was measured.
constexpr double kGemmBar = 0.6;
constexpr double kRowsBar = 0.7;

double Seconds(const Call& call) {
  auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// Medians of two calls whose runs alternate, so that whatever else the machine does meets both alike.
std::pair<double, double> Measure(const Call& a, const Call& b, int repeat) {
  a();
  b();
  std::vector<double> as, bs;
  for (int i = 0; i < repeat; ++i) {
    as.push_back(Seconds(a));
    bs.push_back(Seconds(b));
  }
  return {Median(as), Median(bs)};
}

std::vector<float> Filled(int64_t n) {
  std::vector<float> data(static_cast<size_t>(n));
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i * 37 % 1001) / 1001 - 0.5f;
  return data;
}

class Bench {
 public:
  std::string kernels = "api/kernels";
  int threads = 2;
  int repeat = 21;
  std::map<std::string, int64_t> settings;  // For gemm, beside the model's choice

  bool below_bar() const { return below_bar_; }

  kiln::Status Run() {
    kiln::Options options;  // No cache: nothing here is worth keeping
    options.cpu_threads = threads;
    kiln::StatusOr<kiln::Runtime> runtime = kiln::Runtime::Create(options);
    if (!runtime.ok()) return runtime.status();
    runtime_.emplace(std::move(*runtime));
    std::printf("%d threads\n\n%-26s %10s %14s %12s %7s\n", threads, "kernel", "us", "rate", "beside, us", "ratio");
    if (kiln::Status status = Gemm(1024); !status.ok()) return status;
    if (kiln::Status status = Rows("rmsnorm", 4096, 4096); !status.ok()) return status;
    return Rows("softmax", 4096, 4096);
  }

 private:
  kiln::StatusOr<kiln::Executable> Prepare(const std::string& name, const kiln::OpOptions& options,
                                           const std::vector<kiln::Arg>& args) {
    std::string path = kernels + "/" + name + ".kiln";
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    kiln::StatusOr<kiln::Module> module = runtime_->LoadText(text, path);
    if (!module.ok()) return module.status();
    kiln::StatusOr<kiln::Op> op = module->Find(name, options);
    if (!op.ok()) return op.status();
    kiln::StatusOr<kiln::Future<kiln::Executable>> ready = op->Prepare(args.data(), args.size());
    if (!ready.ok()) return ready.status();
    return ready->Wait();
  }

  kiln::Status Gemm(int64_t size) {
    std::vector<float> a = Filled(size * size), b = Filled(size * size), c(a.size());
    auto tensor = [size](std::vector<float>& data) {
      return kiln::Tensor(data.data(), kiln::Type::kF32, {size, size});
    };
    kiln::Tensor ta = tensor(a), tb = tensor(b), tc = tensor(c);
    std::vector<kiln::Arg> args = {ta, tb, tc};
    kiln::OpOptions options;
    options.settings = settings;
    kiln::StatusOr<kiln::Executable> kernel = Prepare("gemm", options, args);
    if (!kernel.ok()) return kernel.status();
    kiln::Status last;
    Call ours = [&] { last = kernel->Launch(nullptr, args.data(), args.size()); };
    Call theirs = OpenBlas(a, b, c, static_cast<int>(size));
    std::string label = "gemm f32 " + std::to_string(size) + "^3";
    double flops = 2.0 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
    auto [mine, beside] = Measure(ours, theirs ? theirs : ours, repeat);
    if (!last.ok()) return last;
    std::printf("%-26s %10.0f %9.1f GF/s ", label.c_str(), mine * 1e6, flops / mine * 1e-9);
    if (theirs)
      PrintRatio(beside, mine, kGemmBar);
    else
      std::printf("%12s\n", "no OpenBLAS");
    return last;
  }

  // c = a * b^T; empty where the library is not found.
  Call OpenBlas(std::vector<float>& a, std::vector<float>& b, std::vector<float>& c, int n) const {
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    using SetThreads = void (*)(int);
    using Sgemm =
        void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
    auto set_threads = reinterpret_cast<SetThreads>(dlsym(library, "openblas_set_num_threads"));
    auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
    if (!set_threads || !sgemm) return nullptr;
    set_threads(threads);
    constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;
    return [&a, &b, &c, n, sgemm] {
      sgemm(kRowMajor, kPlain, kTransposed, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
    };
  }

  // A kernel that reads x and writes y, row by row.
  kiln::Status Rows(const std::string& name, int64_t rows, int64_t columns) {
    std::vector<float> x = Filled(rows * columns), y(x.size()), w = Filled(columns);
    kiln::Tensor tx(x.data(), kiln::Type::kF32, {rows, columns}), ty(y.data(), kiln::Type::kF32, {rows, columns});
    kiln::Tensor tw(w.data(), kiln::Type::kF32, {columns});
    std::vector<kiln::Arg> args = {tx};
    if (name == "rmsnorm") args.push_back(tw);
    args.push_back(ty);
    args.push_back(name == "rmsnorm" ? 1e-5 : 1.0);
    kiln::StatusOr<kiln::Executable> kernel = Prepare(name, {}, args);
    if (!kernel.ok()) return kernel.status();
    kiln::Status last;
    Call ours = [&] { last = kernel->Launch(nullptr, args.data(), args.size()); };
    auto [mine, copied] = Measure(ours, [&] { Copy(x, y); }, repeat);
    if (!last.ok()) return last;
    double bytes = 2.0 * static_cast<double>(x.size() * sizeof(float));
    std::string label = name + " f32 " + std::to_string(rows) + "x" + std::to_string(columns);
    std::printf("%-26s %10.0f %9.1f GB/s ", label.c_str(), mine * 1e6, bytes / mine * 1e-9);
    PrintRatio(copied, mine, kRowsBar);
    return last;
  }

  // memcpy in as many parts as threads. Starting them costs tens of microseconds of tens of milliseconds.
  void Copy(const std::vector<float>& from, std::vector<float>& to) const {
    size_t part = (from.size() + static_cast<size_t>(threads) - 1) / static_cast<size_t>(threads);
    auto copy = [&](size_t begin) {
      size_t end = std::min(begin + part, from.size());
      std::memcpy(to.data() + begin, from.data() + begin, (end - begin) * sizeof(float));
    };
    std::vector<std::thread> others;
    for (size_t begin = part; begin < from.size(); begin += part) others.emplace_back(copy, begin);
    copy(0);
    for (std::thread& thread : others) thread.join();
  }

  void PrintRatio(double beside, double mine, double bar) {
    bool below = beside / mine < bar;
    std::printf("%12.0f %7.2f%s\n", beside * 1e6, beside / mine, below ? "  below the bar" : "");
    below_bar_ |= below;
  }

  std::optional<kiln::Runtime> runtime_;
  bool below_bar_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  Bench bench;
  std::vector<std::string> settings;
  CLI::App app{"Kernels on the host CPU beside OpenBLAS and memcpy"};
  app.add_option("--kernels", bench.kernels, "Folder of the kernels");
  app.add_option("--threads", bench.threads, "Threads of each side")->check(CLI::Range(1, 1024));
  app.add_option("--repeat", bench.repeat, "Timed runs, of which the median counts")->check(CLI::Range(1, 100000));
  app.add_option("--set", settings, "A tuning parameter of gemm: BM=256");
  CLI11_PARSE(app, argc, argv);
  for (const std::string& setting : settings) {
    size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      std::fprintf(stderr, "--set %s: expected NAME=VALUE\n", setting.c_str());
      return 2;
    }
    bench.settings[setting.substr(0, equals)] = std::atoll(setting.c_str() + equals + 1);
  }
  kiln::Status status = bench.Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return status.ok() && !bench.below_bar() ? 0 : 1;
}
