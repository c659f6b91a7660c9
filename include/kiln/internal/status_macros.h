// Early returns for absl::Status and absl::StatusOr, and the check of our own invariants.
#ifndef KILN_INTERNAL_STATUS_MACROS_H_
#define KILN_INTERNAL_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#define KILN_RETURN_IF_ERROR(expr)                                                  \
  do {                                                                              \
    if (::absl::Status kiln_status = (expr); !kiln_status.ok()) return kiln_status; \
  } while (false)

#define KILN_STATUS_CONCAT_(a, b) a##b
#define KILN_STATUS_CONCAT(a, b) KILN_STATUS_CONCAT_(a, b)
#define KILN_ASSIGN_OR_RETURN(lhs, expr) \
  KILN_ASSIGN_OR_RETURN_(KILN_STATUS_CONCAT(kiln_status_or_, __LINE__), lhs, expr)
#define KILN_ASSIGN_OR_RETURN_(result, lhs, expr)      \
  auto result = (expr);                                \
  if (!result.ok()) return std::move(result).status(); \
  lhs = std::move(result).value()

// An invariant of ours: a failure is a fault in Kiln, returned as an internal error, never an abort.
#define KILN_CHECK(condition, ...)                                                                                    \
  do {                                                                                                                \
    if (!(condition))                                                                                                 \
      return ::absl::InternalError(::absl::StrCat("broken invariant: " #condition " (", __FILE_NAME__, ":", __LINE__, \
                                                  ") " __VA_OPT__(, ) __VA_ARGS__));                                  \
  } while (false)

#endif  // KILN_INTERNAL_STATUS_MACROS_H_
