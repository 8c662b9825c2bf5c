"""Punctuation tokens as data: special tokens, and pairs of opening and closing marks.

The tables extend Appendix A of Li, Wang and Eisner (2019) by Unicode's brackets and quotation
marks, as footnote 24 suggests. Boundary marks belong to no puncteme.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set

# A string of 0 or more punctuation tokens, in text order.
Puncteme = tuple[str, ...]

# The left and the right puncteme of a node.
Pair = tuple[Puncteme, Puncteme]

# An opening and a closing token.
TokenPair = tuple[str, str]

# The mark before every sentence (section 4), which can absorb an initial comma.
INITIAL = "^"

# The mark after a sentence, "for symmetry" (footnote 13); off by default.
FINAL = "$"

# The dot of an abbreviation (*etc.*), distinct from the period.
ABBREVIATION = "<abbr>"

# All tokens too rare for the vocabulary.
UNK = "<unk>"

# The underlying token that can be spelt as any string of surface tokens.
OPEN = "<open>"

# The symbol in the channel's window before anything is read (Lambda in appendix D).
START = "<start>"

SPECIAL_TOKENS: frozenset[str] = frozenset({INITIAL, FINAL, ABBREVIATION, UNK, OPEN, START})

# Boundary marks and the dot of an abbreviation: no separate tokens of a text.
SILENT: frozenset[str] = frozenset({INITIAL, FINAL, ABBREVIATION})

# Each string alternates between opening and closing marks.
_BRACKETS = (
    "()[]{}<>⁅⁆⌈⌉⌊⌋〈〉❨❩❪❫❬❭❮❯❰❱❲❳❴❵⟅⟆⟦⟧⟨⟩⟪⟫⟬⟭⟮⟯⦃⦄⦅⦆⦇⦈⦉⦊⦋⦌⸢⸣⸤⸥⸦⸧⸨⸩"
    "〈〉《》「」『』【】〔〕〖〗〘〙〚〛︗︘︵︶︷︸︹︺︻︼︽︾︿﹀﹁﹂﹃﹄﹇﹈﹙﹚﹛﹜﹝﹞（）［］｛｝＜＞｟｠｢｣༺༻༼༽᚛᚜"
)
# Quotation marks of several traditions: one mark may open in one language and close in another.
_QUOTES = "“”‘’„“„”‚‘‚’‛’‟”«»‹›»«›‹〝〞〝〟⹂”"
_SENTENCE_MARKS = "¿?¡!"
# Marks written with several characters: ASCII guillemets, TeX quotes, Penn Treebank brackets.
_LONGER_QUOTES = (("<<", ">>"), ("``", "''"))
_LONGER_BRACKETS = (("-LRB-", "-RRB-"), ("-LSB-", "-RSB-"), ("-LCB-", "-RCB-"))


def _pairs(row: str) -> tuple[tuple[str, str], ...]:
    return tuple(zip(row[::2], row[1::2], strict=True))


# The pairs of brackets.
BRACKET_PAIRS: frozenset[TokenPair] = frozenset((*_pairs(_BRACKETS), *_LONGER_BRACKETS))

# The pairs of quotation marks that differ.
QUOTE_PAIRS: frozenset[TokenPair] = frozenset((*_pairs(_QUOTES), *_LONGER_QUOTES))

# All pairs (opening token, closing token) whose two tokens differ (Appendix B).
PAIRS: frozenset[TokenPair] = BRACKET_PAIRS | QUOTE_PAIRS | frozenset(_pairs(_SENTENCE_MARKS))

# Pairs of equal tokens: they are used for symmetry (Appendix A), never for matching.
EQUAL_PAIRS: frozenset[tuple[str, str]] = frozenset(
    (mark, mark) for mark in (",", "-", "--", "–", "—")
)

# Quotation marks with the same form for opening and closing.
STRAIGHT: frozenset[str] = frozenset(('"', "'"))

_SYMMETRIC = PAIRS | EQUAL_PAIRS


def with_boundaries(slots: Sequence[Puncteme], *, final: bool = False) -> list[Puncteme]:
    """Add boundary marks to the strings of a sentence, as in the input of the channel."""
    strings = list(slots)
    strings[0] = (INITIAL, *strings[0])
    if final:
        strings[-1] = (*strings[-1], FINAL)
    return strings


def without_boundaries(string: Puncteme) -> Puncteme:
    """Remove the boundary marks from a string of the channel."""
    return tuple(token for token in string if token not in (INITIAL, FINAL))


def is_symmetric(left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether two nonempty punctemes mirror each other in pairs (Appendix A, feature S)."""
    return _mirrors(left, right, _SYMMETRIC)


def is_unmatched(left: Sequence[str], right: Sequence[str], pairs: Set[TokenPair] = PAIRS) -> bool:
    """Return whether the punctemes of a node contain a token without its partner (Appendix B).

    Read literally, the appendix counts every node without punctuation, and every final *?* in
    languages without the inverted mark, unless ``pairs`` excludes it.
    """
    members = {token for pair in pairs for token in pair}
    filtered_left = [token for token in left if token in members]
    filtered_right = [token for token in right if token in members]
    if not filtered_left and not filtered_right:
        return False
    return not _mirrors(filtered_left, filtered_right, pairs)


def _mirrors(left: Sequence[str], right: Sequence[str], pairs: Set[TokenPair]) -> bool:
    if len(left) != len(right) or not left:
        return False
    return all(pair in pairs for pair in zip(left, reversed(right), strict=True))


def carries_dot(form: str) -> bool:
    """Return whether a word ends in the dot of an abbreviation."""
    if len(form) < 2 or not form.endswith("."):
        return False
    return any(unicodedata.category(char)[0] not in "PS" for char in form)


SYMBOLS: Mapping[str, str] = {
    INITIAL: INITIAL,
    FINAL: FINAL,
    ABBREVIATION: ".°",
    OPEN: "◌",
    UNK: "▢",
}

MEANINGS: Mapping[str, str] = {
    INITIAL: "the beginning of the sentence",
    FINAL: "the end of the sentence",
    ABBREVIATION: "the period of an abbreviation",
    OPEN: "any string of marks, left open underneath (the open puncteme)",
    UNK: "a mark too rare for the model to tell from others",
}


def display_form(token: str) -> str:
    """Return a token in the form shown to readers."""
    return SYMBOLS.get(token, token)


def shown_string(tokens: Iterable[str], nothing: str = "") -> str:
    """Return tokens in the form shown to readers, separated by spaces."""
    return " ".join(map(display_form, tokens)) or nothing


def legend(tokens: Iterable[str]) -> str:
    """Return a one-line legend of the special tokens that occur; may be empty."""
    present = set(tokens)
    return "; ".join(
        f"{symbol} {MEANINGS[token]}" for token, symbol in SYMBOLS.items() if token in present
    )


# A pattern (``re.VERBOSE``) of an emoticon between blanks.
EMOTICON = r"""
    (?: [:;=] [-^o']? (?: [()\[\]|/\\*{}@$<>]+ | [DPp3OXx]+ (?!\w) )  # :-) ;) =D
      | [()\[\]]+ [-^o']? [:;=] (?![\w()])                            # (: (-;
      | <3+ (?!\d)
      | \^[_.-]*\^ | -_+- | [oO]_[oO] | T_T | x_x | >[._]< | ¯\\_\(ツ\)_/¯
    )
"""

_WHOLE = re.compile(EMOTICON, re.VERBOSE)

# The first arrow, picture or emoji; symbols before it are letters and signs.
_PICTURES = 0x2190


def is_emoticon(form: str) -> bool:
    """Return whether a token is an emoticon such as *:-)*."""
    return _WHOLE.fullmatch(form) is not None


def is_picture(form: str) -> bool:
    """Return whether a token is an emoji or another picture, such as *😀* or *♥*."""
    symbols = [unicodedata.category(char) == "So" and ord(char) >= _PICTURES for char in form]
    return any(symbols) and not any(map(str.isalnum, form))
