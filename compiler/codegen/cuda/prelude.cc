#include "compiler/codegen/cuda/prelude.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace kiln::cuda {
namespace {

struct Piece {
  std::string_view name;
  std::string_view needs;
  std::string_view feature;
  std::string_view text;
};

constexpr Piece kPieces[] = {
#define KILN_PIECE(name, needs, feature, text) {name, needs, feature, text},
#include "compiler/codegen/cuda/prelude.inc"
#undef KILN_PIECE
};

bool Fits(const Piece& piece, const Target& target) {
  if (piece.feature.empty()) return true;
  bool without = piece.feature[0] == '!';
  return target.Has(std::string(piece.feature.substr(without))) != without;
}

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Whether `text` declares or calls a function of that name, or declares a struct of it.
bool Mentions(std::string_view text, std::string_view name) {
  constexpr std::string_view kStruct = "struct ";
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if (at > 0 && IsWord(text[at - 1])) continue;
    if (end < text.size() && text[end] == '(') return true;
    bool whole = end == text.size() || !IsWord(text[end]);
    if (whole && at >= kStruct.size() && text.substr(at - kStruct.size(), kStruct.size()) == kStruct) return true;
  }
  return false;
}

}  // namespace

void Prelude::Use(std::string_view name) {
  for (const Piece& piece : kPieces) {
    if (piece.name != name || !Fits(piece, target_) || !used_.insert(piece.name).second) continue;
    for (std::string_view needs = piece.needs; !needs.empty();) {
      size_t space = std::min(needs.find(' '), needs.size());
      Use(needs.substr(0, space));
      needs.remove_prefix(std::min(space + 1, needs.size()));
    }
  }
}

std::string Prelude::Text() const {
  std::string text;
  for (const Piece& piece : kPieces)
    if (used_.count(piece.name) && Fits(piece, target_)) text += piece.text;
  for (const auto& [name, definition] : defined_) text += definition;
  if (text.find("DEVICE") != std::string::npos) text.insert(0, "#define DEVICE static __device__ __forceinline__\n");
  return text;
}

bool Prelude::Defines(std::string_view name) {
  if (name == "DEVICE" || name == "TensorMap" || name.starts_with("wgmma_m64")) return true;
  return std::any_of(std::begin(kPieces), std::end(kPieces),
                     [&](const Piece& piece) { return Mentions(piece.text, name); });
}

bool Prelude::HasPiece(std::string_view name) {
  return std::any_of(std::begin(kPieces), std::end(kPieces), [&](const Piece& piece) { return piece.name == name; });
}

}  // namespace kiln::cuda
