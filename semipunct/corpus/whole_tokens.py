"""Parts of a text that must not be split: addresses, markup, numbers, mentions and hashtags.

Marks within them are not punctuation of the sentence, and are never changed.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from semipunct.corpus.passages import Span

# No pattern searches for its start inside another possible match, which would take quadratic time
# for a long word. An address ends with its last ASCII character, because in scripts without spaces
# it may be followed directly by other letters. A mail address in angle brackets is not markup.
_KINDS = re.compile(
    r"""
      (?P<page> (?<![A-Za-z0-9+.-]) (?: [A-Za-z][A-Za-z0-9+.-]*:// | www\. ) [!#-;=?-Z\[\]_a-z~]+ )
    | (?<![\w.+-]) [\w.+-]+ @ [\w-]+ (?: \.[\w-]+ )+
    | < (?! [\w.+-]+ @ [\w.-]+ > ) /? [A-Za-z!] [^<>\n]* >
    | (?<!\w) [#@] [^\W\d] \w*
    | (?<!\d) \d+ (?: [.,:/'’\-–] \d+ )+
    """,
    re.VERBOSE,
)
_TRAILING = ".,;:!?'()[]"

_TAGGED = re.compile(r"((?:<[^<>]*>)*)(.*?)((?:<[^<>]*>)*)", re.DOTALL)
"""Tags before a word, the word, and tags after it."""

_CODE = "`"

LONGEST_CODE = 16
"""Words between two backquotes: a lone one, as in ASCII quotation marks, opens no code."""


class Casing(NamedTuple):
    """A form, divided into the word whose capitals may change and what never changes.

    Attributes:
        before: tags of markup before the word.
        word: empty if the form has none whose capitals may change.
        after: tags after the word, or the whole form if there is no word.
    """

    before: str
    word: str
    after: str


def divide_by_case(forms: Sequence[str]) -> list[Casing]:
    """Divide forms into words whose capitals may change, and what never changes.

    Capitals in addresses, mentions, tags of markup and code (between backquotes) have a meaning.

    Args:
        forms: words in the order of their text.
    """
    divided: list[Casing] = []
    code = _code(forms)
    for number, form in enumerate(forms):
        if form.isalnum() and number not in code:  # as most words, without a search
            divided.append(Casing("", form, ""))
            continue
        match = _TAGGED.fullmatch(form)
        if number in code or match is None or any(whole_tokens(match[2])):
            divided.append(Casing("", "", form))
        else:
            divided.append(Casing(*match.groups()))
    return divided


def _code(forms: Sequence[str]) -> set[int]:
    """Return the numbers of the words between backquotes that are near each other."""
    counts = [form.count(_CODE) for form in forms]
    code = {number for number, count in enumerate(counts) if count > 1}
    edges = [number for number, count in enumerate(counts) if count % 2]
    while edges:
        first, *edges = edges
        if edges and edges[0] - first < LONGEST_CODE:
            code.update(range(first, edges.pop(0) + 1))
    return code


def whole_tokens(text: str) -> Iterator[Span]:
    """Yield the positions of parts of a text that must not be split, in order.

    These are URLs, e-mail addresses, markup tags, numbers that contain marks, and words after ``#``
    or ``@``. A mark after an address is not part of it.

    Args:
        text: a text of any length.
    """
    for match in _KINDS.finditer(text):
        start, end = match.span()
        yield start, start + len(_without_marks_after(match[0])) if match["page"] else end


def _without_marks_after(address: str) -> str:
    """Return an address without the marks after it, but with a bracket that closes one in it."""
    shorter = address.rstrip(_TRAILING)
    closed = address[len(shorter) :]
    for opening, closing in ("()", "[]"):
        if closed.startswith(closing) and shorter.count(opening) > shorter.count(closing):
            return shorter + closing
    return shorter
