#include "compiler/ir/diagnostics.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

// A generated file may be one long line; an error shows its neighbourhood alone.
constexpr int kShownColumns = 160;

std::string_view LineOf(std::string_view text, int line) {
  size_t begin = 0;
  for (int i = 1; i < line; ++i) {
    size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  std::string_view rest = text.substr(begin);
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

}  // namespace

void Diagnostics::Add(Location at, std::string message) {
  if (Full()) return;
  auto before = [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
  };
  Diagnostic diagnostic{at, std::move(message)};
  auto place = std::upper_bound(list_.begin(), list_.end(), diagnostic, before);
  list_.insert(place, std::move(diagnostic));
}

std::string Diagnostics::Render(const Diagnostic& diagnostic) const {
  const Location& at = diagnostic.at;
  std::string head = StrCat(file_, ":", at.line, ":", at.column, ": error: ", diagnostic.message);
  std::string_view line = LineOf(text_, at.line);
  size_t caret = static_cast<size_t>(std::max(at.column, 1) - 1);
  size_t first = caret > kShownColumns ? caret - kShownColumns / 2 : 0;
  std::string_view shown = line.substr(std::min(first, line.size()), kShownColumns);
  if (shown.empty()) return head;
  // Tabs are kept, so that the caret stands below its character whatever their width.
  std::string pad;
  for (char c : shown.substr(0, caret - first)) pad += c == '\t' ? '\t' : ' ';
  return StrCat(head, "\n  ", shown, "\n  ", pad, "^");
}

absl::Status Diagnostics::ToStatus() const {
  if (ok()) return absl::OkStatus();
  std::string all;
  for (const Diagnostic& diagnostic : list_) StrAppend(&all, all.empty() ? "" : "\n", Render(diagnostic));
  if (Full()) StrAppend(&all, "\n", file_, ": error: too many errors, the rest is not shown");
  return absl::InvalidArgumentError(all);
}

}  // namespace kiln::ir
