// Kernel headers: meta-parameters, parameters and clauses.
#include <utility>

#include "compiler/expr/visit.h"
#include "compiler/ir/limits.h"
#include "compiler/ir/nearest.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {

void Parser::ParseKernel(Module& module) {
  Kernel kernel;
  size_t mark = scope_.Mark();
  Take();
  ExpectName("the name of the kernel", &kernel.name, &kernel.at);
  if (At("<")) ParseMetas(kernel);
  ParseParams(kernel);
  ParseClauses(kernel);
  SetRole(TokenRole::kKernelBrace);
  if (!panic_) kernel.body = ParseBlock();
  scope_.Release(mark);
  module.kernels.push_back(std::move(kernel));
}

void Parser::ParseMetas(Kernel& kernel) {
  SetRole(TokenRole::kOpenAngle);
  Take();
  ++brackets_;
  while (!panic_ && !At(">")) {
    if (kernel.metas.size() >= kMaxList)
      return Fail(Peek().at, StrCat("too many meta-parameters: expected at most ", kMaxList));
    kernel.metas.push_back(ParseMeta());
    if (!TakeIf(",") && !At(">")) return FailExpected("',' or '>'");
  }
  SetRole(TokenRole::kCloseAngle);
  Expect(">");
  --brackets_;
}

MetaParam Parser::ParseMeta() {
  MetaParam meta;
  if (!ExpectName("a meta-parameter", &meta.name, &meta.at)) return meta;
  bool typed = TakeIf(":");
  if (typed && TakeIf("dtype")) {
    meta.kind = MetaParam::Kind::kDType;
    if (TakeIf("(")) {
      ParseList(")", "dtypes", [&] { meta.dtypes.push_back(ParseDType().dtype); });
    }
    Declare(meta.name, meta.at, NameKind::kDType);
    return meta;
  }
  if (typed && TakeIf("layout")) {
    meta.kind = MetaParam::Kind::kLayout;
    Declare(meta.name, meta.at, NameKind::kLayout);
    return meta;
  }
  if (typed && TakeIf("tune")) {
    Expect("(");
    ParseList(")", "candidates", [&] {
      int64_t candidate = 0;
      if (ExpectInt("an integer", &candidate)) meta.candidates.push_back(candidate);
    });
    if (meta.candidates.empty()) Fail(meta.at, StrCat("'", meta.name, "': expected a candidate in tune()"));
  } else if (typed && !TakeIf("int")) {
    FailExpected("'dtype', 'int', 'tune' or 'layout'");
  }
  // `>` would end the list of meta-parameters: a comparison as a default stands in parentheses.
  if (At("=")) {
    Take();
    meta.default_value = ParseExpr(kPrecedenceAdd);
  } else if (!typed) {
    FailExpected("':' or '='");
  }
  Declare(meta.name, meta.at);
  return meta;
}

void Parser::ParseParams(Kernel& kernel) {
  if (!Expect("(")) return;
  ++brackets_;
  // A symbol may be used before the parameter that introduces it: shapes are read first and resolved after.
  bool resolve = std::exchange(resolve_, false);
  ParseList(")", "parameters", [&] { kernel.params.push_back(ParseParam()); });
  resolve_ = resolve;
  --brackets_;
  if (panic_) return;
  for (const Param& param : kernel.params) DeclareExtents(param.shape);
  for (const Param& param : kernel.params) {
    Declare(param.name, param.at);
    for (const Expr& extent : param.shape) ResolveAll(extent);
  }
}

Param Parser::ParseParam() {
  Param param;
  if (!ExpectName("a parameter", &param.name, &param.at) || !Expect(":")) return param;
  if (TakeIf("out")) {
    param.direction = Direction::kOut;
  } else if (TakeIf("inout")) {
    param.direction = Direction::kInOut;
  }
  param.is_tensor = At("tensor");
  if (!param.is_tensor) {
    if (param.direction != Direction::kIn) {
      FailExpected("'tensor': a scalar cannot be written");
    } else {
      param.dtype = ParseDType();
    }
    return param;
  }
  Take();
  param.dtype = ParseAngleDType();
  if (Expect("[")) param.shape = ParseExprs("]");
  if (param.shape.size() > kMaxRank) {
    Fail(param.at, StrCat("'", param.name, "' has ", param.shape.size(), " dimensions: expected at most ", kMaxRank));
  }
  return param;
}

// A bare name as an extent introduces a symbol.
void Parser::DeclareExtents(const std::vector<Expr>& shape) {
  for (const Expr& extent : shape) {
    if (!extent || extent->kind != ExprKind::kVar || scope_.Find(extent->name)) continue;
    Declare(extent->name, extent->at);
  }
}

void Parser::ResolveAll(const Expr& root) {
  ForEach(root, [&](const Expr& e) {
    if (e->kind == ExprKind::kVar) ResolveValue(e->name, e->at);
  });
}

void Parser::ParseClauses(Kernel& kernel) {
  while (!panic_ && !At("{")) {
    SetRole(TokenRole::kClause);
    if (!ParseClause(kernel)) return FailExpected("a clause or '{'");
  }
}

bool Parser::ParseClause(Kernel& kernel) {
  if (TakeIf("where")) {
    ParseCommaList([&] { kernel.symbols.push_back(ParsePolicy()); });
  } else if (TakeIf("requires")) {
    ParseCommaList([&] { kernel.required.push_back(ParseExpr()); });
  } else if (TakeIf("target")) {
    ParseCommaList([&] {
      std::string target;
      if (ExpectName("a target", &target)) kernel.targets.push_back(std::move(target));
    });
  } else if (TakeIf("launch")) {
    ParseLaunch(kernel);
  } else if (TakeIf("given")) {
    ParseGiven(kernel);
  } else if (TakeIf("native")) {
    ParseNative(kernel);
  } else {
    return false;
  }
  return true;
}

void Parser::ParseCommaList(absl::FunctionRef<void()> item) {
  size_t count = 0;
  do {
    if (++count > kMaxList) return Fail(Peek().at, StrCat("list too long: expected at most ", kMaxList, " entries"));
    item();
  } while (TakeIf(","));
}

SymbolPolicy Parser::ParsePolicy() {
  SymbolPolicy policy;
  if (!ExpectName("a symbol", &policy.name, &policy.at) || !Expect(":")) return policy;
  auto integer = [&] {
    int64_t value = 0;
    if (ExpectInt("an integer", &value)) policy.values.push_back(value);
  };
  if (TakeIf("static")) {
    policy.kind = SymbolPolicy::Kind::kStatic;
  } else if (TakeIf("bucket")) {
    policy.kind = SymbolPolicy::Kind::kBucket;
    if (Expect("(")) ParseList(")", "limits", integer);
  } else if (TakeIf("multiple_of")) {
    policy.kind = SymbolPolicy::Kind::kMultipleOf;
    if (Expect("(")) {
      integer();
      Expect(")");
    }
  } else if (!TakeIf("dynamic")) {
    FailExpected("'dynamic', 'static', 'bucket' or 'multiple_of'");
  }
  if (TakeIf("tuned") && Expect("(") && Expect("pow2") && Expect(")")) policy.tuned_pow2 = true;
  return policy;
}

void Parser::ParseLaunch(Kernel& kernel) {
  auto exprs = [&](std::vector<Expr>& list, std::string_view what) {
    if (!Expect("(")) return;
    ++brackets_;
    Location at = Peek().at;
    list = ParseExprs(")");
    --brackets_;
    if (list.empty() || list.size() > 3)
      Fail(at, StrCat("expected 1 to 3 extents of the ", what, ", found ", list.size()));
  };
  if (TakeIf("persistent")) {
    kernel.launch.persistent = true;
  } else if (Expect("grid")) {
    exprs(kernel.launch.grid, "grid");
  }
  if (TakeIf("block") && Expect("(")) {
    ++brackets_;
    kernel.launch.block = ParseExpr();
    Expect(")");
    --brackets_;
  }
  if (TakeIf("cluster")) exprs(kernel.launch.cluster, "cluster");
}

// `given M in 0 ..= 65536 by 8, x align 16 strides (4096, 1)`, or `given nothing`.
void Parser::ParseGiven(Kernel& kernel) {
  kernel.specialized = true;
  if (TakeIf("nothing")) return;
  ParseCommaList([&] {
    std::string name;
    Location at;
    if (!ExpectName("a symbol or a tensor", &name, &at)) return;
    if (TakeIf("in")) {
      SymbolFact fact{std::move(name)};
      ExpectInt("the least value", &fact.min);
      if (Expect("..=")) ExpectInt("the largest value", &fact.max);
      if (TakeIf("by")) ExpectInt("a divisor", &fact.divisor);
      ResolveValue(fact.name, at);
      kernel.symbol_facts.push_back(std::move(fact));
      return;
    }
    TensorFact fact{std::move(name)};
    if (!Expect("align")) return;
    ExpectInt("an alignment in bytes", &fact.align);
    ResolveValue(fact.param, at);
    if (TakeIf("strides") && Expect("(")) {
      ++brackets_;
      ParseList(")", "strides", [&] { fact.strides.push_back(TakeIf("?") ? nullptr : ParseExpr()); });
      --brackets_;
    }
    kernel.tensor_facts.push_back(std::move(fact));
  });
}

// `of a box(64, 64) swizzle 128`, behind `a_map: map<bf16>`
bool Parser::ParseTensorMap(NativeParam& param) {
  if (!Expect("of") || !ExpectName("a tensor parameter", &param.tensor) || !Expect("box") || !Expect("(")) return false;
  ParseList(")", "a box", [&] {
    int64_t extent = 0;
    if (ExpectInt("an extent", &extent)) param.box.push_back(extent);
  });
  int64_t swizzle = 0;
  if (!Expect("swizzle") || !ExpectInt("bytes of a row", &swizzle)) return false;
  param.swizzle = static_cast<int>(swizzle);
  return true;
}

// `native(x: pointer<bf16>, M: symbol<i64>, eps: scalar<f32>, x_map: map<bf16> of x box(8, 64) swizzle 128) shared
// 1024`
void Parser::ParseNative(Kernel& kernel) {
  kernel.native = true;
  if (!Expect("(")) return;
  ++brackets_;
  ParseList(")", "native parameters", [&] {
    NativeParam param;
    Location at;
    if (!ExpectName("a native parameter", &param.name, &at)) return;
    if (At(".") && Peek(1).kind == TokenKind::kName) {
      Take();
      StrAppend(&param.name, ".", Take().text);
    }
    const bool map = At(":") && Peek(1).text == "map";
    map ? Declare(param.name, at) : ResolveValue(param.name, at);
    if (!Expect(":")) return;
    if (TakeIf("symbol")) {
      param.kind = NativeParam::Kind::kSymbol;
    } else if (TakeIf("scalar")) {
      param.kind = NativeParam::Kind::kScalar;
    } else if (TakeIf("map")) {
      param.kind = NativeParam::Kind::kTensorMap;
    } else if (!TakeIf("pointer")) {
      return FailExpected("'pointer', 'symbol', 'scalar' or 'map'");
    }
    if (At("<")) param.dtype = ParseAngleDType().dtype;
    if (param.kind == NativeParam::Kind::kTensorMap && !ParseTensorMap(param)) return;
    kernel.native_params.push_back(std::move(param));
  });
  --brackets_;
  if (TakeIf("shared")) ExpectInt("bytes of shared memory", &kernel.shared_bytes);
  if (TakeIf("scratch")) ExpectInt("bytes of scratch memory", &kernel.scratch_bytes);
}

DTypeRef Parser::ParseDType(bool introduces) {
  const Token token = Peek();
  if (token.kind == TokenKind::kName) {
    if (auto dtype = kiln::ParseDType(token.text)) {
      Take();
      return {*dtype, ""};
    }
    const Scope::Entry* entry = scope_.Find(token.text);
    if ((entry && entry->kind == NameKind::kDType) || (introduces && !entry && IsName(token.text))) {
      if (!entry) Declare(std::string(token.text), token.at, NameKind::kDType);
      Take();
      return {DType::kNone, std::string(token.text)};
    }
  }
  if (token.kind == TokenKind::kName && !IsReserved(token.text)) {
    std::vector<std::string_view> known = scope_.Names(NameKind::kDType);
    for (const DTypeInfo& info : kDTypes)
      if (info.dtype != DType::kNone) known.push_back(info.name);
    Fail(token.at, StrCat("expected a dtype, found '", token.text, "'", DidYouMean(token.text, known)));
  } else {
    FailExpected("a dtype");
  }
  return {};
}

DTypeRef Parser::ParseAngleDType() {
  if (At("<")) SetRole(TokenRole::kOpenAngle);
  if (!Expect("<")) return {};
  DTypeRef dtype = ParseDType();
  if (At(">")) SetRole(TokenRole::kCloseAngle);
  Expect(">");
  return dtype;
}

Space Parser::ParseSpace() {
  for (Space space : {Space::kGlobal, Space::kShared, Space::kLocal, Space::kTmem, Space::kSbuf, Space::kPsum}) {
    if (!TakeIf(Name(space))) continue;
    if (space == Space::kShared && At(".") && IsWord(Peek(1), "dyn")) {
      Take();
      Take();
      return Space::kSharedDyn;
    }
    return space;
  }
  FailExpected("'shared', 'shared.dyn', 'local' or another memory space");
  return Space::kNone;
}

}  // namespace kiln::ir
