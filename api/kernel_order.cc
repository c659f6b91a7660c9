#include "api/kernel_order.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_join.h"
#include "api/signature.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {
namespace {

template <typename... Parts>
absl::Status Bad(const std::string& kernel, const Parts&... parts) {
  return absl::InvalidArgumentError(StrCat("specialize: kernel \"", kernel, "\": ", parts...));
}

absl::Status SetSymbol(const std::string& kernel, const Signature::Symbol& symbol, int64_t value, BuildOrder* order) {
  if (value < 0) return Bad(kernel, "symbol ", symbol.name, ": expected at least 0, got ", value);
  switch (symbol.policy) {
    case ir::SymbolPolicy::Kind::kStatic:
      order->bindings.ints[symbol.name] = value;
      break;
    case ir::SymbolPolicy::Kind::kBucket: {
      const auto limit = std::lower_bound(symbol.values.begin(), symbol.values.end(), value);
      if (limit == symbol.values.end())
        return Bad(kernel, "symbol ", symbol.name, ": expected at most ", symbol.values.back(),
                   ", its largest bucket, got ", value);
      order->bindings.symbols[symbol.name].max = *limit;
      break;
    }
    case ir::SymbolPolicy::Kind::kMultipleOf:
      if (value % symbol.values.front() != 0)
        return Bad(kernel, "symbol ", symbol.name, ": expected a multiple of ", symbol.values.front(), ", got ", value);
      break;
    case ir::SymbolPolicy::Kind::kDynamic:
      break;
  }
  return absl::OkStatus();
}

absl::Status SetDTypes(const KernelChoice& choice, const Signature& signature, BuildOrder* order) {
  for (const auto& [name, text] : choice.dtypes) {
    const auto& params = signature.dtype_params();
    if (std::none_of(params.begin(), params.end(), [&](const auto& param) { return param.name == name; }))
      return Bad(choice.kernel, "no dtype parameter is called ", name);
    const std::optional<DType> dtype = ParseDType(text);
    if (!dtype) return Bad(choice.kernel, "dtype ", name, ": expected a dtype as f32, got \"", text, "\"");
    order->bindings.dtypes[name] = *dtype;
  }
  for (const Signature::DTypeParam& param : signature.dtype_params())
    if (param.allowed.size() == 1) order->bindings.dtypes.try_emplace(param.name, param.allowed.front());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ChooseKernel(const ir::Module& module, const std::string& name, const std::string& stem) {
  std::vector<std::string> names;
  for (const ir::Kernel& kernel : module.kernels) {
    if (kernel.name == (name.empty() ? stem : name)) return kernel.name;
    names.push_back(kernel.name);
  }
  if (name.empty() && names.size() == 1) return names.front();
  if (name.empty())
    return absl::NotFoundError(StrCat("load: expected --kernel to name one of ", absl::StrJoin(names, ", "),
                                      ", since none of them is called \"", stem, "\""));
  return absl::NotFoundError(StrCat("load: no kernel \"", name, "\"; the module has ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<BuildOrder> OrderFor(const ir::Module& module, const KernelChoice& choice, const Target& target) {
  const ir::Kernel* kernel = ir::FindKernel(module, choice.kernel);
  if (kernel == nullptr) return absl::NotFoundError(StrCat("load: no kernel \"", choice.kernel, "\""));
  KILN_ASSIGN_OR_RETURN(const Signature signature, Signature::Create(*kernel, choice.settings));
  BuildOrder order;
  order.module = &module;
  order.kernel = choice.kernel;
  order.target = target;
  order.bindings.ints = choice.settings;
  for (const auto& [name, value] : choice.shape) {
    const int symbol = signature.FindSymbol(name);
    if (symbol < 0) return Bad(choice.kernel, "no symbol is called ", name);
    KILN_RETURN_IF_ERROR(SetSymbol(choice.kernel, signature.symbols()[symbol], value, &order));
  }
  KILN_RETURN_IF_ERROR(SetDTypes(choice, signature, &order));
  return order;
}

}  // namespace kiln::api
