#include "compiler/targets/targets.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/targets/embedded.h"
#include "compiler/targets/target.pb.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using targets::TargetProto;

constexpr size_t kMaxTextBytes = 64 * 1024;

// Keeps the first error; protobuf counts lines and columns from 0.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

absl::Status Bad(const TargetProto& proto, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("target \"", proto.name(), "\": ", what));
}

absl::StatusOr<TargetKind> KindOf(const TargetProto& proto) {
  switch (proto.kind()) {
    case TargetProto::REFERENCE:
      return TargetKind::kReference;
    case TargetProto::CPU:
      return TargetKind::kCpu;
    case TargetProto::CUDA:
      return TargetKind::kCuda;
    case TargetProto::NEURON:
      return TargetKind::kNeuron;
    default:
      return Bad(proto, "kind: expected REFERENCE, CPU, CUDA or NEURON, found none");
  }
}

absl::Status ReadSpaces(const TargetProto& proto, Target* target) {
  static const std::set<std::string> kScopes = {"device", "cta", "thread"};
  for (const TargetProto::Space& space : proto.spaces()) {
    if (space.name().empty()) return Bad(proto, "a space has no name");
    if (target->Find(space.name())) return Bad(proto, absl::StrCat("space \"", space.name(), "\" is given twice"));
    if (!kScopes.count(space.scope()))
      return Bad(proto, absl::StrCat("space \"", space.name(), "\" scope: expected device, cta or thread, found \"",
                                     space.scope(), "\""));
    if (space.capacity() < 0 || space.granule() < 0 || !(space.bandwidth() >= 0) || std::isinf(space.bandwidth()))
      return Bad(proto, absl::StrCat("space \"", space.name(), "\": capacity ", space.capacity(), ", granule ",
                                     space.granule(), ", bandwidth ", space.bandwidth(), ": none may be negative"));
    target->spaces.push_back(
        {space.name(), space.capacity(), space.granule() ? space.granule() : 1, space.scope(), space.bandwidth()});
  }
  if (!target->Find("global")) return Bad(proto, "expected a space \"global\"");
  return absl::OkStatus();
}

absl::Status ReadRoutes(const TargetProto& proto, Target* target) {
  for (const TargetProto::Route& route : proto.routes())
    for (const std::string& to : route.to()) {
      for (const std::string& end : {route.from(), to})
        if (!target->Find(end))
          return Bad(proto, absl::StrCat("route ", route.from(), " -> ", to, ": there is no space \"", end, "\""));
      target->routes.push_back({route.from(), to});
    }
  return absl::OkStatus();
}

absl::Status ReadRates(const TargetProto& proto, Target* target) {
  for (const TargetProto::Rate& rate : proto.peak_flops()) {
    if (!(rate.flops() > 0) || std::isinf(rate.flops()))
      return Bad(proto, absl::StrCat("peak_flops: expected a positive rate, found ", rate.flops()));
    for (const std::string& name : rate.dtype()) {
      std::optional<DType> dtype = ParseDType(name);
      if (!dtype) return Bad(proto, absl::StrCat("peak_flops: there is no dtype \"", name, "\""));
      if (!target->peak_flops.emplace(*dtype, rate.flops()).second)
        return Bad(proto, absl::StrCat("peak_flops: dtype ", name, " is given twice"));
    }
  }
  return absl::OkStatus();
}

struct Limit {
  absl::string_view field;
  int64_t value;
  int64_t min;
  int64_t max;
};

absl::Status ReadLimits(const TargetProto& proto, Target* target) {
  const Limit limits[] = {{"max_threads", proto.max_threads(), 1, 65536},
                          {"warp_size", proto.warp_size(), 1, 1024},
                          {"max_registers", proto.max_registers(), 1, 65536},
                          {"registers", proto.registers(), 1, int64_t{1} << 32},
                          {"vector_bytes", proto.vector_bytes(), 1, 4096}};
  for (const Limit& limit : limits)
    if (limit.value < limit.min || limit.value > limit.max)
      return Bad(proto,
                 absl::StrCat(limit.field, ": expected ", limit.min, " to ", limit.max, ", found ", limit.value));
  target->max_threads = proto.max_threads();
  target->warp_size = proto.warp_size();
  target->max_registers = proto.max_registers();
  target->registers = proto.registers();
  target->vector_bytes = proto.vector_bytes();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Target> ParseTarget(absl::string_view text) {
  if (text.size() > kMaxTextBytes)
    return absl::InvalidArgumentError(
        absl::StrCat("target file: expected at most ", kMaxTextBytes, " bytes, found ", text.size()));
  TargetProto proto;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(8);
  if (!parser.ParseFromString(std::string(text), &proto))
    return absl::InvalidArgumentError(absl::StrCat("target file:", error.text()));
  if (proto.name().empty()) return Bad(proto, "expected a name");
  Target target;
  KILN_ASSIGN_OR_RETURN(target.kind, KindOf(proto));
  target.name = proto.name();
  target.arch = proto.arch();
  if (target.kind == TargetKind::kCuda && target.arch.empty())
    return Bad(proto, "expected an arch, such as \"sm_90a\"");
  target.features.insert(proto.features().begin(), proto.features().end());
  KILN_RETURN_IF_ERROR(ReadSpaces(proto, &target));
  KILN_RETURN_IF_ERROR(ReadRoutes(proto, &target));
  KILN_RETURN_IF_ERROR(ReadRates(proto, &target));
  KILN_RETURN_IF_ERROR(ReadLimits(proto, &target));
  return target;
}

absl::StatusOr<Target> FindTarget(absl::string_view name) {
  for (int i = 0; i < targets::kEmbeddedTargetCount; ++i)
    if (targets::kEmbeddedTargets[i].name == std::string_view(name.data(), name.size()))
      return ParseTarget(std::string(targets::kEmbeddedTargets[i].text));
  return absl::NotFoundError(
      absl::StrCat("there is no target \"", name, "\"; the targets are ", absl::StrJoin(TargetNames(), ", ")));
}

std::vector<std::string> TargetNames() {
  std::vector<std::string> names;
  for (int i = 0; i < targets::kEmbeddedTargetCount; ++i) names.emplace_back(targets::kEmbeddedTargets[i].name);
  return names;
}

}  // namespace kiln
