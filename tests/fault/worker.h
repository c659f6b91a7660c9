// A cache_worker as its test sees it: a process that is told what to do, read from, signalled and waited for.
#ifndef KILN_TESTS_FAULT_WORKER_H_
#define KILN_TESTS_FAULT_WORKER_H_

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {

// Whether the tests are to run at full size, as `tools/check --faults` asks, rather than at one that every test run
// bears.
inline bool FullSize() { return getenv("KILN_FAULTS") != nullptr; }

// One running cache_worker, whose standard output is kept.
class Worker {
 public:
  explicit Worker(std::vector<std::string> arguments) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cache_worker";
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ), 0) << program;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
  }
  Worker(Worker&& other) noexcept : pid_(std::exchange(other.pid_, -1)), output_(std::exchange(other.output_, -1)) {}
  ~Worker() {
    if (pid_ > 0) {
      Signal(SIGKILL);
      Wait();
    }
    if (output_ >= 0) close(output_);
  }

  void Signal(int number) { kill(pid_, number); }

  std::string ReadLine() {
    std::string line;
    for (char c; read(output_, &c, 1) == 1 && c != '\n';) line.push_back(c);
    return line;
  }

  // The exit code, or minus the signal that ended it.
  int Wait() {
    int status = 0;
    EXPECT_EQ(waitpid(std::exchange(pid_, -1), &status, 0) > 0, true);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

// How often each line stands in a file.
inline std::map<std::string, int> CountLines(const std::string& path) {
  std::map<std::string, int> counts;
  for (const auto& line : absl::StrSplit(ReadFile(path), '\n', absl::SkipEmpty())) ++counts[std::string(line)];
  return counts;
}

}  // namespace kiln::cache

#endif  // KILN_TESTS_FAULT_WORKER_H_
