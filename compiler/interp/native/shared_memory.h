// The shared memory of a CTA, and what each of its bytes has been through: written or not, an asynchronous copy on its
// way to it, who touched it since the barriers that order threads.
#ifndef KILN_COMPILER_INTERP_NATIVE_SHARED_MEMORY_H_
#define KILN_COMPILER_INTERP_NATIVE_SHARED_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/interp/value.h"

namespace kiln::interp {

class SharedMemory {
 public:
  // Borrows `options`.
  SharedMemory(int64_t bytes, int64_t threads, const RunOptions& options);

  // As a new CTA finds it.
  void Reset();

  uint8_t* data() { return bytes_.data(); }

  // What is wrong with thread `thread` reading or writing these bytes; nothing when all is well. `changed` has one
  // entry a byte, 0 where the write stores what is there: two threads that write the same do not race.
  std::optional<std::string> NoteRead(int64_t begin, int64_t count, int64_t thread);
  std::optional<std::string> NoteWrite(int64_t begin, int64_t count, int64_t thread, const uint8_t* changed);

  // An asynchronous copy is issued, and lands.
  std::optional<std::string> NoteIssue(int64_t begin, int64_t count, int64_t thread);
  void Land(int64_t begin, const uint8_t* source, int64_t read, int64_t count, int64_t thread);

  // The bytes hold nothing from now on.
  void Forget(int64_t begin, int64_t count);

  void Barrier() { ++epoch_; }
  void WarpBarrier(int64_t warp) { ++warp_epochs_[static_cast<size_t>(warp)]; }

 private:
  enum class State : uint8_t { kEmpty = 0, kWritten, kInFlight };
  static constexpr int16_t kNobody = -1;
  static constexpr int16_t kSeveral = -2;

  struct Touch {
    int16_t thread = kNobody;
    int16_t warp = -1;  // Of kSeveral: theirs when they share one, else -1
    uint32_t epoch = 0;
    uint32_t warp_epoch = 0;
  };
  struct Touches {
    Touch written, read;
  };

  bool Unordered(const Touch& touch, int64_t thread) const;
  Touch Now(int64_t thread) const;
  std::string Race(const char* mine, const char* theirs, const Touch& touch, int64_t thread) const;

  const RunOptions& options_;
  std::vector<uint8_t> bytes_;
  std::vector<State> states_;
  std::vector<Touches> touches_;  // Empty where races are not looked for
  uint32_t epoch_ = 1;
  std::vector<uint32_t> warp_epochs_;
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_SHARED_MEMORY_H_
