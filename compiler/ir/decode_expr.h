// The node table of a module's bytes, read and checked.
#ifndef KILN_COMPILER_IR_DECODE_EXPR_H_
#define KILN_COMPILER_IR_DECODE_EXPR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/expr/expr.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {

namespace wire {
class Module;
class Node;
class DType;
class Attr;
}  // namespace wire

template <typename... Args>
absl::Status DecodeError(const Args&... args) {
  return absl::InvalidArgumentError(StrCat("decode: ", args...));
}

// `text` in quotes, shortened and with its odd bytes escaped.
std::string Quoted(std::string_view text);

absl::Status CheckName(std::string_view where, std::string_view name);
// As names of variables are: `x`, `cta_id.x`.
absl::Status CheckDottedName(std::string_view where, std::string_view name);
absl::StatusOr<DType> CheckDType(std::string_view where, uint32_t value);
// One of a dtype and a parameter's name; `optional` also takes neither.
absl::StatusOr<DTypeRef> CheckDTypeRef(std::string_view where, const wire::DType& dtype, bool optional = false);

class NodeTable {
 public:
  absl::Status Read(const wire::Module& module);

  // A use of a node as a whole expression. Counts towards the module's size: expressions may share, walks do not.
  absl::StatusOr<Expr> Use(std::string_view where, uint32_t index);

  // Once everything was used.
  absl::Status CheckAllUsed() const;

 private:
  struct Row {
    Expr expr;
    int height = 0;
    int64_t size = 0;  // As a tree
    bool used = false;
  };

  absl::Status ReadNode(const wire::Node& wire, size_t index);
  absl::Status ReadChildren(const wire::Node& wire, size_t index, const std::string& where, Node& node, Row& row);
  absl::StatusOr<Expr> Child(const std::string& where, uint32_t child, size_t index, Row& row, bool item);
  absl::Status ReadAttr(const wire::Attr& wire, size_t index, const std::string& where, std::vector<Attr>& to,
                        Row& row);

  std::vector<Row> rows_;
  int64_t total_ = 0;
};

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_DECODE_EXPR_H_
