// The C ABI's options as ours.
#ifndef KILN_API_C_OPTIONS_H_
#define KILN_API_C_OPTIONS_H_

#include "absl/status/statusor.h"
#include "api/options.h"
#include "kiln/c_api.h"

namespace kiln::api {

// Null = the defaults. InvalidArgument names the field.
absl::StatusOr<Options> FromC(const kiln_options* options);

}  // namespace kiln::api

#endif  // KILN_API_C_OPTIONS_H_
