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
      warp_epochs_(static_cast<size_t>((threads + kWarp - 1) / kWarp)) {}

void SharedMemory::Reset() {
  std::fill(bytes_.begin(), bytes_.end(), 0xcd);
  std::fill(states_.begin(), states_.end(), Byte{});
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
    Byte& byte = states_[static_cast<size_t>(k)];
    if (byte.state == State::kInFlight) return "read while an asynchronous copy into it is in flight";
    if (byte.state == State::kEmpty && options_.check_uninitialized) return "read, and nothing wrote it";
    if (!options_.check_races) continue;
    if (Unordered(byte.written, thread)) return Race("read", "written", byte.written, thread);
    Touch now = Now(thread);
    if (byte.read.epoch == epoch_ && byte.read.thread != kNobody && byte.read.thread != thread) {
      now.thread = kSeveral;
      if (byte.read.warp != now.warp) now.warp = -1;
    }
    byte.read = now;
  }
  return std::nullopt;
}

std::optional<std::string> SharedMemory::NoteWrite(int64_t begin, int64_t count, int64_t thread,
                                                   const uint8_t* changed) {
  for (int64_t k = 0; k < count; ++k) {
    Byte& byte = states_[static_cast<size_t>(begin + k)];
    if (byte.state == State::kInFlight) return "written while an asynchronous copy into it is in flight";
    if (options_.check_races && changed[k]) {
      if (Unordered(byte.written, thread)) return Race("written", "written", byte.written, thread);
      if (Unordered(byte.read, thread)) return Race("written", "read", byte.read, thread);
    }
    byte.state = State::kWritten;
    byte.written = Now(thread);
  }
  return std::nullopt;
}

std::optional<std::string> SharedMemory::NoteIssue(int64_t begin, int64_t count, int64_t thread) {
  std::vector<uint8_t> changed(static_cast<size_t>(count), 1);
  std::optional<std::string> wrong = NoteWrite(begin, count, thread, changed.data());
  if (wrong) return wrong;
  for (int64_t k = begin; k < begin + count; ++k) states_[static_cast<size_t>(k)].state = State::kInFlight;
  return std::nullopt;
}

void SharedMemory::Land(int64_t begin, const uint8_t* source, int64_t read, int64_t count, int64_t thread) {
  uint8_t* target = bytes_.data() + begin;
  if (read > 0) std::memcpy(target, source, static_cast<size_t>(read));
  std::fill(target + read, target + count, 0);
  for (int64_t k = begin; k < begin + count; ++k) {
    Byte& byte = states_[static_cast<size_t>(k)];
    byte.state = State::kWritten;
    byte.written = Now(thread);
  }
}

void SharedMemory::Forget(int64_t begin, int64_t count) {
  for (int64_t k = begin; k < begin + count; ++k) states_[static_cast<size_t>(k)].state = State::kEmpty;
}

}  // namespace kiln::interp
