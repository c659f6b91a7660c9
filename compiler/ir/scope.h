// The names visible at a point of a text.
#ifndef KILN_COMPILER_IR_SCOPE_H_
#define KILN_COMPILER_IR_SCOPE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/expr.h"

namespace kiln::ir {

enum class NameKind : uint8_t { kValue, kDType, kLayout, kRing, kSlot, kSchedule };

class Scope {
 public:
  struct Entry {
    NameKind kind = NameKind::kValue;
    Location at;
  };

  // Null when the name is not visible.
  const Entry* Find(std::string_view name) const {
    auto it = visible_.find(name);
    return it == visible_.end() ? nullptr : &it->second;
  }

  // False, changing nothing, when the name is visible already.
  bool Declare(std::string_view name, NameKind kind, Location at) {
    if (!visible_.emplace(std::string(name), Entry{kind, at}).second) return false;
    order_.emplace_back(name);
    return true;
  }

  // Names declared after Mark are gone with Release(mark).
  size_t Mark() const { return order_.size(); }
  void Release(size_t mark) {
    for (; order_.size() > mark; order_.pop_back()) visible_.erase(order_.back());
  }

  // In the order of the alphabet.
  std::vector<std::string_view> Names(NameKind kind) const {
    std::vector<std::string_view> names;
    for (const auto& [name, entry] : visible_)
      if (entry.kind == kind) names.push_back(name);
    return names;
  }

 private:
  std::map<std::string, Entry, std::less<>> visible_;
  std::vector<std::string> order_;
};

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_SCOPE_H_
