#include "api/compile_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "absl/synchronization/notification.h"

namespace kiln::api {
namespace {

TEST(CompileQueue, RunsEverythingThatHasBegun) {
  std::atomic<int> ran{0};
  absl::Notification last;
  {
    CompileQueue queue(2);
    for (int i = 0; i < 50; ++i)
      queue.Add([&] {
        if (++ran == 50) last.Notify();
      });
    last.WaitForNotification();
  }
  EXPECT_EQ(ran, 50);
}

TEST(CompileQueue, TasksThatWaitForEachOtherRunAtOnce) {
  CompileQueue queue(2);
  absl::Notification first, second, done;
  queue.Add([&] {
    first.Notify();
    second.WaitForNotification();
    done.Notify();
  });
  queue.Add([&] {
    first.WaitForNotification();
    second.Notify();
  });
  done.WaitForNotification();
}

TEST(CompileQueue, DropsWhatHasNotBegun) {
  auto held = std::make_shared<int>(0);
  absl::Notification begun, end;
  std::thread releaser;
  {
    CompileQueue queue(1);
    queue.Add([&] {
      begun.Notify();
      end.WaitForNotification();
    });
    begun.WaitForNotification();
    queue.Add([held] { ++*held; });
    EXPECT_EQ(held.use_count(), 2);
    releaser = std::thread([&] {
      while (held.use_count() != 1) std::this_thread::yield();
      end.Notify();
    });
  }
  releaser.join();
  EXPECT_EQ(*held, 0);
}

TEST(CompileQueue, ATaskMayDestroyTheQueue) {
  auto queue = std::make_shared<CompileQueue>(1);
  absl::Notification gone, may_go;
  queue->Add([&gone, &may_go, queue]() mutable {
    may_go.WaitForNotification();
    queue.reset();
    gone.Notify();
  });
  queue.reset();
  may_go.Notify();
  gone.WaitForNotification();
}

}  // namespace
}  // namespace kiln::api
