// From the flags that name a kernel to an order for it.
#ifndef KILN_TOOLS_KILN_KERNEL_H_
#define KILN_TOOLS_KILN_KERNEL_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "api/kernel_order.h"
#include "api/made_data.h"
#include "api/session.h"
#include "tools/kiln/commands.h"

namespace kiln::tool {

struct LoadedKernel {
  std::shared_ptr<const ir::Module> module;
  api::BuildOrder order;  // Borrows the module
};

// A session with the environment's options, which logs warnings to stderr.
absl::StatusOr<std::shared_ptr<api::Session>> OpenSession();

absl::StatusOr<LoadedKernel> Load(api::Session* session, const KernelFlags& flags);

// Arguments for it.
absl::StatusOr<std::vector<api::MadeArgument>> MakeData(const LoadedKernel& loaded, const RunFlags& flags);

}  // namespace kiln::tool

#endif  // KILN_TOOLS_KILN_KERNEL_H_
