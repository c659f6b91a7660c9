#include "api/argument_errors.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "api/dlpack_types.h"
#include "compiler/support/str_cat.h"

namespace kiln::api {
namespace {

std::string Quoted(absl::string_view name) { return StrCat("\"", name, "\""); }

std::string DTypeList(const std::vector<DType>& dtypes) {
  return absl::StrJoin(dtypes, ", ", [](std::string* out, DType dtype) { StrAppend(out, Name(dtype)); });
}

}  // namespace

std::string DeviceName(kiln_dl_device device) {
  switch (device.device_type) {
    case KILN_DEVICE_CPU:
      return "cpu";
    case KILN_DEVICE_CUDA:
    case KILN_DEVICE_CUDA_MANAGED:
      return StrCat("cuda:", device.device_id);
    case KILN_DEVICE_CUDA_HOST:
      return "cuda host";
    case KILN_DEVICE_FAKE:
      return StrCat("fake:", device.device_id);
    default:
      return StrCat("device type ", device.device_type);
  }
}

std::string DTypeName(kiln_dl_type type) {
  if (const DType dtype = FromDlpack(type); dtype != DType::kNone) return std::string(Name(dtype));
  std::string name;
  switch (type.code) {
    case KILN_DL_INT:
      name = "int";
      break;
    case KILN_DL_UINT:
      name = "uint";
      break;
    case KILN_DL_FLOAT:
      name = "float";
      break;
    default:
      name = StrCat("type code ", type.code, " of bits ");
  }
  StrAppend(&name, type.bits);
  if (type.lanes != 1) StrAppend(&name, "x", type.lanes);
  return name;
}

absl::Status BadArgument(const Signature& signature, int arg, absl::string_view expected, absl::string_view found) {
  return absl::InvalidArgumentError(StrCat("arguments: kernel ", Quoted(signature.kernel()), ", argument ",
                                           Quoted(signature.params()[arg].name), ": expected ", expected, ", got ",
                                           found));
}

absl::Status BadCount(const Signature& signature, size_t found) {
  const auto& params = signature.params();
  return absl::InvalidArgumentError(StrCat(
      "arguments: kernel ", Quoted(signature.kernel()), ": expected ", params.size(), " arguments (",
      absl::StrJoin(params, ", ", [](std::string* out, const Signature::Parameter& p) { StrAppend(out, p.name); }),
      "), got ", found));
}

absl::Status BadKind(const Signature& signature, int arg, int32_t kind) {
  const Signature::Parameter& param = signature.params()[arg];
  absl::string_view found = "an unknown kind of argument";
  if (kind >= KILN_ARG_TENSOR && kind <= KILN_ARG_MANAGED_VERSIONED) found = "a tensor";
  if (kind == KILN_ARG_INT) found = "an integer";
  if (kind == KILN_ARG_FLOAT) found = "a floating-point number";
  if (param.is_tensor) return BadArgument(signature, arg, "a tensor", found);
  return BadArgument(signature, arg, StrCat("a number of type ", Name(param.dtype)), found);
}

absl::Status BadRank(const Signature& signature, int arg, int32_t found) {
  const auto& shape = signature.params()[arg].shape;
  std::string spelled =
      absl::StrJoin(shape, ", ", [](std::string* out, const Signature::Dimension& dim) { StrAppend(out, dim.text); });
  return BadArgument(signature, arg, StrCat("rank ", shape.size(), " [", spelled, "]"), StrCat("rank ", found));
}

absl::Status BadDType(const Signature& signature, int arg, DType expected, kiln_dl_type found) {
  const Signature::Parameter& param = signature.params()[arg];
  if (expected != DType::kNone && param.dtype_param >= 0) {
    const Signature::DTypeParam& dtype = signature.dtype_params()[param.dtype_param];
    return BadArgument(signature, arg,
                       StrCat("dtype ", dtype.name, " = ", Name(expected), ", which argument ",
                              Quoted(signature.params()[dtype.first_use].name), " has"),
                       DTypeName(found));
  }
  if (expected != DType::kNone) return BadArgument(signature, arg, StrCat("dtype ", Name(expected)), DTypeName(found));
  const Signature::DTypeParam& dtype = signature.dtype_params()[param.dtype_param];
  if (dtype.allowed.empty()) return BadArgument(signature, arg, "a dtype that Kiln has", DTypeName(found));
  return BadArgument(signature, arg, StrCat("one of the dtypes ", DTypeList(dtype.allowed)), DTypeName(found));
}

absl::Status BadDevice(const Signature& signature, int arg, int first, kiln_dl_device expected, kiln_dl_device found) {
  return BadArgument(
      signature, arg,
      StrCat("device ", DeviceName(expected), ", where argument ", Quoted(signature.params()[first].name), " is"),
      DeviceName(found));
}

absl::Status BadExtent(const Signature& signature, int arg, int dim, int64_t expected, int64_t found) {
  const Signature::Dimension& dimension = signature.params()[arg].shape[dim];
  std::string expectation = StrCat("dimension ", dim, " to be ");
  if (dimension.kind == Signature::Dimension::Kind::kSymbol) {
    const Signature::Symbol& symbol = signature.symbols()[dimension.symbol];
    StrAppend(&expectation, symbol.name, " = ", expected, ", which dimension ", symbol.dim, " of argument ",
              Quoted(signature.params()[symbol.param].name), " is");
  } else {
    StrAppend(&expectation, expected);
  }
  return BadArgument(signature, arg, expectation, StrCat(found));
}

absl::Status BadSymbol(const Signature& signature, int index, int64_t found) {
  const Signature::Symbol& symbol = signature.symbols()[index];
  std::string expectation = StrCat("dimension ", symbol.dim, " (", symbol.name, ") to be ");
  switch (symbol.policy) {
    case ir::SymbolPolicy::Kind::kBucket:
      StrAppend(&expectation, "at most ", symbol.values.back(), ", its largest bucket");
      break;
    case ir::SymbolPolicy::Kind::kMultipleOf:
      StrAppend(&expectation, "a multiple of ", symbol.values.front());
      break;
    default:
      StrAppend(&expectation, "at least 0");
  }
  return BadArgument(signature, symbol.param, expectation, StrCat(found));
}

absl::Status BadStride(const Signature& signature, int arg, int dim, int64_t found, absl::string_view expected) {
  return BadArgument(signature, arg, StrCat("the stride of dimension ", dim, " to be ", expected), StrCat(found));
}

absl::Status BadAlignment(const Signature& signature, int arg, int64_t expected, uint64_t address) {
  return BadArgument(signature, arg, StrCat("an address that ", expected, " divides"),
                     StrCat("one that leaves ", address % static_cast<uint64_t>(expected)));
}

}  // namespace kiln::api
