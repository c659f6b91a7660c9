// The C ABI's text and bytes.
#include <utility>

#include "api/c_handles.h"
#include "api/documents.h"
#include "kiln/internal/status_macros.h"

using kiln::api::FailNull;
using kiln::api::Guarded;

kiln_code kiln_encode(const char* text, size_t size, const char* name, kiln_buffer** bytes, kiln_error* error) {
  if (text == nullptr) return FailNull("text", error);
  if (bytes == nullptr) return FailNull("bytes", error);
  return Guarded(error, [&]() -> absl::Status {
    KILN_ASSIGN_OR_RETURN(std::string encoded, kiln::api::EncodeText({text, size}, name == nullptr ? "module" : name));
    *bytes = new kiln_buffer{std::move(encoded)};
    return absl::OkStatus();
  });
}

kiln_code kiln_decode(const void* bytes, size_t size, kiln_buffer** text, kiln_error* error) {
  if (bytes == nullptr) return FailNull("bytes", error);
  if (text == nullptr) return FailNull("text", error);
  return Guarded(error, [&]() -> absl::Status {
    KILN_ASSIGN_OR_RETURN(std::string decoded,
                          kiln::api::DecodeBytes({static_cast<const char*>(bytes), size}, "module"));
    *text = new kiln_buffer{std::move(decoded)};
    return absl::OkStatus();
  });
}

const void* kiln_buffer_data(const kiln_buffer* buffer) { return buffer == nullptr ? nullptr : buffer->bytes.data(); }
size_t kiln_buffer_size(const kiln_buffer* buffer) { return buffer == nullptr ? 0 : buffer->bytes.size(); }
void kiln_buffer_destroy(kiln_buffer* buffer) { delete buffer; }
