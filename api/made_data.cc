#include "api/made_data.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "api/dlpack_types.h"
#include "compiler/support/scalar_math.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {
namespace {

constexpr int64_t kMaxBytes = int64_t{64} << 30;
constexpr int64_t kMaxIndex = 127;  // What the narrowest integer holds

// SplitMix64: tiny, and the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // In [-1, 1), of 24 bits.
  double Uniform() { return static_cast<double>(static_cast<int64_t>(Next() >> 40) - (1 << 23)) * 0x1p-23; }

 private:
  uint64_t state_;
};

absl::StatusOr<std::vector<int64_t>> ShapeOf(const Signature& signature, const Signature::Parameter& param,
                                             const std::vector<int64_t>& symbols) {
  std::vector<int64_t> shape;
  for (const Signature::Dimension& dimension : param.shape) {
    std::optional<int64_t> extent = dimension.value;
    if (dimension.kind == Signature::Dimension::Kind::kSymbol) extent = symbols[dimension.symbol];
    if (dimension.kind == Signature::Dimension::Kind::kProgram) extent = dimension.program.Evaluate(symbols.data());
    if (!extent || *extent < 0)
      return absl::InvalidArgumentError(StrCat("arguments: kernel \"", signature.kernel(), "\", argument \"",
                                               param.name, "\": expected extents of at least 0, got ",
                                               extent ? StrCat(*extent) : "none", " for ", dimension.text));
    shape.push_back(*extent);
  }
  return shape;
}

absl::StatusOr<int64_t> ElementsOf(const std::string& name, const std::vector<int64_t>& shape, DType dtype) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count) || count > kMaxBytes)
      return absl::InvalidArgumentError(
          StrCat("arguments: argument \"", name, "\": expected at most ", kMaxBytes, " bytes of made data, got more"));
  if (Bytes(dtype, count) > kMaxBytes)
    return absl::InvalidArgumentError(StrCat("arguments: argument \"", name, "\": expected at most ", kMaxBytes,
                                             " bytes of made data, got ", Bytes(dtype, count)));
  return count;
}

void Allocate(MadeTensor* tensor) {
  tensor->storage.assign(static_cast<size_t>(tensor->bytes) + 64, 0);
  tensor->data = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(tensor->storage.data()) + 63) / 64 * 64);
}

void Store(char* at, int bytes, uint64_t pattern) { std::memcpy(at, &pattern, bytes); }

void Fill(MadeTensor* tensor, int64_t count, int64_t index_limit, Random random) {
  const int bits = Bits(tensor->dtype);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t pattern = 0;
    if (IsFloat(tensor->dtype)) {
      pattern = scalar::EncodeFloat(tensor->dtype, random.Uniform());
    } else {
      const uint64_t limit = tensor->dtype == DType::kBool ? 2 : static_cast<uint64_t>(index_limit);
      pattern = random.Next() % limit;
    }
    if (bits >= 8) {
      Store(tensor->data + i * (bits / 8), bits / 8, pattern);
    } else {
      tensor->data[i / 2] = static_cast<char>(tensor->data[i / 2] | static_cast<char>(pattern << (4 * (i % 2))));
    }
  }
}

absl::StatusOr<std::vector<int64_t>> SymbolValues(const Signature& signature,
                                                  const std::map<std::string, int64_t>& shape) {
  std::vector<int64_t> values;
  for (const Signature::Symbol& symbol : signature.symbols()) {
    const auto given = shape.find(symbol.name);
    if (given == shape.end())
      return absl::InvalidArgumentError(StrCat("arguments: kernel \"", signature.kernel(), "\": symbol ", symbol.name,
                                               " has no value: give one with --shape ", symbol.name, "=..."));
    values.push_back(given->second);
  }
  return values;
}

absl::Status CheckScalarNames(const Signature& signature, const std::map<std::string, double>& scalars) {
  for (const auto& [name, value] : scalars)
    if (std::none_of(signature.params().begin(), signature.params().end(),
                     [&](const Signature::Parameter& param) { return !param.is_tensor && param.name == name; }))
      return absl::InvalidArgumentError(
          StrCat("arguments: kernel \"", signature.kernel(), "\": no scalar parameter is called ", name));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<MadeArgument>> MakeArguments(const Signature& signature,
                                                        const std::map<std::string, int64_t>& shape,
                                                        const std::map<std::string, DType>& dtypes,
                                                        const std::map<std::string, double>& scalars, uint64_t seed) {
  KILN_RETURN_IF_ERROR(CheckScalarNames(signature, scalars));
  KILN_ASSIGN_OR_RETURN(const std::vector<int64_t> symbols, SymbolValues(signature, shape));
  std::vector<MadeArgument> made(signature.params().size());
  int64_t index_limit = 1;
  for (size_t i = 0; i < made.size(); ++i) {
    const Signature::Parameter& param = signature.params()[i];
    DType dtype = param.dtype;
    if (param.dtype_param >= 0) {
      const std::string& name = signature.dtype_params()[param.dtype_param].name;
      const auto given = dtypes.find(name);
      if (given == dtypes.end())
        return absl::InvalidArgumentError(StrCat("arguments: kernel \"", signature.kernel(), "\": dtype ", name,
                                                 " has no value: give one with --dtype ", name, "=..."));
      dtype = given->second;
    }
    made[i].is_tensor = param.is_tensor;
    made[i].scalar_dtype = dtype;
    if (!param.is_tensor) {
      const auto given = scalars.find(param.name);
      made[i].scalar = given != scalars.end() ? given->second : IsFloat(dtype) ? 0.5 : 1;
      continue;
    }
    made[i].tensor.name = param.name;
    made[i].tensor.dtype = dtype;
    made[i].tensor.written = param.written;
    KILN_ASSIGN_OR_RETURN(made[i].tensor.shape, ShapeOf(signature, param, symbols));
    for (int64_t extent : made[i].tensor.shape) index_limit = std::max(index_limit, std::min(extent, kMaxIndex));
  }
  for (size_t i = 0; i < made.size(); ++i) {
    if (!made[i].is_tensor) continue;
    MadeTensor& tensor = made[i].tensor;
    KILN_ASSIGN_OR_RETURN(const int64_t count, ElementsOf(tensor.name, tensor.shape, tensor.dtype));
    tensor.bytes = Bytes(tensor.dtype, count);
    Allocate(&tensor);
    Fill(&tensor, count, index_limit, Random(seed * 1000003 + i));
  }
  return made;
}

std::vector<MadeArgument> CopyOf(const std::vector<MadeArgument>& made) {
  std::vector<MadeArgument> copy = made;
  for (size_t i = 0; i < copy.size(); ++i) {
    if (!copy[i].is_tensor) continue;
    // The storage moved, and with it its boundary of 64 bytes.
    Allocate(&copy[i].tensor);
    std::memcpy(copy[i].tensor.data, made[i].tensor.data, static_cast<size_t>(made[i].tensor.bytes));
  }
  return copy;
}

std::vector<kiln_arg> ArgumentsOf(const std::vector<MadeArgument>& made, kiln_dl_device device,
                                  const std::vector<void*>& data, std::vector<kiln_dl_tensor>* tensors) {
  tensors->assign(made.size(), {});
  std::vector<kiln_arg> args(made.size());
  for (size_t i = 0; i < made.size(); ++i) {
    if (!made[i].is_tensor) {
      if (IsFloat(made[i].scalar_dtype)) {
        args[i].kind = KILN_ARG_FLOAT;
        args[i].as.number = made[i].scalar;
      } else {
        args[i].kind = KILN_ARG_INT;
        args[i].as.integer = static_cast<int64_t>(made[i].scalar);
      }
      continue;
    }
    kiln_dl_tensor& tensor = (*tensors)[i];
    tensor.data = data[i];
    tensor.device = device;
    tensor.ndim = static_cast<int32_t>(made[i].tensor.shape.size());
    tensor.dtype = ToDlpack(made[i].tensor.dtype);
    tensor.shape = const_cast<int64_t*>(made[i].tensor.shape.data());
    args[i].kind = KILN_ARG_TENSOR;
    args[i].as.tensor = &tensor;
  }
  return args;
}

}  // namespace kiln::api
