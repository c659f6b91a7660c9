// What the parts of the verifier share: verify.cc (modules, ops, recursion), verify_header.cc (kernel headers),
// verify_body.cc (statements) and verify_expr.cc (expressions).
#ifndef KILN_COMPILER_IR_VERIFIER_H_
#define KILN_COMPILER_IR_VERIFIER_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/kernel.h"
#include "compiler/ir/verify.h"

namespace kiln::ir {

class Reporter {
 public:
  explicit Reporter(std::vector<Problem>& problems) : problems_(problems) {}
  void SetSubject(std::string subject) { subject_ = std::move(subject); }
  void Report(std::string_view code, Location at, std::string message) {
    problems_.push_back({code, subject_, at, std::move(message)});
  }

 private:
  std::vector<Problem>& problems_;
  std::string subject_;
};

// What a name stands for in a body.
enum class NameUse : uint8_t {
  kMeta,
  kDType,
  kLayout,
  kSymbol,
  kScalar,  // Parameter
  kTensor,  // Parameter or alloc
  kLet,
  kMutable,
  kLoop,
  kTensorMap,  // Native parameter
  kRing,
  kSchedule,
};

struct NameInfo {
  NameUse use = NameUse::kLet;
  int rank = -1;                            // -1 = unknown
  Direction direction = Direction::kInOut;  // Of a tensor parameter
  std::string base;                         // The parameter that a view or the name itself stands for; may be empty
  Location at;
  std::string ring;                                 // Of a slot
  std::vector<std::pair<std::string, int>> fields;  // kRing: those of a slot, with their ranks
  size_t indices = 0;                               // kSchedule
};

using NameTable = std::map<std::string, NameInfo, std::less<>>;

// Checks the header and gives what the body sees.
NameTable VerifyHeader(const Kernel& kernel, Reporter& reporter);

// The names that a kernel's shapes introduce.
std::set<std::string> SymbolsOf(const Kernel& kernel);

// `function` is null in a kernel's body. Leaves the tensor parameters that are written in `written`.
void VerifyBody(const Module& module, const Inline* function, const Block& body, NameTable names, Reporter& reporter,
                std::set<std::string>& written);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_VERIFIER_H_
