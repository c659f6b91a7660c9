#include "compiler/layout/parse.h"

#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "compiler/layout/error.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

constexpr size_t kMaxText = 65536;
constexpr int kMaxDepth = 64;

struct Spec {
  std::optional<std::vector<Iter>> shard;
  std::optional<std::vector<Iter>> replica;
  Offset offset;
};

bool IsNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Layout> ParseAll() {
    if (text_.size() > kMaxText) return Error("parse", "at most ", kMaxText, " bytes of text, got ", text_.size());
    std::optional<Swizzle> swizzle;
    if (PeekName() == "swizzle" || PeekName() == "swizzle_outer") {
      KILN_ASSIGN_OR_RETURN(swizzle, ParseSwizzle());
    }
    Spec spec;
    KILN_RETURN_IF_ERROR(ParseSum(spec));
    if (Peek() != '\0') return Expected("the end of the layout");
    KILN_ASSIGN_OR_RETURN(TileLayout tile, TileLayout::Make(std::move(spec.shard).value_or(std::vector<Iter>()),
                                                            std::move(spec.replica).value_or(std::vector<Iter>()),
                                                            std::move(spec.offset)));
    if (!swizzle.has_value()) return Layout(std::move(tile));
    KILN_ASSIGN_OR_RETURN(SwizzledLayout swizzled, SwizzledLayout::Make(*swizzle, std::move(tile)));
    return Layout(std::move(swizzled));
  }

 private:
  char Peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  // The name at the cursor, not taken; empty where there is none.
  std::string_view PeekName() {
    if (!IsNameStart(Peek())) return {};
    size_t end = at_;
    while (end < text_.size() && IsNameChar(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  std::string_view TakeName() {
    const std::string_view name = PeekName();
    at_ += name.size();
    return name;
  }

  absl::Status Expected(std::string_view what) {
    const char c = Peek();
    const std::string found = c == '\0' ? "the end of the text" : absl::StrCat("'", std::string(1, c), "'");
    return Error("parse", "column ", at_ + 1, ": expected ", what, ", found ", found);
  }

  absl::Status Require(char c) {
    if (Take(c)) return absl::OkStatus();
    return Expected(absl::StrCat("'", std::string(1, c), "'"));
  }

  absl::StatusOr<int64_t> ParseInteger() {
    Peek();
    size_t end = at_;
    while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
    int64_t value;
    if (end == at_) return Expected("an integer");
    if (!absl::SimpleAtoi(Piece(text_.substr(at_, end - at_)), &value)) {
      return Error("parse", "column ", at_ + 1, ": the integer does not fit in 63 bits");
    }
    at_ = end;
    return value;
  }

  absl::StatusOr<Swizzle> ParseSwizzle() {
    Swizzle swizzle;
    swizzle.inner = TakeName() == "swizzle";
    KILN_RETURN_IF_ERROR(Require('['));
    std::vector<int> numbers;
    for (int i = 0; i < 3; ++i) {
      if (i > 0) KILN_RETURN_IF_ERROR(Require(','));
      KILN_ASSIGN_OR_RETURN(const int64_t value, ParseInteger());
      if (value > 64) return Error("parse", "column ", at_, ": a swizzle's numbers are at most 64, got ", value);
      numbers.push_back(static_cast<int>(value));
    }
    KILN_RETURN_IF_ERROR(Require(']'));
    if (TakeName() != "o") return Expected("'o' between the swizzle and its tile");
    swizzle.per_element = numbers[0];
    swizzle.swizzle_len = numbers[1];
    swizzle.atom_len = numbers[2];
    return swizzle;
  }

  absl::Status Enter() {
    if (++depth_ > kMaxDepth) return Error("parse", "column ", at_ + 1, ": more than ", kMaxDepth, " levels");
    return absl::OkStatus();
  }

  absl::Status ParseSum(Spec& spec) {
    KILN_RETURN_IF_ERROR(Enter());
    bool negative = Take('-');
    while (true) {
      KILN_RETURN_IF_ERROR(ParseTerm(spec, negative));
      if (Take('+')) {
        negative = Take('-');
      } else if (Take('-')) {
        negative = true;
      } else {
        break;
      }
    }
    --depth_;
    return absl::OkStatus();
  }

  absl::Status ParseTerm(Spec& spec, bool negative) {
    const std::string_view name = PeekName();
    if ((name == "S" || name == "R") && at_ + 1 < text_.size() && text_[at_ + 1] == '[') {
      std::optional<std::vector<Iter>>& slot = name == "S" ? spec.shard : spec.replica;
      if (slot.has_value()) return Error("parse", "column ", at_ + 1, ": a layout has one ", name, "[...]");
      if (negative) return Error("parse", "column ", at_ + 1, ": ", name, "[...] cannot be subtracted");
      at_ += 2;
      KILN_ASSIGN_OR_RETURN(slot, ParseMap());
      return absl::OkStatus();
    }
    if (Peek() == '(') return ParseGroup(spec, negative);
    KILN_ASSIGN_OR_RETURN(Extent value, ParseProduct());
    Axis axis = Axis::kM;
    if (Take('@')) {
      KILN_ASSIGN_OR_RETURN(axis, ParseAxisName());
    }
    AddOffset(spec, axis, negative ? Extent(0) - value : value);
    return absl::OkStatus();
  }

  // A parenthesized part of the layout, or a sum that is the offset on one axis.
  absl::Status ParseGroup(Spec& spec, bool negative) {
    const size_t column = at_ + 1;
    KILN_RETURN_IF_ERROR(Require('('));
    Spec group;
    KILN_RETURN_IF_ERROR(ParseSum(group));
    KILN_RETURN_IF_ERROR(Require(')'));
    if (Take('@')) {
      KILN_ASSIGN_OR_RETURN(const Axis axis, ParseAxisName());
      if (group.shard || group.replica || group.offset.size() != 1 || !group.offset.contains(Axis::kM)) {
        return Error("parse", "column ", column, ": only a sum of numbers can be put on the axis ", Name(axis));
      }
      group.offset = {{axis, group.offset.at(Axis::kM)}};
    }
    for (auto [mine, theirs] : {std::pair(&spec.shard, &group.shard), std::pair(&spec.replica, &group.replica)}) {
      if (!theirs->has_value()) continue;
      if (mine->has_value()) return Error("parse", "column ", column, ": a layout has one S[...] and one R[...]");
      if (negative) return Error("parse", "column ", column, ": S[...] and R[...] cannot be subtracted");
      *mine = std::move(*theirs);
    }
    for (const auto& [axis, value] : group.offset) AddOffset(spec, axis, negative ? Extent(0) - value : value);
    return absl::OkStatus();
  }

  static void AddOffset(Spec& spec, Axis axis, const Extent& value) {
    Extent& sum = spec.offset[axis];
    sum += value;
  }

  absl::StatusOr<Axis> ParseAxisName() {
    const size_t column = at_ + 1;
    const char quote = Peek();
    std::string_view name;
    if (quote == '"' || quote == '\'') {
      const size_t end = text_.find(quote, at_ + 1);
      if (end == std::string_view::npos) return Error("parse", "column ", column, ": the quote is not closed");
      name = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
    } else {
      name = TakeName();
      if (name.empty()) return Expected("an axis name");
    }
    absl::StatusOr<Axis> axis = ParseAxis(name);
    if (!axis.ok()) return Error("parse", "column ", column, ": ", std::string(axis.status().message()));
    return axis;
  }

  // What stands between the brackets, the closing one taken.
  absl::StatusOr<std::vector<Iter>> ParseMap() {
    if (Take(']')) return std::vector<Iter>();
    const size_t column = at_ + 1;
    std::vector<Extent> extents;
    const bool listed = Peek() == '(';
    if (listed) ++at_;
    while (true) {
      KILN_ASSIGN_OR_RETURN(Extent extent, ParseSumOfProducts());
      extents.push_back(std::move(extent));
      if (extents.size() > kMaxIters) return Error("parse", "column ", at_, ": at most ", kMaxIters, " extents");
      if (!Take(',')) break;
      if (Peek() == ')' || Peek() == ']') break;
    }
    if (listed) KILN_RETURN_IF_ERROR(Require(')'));
    if (Take(']')) {
      KILN_ASSIGN_OR_RETURN(const TileLayout row_major, TileLayout::RowMajor(extents));
      return row_major.shard();
    }
    if (!Take(':')) return Expected("':' or ']'");
    std::vector<Iter> iters;
    KILN_RETURN_IF_ERROR(ParseStrides(extents, iters));
    KILN_RETURN_IF_ERROR(Require(']'));
    if (iters.size() != extents.size()) {
      return Error("parse", "column ", column, ": ", extents.size(), " extents but ", iters.size(), " strides");
    }
    return iters;
  }

  absl::Status ParseStrides(const std::vector<Extent>& extents, std::vector<Iter>& iters) {
    const size_t start = at_;
    const int start_depth = depth_;
    const auto add = [&](Iter stride) {
      const size_t i = iters.size();
      stride.extent = i < extents.size() ? extents[i] : Extent(1);
      iters.push_back(std::move(stride));
    };
    // `(` opens the list, except in the strides of one iter `(4, "laneid")` and `(N + 1)@m`, told apart by what
    // follows.
    if (Take('(')) {
      absl::Status listed = ParseStrideList(add, iters);
      if (listed.ok() && Peek() == ']' && iters.size() == extents.size()) return listed;
      if (extents.size() != 1) return listed;
      at_ = start;
      depth_ = start_depth;
      iters.clear();
      absl::StatusOr<Iter> single = ParseStride();
      if (!single.ok()) return listed.ok() ? single.status() : listed;
      add(*std::move(single));
      return absl::OkStatus();
    }
    KILN_ASSIGN_OR_RETURN(Iter single, ParseStride());
    add(std::move(single));
    return absl::OkStatus();
  }

  template <typename Add>
  absl::Status ParseStrideList(Add add, const std::vector<Iter>& iters) {
    while (Peek() != ')') {
      KILN_ASSIGN_OR_RETURN(Iter stride, ParseStride());
      add(std::move(stride));
      if (iters.size() > kMaxIters) return Error("parse", "column ", at_, ": at most ", kMaxIters, " strides");
      if (!Take(',')) break;
    }
    return Require(')');
  }

  absl::StatusOr<Iter> ParseStride() {
    Iter iter;
    if (Peek() == '"' || Peek() == '\'') {
      KILN_ASSIGN_OR_RETURN(iter.axis, ParseAxisName());
      return iter;
    }
    const size_t start = at_;
    const int start_depth = depth_;
    if (Take('(')) {
      absl::StatusOr<Extent> value = ParseSumOfProducts();
      if (value.ok() && Take(',')) {
        iter.stride = *std::move(value);
        KILN_ASSIGN_OR_RETURN(iter.axis, ParseAxisName());
        Take(',');
        KILN_RETURN_IF_ERROR(Require(')'));
        return iter;
      }
      at_ = start;
      depth_ = start_depth;
    }
    const std::string_view name = PeekName();
    if (name.size() > 1 && FindAxis(name).has_value()) {
      return Error("parse", "column ", at_ + 1, ": \"", name, "\" is an axis, not a stride; write 1@", name);
    }
    const bool negative = Take('-');
    KILN_ASSIGN_OR_RETURN(iter.stride, ParseProduct());
    if (negative) iter.stride = Extent(0) - iter.stride;
    if (Take('@')) {
      KILN_ASSIGN_OR_RETURN(iter.axis, ParseAxisName());
    }
    return iter;
  }

  absl::StatusOr<Extent> ParseSumOfProducts() {
    KILN_RETURN_IF_ERROR(Enter());
    bool negative = Take('-');
    Extent sum = 0;
    while (true) {
      KILN_ASSIGN_OR_RETURN(const Extent term, ParseProduct());
      sum = negative ? sum - term : sum + term;
      if (Take('+')) {
        negative = false;
      } else if (Take('-')) {
        negative = true;
      } else {
        break;
      }
    }
    --depth_;
    return sum;
  }

  absl::StatusOr<Extent> ParseProduct() {
    Extent product = 1;
    do {
      const char c = Peek();
      if (c == '(') {
        ++at_;
        KILN_ASSIGN_OR_RETURN(const Extent sum, ParseSumOfProducts());
        KILN_RETURN_IF_ERROR(Require(')'));
        product *= sum;
      } else if (IsNameStart(c)) {
        product *= Extent::Symbol(TakeName());
      } else if (std::isdigit(static_cast<unsigned char>(c))) {
        KILN_ASSIGN_OR_RETURN(const int64_t value, ParseInteger());
        product *= value;
      } else {
        return Expected("an integer, a symbol or '('");
      }
    } while (Take('*'));
    return product;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

absl::StatusOr<Layout> Parse(std::string_view text) { return Parser(text).ParseAll(); }

absl::StatusOr<TileLayout> ParseTile(std::string_view text) {
  KILN_ASSIGN_OR_RETURN(const Layout layout, Parse(text));
  if (!layout.is_tile()) return Error("parse", "expected a layout without a swizzle, got ", ToString(layout));
  return *layout.tile_if();
}

}  // namespace kiln::layout
