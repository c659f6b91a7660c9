// The C ABI's ops: finding, launching, preparing.
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/c_handles.h"
#include "kiln/internal/status_macros.h"

using kiln::api::FailNull;
using kiln::api::Guarded;

namespace {

absl::StatusOr<kiln::api::OpOptions> OptionsFrom(const kiln_op_options* given) {
  kiln_op_options all = {};
  if (given != nullptr) kiln::api::CopyIn(*given, &all);
  kiln::api::OpOptions options;
  options.compile_on_miss = all.on_miss != KILN_ON_MISS_FAIL;
  if (all.num_settings != 0 && all.settings == nullptr)
    return absl::InvalidArgumentError("arguments: settings: expected a pointer, got NULL");
  for (size_t i = 0; i < all.num_settings; ++i) {
    if (all.settings[i].name == nullptr)
      return absl::InvalidArgumentError(absl::StrCat("arguments: settings[", i, "].name: expected a string, got NULL"));
    options.settings[all.settings[i].name] = all.settings[i].value;
  }
  return options;
}

}  // namespace

void kiln_op_options_init(kiln_op_options* options, size_t size) {
  if (options == nullptr || size < sizeof(size_t)) return;
  std::memset(options, 0, size);
  options->size = size;
}

kiln_code kiln_module_find(const kiln_module* module, const char* name, const kiln_op_options* options, kiln_op** op,
                           kiln_error* error) {
  if (module == nullptr) return FailNull("module", error);
  if (name == nullptr) return FailNull("name", error);
  if (op == nullptr) return FailNull("op", error);
  return Guarded(error, [&]() -> absl::Status {
    KILN_ASSIGN_OR_RETURN(kiln::api::OpOptions ours, OptionsFrom(options));
    KILN_ASSIGN_OR_RETURN(std::shared_ptr<const kiln::api::Op> made,
                          kiln::api::Op::Create(module->session, module->module, name, std::move(ours)));
    *op = new kiln_op{std::move(made)};
    return absl::OkStatus();
  });
}

void kiln_op_destroy(kiln_op* op) { delete op; }

size_t kiln_op_param_count(const kiln_op* op) { return op == nullptr ? 0 : op->op->signature().params().size(); }

kiln_code kiln_op_param(const kiln_op* op, size_t index, kiln_param_info* info, kiln_error* error) {
  if (op == nullptr) return FailNull("op", error);
  if (info == nullptr) return FailNull("info", error);
  return Guarded(error, [&]() -> absl::Status {
    const auto& params = op->op->signature().params();
    if (index >= params.size())
      return absl::NotFoundError(
          absl::StrCat("arguments: expected the index of a parameter, below ", params.size(), ", got ", index));
    kiln_param_info all = {};
    all.name = params[index].name.c_str();
    all.is_tensor = params[index].is_tensor;
    all.rank = static_cast<int32_t>(params[index].shape.size());
    all.written = params[index].written;
    return kiln::api::CopyOut(all, info);
  });
}

kiln_code kiln_op_launch(const kiln_op* op, void* stream, const kiln_arg* args, size_t num_args, kiln_error* error) {
  if (__builtin_expect(op == nullptr, 0)) return FailNull("op", error);
  if (__builtin_expect(args == nullptr && num_args != 0, 0)) return FailNull("args", error);
  return Guarded(error, [&] { return op->op->Launch(stream, {args, num_args}); });
}

kiln_code kiln_op_prepare(const kiln_op* op, const kiln_arg* args, size_t num_args, kiln_future** future,
                          kiln_error* error) {
  if (op == nullptr) return FailNull("op", error);
  if (args == nullptr && num_args != 0) return FailNull("args", error);
  if (future == nullptr) return FailNull("future", error);
  return Guarded(error, [&]() -> absl::Status {
    KILN_ASSIGN_OR_RETURN(std::shared_ptr<const kiln::api::Future> made, op->op->PrepareLater({args, num_args}));
    *future = new kiln_future{std::move(made)};
    return absl::OkStatus();
  });
}

int32_t kiln_future_ready(const kiln_future* future) { return future != nullptr && future->future->Ready(); }

kiln_code kiln_future_wait(const kiln_future* future, int64_t timeout_ms, kiln_executable** executable,
                           kiln_error* error) {
  if (future == nullptr) return FailNull("future", error);
  if (executable == nullptr) return FailNull("executable", error);
  return Guarded(error, [&]() -> absl::Status {
    const absl::Duration at_most = timeout_ms < 0 ? absl::InfiniteDuration() : absl::Milliseconds(timeout_ms);
    KILN_ASSIGN_OR_RETURN(std::shared_ptr<const kiln::api::Executable> ready, future->future->Wait(at_most));
    *executable = new kiln_executable{std::move(ready)};
    return absl::OkStatus();
  });
}

void kiln_future_destroy(kiln_future* future) { delete future; }
