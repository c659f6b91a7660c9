#include "compiler/interp/native/actors.h"

#include "compiler/support/str_cat.h"

namespace kiln::interp {

Actors::Actors(int64_t threads, int64_t ctas, const std::vector<Location>& places)
    : threads_(threads), first_(static_cast<int32_t>(threads * ctas)), places_(places) {}

void Actors::Reset() { lines_.clear(); }

int32_t Actors::Add(const char* operation) {
  lines_.push_back({operation, {}});
  return first_ + static_cast<int32_t>(lines_.size()) - 1;
}

void Actors::Started(int32_t actor, uint32_t when, int pc) {
  std::vector<int>& pcs = lines_[static_cast<size_t>(actor - first_)].pcs;
  if (pcs.size() < when) pcs.resize(when, pc);
  pcs[when - 1] = pc;
}

const Location& Actors::PlaceOf(int32_t actor, uint32_t when) const {
  return places_[static_cast<size_t>(lines_[static_cast<size_t>(actor - first_)].pcs[when - 1])];
}

std::string Actors::Name(int32_t actor, uint32_t when) const {
  if (IsThread(actor)) return StrCat("thread ", actor % threads_);
  const Location& at = PlaceOf(actor, when);
  std::string name = StrCat("the ", lines_[static_cast<size_t>(actor - first_)].operation);
  if (at.line > 0) StrAppend(&name, " at ", at.line, ":", at.column);
  return name;
}

}  // namespace kiln::interp
