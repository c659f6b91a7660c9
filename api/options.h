// Every knob of a runtime, with its default. Read once, when the runtime is made; deeper code receives values.
#ifndef KILN_API_OPTIONS_H_
#define KILN_API_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "api/log_sink.h"

namespace kiln::api {

struct Options {
  // Absolute, then, after colons, those of read-only layers below it; empty = this process's memory alone
  std::string cache_dir;
  bool cache_shared = false;  // The directory may be writable by other users
  // Of Ed25519, 64 hexadecimal digits each, colons between; if there are any, a bundle serves only if one signed it
  std::string cache_trusted_keys;
  uint64_t memory_cache_bytes = 256 << 20;
  uint64_t cache_max_bytes = uint64_t{10} << 30;  // Of the directory that is written; 0 = no limit
  uint64_t cache_max_entries = 1'000'000;         // Likewise
  std::string nvrtc_path;                         // Empty = as the loader finds it
  std::string llvm_path;                          // Of libkiln-llvm.so; empty = beside this library
  absl::Duration compile_deadline = absl::Minutes(5);
  int compile_threads = 0;  // For Prepare; 0 = as many as the host has, at most 4
  int cpu_threads = 0;      // Of the CPU device; 0 = as many as the host has
  int fake_devices = 0;
  LogSink log;
};

}  // namespace kiln::api

#endif  // KILN_API_OPTIONS_H_
