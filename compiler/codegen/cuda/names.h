// Names of a kernel as C++ identifiers: dots become underscores, words that C++, CUDA or the prelude own get a trailing
// underscore, and so does a name that another one already became. The same kernel gives the same names.
#ifndef KILN_COMPILER_CODEGEN_CUDA_NAMES_H_
#define KILN_COMPILER_CODEGEN_CUDA_NAMES_H_

#include <map>
#include <set>
#include <string>

namespace kiln::cuda {

class Names {
 public:
  // The identifier of `name`: made at the first call, the same ever after.
  const std::string& Of(const std::string& name);

 private:
  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace kiln::cuda

#endif  // KILN_COMPILER_CODEGEN_CUDA_NAMES_H_
