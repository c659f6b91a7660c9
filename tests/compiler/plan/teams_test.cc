// Which operations a team's threads may reach: what is refused, by whom it says is missing, and what is not.

#include "compiler/plan/teams.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/ir/parse.h"
#include "compiler/specialize/specialize.h"
#include "compiler/targets/targets.h"

namespace kiln {
namespace {

struct TeamCase {
  const char* name;
  const char* body;     // Of a kernel with 256 threads; its first line is the second of the text
  const char* refusal;  // Empty: accepted
};
std::ostream& operator<<(std::ostream& out, const TeamCase& c) { return out << c.name; }

std::string RefusalOf(const std::string& body) {
  const std::string text = absl::StrCat(
      "kernel f(a: inout tensor<i32>[256], m: tensor<i32>[M], n: i32) launch grid(4) block(256) {\n", body, "\n}");
  absl::StatusOr<ir::Module> module = ir::Parse(text, "f");
  if (!module.ok()) return std::string(module.status().message());
  absl::StatusOr<ir::Kernel> kernel = Specialize(*module, "f", {}, FindTarget("sm_90a").value());
  if (!kernel.ok()) return std::string(kernel.status().message());
  return std::string(CheckTeams(*kernel, Uniformity(*kernel)).message());
}

class Teams : public ::testing::TestWithParam<TeamCase> {};

// Case SYNC-2 V, SYNC-3 V
TEST_P(Teams, AreCheckedAsTheyMust) { EXPECT_EQ(RefusalOf(GetParam().body), GetParam().refusal); }

constexpr TeamCase kRefused[] = {
    {"thread_equals", "if thread_id == 0 { cta.sync() }",
     "plan: kernel \"f\": 2:21: cta.sync needs all 256 threads of the CTA; 255 are missing: threads 1..255; they do "
     "not "
     "take the branch at 2:1"},
    {"warp_equals_cta", "if warp_id == 2 { cta.sync() }",
     "plan: kernel \"f\": 2:19: cta.sync needs all 256 threads of the CTA; 224 are missing: threads 0..63, 96..255; "
     "they "
     "do not take the branch at 2:1"},
    {"warp_equals_warpgroup", "if warp_id == 2 { warpgroup.sync() }",
     "plan: kernel \"f\": 2:19: warpgroup.sync needs all 128 threads of warpgroup 0; 96 are missing: threads 0..63, "
     "96..127; they do not take the branch at 2:1"},
    {"lane_equals", "if lane_id == 0 { warp.sync() }",
     "plan: kernel \"f\": 2:19: warp.sync needs all 32 lanes of warp 0; 31 are missing: lanes 1..31; they do not take "
     "the branch at 2:1"},
    {"range", "if thread_id >= 8 and thread_id < 40 { warp.sync() }",
     "plan: kernel \"f\": 2:40: warp.sync needs all 32 lanes of warp 0; 8 are missing: lanes 0..7; they do not take "
     "the "
     "branch at 2:1"},
    {"range_of_the_second_warp", "if thread_id < 40 { warp.sync() }",
     "plan: kernel \"f\": 2:21: warp.sync needs all 32 lanes of warp 1; 24 are missing: lanes 8..31; they do not take "
     "the branch at 2:1"},
    {"modulo", "if thread_id % 128 >= 2 { cta.sync() }",
     "plan: kernel \"f\": 2:27: cta.sync needs all 256 threads of the CTA; 4 are missing: threads 0, 1, 128, 129; they "
     "do "
     "not take the branch at 2:1"},
    {"else_branch", "if warp_id < 3 { a[thread_id] = 1 } else { warpgroup.sync() }",
     "plan: kernel \"f\": 2:44: warpgroup.sync needs all 128 threads of warpgroup 0; 96 are missing: threads 0..95; "
     "they "
     "do not take the branch at 2:1"},
    {"not", "if not (warp_id == 0) { cta.sync() }",
     "plan: kernel \"f\": 2:25: cta.sync needs all 256 threads of the CTA; 32 are missing: threads 0..31; they do not "
     "take the branch at 2:1"},
    {"or", "if warp_id == 0 or warp_id == 7 { cta.sync() }",
     "plan: kernel \"f\": 2:35: cta.sync needs all 256 threads of the CTA; 192 are missing: threads 32..223; they do "
     "not "
     "take the branch at 2:1"},
    {"and_with_unknown", "if thread_id < 128 and n > 3 { cta.sync() }",
     "plan: kernel \"f\": 2:32: cta.sync needs all 256 threads of the CTA; 128 are missing: threads 128..255; they do "
     "not take the branch at 2:1"},
    {"or_with_unknown", "if thread_id < 128 or n > 3 { cta.sync() }",
     "plan: kernel \"f\": 2:31: cta.sync needs all 256 threads of the CTA; any of threads 128..255 may be missing: `n "
     "> "
     "3i32` at 2:1 can differ between them"},
    {"through_lets", "let half = thread_id / 128\nlet upper = half == 1\nif upper { cta.sync() }",
     "plan: kernel \"f\": 4:12: cta.sync needs all 256 threads of the CTA; 128 are missing: threads 0..127; they do "
     "not "
     "take the branch at 4:1"},
    {"nested", "if warp_id < 4 {\n  if lane_id < 16 { warp.sync() }\n}",
     "plan: kernel \"f\": 3:21: warp.sync needs all 32 lanes of warp 0; 16 are missing: lanes 16..31; they do not take "
     "the branch at 3:3"},
    {"mask_in_memory", "if m[thread_id] != 0 { cta.sync() }",
     "plan: kernel \"f\": 2:24: cta.sync needs all 256 threads of the CTA; any of threads 0..255 may be missing: "
     "`m[thread_id] != 0i32` at 2:1 can differ between them"},
    {"mask_of_each_warp", "if m[warp_id] != 0 { cta.sync() }",
     "plan: kernel \"f\": 2:22: cta.sync needs all 256 threads of the CTA; any of threads 0..255 may be missing: "
     "`m[warp_id] != 0i32` at 2:1 can differ between them"},
    {"mask_of_each_lane", "if m[lane_id] != 0 { warp.sync() }",
     "plan: kernel \"f\": 2:22: warp.sync needs all 32 lanes of warp 0; any of lanes 0..31 may be missing: `m[lane_id] "
     "!= 0i32` at 2:1 can differ between them"},
    {"position_in_the_grid", "if cta_id.x * 256 + thread_id < n { cta.sync() }",
     "plan: kernel \"f\": 2:37: cta.sync needs all 256 threads of the CTA; any of threads 0..255 may be missing: "
     "`cta_id.x * 256 + thread_id < i64(n)` at 2:1 can differ between them"},
    {"elected_lane", "if elect() { warp.sync() }",
     "plan: kernel \"f\": 2:14: warp.sync needs all 32 lanes of warp 0; any of lanes 0..31 may be missing: `elect()` "
     "at "
     "2:1 can differ between them"},
    {"elected_in_one_warp", "if warp_id == 0 {\n  if elect() { warp.sync() }\n}",
     "plan: kernel \"f\": 3:16: warp.sync needs all 32 lanes of warp 0; any of lanes 0..31 may be missing: `elect()` "
     "at "
     "3:3 can differ between them"},
    {"early_return", "if warp_id == 7 { return }\ncta.sync()",
     "plan: kernel \"f\": 3:1: cta.sync needs all 256 threads of the CTA; 32 are missing: threads 224..255; they leave "
     "by the `return` at 2:19"},
    {"early_return_of_lanes", "if lane_id >= 30 { return }\nwarp.sync()",
     "plan: kernel \"f\": 3:1: warp.sync needs all 32 lanes of warp 0; 2 are missing: lanes 30, 31; they leave by the "
     "`return` at 2:20"},
    {"early_return_unknown", "if m[thread_id] == 0 { return }\ncta.sync()",
     "plan: kernel \"f\": 3:1: cta.sync needs all 256 threads of the CTA; any of threads 0..255 may be missing: "
     "`m[thread_id] == 0i32` at 2:24 can differ between them"},
    {"nested_return", "if warp_id < 4 {\n  if lane_id == 3 { return }\n}\nif n > 0 { cta.sync() }",
     "plan: kernel \"f\": 5:12: cta.sync needs all 256 threads of the CTA; 4 are missing: threads 3, 35, 67, 99; they "
     "leave by the `return` at 3:21"},
    {"return_in_a_loop", "for i in 0 .. 4 {\n  cta.sync()\n  if thread_id == i { return }\n}",
     "plan: kernel \"f\": 3:3: cta.sync needs all 256 threads of the CTA; any of threads 0..255 may be missing: "
     "`thread_id == i` at 4:23 can differ between them"},
    {"break_then_next_round", "for i in 0 .. 4 {\n  cta.sync()\n  if warp_id == 2 { break }\n}",
     "plan: kernel \"f\": 3:3: cta.sync needs all 256 threads of the CTA; 32 are missing: threads 64..95; they leave "
     "by "
     "the `break` at 4:21"},
    {"break_then_rest", "for i in 0 .. 4 {\n  if thread_id < 16 { break }\n  warp.sync()\n}",
     "plan: kernel \"f\": 4:3: warp.sync needs all 32 lanes of warp 0; 16 are missing: lanes 0..15; they leave by the "
     "`break` at 3:23"},
    {"break_unknown", "for i in 0 .. 4 {\n  cta.sync()\n  if m[thread_id] == i { break }\n}",
     "plan: kernel \"f\": 3:3: cta.sync needs all 256 threads of the CTA; any of threads 0..255 may be missing: "
     "`i64(m[thread_id]) == i` at 4:26 can differ between them"},
    {"continue_then_rest", "for i in 0 .. 4 {\n  if lane_id == 0 { continue }\n  warp.sync()\n}",
     "plan: kernel \"f\": 4:3: warp.sync needs all 32 lanes of warp 0; 1 is missing: lanes 0; they leave by the "
     "`continue` at 3:21"},
    {"rounds_that_differ", "for i in thread_id .. 300 step 256 { cta.sync() }",
     "plan: kernel \"f\": 2:38: cta.sync needs all 256 threads of the CTA; 212 are missing: threads 44..255; they do "
     "not "
     "take every round of the loop at 2:1"},
    {"rounds_unknown", "for i in thread_id .. n step 256 { cta.sync() }",
     "plan: kernel \"f\": 2:36: cta.sync needs all 256 threads of the CTA; any of threads 0..255 may be missing: "
     "`thread_id` at 2:1 can differ between them"},
    {"while_that_differs", "var i: i32 = 0\nwhile i < m[thread_id] {\n  cta.sync()\n  i = i + 1\n}",
     "plan: kernel \"f\": 4:3: cta.sync needs all 256 threads of the CTA; any of threads 0..255 may be missing: `i < "
     "m[thread_id]` at 3:1 can differ between them"},
    {"variable_set_under_a_branch", "var go: i32 = 0\nif lane_id == 0 { go = 1 }\nif go == 1 { warp.sync() }",
     "plan: kernel \"f\": 4:14: warp.sync needs all 32 lanes of warp 0; any of lanes 0..31 may be missing: `go == "
     "1i32` "
     "at 4:1 can differ between them"},
    {"intrinsic_of_a_warp", "if lane_id < 4 { a[lane_id] = shfl_xor(a[lane_id], 1) }",
     "plan: kernel \"f\": 2:31: shfl_xor needs all 32 lanes of warp 0; 28 are missing: lanes 4..31; they do not take "
     "the "
     "branch at 2:1"},
    {"intrinsic_of_the_cta", "if warp_id == 1 { barrier() }",
     "plan: kernel \"f\": 2:19: barrier needs all 256 threads of the CTA; 224 are missing: threads 0..31, 64..255; "
     "they "
     "do not take the branch at 2:1"},
    {"reduction", "alloc t: i32[256] in local = 1\nif thread_id < 64 { a[0] = cta.sum(t) }",
     "plan: kernel \"f\": 3:28: cta.sum needs all 256 threads of the CTA; 192 are missing: threads 64..255; they do "
     "not "
     "take the branch at 3:1"},
    {"shared_tile_assigned", "alloc t: i32[256] in shared\nif warp_id == 0 { t = index(t, 0) }",
     "plan: kernel \"f\": 3:19: the assignment of a tile needs all 256 threads of the CTA; 224 are missing: threads "
     "32..255; they do not take the branch at 3:1"},
    {"local_tile_of_all_assigned_by_some", "alloc t: i32[256] in local = 0\nif warp_id == 0 { t = index(t, 0) }",
     "plan: kernel \"f\": 3:19: the assignment of a tile needs all 256 threads of the CTA; 224 are missing: threads "
     "32..255; they do not take the branch at 3:1"},
};

constexpr TeamCase kAccepted[] = {
    {"no_branch", "cta.sync()\nwarp.sync()\nwarpgroup.sync()", ""},
    {"whole_warps", "if warp_id == 2 { warp.sync() }", ""},
    {"whole_warps_by_range", "if thread_id >= 32 and thread_id < 96 { warp.sync() }", ""},
    {"whole_warps_by_quotient", "if thread_id / 32 == 3 { warp.sync() }", ""},
    {"whole_warps_by_shift", "if thread_id >> 5 == 3 { warp.sync() }", ""},
    {"whole_warpgroup", "if warp_id / 4 == 1 { warpgroup.sync() }", ""},
    {"whole_warpgroup_by_lets",
     "let group = thread_id / 128\nif group == 0 { warpgroup.sync() } else { warpgroup.sync() }", ""},
    {"nobody", "if thread_id > 300 { cta.sync() }", ""},
    {"everybody", "if thread_id < 256 or n > 4 { cta.sync() }", ""},
    {"uniform_scalar", "if n > 3 { cta.sync() }", ""},
    {"uniform_symbol", "if M > 3 { cta.sync() } else { warp.sync() }", ""},
    {"uniform_cta", "if cta_id.x == 2 { cta.sync() }", ""},
    {"uniform_memory", "if m[cta_id.x] > 0 { cta.sync() }", ""},
    {"uniform_variable", "var i: i32 = 0\nwhile i < n {\n  i = i + 1\n  cta.sync()\n}", ""},
    {"mask_of_each_warp", "if m[warp_id] != 0 { warp.sync() }", ""},
    {"mask_of_each_warpgroup", "if m[warp_id / 4] != 0 {\n  warpgroup.sync()\n  warp.sync()\n}", ""},
    {"known_and_uniform", "if thread_id < 128 and n > 3 { warpgroup.sync() }", ""},
    {"uniform_loop", "for i in cta_id.x .. M step 4 { cta.sync() }", ""},
    {"rounds_that_agree", "for i in thread_id .. 512 step 256 { cta.sync() }", ""},
    {"rounds_that_agree_in_a_warp", "for i in warp_id .. 12 step 8 { warp.sync() }", ""},
    {"uniform_break", "for i in 0 .. 4 {\n  cta.sync()\n  if m[i] == 0 { break }\n}", ""},
    {"break_of_whole_warps", "for i in 0 .. 4 {\n  if warp_id == 2 { break }\n  warp.sync()\n}", ""},
    {"behind_a_loop_that_some_broke_off", "for i in 0 .. 4 {\n  if thread_id == i { break }\n}\ncta.sync()", ""},
    {"behind_a_loop_that_some_continued",
     "for i in 0 .. 4 {\n  if thread_id == i { continue }\n  a[thread_id] = 1\n}\ncta.sync()", ""},
    {"return_of_whole_warps", "if warp_id == 7 { return }\nwarp.sync()", ""},
    {"return_of_all", "if n == 0 { return }\ncta.sync()", ""},
    {"single_threads_work", "if thread_id == 0 { a[0] = 1 }\ncta.sync()", ""},
    {"elected_works", "if warp_id == 0 {\n  if elect() { a[0] = 1 }\n  warp.sync()\n}", ""},
    {"thread_operation", "alloc thread.t: i32[4] in local = 1\nif lane_id == 0 { a[0] = thread.sum(t) }", ""},
    {"variable_of_all", "var go: i32 = 0\nif n > 0 { go = 1 }\nif go == 1 { cta.sync() }", ""},
    {"reduction_decides", "alloc t: i32[256] in local = 1\nif cta.sum(t) > 3 { cta.sync() }", ""},
    {"select_of_whole_warps", "if select(warp_id < 2, 1, 0) == 1 { warp.sync() }", ""},
    {"tile_of_the_branch", "if warp_id < 4 {\n  alloc t: i32[128] in local\n  t = index(t, 0)\n}", ""},
};

std::string NameOf(const ::testing::TestParamInfo<TeamCase>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Refused, Teams, ::testing::ValuesIn(kRefused), NameOf);
INSTANTIATE_TEST_SUITE_P(Accepted, Teams, ::testing::ValuesIn(kAccepted), NameOf);

}  // namespace
}  // namespace kiln
