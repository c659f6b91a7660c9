#include "api/executable.h"

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "api/argument_errors.h"
#include "api/fact_words.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {

absl::Status Executable::Launch(void* stream, absl::Span<const kiln_arg> args) const {
  BoundCall call;
  KILN_RETURN_IF_ERROR(signature_->Bind(args, BindFor::kLaunch, &call));
  if (ABSL_PREDICT_FALSE(!(call.facts == facts_) && !signature_->Covers(facts_, call.facts))) return Explain(call);
  return LaunchBound(stream, call);
}

absl::Status Executable::Explain(const BoundCall& call) const {
  return absl::InvalidArgumentError(absl::StrCat("arguments: executable of kernel \"", description_.kernel,
                                                 "\": made for ", signature_->Describe(facts_), "; got ",
                                                 signature_->Describe(call.facts)));
}

}  // namespace kiln::api
