// A kernel's parameters as a launch checks them, and the facts that a launch's arguments give.
//
//   KILN_ASSIGN_OR_RETURN(Signature signature, Signature::Create(kernel, {}));
//   BoundCall call;
//   KILN_RETURN_IF_ERROR(signature.Bind(args, BindFor::kLaunch, &call));
//   Bindings bindings = signature.BindingsOf(call.facts);
//
// The number of different facts is bounded by what the kernel says of its symbols: a static symbol counts by value, a
// bucket by its limits, and of everything else only powers of two up to 16 bytes are kept. Immutable; thread-safe.
#ifndef KILN_API_SIGNATURE_H_
#define KILN_API_SIGNATURE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "api/call_facts.h"
#include "api/limits.h"
#include "api/symbol_program.h"
#include "compiler/ir/kernel.h"
#include "compiler/specialize/specialize.h"
#include "kiln/c_api.h"
#include "runtime/device.h"

namespace kiln::api {

// A launch needs data; a preparation looks at shapes and types, and takes a null address for one that 16 divides.
enum class BindFor : uint8_t { kLaunch, kPrepare };

// The result of checking one call's arguments. Uninitialized until Bind fills it: it lives on a launch's stack.
struct BoundCall {
  CallFacts facts;
  kiln_dl_device device;  // Where the tensors are; memory that a device reaches counts as its own
  int64_t symbols[kMaxSymbols];
  int32_t count;
  alignas(runtime::Arg) std::byte storage[kMaxArgs * sizeof(runtime::Arg)];

  runtime::Arg* Slot(int i) { return reinterpret_cast<runtime::Arg*>(storage) + i; }
  // The arguments as devices take them, borrowed from the caller's tensors.
  absl::Span<const runtime::Arg> Args() const {
    return {reinterpret_cast<const runtime::Arg*>(storage), static_cast<size_t>(count)};
  }
};

// What a call says of one tensor's memory.
struct TensorWord {
  bool contiguous = true;
  bool unit_inner = true;
  uint8_t log2_stride = 0;  // Of what divides every outer stride, in elements; 0 when contiguous
  uint8_t log2_align = 4;   // Of the address; at most 4
};

class Signature {
 public:
  struct Dimension {
    enum class Kind : uint8_t { kConst, kSymbol, kProgram };
    Kind kind = Kind::kConst;
    bool binds = false;     // kSymbol: the symbol takes its value here
    int symbol = -1;        // kSymbol
    int64_t value = 0;      // kConst
    SymbolProgram program;  // kProgram
    std::string text;       // As the kernel spells it
  };

  struct Parameter {
    std::string name;
    bool is_tensor = true;
    bool written = false;
    DType dtype = DType::kNone;  // kNone: a dtype parameter's
    int dtype_param = -1;
    int rank = 0;
    std::vector<Dimension> shape;
  };

  struct DTypeParam {
    std::string name;
    std::vector<DType> allowed;  // Empty = any
    int first_use = -1;          // The parameter that binds it
  };

  struct Symbol {
    std::string name;
    ir::SymbolPolicy::Kind policy = ir::SymbolPolicy::Kind::kDynamic;
    std::vector<int64_t> values;
    bool is_meta = false;  // An integer meta-parameter that arguments give
    int max_divisor = 1;   // Of a dynamic symbol: the largest power of two worth knowing
    int param = -1;        // Where it is bound
    int dim = -1;
  };

  // `settings` are values of integer meta-parameters. `number` tells members of one op apart.
  // InvalidArgument: a bound of limits.h is passed, a shape cannot be checked, a symbol is never bound, or a setting
  // names no integer meta-parameter.
  static absl::StatusOr<Signature> Create(const ir::Kernel& kernel, const std::map<std::string, int64_t>& settings,
                                          int number = 0);

  const std::string& kernel() const { return kernel_; }
  const std::vector<Parameter>& params() const { return params_; }
  const std::vector<DTypeParam>& dtype_params() const { return dtype_params_; }
  const std::vector<Symbol>& symbols() const { return symbols_; }
  int FindSymbol(std::string_view name) const;

  // Checks `args` and fills `call`. InvalidArgument names the argument, what it must be and what it is.
  absl::Status Bind(absl::Span<const kiln_arg> args, BindFor purpose, BoundCall* call) const;

  // What Specialize is told for calls of these facts, which Bind made; settings included.
  Bindings BindingsOf(const CallFacts& facts) const;

  // Whether a kernel that was made for `made` is right for a call of facts `call`.
  bool Covers(const CallFacts& made, const CallFacts& call) const;

  // "cpu; T = f32; N = 4096; x dense, 16-byte aligned; ..."
  std::string Describe(const CallFacts& facts) const;

 private:
  TensorWord TensorFact(const CallFacts& facts, int tensor) const;

  friend class Binder;
  friend class SignatureBuilder;

  std::string kernel_;
  int number_ = 0;
  std::vector<Parameter> params_;
  std::vector<DTypeParam> dtype_params_;
  std::vector<Symbol> symbols_;
  std::map<std::string, int64_t> settings_;
};

}  // namespace kiln::api

#endif  // KILN_API_SIGNATURE_H_
