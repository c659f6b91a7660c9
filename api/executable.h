// One loaded kernel, with what it was made for: what a launch ends in.
#ifndef KILN_API_EXECUTABLE_H_
#define KILN_API_EXECUTABLE_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/metrics.h"
#include "api/session.h"
#include "api/signature.h"
#include "runtime/device.h"

namespace kiln::api {

// Immutable; thread-safe. Keeps its kernel loaded, and the session alive.
class Executable : public std::enable_shared_from_this<Executable> {
 public:
  // What there is to tell of it.
  struct Description {
    std::string kernel;
    std::string arch;
    std::map<std::string, int64_t> settings;
    std::string config;  // The settings: "BM=128,BN=128"
    std::string rules;   // One a line
    Outcome outcome = Outcome::kMiss;
    double compile_ms = 0;
    Resources resources;
  };

  Executable(std::shared_ptr<Session> session, std::shared_ptr<const Signature> signature, const CallFacts& facts,
             std::shared_ptr<const runtime::LoadedKernel> loaded, Description description)
      : session_(std::move(session)),
        signature_(std::move(signature)),
        facts_(facts),
        loaded_(std::move(loaded)),
        description_(std::move(description)) {}

  const CallFacts& facts() const { return facts_; }
  const Description& description() const { return description_; }

  // Checks that the arguments fit the kernel and what it was made for, then launches.
  // InvalidArgument names the argument, or the fact, that differs.
  absl::Status Launch(void* stream, absl::Span<const kiln_arg> args) const;

  // REQUIRES: `call` was bound by this executable's signature, and its facts are these.
  absl::Status LaunchBound(void* stream, const BoundCall& call) const {
    session_->metrics().launches.Add();
    return loaded_->Launch(stream, call.Args());
  }

 private:
  absl::Status Explain(const BoundCall& call) const;

  const std::shared_ptr<Session> session_;
  const std::shared_ptr<const Signature> signature_;
  const CallFacts facts_;
  const std::shared_ptr<const runtime::LoadedKernel> loaded_;
  const Description description_;
};

}  // namespace kiln::api

#endif  // KILN_API_EXECUTABLE_H_
