#include "api/op.h"

#include <algorithm>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {
namespace {

absl::Status NoSuchOp(const ir::Module& module, const std::string& name) {
  std::vector<std::string> names;
  for (const ir::OpDecl& op : module.ops) names.push_back(op.name);
  for (const ir::Kernel& kernel : module.kernels) names.push_back(kernel.name);
  return absl::NotFoundError(
      absl::StrCat("load: no op or kernel \"", name, "\"; the module has ", absl::StrJoin(names, ", ")));
}

std::vector<int64_t> WordsOf(const CallFacts& facts) { return {facts.words, facts.words + facts.count}; }

}  // namespace

absl::StatusOr<std::shared_ptr<Op>> Op::Create(std::shared_ptr<Session> session,
                                               std::shared_ptr<const ir::Module> module, const std::string& name,
                                               OpOptions options) {
  std::shared_ptr<Op> op(new Op(std::move(session), std::move(module), name, std::move(options)));
  KILN_RETURN_IF_ERROR(op->AddMembers());
  return op;
}

absl::Status Op::AddMembers() {
  for (const ir::OpDecl& op : module_->ops) {
    if (op.name != name_) continue;
    // The generic member is the last resort, wherever it stands.
    for (bool generic : {false, true})
      for (const ir::OpMember& member : op.members)
        if (member.generic == generic) KILN_RETURN_IF_ERROR(AddMember(member.kernel, member.targets, member.when));
    return absl::OkStatus();
  }
  if (ir::FindKernel(*module_, name_) == nullptr) return NoSuchOp(*module_, name_);
  return AddMember(name_, {}, nullptr);
}

absl::Status Op::AddMember(const std::string& name, std::vector<std::string> targets, const Expr& when) {
  const ir::Kernel* kernel = ir::FindKernel(*module_, name);
  if (kernel == nullptr) return NoSuchOp(*module_, name);
  Member member;
  KILN_ASSIGN_OR_RETURN(Signature signature,
                        Signature::Create(*kernel, options_.settings, static_cast<int>(members_.size())));
  member.signature = std::make_shared<const Signature>(std::move(signature));
  member.targets = targets.empty() ? kernel->targets : std::move(targets);
  if (when != nullptr) {
    std::vector<std::string> names;
    for (const Signature::Symbol& symbol : member.signature->symbols()) names.push_back(symbol.name);
    absl::StatusOr<SymbolProgram> program = SymbolProgram::Compile(when, names);
    if (!program.ok())
      return absl::InvalidArgumentError(
          absl::StrCat("load: op \"", name_, "\", member \"", name, "\": ", program.status().message()));
    member.when = *std::move(program);
  }
  members_.push_back(std::move(member));
  return absl::OkStatus();
}

absl::Status Op::Bind(absl::Span<const kiln_arg> args, BindFor purpose, BoundCall* call, const Member** member) const {
  const Member& first = members_.front();
  if (ABSL_PREDICT_TRUE(members_.size() == 1 && !first.when && first.targets.empty())) {
    *member = &first;
    KILN_RETURN_IF_ERROR(first.signature->Bind(args, purpose, call));
  } else {
    KILN_RETURN_IF_ERROR(BindAmongMany(args, purpose, call, member));
  }
  call->facts.Seal();
  return absl::OkStatus();
}

absl::Status Op::BindAmongMany(absl::Span<const kiln_arg> args, BindFor purpose, BoundCall* call,
                               const Member** member) const {
  absl::Status refusal;
  for (const Member& candidate : members_) {
    absl::Status bound = candidate.signature->Bind(args, purpose, call);
    if (!bound.ok()) {
      // Another member may take what this one does not, such as its dtype; if none does, the last word is the reason.
      refusal = std::move(bound);
      continue;
    }
    if (candidate.when && candidate.when->Evaluate(call->symbols).value_or(0) == 0) continue;
    if (!candidate.targets.empty()) {
      KILN_ASSIGN_OR_RETURN(const std::string* target, session_->backends().TargetNameAt(call->device));
      if (std::find(candidate.targets.begin(), candidate.targets.end(), *target) == candidate.targets.end()) continue;
    }
    *member = &candidate;
    return absl::OkStatus();
  }
  if (!refusal.ok()) return refusal;
  return absl::UnimplementedError(
      absl::StrCat("arguments: op \"", name_, "\": no member is for these arguments and this target"));
}

absl::Status Op::Launch(void* stream, absl::Span<const kiln_arg> args) const {
  BoundCall call;
  const Member* member = nullptr;
  KILN_RETURN_IF_ERROR(Bind(args, BindFor::kLaunch, &call, &member));
  const Executable* executable = loaded_.Find(call.facts);
  if (ABSL_PREDICT_FALSE(executable == nullptr)) return LaunchMiss(stream, call, *member);
  return executable->LaunchBound(stream, call);
}

absl::Status Op::LaunchMiss(void* stream, const BoundCall& call, const Member& member) const {
  if (!options_.compile_on_miss)
    return absl::FailedPreconditionError(absl::StrCat("launch: op \"", name_, "\": no kernel is loaded for ",
                                                      member.signature->Describe(call.facts),
                                                      ", and compiling on a miss is turned off"));
  KILN_ASSIGN_OR_RETURN(const std::shared_ptr<const Executable> executable, Obtain(member, call.facts, call.device));
  return executable->LaunchBound(stream, call);
}

Future::Result Op::Prepare(absl::Span<const kiln_arg> args) const {
  BoundCall call;
  const Member* member = nullptr;
  KILN_RETURN_IF_ERROR(Bind(args, BindFor::kPrepare, &call, &member));
  return Obtain(*member, call.facts, call.device);
}

absl::StatusOr<std::shared_ptr<Future>> Op::PrepareLater(absl::Span<const kiln_arg> args) const {
  BoundCall call;
  const Member* member = nullptr;
  KILN_RETURN_IF_ERROR(Bind(args, BindFor::kPrepare, &call, &member));
  auto future = std::make_shared<Future>();
  session_->queue().Add([self = shared_from_this(), member, facts = call.facts, place = call.device, future] {
    future->Set(self->Obtain(*member, facts, place));
  });
  return future;
}

Future::Result Op::Obtain(const Member& member, const CallFacts& facts, kiln_dl_device place) const {
  std::shared_ptr<Future> future;
  bool mine = false;
  const std::vector<int64_t> words = WordsOf(facts);
  {
    absl::MutexLock lock(&mutex_);
    if (const Executable* executable = loaded_.Find(facts)) return executable->shared_from_this();
    std::shared_ptr<Future>& making = making_[words];
    mine = making == nullptr;
    if (mine) making = std::make_shared<Future>();
    future = making;
  }
  if (!mine) return future->Wait(absl::InfiniteDuration());
  Future::Result result = Make(member, facts, place);
  if (result.ok()) result = loaded_.Insert(*std::move(result));
  {
    // A failure is not kept: it may heal.
    absl::MutexLock lock(&mutex_);
    making_.erase(words);
  }
  future->Set(result);
  return result;
}

Future::Result Op::Make(const Member& member, const CallFacts& facts, kiln_dl_device place) const {
  KILN_ASSIGN_OR_RETURN(runtime::Device * device, session_->backends().DeviceAt(place));
  BuildOrder order;
  order.module = module_.get();
  order.kernel = member.signature->kernel();
  order.bindings = member.signature->BindingsOf(facts);
  KILN_ASSIGN_OR_RETURN(order.target, session_->backends().TargetOf(*device));
  KILN_ASSIGN_OR_RETURN(CompileRequest request, MakeRequest(order));
  KILN_ASSIGN_OR_RETURN(const Built built, session_->Build(std::move(request)));
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<const runtime::LoadedKernel> loaded, device->Load(built.artifact));
  ++session_->metrics().loads;

  Executable::Description description;
  description.kernel = built.artifact.kernel;
  description.arch = built.artifact.arch;
  description.settings = built.config;
  description.config = absl::StrJoin(built.config, ",", absl::PairFormatter("="));
  description.rules = absl::StrJoin(built.artifact.rules, "\n");
  description.outcome = built.outcome;
  description.compile_ms = built.compile_ms;
  description.resources = built.artifact.resources;
  return std::make_shared<const Executable>(session_, member.signature, facts, std::move(loaded),
                                            std::move(description));
}

}  // namespace kiln::api
