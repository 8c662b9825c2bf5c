"""Sentences from records of CoNLL-U, with punctuation in slots and projective trees.

MISC may have probabilities by a parser: of the head (``SemipunctHead``), and of the best string at
the right (``SemipunctAfter``) and, for the first word, at the left (``SemipunctBefore``).
"""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Literal, Protocol, TypeVar

from semipunct.corpus import Entry, Omitted, ReadingNotes, Sentence, Words
from semipunct.corpus.located import is_mark
from semipunct.corpus.sentences import MISSING, Expected
from semipunct.corpus.treebank import PUNCTUATION, Reason
from semipunct.formats.base import FromFile
from semipunct.formats.conllu.gaps import NO_SPACE
from semipunct.formats.conllu.misc import attributes
from semipunct.formats.conllu.records import Record, Token, closed_slots, within_words
from semipunct.marks import ABBREVIATION, SPECIAL_TOKENS, UNK, Puncteme
from semipunct.marks.quotes import Mark, directional
from semipunct.marks.tokens import carries_dot
from semipunct.trees import DependencyTree, lift_arcs, without_leaves


def directional_quotes(
    tokens: Sequence[Token], is_punctuation: Sequence[bool]
) -> tuple[list[str], int, int]:
    """Replace straight quotation marks by opening and closing ones.

    Paired marks have the same head; see ``marks.quotes.directional``.

    Returns:
        The forms of all tokens, the number of marks replaced, and the number left straight.
    """
    marks = [
        Mark(token.form, token.xpos, token.head) if punctuation else None
        for token, punctuation in zip(tokens, is_punctuation, strict=True)
    ]
    quotes, replaced, straight = directional(marks)
    forms = [form or token.form for form, token in zip(quotes, tokens, strict=True)]
    return forms, replaced, straight


Marks = Literal["slots", "words"]
"""Where punctuation is: in slots between words, or among the words."""


class Parsed(FromFile, Protocol):
    """A record of any format with heads."""

    @property
    def tokens(self) -> Sequence[Token]:
        """Words and punctuation, whose heads form a tree."""
        ...


R = TypeVar("R", bound=Parsed)

SYMBOL = "SYM"
"""The tag, for models, of punctuation within an orthographic word."""


def to_entry(record: R, marks: Marks = "slots", *, lift: bool = True) -> Entry[R]:
    """Move the punctuation of a tree into slots, or leave it among the words.

    Punctuation has the universal tag PUNCT; within multiword tokens it is a word, and the slots
    there are closed. Straight quotation marks become directional. The final dot of a longer word
    becomes ``marks.ABBREVIATION``, first in the slot at its right. Tokens spelt like special ones
    become ``marks.UNK``. Sentences in which punctuation has dependents, or without words, are
    omitted. Li, Wang and Eisner (2019), section 4.

    Args:
        marks: with ``words`` no sentence is omitted, and only straight quotation marks change.
        lift: whether to make the tree projective.
    """
    inner = within_words(record) if isinstance(record, Record) else frozenset[int]()
    if marks == "words":
        return _whole(record, inner)
    tokens = _with_symbols(record.tokens, inner)
    is_punctuation = [token.upos == PUNCTUATION for token in tokens]
    reason = _reason_to_omit(tokens, is_punctuation)
    if reason:
        notes = ReadingNotes(len(tokens), sum(is_punctuation))
        return Entry(
            Omitted(reason, record.sentence_id, record.path, record.line), record, notes=notes
        )
    words, forms, slots, notes = _divided(tokens, is_punctuation, inner)
    word_ids = tuple(word.word_id for word in words)
    removed = [token.word_id for token in tokens if token.upos == PUNCTUATION]
    tree, lifts = without_leaves(_tree(tokens), removed), 0
    if lift:
        tree, lifts = lift_arcs(tree)
    sentence = _sentence(record, words, forms, tree, slots)
    if isinstance(record, Record):
        closed, joined = closed_slots(record, word_ids), _joined(record, is_punctuation)
        sentence = replace(sentence, closed=closed, joined=joined)
    return Entry(sentence, record, word_ids, replace(notes, lifts=lifts))


def _tree(tokens: Sequence[Token]) -> DependencyTree:
    return DependencyTree(tuple(t.head for t in tokens), tuple(t.relation for t in tokens))


def _divided(
    tokens: Sequence[Token], is_punctuation: Sequence[bool], inner: Set[int]
) -> tuple[list[Token], tuple[str, ...], tuple[Puncteme, ...], ReadingNotes]:
    surface, replaced, straight = directional_quotes(tokens, is_punctuation)
    words = [token for token, mark in zip(tokens, is_punctuation, strict=True) if not mark]
    dotted = [word.word_id not in inner and carries_dot(word.form) for word in words]
    forms = tuple(w.form[:-1] if dot else w.form for w, dot in zip(words, dotted, strict=True))
    slots = tuple(
        (ABBREVIATION, *slot) if dot else slot
        for dot, slot in zip((False, *dotted), token_slots(surface, is_punctuation), strict=True)
    )
    notes = ReadingNotes(len(tokens), sum(is_punctuation), 0, replaced, straight)
    return words, forms, slots, notes


def _sentence(
    record: Parsed,
    words: Sequence[Token],
    forms: Sequence[str],
    tree: DependencyTree,
    slots: Sequence[Puncteme],
) -> Sentence:
    lemmas, upos, xpos, feats = zip(*(word[2:6] for word in words), strict=True)
    where = (record.sentence_id, record.path, record.line)
    return Sentence(*where, tuple(forms), lemmas, upos, xpos, feats, tree, tuple(slots))


def _joined(record: Record, is_punctuation: Sequence[bool]) -> frozenset[int]:
    """Return the slots with a single mark between two words and no spaces."""

    def is_glued(token: Token) -> bool:
        return NO_SPACE in record.lines[token.position].rpartition("\t")[2].split("|")

    joined: set[int] = set()
    slot = 0
    for i, mark in enumerate(is_punctuation):
        slot += not mark
        is_single = [*is_punctuation[max(0, i - 1) : i + 2]] == [False, True, False]
        if is_single and is_glued(record.tokens[i - 1]) and is_glued(record.tokens[i]):
            joined.add(slot)
    return frozenset(joined)


def _with_symbols(tokens: Sequence[Token], inner: Set[int]) -> list[Token]:
    return [
        token._replace(upos=SYMBOL)
        if token.word_id in inner and token.upos == PUNCTUATION
        else token
        for token in tokens
    ]


def _whole(record: R, inner: Set[int]) -> Entry[R]:
    tokens = _with_symbols(record.tokens, inner)
    is_punctuation = [token.upos == PUNCTUATION for token in tokens]
    forms, replaced, straight = directional_quotes(tokens, is_punctuation)
    tree, lifts = lift_arcs(_tree(tokens))
    sentence = _sentence(record, tokens, forms, tree, ((),) * (len(tokens) + 1))
    notes = ReadingNotes(len(tokens), sum(is_punctuation), lifts, replaced, straight)
    return Entry(sentence, record, tuple(token.word_id for token in tokens), notes)


def to_words(record: Record) -> Entry[Record, Words | Omitted]:
    """Convert a record without trees; an untagged token is punctuation if its characters are."""
    inner = within_words(record)
    tokens = _with_symbols(record.tokens, inner)
    marks = [
        token.upos == PUNCTUATION
        or (token.upos == MISSING and token.word_id not in inner and is_mark(token.form))
        for token in tokens
    ]
    notes = ReadingNotes(len(tokens), sum(marks))
    if all(marks):
        reason: Reason = "nothing but punctuation"
        omitted = Omitted(reason, record.sentence_id, record.path, record.line)
        return Entry(omitted, record, notes=notes)
    words, forms, slots, notes = _divided(tokens, marks, inner)
    word_ids = tuple(word.word_id for word in words)
    closed = closed_slots(record, word_ids)
    content = Words(record.sentence_id, record.path, record.line, forms, slots, closed)
    return Entry(content, record, word_ids, notes)


def token_slots(surface: Sequence[str], is_punctuation: Sequence[bool]) -> list[Puncteme]:
    """Distribute the punctuation of a sentence over its slots, ``[n + 1]``."""
    slots: list[list[str]] = [[]]
    for text, punctuation in zip(surface, is_punctuation, strict=True):
        if punctuation:
            slots[-1].append(UNK if text in SPECIAL_TOKENS else text)
        else:
            slots.append([])
    return [tuple(slot) for slot in slots]


def _reason_to_omit(tokens: Sequence[Token], is_punctuation: Sequence[bool]) -> Reason | None:
    if any(token.head and is_punctuation[token.head - 1] for token in tokens):
        return "punctuation has dependents"
    return "nothing but punctuation" if all(is_punctuation) else None


_MISC = 9
HEAD, BEFORE, AFTER = "SemipunctHead", "SemipunctBefore", "SemipunctAfter"


def expected_attributes(expected: Expected) -> list[dict[str, str]]:
    """Return the MISC attributes of each word for the probabilities of a parser."""
    pairs = zip(expected.probabilities, expected.strings, strict=True)
    before, *after = (" ".join((f"{p:.4f}", *string)) for p, string in pairs)
    rows = [
        {HEAD: f"{head:.4f}", AFTER: value}
        for head, value in zip(expected.heads, after, strict=True)
    ]
    rows[0] |= {BEFORE: before}
    return rows


def expected_in(columns: Sequence[str]) -> Expected | None:
    """Read ``expected_attributes`` from MISC columns; None unless all words have them."""
    if not columns or HEAD not in columns[0]:
        return None
    rows = [attributes(column) for column in columns]
    try:
        slots = [_slot(rows[0][BEFORE]), *(_slot(row[AFTER]) for row in rows)]
        heads = tuple(_probability(row[HEAD]) for row in rows)
    except (KeyError, ValueError):
        return None
    return Expected(heads, tuple(s for s, _ in slots), tuple(p for _, p in slots))


def with_expected(
    entry: Entry[Record, Sentence | Words | Omitted],
) -> Entry[Record, Sentence | Words | Omitted]:
    """Add the probabilities in a record to its sentence, if there are any."""
    content, record = entry.content, entry.record
    if not isinstance(content, Sentence) or not any(HEAD in line for line in record.lines):
        return entry
    places = [record.tokens[word - 1].position for word in entry.word_ids]
    expected = expected_in([record.lines[place].split("\t")[_MISC] for place in places])
    return replace(entry, content=replace(content, expected=expected))


def _slot(value: str) -> tuple[Puncteme, float]:
    probability, *string = value.split(" ")
    return tuple(string), _probability(probability)


def _probability(value: str) -> float:
    probability = float(value)
    if not 0 <= probability <= 1:
        raise ValueError(value)
    return probability
