#include "compiler/interp/native/shared_memory.h"

#include <algorithm>
#include <cstring>

#include "compiler/support/str_cat.h"

namespace kiln::interp {

SharedMemory::SharedMemory(int64_t bytes, bool concurrent, const RunOptions& options, const Actors& actors)
    : options_(options),
      actors_(actors),
      bytes_(static_cast<size_t>(bytes)),
      states_(static_cast<size_t>(bytes)),
      touches_(options.check_races && concurrent ? static_cast<size_t>(bytes) : 0) {}

void SharedMemory::Reset() {
  std::fill(bytes_.begin(), bytes_.end(), 0xcd);
  std::fill(states_.begin(), states_.end(), State::kEmpty);
  std::fill(touches_.begin(), touches_.end(), Touches{});
  readers_.Reset();
}

const char* SharedMemory::ReadFault(State state) const {
  if (state == State::kInFlight) return "read while an asynchronous copy into it is in flight";
  if (state == State::kBarrier) return "read, and holds a barrier object";
  if (state == State::kEmpty && options_.check_uninitialized) return "read, and nothing wrote it";
  return nullptr;
}

std::string SharedMemory::Race(const char* mine, const char* theirs, const Touch& touch, const std::string& who) const {
  return StrCat(mine, " by ", who, " and ", theirs, " by ", actors_.Name(touch.actor, touch.when),
                actors_.IsThread(touch.actor) ? " with no barrier between" : ", which it has not waited for");
}

std::optional<std::string> SharedMemory::NoteRead(int64_t begin, int64_t count, const Knowledge& thread) {
  const Touch now{thread.actor, thread.own};
  for (int64_t k = begin; k < begin + count; ++k) {
    if (const char* fault = ReadFault(states_[static_cast<size_t>(k)])) return fault;
    if (touches_.empty()) continue;
    Touches& touches = touches_[static_cast<size_t>(k)];
    const Touch& written = touches.written;
    if (written.actor >= 0 && !thread.Sees(written.actor, written.when))
      return Race("read", "written", written, actors_.Name(thread.actor, 0));
    touches.readers = readers_.With(touches.readers, now, thread);
  }
  return std::nullopt;
}

std::optional<std::string> SharedMemory::NoteWrite(int64_t begin, int64_t count, const Knowledge& thread,
                                                   const uint8_t* changed) {
  for (int64_t k = 0; k < count; ++k) {
    State& state = states_[static_cast<size_t>(begin + k)];
    if (state == State::kInFlight) return "written while an asynchronous copy into it is in flight";
    if (state == State::kBarrier) return "written, and holds a barrier object";
    state = State::kWritten;
    if (touches_.empty()) continue;
    Touches& touches = touches_[static_cast<size_t>(begin + k)];
    if (changed[k]) {
      const Touch& written = touches.written;
      if (written.actor >= 0 && !thread.Sees(written.actor, written.when))
        return Race("written", "written", written, actors_.Name(thread.actor, 0));
      if (touches.readers != 0) {
        Touch reader = readers_.Unseen(touches.readers, thread);
        if (reader.actor >= 0) return Race("written", "read", reader, actors_.Name(thread.actor, 0));
        touches.readers = 0;
      }
    }
    touches.written = {thread.actor, thread.own};
  }
  return std::nullopt;
}

std::optional<std::string> SharedMemory::NoteIssue(int64_t begin, int64_t count, const Knowledge& thread) {
  std::vector<uint8_t> changed(static_cast<size_t>(count), 1);
  std::optional<std::string> wrong = NoteWrite(begin, count, thread, changed.data());
  if (wrong) return wrong;
  std::fill_n(states_.begin() + begin, count, State::kInFlight);
  return std::nullopt;
}

void SharedMemory::Land(int64_t begin, const uint8_t* source, int64_t read, int64_t count, const Touch& writer) {
  uint8_t* target = bytes_.data() + begin;
  if (read > 0) std::memcpy(target, source, static_cast<size_t>(read));
  std::fill(target + read, target + count, 0);
  std::fill_n(states_.begin() + begin, count, State::kWritten);
  for (int64_t k = begin; k < begin + count && !touches_.empty(); ++k)
    touches_[static_cast<size_t>(k)].written = writer;
}

std::optional<std::string> SharedMemory::NoteAsyncRead(int64_t begin, int64_t count,
                                                       absl::Span<const Knowledge* const> threads,
                                                       const Touch& reader) {
  Touch seen;  // By all of them
  for (int64_t k = begin; k < begin + count; ++k) {
    if (const char* fault = ReadFault(states_[static_cast<size_t>(k)])) return fault;
    if (touches_.empty()) continue;
    Touches& touches = touches_[static_cast<size_t>(k)];
    touches.readers = readers_.With(touches.readers, reader, *threads[0]);
    const Touch& written = touches.written;
    if (written.actor < 0 || written == seen) continue;
    for (const Knowledge* thread : threads) {
      if (!thread->Sees(written.actor, written.when))
        return Race("read", "written", written, actors_.Name(reader.actor, reader.when));
      if (actors_.IsThread(written.actor) && !thread->SeesFenced(written.actor, written.when)) {
        return StrCat("read by ", actors_.Name(reader.actor, reader.when), " and written by ",
                      actors_.Name(written.actor, written.when), " with no fence_proxy_async between");
      }
    }
    seen = written;
  }
  return std::nullopt;
}

bool SharedMemory::PlaceBarrier(int64_t begin, int64_t count) {
  for (int64_t k = begin; k < begin + count; ++k) {
    State& state = states_[static_cast<size_t>(k)];
    if (state == State::kInFlight || state == State::kBarrier) return false;
    state = State::kBarrier;
  }
  return true;
}

void SharedMemory::Forget(int64_t begin, int64_t count) { std::fill_n(states_.begin() + begin, count, State::kEmpty); }

}  // namespace kiln::interp
