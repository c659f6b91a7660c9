#include "tools/kiln/kernel.h"

#include <cstdio>
#include <string>
#include <utility>

#include "api/documents.h"
#include "api/options_from_env.h"
#include "kiln/internal/status_macros.h"
#include "tools/kiln/files.h"

namespace kiln::tool {

absl::StatusOr<std::shared_ptr<api::Session>> OpenSession() {
  KILN_ASSIGN_OR_RETURN(api::Options options, api::OptionsFromEnvironment());
  options.log = [](api::LogLevel level, std::string_view text) {
    if (level != api::LogLevel::kInfo)
      std::fprintf(stderr, "warning: %.*s\n", static_cast<int>(text.size()), text.data());
  };
  return std::make_shared<api::Session>(std::move(options));
}

absl::StatusOr<LoadedKernel> Load(api::Session* session, const KernelFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const std::string input, ReadFile(flags.file));
  KILN_ASSIGN_OR_RETURN(ir::Module module, api::ModuleFromEither(input, flags.file));
  KILN_ASSIGN_OR_RETURN(const Target target, session->backends().TargetNamed(flags.target));
  api::KernelChoice choice;
  KILN_ASSIGN_OR_RETURN(choice.kernel, api::ChooseKernel(module, flags.kernel, StemOf(flags.file)));
  choice.shape = flags.shape;
  choice.dtypes = flags.dtypes;
  choice.settings = flags.settings;
  LoadedKernel loaded;
  loaded.module = std::make_shared<const ir::Module>(std::move(module));
  KILN_ASSIGN_OR_RETURN(loaded.order, api::OrderFor(*loaded.module, choice, target));
  return loaded;
}

absl::StatusOr<std::vector<api::MadeArgument>> MakeData(const LoadedKernel& loaded, const RunFlags& flags) {
  const ir::Kernel* kernel = ir::FindKernel(*loaded.module, loaded.order.kernel);
  KILN_ASSIGN_OR_RETURN(const api::Signature signature, api::Signature::Create(*kernel, flags.kernel.settings));
  return api::MakeArguments(signature, flags.kernel.shape, loaded.order.bindings.dtypes, flags.scalars, flags.seed);
}

}  // namespace kiln::tool
