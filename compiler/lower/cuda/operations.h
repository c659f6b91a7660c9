// The lowerings, one function a row of rules_cuda.inc: a tile operation becomes native statements in `lower`'s open
// block.
#ifndef KILN_COMPILER_LOWER_CUDA_OPERATIONS_H_
#define KILN_COMPILER_LOWER_CUDA_OPERATIONS_H_

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"
#include "compiler/lower/cuda/lowering.h"

namespace kiln::cuda {

// copy, fill, map, permute_layout and atomic reductions: `target = value` elementwise.
absl::Status LowerMap(Lowering& lower, const ir::StmtNode& stmt);
// Shared memory to a register tile in fragments of matrix instructions.
absl::Status LowerLdMatrix(Lowering& lower, const ir::StmtNode& stmt);
absl::Status LowerReduce(Lowering& lower, const ir::StmtNode& stmt);
absl::Status LowerCpAsync(Lowering& lower, const ir::StmtNode& stmt);
absl::Status LowerGemmMma(Lowering& lower, const ir::StmtNode& stmt);
absl::Status LowerGemmFma(Lowering& lower, const ir::StmtNode& stmt);
// Register tiles in fragments to shared memory.
absl::Status LowerStMatrix(Lowering& lower, const ir::StmtNode& stmt);
absl::Status LowerTma(Lowering& lower, const ir::StmtNode& stmt);
// wait_store: the thread that issues the team's stores waits, then the team meets.
void WaitForStores(Lowering& lower, const Node& op);
absl::Status LowerGemmWgmma(Lowering& lower, const ir::StmtNode& stmt);
// Until at most `pending` groups of products are in flight.
void WaitForProducts(Lowering& lower, int64_t pending);
absl::Status LowerGather(Lowering& lower, const ir::StmtNode& stmt);
absl::Status LowerScatter(Lowering& lower, const ir::StmtNode& stmt);

}  // namespace kiln::cuda

#endif  // KILN_COMPILER_LOWER_CUDA_OPERATIONS_H_
