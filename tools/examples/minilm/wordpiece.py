"""WordPiece, as uncased BERT models split text: cleaned, lowered and stripped of accents, cut at spaces and
punctuation, then each word into the longest pieces that the vocabulary has."""

import unicodedata

# Of the whole sequence, both marks included.
MAX_TOKENS = 128
_MAX_WORD = 100

# The blocks of Chinese characters, each of which is a word.
_CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """Text to token numbers, by a vocabulary of one piece a line."""

    def __init__(self, vocabulary_path):
        lines = vocabulary_path.read_text(encoding="utf-8").split("\n")
        self._ids = {piece: number for number, piece in enumerate(lines) if piece}
        self._unknown = self._ids["[UNK]"]
        self._begin = self._ids["[CLS]"]
        self._end = self._ids["[SEP]"]

    def encode(self, text):
        """The numbers of `text` between the marks that begin and end it, at most MAX_TOKENS; what is over is cut."""
        pieces = [number for word in words(text) for number in self._pieces(word)]
        return [self._begin, *pieces[: MAX_TOKENS - 2], self._end]

    def _pieces(self, word):
        if len(word) > _MAX_WORD:
            return [self._unknown]
        numbers = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._ids.get(word[start:end] if start == 0 else "##" + word[start:end])
                if number is not None:
                    break
            else:
                return [self._unknown]
            numbers.append(number)
            start = end
        return numbers


def words(text):
    """What the vocabulary is looked up for: words and single marks of punctuation."""
    cleaned = "".join(_clean(c) for c in text)
    stripped = "".join(c for c in unicodedata.normalize("NFD", cleaned) if unicodedata.category(c) != "Mn")
    out = []
    for word in stripped.lower().split():
        start = 0
        for i, c in enumerate(word):
            if _is_punctuation(c):
                out += [word[start:i], c] if i > start else [c]
                start = i + 1
        if start < len(word):
            out.append(word[start:])
    return out


def _clean(c):
    if c in "\t\n\r" or unicodedata.category(c) == "Zs":
        return " "
    if c in "\0\ufffd" or unicodedata.category(c)[0] == "C":
        return ""
    return f" {c} " if any(low <= ord(c) <= high for low, high in _CHINESE) else c


def _is_punctuation(c):
    # In ASCII all that is neither letter, digit nor space, which is more than Unicode calls punctuation.
    if ord(c) < 128:
        return "!" <= c <= "~" and not c.isalnum()
    return unicodedata.category(c)[0] == "P"
