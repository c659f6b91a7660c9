// An op as callers hold it: checks a call's arguments, finds the kernel that fits them, makes it on a miss, launches.
//
// A hit touches nothing but the arguments, one table and the device's own launch. On a miss one caller a kernel builds,
// in its own thread; others who want the same wait for it.
#ifndef KILN_API_OP_H_
#define KILN_API_OP_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "api/executable.h"
#include "api/future.h"
#include "api/loaded_kernels.h"
#include "api/session.h"
#include "api/signature.h"

namespace kiln::api {

struct OpOptions {
  std::map<std::string, int64_t> settings;  // Of integer meta-parameters
  bool compile_on_miss = true;              // Else a miss is FailedPrecondition
};

// Thread-safe.
class Op : public std::enable_shared_from_this<Op> {
 public:
  // `name` is that of an op, or of a kernel, which stands for an op of itself alone.
  // REQUIRES: the module is verified, so that the members of an op take the same arguments.
  // NotFound names what the module has. InvalidArgument: see Signature::Create.
  static absl::StatusOr<std::shared_ptr<Op>> Create(std::shared_ptr<Session> session,
                                                    std::shared_ptr<const ir::Module> module, const std::string& name,
                                                    OpOptions options);

  // Of its first member; all have the same parameters.
  const Signature& signature() const { return *members_.front().signature; }

  absl::Status Launch(void* stream, absl::Span<const kiln_arg> args) const;

  // What Launch would run for arguments like these, made in the caller's thread.
  absl::StatusOr<std::shared_ptr<const Executable>> Prepare(absl::Span<const kiln_arg> args) const;

  // The same on a thread of the session's. Arguments are checked here, and not needed afterwards.
  absl::StatusOr<std::shared_ptr<Future>> PrepareLater(absl::Span<const kiln_arg> args) const;

  // Kernels that are loaded.
  size_t loaded() const { return loaded_.size(); }

 private:
  struct Member {
    std::shared_ptr<const Signature> signature;
    std::vector<std::string> targets;   // Empty = every target
    std::optional<SymbolProgram> when;  // Over the signature's symbols
  };

  Op(std::shared_ptr<Session> session, std::shared_ptr<const ir::Module> module, std::string name, OpOptions options)
      : session_(std::move(session)),
        module_(std::move(module)),
        name_(std::move(name)),
        options_(std::move(options)) {}

  absl::Status AddMembers();
  absl::Status AddMember(const std::string& kernel, std::vector<std::string> targets, const Expr& when);

  // Checks the arguments against the members in order; `*member` is the first whose conditions hold.
  absl::Status Bind(absl::Span<const kiln_arg> args, BindFor purpose, BoundCall* call, const Member** member) const;
  absl::Status BindAmongMany(absl::Span<const kiln_arg> args, BindFor purpose, BoundCall* call,
                             const Member** member) const;

  absl::Status LaunchMiss(void* stream, const BoundCall& call, const Member& member) const;
  // The executable for a call's facts: the loaded one, or another caller's that is in the making, or made here.
  Future::Result Obtain(const Member& member, const CallFacts& facts, kiln_dl_device place) const;
  Future::Result Make(const Member& member, const CallFacts& facts, kiln_dl_device place) const;

  const std::shared_ptr<Session> session_;
  const std::shared_ptr<const ir::Module> module_;
  const std::string name_;
  const OpOptions options_;
  std::vector<Member> members_;  // At least one; fixed once created

  mutable LoadedKernels loaded_;
  mutable absl::Mutex mutex_;
  mutable std::map<std::vector<int64_t>, std::shared_ptr<Future>> making_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::api

#endif  // KILN_API_OP_H_
