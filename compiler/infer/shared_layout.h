// The layout of a shared tile that nobody gave one.
#ifndef KILN_COMPILER_INFER_SHARED_LAYOUT_H_
#define KILN_COMPILER_INFER_SHARED_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kiln/internal/dtype.h"

namespace kiln {

// Row-major, with the 16-byte chunks of a row XORed by the row where the row is a power of two of chunks: eight
// consecutive rows at one column then lie in eight different bank groups, which is what ldmatrix, cp.async and 16-byte
// accesses need. Canonical text.
std::string SharedLayout(const std::vector<int64_t>& shape, DType dtype);

}  // namespace kiln

#endif  // KILN_COMPILER_INFER_SHARED_LAYOUT_H_
