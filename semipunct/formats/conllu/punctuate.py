"""Writing of punctuation into CoNLL-U, with attachment and renumbering, and into plain text.

Only punctuation changes. The lines of words keep everything but IDs, the dot of an abbreviation and
SpaceAfter; so do the lines of marks that do not change.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from semipunct import marks
from semipunct.corpus import Entry, Omitted, Sentence, Words
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.errors import UsageError
from semipunct.formats.conllu import renumber
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.quotes import directional_quotes
from semipunct.formats.conllu.reading import token_slots
from semipunct.formats.conllu.records import Record, Token
from semipunct.formats.conllu.renumber import Piece
from semipunct.marks import Puncteme, spacing
from semipunct.marks.matching import Place, matched_pairs
from semipunct.trees.attachment import CONVENTIONS, Convention, punctuation_heads
from semipunct.wording import counted

_BREAKS = frozenset("\t\n\r")


def punctuated(
    entry: Entry[Record], slots: Sequence[Puncteme], convention: Convention = "unit"
) -> Record:
    """Rewrite the record of a sentence with other punctuation.

    The lines of unchanged slots are kept; if no slot changes, the record itself is returned. In
    other slots common marks keep their lines, other old marks are removed, and new ones are
    inserted with the tag PUNCT, the relation ``punct`` and a head by ``punctuation_heads``. IDs are
    renumbered in the columns ID, HEAD and DEPS; arcs from removed tokens are removed from the
    enhanced graph, and arcs to new tokens are added if there is one. Words keep their heads,
    projective or not. SpaceAfter and the comment ``# text =`` follow ``marks.spacing``.

    ``marks.ABBREVIATION``, first in a slot, adds a dot to the word before it, and its absence
    removes the dot; boundary marks are not written. A straight quotation mark that is kept becomes
    directional if it would otherwise be read as a different mark, or if its partner is a new,
    directional one. If marks are only added and none is removed, all existing marks keep their
    forms.

    A multiword range that loses tokens shrinks to the remaining ones, and the removed marks are
    removed from its form. A range that keeps a single token, or gets a mark inside, is dropped, and
    its words are written separately. An empty node stays after the word that it follows; if that
    was a removed mark, it moves to the previous token.

    Args:
        entry: an entry of CoNLL-U; ``bare_entry`` makes one from any sentence.
        slots: ``[n + 1]`` strings of tokens.
        convention: the convention by which new marks are attached.

    Raises:
        UsageError: if the number of slots is wrong, for ``marks.UNK`` or ``marks.OPEN`` where the
            record does not have the same mark, for an abbreviation dot that does not follow a word,
            and for a token that cannot be written in a column.
    """
    source = _Source.of(entry)
    target = _Target.of(source, slots)
    if target.changes_nothing(source):
        return source.record
    heads = _heads(source, target, convention)
    forms = _forms(source, target, heads)
    pieces = _pieces(source, target, heads, forms, _spaces(source, target, recorded=True))
    return renumber.rewritten(source.record, pieces, _text(source, target, heads, forms))


def surface_text(entry: Entry[Record], slots: Sequence[Puncteme]) -> str:
    """Write a sentence with other punctuation as plain text.

    Multiword tokens are spelt as in the record. Spaces follow its SpaceAfter; if no token has this
    attribute, or where a slot has changed, they follow ``marks.spacing``. With the original slots
    the text is that of the comment ``# text =``, if the record has one.

    Args:
        entry: an entry of CoNLL-U.
        slots: ``[n + 1]`` strings of tokens.

    Raises:
        UsageError: as for ``punctuated``.
    """
    source = _Source.of(entry)
    target = _Target.of(source, slots)
    stated = renumber.stated_text(source.record)
    if stated is not None and target.changes_nothing(source):
        return stated
    heads = _heads(source, target, "unit")
    return _text(source, target, heads, _forms(source, target, heads))


def surface_forms(entry: Entry[Record]) -> list[str]:
    """Return the words of a sentence with the characters that ``surface_text`` writes for them.

    The characters of a multiword token that is not the concatenation of its words belong to its
    first word.

    Args:
        entry: an entry of CoNLL-U.

    Returns:
        ``[n]`` a string for each word, empty for a word without its own characters.
    """
    if isinstance(entry.content, Omitted):
        return []
    forms = list(entry.content.forms)
    places = {word_id: word for word, word_id in enumerate(entry.word_ids)}
    for span in renumber.multiword_tokens(entry.record):
        tokens = entry.record.tokens[max(span.first, 1) - 1 : span.last]
        own = [places[token.word_id] for token in tokens if token.word_id in places]
        if own and span.form != "".join(token.form for token in tokens):
            forms[own[0]] = span.form
            for word in own[1:]:
                forms[word] = ""
    return forms


def bare_text(entry: Entry[Record]) -> str:
    """Write a sentence without punctuation as plain text, ignoring its comment.

    Args:
        entry: an entry of CoNLL-U without marks in its record, except dots of abbreviations.

    Raises:
        UsageError: if the entry has no tree.
    """
    source = _Source.of(entry)
    nothing: list[list[str]] = [[] for _ in source.slots]
    target = _Target(source.slots, source.ids, source.dots)
    return _text(source, target, [[] for _ in source.slots], nothing)


def spelt(entry: Entry[Record], slots: Sequence[Puncteme]) -> list[Puncteme]:
    """Return slots with the characters that ``punctuated`` and ``surface_text`` write for them.

    Args:
        entry: an entry of CoNLL-U.
        slots: ``[n + 1]`` strings of tokens; tokens that are not written are unchanged.

    Raises:
        UsageError: as for ``punctuated``.
    """
    source = _Source.of(entry)
    target = _Target.of(source, slots)
    forms = iter(
        form for row in _forms(source, target, _heads(source, target, "unit")) for form in row
    )
    return [
        tuple(token if token in marks.SILENT else next(forms) for token in slot) for slot in slots
    ]


def convention_of(entries: Iterable[Entry[Record]]) -> Convention:
    """Determine the convention by which the marks in the records of entries are attached.

    It is the one that predicts more of their heads, ``unit`` in a tie.
    """
    agreeing = dict.fromkeys(CONVENTIONS, 0)
    for entry in entries:
        if not isinstance(entry.content, Sentence):
            continue
        source = _Source.of(entry)
        numbers = {word_id: word for word, word_id in enumerate(entry.word_ids, start=1)}
        for convention in CONVENTIONS:
            chosen = punctuation_heads(entry.content.tree, source.slots, convention)
            for row, ids in zip(chosen, source.ids, strict=True):
                for head, token_id in zip(row, ids, strict=True):
                    actual = numbers.get(source.record.tokens[token_id - 1].head)
                    agreeing[convention] += head == actual
    return max(CONVENTIONS, key=lambda convention: agreeing[convention])


def bare_entry(sentence: Sentence) -> Entry[Record]:
    """Make a record, without punctuation, of a sentence that was not read from CoNLL-U."""
    nothing: list[Puncteme] = [()] * len(sentence.slots)
    lines = [
        f"# sent_id = {sentence.sentence_id}",
        f"# text = {spacing.text(sentence.forms, nothing)}",
    ]
    rows = spacing.slot_spaces(sentence.forms, nothing)
    tokens: list[Token] = []
    for w, ((space,), form) in enumerate(zip(rows[1:], sentence.forms, strict=True)):
        word, upos, xpos, feats = w + 1, sentence.upos[w], sentence.xpos[w], sentence.feats[w]
        lemma, head = sentence.lemmas[w], sentence.tree.heads[w]
        relation = sentence.tree.relations[w]
        misc = EMPTY if space or word == len(sentence.forms) else renumber.NO_SPACE
        cells = (word, form, lemma, upos, xpos, feats, head, relation, EMPTY, misc)
        tokens.append(Token(word, form, lemma, upos, xpos, feats, head, relation, len(lines)))
        lines.append("\t".join(map(str, cells)))
    lines.append("")
    ends = ("\n",) * len(lines)
    record = Record(
        sentence.path, sentence.line, tuple(lines), ends, sentence.sentence_id, tuple(tokens)
    )
    return Entry(sentence, record, tuple(range(1, len(tokens) + 1)))


@dataclass(frozen=True, slots=True)
class _Source:
    """The components of the record of a sentence.

    Attributes:
        sentence: the sentence as models see it.
        record: its lines.
        word_ids: ``[n]`` IDs of words.
        slots: ``[n + 1]`` visible tokens as read.
        ids: ``[n + 1]`` IDs of these.
        dots: ``[n]`` whether a word has an abbreviation dot.
        spaces: whether a space follows each token of the record, None if unspecified.
    """

    sentence: Sentence
    record: Record
    word_ids: tuple[int, ...]
    slots: tuple[Puncteme, ...]
    ids: tuple[tuple[int, ...], ...]
    dots: tuple[bool, ...]
    spaces: tuple[bool | None, ...]

    @classmethod
    def of(cls, entry: Entry[Record]) -> "_Source":
        sentence, record = entry.content, entry.record
        if isinstance(sentence, Words):
            raise UsageError(
                f"{record.where()}: it has no tree, to which marks could be attached; parse it "
                "first (semipunct parse)"
            )
        if isinstance(sentence, Omitted):
            raise UsageError(
                f"{record.where()}: it was omitted ({sentence.reason}), so its punctuation cannot "
                "be changed; write it unchanged"
            )
        words = set(entry.word_ids)
        is_punctuation = [token.word_id not in words for token in record.tokens]
        surface, _, _ = directional_quotes(record.tokens, is_punctuation)
        ids: list[list[int]] = [[]]
        for token, punctuation in zip(record.tokens, is_punctuation, strict=True):
            if punctuation:
                ids[-1].append(token.word_id)
            else:
                ids.append([])
        dots = (
            record.tokens[word_id - 1].form != form
            for word_id, form in zip(entry.word_ids, sentence.forms, strict=True)
        )
        return cls(
            sentence,
            record,
            entry.word_ids,
            tuple(token_slots(surface, is_punctuation)),
            tuple(map(tuple, ids)),
            tuple(dots),
            tuple(renumber.spaces(record)),
        )


@dataclass(frozen=True, slots=True)
class _Target:
    """The requested slots.

    Attributes:
        slots: ``[n + 1]`` visible tokens.
        ids: ``[n + 1]`` the IDs of tokens that are kept, 0 for new ones.
        dots: ``[n]`` whether a word has an abbreviation dot.
    """

    slots: tuple[Puncteme, ...]
    ids: tuple[tuple[int, ...], ...]
    dots: tuple[bool, ...]

    @classmethod
    def of(cls, source: _Source, slots: Sequence[Puncteme]) -> "_Target":
        if len(slots) != len(source.slots):
            raise UsageError(
                f"{source.record.where()}: {counted(len(slots), 'slot')} for "
                f"{counted(len(source.slots) - 1, 'word')}; give one more than there are words"
            )
        dots = tuple(marks.ABBREVIATION in slot for slot in slots[1:])
        shown = tuple(spacing.visible(slots))
        ids = tuple(map(_common, source.slots, source.ids, shown))
        for slot, (tokens, visible, row) in enumerate(zip(slots, shown, ids, strict=True)):
            _check_dot(source.record, slot, tokens)
            _check_new(
                source.record, slot, [t for t, old in zip(visible, row, strict=True) if not old]
            )
        return cls(shown, ids, dots)

    def changes_nothing(self, source: _Source) -> bool:
        """Return whether the record already has these slots and dots."""
        return self.slots == source.slots and self.dots == source.dots

    def keeps_all(self, source: _Source) -> bool:
        """Return whether no token of the record is removed."""
        return sum(map(len, source.ids)) == sum(1 for row in self.ids for old in row if old)


def _check_dot(record: Record, slot: int, tokens: Puncteme) -> None:
    if marks.ABBREVIATION in tokens[min(slot, 1) :]:
        raise UsageError(
            f"{record.where()}: slot {slot} has an abbreviation's dot that follows no word; "
            "give it once, first in a slot after a word"
        )


def _check_new(record: Record, slot: int, tokens: Sequence[str]) -> None:
    for token in tokens:
        if token in marks.SPECIAL_TOKENS or not token.strip() or _BREAKS.intersection(token):
            raise UsageError(
                f"{record.where()}: the token {token!r} of slot {slot} cannot be written; "
                "give a mark of one or more visible characters"
            )


def _common(old: Puncteme, ids: Sequence[int], new: Puncteme) -> tuple[int, ...]:
    """Return the IDs of the tokens of a slot that are kept, 0 for new ones."""
    if old == new:
        return tuple(ids)
    found = [0] * len(new)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for first, place, size in matcher.get_matching_blocks():
        found[place : place + size] = ids[first : first + size]
    return tuple(found)


def _heads(source: _Source, target: _Target, convention: Convention) -> list[list[int]]:
    """Choose the head of every visible token, as an ID; kept tokens keep their heads."""
    tokens = source.record.tokens
    numbers = {word_id: word for word, word_id in enumerate(source.word_ids, start=1)}
    kept: dict[Place, int] = {
        (slot, index): numbers[tokens[old - 1].head]
        for slot, row in enumerate(target.ids)
        for index, old in enumerate(row)
        if old
    }
    chosen = punctuation_heads(source.sentence.tree, target.slots, convention, kept)
    return [[source.word_ids[word - 1] for word in row] for row in chosen]


def _forms(source: _Source, target: _Target, heads: Sequence[Sequence[int]]) -> list[list[str]]:
    """Return the form of every visible token, as in the record unless it would be misread.

    A straight quotation mark becomes directional if its partner is new, or if the sentence would
    otherwise be read with different slots; not if no token is removed.
    """
    tokens = source.record.tokens
    forms = [
        [tokens[old - 1].form if old else token for token, old in zip(slot, row, strict=True)]
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
    source: _Source,
    target: _Target,
    heads: Sequence[Sequence[int]],
    forms: Sequence[Sequence[str]],
) -> Place | None:
    """Find the first token whose form differs from the requested one and would be misread."""
    places = [(slot, index) for slot, row in enumerate(forms) for index in range(len(row))]
    drafts: list[Token] = []
    for slot, index in places:
        old = target.ids[slot][index]
        xpos = source.record.tokens[old - 1].xpos if old else EMPTY
        form, head = forms[slot][index], heads[slot][index]
        drafts.append(Token(0, form, form, PUNCTUATION, xpos, EMPTY, head, "", 0))
    read, _, _ = directional_quotes(drafts, [True] * len(drafts))
    for (slot, index), text in zip(places, read, strict=True):
        if target.slots[slot][index] not in (text, forms[slot][index], marks.UNK):
            return slot, index
    return None


def _spaces(source: _Source, target: _Target, *, recorded: bool) -> list[list[bool]]:
    """Compute the spaces in every slot, with or without those of the record."""
    sentence = source.sentence
    words = [form + "." * dot for form, dot in zip(sentence.forms, target.dots, strict=True)]
    compounds = spacing.compound_slots(sentence.tree.heads, sentence.tree.relations)
    rows = spacing.slot_spaces(words, target.slots, compounds=compounds)
    if not recorded:
        return rows
    edges = (0, *source.word_ids, 0)
    units = [(edges[slot], *row, edges[slot + 1]) for slot, row in enumerate(target.ids)]
    forms = [token.form for token in source.record.tokens]
    return spacing.revised_spaces(rows, target.slots, units, forms, source.spaces)


def _pieces(
    source: _Source,
    target: _Target,
    heads: Sequence[Sequence[int]],
    forms: Sequence[Sequence[str]],
    rows: Sequence[Sequence[bool]],
) -> list[Piece]:
    """Merge words and visible tokens in order."""
    sentence = source.sentence
    pieces: list[Piece] = []
    for slot, spaces in enumerate(rows):
        if slot:
            word_id = source.word_ids[slot - 1]
            form = sentence.forms[slot - 1] + "." * target.dots[slot - 1]
            head = source.record.tokens[word_id - 1].head
            pieces.append(Piece(word_id, form, head, spaces[0]))
        columns = (target.ids[slot], forms[slot], heads[slot], spaces[1:])
        pieces += map(Piece._make, zip(*columns, strict=True))
    return pieces


def _text(
    source: _Source,
    target: _Target,
    heads: Sequence[Sequence[int]],
    forms: Sequence[Sequence[str]],
) -> str:
    """Write the sentence as plain text, with the spaces of the record if it specifies any."""
    rows = _spaces(source, target, recorded=False in source.spaces)
    return renumber.text(source.record, _pieces(source, target, heads, forms, rows))
