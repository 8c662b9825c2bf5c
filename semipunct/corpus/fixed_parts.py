"""Parts of a text that come back as they are given, for marks, capitals, learning and offsets.

Words such as addresses and code keep their capitals. Markup and notes lie between words, as blanks
do, so a mark follows the word before them. Marks of times, names of speakers and references stay.
Marks without blanks beside them need no pattern: they belong to a word
(``located.is_within_word``). See also docs/decisions/restoration.md.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from semipunct.corpus.passages import Span
from semipunct.marks.spacing import ENDS, SEPARATORS, SIGNS
from semipunct.marks.tokens import EMOTICON

# Start and end of a part that is never divided, and whether it is a word, with blanks inside or
# marks at its edges, or markup: tags, emphasis, links, notes and labels of items.
Whole = tuple[int, int, bool]


class FixedParts(NamedTuple):
    """The fixed parts of a text, each kind in order and without overlaps.

    Attributes:
        labels: text before the speech of a line, such as a time and the name of a speaker.
    """

    marks: Sequence[Span] = ()
    labels: Sequence[Span] = ()

    def within(self, begin: int, end: int) -> "FixedParts":
        """Return the parts between two positions, relative to the first."""

        def cut(spans: Sequence[Span]) -> list[Span]:
            inside = overlapping(spans, begin, end)
            return [(max(a, begin) - begin, min(b, end) - begin) for a, b in inside]

        return FixedParts(*map(cut, self))

    def closes(self, before: int, after: int, marks: Iterable[Span]) -> bool:
        """Return whether the marks between two words never change.

        Nothing is inserted into or directly after a label.
        """
        if any(overlapping(self.marks, *mark) for mark in marks):
            return True
        return before < after and bool(overlapping(self.labels, before - 1, before))


def overlapping(spans: Sequence[Span], begin: int, end: int) -> Sequence[Span]:
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

# No pattern can start inside another possible match; otherwise a long word would take quadratic
# time. An address ends with its last ASCII character, because in scripts without spaces
# it may be followed directly by other letters. A mail address in angle brackets is not markup.
TAG = r"""
      <!-- [^<>]{0,2000} -->
    | < (?! [\w.+-]+ @ [\w.-]+ > ) /? [A-Za-z!] [^<>\n]* >
    | < (?: \d+ : )? \d\d : \d\d \. \d{3} >                       # a time of WebVTT
    | \{ \\ [^{}\n]{0,200} \}                                     # of SubRip
"""
_ARGUMENT = r"(?: \{ (?: [^{}\n] | \{ [^{}\n]{0,100} \} ){0,200} \} | \[ [^][\n]{0,100} \] )"
_ADDRESS = re.compile(
    r"""
      (?<![A-Za-z0-9+.-]) (?: [A-Za-z][A-Za-z0-9+.-]*:// | www\. ) [!#-;=?-Z\[\]_a-z~]+
    | (?<!\w) [A-Za-z] : \\ [^\s<>"|?*]+                          # a path of Windows
    | (?<![\w.+-]) [\w.+-]+ @ [\w-]+ (?: \.[\w-]+ )+
    """,
    re.VERBOSE,
)
_HINT = re.compile(r"://|www\.|:\\|@")  # of an address

# Most characters begin no part.
_WHOLE = re.compile(
    rf"""
    (?= [`<\[&\\{{$%#@~/.'’0-9+±−-] ) (?:
      (?<!`) ``` (?!`) [^`]+ ``` (?!`)                            # a block of code
    | (?<!`) ` [^`\n]+ ` (?!`)                                    # code
    | < (?P<code> code | kbd | pre | samp | script | style ) \b [^<>\n]* >
          [^\n]{{0,400}}? </ (?P=code) >
    | (?P<markup>
          {TAG}
        | (?<![\w!]) \[ (?: [ ] | (?=[^\W\d_]) [^][\n\d]{{1,40}} ) \] (?![\w(\[:])       # a note
      )
    | & (?: [A-Za-z]\w{{1,30}} | \#\d{{1,7}} | \#[xX][\dA-Fa-f]{{1,6}} ) ;      # an entity of HTML
    | (?<!\\) \\ [A-Za-z]{{1,40}} \*? {_ARGUMENT}{{0,9}}          # a command of TeX
    | \{{\{{ [^{{}}\n]{{1,200}} \}}\}} | \{{% [^{{}}\n]{{1,200}} %\}}      # of a template
    | [$%#]? \{{ [ ]? [\w.:-]{{1,80}} [ ]? \}} | <[%?] [^<>\n]{{0,200}} [%?]>
    | (?<!\w) \$ (?: \( [^()\n]{{1,80}} \) | [^\s$] [^$\n]{{0,80}} (?<!\s) \$ (?!\d) )  # a formula
    | (?<!\S) --? [A-Za-z] [\w-]* (?: = [^\s,;!?]* \w )?          # an option of a command
    | (?<!\S) [-−+±] \d+ (?: [.,]\d+ )*                           # a number with a sign
    | (?<!\d) \d+ (?: [.,:/'’\-–] \d+ )+
    | (?<![^\s("'“‘]) (?: ~ | \.{{1,2}} )? / [\w.~-]* \w (?: / [\w.~-]* \w )* /?      # a path
    | (?<!\w) [#@] [^\W\d] \w* (?: / [\w.-]* \w )?
    | (?<!\S) \. [^\W_] \w*                                       # .NET
    | (?<![^\s(\[“"]) ['’] (?: \d\ds? | [Tt]is | [Tt]was | em | cause | [Nn]['’] ) (?!\w)
    )
    | (?P<item> ^ [^\S\n]* (?: (?: > [ ]? )+ | [#]{{1,6}} | [*+•‣◦:] | \d{{1,3}} [.)]
              | [-–—]+ (?= [^\S\n]+ [.!?…,;:]+ [^\S\n]* $ ) ) (?=\s) )
    """,
    re.VERBOSE | re.MULTILINE,
)  # fmt: skip

_MARKS = "[" + re.escape("".join(sorted(ENDS | SEPARATORS | {*"\"'”’»"}))) + "]+"

LONE_MARKS = rf"{_MARKS}(?:[^\S\n]+{_MARKS})*"
"""A pattern of marks in a line of their own, which belong to the preceding line."""

# The first sign of emphasis and of a link of Markdown, each with its last one.
_PAIR = re.compile(
    r"""
      (?<![\w*~]) (?P<sign> \*{1,3} | ~~ | _ ) (?= [^\s*_]
          [^\n]{0,300}? (?<=[^\s*]) (?P<end> (?P=sign) ) (?![\w*~]) )
    | !? \[ (?= [^][\n]{1,200} (?P<link> \] \( [^()\s]{0,500} (?: [ ] "[^"\n]{0,200}" )? \) ) )
    """,
    re.VERBOSE,
)

_PAIRED = re.compile(
    rf"""
      {_IN_BRACKETS} | \[ [\w.,;–-]{{1,12}} \]                    # a time, a reference
    | \( (?= [^()\n]{{0,60}} [\d§¶] ) [^()\n]{{1,80}} \)
    """,
    re.VERBOSE,
)

_MARK = re.compile(
    rf"""
      (?<!\S) (?: {EMOTICON} ) (?= [.,;!?…]{{0,9}} (?:\s|$) )
    | (?<![\w@]) @\w{{1,40}} : (?=\s)                              # whom a message addresses
    | [{re.escape("".join(sorted(SIGNS)))}]+
    | (?<!\S) /+ (?!\S)
    | (?<=\n) [^\S\n]* {LONE_MARKS} (?= \s*$ )
    | (?<=\d[ ]) [-–—−:] (?=[ ]\d)                                # a score, a difference
    | (?<!\S) \(? \d{{1,2}} [.)] (?= [ ] [A-ZÀ-Þ] )                # an item within a line
    | ^ [^\S\n]* (?P<item>                                        # before an item, or a line
          [-–—·]+ | \(? (?: \d{{1,3}} | [A-Za-z] | [ivxIVX]{{1,5}} ) [.)]
      ) (?=\s)
    """,
    re.VERBOSE | re.MULTILINE,
)  # fmt: skip

_TRAILING = ".,;:!?'()[]*"


def fixed_parts(text: str) -> FixedParts:
    """Find labels of speech (*[10:02] anna:*), markup, code, paths, references and the like."""
    labels = labels_of(text)
    return FixedParts(_united(_marks(text, labels)), labels)


def labels_of(text: str) -> list[Span]:
    """Return the times and names before the speech of lines."""
    return [match.span("label") for match in _LABEL.finditer(text)]


def whole_parts(text: str) -> list[Whole]:
    """Find the parts that are never divided, in order and without overlaps."""
    found: list[Whole] = []
    for match in _ADDRESS.finditer(text) if _HINT.search(text) else ():
        start = match.start()
        found.append((start, start + len(_without_marks_after(match[0])), True))
    for match in _WHOLE.finditer(text):
        found.append((*match.span(), match.lastgroup not in ("markup", "item")))
    for match in _PAIR.finditer(text):
        closing = "link" if match["link"] else "end"
        found += ((*match.span(), False), (*match.span(closing), False))
    parts: list[Whole] = []
    for part in sorted(found):
        if not parts or part[0] >= parts[-1][1]:
            parts.append(part)
    return parts


def markup(text: str) -> list[Span]:
    """Find the markup between words."""
    return [(start, end) for start, end, is_word in whole_parts(text) if not is_word]


def _without_marks_after(address: str) -> str:
    shorter = address.rstrip(_TRAILING)
    closed = address[len(shorter) :]
    for opening, closing in ("()", "[]"):
        if closed.startswith(closing) and shorter.count(opening) > shorter.count(closing):
            return shorter + closing
    return shorter


def starts_of_speech(text: str, labels: Sequence[Span]) -> list[int]:
    """Return the positions where a label begins a sentence.

    A single name with a colon may also continue a sentence.
    """
    return [s for s, e in labels if len(labels) > 1 or re.search(_CLOCK, text[s:e])]


def _marks(text: str, labels: Sequence[Span]) -> Iterator[Span]:
    yield from labels
    for match in _PAIRED.finditer(text):
        start, end = match.span()
        yield start, start + 1
        yield end - 1, end
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


# Words whose capitals have a meaning: with a number or a sign at the beginning, in camel case,
# identifiers, and files. Initials and degrees (*u.s*, *ph.d*) have a capital of their own.
_GIVEN = re.compile(
    r"""
      ^ [^\w\s]* \d | ^ [$%] \w | [\\<>={}`|^] | \w_+\w | ^__ | __$ | :: | \d\.\d | \w@\w
    | [a-zß-ÿ] [A-ZÀ-Þ] | [A-Z]{2} [a-z]
    | \w\.[\w.-]+/ | [^\W\d_]{3} \.\w | \w\. (?: [^\W\d_]{3} | (?: js | md | py | sh | ts ) $ )
    """,
    re.VERBOSE,
)


def fixed_forms(forms: Sequence[str]) -> set[int]:
    """Return the indices of words, in text order, whose capitals never change."""
    fixed = {
        number
        for number, form in enumerate(forms)
        if not (form.isalpha() and (form.islower() or form.istitle())) and _GIVEN.search(form)
    }
    text = " ".join(forms)
    starts = list(accumulate((len(form) + 1 for form in forms), initial=0))
    for start, end, _ in whole_parts(text):
        if text[start] not in "'’":
            fixed.update(range(bisect_right(starts, start) - 1, bisect_left(starts, end)))
    return fixed
