// Every knob of a runtime, with its default.
//
//   kiln::Options options = kiln::Options::FromEnvironment().value();
//   options.log = [](kiln::LogLevel level, std::string_view text) { MyLog(text); };
#ifndef KILN_OPTIONS_H_
#define KILN_OPTIONS_H_

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "kiln/c_api.h"
#include "kiln/status.h"

namespace kiln {

enum class LogLevel : int32_t { kInfo = KILN_LOG_INFO, kWarning = KILN_LOG_WARNING, kError = KILN_LOG_ERROR };

struct Options {
  // Absolute path of the disk cache, then, after colons, of read-only layers; empty = this process's memory alone
  std::string cache_dir;
  bool cache_shared = false;  // The directory may be writable by others: set only where they are trusted with our code
  std::string cache_trusted_keys;  // Public keys, colons between: a bundle serves only if one of them signed it
  uint64_t memory_cache_bytes = uint64_t{256} << 20;
  uint64_t cache_max_bytes = uint64_t{10} << 30;  // Of the disk cache; 0 = no limit
  uint64_t cache_max_entries = 1000000;           // Likewise
  std::string nvrtc_path;                         // The libnvrtc to open; empty = as the loader finds it
  std::string llvm_path;                          // The libkiln-llvm.so to open; empty = the one beside libkiln
  int32_t compile_deadline_ms = 300000;
  int32_t compile_threads = 0;  // For Prepare; 0 = as many as the host has, at most 4
  int32_t cpu_threads = 0;      // Of the CPU device; 0 = as many as the host has
  int32_t fake_devices = 0;     // Devices that run nothing: for tests
  // Called from any thread, with locks of Kiln's held: it neither calls Kiln nor waits. Empty = no log.
  std::function<void(LogLevel, std::string_view)> log;

  // The defaults, changed by the environment; kiln_options_from_environment names the variables.
  static StatusOr<Options> FromEnvironment() {
    kiln_options c;
    const kiln_code code = kiln_options_from_environment(&c, sizeof(c), detail::ThreadError());
    if (code != KILN_OK) return detail::Failure(code);
    Options options;
    options.cache_dir = c.cache_dir;
    options.cache_shared = c.cache_shared != 0;
    options.memory_cache_bytes = c.memory_cache_bytes;
    options.cache_max_bytes = c.cache_max_bytes;
    options.cache_max_entries = c.cache_max_entries;
    options.cache_trusted_keys = c.cache_trusted_keys;
    options.nvrtc_path = c.nvrtc_path;
    options.llvm_path = c.llvm_path;
    options.compile_deadline_ms = c.compile_deadline_ms;
    options.compile_threads = c.compile_threads;
    options.cpu_threads = c.cpu_threads;
    options.fake_devices = c.fake_devices;
    return options;
  }
};

namespace detail {

// False when the path is too long for the C ABI.
inline bool CopyPath(const std::string& path, char (&out)[KILN_PATH_BYTES]) {
  if (path.size() >= sizeof(out)) return false;
  std::memcpy(out, path.c_str(), path.size() + 1);
  return true;
}

// `log` and `context` are set by who keeps the sink alive.
inline StatusOr<kiln_options> ToC(const Options& options) {
  kiln_options c;
  kiln_options_init(&c, sizeof(c));
  if (!CopyPath(options.cache_dir, c.cache_dir) || !CopyPath(options.nvrtc_path, c.nvrtc_path) ||
      !CopyPath(options.llvm_path, c.llvm_path) || !CopyPath(options.cache_trusted_keys, c.cache_trusted_keys))
    return Status(Code::kInvalidArgument, "options",
                  "options: expected paths shorter than 4096 bytes, got a longer one");
  c.cache_shared = options.cache_shared;
  c.memory_cache_bytes = options.memory_cache_bytes;
  c.cache_max_bytes = options.cache_max_bytes;
  c.cache_max_entries = options.cache_max_entries;
  c.compile_deadline_ms = options.compile_deadline_ms;
  c.compile_threads = options.compile_threads;
  c.cpu_threads = options.cpu_threads;
  c.fake_devices = options.fake_devices;
  return c;
}

}  // namespace detail
}  // namespace kiln

#endif  // KILN_OPTIONS_H_
