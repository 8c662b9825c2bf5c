"""Vocabulary, encoded sentences and batches of the beam parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import round_up
from semipunct.corpus.sentences import MISSING, Sentence
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.errors import TreebankError
from semipunct.marks import ABBREVIATION, BRACKET_PAIRS, QUOTE_PAIRS, Puncteme
from semipunct.marks.matching import Matcher, matched_pairs
from semipunct.marks.tokens import STRAIGHT
from semipunct.models.vocabulary import frequent
from semipunct.papers.transitions.features import BEYOND
from semipunct.papers.transitions.options import BeamParserOptions
from semipunct.papers.transitions.search import LEFT, Derivation, oracle
from semipunct.trees import DependencyTree, lift_arcs, without_words


class Flag(IntFlag):
    """Flags of a property; closing marks have 4 times the flags of opening marks."""

    QUOTE_OPENS = 1
    """A quotation mark opens on the left of the word, or of its subtree."""
    BRACKET_OPENS = 2
    QUOTE_CLOSES = 4
    """A quotation mark closes on its right."""
    BRACKET_CLOSES = 8
    OTHER = 16
    """An unpaired mark is on its right."""
    PAIRED = 32
    """Opening and closing marks have been matched, and none are left."""


OPENS = Flag.QUOTE_OPENS | Flag.BRACKET_OPENS
_SHIFT = 2

MATCHER = Matcher(BRACKET_PAIRS | QUOTE_PAIRS | {(mark, mark) for mark in STRAIGHT})
"""Brackets and quotation marks; straight quotation marks close each other."""

_OPENING = {opening for opening, _ in BRACKET_PAIRS | QUOTE_PAIRS}
_CLOSING = {closing for _, closing in BRACKET_PAIRS | QUOTE_PAIRS}
_BRACKETS = {mark for pair in BRACKET_PAIRS for mark in pair}


class Marked(NamedTuple):
    """The marks of a sentence, as sets of flags of its words.

    Attributes:
        properties: ``[n]``.
        absorbed: ``[n + 1]`` whether each token of a slot is not parsed.
    """

    properties: list[int]
    absorbed: list[list[bool]]


def sides(slots: Sequence[Puncteme]) -> list[list[int]]:
    """Return the flag that each token of each slot sets as a paired mark, or 0.

    Marks with a partner open or close with it. The form of other marks decides; ambiguous ones
    open, and straight ones are not paired, nor are two marks without a word between them.
    """
    flags = [[_alone(token) for token in slot] for slot in slots]
    for opening, closing in matched_pairs(slots, MATCHER):
        apart = opening[0] < closing[0]
        for (slot, index), shift in ((opening, 0), (closing, _SHIFT)):
            flags[slot][index] = _kind(slots[slot][index]) << shift if apart else 0
    return flags


def _alone(token: str) -> int:
    if token in _OPENING:
        return _kind(token)
    return _kind(token) << _SHIFT if token in _CLOSING else 0


def _kind(token: str) -> Flag:
    return Flag.BRACKET_OPENS if token in _BRACKETS else Flag.QUOTE_OPENS


def attach_marks(slots: Sequence[Puncteme], *, others: bool) -> Marked:
    """Attach opening marks to the next word, all other marks to the preceding word.

    Paired marks skip unpaired marks before their word, and are skipped without a word. Without
    ``others``, unpaired marks are parsed, unless skipped.
    """
    words = len(slots) - 1
    properties = [0] * words
    absorbed: list[list[bool]] = []
    unpaired = [False] * words
    for place, flags in enumerate(sides(slots)):
        closing = [i for i, flag in enumerate(flags) if flag > OPENS]
        opening = [i for i, flag in enumerate(flags) if 0 < flag <= OPENS]
        gone = [others or flag > 0 for flag in flags]
        if closing and place:
            gone[: closing[-1] + 1] = [True] * (closing[-1] + 1)
        if opening and place < words:
            gone[opening[0] :] = [True] * (len(flags) - opening[0])
        for flag in flags:
            if flag > OPENS and place:
                properties[place - 1] |= flag
            elif 0 < flag <= OPENS and place < words:
                properties[place] |= flag
        before = flags[: opening[0]] if opening else flags
        if others and place and not closing and 0 in before:
            unpaired[place - 1] = True
        absorbed.append(gone)
    met = [_met(flags) for flags in properties]
    # Boundaries take precedence over other marks.
    complete = [
        flags | Flag.OTHER if is_other and not flags else flags
        for flags, is_other in zip(met, unpaired, strict=True)
    ]
    return Marked(complete, absorbed)


def _met(flags: int) -> int:
    opens, closes = flags & OPENS, flags >> _SHIFT & OPENS
    opened_and_closed = opens & closes
    unmatched = opens ^ opened_and_closed | (closes ^ opened_and_closed) << _SHIFT
    return unmatched if unmatched or not opened_and_closed else int(Flag.PAIRED)


def propagate_properties(head: jax.Array, dependent: jax.Array, side: int) -> jax.Array:
    """Propagate properties, ``[..., 1]``, from an outermost dependent to its head (figure 1).

    Opening marks come from dependents on the left, others from the right. If marks of a kind both
    open and close, their flags are removed; if none are left, the head is ``PAIRED``.
    """
    opens, closes = head & OPENS, head >> _SHIFT & OPENS
    other_flags, paired = head & Flag.OTHER, head & Flag.PAIRED
    if side == LEFT:
        opens = opens | dependent & OPENS
    else:
        closes = closes | dependent >> _SHIFT & OPENS
        other_flags = dependent & Flag.OTHER
    opened_and_closed = opens & closes
    opens, closes = opens ^ opened_and_closed, closes ^ opened_and_closed
    open_ends = (opens | closes) > 0
    paired = jnp.where(opened_and_closed > 0, jnp.int32(Flag.PAIRED), paired)
    paired = jnp.where(open_ends, 0, paired)
    other_flags = jnp.where(opens > 0, 0, other_flags)
    return opens | closes << _SHIFT | other_flags | paired


@dataclass(frozen=True, slots=True)
class Tokens:
    """The n parsed words of a sentence.

    Attributes:
        forms: ``[n]``; an abbreviation includes its dot.
        properties: ``[n]`` sets of flags.
        tree: projective; None if n = 0.
        numbers: ``[n]`` numbers in the sentence, from 1.
    """

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    properties: tuple[int, ...]
    tree: DependencyTree | None
    numbers: tuple[int, ...]


def tokens(sentence: Sentence, options: BeamParserOptions) -> Tokens:
    """Remove the marks that are not parsed: those in slots, or words with the tag PUNCT."""
    dots = [slot.count(ABBREVIATION) for slot in sentence.slots[1:]]
    properties, removed = _divided(sentence, options)
    numbers = [number for number in range(1, len(sentence.forms) + 1) if number not in removed]
    tree = lift_arcs(without_words(sentence.tree, removed))[0] if numbers else None
    column = sentence.xpos if options.tags == "xpos" else sentence.upos
    return Tokens(
        tuple(sentence.forms[i - 1] + "." * dots[i - 1] for i in numbers),
        tuple(column[i - 1] for i in numbers),
        tuple(properties[i - 1] for i in numbers),
        tree,
        tuple(numbers),
    )


def _divided(sentence: Sentence, options: BeamParserOptions) -> tuple[list[int], set[int]]:
    """Return the property of each word, and the numbers of unparsed words."""
    is_mark = [upos == PUNCTUATION for upos in sentence.upos]
    visible = [tuple(t for t in slot if t != ABBREVIATION) for slot in sentence.slots]
    nothing = [0] * len(is_mark)
    match options.punctuation:
        case "baseline":
            _check_parsed(sentence, visible, options)
            return nothing, set()
        case "stripped":
            return nothing, {number for number, mark in enumerate(is_mark, start=1) if mark}
        case "paired":
            _check_parsed(sentence, visible, options)
            return _properties(sentence, is_mark, visible, others=False)
        case "all":
            return _properties(sentence, is_mark, visible, others=True)


def _check_parsed(
    sentence: Sentence, visible: Sequence[Puncteme], options: BeamParserOptions
) -> None:
    if any(visible):
        raise TreebankError(
            f"{sentence.where}: with model.punctuation={options.punctuation} marks are parsed as "
            "words, but this sentence was read without its marks and their heads; read the "
            'treebank with marks="words", or choose model.punctuation=all'
        )


def _properties(
    sentence: Sentence, is_mark: Sequence[bool], visible: Sequence[Puncteme], *, others: bool
) -> tuple[list[int], set[int]]:
    slots: list[list[str]] = [list(visible[0])]
    origins: list[list[int]] = [[0] * len(visible[0])]  # numbers of the marks that are words
    words: list[int] = []
    for number, (form, mark, after) in enumerate(
        zip(sentence.forms, is_mark, visible[1:], strict=True), start=1
    ):
        if mark:
            slots[-1].append(form)
            origins[-1].append(number)
        else:
            words.append(number)
            slots.append([])
            origins.append([])
        slots[-1] += after
        origins[-1] += [0] * len(after)
    marked = attach_marks([tuple(slot) for slot in slots], others=others)
    properties = [0] * len(is_mark)
    for number, flags in zip(words, marked.properties, strict=True):
        properties[number - 1] = flags
    removed = {
        number
        for numbers, gone in zip(origins, marked.absorbed, strict=True)
        for number, is_gone in zip(numbers, gone, strict=True)
        if is_gone and number
    }
    return properties, removed


def check_tags(sentences: Sequence[Sentence], options: BeamParserOptions) -> None:
    """Raise a TreebankError if no word has a tag of the kind that is used."""
    if any(tag != MISSING for s in sentences for tag in getattr(s, options.tags)):
        return
    alternative = {"xpos": "upos", "upos": "xpos"}[options.tags]
    advice = (
        "tag the treebank first, for example by semipunct parse with a model of the kind parser"
    )
    if any(tag != MISSING for s in sentences for tag in getattr(s, alternative)):
        advice = f"train with model.tags={alternative}, or {advice}"
    raise TreebankError(
        f"{sentences[0].path}: no word has a tag in the column {options.tags}; {advice}"
    )


Ints = npt.NDArray[np.int32]

NONE, END, UNKNOWN = range(3)
"""Numbers for no word, for the end of the sentence, and for unknown words and tags."""

KNOWN = 3


@dataclass(frozen=True)
class Vocabulary:
    """Words, tags and labels; a single label if arcs have none."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(
        cls, sentences: Sequence[Tokens], minimum_word_count: int, *, labelled: bool
    ) -> Vocabulary:
        labels = {
            label
            for s in sentences
            if labelled and s.tree
            for label, head in zip(s.tree.relations, s.tree.heads, strict=True)
            if head
        }
        return cls(
            frequent((form for s in sentences for form in s.forms), minimum_word_count),
            frequent((tag for s in sentences for tag in s.tags), 1),
            tuple(sorted(labels)) or ("_",),
        )

    @cached_property
    def word_numbers(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words, start=KNOWN)}

    @cached_property
    def tag_numbers(self) -> dict[str, int]:
        return {tag: i for i, tag in enumerate(self.tags, start=KNOWN)}

    @cached_property
    def label_numbers(self) -> dict[str, int]:
        return {label: i for i, label in enumerate(self.labels)}


class EncodedSentence(NamedTuple):
    """A sentence of n words.

    Attributes:
        codes: ``[3, n]`` words, tags, properties.
        gold: its derivation.
        labels: ``[2n - 1]`` labels of arcs, 0 for shifts and unknown labels.
    """

    codes: Ints
    gold: Derivation
    labels: Ints


@dataclass(frozen=True)
class Encoded:
    """Encoded sentences, and their tokens."""

    sentences: Sequence[EncodedSentence]
    tokens: Sequence[Tokens]

    @property
    def lengths(self) -> list[int]:
        return self._lengths

    @cached_property
    def _lengths(self) -> list[int]:
        return [len(s.forms) for s in self.tokens]


class Batch(NamedTuple):
    """A padded batch.

    Attributes:
        lengths: ``[batch]``; 0 for padding.
        codes: ``[3, batch, words + 1 + BEYOND]``.
        actions: ``[batch, 2 words - 1]`` of the gold derivations.
        labels: of their arcs.
    """

    lengths: jax.Array | Ints
    codes: jax.Array | Ints
    actions: jax.Array | Ints
    labels: jax.Array | Ints


def encode_sentence(s: Tokens, vocabulary: Vocabulary) -> EncodedSentence:
    """Encode a sentence, with the derivation of its tree."""
    words = [vocabulary.word_numbers.get(form, UNKNOWN) for form in s.forms]
    tags = [vocabulary.tag_numbers.get(tag, UNKNOWN) for tag in s.tags]
    codes = np.array([words, tags, s.properties], np.int32)
    if s.tree is None:
        nothing = np.zeros(0, np.int32)
        return EncodedSentence(codes, Derivation(nothing, nothing), nothing)
    gold = oracle(s.tree.heads)
    numbers = [0, *(vocabulary.label_numbers.get(name, 0) for name in s.tree.relations)]
    return EncodedSentence(codes, gold, np.array(numbers, np.int32)[gold.dependents])


def padded_length(words: int) -> int:
    """Return the padded length of a sentence."""
    return round_up(words, 32, 2)


def lay_out(encoded: Encoded, members: Sequence[int], size: int) -> Batch:
    """Pad sentences to a batch."""
    words = padded_length(max((encoded.lengths[i] for i in members), default=0))
    lengths = np.zeros(size, np.int32)
    codes = np.zeros((3, size, words + 1 + BEYOND), np.int32)
    codes[:2, :, 1:] = END
    actions, labels = (np.zeros((size, 2 * words - 1), np.int32) for _ in range(2))
    for row, i in enumerate(members):
        s = encoded.sentences[i]
        n = lengths[row] = encoded.lengths[i]
        codes[:, row, 1 : n + 1] = s.codes
        actions[row, : len(s.labels)] = s.gold.actions
        labels[row, : len(s.labels)] = s.labels
    return Batch(lengths, codes, actions, labels)
