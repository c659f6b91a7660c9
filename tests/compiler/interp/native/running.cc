#include "tests/compiler/interp/native/running.h"

#include <gtest/gtest.h>

namespace kiln::interp {
namespace {

std::vector<Argument> ArgumentsOf(const std::vector<Array*>& arrays) {
  std::vector<Argument> args;
  for (Array* array : arrays) args.push_back(array->tensor());
  return args;
}

}  // namespace

std::string FaultOf(const std::string& text, std::vector<Array*> arrays) {
  RunOptions options;
  options.max_steps = 1 << 24;
  std::string message = MessageOf(KernelOf(text), ArgumentsOf(arrays), options);
  const std::string kHead = "interp: kernel \"f\": ";
  EXPECT_EQ(message.substr(0, kHead.size()), kHead);
  return message.size() > kHead.size() ? message.substr(kHead.size()) : message;
}

void RunText(const std::string& text, std::vector<Array*> arrays, const RunOptions& options) {
  EXPECT_EQ(MessageOf(KernelOf(text), ArgumentsOf(arrays), options), "") << text;
}

std::string With(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) {
    ADD_FAILURE() << "not there once: " << from;
    return text;
  }
  return text.replace(at, from.size(), to);
}

std::vector<double> Ramp(int64_t count, int64_t period) {
  std::vector<double> values;
  for (int64_t k = 0; k < count; ++k) values.push_back(static_cast<double>(k % period));
  return values;
}

}  // namespace kiln::interp
