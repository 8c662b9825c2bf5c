"""Writing of punctuation into CoNLL-U, with attachment and renumbering, and into plain text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from semipunct import marks
from semipunct.corpus import Entry, Sentence
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.formats.conllu import renumber
from semipunct.formats.conllu.gaps import (
    NOTHING,
    SPACE,
    Gap,
    Habits,
    joined_leading,
    rewritten_gaps,
)
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.reading import directional_quotes
from semipunct.formats.conllu.records import Record, Token, stated_text
from semipunct.formats.conllu.renumber import Piece
from semipunct.formats.conllu.requests import Source, Target
from semipunct.marks import Puncteme, spacing
from semipunct.marks.matching import Place, matched_pairs
from semipunct.trees import DependencyTree
from semipunct.trees.conventions import CONVENTIONS, Convention
from semipunct.trees.guideline import mark_heads


@dataclass(frozen=True, slots=True)
class Style:
    """The attachment and the spacing of marks in a treebank."""

    convention: Convention = "unit"
    habits: Habits = field(default_factory=Habits)


DEFAULT = Style()


def punctuate_record(
    entry: Entry[Record], slots: Sequence[Puncteme], style: Style = DEFAULT
) -> Record:
    """Rewrite the record of a sentence with other punctuation, ``[n + 1]``.

    Unchanged marks keep their lines; new ones get the tag PUNCT, the relation ``punct`` and a head
    by ``guideline.mark_heads``. The enhanced graph, if there is one, loses removed tokens and gains
    new ones. Words keep their heads.

    Spaces between tokens that remain neighbours are unchanged. Other spaces are taken from removed
    marks, the habits of the treebank, or ``marks.spacing``.

    ``marks.ABBREVIATION``, first in a slot, adds a dot to the word before it, and its absence
    removes the dot. If any mark is removed, a kept straight quotation mark becomes directional
    where it would be misread or has a new partner.

    Raises:
        UsageError: if the number of slots is wrong, or a token cannot be written at its place.
    """
    source = Source.of(entry)
    target = Target.of(source, slots)
    if target.changes_nothing(source):
        return source.record
    heads = _token_heads(source, target, style.convention)
    forms = _forms(source, target, heads)
    gaps = _gaps(source, target, style.habits)
    pieces = _pieces(source, target, heads, forms, gaps)
    text = renumber.text(source.record, pieces, source.spacing)
    leading = dict(source.spacing.leading)
    if gaps[0][0].is_special:  # the space after a removed mark is now at the beginning
        spaces = (leading.get(1, ""), gaps[0][0].as_leading)
        leading[1] = joined_leading(filter(None, spaces))
    return renumber.rewritten(source.record, pieces, text, leading)


def surface_text(
    entry: Entry[Record], slots: Sequence[Puncteme], habits: Habits = DEFAULT.habits
) -> str:
    """Write a sentence with other punctuation as plain text.

    With the original slots this is the comment ``# text =``. Spaces are as in ``punctuate_record``.
    """
    source = Source.of(entry)
    target = Target.of(source, slots)
    stated = stated_text(source.record)
    if stated is not None and target.changes_nothing(source):
        return stated
    heads = _token_heads(source, target, "unit")
    forms = _forms(source, target, heads)
    recorded = habits if source.spacing.is_recorded or habits.is_recorded else None
    pieces = _pieces(source, target, heads, forms, _gaps(source, target, recorded))
    return renumber.text(source.record, pieces, source.spacing)


def spell_marks(entry: Entry[Record], slots: Sequence[Puncteme]) -> list[Puncteme]:
    """Return slots with the characters that ``punctuate_record`` and ``surface_text`` write.

    Tokens that are not written are unchanged.
    """
    source = Source.of(entry)
    target = Target.of(source, slots)
    rows = _forms(source, target, _token_heads(source, target, "unit"))
    forms = chain.from_iterable(rows)
    return [
        tuple(token if token in marks.SILENT else next(forms) for token in slot) for slot in slots
    ]


def style_of(entries: Iterable[Entry[Record]]) -> Style:
    """Determine the attachment and spacing of the marks in entries."""
    all_entries = list(entries)
    return Style(convention_of(all_entries), Habits.of(all_entries))


def convention_of(entries: Iterable[Entry[Record]]) -> Convention:
    """Return the convention that predicts most heads of the existing marks, ``unit`` in a tie."""
    agreeing = dict.fromkeys(CONVENTIONS, 0)
    for entry in entries:
        if not isinstance(entry.content, Sentence):
            continue
        source = Source.of(entry)
        numbers = {word_id: word for word, word_id in enumerate(entry.word_ids, start=1)}
        for convention in CONVENTIONS:
            chosen = mark_heads(entry.content.tree, source.slots, convention)
            for row, ids in zip(chosen, source.ids, strict=True):
                for head, token_id in zip(row, ids, strict=True):
                    actual = numbers.get(source.record.tokens[token_id - 1].head)
                    agreeing[convention] += head == actual
    return max(CONVENTIONS, key=lambda convention: agreeing[convention])


def _token_heads(source: Source, target: Target, convention: Convention) -> list[list[int]]:
    """Choose the head of every visible token, as an ID; kept tokens keep their heads."""
    tokens = source.record.tokens
    numbers = {0: 0} | {word_id: word for word, word_id in enumerate(source.word_ids, start=1)}
    fixed: dict[Place, int] = {
        (slot, index): numbers[tokens[old_id - 1].head]
        for slot, row in enumerate(target.ids)
        for index, old_id in enumerate(row)
        if old_id
    }
    heads = tuple(numbers[tokens[word_id - 1].head] for word_id in source.word_ids)
    tree = DependencyTree(heads, source.sentence.tree.relations)
    rows = mark_heads(tree, target.slots, convention, fixed)
    return [[source.word_ids[word - 1] for word in row] for row in rows]


def _forms(source: Source, target: Target, heads: Sequence[Sequence[int]]) -> list[list[str]]:
    """Return the form of every visible token, as in the record unless it would be misread."""
    tokens = source.record.tokens
    forms = [
        [
            tokens[old_id - 1].form if old_id else token
            for token, old_id in zip(slot, row, strict=True)
        ]
        for slot, row in zip(target.slots, target.ids, strict=True)
    ]
    if target.keeps_all(source):
        return forms
    for pair in matched_pairs(target.slots):
        if not all(target.ids[slot][index] for slot, index in pair):
            for slot, index in pair:
                forms[slot][index] = target.slots[slot][index]
    while misread := _misread(source, target, heads, forms):
        slot, index = misread
        forms[slot][index] = target.slots[slot][index]
    return forms


def _misread(
    source: Source,
    target: Target,
    heads: Sequence[Sequence[int]],
    forms: Sequence[Sequence[str]],
) -> Place | None:
    places = [(slot, index) for slot, row in enumerate(forms) for index in range(len(row))]
    drafts: list[Token] = []
    for slot, index in places:
        old_id = target.ids[slot][index]
        xpos = source.record.tokens[old_id - 1].xpos if old_id else EMPTY
        form, head = forms[slot][index], heads[slot][index]
        drafts.append(Token(0, form, form, PUNCTUATION, xpos, EMPTY, head, "", 0))
    read, _, _ = directional_quotes(drafts, [True] * len(drafts))
    for (slot, index), text in zip(places, read, strict=True):
        if target.slots[slot][index] not in (text, forms[slot][index], marks.UNK):
            return slot, index
    return None


def _pieces(
    source: Source,
    target: Target,
    heads: Sequence[Sequence[int]],
    forms: Sequence[Sequence[str]],
    rows: Sequence[Sequence[Gap]],
) -> list[Piece]:
    sentence = source.sentence
    pieces: list[Piece] = []
    for slot, gaps in enumerate(rows):
        if slot:
            word_id = source.word_ids[slot - 1]
            form = sentence.forms[slot - 1] + "." * target.dots[slot - 1]
            head = source.record.tokens[word_id - 1].head
            pieces.append(Piece(word_id, form, head, gaps[0]))
        columns = (target.ids[slot], forms[slot], heads[slot], gaps[1:])
        pieces += map(Piece._make, zip(*columns, strict=True))
    return pieces


def _gaps(source: Source, target: Target, habits: Habits | None) -> list[list[Gap]]:
    """Return, for each slot, the spaces before each token and after the last one.

    Without ``habits`` all spaces follow the rules of typography.
    """
    sentence, spacing_of = source.sentence, source.spacing
    words = [form + "." * dot for form, dot in zip(sentence.forms, target.dots, strict=True)]
    compounds = spacing.compound_slots(sentence.tree.heads, sentence.tree.relations)
    rows = spacing.slot_spaces(words, target.slots, compounds=compounds)
    if habits is None:
        return [[SPACE if space else NOTHING for space in row] for row in rows]
    rows = habits.revise_spaces(rows, target.slots)
    edges = (0, *source.word_ids, 0)
    units = [(edges[slot], *row, edges[slot + 1]) for slot, row in enumerate(target.ids)]
    forms = [token.form for token in source.record.tokens]
    rows = spacing.revised_spaces(rows, target.slots, units, forms, spacing_of.spaces)
    gaps_of_slots: list[list[Gap]] = []
    last = len(rows) - 1
    for slot, (row, source_ids, target_ids) in enumerate(
        zip(rows, source.ids, target.ids, strict=True)
    ):
        gaps = [
            spacing_of.gaps[number - 1] or NOTHING
            for number in (edges[slot], *source_ids)
            if number
        ]
        if slot == 0:
            gaps.insert(0, Gap(""))
        kept_numbers = [source_ids.index(number) + 1 if number else 0 for number in target_ids]
        gaps_of_slots.append(
            rewritten_gaps(gaps, kept_numbers, row, opens=slot == 0, closes=slot == last)
        )
    return gaps_of_slots
