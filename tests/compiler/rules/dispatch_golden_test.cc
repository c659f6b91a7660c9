// docs/dispatch.md is what the tables of rules say. KILN_BLESS=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/rules/rule.h"
#include "compiler/targets/targets.h"

namespace kiln {
namespace {

constexpr char kPath[] = "docs/dispatch.md";

std::string OperationsOf(const Rule& rule) {
  std::string text(ir::FindTileOp(rule.op)->name);
  // Reductions of every kind go by the rows of `sum`.
  if (rule.op != TileOpKind::kSum) return text;
  for (TileOpKind op : {TileOpKind::kMax, TileOpKind::kMin, TileOpKind::kProd, TileOpKind::kAny})
    absl::StrAppend(&text, ", ", std::string(ir::FindTileOp(op)->name));
  return text;
}

// The shipped targets that have a feature.
std::string TargetsWith(std::string_view feature) {
  std::vector<std::string> names;
  for (const std::string& name : TargetNames())
    if (FindTarget(name).value().Has(std::string(feature))) names.push_back(name);
  return absl::StrJoin(names, ", ");
}

std::string Table(absl::Span<const Rule> rules) {
  std::string out = "| operation | `via` | priority | needs | does |\n| --- | --- | --- | --- | --- |\n";
  for (const Rule& rule : rules)
    absl::StrAppend(&out, "| ", OperationsOf(rule), " | `", std::string(rule.name), "` | ", rule.priority, " | ",
                    std::string(rule.feature), " | ", std::string(rule.doc), " |\n");
  return out;
}

std::string Features() {
  std::map<std::string, std::string> features;
  for (const Rule& rule : CudaRules())
    if (!rule.feature.empty()) features[std::string(rule.feature)] = TargetsWith(rule.feature);
  std::string out = "| feature | targets |\n| --- | --- |\n";
  for (const auto& [feature, targets] : features) absl::StrAppend(&out, "| ", feature, " | ", targets, " |\n");
  return out;
}

std::string Page() {
  return absl::StrCat(
      "# Dispatch\n\n"
      "Each tile operation is carried out by the first rule that takes it: highest priority first, then by name. `via "
      "NAME` asks for one rule alone. A rule is asked whether it applies (operation, dtypes, memory\n"
      "spaces, target) and whether it accepts (layouts, alignment, shapes); its refusals are plain words, which `kiln "
      "explain` prints. When every rule refuses, the error lists each with its reason. An asynchronous\n"
      "operation never falls back to a rule of another kind, since the waits differ.\n\n"
      "This page is written from the tables (`compiler/rules/rules_cuda.inc`, `rules_cpu.inc`) by `KILN_BLESS=1 "
      "tools/check dispatch_golden`; a test fails when it is stale.\n\n"
      "## CUDA\n\n",
      Table(CudaRules()), "\n", Features(),
      "\n## CPU\n\nA CTA is one worker, layouts are the lowering's own, and each operation has one rule.\n\n",
      Table(CpuRules()));
}

TEST(DispatchPage, SaysWhatTheTablesSay) {
  const std::string page = Page();
  if (std::getenv("KILN_BLESS")) std::ofstream(kPath) << page;
  std::ifstream file(kPath);
  std::stringstream written;
  written << file.rdbuf();
  EXPECT_EQ(written.str(), page) << kPath << " is stale; KILN_BLESS=1 rewrites it";
}

TEST(DispatchPage, EveryRuleSaysWhatItDoes) {
  for (absl::Span<const Rule> rules : {CudaRules(), CpuRules()})
    for (const Rule& rule : rules) EXPECT_FALSE(rule.doc.empty()) << rule.name;
}

}  // namespace
}  // namespace kiln
