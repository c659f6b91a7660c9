// Signature::Bind: what every launch does first. No allocation but for the text of an error; no system call; no lock.
#include <bit>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "api/argument_errors.h"
#include "api/dlpack_types.h"
#include "api/fact_words.h"
#include "api/scalar_argument.h"
#include "api/signature.h"
#include "compiler/support/str_cat.h"

namespace kiln::api {

// One call's state: a signature, the arguments, and what they have said so far. Its steps give false where the call is
// refused, with the reason kept aside: a status at every step would cost more than the checks.
class Binder {
 public:
  Binder(const Signature& signature, BindFor purpose, BoundCall* call)
      : signature_(signature), purpose_(purpose), call_(*call) {
    call_.device = {KILN_DEVICE_CPU, 0};
    call_.count = 0;
  }

  bool Run(absl::Span<const kiln_arg> args) {
    const size_t count = signature_.params_.size();
    if (ABSL_PREDICT_FALSE(args.size() != count)) return Fail(BadCount(signature_, args.size()));
    for (size_t i = 0; i < count; ++i) {
      const Signature::Parameter& param = signature_.params_[i];
      new (call_.Slot(static_cast<int>(i))) runtime::Arg();
      if (param.is_tensor && !BindTensor(static_cast<int>(i), param, args[i])) return false;
    }
    // Scalars may be of a dtype that a later tensor gives.
    for (size_t i = 0; i < count; ++i) {
      const Signature::Parameter& param = signature_.params_[i];
      if (!param.is_tensor && !BindScalar(static_cast<int>(i), param, args[i])) return false;
    }
    call_.count = static_cast<int32_t>(count);
    if (ABSL_PREDICT_FALSE(has_programs_) && !CheckPrograms(args)) return false;
    return PushFacts();
  }

  // REQUIRES: Run gave false.
  absl::Status TakeError() { return std::move(error_); }

 private:
  // The tensor inside one of DLPack's three wrappings; null for anything else.
  static const kiln_dl_tensor* TensorOf(const kiln_arg& arg) {
    switch (arg.kind) {
      case KILN_ARG_TENSOR:
        return arg.as.tensor;
      case KILN_ARG_MANAGED:
        return arg.as.managed == nullptr ? nullptr : &arg.as.managed->dl_tensor;
      case KILN_ARG_MANAGED_VERSIONED:
        return arg.as.versioned == nullptr ? nullptr : &arg.as.versioned->dl_tensor;
      default:
        return nullptr;
    }
  }

  bool CheckWrapping(int i, const Signature::Parameter& param, const kiln_arg& arg) {
    if (arg.kind == KILN_ARG_MANAGED_VERSIONED && arg.as.versioned != nullptr) {
      const kiln_dl_managed_tensor_versioned& managed = *arg.as.versioned;
      if (managed.version.major != 1)
        return Fail(BadArgument(signature_, i, "DLPack version 1",
                                StrCat("version ", managed.version.major, ".", managed.version.minor)));
      if (param.written && (managed.flags & KILN_DL_READ_ONLY) != 0)
        return Fail(BadArgument(signature_, i, "a tensor that may be written", "a read-only one"));
    }
    return true;
  }

  ABSL_ATTRIBUTE_ALWAYS_INLINE bool BindTensor(int i, const Signature::Parameter& param, const kiln_arg& arg) {
    const kiln_dl_tensor* tensor = TensorOf(arg);
    if (ABSL_PREDICT_FALSE(tensor == nullptr)) {
      if (arg.kind >= KILN_ARG_TENSOR && arg.kind <= KILN_ARG_MANAGED_VERSIONED)
        return Fail(BadArgument(signature_, i, "a tensor", "NULL"));
      return Fail(BadKind(signature_, i, arg.kind));
    }
    if (ABSL_PREDICT_FALSE(arg.kind == KILN_ARG_MANAGED_VERSIONED))
      if (!CheckWrapping(i, param, arg)) return false;
    const int rank = param.rank;
    if (ABSL_PREDICT_FALSE(tensor->ndim != rank)) return Fail(BadRank(signature_, i, tensor->ndim));
    if (ABSL_PREDICT_FALSE(rank > 0 && tensor->shape == nullptr))
      return Fail(BadArgument(signature_, i, "a shape", "NULL for its shape"));
    if (!BindDType(i, param, *tensor)) return false;
    if (!BindDevice(i, *tensor)) return false;
    if (!BindShape(i, param, *tensor)) return false;
    return BindMemory(i, param, *tensor);
  }

  ABSL_ATTRIBUTE_ALWAYS_INLINE bool BindDType(int i, const Signature::Parameter& param, const kiln_dl_tensor& tensor) {
    // Most calls' tensors are of one dtype, which is looked up once.
    const uint32_t type = std::bit_cast<uint32_t>(tensor.dtype);
    if (type != last_type_) {
      last_type_ = type;
      last_dtype_ = FromDlpack(tensor.dtype);
    }
    DType found = last_dtype_;
    DType expected = param.dtype;
    if (param.dtype_param >= 0) {
      DType& bound = dtypes_[param.dtype_param];
      if (bound == DType::kNone) {
        const Signature::DTypeParam& dtype = signature_.dtype_params_[param.dtype_param];
        bound = Choose(dtype, found);
        if (ABSL_PREDICT_FALSE(bound == DType::kNone)) return Fail(BadDType(signature_, i, DType::kNone, tensor.dtype));
      }
      expected = bound;
    }
    // DLPack has no tf32: its words are those of f32.
    if (ABSL_PREDICT_FALSE(expected == DType::kTF32 && found == DType::kF32)) found = DType::kTF32;
    if (ABSL_PREDICT_FALSE(found != expected)) return Fail(BadDType(signature_, i, expected, tensor.dtype));
    runtime::TensorArg& out = call_.Slot(i)->tensor;
    out.dtype = expected;
    return true;
  }

  static DType Choose(const Signature::DTypeParam& param, DType found) {
    if (param.allowed.empty()) return found;
    DType chosen = DType::kNone;
    for (DType allowed : param.allowed) {
      if (allowed == found) return found;
      if (allowed == DType::kTF32 && found == DType::kF32) chosen = DType::kTF32;
    }
    return chosen;
  }

  ABSL_ATTRIBUTE_ALWAYS_INLINE bool BindDevice(int i, const kiln_dl_tensor& tensor) {
    kiln_dl_device device = tensor.device;
    if (ABSL_PREDICT_TRUE(first_tensor_ >= 0 && device.device_type == first_device_.device_type &&
                          device.device_id == first_device_.device_id))
      return true;
    if (device.device_type == KILN_DEVICE_CUDA_MANAGED) device.device_type = KILN_DEVICE_CUDA;
    if (device.device_type == KILN_DEVICE_CUDA_HOST) device = {KILN_DEVICE_CPU, 0};
    if (device.device_type == KILN_DEVICE_CPU) device.device_id = 0;
    if (first_tensor_ < 0) {
      first_tensor_ = i;
      first_device_ = tensor.device;
      call_.device = device;
      return true;
    }
    if (ABSL_PREDICT_FALSE(device.device_type != call_.device.device_type ||
                           device.device_id != call_.device.device_id))
      return Fail(BadDevice(signature_, i, first_tensor_, call_.device, tensor.device));
    return true;
  }

  ABSL_ATTRIBUTE_ALWAYS_INLINE bool BindShape(int i, const Signature::Parameter& param, const kiln_dl_tensor& tensor) {
    for (int d = 0; d < param.rank; ++d) {
      const Signature::Dimension& dimension = param.shape[d];
      const int64_t extent = tensor.shape[d];
      if (ABSL_PREDICT_FALSE(extent < 0))
        return Fail(BadArgument(signature_, i, StrCat("dimension ", d, " to be at least 0"), StrCat(extent)));
      if (dimension.kind == Signature::Dimension::Kind::kSymbol) {
        const int s = dimension.symbol;
        if (dimension.binds) {
          call_.symbols[s] = extent;
        } else if (ABSL_PREDICT_FALSE(call_.symbols[s] != extent)) {
          return Fail(BadExtent(signature_, i, d, call_.symbols[s], extent));
        }
      } else if (dimension.kind == Signature::Dimension::Kind::kConst) {
        if (ABSL_PREDICT_FALSE(dimension.value != extent))
          return Fail(BadExtent(signature_, i, d, dimension.value, extent));
      } else {
        has_programs_ = true;
      }
    }
    return true;
  }

  // Strides, address, and the facts of both.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool BindMemory(int i, const Signature::Parameter& param, const kiln_dl_tensor& tensor) {
    runtime::TensorArg& out = call_.Slot(i)->tensor;
    const int rank = tensor.ndim;
    // Widths are powers of two, so nothing here divides.
    const unsigned bits = static_cast<unsigned>(Bits(out.dtype));
    const uint64_t element_bytes = bits < 8 ? 1 : bits / 8;
    const uint64_t vector = uint64_t{128} >> std::countr_zero(bits);  // Elements in 16 bytes
    bool empty = false;
    bool contiguous = true;
    bool unit_inner = true;
    uint64_t stride_bits = vector;  // Its lowest set bit is what divides every outer stride
    int64_t dense = 1;
    for (int d = rank - 1; d >= 0; --d) {
      const int64_t extent = tensor.shape[d];
      empty |= extent == 0;
      // Along an extent of 1 nothing is ever stepped over, whatever the exporter wrote.
      if (tensor.strides != nullptr && extent > 1) {
        const int64_t stride = tensor.strides[d];
        if (stride != dense) {
          contiguous = false;
          if (ABSL_PREDICT_FALSE(stride <= 0))
            if (!CheckStride(i, param, tensor, d)) return false;
        }
        if (d == rank - 1) {
          unit_inner = stride == 1;
        } else {
          stride_bits |= static_cast<uint64_t>(stride);
        }
      }
      if (ABSL_PREDICT_FALSE(__builtin_mul_overflow(dense, extent > 1 ? extent : 1, &dense)))
        return Fail(BadArgument(signature_, i, "fewer than 2^63 elements", "more"));
    }
    const char* data = static_cast<const char*>(tensor.data);
    if (ABSL_PREDICT_FALSE(data == nullptr && !empty && purpose_ == BindFor::kLaunch))
      return Fail(BadArgument(signature_, i, "data", "NULL for its data"));
    if (data != nullptr) data += tensor.byte_offset;
    uint64_t address = reinterpret_cast<uintptr_t>(data);
    if (ABSL_PREDICT_FALSE(empty)) {
      address = 0;
      contiguous = true;
    }
    if (ABSL_PREDICT_FALSE((address & (element_bytes - 1)) != 0))
      return Fail(BadAlignment(signature_, i, static_cast<int64_t>(element_bytes), address));
    out.data = const_cast<char*>(data);
    out.shape = tensor.shape;
    out.strides = contiguous ? nullptr : tensor.strides;
    out.rank = rank;

    TensorWord word;
    word.contiguous = contiguous;
    word.unit_inner = contiguous || unit_inner;
    word.log2_stride = static_cast<uint8_t>(contiguous ? 0 : std::countr_zero(stride_bits));
    word.log2_align = static_cast<uint8_t>(std::countr_zero(address | 16));
    tensor_facts_[tensor_count_++] = Pack(word);
    return true;
  }

  bool CheckStride(int i, const Signature::Parameter& param, const kiln_dl_tensor& tensor, int d) {
    const int64_t stride = tensor.strides[d];
    for (int other = 0; other < tensor.ndim; ++other)
      if (tensor.shape[other] == 0) return true;
    if (stride < 0) return Fail(BadStride(signature_, i, d, stride, "at least 0"));
    if (param.written) return Fail(BadStride(signature_, i, d, stride, "at least 1, since it is written"));
    return true;
  }

  bool BindScalar(int i, const Signature::Parameter& param, const kiln_arg& arg) {
    const DType dtype = param.dtype_param >= 0 ? dtypes_[param.dtype_param] : param.dtype;
    runtime::Arg& out = *call_.Slot(i);
    out.is_tensor = false;
    out.scalar_dtype = dtype;
    if (arg.kind == KILN_ARG_INT) {
      if (ABSL_PREDICT_FALSE(!ScalarFromInt(arg.as.integer, dtype, &out.scalar)))
        return Fail(BadArgument(signature_, i, StrCat("a number that ", Name(dtype), " holds exactly"),
                                StrCat(arg.as.integer)));
      return true;
    }
    if (ABSL_PREDICT_TRUE(arg.kind == KILN_ARG_FLOAT && ScalarFromDouble(arg.as.number, dtype, &out.scalar)))
      return true;
    if (arg.kind != KILN_ARG_FLOAT) return Fail(BadKind(signature_, i, arg.kind));
    return Fail(BadArgument(signature_, i, StrCat("a number of type ", Name(dtype)), "a floating-point number"));
  }

  // Extents that are computed from symbols, which by now all have their values.
  bool CheckPrograms(absl::Span<const kiln_arg> args) {
    for (size_t i = 0; i < args.size(); ++i) {
      const Signature::Parameter& param = signature_.params_[i];
      for (size_t d = 0; d < param.shape.size(); ++d) {
        if (param.shape[d].kind != Signature::Dimension::Kind::kProgram) continue;
        const std::optional<int64_t> expected = param.shape[d].program.Evaluate(call_.symbols);
        const int64_t found = TensorOf(args[i])->shape[d];
        if (!expected)
          return Fail(BadArgument(signature_, static_cast<int>(i),
                                  StrCat("dimension ", d, " (", param.shape[d].text, ") to have a value"),
                                  "an overflow or a division by zero"));
        if (*expected != found)
          return Fail(BadExtent(signature_, static_cast<int>(i), static_cast<int>(d), *expected, found));
      }
    }
    return true;
  }

  ABSL_ATTRIBUTE_ALWAYS_INLINE bool PushFacts() {
    CallFacts& facts = call_.facts;
    facts.Clear();
    facts.Push(PackHeader(signature_.number_, call_.device));
    int64_t dtypes = 0;
    for (size_t i = 0; i < signature_.dtype_params_.size(); ++i) dtypes |= static_cast<int64_t>(dtypes_[i]) << (8 * i);
    facts.Push(dtypes);
    for (size_t s = 0; s < signature_.symbols_.size(); ++s) {
      const Signature::Symbol& symbol = signature_.symbols_[s];
      const int64_t value = call_.symbols[s];
      int64_t word = 0;
      if (ABSL_PREDICT_FALSE(!PackSymbol(symbol, value, &word)))
        return Fail(BadSymbol(signature_, static_cast<int>(s), value));
      facts.Push(word);
    }
    for (int t = 0; t < tensor_count_; t += 4) {
      uint64_t word = 0;
      for (int k = 0; k < 4 && t + k < tensor_count_; ++k)
        word |= static_cast<uint64_t>(tensor_facts_[t + k]) << (16 * k);
      facts.Push(static_cast<int64_t>(word));
    }
    return true;
  }

  [[gnu::cold]] bool Fail(absl::Status error) {
    error_ = std::move(error);
    return false;
  }

  const Signature& signature_;
  const BindFor purpose_;
  BoundCall& call_;
  absl::Status error_;
  DType dtypes_[kMaxDTypeParams] = {};
  uint32_t last_type_ = 0;  // A kiln_dl_type; 0 is of no dtype
  DType last_dtype_ = DType::kNone;
  kiln_dl_device first_device_ = {};  // As the first tensor spells it
  int first_tensor_ = -1;
  bool has_programs_ = false;
  int tensor_count_ = 0;
  uint16_t tensor_facts_[kMaxArgs];
};

absl::Status Signature::Bind(absl::Span<const kiln_arg> args, BindFor purpose, BoundCall* call) const {
  Binder binder(*this, purpose, call);
  if (ABSL_PREDICT_TRUE(binder.Run(args))) return absl::OkStatus();
  return binder.TakeError();
}

}  // namespace kiln::api
