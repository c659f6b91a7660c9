// How a thread reaches memory, and what can be wrong with it.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "compiler/interp/arith.h"
#include "compiler/interp/native/cta.h"
#include "compiler/support/str_cat.h"

namespace kiln::interp {
namespace {

constexpr int64_t kMaxVectorBytes = 2048;

}  // namespace

bool NativeCta::Locate(int tensor, int64_t index, int64_t count, int64_t thread, Reach& place) {
  const NativeTensor& t = program_.tensors[static_cast<size_t>(tensor)];
  bool global = t.space == ir::Space::kGlobal;
  int64_t elements = global ? globals_[static_cast<size_t>(tensor)].elements : t.elements;
  if (index < 0 || index > elements - count) {
    int64_t bad = index < 0 ? index : std::max(index, elements);
    return Wrong(StrCat("\"", t.name, "\" element ", bad, " is outside its ", elements, " elements"));
  }
  int64_t bits = Bits(t.dtype);
  place.begin = index * bits / 8;
  place.count = (index + count) * bits / 8 - place.begin + ((index + count) * bits % 8 != 0);
  if (global) {
    place.data = globals_[static_cast<size_t>(tensor)].data;
  } else if (t.space == ir::Space::kLocal && !t.in_arena) {
    int64_t base = thread * program_.local_bytes + t.offset;
    place.data = local_.data() + base;
    place.local = base + place.begin;
  } else {
    place.data = shared_.data() + t.offset;
    place.shared = t.offset + place.begin;
  }
  return true;
}

bool NativeCta::Aligned(const Reach& place, int64_t bytes, const std::string& name) {
  if (!options_.check_alignment) return true;
  // Shared and local tensors start on whatever boundary they were placed at; arguments are where the caller put them.
  int64_t address = place.shared >= 0 ? place.shared
                    : place.local >= 0
                        ? place.begin
                        : static_cast<int64_t>(reinterpret_cast<uintptr_t>(place.data) % 256) + place.begin;
  if (address % bytes == 0) return true;
  return Wrong(StrCat("\"", name, "\": an access of ", bytes, " bytes at byte ", place.begin,
                      " of the tensor is misaligned by ", address % bytes));
}

bool NativeCta::ReadBytes(const Reach& place, int64_t thread, const std::string& name) {
  if (place.shared >= 0) {
    std::optional<std::string> wrong = shared_.NoteRead(place.shared, place.count, ThreadAt(thread).knows);
    if (wrong) return Wrong(StrCat("\"", name, "\" byte ", place.begin, " is ", *wrong));
  } else if (place.local >= 0) {
    const uint8_t* flags = local_flags_.data() + place.local;
    if (options_.check_uninitialized && std::memchr(flags, 0, static_cast<size_t>(place.count)))
      return Wrong(StrCat("\"", name, "\" byte ", place.begin, " is read, and nothing wrote it"));
    if (products_in_flight_ > 0 && std::any_of(flags, flags + place.count, [](uint8_t f) { return f & kResult; }))
      return Wrong(StrCat("\"", name, "\" byte ", place.begin, " is read while a wgmma into it is in flight"));
  }
  return true;
}

bool NativeCta::WriteLocal(const Reach& place, const std::string& name) {
  uint8_t* flags = local_flags_.data() + place.local;
  if (products_in_flight_ > 0 &&
      std::any_of(flags, flags + place.count, [](uint8_t f) { return f & (kResult | kSource); })) {
    return Wrong(StrCat("\"", name, "\" byte ", place.begin, " is written while a wgmma that uses it is in flight"));
  }
  std::memset(flags, kWritten | kUnfenced, static_cast<size_t>(place.count));
  return true;
}

bool NativeCta::Load(int tensor, int64_t index, int64_t count, int64_t thread, Slot* out) {
  const NativeTensor& t = program_.tensors[static_cast<size_t>(tensor)];
  Reach place;
  if (!Locate(tensor, index, count, thread, place)) return false;
  if (count > 1 && !Aligned(place, place.count, t.name)) return false;
  if (!ReadBytes(place, thread, t.name)) return false;
  LoadElements(t.dtype, place.data, index, count, out);
  return true;
}

bool NativeCta::Store(int tensor, int64_t index, int64_t count, int64_t thread, const Slot* values) {
  const NativeTensor& t = program_.tensors[static_cast<size_t>(tensor)];
  Reach place;
  if (!Locate(tensor, index, count, thread, place)) return false;
  if (count > 1 && !Aligned(place, place.count, t.name)) return false;
  if (place.shared < 0) {
    StoreElements(t.dtype, place.data, index, count, values);
    return place.local < 0 || WriteLocal(place, t.name);
  }
  uint8_t before[kMaxVectorBytes], changed[kMaxVectorBytes];
  uint8_t* bytes = place.data + place.begin;
  std::memcpy(before, bytes, static_cast<size_t>(place.count));
  StoreElements(t.dtype, place.data, index, count, values);
  for (int64_t k = 0; k < place.count; ++k) changed[k] = before[k] != bytes[k];
  std::optional<std::string> wrong = shared_.NoteWrite(place.shared, place.count, ThreadAt(thread).knows, changed);
  return !wrong || Wrong(StrCat("\"", t.name, "\" byte ", place.begin, " is ", *wrong));
}

void NativeCta::Enter(int tensor, int64_t thread) {
  const NativeTensor& t = program_.tensors[static_cast<size_t>(tensor)];
  if (t.space != ir::Space::kLocal) return;  // Other threads may be using it.
  int64_t bytes = Bytes(t.dtype, t.elements);
  if (t.in_arena) {
    shared_.Forget(t.offset, bytes);
  } else {
    int64_t base = thread * program_.local_bytes + t.offset;
    for (int64_t k = base; k < base + bytes; ++k) local_flags_[static_cast<size_t>(k)] &= kResult | kSource;
  }
}

bool NativeCta::Atomic(const Instruction& in, Slot* regs, int64_t thread) {
  Slot old_value;
  Reach place;
  const NativeTensor& t = program_.tensors[static_cast<size_t>(in.arg[0])];
  int64_t index = regs[in.arg[1]].i;
  if (!Locate(in.arg[0], index, 1, thread, place)) return false;
  // Atomics do not race with each other; a plain access beside them is not looked for.
  LoadElements(t.dtype, place.data, index, 1, &old_value);
  DType compute = ComputeType(t.dtype);
  Slot joined;
  ApplyBinary(in.op, compute, &old_value, 0, regs + in.arg[2], 0, 1, &joined);  // Has no fault.
  joined = Convert(t.dtype, compute, joined);
  StoreElements(t.dtype, place.data, index, 1, &joined);
  return true;
}

bool NativeCta::CpAsync(const Instruction& in, Slot* regs, int64_t thread) {
  const NativeTensor& target = program_.tensors[static_cast<size_t>(in.arg[0])];
  const NativeTensor& source = program_.tensors[static_cast<size_t>(in.arg[2])];
  int64_t bytes = in.arg[4], read = regs[in.arg[5]].i;
  if (read < 0 || read > bytes) return Wrong(StrCat("cp_async: expected 0 .. ", bytes, " bytes to read, got ", read));
  Reach to, from;
  if (!Locate(in.arg[0], regs[in.arg[1]].i, bytes * 8 / Bits(target.dtype), thread, to)) return false;
  if (!Aligned(to, bytes, target.name)) return false;
  if (read > 0) {
    int64_t elements = (read * 8 + Bits(source.dtype) - 1) / Bits(source.dtype);
    if (!Locate(in.arg[2], regs[in.arg[3]].i, elements, thread, from)) return false;
    if (!Aligned(from, bytes, source.name)) return false;
  }
  std::optional<std::string> wrong = shared_.NoteIssue(to.shared, bytes, ThreadAt(thread).knows);
  if (wrong) return Wrong(StrCat("\"", target.name, "\" byte ", to.begin, " is ", *wrong));
  threads_[static_cast<size_t>(thread)].open.push_back({to.shared, from.data + from.begin, bytes, read});
  return true;
}

// Copies land here and nowhere else: as late as a wait allows.
void NativeCta::CpWait(int64_t pending, int64_t id) {
  Thread& thread = threads_[static_cast<size_t>(id)];
  while (static_cast<int64_t>(thread.groups.size()) > pending) {
    const Touch writer{thread.knows.actor, thread.knows.own};
    for (const Copy& copy : thread.groups.front())
      shared_.Land(copy.target, copy.source, copy.read, copy.bytes, writer);
    thread.groups.pop_front();
  }
}

}  // namespace kiln::interp
