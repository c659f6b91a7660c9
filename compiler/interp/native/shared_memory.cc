#include "compiler/interp/native/shared_memory.h"

#include <algorithm>
#include <cstring>

#include "compiler/support/str_cat.h"

namespace kiln::interp {
namespace {

constexpr int64_t kWarp = 32;

}  // namespace

SharedMemory::SharedMemory(int64_t bytes, int64_t threads, const RunOptions& options)
    : options_(options),
      bytes_(static_cast<size_t>(bytes)),
      states_(static_cast<size_t>(bytes)),
      touches_(options.check_races && threads > 1 ? static_cast<size_t>(bytes) : 0),
      warp_epochs_(static_cast<size_t>((threads + kWarp - 1) / kWarp)) {}

void SharedMemory::Reset() {
  std::fill(bytes_.begin(), bytes_.end(), 0xcd);
  std::fill(states_.begin(), states_.end(), State::kEmpty);
  std::fill(touches_.begin(), touches_.end(), Touches{});
}

SharedMemory::Touch SharedMemory::Now(int64_t thread) const {
  auto warp = static_cast<int16_t>(thread / kWarp);
  return {static_cast<int16_t>(thread), warp, epoch_, warp_epochs_[static_cast<size_t>(warp)]};
}

bool SharedMemory::Unordered(const Touch& touch, int64_t thread) const {
  if (touch.thread == kNobody || touch.thread == thread || touch.epoch != epoch_) return false;
  int64_t warp = thread / kWarp;
  return touch.warp != warp || touch.warp_epoch == warp_epochs_[static_cast<size_t>(warp)];
}

std::string SharedMemory::Race(const char* mine, const char* theirs, const Touch& touch, int64_t thread) const {
  std::string other = touch.thread == kSeveral ? std::string("other threads") : StrCat("thread ", touch.thread);
  return StrCat(mine, " by thread ", thread, " and ", theirs, " by ", other, " with no barrier between");
}

std::optional<std::string> SharedMemory::NoteRead(int64_t begin, int64_t count, int64_t thread) {
  for (int64_t k = begin; k < begin + count; ++k) {
    State state = states_[static_cast<size_t>(k)];
    if (state == State::kInFlight) return "read while an asynchronous copy into it is in flight";
    if (state == State::kEmpty && options_.check_uninitialized) return "read, and nothing wrote it";
    if (touches_.empty()) continue;
    Touches& touches = touches_[static_cast<size_t>(k)];
    if (Unordered(touches.written, thread)) return Race("read", "written", touches.written, thread);
    Touch now = Now(thread);
    if (touches.read.epoch == epoch_ && touches.read.thread != kNobody && touches.read.thread != thread) {
      now.thread = kSeveral;
      if (touches.read.warp != now.warp) now.warp = -1;
    }
    touches.read = now;
  }
  return std::nullopt;
}

std::optional<std::string> SharedMemory::NoteWrite(int64_t begin, int64_t count, int64_t thread,
                                                   const uint8_t* changed) {
  for (int64_t k = 0; k < count; ++k) {
    State& state = states_[static_cast<size_t>(begin + k)];
    if (state == State::kInFlight) return "written while an asynchronous copy into it is in flight";
    state = State::kWritten;
    if (touches_.empty()) continue;
    Touches& touches = touches_[static_cast<size_t>(begin + k)];
    if (changed[k] && Unordered(touches.written, thread)) return Race("written", "written", touches.written, thread);
    if (changed[k] && Unordered(touches.read, thread)) return Race("written", "read", touches.read, thread);
    touches.written = Now(thread);
  }
  return std::nullopt;
}

std::optional<std::string> SharedMemory::NoteIssue(int64_t begin, int64_t count, int64_t thread) {
  std::vector<uint8_t> changed(static_cast<size_t>(count), 1);
  std::optional<std::string> wrong = NoteWrite(begin, count, thread, changed.data());
  if (wrong) return wrong;
  for (int64_t k = begin; k < begin + count; ++k) states_[static_cast<size_t>(k)] = State::kInFlight;
  return std::nullopt;
}

void SharedMemory::Land(int64_t begin, const uint8_t* source, int64_t read, int64_t count, int64_t thread) {
  uint8_t* target = bytes_.data() + begin;
  if (read > 0) std::memcpy(target, source, static_cast<size_t>(read));
  std::fill(target + read, target + count, 0);
  for (int64_t k = begin; k < begin + count; ++k) {
    states_[static_cast<size_t>(k)] = State::kWritten;
    if (!touches_.empty()) touches_[static_cast<size_t>(k)].written = Now(thread);
  }
}

void SharedMemory::Forget(int64_t begin, int64_t count) {
  for (int64_t k = begin; k < begin + count; ++k) states_[static_cast<size_t>(k)] = State::kEmpty;
}

}  // namespace kiln::interp
