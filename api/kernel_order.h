// An order for a kernel by names and values alone, with no argument in sight: what command lines and warm-ups have.
#ifndef KILN_API_KERNEL_ORDER_H_
#define KILN_API_KERNEL_ORDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/session.h"
#include "compiler/ir/kernel.h"

namespace kiln::api {

struct KernelChoice {
  std::string kernel;
  std::map<std::string, int64_t> shape;       // Values of symbols
  std::map<std::string, std::string> dtypes;  // Of dtype parameters
  std::map<std::string, int64_t> settings;    // Of integer parameters
};

// The kernel called `name`; with no name the one called `stem`, or the only one. NotFound names what there is.
absl::StatusOr<std::string> ChooseKernel(const ir::Module& module, const std::string& name, const std::string& stem);

// Static symbols take their value from the shape, buckets their limit; of other symbols the value is checked alone. A
// dtype parameter that may be one dtype alone needs no value. Tensors are dense and aligned.
// InvalidArgument: a name that the kernel does not have, no such dtype, a value that the symbol's policy refuses.
absl::StatusOr<BuildOrder> OrderFor(const ir::Module& module, const KernelChoice& choice, const Target& target);

}  // namespace kiln::api

#endif  // KILN_API_KERNEL_ORDER_H_
