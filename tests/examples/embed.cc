// The C++ embedding that README.md and docs/embedding.md show, run as a test.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// [embed]
#include "kiln/kiln.h"

int Run(const std::string& bytes, const std::vector<float>& x, const std::vector<float>& w, std::vector<float>& y) {
  auto runtime = kiln::Runtime::Create(kiln::Options::FromEnvironment().value()).value();
  auto rmsnorm = runtime.Load(bytes).value().Find("rmsnorm").value();
  const int64_t n = w.size(), m = x.size() / n;
  kiln::Tensor in(x.data(), kiln::Type::kF32, {m, n}), weight(w.data(), kiln::Type::kF32, {n});
  kiln::Tensor out(y.data(), kiln::Type::kF32, {m, n});
  kiln::Status status = rmsnorm.Launch(nullptr, {in, weight, out, 1e-6});  // Compiles on a miss, then launches
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
// [embed]

// [prepare]
// Warm-up: shapes and dtypes are enough, no data and no launch.
kiln::StatusOr<kiln::Executable> Prepare(const kiln::Op& rmsnorm, int64_t n) {
  kiln::Tensor x(nullptr, kiln::Type::kF32, {1, n}), w(nullptr, kiln::Type::kF32, {n});
  kiln::StatusOr<kiln::Future<kiln::Executable>> future = rmsnorm.Prepare({x, w, x, 1e-6});
  if (!future.ok()) return future.status();
  return future->Wait();
}
// [prepare]

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::vector<float> x(4 * 64, 3.0f), w(64, 0.5f);
  std::vector<float> y(4 * 64);
  if (Run(bytes, x, w, y) != 0) return 1;
  // The root mean square of a row of threes is 3.
  const float error = y[255] - 0.5f;
  if (error > 1e-5f || error < -1e-5f) return 1;

  auto runtime = kiln::Runtime::Create().value();
  auto executable = Prepare(runtime.Load(bytes).value().Find("rmsnorm").value(), 64);
  if (!executable.ok() || executable->Describe().cache != KILN_CACHE_MISS) return 1;
  std::puts("1 passed, 0 failed");
  return 0;
}
