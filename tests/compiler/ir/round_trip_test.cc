// Canonical text -> IR -> bytes -> IR -> text is the identity.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/decode.h"
#include "compiler/ir/encode.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/places.h"
#include "compiler/ir/print.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "tests/compiler/ir/random_module.h"

namespace kiln::ir {
namespace {

// Choices come from one list, which rapidcheck shortens when a property fails; where it ends, every choice is the
// first.
Pick Chance() {
  auto choices = std::make_shared<std::vector<uint16_t>>(
      *rc::gen::resize(3000, rc::gen::container<std::vector<uint16_t>>(rc::gen::inRange<uint16_t>(0, UINT16_MAX))));
  return [choices, next = size_t{0}](uint64_t limit) mutable -> uint64_t {
    uint64_t choice = 0;
    for (uint64_t range = limit; range > 0; range >>= 16) {
      choice = choice << 16 | (next < choices->size() ? (*choices)[next] : 0);
      ++next;
    }
    return choice % limit;
  };
}

RC_GTEST_PROP(RoundTrip, TextToIrToBytesToIrToText, ()) {
  const std::string text = Print(RandomModule(Chance()));
  auto parsed = Parse(text, "random");
  if (!parsed.ok()) RC_FAIL(std::string(parsed.status().message()) + "\n" + text);
  RC_ASSERT(Print(*parsed) == text);
  for (bool positions : {false, true}) {
    auto decoded = Decode(Encode(*parsed, {.positions = positions}));
    if (!decoded.ok()) RC_FAIL(std::string(decoded.status().message()) + "\n" + text);
    RC_ASSERT(Print(*decoded) == text);
  }
}

RC_GTEST_PROP(RoundTrip, ParsedAndBuiltModulesHaveTheSameBytes, ()) {
  Module built = RandomModule(Chance());
  auto parsed = Parse(Print(built), "random");
  RC_ASSERT(parsed.ok());
  RC_ASSERT(Encode(built, {.positions = false}) == Encode(*parsed, {.positions = false}));
}

RC_GTEST_PROP(RoundTrip, BytesKeepPlaces, ()) {
  auto parsed = Parse(Print(RandomModule(Chance())), "random");
  RC_ASSERT(parsed.ok());
  auto decoded = Decode(Encode(*parsed));
  RC_ASSERT(decoded.ok());
  std::vector<Location> before = CollectPlaces(*parsed), after = CollectPlaces(*decoded);
  RC_ASSERT(before.size() == after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    RC_ASSERT(before[i].line == after[i].line);
    RC_ASSERT(before[i].column == after[i].column);
  }
}

RC_GTEST_PROP(RoundTrip, BytesKeepCommentsInTheSideTableAlone, ()) {
  Module module = RandomModule(Chance(), /*comments=*/true);
  auto decoded = Decode(Encode(module));
  if (!decoded.ok()) RC_FAIL(std::string(decoded.status().message()));
  RC_ASSERT(Print(*decoded) == Print(module));
  auto parsed = Parse(Print(module), "random");
  RC_ASSERT(parsed.ok());
  RC_ASSERT(Encode(module, {.positions = false}) == Encode(*parsed, {.positions = false}));
}

}  // namespace
}  // namespace kiln::ir
