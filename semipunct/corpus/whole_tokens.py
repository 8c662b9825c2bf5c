"""Parts of a text that must not be split: addresses, markup, numbers, mentions and hashtags.

Marks within them are not punctuation of the sentence, and are never changed.
"""

import re
from collections.abc import Iterator

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
