#include "api/documents.h"

#include "compiler/ir/decode.h"
#include "compiler/ir/encode.h"
#include "compiler/ir/format.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/ir/wire_mark.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {
namespace {

absl::StatusOr<ir::Module> Verified(ir::Module module, const std::string& name) {
  KILN_RETURN_IF_ERROR(ir::ToStatus(ir::Verify(module), name));
  return module;
}

}  // namespace

absl::StatusOr<ir::Module> ModuleFromText(std::string_view text, const std::string& name) {
  KILN_ASSIGN_OR_RETURN(ir::Module module, ir::Parse(text, name));
  return Verified(std::move(module), name);
}

absl::StatusOr<ir::Module> ModuleFromBytes(std::string_view bytes, const std::string& name) {
  KILN_ASSIGN_OR_RETURN(ir::Module module, ir::Decode(bytes));
  return Verified(std::move(module), name);
}

absl::StatusOr<ir::Module> ModuleFromEither(std::string_view input, const std::string& name) {
  const bool encoded = input.substr(0, ir::kWireMark.size()) == ir::kWireMark;
  return encoded ? ModuleFromBytes(input, name) : ModuleFromText(input, name);
}

absl::StatusOr<std::string> EncodeText(std::string_view text, const std::string& name) {
  KILN_ASSIGN_OR_RETURN(const ir::Module module, ModuleFromText(text, name));
  return ir::Encode(module);
}

absl::StatusOr<std::string> DecodeBytes(std::string_view bytes, const std::string& name) {
  KILN_ASSIGN_OR_RETURN(const ir::Module module, ModuleFromBytes(bytes, name));
  return ir::Print(module);
}

absl::StatusOr<std::string> FormatText(std::string_view text, const std::string& name) {
  return ir::Format(text, name);
}

}  // namespace kiln::api
