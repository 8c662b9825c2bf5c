"""Parts of a text that no tokeniser cuts: addresses, markup, numbers, names of users and topics.

Marks within them are theirs, not the sentence's: nobody takes these away or puts others in.
"""

import re
from collections.abc import Iterator

from semipunct.corpus.passages import Span

# None looks for its beginning where another could have begun: a long word would be read over and
# over again. An address ends with its last character of ASCII: in a script without spaces letters
# follow that are not its own.
_KINDS = re.compile(
    r"""
      (?P<page> (?<![A-Za-z0-9+.-]) (?: [A-Za-z][A-Za-z0-9+.-]*:// | www\. ) [!#-;=?-Z\[\]_a-z~]+ )
    | (?<![\w.+-]) [\w.+-]+ @ [\w-]+ (?: \.[\w-]+ )+
    | </? [A-Za-z!] [^<>\n]* >
    | (?<!\w) [#@] [^\W\d] \w*
    | (?<!\d) \d+ (?: [.,:/'’\-–] \d+ )+
    """,
    re.VERBOSE,
)
_TRAILING = ".,;:!?'()[]"


def whole_tokens(text: str) -> Iterator[Span]:
    """Yield the places of what is one token, or a part of one, in order.

    These are addresses of pages and of mail, tags of markup, numbers with marks within, and words
    after ``#`` or ``@``. The mark that follows an address is not part of it.

    Args:
        text: of any length.
    """
    for found in _KINDS.finditer(text):
        start, end = found.span()
        yield start, end - (len(found[0]) - len(found[0].rstrip(_TRAILING)) if found["page"] else 0)
