"""Parts of a text with marks that are not punctuation and never change.

These are times, names of speakers, markup, code and references. Marks without blanks beside them
need no pattern: they belong to a word (``located.is_within_word``). See also
docs/decisions/restoration.md.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from semipunct.corpus.passages import Span
from semipunct.marks.spacing import SIGNS
from semipunct.marks.tokens import EMOTICON


class FixedParts(NamedTuple):
    """The fixed parts of a text, each kind in order and without overlaps.

    Attributes:
        words: words with blanks inside or marks at their edges, such as code.
        labels: text before the speech of a line, such as a time and the name of a speaker.
    """

    words: Sequence[Span] = ()
    marks: Sequence[Span] = ()
    labels: Sequence[Span] = ()

    def within(self, begin: int, end: int) -> "FixedParts":
        """Return the parts between two positions, relative to the first."""

        def cut(spans: Sequence[Span]) -> list[Span]:
            overlapping = _between(spans, begin, end)
            return [(max(a, begin) - begin, min(b, end) - begin) for a, b in overlapping]

        return FixedParts(*map(cut, self))

    def closes(self, before: int, after: int, marks: Iterable[Span]) -> bool:
        """Return whether the marks between two words never change.

        Nothing is inserted into or directly after a label.
        """
        if any(_between(self.marks, *mark) for mark in marks):
            return True
        return before < after and bool(_between(self.labels, before - 1, before))


def _between(spans: Sequence[Span], begin: int, end: int) -> Sequence[Span]:
    """Return the sorted spans that overlap a stretch of text."""
    first = bisect_left(spans, (begin,))
    first -= first > 0 and spans[first - 1][1] > begin
    return spans[first : bisect_left(spans, (end,))]


NOTHING_FIXED = FixedParts()

# Repetitions within parts are bounded or exclude the characters that begin a part, so matching
# takes linear time.
_DATE = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,6})?(?:[ ]?[AaPp]\.?[Mm]\b\.?)?"
_TIME = rf"(?:(?:{_DATE}(?:T|,?[ ]))?{_CLOCK})"
_IN_BRACKETS = rf"(?:\[{_TIME}\]|\({_TIME}\)|<{_TIME}>)"
_COLON = r"(?::(?=\s)|：)"
_PART = r"[^\s:：()<>\[\]]{1,40}"
_SPEAKER = rf"(?:<[^<>\s]{{1,40}}>|{_PART}(?:[ ]{_PART}){{0,3}}{_COLON})"
_CAPITALISED = r"(?=[^\Wa-z_])[\w.'’-]{1,40}"
_NAME = rf"(?:[^\W\d_][\w.'’-]{{0,39}}|{_CAPITALISED}(?:[ ]{_CAPITALISED}){{1,3}})"

_LABEL = re.compile(
    rf"""
    ^ [^\S\n]* (?P<label>
        (?:
            {_IN_BRACKETS} (?: [ ]? [-–—>|] (?=\s) )? (?: [ ] {_SPEAKER} )?
          | {_TIME} [ ] --> [ ] {_TIME}
          | {_TIME} (?: [ ]? [-–—>|] (?=\s) (?: [ ] {_SPEAKER} )? | [ ] {_SPEAKER} | (?=\t) )
        )
      | {_NAME} (?: [ ] {_IN_BRACKETS} )? {_COLON}
      | <[^<>\s/]{{1,40}}> (?=[ ])
      | [QA] \. (?=[ ])
    )
    """,
    re.VERBOSE | re.MULTILINE,
)  # fmt: skip

_WORD = re.compile(
    r"""
      (?<!`) ``` (?!`) [^`]+ ``` (?!`)                            # a block of code
    | (?<!`) ` [^`\n]+ ` (?!`)                                    # code
    | & (?: [A-Za-z]\w{1,30} | \#\d{1,7} | \#[xX][\dA-Fa-f]{1,6} ) ;        # an entity of HTML
    | <!-- [^<>]{0,2000} -->
    | < (?: [vc] [.\s] | lang \s | (?: \d+: )? \d\d:\d\d\.\d{3} ) [^<>\n]{0,200} >   # of WebVTT
    | \{ \\ [^{}\n]{0,200} \}                                    # a tag of SubRip
    | (?<!\\) \\ [A-Za-z]{1,40} \*? (?: \{ [^{}\n]{0,200} \} ){0,9}         # a macro of TeX
    | [$%]? \{ \{? [ ]? [\w.:-]{1,80} [ ]? \} \}?                 # a placeholder of a template
    | (?<!\S) --? [A-Za-z] [\w-]*                                 # an option of a command
    | (?<!\S) [-−+±] \d+ (?: [.,]\d+ )*                           # a number with a sign
    | (?<!\S) (?: ~ | \.{1,2} )? / [\w.~-]* \w (?: / [\w.~-]* \w )* /?      # a path
    | (?<!\S) \. [^\W_] \w*                                       # .NET
    | (?<![^\s(\[“"]) ['’] (?: \d\ds? | [Tt]is | [Tt]was | em | cause | [Nn]['’] ) (?!\w)
    """,
    re.VERBOSE,
)

_EDGES = re.compile(
    rf"""
      !? \[ (?P<text> [^\[\]\n]{{1,200}} ) \] \( [^()\s]{{0,500}} \)        # a link of Markdown
    | (?P<pair>
          {_IN_BRACKETS} | \[ [\w.,;–-]{{1,12}} \]                # a time, a note
        | \( (?= [^()\n]{{0,60}} [\d§¶] ) [^()\n]{{1,80}} \)      # a reference
      )
    """,
    re.VERBOSE,
)

_MARK = re.compile(
    rf"""
      (?<!\S) (?: {EMOTICON} ) (?= [.,;!?…]{{0,9}} (?:\s|$) )
    | (?<![\w@]) @\w{{1,40}} : (?=\s)                              # whom a message addresses
    | [{re.escape("".join(sorted(SIGNS)))}]+
    | (?<!\S) /+ (?!\S)
    | (?<=\d[ ]) [-–—−:] (?=[ ]\d)                                # a score, a difference
    | ^ [^\S\n]* (?P<item>                                        # before an item, or a line
          [-–—·]+ | \(? (?: \d{{1,3}} | [A-Za-z] | [ivxIVX]{{1,5}} ) [.)]
      ) (?=\s)
    """,
    re.VERBOSE | re.MULTILINE,
)


def fixed_parts(text: str) -> FixedParts:
    """Find labels of speech (*[10:02] anna:*), markup, code, paths, references and the like."""
    labels = [match.span("label") for match in _LABEL.finditer(text)]
    words = [match.span() for match in _WORD.finditer(text)]
    return FixedParts(words, _united(_marks(text, labels)), labels)


def starts_of_speech(text: str, labels: Sequence[Span]) -> list[int]:
    """Return the positions where a label begins a sentence.

    A single name with a colon may also continue a sentence.
    """
    return [s for s, e in labels if len(labels) > 1 or re.search(_CLOCK, text[s:e])]


def _marks(text: str, labels: Sequence[Span]) -> Iterator[Span]:
    yield from labels
    for match in _EDGES.finditer(text):
        start, end = match.span()
        if match["pair"]:
            yield start, start + 1
            yield end - 1, end
        else:
            yield start, match.start("text")
            yield match.end("text"), end
    for match in _MARK.finditer(text):
        yield match.span("item" if match["item"] else 0)


def _united(spans: Iterable[Span]) -> list[Span]:
    united: list[Span] = []
    for start, end in sorted(spans):
        if united and start < united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united


# No pattern can start inside another possible match; otherwise a long word would take quadratic
# time. An address ends with its last ASCII character, because in scripts without spaces
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

# Tags before a word, the word, and tags after it.
_TAGGED = re.compile(r"((?:<[^<>]*>)*)(.*?)((?:<[^<>]*>)*)", re.DOTALL)

_CODE = "`"

LONGEST_CODE = 16
"""The maximal number of words between two backquotes of code."""


class Casing(NamedTuple):
    """A form, divided into a word whose capitals may change and tags.

    If no capitals may change, ``word`` is empty and ``after`` is the form.
    """

    before: str
    word: str
    after: str


def divide_by_case(forms: Sequence[str]) -> list[Casing]:
    """Divide forms, in text order, into words whose capitals may change and the rest."""
    divided: list[Casing] = []
    code = _code(forms)
    for number, form in enumerate(forms):
        if form.isalnum() and number not in code:  # most words need no search
            divided.append(Casing("", form, ""))
            continue
        match = _TAGGED.fullmatch(form)
        if number in code or match is None or any(whole_tokens(match[2])):
            divided.append(Casing("", "", form))
        else:
            divided.append(Casing(*match.groups()))
    return divided


def _code(forms: Sequence[str]) -> set[int]:
    """Return the indices of the words between nearby backquotes."""
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

    These are URLs, e-mail addresses, markup tags, numbers with marks, and words after ``#`` or
    ``@``.
    """
    for match in _KINDS.finditer(text):
        start, end = match.span()
        yield start, start + len(_without_marks_after(match[0])) if match["page"] else end


def _without_marks_after(address: str) -> str:
    shorter = address.rstrip(_TRAILING)
    closed = address[len(shorter) :]
    for opening, closing in ("()", "[]"):
        if closed.startswith(closing) and shorter.count(opening) > shorter.count(closing):
            return shorter + closing
    return shorter
