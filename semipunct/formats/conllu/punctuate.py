"""Writing of punctuation into CoNLL-U, with attachment and renumbering, and into plain text.

Only punctuation changes. The lines of words keep everything but IDs, the dot of an abbreviation and
SpaceAfter; so do the lines of marks that do not change.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from semipunct import marks
from semipunct.corpus import Entry
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
from semipunct.formats.conllu.heads import convention_of, token_heads
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.reading import directional_quotes
from semipunct.formats.conllu.records import Record, Token, stated_text
from semipunct.formats.conllu.renumber import Piece
from semipunct.formats.conllu.requests import Source, Target
from semipunct.marks import Puncteme, spacing
from semipunct.marks.matching import Place, matched_pairs
from semipunct.trees.conventions import Convention


@dataclass(frozen=True, slots=True)
class Style:
    """The attachment and the spacing of marks in a treebank.

    Attributes:
        convention: the convention by which new marks are attached.
        habits: the usual spacing of marks.
    """

    convention: Convention = "unit"
    habits: Habits = field(default_factory=Habits)


DEFAULT = Style()


def punctuate_record(
    entry: Entry[Record], slots: Sequence[Puncteme], style: Style = DEFAULT
) -> Record:
    """Rewrite the record of a sentence with other punctuation.

    The lines of unchanged slots are kept; if no slot changes, the record itself is returned. In
    other slots common marks keep their lines, other old marks are removed, and new ones are
    inserted with the tag PUNCT, the relation ``punct`` and a head by ``guideline.mark_heads``. IDs
    are renumbered in the columns ID, HEAD and DEPS; arcs from removed tokens are removed from the
    enhanced graph, and arcs to new tokens are added if there is one. Words keep their heads,
    projective or not.

    The space between tokens that remain neighbours is unchanged, both in the comment ``# text =``
    and in MISC; that of removed marks goes to what now stands in their place. Beside new marks both
    follow the habits of the treebank, or else ``marks.spacing``.

    ``marks.ABBREVIATION``, first in a slot, adds a dot to the word before it, and its absence
    removes the dot; boundary marks are not written. A straight quotation mark that is kept becomes
    directional if it would otherwise be read as a different mark, or if its partner is a new,
    directional one. If marks are only added and none is removed, all existing marks keep their
    forms.

    Multiword tokens are unchanged. An empty node stays after the word that it follows; if that was
    a removed mark, it moves to the previous token.

    Args:
        entry: an entry of CoNLL-U; ``bare_entry`` makes one from any sentence.
        slots: ``[n + 1]`` strings of tokens.
        style: the attachment and spacing of new marks.

    Raises:
        UsageError: if the number of slots is wrong, for a mark within a multiword token, for
            ``marks.UNK`` or ``marks.OPEN`` where the record does not have the same mark, for an
            abbreviation dot that does not follow a word, and for a token that cannot be written in
            a column.
    """
    source = Source.of(entry)
    target = Target.of(source, slots)
    if target.changes_nothing(source):
        return source.record
    heads = token_heads(source, target, style.convention)
    forms = _forms(source, target, heads)
    gaps = _gaps(source, target, style.habits)
    pieces = _pieces(source, target, heads, forms, gaps)
    text = renumber.text(source.record, pieces, source.spacing)
    leading = dict(source.spacing.leading)
    if gaps[0][0].is_special:  # the space after a removed mark, at the beginning now
        spaces = (leading.get(1, ""), gaps[0][0].as_leading)
        leading[1] = joined_leading(filter(None, spaces))
    return renumber.rewritten(source.record, pieces, text, leading)


def surface_text(
    entry: Entry[Record], slots: Sequence[Puncteme], habits: Habits = DEFAULT.habits
) -> str:
    """Write a sentence with other punctuation as plain text.

    Multiword tokens are spelt as in the record. Spaces are those of ``punctuate_record``; if
    neither the record nor its treebank states any, they follow ``marks.spacing``. With the original
    slots the text is that of the comment ``# text =``, if the record has one.

    Args:
        entry: an entry of CoNLL-U.
        slots: ``[n + 1]`` strings of tokens.
        habits: the usual spacing of marks in the treebank.

    Raises:
        UsageError: as for ``punctuate_record``.
    """
    source = Source.of(entry)
    target = Target.of(source, slots)
    stated = stated_text(source.record)
    if stated is not None and target.changes_nothing(source):
        return stated
    heads = token_heads(source, target, "unit")
    forms = _forms(source, target, heads)
    recorded = habits if source.spacing.is_recorded or habits.is_recorded else None
    pieces = _pieces(source, target, heads, forms, _gaps(source, target, recorded))
    return renumber.text(source.record, pieces, source.spacing)


def spell_marks(entry: Entry[Record], slots: Sequence[Puncteme]) -> list[Puncteme]:
    """Return slots with the characters that ``punctuate_record`` and ``surface_text`` write.

    Args:
        entry: an entry of CoNLL-U.
        slots: ``[n + 1]`` strings of tokens; tokens that are not written are unchanged.

    Raises:
        UsageError: as for ``punctuate_record``.
    """
    source = Source.of(entry)
    target = Target.of(source, slots)
    forms = iter(
        form for row in _forms(source, target, token_heads(source, target, "unit")) for form in row
    )
    return [
        tuple(token if token in marks.SILENT else next(forms) for token in slot) for slot in slots
    ]


def style_of(entries: Iterable[Entry[Record]]) -> Style:
    """Determine the attachment and spacing of the marks in the records of entries."""
    all_entries = list(entries)
    return Style(convention_of(all_entries), Habits.of(all_entries))


def _forms(source: Source, target: Target, heads: Sequence[Sequence[int]]) -> list[list[str]]:
    """Return the form of every visible token, as in the record unless it would be misread.

    A straight quotation mark becomes directional if its partner is new, or if the sentence would
    otherwise be read with different slots; not if no token is removed.
    """
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
    """Find the first token whose form differs from the requested one and would be misread."""
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
    """Merge words and visible tokens in order, with the spaces after them."""
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

    Args:
        source: the record.
        target: the requested slots.
        habits: the usual spacing; None if all spaces follow the rules of typography.
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
