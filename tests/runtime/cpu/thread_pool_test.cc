#include "runtime/cpu/thread_pool.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::runtime {
namespace {

struct Counts {
  explicit Counts(int64_t n) : seen(n) {}
  std::vector<std::atomic<int>> seen;
  static void Body(void* context, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) static_cast<Counts*>(context)->seen[i].fetch_add(1);
  }
  bool AllOnce() const {
    for (const auto& count : seen)
      if (count.load() != 1) return false;
    return true;
  }
};

TEST(ThreadPool, RunsEveryItemOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.width(), threads);
    for (int64_t count : {0, 1, 2, 7, 1000}) {
      for (int64_t grain : {0, 1, 3, 5000}) {
        Counts counts(count);
        pool.For(count, grain, &Counts::Body, &counts);
        EXPECT_TRUE(counts.AllOnce()) << threads << " threads, " << count << " items, grain " << grain;
      }
    }
  }
}

TEST(ThreadPool, ServesManyCallersAtOnce) {
  ThreadPool pool(3);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        Counts counts(17);
        pool.For(17, 1, &Counts::Body, &counts);
        if (!counts.AllOnce()) wrong.fetch_add(1);
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong.load(), 0);
}

struct Nested {
  ThreadPool* pool;
  std::atomic<int> items{0};
};

// A body that launches waits on nobody but itself.
TEST(ThreadPool, BodiesMayCallIt) {
  ThreadPool pool(2);
  Nested nested{&pool};
  pool.For(
      4, 1,
      [](void* context, int64_t, int64_t) {
        auto* outer = static_cast<Nested*>(context);
        outer->pool->For(
            4, 1, [](void* inner, int64_t b, int64_t e) { static_cast<Nested*>(inner)->items.fetch_add(int(e - b)); },
            outer);
      },
      &nested);
  EXPECT_EQ(nested.items.load(), 16);
}

}  // namespace
}  // namespace kiln::runtime
