#include "api/signature.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/print.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {

// Turns a kernel's parameter list into a Signature, in the order of the text.
class SignatureBuilder {
 public:
  SignatureBuilder(const ir::Kernel& kernel, const std::map<std::string, int64_t>& settings, int number)
      : kernel_(kernel) {
    out_.kernel_ = kernel.name;
    out_.number_ = number;
    out_.settings_ = settings;
  }

  absl::StatusOr<Signature> Build() {
    KILN_RETURN_IF_ERROR(CheckSettings());
    if (kernel_.params.size() > kMaxArgs) return TooMany("parameters", kernel_.params.size(), kMaxArgs);
    for (const ir::MetaParam& meta : kernel_.metas)
      if (meta.kind == ir::MetaParam::Kind::kDType) out_.dtype_params_.push_back({meta.name, meta.dtypes, -1});
    if (out_.dtype_params_.size() > kMaxDTypeParams)
      return TooMany("dtype parameters", out_.dtype_params_.size(), kMaxDTypeParams);
    // Bare names first: they bind the symbols that the other extents are computed from.
    for (size_t p = 0; p < kernel_.params.size(); ++p) KILN_RETURN_IF_ERROR(BindNames(p));
    if (out_.symbols_.size() > kMaxSymbols) return TooMany("symbols", out_.symbols_.size(), kMaxSymbols);
    for (size_t p = 0; p < kernel_.params.size(); ++p) KILN_RETURN_IF_ERROR(AddParam(p));
    KILN_RETURN_IF_ERROR(CheckSymbolsAreBound());
    return std::move(out_);
  }

 private:
  template <typename... Parts>
  absl::Status Bad(const Parts&... parts) const {
    return absl::InvalidArgumentError(absl::StrCat("load: kernel \"", kernel_.name, "\": ", parts...));
  }

  absl::Status TooMany(absl::string_view what, size_t count, int limit) const {
    return Bad("expected at most ", limit, " ", what, ", got ", count);
  }

  const ir::MetaParam* FindMeta(std::string_view name) const {
    for (const ir::MetaParam& meta : kernel_.metas)
      if (meta.name == name) return &meta;
    return nullptr;
  }

  absl::Status CheckSettings() const {
    for (const auto& [name, value] : out_.settings_) {
      const ir::MetaParam* meta = FindMeta(name);
      if (meta == nullptr || meta->kind != ir::MetaParam::Kind::kInt)
        return Bad("setting \"", name, "\": expected the name of an integer parameter, which it is not");
    }
    return absl::OkStatus();
  }

  static bool IsName(const Expr& extent) { return extent->kind == ExprKind::kVar; }

  // Integer parameters that have a setting are constants like any other.
  Expr WithSettings(const Expr& extent) const {
    Substitution values;
    for (const auto& [name, value] : out_.settings_) values[name] = Int(value);
    return Substitute(extent, values);
  }

  absl::Status BindNames(size_t p) {
    const ir::Param& param = kernel_.params[p];
    if (!param.is_tensor) return absl::OkStatus();
    if (param.shape.size() > kMaxRank)
      return Bad("parameter \"", param.name, "\": expected a rank of at most ", kMaxRank, ", got ", param.shape.size());
    for (size_t d = 0; d < param.shape.size(); ++d) {
      const Expr extent = WithSettings(param.shape[d]);
      if (IsName(extent) && out_.FindSymbol(extent->name) < 0)
        AddSymbol(extent->name, static_cast<int>(p), static_cast<int>(d));
    }
    return absl::OkStatus();
  }

  void AddSymbol(const std::string& name, int param, int dim) {
    Signature::Symbol symbol;
    symbol.name = name;
    symbol.param = param;
    symbol.dim = dim;
    if (FindMeta(name) != nullptr) {
      symbol.is_meta = true;
      symbol.policy = ir::SymbolPolicy::Kind::kStatic;
    }
    for (const ir::SymbolPolicy& policy : kernel_.symbols) {
      if (policy.name != name) continue;
      symbol.policy = policy.kind;
      symbol.values = policy.values;
    }
    out_.symbols_.push_back(std::move(symbol));
  }

  absl::Status AddParam(size_t p) {
    const ir::Param& param = kernel_.params[p];
    Signature::Parameter made;
    made.name = param.name;
    made.is_tensor = param.is_tensor;
    made.written = param.direction != ir::Direction::kIn;
    made.dtype = param.dtype.dtype;
    if (!param.dtype.Known()) KILN_RETURN_IF_ERROR(UseDTypeParam(param, static_cast<int>(p), &made));
    for (const Expr& extent : param.shape) {
      KILN_ASSIGN_OR_RETURN(Signature::Dimension dimension, MakeDimension(param, extent));
      if (dimension.kind == Signature::Dimension::Kind::kSymbol) {
        const Signature::Symbol& symbol = out_.symbols_[dimension.symbol];
        dimension.binds = symbol.param == static_cast<int>(p) && symbol.dim == made.rank;
      }
      made.shape.push_back(std::move(dimension));
      ++made.rank;
    }
    if (param.is_tensor) NoteDivisors(param);
    out_.params_.push_back(std::move(made));
    return absl::OkStatus();
  }

  absl::Status UseDTypeParam(const ir::Param& param, int index, Signature::Parameter* made) {
    for (size_t i = 0; i < out_.dtype_params_.size(); ++i) {
      if (out_.dtype_params_[i].name != param.dtype.param) continue;
      made->dtype_param = static_cast<int>(i);
      // A scalar is given as a number, which has no dtype of its own.
      if (param.is_tensor && out_.dtype_params_[i].first_use < 0) out_.dtype_params_[i].first_use = index;
      return absl::OkStatus();
    }
    return Bad("parameter \"", param.name, "\": \"", param.dtype.param, "\" is no dtype parameter");
  }

  absl::StatusOr<Signature::Dimension> MakeDimension(const ir::Param& param, const Expr& spelled) {
    const Expr extent = WithSettings(spelled);
    Signature::Dimension dimension;
    if (IsConst(extent, &dimension.value)) {
      dimension.text = absl::StrCat(dimension.value);
      return dimension;
    }
    if (IsName(extent)) {
      dimension.kind = Signature::Dimension::Kind::kSymbol;
      dimension.symbol = out_.FindSymbol(extent->name);
      dimension.text = extent->name;
      return dimension;
    }
    dimension.kind = Signature::Dimension::Kind::kProgram;
    std::vector<std::string> names;
    for (const Signature::Symbol& symbol : out_.symbols_) names.push_back(symbol.name);
    absl::StatusOr<SymbolProgram> program = SymbolProgram::Compile(extent, names);
    if (!program.ok()) return Bad("parameter \"", param.name, "\": ", program.status().message());
    dimension.program = *std::move(program);
    dimension.text = ir::Print(spelled);
    return dimension;
  }

  // An outermost extent is in no stride, so its divisors are worth nothing.
  void NoteDivisors(const ir::Param& param) {
    // Of a dtype parameter, the narrowest it may be.
    int bits = Bits(param.dtype.dtype);
    if (!param.dtype.Known()) {
      const ir::MetaParam* meta = FindMeta(param.dtype.param);
      bits = 128;
      for (DType dtype : meta->dtypes) bits = std::min(bits, Bits(dtype));
      if (meta->dtypes.empty()) bits = 8;
    }
    const int elements = std::max(1, 128 / std::max(bits, 1));
    for (size_t d = 1; d < param.shape.size(); ++d) {
      const int symbol = IsName(param.shape[d]) ? out_.FindSymbol(param.shape[d]->name) : -1;
      if (symbol < 0) continue;
      int& divisor = out_.symbols_[symbol].max_divisor;
      divisor = std::max(divisor, elements);
    }
  }

  absl::Status CheckSymbolsAreBound() const {
    for (const ir::SymbolPolicy& policy : kernel_.symbols)
      if (out_.FindSymbol(policy.name) < 0)
        return Bad("symbol \"", policy.name, "\" is no extent of a tensor parameter, so no argument gives its value");
    for (const Signature::DTypeParam& dtype : out_.dtype_params_)
      if (dtype.first_use < 0)
        return Bad("dtype parameter \"", dtype.name, "\" is that of no tensor parameter, so no argument gives it");
    return absl::OkStatus();
  }

  const ir::Kernel& kernel_;
  Signature out_;
};

absl::StatusOr<Signature> Signature::Create(const ir::Kernel& kernel, const std::map<std::string, int64_t>& settings,
                                            int number) {
  return SignatureBuilder(kernel, settings, number).Build();
}

int Signature::FindSymbol(std::string_view name) const {
  for (size_t i = 0; i < symbols_.size(); ++i)
    if (symbols_[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace kiln::api
