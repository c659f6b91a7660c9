#include "compiler/layout/parse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kiln::layout {
namespace {

std::string Reprint(const std::string& text) {
  const absl::StatusOr<Layout> layout = Parse(text);
  return layout.ok() ? ToString(*layout) : std::string(layout.status().message());
}

TEST(Parse, PrintsEverySpellingInOneForm) {
  const std::vector<std::pair<std::string, std::string>> kCases = {
      {"S[2,3,4]", "S[(2,3,4):(12,4,1)]"},
      {"S[(2,3,4)]", "S[(2,3,4):(12,4,1)]"},
      {"S[64]", "S[64:1]"},
      {"S[(8,4):(4@laneid,1@laneid)] + R[2:4@warpid] + 5@warpid",
       "S[(8,4):(4@laneid,1@laneid)] + R[2:4@warpid] + 5@warpid"},
      {"64+S[8:4@laneid]+1@laneid", "S[8:4@laneid] + 64 + 1@laneid"},
      {"(S[8:4@lane]+1@lane)+(R[4:1@lane]+2@warp)", "S[8:4@laneid] + R[4:1@laneid] + 1@laneid + 2@warpid"},
      {"S[(8,4):(\"laneid\",1)]", "S[(8,4):(1@laneid,1)]"},
      {"S[8:'laneid']", "S[8:1@laneid]"},
      {"S[(8,):((4,\"laneid\"),)]", "S[8:4@laneid]"},
      {"S[8:(4,\"laneid\")]", "S[8:4@laneid]"},
      {"S[8:4@laneid] + 1@laneid + 2@laneid", "S[8:4@laneid] + 3@laneid"},
      {"S[8:4@laneid] + (1@laneid + 2@warpid + 64)", "S[8:4@laneid] + 64 + 1@laneid + 2@warpid"},
      {"S[(2,4):(-3,1)] - 3@tx", "S[(2,4):(-3,1)] - 3@tid"},
      {"R[32:1@laneid]", "S[] + R[32:1@laneid]"},
      {"S[]", "S[]"},
      {"S[(N,192):(192,1)]", "S[(N,192):(192,1)]"},
      {"S[(N + 1,2*K):(2*K,1)] + (N+1)@warpid + 3*N", "S[(N + 1,2*K):(2*K,1)] + 3*N + (N + 1)@warpid"},
      {"S[4:(N + 1)@tid]", "S[4:(N + 1)@tid]"},
      {"swizzle[3,3,3] o S[512:1]", "swizzle[3,3,3] o S[512:1]"},
      {"swizzle_outer[0, 3, 3] o S[8,8]", "swizzle_outer[0,3,3] o S[(8,8):(8,1)]"},
  };
  for (const auto& [text, printed] : kCases) {
    EXPECT_EQ(Reprint(text), printed) << text;
    EXPECT_EQ(Reprint(printed), printed) << text;
  }
}

TEST(Parse, SaysWhereAndWhatItExpected) {
  const std::vector<std::pair<std::string, std::string>> kCases = {
      {"", "layout: parse: column 1: expected an integer, a symbol or '(', found the end of the text"},
      {"S[8:4@lanid]",
       "layout: parse: column 7: layout: axis: unknown axis \"lanid\"; the nearest known one is \"laneid\""},
      {"S[8:laneid]", "layout: parse: column 5: \"laneid\" is an axis, not a stride; write 1@laneid"},
      {"S[(8,4):(1,2,3)]", "layout: parse: column 3: 2 extents but 3 strides"},
      {"S[8:1] + S[4:1]", "layout: parse: column 10: a layout has one S[...]"},
      {"S[8:1", "layout: parse: column 6: expected ']', found the end of the text"},
      {"S[8;1]", "layout: parse: column 4: expected ':' or ']', found ';'"},
      {"S[8:1] x", "layout: parse: column 8: expected the end of the layout, found 'x'"},
      {"S[0:1]", "layout: construct: an extent must be at least 1, got 0 (stride 1@m)"},
      {"S[-4:1]", "layout: construct: an extent must be at least 1, got -4 (stride 1@m)"},
      {"S[99999999999999999999:1]", "layout: parse: column 3: the integer does not fit in 63 bits"},
      {"S[4611686018427387904,4]", "layout: construct: the size leaves 63 bits"},
      {"S[(2,2):(4611686018427387904,4611686018427387904)]", "layout: construct: the span leaves 63 bits"},
      {"swizzle[3,3,2] o S[512:1]",
       "layout: construct: ill-formed swizzle: expected atom_len >= swizzle_len >= 0 and per_element >= 0 with a sum "
       "of "
       "at most 40, got per_element 3, swizzle_len 3, atom_len 2"},
      {"swizzle[3,3,3] S[512:1]", "layout: parse: column 17: expected 'o' between the swizzle and its tile, found '['"},
      {"swizzle[3,3,3] o S[(32,2):(1@laneid,1)]",
       "layout: construct: ill-formed swizzle: its tile must map to m alone, got laneid in S[(32,2):(1@laneid,1)]"},
      {"S[8:1] + (S[4:1] + 3)@m", "layout: parse: column 10: only a sum of numbers can be put on the axis m"},
      {"S[8:1] - R[4:1]", "layout: parse: column 10: R[...] cannot be subtracted"},
      {"S[8:4@\"laneid]", "layout: parse: column 7: the quote is not closed"},
  };
  for (const auto& [text, message] : kCases) EXPECT_EQ(Reprint(text), message) << text;
}

TEST(Parse, IsBounded) {
  EXPECT_EQ(Reprint(std::string(100, '(') + "S[1:1]"), "layout: parse: column 65: more than 64 levels");
  EXPECT_EQ(Reprint(std::string(70000, ' ')), "layout: parse: at most 65536 bytes of text, got 70000");
  std::string many = "S[1";
  for (int i = 0; i < 300; ++i) many += ",1";
  EXPECT_EQ(Reprint(many + "]"), "layout: parse: column 515: at most 256 extents");
  std::string powers = "S[N";
  for (int i = 0; i < 5000; ++i) powers += "*(N+1)";
  EXPECT_EQ(Reprint(powers + ":1]"), "layout: construct: an extent or a stride on m leaves 63 bits");
}

}  // namespace
}  // namespace kiln::layout
