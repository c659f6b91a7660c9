#include "api/emit.h"

#include <utility>

#include "compiler/ir/print.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {
namespace {

absl::Status CheckKind(const CompileRequest& request, std::string_view stage, TargetKind kind, std::string_view needs) {
  if (request.target.kind == kind) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("emit: ", stage, ": expected ", needs, ", got target ", request.target.name));
}

absl::StatusOr<std::string> Binary(Session* session, const CompileRequest& request) {
  KILN_ASSIGN_OR_RETURN(Built built, session->Build(request));
  return std::move(built.artifact.binary);
}

}  // namespace

absl::StatusOr<std::string> Emit(Session* session, const CompileRequest& request, std::string_view stage) {
  if (stage == "ir") return ir::Print(request.kernel);
  if (stage == "plan") return Explain(request);
  if (stage == "cubin") {
    KILN_RETURN_IF_ERROR(CheckKind(request, stage, TargetKind::kCuda, "a CUDA target"));
    return Binary(session, request);
  }
  if (stage == "object") {
    KILN_RETURN_IF_ERROR(CheckKind(request, stage, TargetKind::kCpu, "target cpu"));
    return Binary(session, request);
  }
  if (stage == "llvm") KILN_RETURN_IF_ERROR(CheckKind(request, stage, TargetKind::kCpu, "target cpu"));
  if (stage == "ptx") KILN_RETURN_IF_ERROR(CheckKind(request, stage, TargetKind::kCuda, "a CUDA target"));
  KILN_ASSIGN_OR_RETURN(Lowered lowered, LowerToSource(request));
  if (stage == "lowered") return ir::Print(lowered.kernel);
  if (stage == "source" || stage == "llvm") return std::move(lowered.source.text);
  if (stage == "ptx") return session->backends().CompilePtx(lowered.source, session->CompileOptionsFor(request));
  return absl::InvalidArgumentError(
      StrCat("emit: expected ir, plan, lowered, source, llvm, ptx, cubin or object, got ", stage));
}

absl::StatusOr<std::string> Explain(const CompileRequest& request) {
  KILN_ASSIGN_OR_RETURN(Lowered lowered, LowerToSource(request));
  return std::move(lowered.explain);
}

}  // namespace kiln::api
