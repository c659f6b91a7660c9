#include "compiler/specialize/bind.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/visit.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

absl::Status Fail(const ir::Kernel& kernel, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("specialize: kernel \"", kernel.name, "\": ", what));
}

Expr IndexConstant(int64_t value) { return WithType(Int(value), {DType::kI64}); }

// Values of the integer metas, defaults included, checked against their domains.
absl::StatusOr<Substitution> IntegerValues(const ir::Kernel& kernel, const Bindings& bindings) {
  Substitution values;
  for (const ir::MetaParam& meta : kernel.metas) {
    if (meta.kind != ir::MetaParam::Kind::kInt) continue;
    auto given = bindings.ints.find(meta.name);
    if (given != bindings.ints.end()) {
      const auto& domain = meta.candidates;
      if (!domain.empty() && std::find(domain.begin(), domain.end(), given->second) == domain.end())
        return Fail(kernel, absl::StrCat("meta-parameter ", meta.name, ": expected one of ",
                                         absl::StrJoin(domain, ", "), ", got ", given->second));
      values[meta.name] = IndexConstant(given->second);
    } else if (meta.default_value) {
      Expr value = Simplify(Substitute(meta.default_value, values), {});
      if (!IsConst(value))
        return Fail(kernel, absl::StrCat("meta-parameter ", meta.name, ": its default is no constant"));
      values[meta.name] = WithType(value, {DType::kI64});
    } else {
      return Fail(
          kernel,
          absl::StrCat("meta-parameter ", meta.name, " is unbound: give it a value",
                       meta.candidates.empty() ? "" : absl::StrCat(", one of ", absl::StrJoin(meta.candidates, ", "))));
    }
  }
  return values;
}

absl::StatusOr<std::map<std::string, DType>> DTypeValues(const ir::Kernel& kernel, const Bindings& bindings) {
  std::map<std::string, DType> values;
  for (const ir::MetaParam& meta : kernel.metas) {
    if (meta.kind != ir::MetaParam::Kind::kDType) continue;
    auto names = [&] {
      return absl::StrJoin(meta.dtypes, ", ",
                           [](std::string* s, DType d) { absl::StrAppend(s, std::string(Name(d))); });
    };
    auto given = bindings.dtypes.find(meta.name);
    if (given == bindings.dtypes.end())
      return Fail(kernel, absl::StrCat("dtype ", meta.name, " is unbound: give it a value",
                                       meta.dtypes.empty() ? "" : absl::StrCat(", one of ", names())));
    if (!meta.dtypes.empty() && std::find(meta.dtypes.begin(), meta.dtypes.end(), given->second) == meta.dtypes.end())
      return Fail(kernel, absl::StrCat("dtype ", meta.name, ": expected one of ", names(), ", got ",
                                       std::string(Name(given->second))));
    values[meta.name] = given->second;
  }
  return values;
}

absl::StatusOr<ir::SymbolFact> FactOf(const ir::Kernel& kernel, const ir::SymbolPolicy& policy,
                                      const Bindings& bindings) {
  ir::SymbolFact fact{policy.name};
  auto given = bindings.symbols.find(policy.name);
  if (given != bindings.symbols.end()) {
    fact.min = given->second.min;
    fact.max = given->second.max;
    fact.divisor = given->second.divisor;
  }
  if (policy.kind == ir::SymbolPolicy::Kind::kMultipleOf) fact.divisor = std::lcm(fact.divisor, policy.values.at(0));
  if (policy.kind == ir::SymbolPolicy::Kind::kBucket && fact.max == INT32_MAX) {
    if (policy.values.empty()) return Fail(kernel, absl::StrCat("symbol ", policy.name, ": a bucket needs limits"));
    fact.max = *std::max_element(policy.values.begin(), policy.values.end());
  }
  if (fact.min < 0 || fact.max < fact.min || fact.divisor < 1)
    return Fail(kernel, absl::StrCat("symbol ", policy.name, ": facts contradict each other: ", fact.min, " .. ",
                                     fact.max, " % ", fact.divisor));
  return fact;
}

ir::TensorFact StridesOf(const ir::Param& param, const TensorBinding& binding, std::vector<ir::SymbolFact>& facts) {
  ir::TensorFact out{param.name};
  out.align = binding.align;
  const size_t rank = param.shape.size();
  out.strides.resize(rank);
  Expr dense = IndexConstant(1);
  for (size_t i = rank; i-- > 0;) {
    if (binding.contiguous) {
      out.strides[i] = dense;
      dense = WithType(dense * param.shape[i], {DType::kI64});
    } else if (i + 1 == rank && binding.unit_inner) {
      out.strides[i] = IndexConstant(1);
    } else {
      std::string name = absl::StrCat(param.name, ".stride", i);
      facts.push_back({name, 0, int64_t{1} << 40, binding.stride_divisor});
      out.strides[i] = Var(name, {DType::kI64});
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> SymbolsOf(const ir::Kernel& kernel) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const ir::MetaParam& meta : kernel.metas) seen.insert(meta.name);
  for (const ir::Param& param : kernel.params)
    for (const Expr& extent : param.shape)
      ForEach(extent, [&](const Expr& e) {
        if (e->kind == ExprKind::kVar && seen.insert(e->name).second) out.push_back(e->name);
      });
  return out;
}

ir::SymbolPolicy PolicyOf(const ir::Kernel& kernel, const std::string& symbol) {
  for (const ir::SymbolPolicy& policy : kernel.symbols)
    if (policy.name == symbol) return policy;
  ir::SymbolPolicy dynamic;
  dynamic.name = symbol;
  return dynamic;
}

absl::StatusOr<ir::Kernel> Bind(const ir::Kernel& generic, const Bindings& bindings) {
  KILN_ASSIGN_OR_RETURN(Substitution values, IntegerValues(generic, bindings));
  KILN_ASSIGN_OR_RETURN(auto dtypes, DTypeValues(generic, bindings));
  const std::vector<std::string> symbols = SymbolsOf(generic);
  for (const auto& [name, value] : bindings.ints) {
    bool meta = std::any_of(generic.metas.begin(), generic.metas.end(),
                            [&, &name = name](const auto& m) { return m.name == name; });
    if (!meta && std::find(symbols.begin(), symbols.end(), name) == symbols.end())
      return Fail(generic, absl::StrCat("no meta-parameter or symbol is named ", name));
  }

  ir::Kernel out = generic;
  std::vector<ir::SymbolFact> facts;
  for (const std::string& symbol : symbols) {
    ir::SymbolPolicy policy = PolicyOf(generic, symbol);
    auto given = bindings.ints.find(symbol);
    if (given != bindings.ints.end()) {
      if (given->second < 0)
        return Fail(generic, absl::StrCat("symbol ", symbol, ": expected an extent, got ", given->second));
      if (policy.kind == ir::SymbolPolicy::Kind::kMultipleOf && given->second % policy.values.at(0) != 0)
        return Fail(generic, absl::StrCat("symbol ", symbol, ": expected a multiple of ", policy.values[0], ", got ",
                                          given->second));
      values[symbol] = IndexConstant(given->second);
    } else if (policy.kind == ir::SymbolPolicy::Kind::kStatic) {
      return Fail(generic, absl::StrCat("static symbol ", symbol, " is unbound: give its value"));
    } else {
      KILN_ASSIGN_OR_RETURN(ir::SymbolFact fact, FactOf(generic, policy, bindings));
      facts.push_back(std::move(fact));
    }
  }

  auto bind = [&](const Expr& e) { return e ? ir::BindDTypes(Substitute(e, values), dtypes) : e; };
  out.metas.clear();
  out.symbols.clear();
  for (ir::Param& param : out.params) {
    if (!param.dtype.param.empty()) param.dtype = {dtypes.at(param.dtype.param), ""};
    for (Expr& extent : param.shape) extent = bind(extent);
  }
  for (Expr& condition : out.required) condition = bind(condition);
  for (Expr& extent : out.launch.grid) extent = bind(extent);
  out.launch.block = bind(out.launch.block);
  for (Expr& extent : out.launch.cluster) extent = bind(extent);
  out.body = ir::BindDTypes(ir::Substitute(out.body, values), dtypes);

  for (const ir::Param& param : out.params) {
    if (!param.is_tensor) continue;
    auto given = bindings.tensors.find(param.name);
    out.tensor_facts.push_back(
        StridesOf(param, given == bindings.tensors.end() ? TensorBinding{} : given->second, facts));
  }
  std::sort(facts.begin(), facts.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  out.symbol_facts = std::move(facts);
  return out;
}

int64_t ClusterSize(const ir::Kernel& kernel) {
  int64_t size = 1;
  for (const Expr& extent : kernel.launch.cluster)
    if (int64_t value = 1; IsConst(extent, &value)) size *= value;
  return size;
}

Facts FactsOf(const ir::Kernel& kernel) {
  Facts out;
  for (const ir::SymbolFact& fact : kernel.symbol_facts) out[fact.name] = {fact.min, fact.max, fact.divisor};
  int64_t threads;
  if (kernel.launch.block && IsConst(kernel.launch.block, &threads) && threads > 0) {
    out["thread_id"] = {0, threads - 1, 1};
    out["warp_id"] = {0, (threads - 1) / 32, 1};
    out["lane_id"] = {0, std::min<int64_t>(threads, 32) - 1, 1};
  }
  const int64_t ctas = ClusterSize(kernel);
  out["cta_rank"] = {0, std::max<int64_t>(ctas, 1) - 1, 1};
  static constexpr const char* kCtaIds[] = {"cta_id.x", "cta_id.y", "cta_id.z"};
  constexpr int64_t kMostCtas = 65536;  // That a device holds at once
  for (size_t i = 0; i < 3; ++i) {
    Bounds extent = i < kernel.launch.grid.size() ? BoundsOf(kernel.launch.grid[i], out) : Bounds{1, 1};
    if (kernel.launch.persistent && i == 0) {
      extent = {1, kMostCtas};
      out["grid.x"] = {ctas, kMostCtas, ctas};
    }
    if (extent.max != INT64_MAX) out[kCtaIds[i]] = {0, std::max<int64_t>(extent.max - 1, 0), 1};
  }
  return out;
}

}  // namespace kiln
