// What each stage makes of a request, for people and for files.
#ifndef KILN_API_EMIT_H_
#define KILN_API_EMIT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/session.h"

namespace kiln::api {

// `stage`: ir (specialized), plan, lowered, source, llvm, ptx, cubin, object. InvalidArgument: another stage, or one
// that the target does not have.
absl::StatusOr<std::string> Emit(Session* session, const CompileRequest& request, std::string_view stage);

// Every decision with the refusals.
absl::StatusOr<std::string> Explain(const CompileRequest& request);

}  // namespace kiln::api

#endif  // KILN_API_EMIT_H_
