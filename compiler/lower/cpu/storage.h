// Where the elements of tensors lie: strides in global memory, rows or packed panels in scratch.
#ifndef KILN_COMPILER_LOWER_CPU_STORAGE_H_
#define KILN_COMPILER_LOWER_CPU_STORAGE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/kernel.h"
#include "kiln/internal/target.h"

namespace kiln::cpu {

struct Storage {
  std::string name;
  bool global = false;
  bool written = false;  // A global tensor that the kernel may write
  DType logical = DType::kNone;
  DType stored = DType::kNone;  // Gemm operands of narrow dtypes are held as what is multiplied
  std::vector<Expr> shape;
  std::vector<Expr> strides;  // Elements of `stored`
  int64_t align = 1;          // Bytes, of element 0

  // Packed panels: index i of this dimension lies in panel i / panel, at i % panel; -1 = none.
  int panel_dim = -1;
  int64_t panel = 0;
  int64_t panel_stride = 0;

  // Elements in memory, pads of panels included. REQUIRES: the shape is constant.
  int64_t elements = 0;
};

// The element's place, counted in elements from the first.
Expr FlatIndex(const Storage& storage, const std::vector<Expr>& index);

// The register block of gemm: rows, vectors a row, lanes a vector.
struct GemmBlock {
  int rows = 0;
  int vectors = 0;
  int lanes = 0;
  int64_t columns() const { return int64_t{vectors} * lanes; }
};
// For accumulators of `dtype` (f32, f64, i32). Sized so that accumulators, one row of B and a broadcast of A fill the
// register file.
GemmBlock BlockFor(DType dtype, const Target& target);

// What gemm makes of a kernel's tiles: which are packed, and the dtype they are held in.
struct Packing {
  DType stored = DType::kNone;
  int panel_dim = -1;
  int64_t panel = 0;
};
// By tile. Looks at every gemm of the body; a tile used in two ways is packed for the first.
std::map<std::string, Packing> ChoosePacking(const ir::Block& body, const Target& target);

}  // namespace kiln::cpu

#endif  // KILN_COMPILER_LOWER_CPU_STORAGE_H_
