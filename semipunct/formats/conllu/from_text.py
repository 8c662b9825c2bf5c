"""Records for sentences of other formats, and for new tags and trees."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, cast

from semipunct.corpus import Entry, Omitted, Sentence, Words
from semipunct.corpus.located import BLANKS, Located
from semipunct.corpus.treebank import PUNCTUATION, RELATION
from semipunct.formats.conllu.gaps import NO_SPACE
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.punctuate import punctuate_record
from semipunct.formats.conllu.records import Record, multiword_tokens, tokens_of
from semipunct.marks import ABBREVIATION, Puncteme, spacing
from semipunct.trees.guideline import mark_heads


class _Written(NamedTuple):
    """A mark, a word, or the words of a multiword token."""

    start: int
    end: int
    forms: tuple[str, ...]
    mark: bool


def entry_of_text(entry: Entry[Located, Words]) -> Entry[Record, Words]:
    """Make a record from a sentence of plain text, with words and marks as spelt there.

    Multiword tokens become ranges, and ``SpaceAfter=No`` marks missing spaces.
    """
    place, words = entry.record, entry.content
    written_tokens = list(_tokens(place, words))
    lines = [
        f"# sent_id = {words.sentence_id}",
        f"# text = {BLANKS.sub(' ', place.text).strip()}",
    ]
    ids: list[int] = []
    size = 0
    starts = [*(token.start for token in written_tokens[1:]), len(place.text)]
    for token, following in zip(written_tokens, starts, strict=True):
        misc = NO_SPACE if following == token.end else EMPTY
        first, size = size + 1, size + len(token.forms)
        if len(token.forms) > 1:
            form = BLANKS.sub(" ", place.text[token.start : token.end])
            cells = (f"{first}-{size}", form, *[EMPTY] * 7, misc)
            lines.append("\t".join(cells))
            misc = EMPTY
        upos = PUNCTUATION if token.mark else EMPTY
        for number, form in enumerate(token.forms, first):
            lemma = form if token.mark else EMPTY
            lines.append("\t".join((str(number), form, lemma, upos, *[EMPTY] * 5, misc)))
            ids += () if token.mark else (number,)
    return Entry(words, _record(words, lines), tuple(ids), entry.notes)


def _record(content: Sentence | Words, lines: Sequence[str]) -> Record:
    lines = (*lines, "")
    ends = ("\n",) * len(lines)
    name, tokens = content.sentence_id, tuple(tokens_of(lines))
    return Record(content.path, content.line, lines, ends, name, tokens)


def _tokens(place: Located, words: Words) -> Iterator[_Written]:
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


def bare_entry(sentence: Sentence) -> Entry[Record]:
    """Make a record, without punctuation, of a sentence that was not read from CoNLL-U."""
    nothing: list[Puncteme] = [()] * len(sentence.slots)
    lines = [
        f"# sent_id = {sentence.sentence_id}",
        f"# text = {spacing.text(sentence.forms, nothing)}",
    ]
    rows = spacing.slot_spaces(sentence.forms, nothing)
    columns = zip(
        sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats,
        sentence.tree.heads, sentence.tree.relations, rows[1:], strict=True,
    )  # fmt: skip
    for word, (*cells, (space,)) in enumerate(columns, 1):
        misc = EMPTY if space or word == sentence.size else NO_SPACE
        lines.append("\t".join(map(str, (word, *cells, EMPTY, misc))))
    return Entry(sentence, _record(sentence, lines), tuple(range(1, sentence.size + 1)))


def surface_forms(entry: Entry[Record]) -> list[str]:
    """Return the words of a sentence, ``[n]``, with the characters that ``surface_text`` writes.

    A multiword token that is not the concatenation of its words is spelt at its first word.
    """
    if isinstance(entry.content, Omitted):
        return []
    forms = list(entry.content.forms)
    places = {word_id: word for word, word_id in enumerate(entry.word_ids)}
    for span in multiword_tokens(entry.record):
        tokens = entry.record.tokens[max(span.first, 1) - 1 : span.last]
        places_in_span = [places[token.word_id] for token in tokens if token.word_id in places]
        if places_in_span and span.form != "".join(token.form for token in tokens):
            forms[places_in_span[0]] = span.form
            for word in places_in_span[1:]:
                forms[word] = ""
    return forms


_UPOS, _XPOS, _FEATS, _HEAD, _RELATION_COLUMN, _DEPS = range(3, 9)


def analysed_entry(
    entry: Entry[object, Sentence | Words | Omitted], sentence: Sentence
) -> Entry[Record, Sentence]:
    """Make an entry with tags and a tree that differ from its file.

    Everything else in CoNLL-U is kept, as are the spaces and multiword tokens of plain text.
    """
    if isinstance(entry.record, Record):
        return replace_analysis(cast(Entry[Record, Sentence | Words | Omitted], entry), sentence)
    if isinstance(entry.record, Located):
        return replace_analysis(entry_of_text(cast(Entry[Located, Words], entry)), sentence)
    # Its marks are separate tokens, like those that restoration inserts.
    bare = bare_entry(sentence)
    record = punctuate_record(bare, sentence.slots)
    marks = [token.word_id for token in record.tokens if token.upos == PUNCTUATION]
    words = tuple(t.word_id for t in record.tokens if t.word_id not in marks)
    return Entry(sentence, record, words, entry.notes)


def replace_analysis(
    entry: Entry[Record, Sentence | Words | Omitted], sentence: Sentence
) -> Entry[Record, Sentence]:
    """Replace the tags and the tree of an entry.

    Punctuation gets heads by ``mark_heads``; DEPS, the graph of another tree, is emptied.
    """
    record, ids = entry.record, entry.word_ids
    number = {word_id: word for word, word_id in enumerate(ids, 1)}
    visible = spacing.visible(sentence.slots)
    marks = (head for row in mark_heads(sentence.tree, visible, "unit") for head in row)
    lines = list(record.lines)
    for token in record.tokens:
        columns = lines[token.position].split("\t")
        if (word := number.get(token.word_id)) is not None:
            i, head = word - 1, sentence.tree.heads[word - 1]
            values = (sentence.upos[i], sentence.xpos[i], sentence.feats[i])
            relation, above = sentence.tree.relations[i], ids[head - 1] if head else 0
        else:
            values = (PUNCTUATION, token.xpos, token.feats)
            relation, above = RELATION, ids[next(marks) - 1]
        columns[_UPOS : _DEPS + 1] = [*values, str(above), relation, EMPTY]
        lines[token.position] = "\t".join(columns)
    record = replace(record, lines=tuple(lines), tokens=tuple(tokens_of(lines)))
    return Entry(sentence, record, ids, entry.notes)
