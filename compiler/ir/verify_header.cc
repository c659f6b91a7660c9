#include <algorithm>
#include <set>
#include <string>

#include "compiler/expr/visit.h"
#include "compiler/ir/nearest.h"
#include "compiler/ir/verifier.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

class HeaderVerifier {
 public:
  HeaderVerifier(const Kernel& kernel, Reporter& reporter) : kernel_(kernel), reporter_(reporter) {}

  NameTable Run() {
    for (const MetaParam& meta : kernel_.metas) VerifyMeta(meta);
    for (const Param& param : kernel_.params)
      for (const Expr& extent : param.shape)
        if (extent->kind == ExprKind::kVar) {
          names_.insert({extent->name, {NameUse::kSymbol, 0, Direction::kIn, "", param.at}});
        }
    for (const Param& param : kernel_.params) VerifyParam(param);
    for (const NativeParam& param : kernel_.native_params)
      if (param.kind == NativeParam::Kind::kTensorMap) VerifyTensorMap(param);
    VerifyPolicies();
    VerifyLaunch();
    for (const Expr& condition : kernel_.required) CheckNames(condition, kernel_.at);
    return std::move(names_);
  }

 private:
  void Declare(const std::string& name, NameInfo info) {
    if (names_.insert({name, info}).second && !IsBuiltin(name)) return;
    reporter_.Report("K0002", info.at, StrCat("'", name, "' is declared twice"));
  }

  void CheckNames(const Expr& root, Location fallback) {
    ForEach(root, [&](const Expr& e) {
      if (e->kind != ExprKind::kVar || IsBuiltin(e->name) || names_.contains(e->name)) return;
      std::vector<std::string_view> known;
      for (const auto& [name, info] : names_) known.push_back(name);
      reporter_.Report("K0003", e->at.line > 0 ? e->at : fallback,
                       StrCat("unknown name '", e->name, "'", DidYouMean(e->name, known)));
    });
  }

  void CheckDType(const DTypeRef& dtype, Location at) {
    if (dtype.param.empty()) return;
    auto it = names_.find(dtype.param);
    if (it != names_.end() && it->second.use == NameUse::kDType) return;
    reporter_.Report("K0029", at, StrCat("there is no dtype parameter '", dtype.param, "'"));
  }

  void VerifyMeta(const MetaParam& meta) {
    const NameUse use = meta.kind == MetaParam::Kind::kDType    ? NameUse::kDType
                        : meta.kind == MetaParam::Kind::kLayout ? NameUse::kLayout
                                                                : NameUse::kMeta;
    if (meta.default_value) CheckNames(meta.default_value, meta.at);
    Declare(meta.name, {use, 0, Direction::kIn, "", meta.at});
    std::set<int64_t> candidates(meta.candidates.begin(), meta.candidates.end());
    std::set<DType> dtypes(meta.dtypes.begin(), meta.dtypes.end());
    if (candidates.size() != meta.candidates.size() || dtypes.size() != meta.dtypes.size()) {
      reporter_.Report("K0024", meta.at, StrCat("'", meta.name, "' lists a value twice"));
    }
    int64_t value = 0;
    if (!candidates.empty() && IsConst(meta.default_value, &value) && !candidates.contains(value)) {
      reporter_.Report("K0024", meta.at,
                       StrCat("the default of '", meta.name, "' is not one of its candidates: ", value));
    }
  }

  void VerifyParam(const Param& param) {
    NameInfo info{param.is_tensor ? NameUse::kTensor : NameUse::kScalar,
                  param.is_tensor ? static_cast<int>(param.shape.size()) : 0, param.direction,
                  param.is_tensor ? param.name : "", param.at};
    Declare(param.name, info);
    CheckDType(param.dtype, param.at);
    for (const Expr& extent : param.shape) {
      CheckNames(extent, param.at);
      int64_t value = 0;
      if (IsConst(extent, &value) && value < 1) {
        reporter_.Report("K0025", param.at,
                         StrCat("'", param.name, "' has an extent of ", value, ": expected at least 1"));
      }
    }
  }

  void VerifyTensorMap(const NativeParam& map) {
    auto it = names_.find(map.tensor);
    const bool tensor = it != names_.end() && it->second.use == NameUse::kTensor;
    if (!tensor || it->second.rank != static_cast<int>(map.box.size())) {
      reporter_.Report("K0012", kernel_.at,
                       StrCat("the map '", map.name, "' has a box of ", map.box.size(), " dimensions of '", map.tensor,
                              "', which is no tensor of that rank"));
    }
    Declare(map.name, {NameUse::kTensorMap, -1, tensor ? it->second.direction : Direction::kInOut,
                       tensor ? map.tensor : "", kernel_.at});
  }

  void VerifyPolicies() {
    std::set<std::string> symbols = SymbolsOf(kernel_), seen;
    std::vector<std::string_view> known(symbols.begin(), symbols.end());
    for (const SymbolPolicy& policy : kernel_.symbols) {
      if (!symbols.contains(policy.name)) {
        reporter_.Report("K0017", policy.at,
                         StrCat("'", policy.name, "' is no symbol of the parameters", DidYouMean(policy.name, known)));
      }
      if (!seen.insert(policy.name).second) {
        reporter_.Report("K0017", policy.at, StrCat("'", policy.name, "' has a policy already"));
      }
      VerifyPolicyValues(policy);
    }
  }

  void VerifyPolicyValues(const SymbolPolicy& policy) {
    const bool bucket = policy.kind == SymbolPolicy::Kind::kBucket;
    if (bucket && policy.values.empty()) {
      return reporter_.Report("K0024", policy.at, StrCat("bucket of '", policy.name, "' without a limit"));
    }
    int64_t before = 0;
    for (int64_t value : policy.values) {
      if (value <= before) {
        reporter_.Report(
            "K0024", policy.at,
            bucket ? StrCat("limits of '", policy.name, "' must be positive and ascend: ", value, " after ", before)
                   : StrCat("'", policy.name, "' cannot be a multiple of ", value));
      }
      before = value;
    }
  }

  void VerifyLaunch() {
    const Launch& launch = kernel_.launch;
    if (!launch.persistent && launch.grid.empty()) {
      reporter_.Report("K0022", kernel_.at, "expected a launch clause");
    }
    for (const Expr& extent : launch.grid) CheckNames(extent, kernel_.at);
    for (const Expr& extent : launch.cluster) CheckExtent(extent, "a cluster");
    if (launch.block) CheckExtent(launch.block, "a block");
    if (!launch.persistent && launch.cluster.size() > launch.grid.size() && !launch.grid.empty()) {
      reporter_.Report("K0022", kernel_.at,
                       StrCat("a cluster of ", launch.cluster.size(), " dimensions in a grid of ", launch.grid.size()));
    }
  }

  void CheckExtent(const Expr& extent, std::string_view what) {
    CheckNames(extent, kernel_.at);
    int64_t value = 0;
    if (IsConst(extent, &value) && value < 1) {
      reporter_.Report("K0022", kernel_.at, StrCat(what, " of ", value, ": expected at least 1"));
    }
  }

  const Kernel& kernel_;
  Reporter& reporter_;
  NameTable names_;
};

}  // namespace

std::set<std::string> SymbolsOf(const Kernel& kernel) {
  std::set<std::string> symbols;
  for (const Param& param : kernel.params)
    for (const Expr& extent : param.shape)
      if (extent->kind == ExprKind::kVar) symbols.insert(extent->name);
  for (const MetaParam& meta : kernel.metas)
    if (meta.kind == MetaParam::Kind::kInt) symbols.insert(meta.name);
  return symbols;
}

NameTable VerifyHeader(const Kernel& kernel, Reporter& reporter) { return HeaderVerifier(kernel, reporter).Run(); }

}  // namespace kiln::ir
