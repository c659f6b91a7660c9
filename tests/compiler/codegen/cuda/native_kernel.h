// Native kernels for the tests of the CUDA printer, and where their golden texts are.
#ifndef KILN_TESTS_COMPILER_CODEGEN_CUDA_NATIVE_KERNEL_H_
#define KILN_TESTS_COMPILER_CODEGEN_CUDA_NATIVE_KERNEL_H_

#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/kernel.h"

namespace kiln {

inline Expr Typed(DType dtype, std::string name) { return Var(std::move(name), Type{dtype, 1, false, {}}); }
inline Expr V(std::string name) { return Var(std::move(name)); }

// A lowered kernel with a block and no grid facts; add parameters and a body.
class NativeKernel {
 public:
  explicit NativeKernel(std::string name, int64_t block = 128) {
    kernel.name = std::move(name);
    kernel.specialized = kernel.native = true;
    kernel.launch.block = Int(block);
    kernel.launch.grid = {Int(1024)};
  }

  NativeKernel& Tensor(const std::string& name, DType dtype, ir::Direction direction = ir::Direction::kIn) {
    ir::Param param;
    param.name = name;
    param.dtype.dtype = dtype;
    param.direction = direction;
    kernel.params.push_back(param);
    kernel.native_params.push_back({ir::NativeParam::Kind::kPointer, name, dtype});
    return *this;
  }
  NativeKernel& Out(const std::string& name, DType dtype) { return Tensor(name, dtype, ir::Direction::kOut); }
  NativeKernel& Symbol(const std::string& name, int64_t max = INT32_MAX) {
    kernel.symbol_facts.push_back({name, 0, max, 1});
    DType dtype = max <= INT32_MAX ? DType::kI32 : DType::kI64;
    kernel.native_params.push_back({ir::NativeParam::Kind::kSymbol, name, dtype});
    return *this;
  }
  NativeKernel& Scalar(const std::string& name, DType dtype) {
    kernel.native_params.push_back({ir::NativeParam::Kind::kScalar, name, dtype});
    return *this;
  }
  NativeKernel& Body(ir::Block body) {
    kernel.body = std::move(body);
    return *this;
  }

  ir::Kernel kernel;
};

inline ir::Stmt AllocOf(std::string name, DType dtype, int64_t count, ir::Space space = ir::Space::kLocal,
                        int64_t offset = -1) {
  ir::TensorDecl tensor;
  tensor.name = std::move(name);
  tensor.dtype.dtype = dtype;
  tensor.shape = {Int(count)};
  tensor.space = space;
  tensor.offset = offset;
  return ir::Alloc(std::move(tensor));
}

inline Expr Pack2(DType dtype, Expr low, Expr high) {
  Node node = *Call("pack2", {std::move(low), std::move(high)});
  node.dtype.dtype = dtype;
  return MakeExpr(std::move(node));
}

}  // namespace kiln

#endif  // KILN_TESTS_COMPILER_CODEGEN_CUDA_NATIVE_KERNEL_H_
