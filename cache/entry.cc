#include "cache/entry.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cache {
namespace {

constexpr std::string_view kMagic("\x89KILN\r\n\x1a", 8);
constexpr int kZstdLevel = 3;

enum class Codec : uint16_t { kRaw = 0, kZstd = 1 };

absl::Status Damaged(const absl::AlphaNum& subject, const absl::AlphaNum& expected, const absl::AlphaNum& found) {
  return absl::DataLossError(absl::StrCat("cache entry: ", subject, ": expected ", expected, ", found ", found));
}

template <typename T>
void AppendInt(T value, std::string* out) {
  for (size_t i = 0; i < sizeof(T); ++i) out->push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

std::array<char, kChecksumBytes> ChecksumOf(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  static_assert(sizeof(canonical) == kChecksumBytes);
  std::array<char, kChecksumBytes> checksum;
  std::copy(std::begin(canonical.digest), std::end(canonical.digest), checksum.begin());
  return checksum;
}

bool IsFieldName(std::string_view name) {
  const auto legal = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; };
  return !name.empty() && name.size() <= kMaxFieldNameBytes && std::all_of(name.begin(), name.end(), legal);
}

absl::Status CheckSize(const absl::AlphaNum& subject, size_t size, size_t limit) {
  if (size <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("cache entry: ", subject, ": expected at most ", limit, " bytes, found ", size));
}

absl::StatusOr<std::string> EncodeFields(const std::map<std::string, std::string>& fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    if (!IsFieldName(name)) {
      return absl::InvalidArgumentError(absl::StrCat("cache entry: field name: expected 1 to ", kMaxFieldNameBytes,
                                                     " of [a-z0-9_.], found \"", name, "\""));
    }
    KILN_RETURN_IF_ERROR(CheckSize(absl::StrCat("field \"", name, "\""), value.size(), kMaxFieldValueBytes));
    AppendInt(static_cast<uint16_t>(name.size()), &out);
    out.append(name);
    AppendInt(static_cast<uint32_t>(value.size()), &out);
    out.append(value);
  }
  KILN_RETURN_IF_ERROR(CheckSize("fields", out.size(), kMaxFieldsBytes));
  return out;
}

// Takes integers and runs of bytes off the front; every read is checked against what is left.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  bool Int(T* value) {
    std::string_view raw;
    if (!Bytes(sizeof(T), &raw)) return false;
    uint64_t wide = 0;
    for (size_t i = sizeof(T); i-- > 0;) wide = wide << 8 | static_cast<uint8_t>(raw[i]);
    *value = static_cast<T>(wide);
    return true;
  }

  bool Bytes(uint64_t size, std::string_view* out) {
    if (size > rest_.size()) return false;
    *out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

absl::StatusOr<std::map<std::string, std::string>> DecodeFields(std::string_view bytes) {
  std::map<std::string, std::string> fields;
  Reader reader(bytes);
  while (!reader.empty()) {
    uint16_t name_bytes = 0;
    uint32_t value_bytes = 0;
    std::string_view name;
    std::string_view value;
    if (!reader.Int(&name_bytes) || !reader.Bytes(name_bytes, &name) || !reader.Int(&value_bytes) ||
        !reader.Bytes(value_bytes, &value)) {
      return Damaged("fields", "whole fields", "one cut short");
    }
    if (!IsFieldName(name)) return Damaged("field name", "1 to 64 of [a-z0-9_.]", absl::StrCat(name_bytes, " bytes"));
    if (value.size() > kMaxFieldValueBytes) {
      return Damaged("field value", absl::StrCat("at most ", kMaxFieldValueBytes, " bytes"),
                     absl::StrCat(value.size()));
    }
    if (!fields.empty() && fields.rbegin()->first >= name) {
      return Damaged("fields", "ascending names", absl::StrCat("\"", std::string(name), "\" out of order"));
    }
    fields.emplace_hint(fields.end(), name, value);
  }
  return fields;
}

absl::StatusOr<std::string> Unpack(Codec codec, std::string_view stored, uint64_t payload_bytes) {
  if (codec == Codec::kRaw) {
    if (stored.size() != payload_bytes) {
      return Damaged("raw payload", absl::StrCat(payload_bytes, " bytes"), absl::StrCat(stored.size()));
    }
    return std::string(stored);
  }
  // Asked of the frame before anything is allocated for it.
  const unsigned long long frame_bytes = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (frame_bytes != payload_bytes) {
    return Damaged("zstd payload", absl::StrCat("a frame of ", payload_bytes, " bytes"), "another");
  }
  std::string payload(payload_bytes, '\0');
  const size_t unpacked = ZSTD_decompress(payload.data(), payload.size(), stored.data(), stored.size());
  if (ZSTD_isError(unpacked)) return Damaged("zstd payload", "a whole frame", ZSTD_getErrorName(unpacked));
  if (unpacked != payload.size()) {
    return Damaged("zstd payload", absl::StrCat(payload_bytes, " bytes"), absl::StrCat(unpacked));
  }
  return payload;
}

}  // namespace

std::string Name(EntryKind kind) {
  switch (kind) {
    case EntryKind::kRequest:
      return "request";
    case EntryKind::kBinary:
      return "binary";
  }
  return absl::StrCat("kind ", static_cast<uint16_t>(kind));
}

absl::StatusOr<std::string> EncodeEntry(const Entry& entry) {
  if (static_cast<uint16_t>(entry.key.kind) == 0) {
    return absl::InvalidArgumentError("cache entry: kind: expected one above 0, found 0");
  }
  if (entry.payload.empty()) {
    return absl::InvalidArgumentError("cache entry: payload: expected at least 1 byte, found 0");
  }
  KILN_RETURN_IF_ERROR(CheckSize("request text", entry.request.size(), kMaxRequestBytes));
  KILN_RETURN_IF_ERROR(CheckSize("payload", entry.payload.size(), kMaxPayloadBytes));
  KILN_ASSIGN_OR_RETURN(const std::string fields, EncodeFields(entry.fields));

  Codec codec = Codec::kRaw;
  std::string packed;
  if (entry.payload.size() > kCompressAboveBytes) {
    packed.resize(ZSTD_compressBound(entry.payload.size()));
    const size_t size =
        ZSTD_compress(packed.data(), packed.size(), entry.payload.data(), entry.payload.size(), kZstdLevel);
    // What does not shrink, or could not be compressed, is stored as it is.
    if (!ZSTD_isError(size) && size < entry.payload.size()) {
      packed.resize(size);
      codec = Codec::kZstd;
    }
  }
  const std::string_view stored = codec == Codec::kZstd ? packed : entry.payload;

  std::string out;
  out.reserve(kEntryPreludeBytes + fields.size() + entry.request.size() + stored.size() + kChecksumBytes);
  out.append(kMagic);
  AppendInt(kFormatVersion, &out);
  AppendInt(static_cast<uint16_t>(entry.key.kind), &out);
  AppendInt(static_cast<uint16_t>(codec), &out);
  out.append(entry.key.digest.AsBytes());
  AppendInt(static_cast<uint32_t>(fields.size()), &out);
  AppendInt(static_cast<uint32_t>(entry.request.size()), &out);
  AppendInt(static_cast<uint64_t>(entry.payload.size()), &out);
  AppendInt(static_cast<uint64_t>(stored.size()), &out);
  out.append(fields).append(entry.request).append(stored);
  const std::array<char, kChecksumBytes> checksum = ChecksumOf(out);
  out.append(checksum.data(), checksum.size());
  return out;
}

absl::StatusOr<Entry> DecodeEntry(std::string_view bytes) {
  Reader reader(bytes);
  std::string_view magic;
  uint32_t version = 0;
  if (!reader.Bytes(kMagic.size(), &magic) || magic != kMagic) {
    return Damaged("magic", "89 4b 49 4c 4e 0d 0a 1a", "other bytes");
  }
  if (!reader.Int(&version) || version == 0) return Damaged("version", "one above 0", "none");
  if (version > kFormatVersion) {
    return absl::UnimplementedError(absl::StrCat("cache entry: version: expected at most ", kFormatVersion, ", found ",
                                                 version, ": written by a later Kiln, which can read it"));
  }
  if (bytes.size() < kEntryPreludeBytes + kChecksumBytes || bytes.size() > kMaxEntryBytes) {
    return Damaged("size", absl::StrCat(kEntryPreludeBytes + kChecksumBytes, " to ", kMaxEntryBytes, " bytes"),
                   absl::StrCat(bytes.size()));
  }
  const std::array<char, kChecksumBytes> checksum = ChecksumOf(bytes.substr(0, bytes.size() - kChecksumBytes));
  if (bytes.substr(bytes.size() - kChecksumBytes) != std::string_view(checksum.data(), checksum.size())) {
    return Damaged("checksum", "that of the bytes before it", "another");
  }

  // From here on the bytes are as they were written; what follows guards against a writer that meant harm.
  uint16_t kind = 0;
  uint16_t codec = 0;
  uint32_t fields_bytes = 0;
  uint32_t request_bytes = 0;
  uint64_t payload_bytes = 0;
  uint64_t stored_bytes = 0;
  std::string_view digest;
  std::string_view fields;
  std::string_view request;
  std::string_view stored;
  if (!reader.Int(&kind) || !reader.Int(&codec) || !reader.Bytes(Digest::kBytes, &digest) ||
      !reader.Int(&fields_bytes) || !reader.Int(&request_bytes) || !reader.Int(&payload_bytes) ||
      !reader.Int(&stored_bytes) || !reader.Bytes(fields_bytes, &fields) || !reader.Bytes(request_bytes, &request) ||
      !reader.Bytes(stored_bytes, &stored)) {
    return Damaged("sizes", "those of the parts that follow", "more than there is");
  }
  std::string_view tail;
  if (!reader.Bytes(kChecksumBytes, &tail) || !reader.empty()) {
    return Damaged("sizes", "those of the parts that follow", "less than there is");
  }
  if (kind == 0) return Damaged("kind", "one above 0", "0");
  if (codec > static_cast<uint16_t>(Codec::kZstd)) return Damaged("codec", "0 or 1", absl::StrCat(codec));
  if (fields_bytes > kMaxFieldsBytes || request_bytes > kMaxRequestBytes || payload_bytes > kMaxPayloadBytes ||
      payload_bytes == 0) {
    return Damaged("sizes", "each within its bound", "one beyond it");
  }

  Entry entry;
  entry.key = {static_cast<EntryKind>(kind), *Digest::FromBytes(digest)};
  KILN_ASSIGN_OR_RETURN(entry.fields, DecodeFields(fields));
  entry.request = std::string(request);
  KILN_ASSIGN_OR_RETURN(entry.payload, Unpack(static_cast<Codec>(codec), stored, payload_bytes));
  return entry;
}

}  // namespace kiln::cache
