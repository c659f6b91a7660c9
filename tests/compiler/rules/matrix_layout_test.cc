// Shared layouts of the copy engine and the matrix unit: their text, and that element by element they are the
// hardware's swizzle.
#include "compiler/rules/matrix_layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "compiler/layout/evaluate.h"
#include "compiler/layout/parse.h"

namespace kiln {
namespace {

// Case TMA-4 V
TEST(SwizzleSpan, IsTheLargestThatDividesARow) {
  EXPECT_EQ(SwizzleSpan(64, DType::kBF16), 128);
  EXPECT_EQ(SwizzleSpan(256, DType::kF16), 128);
  EXPECT_EQ(SwizzleSpan(96, DType::kF16), 64);
  EXPECT_EQ(SwizzleSpan(32, DType::kF16), 64);
  EXPECT_EQ(SwizzleSpan(16, DType::kF16), 32);
  EXPECT_EQ(SwizzleSpan(8, DType::kF16), 0);
  EXPECT_EQ(SwizzleSpan(77, DType::kF16), 0);
  EXPECT_EQ(SwizzleSpan(128, DType::kF8E4M3), 128);
  EXPECT_EQ(SwizzleSpan(32, DType::kF32), 128);
}

TEST(MatrixLayout, Text) {
  EXPECT_EQ(MatrixLayout({128, 64}, DType::kBF16), "swizzle[3,3,3] o S[(128,64):(64,1)]");
  EXPECT_EQ(MatrixLayout({4, 128, 64}, DType::kBF16), "swizzle[3,3,3] o S[(4,128,64):(8192,64,1)]");
  EXPECT_EQ(MatrixLayout({128, 256}, DType::kBF16), "swizzle[3,3,3] o S[(128,4,64):(64,8192,1)]");
  EXPECT_EQ(MatrixLayout({64, 32}, DType::kF16), "swizzle[3,2,3] o S[(64,32):(32,1)]");
  EXPECT_EQ(MatrixLayout({64, 16}, DType::kF16), "swizzle[3,1,3] o S[(64,16):(16,1)]");
  EXPECT_EQ(MatrixLayout({64, 8}, DType::kF16), "");
  EXPECT_EQ(MatrixLayout({64}, DType::kF16), "");
}

// Byte b of row r of block n of `span` bytes: its 16-byte chunk XORed by bits 7 and up of its address.
int64_t HardwareByte(int64_t row, int64_t byte, int64_t rows, int64_t span) {
  const int64_t address = byte / span * rows * span + row * span + byte % span;
  return address ^ (address / 128 % (span / 16)) * 16;
}

TEST(MatrixLayout, IsTheHardwaresSwizzle) {
  struct Case {
    int64_t rows, columns;
    DType dtype;
  };
  for (const Case& c : {Case{16, 64, DType::kBF16}, Case{16, 128, DType::kBF16}, Case{16, 32, DType::kF16},
                        Case{16, 16, DType::kF16}, Case{16, 128, DType::kF8E4M3}, Case{16, 32, DType::kF32}}) {
    const layout::Layout layout = layout::Parse(MatrixLayout({c.rows, c.columns}, c.dtype)).value();
    const int64_t bytes = Bits(c.dtype) / 8;
    for (int64_t row = 0; row < c.rows; ++row)
      for (int64_t column = 0; column < c.columns; ++column) {
        auto places = layout::Apply(layout, {row, column}, {c.rows, c.columns}).value();
        ASSERT_EQ(places.size(), 1u);
        ASSERT_EQ(places[0][layout::Axis::kM] * bytes,
                  HardwareByte(row, column * bytes, c.rows, SwizzleSpan(c.columns, c.dtype)))
            << row << ", " << column << " of " << c.rows << " x " << c.columns;
      }
  }
}

Operand Whole(TensorInfo& tensor, const std::vector<int64_t>& shape) {
  tensor.shape.clear();
  Operand out;
  out.tensor = &tensor;
  for (size_t d = 0; d < shape.size(); ++d) {
    Expr extent = WithType(Int(shape[d]), {DType::kI64});
    tensor.shape.push_back(extent);
    out.dims.push_back({static_cast<int>(d), WithType(Int(0), {DType::kI64}), extent, extent});
  }
  out.index.resize(shape.size());
  return out;
}

TEST(DescriptorOf, CountsAtomsAndBlocks) {
  TensorInfo tensor;
  tensor.name = "t";
  tensor.dtype = DType::kBF16;
  tensor.layout = layout::Parse(MatrixLayout({64, 256}, DType::kBF16)).value();
  Operand operand = Whole(tensor, {64, 256});
  std::string why;
  auto rows = DescriptorOf(operand, false, {}, &why);
  ASSERT_TRUE(rows) << why;
  EXPECT_EQ(rows->stride, 1024);
  EXPECT_EQ(rows->swizzle, 128);
  auto columns = DescriptorOf(operand, true, {}, &why);
  ASSERT_TRUE(columns) << why;
  EXPECT_EQ(columns->leading, 64 * 128);
  EXPECT_EQ(columns->stride, 1024);
}

// Case GEMM-1 V
TEST(DescriptorOf, SaysWhyNot) {
  TensorInfo tensor;
  tensor.name = "t";
  tensor.dtype = DType::kBF16;
  tensor.layout = layout::Parse("S[(64,64):(64,1)]").value();
  Operand operand = Whole(tensor, {64, 64});
  std::string why;
  EXPECT_FALSE(DescriptorOf(operand, false, {}, &why));
  EXPECT_EQ(why, "t: layout S[(64,64):(64,1)], expected swizzle[3,3,3] o S[(64,64):(64,1)]");
  tensor.layout = layout::Parse(MatrixLayout({64, 64}, DType::kBF16)).value();
  operand.dims[0].start = WithType(Int(4), {DType::kI64});
  EXPECT_FALSE(DescriptorOf(operand, false, {}, &why));
  EXPECT_EQ(why, "t: row 4 is not a multiple of 8");
  operand = Whole(tensor, {64, 64});
  operand.dims[1].start = WithType(Int(16), {DType::kI64});
  EXPECT_FALSE(DescriptorOf(operand, false, {}, &why));
  EXPECT_EQ(why, "t: column 16 is not a multiple of 64");
}

}  // namespace
}  // namespace kiln
