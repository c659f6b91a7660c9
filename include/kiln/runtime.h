// Runtime, Module, Op, Executable, Future: bytes to launched kernels.
//
//   auto runtime = kiln::Runtime::Create(kiln::Options::FromEnvironment().value()).value();
//   auto matmul = runtime.Load(bytes).value().Find("matmul").value();
//   kiln::Status status = matmul.Launch(stream, {a, b, c});             // check, look up, compile on a miss, launch
//   kiln::Future<kiln::Executable> ready = matmul.Prepare({a, b, c}).value();  // warm-up: no launch, no data
//
// Each is a handle that moves, keeps alive what it needs, and may be used from any number of threads at once. Nothing
// here throws. Header-only over the C ABI: no type of any library below Kiln is in it.
#ifndef KILN_RUNTIME_H_
#define KILN_RUNTIME_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/c_api.h"
#include "kiln/options.h"
#include "kiln/status.h"
#include "kiln/tensor.h"

namespace kiln {
namespace detail {

template <auto kDestroy>
struct Destroy {
  template <typename T>
  void operator()(T* handle) const {
    kDestroy(handle);
  }
};

template <typename T, auto kDestroy>
using Handle = std::unique_ptr<T, Destroy<kDestroy>>;

inline const kiln_arg* ToC(const Arg* args) { return reinterpret_cast<const kiln_arg*>(args); }

}  // namespace detail

// One loaded kernel, for arguments of one kind.
class Executable {
 public:
  explicit Executable(kiln_executable* handle) : handle_(handle) {}

  Status Launch(void* stream, std::initializer_list<Arg> args) const {
    return Launch(stream, args.begin(), args.size());
  }
  Status Launch(void* stream, const Arg* args, size_t count) const {
    return detail::ToStatus(
        kiln_executable_launch(handle_.get(), stream, detail::ToC(args), count, detail::ThreadError()));
  }

  // Strings in it live as long as the executable.
  kiln_executable_info Describe() const {
    kiln_executable_info info = {};
    info.size = sizeof(info);
    kiln_executable_describe(handle_.get(), &info, nullptr);
    return info;
  }

  kiln_executable* c() const { return handle_.get(); }

 private:
  detail::Handle<kiln_executable, kiln_executable_destroy> handle_;
};

// A T that may still be in the making.
template <typename T>
class Future;

template <>
class Future<Executable> {
 public:
  explicit Future(kiln_future* handle) : handle_(handle) {}

  bool Ready() const { return kiln_future_ready(handle_.get()) != 0; }

  // Waits at most `timeout_ms` (less than 0: without bound), then kDeadlineExceeded. May be called again.
  StatusOr<Executable> Wait(int64_t timeout_ms = -1) const {
    kiln_executable* executable = nullptr;
    const kiln_code code = kiln_future_wait(handle_.get(), timeout_ms, &executable, detail::ThreadError());
    if (code != KILN_OK) return detail::Failure(code);
    return Executable(executable);
  }

 private:
  detail::Handle<kiln_future, kiln_future_destroy> handle_;
};

// An op, or a kernel by itself: whatever kernel fits the arguments is found or made.
class Op {
 public:
  explicit Op(kiln_op* handle) : handle_(handle) {}

  // `stream` is a CUstream. The CPU runs before it returns.
  Status Launch(void* stream, std::initializer_list<Arg> args) const {
    return Launch(stream, args.begin(), args.size());
  }
  Status Launch(void* stream, const Arg* args, size_t count) const {
    return detail::ToStatus(kiln_op_launch(handle_.get(), stream, detail::ToC(args), count, detail::ThreadError()));
  }

  // Makes what Launch would run for arguments like these, on a thread of Kiln's. A tensor's data may be null, which
  // stands for an address that 16 divides.
  StatusOr<Future<Executable>> Prepare(std::initializer_list<Arg> args) const {
    return Prepare(args.begin(), args.size());
  }
  StatusOr<Future<Executable>> Prepare(const Arg* args, size_t count) const {
    kiln_future* future = nullptr;
    const kiln_code code = kiln_op_prepare(handle_.get(), detail::ToC(args), count, &future, detail::ThreadError());
    if (code != KILN_OK) return detail::Failure(code);
    return Future<Executable>(future);
  }

  kiln_op* c() const { return handle_.get(); }

 private:
  detail::Handle<kiln_op, kiln_op_destroy> handle_;
};

enum class OnMiss : int32_t { kCompile = KILN_ON_MISS_COMPILE, kFail = KILN_ON_MISS_FAIL };

struct OpOptions {
  std::map<std::string, int64_t> settings;  // Of integer meta-parameters; others take the compiler's choice
  OnMiss on_miss = OnMiss::kCompile;
};

// Kernels and ops, decoded.
class Module {
 public:
  explicit Module(kiln_module* handle) : handle_(handle) {}

  // kNotFound names what the module has.
  StatusOr<Op> Find(const std::string& name, const OpOptions& options = {}) const {
    std::vector<kiln_setting> settings;
    for (const auto& [setting, value] : options.settings) settings.push_back({setting.c_str(), value});
    kiln_op_options c;
    kiln_op_options_init(&c, sizeof(c));
    c.settings = settings.data();
    c.num_settings = settings.size();
    c.on_miss = static_cast<int32_t>(options.on_miss);
    kiln_op* op = nullptr;
    const kiln_code code = kiln_module_find(handle_.get(), name.c_str(), &c, &op, detail::ThreadError());
    if (code != KILN_OK) return detail::Failure(code);
    return Op(op);
  }

  // Its ops, then its kernels.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < kiln_module_name_count(handle_.get()); ++i)
      names.emplace_back(kiln_module_name(handle_.get(), i));
    return names;
  }

 private:
  detail::Handle<kiln_module, kiln_module_destroy> handle_;
};

// The cache, the compilers and the devices of a process.
class Runtime {
 public:
  static StatusOr<Runtime> Create(const Options& options = {}) {
    StatusOr<kiln_options> c = detail::ToC(options);
    if (!c.ok()) return c.status();
    if (options.log) {
      // Any handle made from this runtime may log, so the sink goes with the last of them.
      c->log_context = new auto(options.log);
      c->log_release = [](void* context) { delete static_cast<decltype(Options::log)*>(context); };
      c->log = [](void* context, int32_t level, const char* text) {
        (*static_cast<decltype(Options::log)*>(context))(static_cast<LogLevel>(level), text);
      };
    }
    kiln_runtime* runtime = nullptr;
    const kiln_code code = kiln_runtime_create(&*c, &runtime, detail::ThreadError());
    if (code != KILN_OK) return detail::Failure(code);
    return Runtime(runtime);
  }

  // `bytes` are the wire form; `name` is what errors call them.
  StatusOr<Module> Load(std::string_view bytes, const std::string& name = "module") const {
    kiln_module* module = nullptr;
    const kiln_code code =
        kiln_runtime_load(handle_.get(), bytes.data(), bytes.size(), name.c_str(), &module, detail::ThreadError());
    if (code != KILN_OK) return detail::Failure(code);
    return Module(module);
  }
  StatusOr<Module> LoadText(std::string_view text, const std::string& name = "module") const {
    kiln_module* module = nullptr;
    const kiln_code code =
        kiln_runtime_load_text(handle_.get(), text.data(), text.size(), name.c_str(), &module, detail::ThreadError());
    if (code != KILN_OK) return detail::Failure(code);
    return Module(module);
  }

  // Opens the drivers. CPU first.
  StatusOr<std::vector<kiln_device_info>> Devices() const {
    size_t count = 0;
    kiln_code code = kiln_runtime_device_count(handle_.get(), &count, detail::ThreadError());
    std::vector<kiln_device_info> devices(count);
    for (size_t i = 0; i < count && code == KILN_OK; ++i) {
      devices[i].size = sizeof(kiln_device_info);
      code = kiln_runtime_device(handle_.get(), i, &devices[i], detail::ThreadError());
    }
    if (code != KILN_OK) return detail::Failure(code);
    return devices;
  }

  kiln_stats Stats() const {
    kiln_stats stats = {};
    stats.size = sizeof(stats);
    kiln_runtime_stats(handle_.get(), &stats, nullptr);
    return stats;
  }

  kiln_runtime* c() const { return handle_.get(); }

 private:
  explicit Runtime(kiln_runtime* handle) : handle_(handle) {}

  detail::Handle<kiln_runtime, kiln_runtime_destroy> handle_;
};

}  // namespace kiln

#endif  // KILN_RUNTIME_H_
