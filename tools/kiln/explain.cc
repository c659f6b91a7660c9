// `kiln explain`: every decision about a kernel.
#include "api/emit.h"
#include "kiln/internal/status_macros.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/kernel.h"
#include "tools/kiln/report.h"

namespace kiln::tool {
namespace {

absl::StatusOr<std::string> Do(const KernelFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const std::shared_ptr<api::Session> session, OpenSession());
  KILN_ASSIGN_OR_RETURN(const LoadedKernel loaded, Load(session.get(), flags));
  KILN_ASSIGN_OR_RETURN(const CompileRequest request, api::MakeRequest(loaded.order));
  return api::Explain(request);
}

}  // namespace

int Explain(const KernelFlags& flags) {
  const absl::StatusOr<std::string> text = Do(flags);
  if (!text.ok()) return Fail(text.status());
  Print(*text);
  if (!text->empty() && text->back() != '\n') Print("\n");
  return kDone;
}

}  // namespace kiln::tool
