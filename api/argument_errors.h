// What is said of an argument that does not fit: its name, what is expected, what was found. Kept out of line, so that
// the path of a launch without fault stays short.
#ifndef KILN_API_ARGUMENT_ERRORS_H_
#define KILN_API_ARGUMENT_ERRORS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "api/signature.h"
#include "kiln/c_api.h"

namespace kiln::api {

// `arguments: kernel "rmsnorm", argument "x": expected EXPECTED, got FOUND`.
[[gnu::cold]] absl::Status BadArgument(const Signature& signature, int arg, absl::string_view expected,
                                       absl::string_view found);
[[gnu::cold]] absl::Status BadCount(const Signature& signature, size_t found);
[[gnu::cold]] absl::Status BadKind(const Signature& signature, int arg, int32_t kind);
[[gnu::cold]] absl::Status BadRank(const Signature& signature, int arg, int32_t found);
[[gnu::cold]] absl::Status BadDType(const Signature& signature, int arg, DType expected, kiln_dl_type found);
[[gnu::cold]] absl::Status BadDevice(const Signature& signature, int arg, int first, kiln_dl_device expected,
                                     kiln_dl_device found);
// Extent `dim` is `found`, where the shape asks for `expected`.
[[gnu::cold]] absl::Status BadExtent(const Signature& signature, int arg, int dim, int64_t expected, int64_t found);
// The value of a symbol is none that its policy takes.
[[gnu::cold]] absl::Status BadSymbol(const Signature& signature, int symbol, int64_t found);
[[gnu::cold]] absl::Status BadStride(const Signature& signature, int arg, int dim, int64_t found,
                                     absl::string_view expected);
[[gnu::cold]] absl::Status BadAlignment(const Signature& signature, int arg, int64_t expected, uint64_t address);

// "cpu", "cuda:1", "device type 7".
std::string DeviceName(kiln_dl_device device);
// "f32", or what DLPack calls one that Kiln does not have: "float24", "int32x4".
std::string DTypeName(kiln_dl_type type);

}  // namespace kiln::api

#endif  // KILN_API_ARGUMENT_ERRORS_H_
