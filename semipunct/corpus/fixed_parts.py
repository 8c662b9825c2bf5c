"""Parts of a text whose marks are not punctuation of a sentence, and never change.

Chat logs, transcripts, web pages and manuals contain times, names of speakers, markup, code and
references. Once removed, their marks cannot be restored: no treebank has them, and no reader would
know them from the words. Parts without blanks around their marks need no pattern here: a mark
between two words without a blank belongs to one word with them (``located.is_within_word``), and
addresses, tags and numbers are never split (``whole_tokens``).

What else stays as it stands in a text is in docs/decisions/restoration.md.
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
        words: words that contain blanks or marks at their edges, such as code.
        marks: marks of markup, references, emoticons and labels, which never change.
        labels: what precedes the speech of a line, such as a time and the name of a speaker.
    """

    words: Sequence[Span] = ()
    marks: Sequence[Span] = ()
    labels: Sequence[Span] = ()

    def within(self, begin: int, end: int) -> "FixedParts":
        """Return the parts between two positions, relative to the first.

        Args:
            begin: the first position.
            end: the position after the last.
        """
        return FixedParts(
            *(
                [
                    (max(start, begin) - begin, min(stop, end) - begin)
                    for start, stop in _between(spans, begin, end)
                ]
                for spans in self
            )
        )

    def closes(self, before: int, after: int, marks: Iterable[Span]) -> bool:
        """Return whether the marks between two words never change.

        Nothing is inserted into a label or directly after it.

        Args:
            before: the end of the word before.
            after: the start of the word after.
            marks: the marks between them.
        """
        if any(_between(self.marks, *mark) for mark in marks):
            return True
        return before < after and bool(_between(self.labels, before - 1, before))


def _between(spans: Sequence[Span], begin: int, end: int) -> Sequence[Span]:
    """Return the spans, among some in order, that overlap a stretch of text."""
    first = bisect_left(spans, (begin,))
    first -= first > 0 and spans[first - 1][1] > begin
    return spans[first : bisect_left(spans, (end,))]


NOTHING_FIXED = FixedParts()
"""No fixed parts."""

# All repetitions within parts are bounded or exclude the characters that begin a part, so that no
# text takes quadratic time.
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
    """Find the fixed parts of a text.

    They are times and names of speakers before a line of speech (*[10:02] anna:*), the marks of
    HTML, Markdown, TeX, templates and lists, code, paths and options of commands, emoticons,
    references in brackets, and signs that are no punctuation, such as *&*.

    Args:
        text: a text of any length.
    """
    labels = [match.span("label") for match in _LABEL.finditer(text)]
    words = [match.span() for match in _WORD.finditer(text)]
    return FixedParts(words, _united(_marks(text, labels)), labels)


def starts_of_speech(text: str, labels: Sequence[Span]) -> list[int]:
    """Return the positions where a label begins a sentence, whatever precedes it.

    A single name with a colon may also be words of a sentence that extends over several lines.

    Args:
        text: the text.
        labels: the labels in it.
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
    """Sort spans, and unite those that overlap."""
    united: list[Span] = []
    for start, end in sorted(spans):
        if united and start < united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united


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
