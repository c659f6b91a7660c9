// A CTA and the matrix unit: products of a warpgroup, run as late as its waits allow.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "compiler/interp/native/cluster.h"
#include "compiler/interp/native/cta.h"
#include "compiler/interp/native/fragments.h"
#include "compiler/support/str_cat.h"

namespace kiln::interp {
namespace {

constexpr int64_t kWarp = 32;
constexpr int64_t kGroupWarps = kGroupThreads / kWarp;
constexpr int64_t kFragmentBytes = 16;  // Of a, that a thread holds

}  // namespace

bool NativeCta::SameOperands(const ProductCall& call, int64_t first) {
  const Slot* own = RegistersOf(first);
  for (int64_t t = first + 1; t < first + kGroupThreads; ++t) {
    const Slot* regs = RegistersOf(t);
    for (int reg : {call.acc_index, call.a_index, call.b_index, call.accumulate}) {
      if (regs[reg].i != own[reg].i)
        return Wrong(StrCat("wgmma: its operands differ between threads ", first, " and ", t));
    }
  }
  return true;
}

bool NativeCta::IssueProduct(const ProductCall& call, int64_t group) {
  const int64_t first = group * kGroupThreads;
  if (!SameOperands(call, first)) return false;
  Products& products = products_[static_cast<size_t>(group)];
  if (products.actor < 0) products.actor = cluster_.actors().Add("wgmma");
  cluster_.actors().Started(products.actor, products.closed + 1, fault_pc_);
  const Slot* regs = RegistersOf(first);
  Product product;
  product.call = &call;
  product.pc = fault_pc_;
  product.accumulate = regs[call.accumulate].i != 0;
  Reach place;
  if (!Locate(call.b, regs[call.b_index].i, 1, first, place)) return false;
  product.b = place.shared;
  if (!HoldShared(call.b_layout, "b", call.b, product.b, group)) return false;
  if (call.a_shared) {
    if (!Locate(call.a, regs[call.a_index].i, 1, first, place)) return false;
    product.a = place.shared;
    if (!HoldShared(call.a_layout, "a", call.a, product.a, group)) return false;
  }
  if (!HoldRegisters(call, product, first)) return false;
  products.open.push_back(product);
  ++products_in_flight_;
  return true;
}

// Each warp reads for itself: what one of its lanes has seen is there for it.
bool NativeCta::HoldShared(const SharedOperand& layout, const char* operand, int tensor, int64_t start, int64_t group) {
  const NativeTensor& shared = TensorAt(tensor);
  const int64_t period = std::max<int64_t>(8 * layout.swizzle, kChunk);
  if (start % kChunk != 0 || start % period >= std::max(layout.swizzle, kChunk)) {
    return Wrong(StrCat("wgmma: ", operand, " starts at byte ", start,
                        " of shared memory, and its swizzle repeats every ", period, " bytes"));
  }
  std::array<Knowledge, kGroupWarps> warps;
  std::array<const Knowledge*, kGroupWarps> threads;
  for (int64_t warp = 0; warp < kGroupWarps; ++warp) {
    Gathering gathering;
    for (int64_t lane = 0; lane < kWarp && ordered_; ++lane)
      gathering.Add(ThreadAt(group * kGroupThreads + warp * kWarp + lane).knows);
    auto k = static_cast<size_t>(warp);
    warps[k].actor = -1;
    if (ordered_) warps[k].known = gathering.Take();
    threads[k] = &warps[k];
  }
  const Products& products = products_[static_cast<size_t>(group)];
  const Touch reader{products.actor, products.closed + 1};
  const int64_t end = shared.offset + Bytes(shared.dtype, shared.elements);
  for (int64_t chunk : layout.Chunks(start)) {
    if (chunk < shared.offset || chunk + kChunk > end) {
      return Wrong(StrCat("wgmma: ", operand, " reaches byte ", chunk - shared.offset + kChunk, " of \"", shared.name,
                          "\", which has ", end - shared.offset));
    }
    std::optional<std::string> wrong = shared_.NoteAsyncRead(chunk, kChunk, threads, reader);
    if (wrong) return Wrong(StrCat("\"", shared.name, "\" byte ", chunk - shared.offset, " is ", *wrong));
  }
  return true;
}

bool NativeCta::HoldRegisters(const ProductCall& call, Product& product, int64_t first) {
  const int64_t slots = call.b_layout.rows / 2;
  auto hold = [&](int tensor, int64_t index, int64_t elements, bool read, uint8_t held, int64_t thread, Reach& place) {
    if (!Locate(tensor, index, elements, thread, place)) return false;
    uint8_t* flags = local_flags_.data() + place.local;
    const uint8_t foreign = held == kResult ? kSource : kResult;
    for (int64_t k = 0; k < place.count; ++k) {
      const char* wrong = nullptr;
      if (flags[k] & foreign) {
        wrong = "is used by a wgmma that is in flight";
      } else if (flags[k] & kUnfenced) {
        wrong = "is written with no wgmma_fence before the wgmma that uses it";
      } else if (read && !(flags[k] & (kWritten | kResult)) && options_.check_uninitialized) {
        wrong = "is read, and nothing wrote it";
      }
      if (wrong)
        return Wrong(
            StrCat("\"", TensorAt(tensor).name, "\" byte ", place.begin + k, " of thread ", thread, " ", wrong));
    }
    return true;
  };
  for (int64_t t = first; t < first + kGroupThreads; ++t) {
    const Slot* regs = RegistersOf(t);
    Reach place;
    if (!hold(call.acc, regs[call.acc_index].i, slots, product.accumulate, kResult, t, place)) return false;
    if (t == first) product.acc = place.local - t * program_.local_bytes;
    if (call.a_shared) continue;
    const int64_t elements = kFragmentBytes * 8 / Bits(call.a_layout.dtype);
    if (!hold(call.a, regs[call.a_index].i, elements, true, kSource, t, place)) return false;
    if (t == first) product.a = place.local - t * program_.local_bytes;
  }
  MarkRegisters(product, first, true);
  return true;
}

void NativeCta::MarkRegisters(const Product& product, int64_t first, bool held) {
  auto mark = [&](int64_t begin, int64_t bytes, uint8_t flag) {
    for (int64_t t = first; t < first + kGroupThreads; ++t) {
      uint8_t* flags = local_flags_.data() + t * program_.local_bytes + begin;
      for (int64_t k = 0; k < bytes; ++k)
        flags[k] = static_cast<uint8_t>(held ? flags[k] | flag : (flags[k] & ~flag) | kWritten);
    }
  };
  mark(product.acc, product.call->b_layout.rows / 2 * 4, kResult);
  if (!product.call->a_shared) mark(product.a, kFragmentBytes, kSource);
}

void NativeCta::FenceRegisters(int64_t group) {
  auto* flags = local_flags_.data() + group * kGroupThreads * program_.local_bytes;
  for (int64_t k = 0; k < kGroupThreads * program_.local_bytes; ++k) flags[k] &= static_cast<uint8_t>(~kUnfenced);
}

void NativeCta::RetireProducts(int64_t pending, int64_t group) {
  Products& products = products_[static_cast<size_t>(group)];
  const int64_t first = group * kGroupThreads;
  bool retired = false;
  while (static_cast<int64_t>(products.groups.size()) > pending) {
    for (const Product& product : products.groups.front()) {
      RunProduct(product, first);
      MarkRegisters(product, first, false);
      --products_in_flight_;
    }
    products.groups.pop_front();
    retired = true;
  }
  if (!retired) return;
  // Those still in flight may hold the same registers.
  for (const std::vector<Product>& later : products.groups)
    for (const Product& product : later) MarkRegisters(product, first, true);
  for (const Product& product : products.open) MarkRegisters(product, first, true);
  if (!ordered_ || products.actor < 0) return;
  Gathering gathering;
  gathering.AddDone(products.actor, products.closed - static_cast<uint32_t>(products.groups.size()));
  const Known done = gathering.Take();
  for (int64_t t = first; t < first + kGroupThreads; ++t) cluster_.acquirer().Acquire(ThreadAt(t).knows, done);
}

void NativeCta::RunProduct(const Product& product, int64_t first) {
  const ProductCall& call = *product.call;
  const int64_t columns = call.b_layout.rows, slots = columns / 2;
  const DType a_dtype = call.a_layout.dtype;
  auto registers = [&](int64_t thread, int64_t byte) {
    return local_.data() + (first + thread) * program_.local_bytes + byte;
  };
  Operand a = EmptyOperand(a_dtype, kProductRows);
  if (call.a_shared) {
    a = ReadShared(call.a_layout, shared_.data(), product.a);
  } else {
    const int element = Bits(a_dtype) / 8;
    for (int64_t t = 0; t < kGroupThreads; ++t) {
      for (int i = 0; i < kFragmentBytes / element; ++i) {
        const Cell cell = CellOfA(a_dtype, static_cast<int>(t % kWarp), i);
        SetElement(a, a_dtype, t / kWarp * 16 + cell.row, cell.column, registers(t, product.a) + i * element);
      }
    }
  }
  const Operand b = ReadShared(call.b_layout, shared_.data(), product.b);
  std::vector<uint32_t> acc(static_cast<size_t>(kProductRows * columns), 0);
  auto for_each_slot = [&](auto&& move) {
    for (int64_t t = 0; t < kGroupThreads; ++t) {
      for (int64_t slot = 0; slot < slots; ++slot) {
        const ProductCell cell = CellOfProduct(t, slot);
        move(acc[static_cast<size_t>(cell.row * columns + cell.column)], registers(t, product.acc + 4 * slot));
      }
    }
  };
  if (product.accumulate) for_each_slot([](uint32_t& element, const uint8_t* held) { std::memcpy(&element, held, 4); });
  MultiplyAdd(a, b, IsFloat(a_dtype), acc.data());
  for_each_slot([](const uint32_t& element, uint8_t* held) { std::memcpy(held, &element, 4); });
}

}  // namespace kiln::interp
