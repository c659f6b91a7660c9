#include "cache/bundle.h"

#include <xxhash.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cache {
namespace {

constexpr std::string_view kMagic("\x89KBND\r\n\x1a", 8);
constexpr size_t kHeaderBytes = 32;
constexpr size_t kRowBytes = 88;
constexpr size_t kSealBytes = PublicKey::kBytes + sizeof(Signature);
// What a signature of ours never means anything else by.
constexpr std::string_view kSignedPrefix = "kiln.bundle 1\n";

absl::Status Damaged(const std::string& subject, const std::string& expected, const std::string& found) {
  return absl::DataLossError(absl::StrCat("cache bundle: ", subject, ": expected ", expected, ", found ", found));
}

template <typename T>
void AppendInt(T value, std::string* out) {
  for (size_t i = 0; i < sizeof(T); ++i) out->push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

// REQUIRES: that many bytes there.
template <typename T>
T IntAt(std::string_view bytes, size_t offset) {
  uint64_t wide = 0;
  for (size_t i = sizeof(T); i-- > 0;) wide = wide << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return static_cast<T>(wide);
}

std::string ChecksumOf(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  return {std::begin(canonical.digest), std::end(canonical.digest)};
}

// Rows are in ascending order of this.
std::pair<Digest, EntryKind> OrderOf(const Key& key) { return {key.digest, key.kind}; }

std::string SignedText(std::string_view index) { return std::string(kSignedPrefix).append(index); }

// Where the entry that `before` ends begins: offsets leave no gaps and no overlaps.
absl::Status CheckRow(const BundleRow& row, const BundleRow* before, uint64_t end) {
  if (static_cast<uint16_t>(row.key.kind) == 0) return Damaged("kind", "one above 0", "0");
  if (row.bytes == 0 || row.bytes > kMaxEntryBytes) return Damaged("entry", "a size within its bounds", "another");
  if (row.offset != end) return Damaged("offset", absl::StrCat(end), absl::StrCat(row.offset));
  if (before != nullptr && OrderOf(before->key) >= OrderOf(row.key))
    return Damaged("index", "ascending keys", "others");
  return absl::OkStatus();
}

}  // namespace

BundleRow BundleView::Row(uint64_t i) const {
  const std::string_view row = index_.substr(kHeaderBytes + i * kRowBytes, kRowBytes);
  return {{static_cast<EntryKind>(IntAt<uint16_t>(row, 0)), *Digest::FromBytes(row.substr(8, Digest::kBytes))},
          *Digest::FromBytes(row.substr(40, Digest::kBytes)),
          IntAt<uint64_t>(row, 72),
          IntAt<uint64_t>(row, 80)};
}

absl::StatusOr<BundleView> BundleView::Parse(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || bytes.substr(0, kMagic.size()) != kMagic) {
    return Damaged("magic", "89 4b 42 4e 44 0d 0a 1a", "other bytes");
  }
  const uint32_t version = IntAt<uint32_t>(bytes, 8);
  if (version == 0) return Damaged("version", "one above 0", "0");
  if (version > kBundleVersion) {
    return absl::UnimplementedError(absl::StrCat("cache bundle: version: expected at most ", kBundleVersion, ", found ",
                                                 version, ": written by a later Kiln, which can read it"));
  }
  const uint32_t is_signed = IntAt<uint32_t>(bytes, 12);
  const uint64_t count = IntAt<uint64_t>(bytes, 16);
  const uint64_t entries_bytes = IntAt<uint64_t>(bytes, 24);
  if (is_signed > 1) return Damaged("signed", "0 or 1", absl::StrCat(is_signed));
  if (count > kMaxBundleEntries || entries_bytes > kMaxBundleBytes) return Damaged("sizes", "within bounds", "others");
  const uint64_t index_bytes = kHeaderBytes + count * kRowBytes;
  const uint64_t whole = index_bytes + kChecksumBytes + entries_bytes + (is_signed == 1 ? kSealBytes : 0);
  if (bytes.size() != whole) {
    return Damaged("size", absl::StrCat(whole, " bytes"), absl::StrCat(bytes.size()));
  }
  BundleView view;
  view.index_ = bytes.substr(0, index_bytes);
  view.entries_ = bytes.substr(index_bytes + kChecksumBytes, entries_bytes);
  view.seal_ = bytes.substr(index_bytes + kChecksumBytes + entries_bytes);
  view.count_ = count;
  view.is_signed_ = is_signed == 1;
  if (bytes.substr(index_bytes, kChecksumBytes) != ChecksumOf(view.index_)) {
    return Damaged("checksum", "that of the index before it", "another");
  }
  // As they were written; what follows guards against a writer that meant harm.
  uint64_t end = 0;
  BundleRow before;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view padding = bytes.substr(kHeaderBytes + i * kRowBytes + 2, 6);
    if (padding != std::string_view("\0\0\0\0\0\0", 6)) return Damaged("padding", "zeros", "others");
    const BundleRow row = view.Row(i);
    KILN_RETURN_IF_ERROR(CheckRow(row, i == 0 ? nullptr : &before, end));
    end += row.bytes;
    before = row;
  }
  if (end != entries_bytes) return Damaged("entries", absl::StrCat(end, " bytes"), absl::StrCat(entries_bytes));
  return view;
}

std::optional<BundleRow> BundleView::Find(const Key& key) const {
  uint64_t low = 0;
  uint64_t high = count_;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const BundleRow row = Row(middle);
    if (row.key == key) return row;
    (OrderOf(row.key) < OrderOf(key) ? low : high) = OrderOf(row.key) < OrderOf(key) ? middle + 1 : middle;
  }
  return std::nullopt;
}

absl::StatusOr<std::string_view> BundleView::Bytes(const BundleRow& row) const {
  const std::string_view bytes = entries_.substr(row.offset, row.bytes);
  if (DigestOf(bytes) != row.content) {
    return Damaged(absl::StrCat("entry ", row.key.digest.ToHex()), "the bytes that the index was made for", "others");
  }
  return bytes;
}

absl::StatusOr<Entry> BundleView::Read(const BundleRow& row) const {
  KILN_ASSIGN_OR_RETURN(const std::string_view bytes, Bytes(row));
  KILN_ASSIGN_OR_RETURN(Entry entry, DecodeEntry(bytes));
  if (entry.key != row.key) return Damaged("entry", row.key.digest.ToHex(), entry.key.digest.ToHex());
  return entry;
}

absl::StatusOr<PublicKey> BundleView::Signer() const {
  if (!is_signed_) return absl::FailedPreconditionError("cache bundle: expected a signature, found none");
  PublicKey signer;
  Signature signature;
  std::copy_n(seal_.begin(), signer.bytes.size(), signer.bytes.begin());
  std::copy_n(seal_.begin() + PublicKey::kBytes, signature.size(), signature.begin());
  if (!IsSignedBy(signer, signature, SignedText(index_))) {
    return Damaged("signature", absl::StrCat("one by ", signer.ToHex()), "another");
  }
  return signer;
}

absl::StatusOr<std::string> EncodeBundle(const std::vector<std::string>& entries, const SigningKey* signer) {
  std::map<std::pair<Digest, EntryKind>, const std::string*> ordered;
  for (const std::string& bytes : entries) {
    const absl::StatusOr<Entry> entry = DecodeEntry(bytes);
    if (!entry.ok()) return absl::InvalidArgumentError(entry.status().message());
    ordered.try_emplace(OrderOf(entry->key), &bytes);
  }
  uint64_t total = 0;
  for (const auto& [order, bytes] : ordered) total += bytes->size();
  if (ordered.size() > kMaxBundleEntries || total > kMaxBundleBytes) {
    return absl::InvalidArgumentError(absl::StrCat("cache bundle: expected at most ", kMaxBundleEntries, " entries of ",
                                                   kMaxBundleBytes, " bytes together, found ", ordered.size(), " of ",
                                                   total, ": make several"));
  }
  std::string out(kMagic);
  out.reserve(kHeaderBytes + ordered.size() * kRowBytes + kChecksumBytes + total + kSealBytes);
  AppendInt(kBundleVersion, &out);
  AppendInt(uint32_t{signer != nullptr}, &out);
  AppendInt(uint64_t{ordered.size()}, &out);
  AppendInt(total, &out);
  uint64_t offset = 0;
  for (const auto& [order, bytes] : ordered) {
    AppendInt(static_cast<uint16_t>(order.second), &out);
    out.append(6, '\0');
    out.append(order.first.AsBytes()).append(DigestOf(*bytes).AsBytes());
    AppendInt(offset, &out);
    AppendInt(uint64_t{bytes->size()}, &out);
    offset += bytes->size();
  }
  const std::string index = out;
  out.append(ChecksumOf(index));
  for (const auto& [order, bytes] : ordered) out.append(*bytes);
  if (signer != nullptr) {
    const Signature signature = signer->Sign(SignedText(index));
    out.append(signer->public_key().bytes.begin(), signer->public_key().bytes.end());
    out.append(signature.begin(), signature.end());
  }
  return out;
}

}  // namespace kiln::cache
