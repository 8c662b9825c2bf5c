"""Records of sentences of plain text, without tags and trees."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from semipunct.corpus import Entry, Words
from semipunct.corpus.located import BLANKS, Located
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.formats.conllu.gaps import NO_SPACE
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.records import NO_HEAD, Record, Token
from semipunct.marks import ABBREVIATION


class _Written(NamedTuple):
    """A token as written.

    Attributes:
        start: its start.
        end: its end.
        forms: the mark, the word, or the words of a multiword token.
        mark: whether it is punctuation.
    """

    start: int
    end: int
    forms: tuple[str, ...]
    mark: bool


def entry_of_text(entry: Entry[Located, Words]) -> Entry[Record, Words]:
    """Make a record from a sentence of plain text, with words and marks as spelt there.

    Multiword tokens become ranges, and ``SpaceAfter=No`` marks missing spaces. All blanks become
    spaces in the comment ``# text =``.

    Args:
        entry: an entry whose record has the positions of its words and marks.
    """
    place, words = entry.record, entry.content
    written_tokens = list(_tokens(place, words))
    lines = [
        f"# sent_id = {words.sentence_id}",
        f"# text = {BLANKS.sub(' ', place.text).strip()}",
    ]
    tokens: list[Token] = []
    ids: list[int] = []
    starts = [*(token.start for token in written_tokens[1:]), len(place.text)]
    for token, following in zip(written_tokens, starts, strict=True):
        misc = NO_SPACE if following == token.end else EMPTY
        first = len(tokens) + 1
        if len(token.forms) > 1:
            form = BLANKS.sub(" ", place.text[token.start : token.end])
            cells = (f"{first}-{first + len(token.forms) - 1}", form, *[EMPTY] * 7, misc)
            lines.append("\t".join(cells))
            misc = EMPTY
        upos = PUNCTUATION if token.mark else EMPTY
        for number, form in enumerate(token.forms, first):
            lemma = form if token.mark else EMPTY
            position = len(lines)
            lines.append("\t".join((str(number), form, lemma, upos, *[EMPTY] * 5, misc)))
            tokens.append(Token(number, form, lemma, upos, EMPTY, EMPTY, NO_HEAD, EMPTY, position))
            ids += () if token.mark else (number,)
    lines.append("")
    record = Record(
        words.path, words.line, tuple(lines), ("\n",) * len(lines), words.sentence_id, tuple(tokens)
    )
    return Entry(words, record, tuple(ids), entry.notes)


def _tokens(place: Located, words: Words) -> Iterator[_Written]:
    """Yield words and marks in the order of the text."""

    def marks(slot: int) -> Iterator[_Written]:
        for start, end in place.marks[slot]:
            yield _Written(start, end, (BLANKS.sub(" ", place.text[start:end]),), mark=True)

    yield from marks(0)
    spans = place.spans
    edges = [i for i in range(len(spans)) if not i or spans[i] != spans[i - 1]]
    for first, last in pairwise([*edges, len(spans)]):
        start, end = spans[first]
        dot = ABBREVIATION in words.slots[last]
        *inner_forms, final = words.forms[first:last]
        yield _Written(start, end + dot, (*inner_forms, final + "." * dot), mark=False)
        yield from marks(last)
