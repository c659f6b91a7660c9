// Instructions that the lanes of a warp execute together.
#include <cstring>
#include <optional>
#include <vector>

#include "compiler/interp/native/cta.h"
#include "compiler/interp/native/fragments.h"
#include "compiler/support/str_cat.h"

namespace kiln::interp {
namespace {

constexpr int kWarp = 32;
constexpr int kRows = 16, kColumns = 8;  // Of an mma's accumulator
constexpr int kMatrixRows = 8;           // Of an ldmatrix matrix
constexpr int64_t kMatrixRowBytes = 16;

}  // namespace

bool NativeCta::Exchange(const Instruction& in, int64_t first, int64_t lanes) {
  auto width = static_cast<size_t>(in.lanes);
  std::vector<Slot> values(width * static_cast<size_t>(lanes));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::memcpy(values.data() + static_cast<size_t>(lane) * width, RegistersOf(first + lane) + in.arg[0],
                width * sizeof(Slot));
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Slot* regs = RegistersOf(first + lane);
    int64_t from = in.code == Code::kShflXor ? lane ^ regs[in.arg[1]].i : regs[in.arg[1]].i;
    if (from < 0 || from >= lanes)
      return Wrong(StrCat(MeetingName(in.code), " by lane ", lane, ": lane ", from, " is outside 0 .. ", lanes - 1));
    std::memcpy(regs + in.dst, values.data() + static_cast<size_t>(from) * width, width * sizeof(Slot));
  }
  return true;
}

bool NativeCta::TransposeQuads(const Instruction& in, int64_t first) {
  constexpr int kQuad = 4, kWordBytes = 4;
  const NativeTensor& tensor = program_.tensors[static_cast<size_t>(in.arg[0])];
  const int64_t elements = kQuad * kWordBytes * 8 / Bits(tensor.dtype);
  for (int64_t quad = first; quad < first + kWarp; quad += kQuad) {
    Reach places[kQuad];
    uint8_t words[kQuad][kQuad][kWordBytes];
    for (int i = 0; i < kQuad; ++i) {
      if (!Locate(in.arg[0], RegistersOf(quad + i)[in.arg[1]].i, elements, quad + i, places[i])) return false;
      std::memcpy(words[i], places[i].data + places[i].begin, sizeof(words[i]));
    }
    for (int i = 0; i < kQuad; ++i) {
      for (int j = 0; j < kQuad; ++j)
        std::memcpy(places[i].data + places[i].begin + kWordBytes * j, words[j][i], kWordBytes);
      if (!WriteLocal(places[i], tensor.name)) return false;
    }
  }
  return true;
}

bool NativeCta::LdMatrix(const Instruction& in, int64_t first) {
  const NativeTensor& source = program_.tensors[static_cast<size_t>(in.arg[2])];
  const NativeTensor& target = program_.tensors[static_cast<size_t>(in.arg[0])];
  int count = in.arg[4];
  int64_t row_elements = kMatrixRowBytes * 8 / Bits(source.dtype), word_elements = 32 / Bits(target.dtype);
  // Row r of matrix i is where lane 8 * i + r says.
  uint8_t matrices[4][kMatrixRows][kMatrixRowBytes];
  for (int k = 0; k < count * kMatrixRows; ++k) {
    int64_t thread = first + k;
    Reach place;
    if (!Locate(in.arg[2], RegistersOf(thread)[in.arg[3]].i, row_elements, thread, place)) return false;
    if (!Aligned(place, kMatrixRowBytes, source.name) || !ReadBytes(place, thread, source.name)) return false;
    std::memcpy(matrices[k / kMatrixRows][k % kMatrixRows], place.data + place.begin, kMatrixRowBytes);
  }
  for (int lane = 0; lane < kWarp; ++lane) {
    int64_t thread = first + lane;
    Reach place;
    if (!Locate(in.arg[0], RegistersOf(thread)[in.arg[1]].i, count * word_elements, thread, place)) return false;
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < 2; ++j) {  // The two 16-bit elements of the lane's word
        int row = in.arg[5] ? lane % 4 * 2 + j : lane / 4, column = in.arg[5] ? lane / 4 : lane % 4 * 2 + j;
        std::memcpy(place.data + place.begin + 4 * i + 2 * j, &matrices[i][row][2 * column], 2);
      }
    }
    if (!WriteLocal(place, target.name)) return false;
  }
  return true;
}

bool NativeCta::StMatrix(const Instruction& in, int64_t first) {
  const NativeTensor& target = program_.tensors[static_cast<size_t>(in.arg[0])];
  const NativeTensor& source = program_.tensors[static_cast<size_t>(in.arg[2])];
  const int count = in.arg[4];
  const int64_t row_elements = kMatrixRowBytes * 8 / Bits(target.dtype), word_elements = 32 / Bits(source.dtype);
  uint8_t matrices[4][kMatrixRows][kMatrixRowBytes];
  for (int lane = 0; lane < kWarp; ++lane) {
    const int64_t thread = first + lane;
    Reach place;
    if (!Locate(in.arg[2], RegistersOf(thread)[in.arg[3]].i, count * word_elements, thread, place) ||
        !ReadBytes(place, thread, source.name))
      return false;
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < 2; ++j) {  // The two 16-bit elements of the lane's word
        int row = in.arg[5] ? lane % 4 * 2 + j : lane / 4, column = in.arg[5] ? lane / 4 : lane % 4 * 2 + j;
        std::memcpy(&matrices[i][row][2 * column], place.data + place.begin + 4 * i + 2 * j, 2);
      }
    }
  }
  // Row r of matrix i goes where lane 8 * i + r says.
  for (int k = 0; k < count * kMatrixRows; ++k) {
    const int64_t thread = first + k;
    Reach place;
    if (!Locate(in.arg[0], RegistersOf(thread)[in.arg[1]].i, row_elements, thread, place)) return false;
    if (!Aligned(place, kMatrixRowBytes, target.name)) return false;
    const uint8_t* row = matrices[k / kMatrixRows][k % kMatrixRows];
    uint8_t* bytes = place.data + place.begin;
    uint8_t changed[kMatrixRowBytes];
    for (int b = 0; b < kMatrixRowBytes; ++b) changed[b] = row[b] != bytes[b];
    std::memcpy(bytes, row, kMatrixRowBytes);
    std::optional<std::string> wrong = shared_.NoteWrite(place.shared, place.count, ThreadAt(thread).knows, changed);
    if (wrong) return Wrong(StrCat("\"", target.name, "\" byte ", place.begin, " is ", *wrong));
  }
  return true;
}

bool NativeCta::Mma(const Instruction& in, int64_t first) {
  int k = in.lanes;
  DType a_type = program_.tensors[static_cast<size_t>(in.arg[2])].dtype;
  DType b_type = program_.tensors[static_cast<size_t>(in.arg[4])].dtype;
  DType acc_type = program_.tensors[static_cast<size_t>(in.arg[0])].dtype;
  bool words = Bits(a_type) == 32;
  std::vector<Slot> a(static_cast<size_t>(kRows * k)), b(static_cast<size_t>(k * kColumns));
  Slot acc[kRows][kColumns];
  Slot held[64];  // The most is 16 elements, of A at k = 32.
  for (int lane = 0; lane < kWarp; ++lane) {
    int64_t thread = first + lane;
    const Slot* regs = RegistersOf(thread);
    // Registers have no addresses: one element at a time.
    auto load = [&](int operand, int count) {
      for (int i = 0; i < count; ++i) {
        if (!Load(in.arg[operand], regs[in.arg[operand + 1]].i + i, 1, thread, held + i)) return false;
      }
      return true;
    };
    if (!load(2, CountOfA(k))) return false;
    for (int i = 0; i < CountOfA(k); ++i) {
      Cell cell = CellOfA(a_type, lane, i);
      a[static_cast<size_t>(cell.row * k + cell.column)] = words ? FloatSlot(AsTF32(held[i].f)) : held[i];
    }
    if (!load(4, CountOfB(k))) return false;
    for (int i = 0; i < CountOfB(k); ++i) {
      Cell cell = CellOfB(b_type, lane, i);
      b[static_cast<size_t>(cell.row * kColumns + cell.column)] = words ? FloatSlot(AsTF32(held[i].f)) : held[i];
    }
    if (!load(0, kAccumulatorCount)) return false;
    for (int i = 0; i < kAccumulatorCount; ++i) {
      Cell cell = CellOfAccumulator(lane, i);
      acc[cell.row][cell.column] = held[i];
    }
  }
  bool is_float = IsFloat(acc_type);
  for (int row = 0; row < kRows; ++row) {
    for (int l = 0; l < k; ++l) {
      const Slot x = a[static_cast<size_t>(row * k + l)];
      const Slot* y = b.data() + l * kColumns;
      for (int column = 0; column < kColumns; ++column) {
        if (is_float) {
          acc[row][column].f += x.f * y[column].f;
        } else {
          acc[row][column].i += x.i * y[column].i;
        }
      }
    }
  }
  DType from = is_float ? DType::kF64 : DType::kI64;
  for (int lane = 0; lane < kWarp; ++lane) {
    int64_t thread = first + lane;
    for (int i = 0; i < kAccumulatorCount; ++i) {
      Cell cell = CellOfAccumulator(lane, i);
      Slot value = Convert(acc_type, from, acc[cell.row][cell.column]);
      if (!Store(in.arg[0], RegistersOf(thread)[in.arg[1]].i + i, 1, thread, &value)) return false;
    }
  }
  return true;
}

}  // namespace kiln::interp
