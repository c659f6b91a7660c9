// The shared memory of a CTA, and what each of its bytes has been through: written or not, an asynchronous copy on its
// way to it, a barrier object in it, who touched it.
#ifndef KILN_COMPILER_INTERP_NATIVE_SHARED_MEMORY_H_
#define KILN_COMPILER_INTERP_NATIVE_SHARED_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "compiler/interp/native/actors.h"
#include "compiler/interp/native/clocks.h"
#include "compiler/interp/native/readers.h"
#include "compiler/interp/value.h"

namespace kiln::interp {

class SharedMemory {
 public:
  // Borrows `options` and `actors`. `concurrent`: more than one thread, or asynchronous work.
  SharedMemory(int64_t bytes, bool concurrent, const RunOptions& options, const Actors& actors);

  // As a new CTA finds it.
  void Reset();

  uint8_t* data() { return bytes_.data(); }
  bool looks_for_races() const { return !touches_.empty(); }

  // What is wrong with `thread` reading or writing these bytes; nothing when all is well. `changed` has one
  // entry a byte, 0 where the write stores what is there: two threads that write the same do not race.
  std::optional<std::string> NoteRead(int64_t begin, int64_t count, const Knowledge& thread);
  std::optional<std::string> NoteWrite(int64_t begin, int64_t count, const Knowledge& thread, const uint8_t* changed);

  // An asynchronous copy is issued by `thread`, and lands: from then on `writer` wrote it.
  std::optional<std::string> NoteIssue(int64_t begin, int64_t count, const Knowledge& thread);
  void Land(int64_t begin, const uint8_t* source, int64_t read, int64_t count, const Touch& writer);

  // `reader`, of the asynchronous proxy, starts to read on behalf of each of `threads`.
  std::optional<std::string> NoteAsyncRead(int64_t begin, int64_t count, absl::Span<const Knowledge* const> threads,
                                           const Touch& reader);

  // A barrier object takes these bytes. False: they are not free for it.
  bool PlaceBarrier(int64_t begin, int64_t count);

  // The bytes hold nothing from now on.
  void Forget(int64_t begin, int64_t count);
  // Everything so far happened before everything that follows.
  void ForgetReaders() { readers_.ForgetAll(); }

 private:
  enum class State : uint8_t { kEmpty = 0, kWritten, kInFlight, kBarrier };
  struct Touches {
    Touch written;
    Readers::Set readers = 0;
  };

  const char* ReadFault(State state) const;
  std::string Race(const char* mine, const char* theirs, const Touch& touch, const std::string& who) const;

  const RunOptions& options_;
  const Actors& actors_;
  std::vector<uint8_t> bytes_;
  std::vector<State> states_;
  std::vector<Touches> touches_;  // Empty where races are not looked for
  Readers readers_;
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_SHARED_MEMORY_H_
