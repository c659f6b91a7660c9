#include "api/artifact_codec.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/artifact.pb.h"
#include "api/limits.h"
#include "kiln/internal/status_macros.h"
#include "runtime/launch_recipe.h"

namespace kiln::api {
namespace {

void ToWire(const RecipeProgram& program, pb::Program* out) {
  for (const RecipeStep& step : program) {
    out->add_op(static_cast<uint32_t>(step.op));
    out->add_arg(step.arg);
    out->add_index(step.index);
    out->add_value(step.value);
  }
}

void ToWire(const LaunchRecipe& recipe, pb::Recipe* out) {
  for (const RecipeProgram& dimension : recipe.grid) ToWire(dimension, out->add_grid());
  out->set_block(recipe.block);
  out->set_cluster(recipe.cluster);
  out->set_shared_bytes(recipe.shared_bytes);
  out->set_scratch_bytes(recipe.scratch_bytes);
  for (const RecipeParam& param : recipe.params) {
    pb::Param* p = out->add_params();
    p->set_kind(static_cast<uint32_t>(param.kind));
    p->set_arg(param.arg);
    p->set_dtype(static_cast<uint32_t>(param.dtype));
    ToWire(param.value, p->mutable_value());
    for (int64_t extent : param.box) p->add_box(extent);
    p->set_swizzle(static_cast<uint32_t>(param.swizzle));
  }
  for (const RecipeGuard& guard : recipe.guards) {
    pb::Guard* g = out->add_guards();
    ToWire(guard.condition, g->mutable_condition());
    g->set_message(guard.message);
  }
}

absl::Status Damaged(absl::string_view what) { return absl::DataLossError(absl::StrCat("artifact: ", what)); }

absl::StatusOr<DType> DTypeFromWire(uint32_t value) {
  if (value >= kDTypes.size()) return Damaged(absl::StrCat("dtype ", value, " is unknown"));
  return static_cast<DType>(value);
}

// A number of the wire that must fit 16 bits.
absl::StatusOr<uint16_t> Small(uint32_t value) {
  if (value > UINT16_MAX) return Damaged(absl::StrCat("index ", value, " is out of range"));
  return static_cast<uint16_t>(value);
}

absl::StatusOr<RecipeProgram> FromWire(const pb::Program& in) {
  const int steps = in.op_size();
  if (in.arg_size() != steps || in.index_size() != steps || in.value_size() != steps)
    return Damaged("the lists of a recipe program differ in length");
  if (steps > kMaxRecipeSteps) return Damaged("a recipe program is too long");
  RecipeProgram program(steps);
  for (int i = 0; i < steps; ++i) {
    if (in.op(i) > UINT8_MAX) return Damaged(absl::StrCat("recipe operator ", in.op(i), " is unknown"));
    program[i].op = static_cast<RecipeOp>(in.op(i));
    KILN_ASSIGN_OR_RETURN(program[i].arg, Small(in.arg(i)));
    KILN_ASSIGN_OR_RETURN(program[i].index, Small(in.index(i)));
    program[i].value = in.value(i);
  }
  return program;
}

absl::StatusOr<RecipeParam> FromWire(const pb::Param& in) {
  RecipeParam param;
  if (in.kind() > UINT8_MAX) return Damaged("a parameter's kind is unknown");
  param.kind = static_cast<RecipeParam::Kind>(in.kind());
  KILN_ASSIGN_OR_RETURN(param.arg, Small(in.arg()));
  KILN_ASSIGN_OR_RETURN(param.dtype, DTypeFromWire(in.dtype()));
  KILN_ASSIGN_OR_RETURN(param.value, FromWire(in.value()));
  if (in.box_size() > kMaxRank || in.swizzle() > UINT8_MAX) return Damaged("a tensor map is out of range");
  param.box.assign(in.box().begin(), in.box().end());
  param.swizzle = static_cast<int>(in.swizzle());
  return param;
}

absl::StatusOr<LaunchRecipe> FromWire(const pb::Recipe& in) {
  LaunchRecipe recipe;
  if (in.grid_size() != 3) return Damaged("the grid has not 3 dimensions");
  for (int i = 0; i < 3; ++i) {
    KILN_ASSIGN_OR_RETURN(recipe.grid[i], FromWire(in.grid(i)));
  }
  recipe.block = static_cast<int32_t>(std::min<uint32_t>(in.block(), INT32_MAX));
  recipe.cluster = static_cast<int32_t>(std::min<uint32_t>(in.cluster(), INT32_MAX));
  recipe.shared_bytes = in.shared_bytes();
  recipe.scratch_bytes = in.scratch_bytes();
  for (const pb::Param& param : in.params()) {
    KILN_ASSIGN_OR_RETURN(recipe.params.emplace_back(), FromWire(param));
  }
  for (const pb::Guard& guard : in.guards()) {
    RecipeGuard& g = recipe.guards.emplace_back();
    KILN_ASSIGN_OR_RETURN(g.condition, FromWire(guard.condition()));
    g.message = guard.message();
  }
  return recipe;
}

absl::StatusOr<ArgSpec> FromWire(const pb::ArgSpec& in) {
  ArgSpec arg;
  arg.name = in.name();
  arg.is_tensor = in.is_tensor();
  KILN_ASSIGN_OR_RETURN(arg.dtype, DTypeFromWire(in.dtype()));
  if (in.rank() > kMaxRank || (!in.is_tensor() && in.rank() != 0))
    return Damaged(absl::StrCat("argument \"", in.name(), "\" has rank ", in.rank()));
  if (arg.dtype == DType::kNone) return Damaged(absl::StrCat("argument \"", in.name(), "\" has no dtype"));
  arg.rank = static_cast<int>(in.rank());
  arg.written = in.written();
  return arg;
}

Resources FromWire(const pb::Resources& in) {
  Resources resources;
  resources.registers = in.registers();
  resources.shared_bytes = in.shared_bytes();
  resources.spill_bytes = in.spill_bytes();
  resources.stack_bytes = in.stack_bytes();
  resources.barriers = in.barriers();
  return resources;
}

void ToWire(const Resources& resources, pb::Resources* out) {
  out->set_registers(resources.registers);
  out->set_shared_bytes(resources.shared_bytes);
  out->set_spill_bytes(resources.spill_bytes);
  out->set_stack_bytes(resources.stack_bytes);
  out->set_barriers(resources.barriers);
}

}  // namespace

std::string EncodeArtifact(const Artifact& artifact) {
  pb::Artifact out;
  out.set_version(kArtifactVersion);
  out.set_kind(static_cast<uint32_t>(artifact.kind));
  out.set_arch(artifact.arch);
  out.set_kernel(artifact.kernel);
  out.set_entry(artifact.entry);
  out.set_binary(artifact.binary);
  for (const ArgSpec& arg : artifact.args) {
    pb::ArgSpec* a = out.add_args();
    a->set_name(arg.name);
    a->set_is_tensor(arg.is_tensor);
    a->set_dtype(static_cast<uint32_t>(arg.dtype));
    a->set_rank(arg.rank);
    a->set_written(arg.written);
  }
  ToWire(artifact.recipe, out.mutable_recipe());
  ToWire(artifact.resources, out.mutable_resources());
  for (const std::string& rule : artifact.rules) out.add_rules(rule);
  out.set_log(artifact.log);
  // No field is a map, so the one order of the fields is the order on the wire.
  return out.SerializeAsString();
}

absl::StatusOr<Artifact> DecodeArtifact(std::string_view bytes) {
  if (bytes.size() > kMaxArtifactBytes)
    return Damaged(absl::StrCat(bytes.size(), " bytes, at most ", kMaxArtifactBytes, " are allowed"));
  pb::Artifact in;
  if (!in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Damaged("the bytes are not of its form");
  if (in.version() > kArtifactVersion)
    return absl::UnimplementedError(absl::StrCat("artifact: version ", in.version(), ", at most ", kArtifactVersion,
                                                 " is known here: a later Kiln wrote it"));
  if (in.version() == 0) return Damaged("it has no version");
  if (in.kind() == 0 || in.kind() > static_cast<uint32_t>(TargetKind::kFake))
    return Damaged(absl::StrCat("target kind ", in.kind(), " is unknown"));
  if (in.binary().empty()) return Damaged("it has no binary");
  if (in.args_size() > static_cast<int>(kMaxArgs)) return Damaged("it has too many arguments");

  Artifact artifact;
  artifact.kind = static_cast<TargetKind>(in.kind());
  artifact.arch = std::move(*in.mutable_arch());
  artifact.kernel = std::move(*in.mutable_kernel());
  artifact.entry = std::move(*in.mutable_entry());
  artifact.binary = std::move(*in.mutable_binary());
  for (const pb::ArgSpec& arg : in.args()) {
    KILN_ASSIGN_OR_RETURN(artifact.args.emplace_back(), FromWire(arg));
  }
  KILN_ASSIGN_OR_RETURN(artifact.recipe, FromWire(in.recipe()));
  artifact.resources = FromWire(in.resources());
  artifact.rules.assign(in.rules().begin(), in.rules().end());
  artifact.log = std::move(*in.mutable_log());
  if (absl::Status valid = runtime::Validate(artifact.recipe, artifact.args); !valid.ok())
    return Damaged(valid.message());
  return artifact;
}

}  // namespace kiln::api
