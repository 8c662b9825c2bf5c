"""Regeneration of the surface of a changed underlying tree by the channel (section 6.3).

See docs/decisions/papers.md for dots, unknown marks and unpaired marks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np

from semipunct.corpus import Sentence
from semipunct.corpus.sentences import select_words
from semipunct.marks import (
    ABBREVIATION,
    OPEN,
    SPECIAL_TOKENS,
    UNK,
    Puncteme,
    with_boundaries,
    without_boundaries,
)
from semipunct.marks.matching import TYPOGRAPHIC, matched_pairs
from semipunct.models.base import Weights
from semipunct.models.punctuation.channel_sampler import sample_pass
from semipunct.models.punctuation.decode import Analysis
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.rewriting import Rewriter
from semipunct.trees.arrangement import Arrangement

_BOTH = 2

_OF_PAIRS = TYPOGRAPHIC.openings.union(TYPOGRAPHIC.partners)


class Mark(NamedTuple):
    """A token of an underlying puncteme."""

    token: str
    # Surface tokens of a special token: one for ``marks.UNK``, one or more for ``marks.OPEN``.
    # Empty for other tokens and for invisible ones.
    spelling: Puncteme = ()
    pair: int = 0  # number of its pair of brackets or quotation marks; 0 for none


MarkPlace = tuple[int, int, int]
"""A word, its left or right puncteme (0 or 1), and the index of a token in it, all from 0."""

Sides = tuple[tuple[Mark, ...], tuple[Mark, ...]]
"""The left and the right puncteme of a word."""


@dataclass(frozen=True, slots=True)
class UnderlyingTree:
    """The words of a sentence with the punctemes of their constituents."""

    sentence: Sentence  # its slots contain only the dots of abbreviations
    sides: tuple[Sides, ...]
    words: tuple[int, ...]  # number of each word in the analysed sentence

    @classmethod
    def of(cls, analysis: Analysis) -> UnderlyingTree:
        """Extract the punctemes of an analysis, with the spellings of special tokens.

        An unpaired bracket or quotation mark that the channel absorbed is omitted: it might become
        visible in another context.
        """
        sentence = analysis.sentence
        places = _places(analysis)
        spelt = _spelt(analysis, places)
        strings = _as_seen(analysis, places, spelt)
        paired = _paired(places, strings)
        unseen = _unseen(analysis, places, strings, paired)

        def marks(word: int, side: int) -> tuple[Mark, ...]:
            tokens = enumerate(analysis.pairs[word][side])
            placed_tokens = ((token, (word, side, i)) for i, token in tokens)
            return tuple(
                Mark(token, spelt.get(at, ()), paired.get(at, 0))
                for token, at in placed_tokens
                if at not in unseen
            )

        words = range(sentence.size)
        dots = tuple(tuple(t for t in slot if t == ABBREVIATION) for slot in sentence.slots)
        return cls(
            replace(sentence, slots=dots, underlying=None),  # see ``sides``
            tuple((marks(word, 0), marks(word, 1)) for word in words),
            tuple(word + 1 for word in words),
        )

    @property
    def annotated(self) -> Sentence:
        """The sentence with its punctemes, as input to models of underlying trees."""

        def tokens(marks: Sequence[Mark]) -> Puncteme:
            return tuple(mark.token for mark in marks)

        pairs = tuple((tokens(left), tokens(right)) for left, right in self.sides)
        return replace(self.sentence, underlying=pairs)

    def rearrange(self, arrangement: Arrangement) -> UnderlyingTree:
        """Return the remaining tree in its new order.

        Punctemes within an orthographic word are removed, and so is the partner of a removed
        bracket or quotation mark.
        """
        words_left = arrangement.words
        sentence = select_words(self.sentence, words_left, arrangement.tree())
        closed = sentence.closed
        sides: list[Sides] = []
        for word, left, right in zip(words_left, *sentence.tree.edges, strict=True):
            before, after = self.sides[word - 1]
            sides.append((() if left in closed else before, () if right in closed else after))
        marks_left = Counter(
            mark.pair for sides_of_word in sides for side in sides_of_word for mark in side
        )

        def whole(side: tuple[Mark, ...]) -> tuple[Mark, ...]:
            return tuple(mark for mark in side if not mark.pair or marks_left[mark.pair] == _BOTH)

        return UnderlyingTree(
            sentence,
            tuple((whole(left), whole(right)) for left, right in sides),
            tuple(self.words[word - 1] for word in words_left),
        )


def _places(analysis: Analysis) -> list[list[MarkPlace]]:
    names: list[tuple[list[MarkPlace], list[MarkPlace]]] = []
    for word, (left, right) in enumerate(analysis.pairs):
        sides = [[(word, side, i) for i in range(len(x))] for side, x in enumerate((left, right))]
        names.append((sides[0], sides[1]))
    return analysis.sentence.tree.gather(names)


def _as_seen(
    analysis: Analysis, places: Sequence[Sequence[MarkPlace]], spelt: Mapping[MarkPlace, Puncteme]
) -> list[Puncteme]:
    def token(place: MarkPlace) -> str:
        word, side, index = place
        spelling = spelt.get(place, ())
        return spelling[0] if len(spelling) == 1 else analysis.pairs[word][side][index]

    return [tuple(map(token, row)) for row in places]


def _paired(
    places: Sequence[Sequence[MarkPlace]], strings: Sequence[Puncteme]
) -> dict[MarkPlace, int]:
    return {
        places[slot][index]: number
        for number, pair in enumerate(matched_pairs(strings), start=1)
        for slot, index in pair
    }


def _unseen(
    analysis: Analysis,
    places: Sequence[Sequence[MarkPlace]],
    strings: Sequence[Puncteme],
    paired: Collection[MarkPlace],
) -> set[MarkPlace]:
    """Find unpaired brackets and quotation marks that the channel has absorbed."""
    absorbed_places: set[MarkPlace] = set()
    for row, string, slot in zip(places, strings, analysis.slots, strict=True):
        absorbed = Counter(string) - Counter(slot.surface)
        for place, mark in zip(row, string, strict=True):
            if mark in _OF_PAIRS and place not in paired and absorbed[mark] > 0:
                absorbed_places.add(place)
                absorbed[mark] -= 1
    return absorbed_places


def _spelt(analysis: Analysis, places: Sequence[Sequence[MarkPlace]]) -> dict[MarkPlace, Puncteme]:
    """Find the spellings of special tokens by aligning underlying and surface strings."""
    spellings: dict[MarkPlace, Puncteme] = {}
    for row, slot in zip(places, analysis.slots, strict=True):
        underlying = [analysis.pairs[word][side][i] for word, side, i in row]
        if not {UNK, OPEN} & set(underlying):
            continue
        surface = without_boundaries(slot.surface)
        matcher = SequenceMatcher(None, underlying, surface, autojunk=False)
        for name, first, end, start, stop in matcher.get_opcodes():
            if name != "replace":
                continue
            special = [i for i in range(first, end) if underlying[i] in (UNK, OPEN)]
            unaligned = surface[start:stop]
            for left, i in zip(range(len(special) - 1, -1, -1), special, strict=True):
                # An open puncteme leaves one surface token for each special mark after it.
                size = max(1, len(unaligned) - left) if underlying[i] == OPEN else 1
                spellings[row[i]], unaligned = unaligned[:size], unaligned[size:]
    return spellings


@dataclass(frozen=True, slots=True)
class Regenerator:
    """The channel as a function from underlying trees to surface strings."""

    rewriter: Rewriter
    final_mark: bool  # whether the end of a sentence has a boundary mark

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Weights) -> Regenerator:
        return cls(Rewriter.of(model, parameters), model.options.final_mark)

    def surface(
        self, underlying: UnderlyingTree, generator: np.random.Generator, *, drawn: bool
    ) -> tuple[Puncteme, ...]:
        """Rewrite the underlying string of every slot, ``[n + 1]``.

        The dot of an abbreviation stays with its word. A mark outside the model's vocabulary keeps
        its original spelling, and is omitted if it was invisible.

        Args:
            drawn: draw the string of a slot; otherwise apply the most probable edits.
        """
        s = underlying.sentence
        met = s.tree.gather(underlying.sides)
        strings = [tuple(mark.token for mark in marks) for marks in met]
        bounded = with_boundaries(strings, final=self.final_mark)
        slots_of_surface: list[Puncteme] = []
        for string, marks, dot in zip(bounded, met, s.slots, strict=True):
            shown = self._rewritten(string, generator, drawn) if marks else ()
            slots_of_surface.append((*dot, *self._written(shown, marks, generator)))
        return tuple(slots_of_surface)

    def _rewritten(self, string: Puncteme, generator: np.random.Generator, drawn: bool) -> Puncteme:
        names = self.rewriter.inventory.symbols
        number = {name: i for i, name in enumerate(names)}
        symbols = tuple(number[token] for token in string)
        for window_pass in self.rewriter.passes:
            if drawn:
                points = generator.random((1, len(symbols) - 1))
                symbols = sample_pass(window_pass, np.array([symbols]), points)[0].tolist()
            else:
                symbols = window_pass.likeliest(tuple(symbols))
        return without_boundaries(tuple(names[symbol] for symbol in symbols))

    def _written(
        self, shown: Puncteme, marks: Sequence[Mark], generator: np.random.Generator
    ) -> Iterator[str]:
        """Replace the special tokens of a string by the spellings of the slot's marks."""
        spellings: defaultdict[str, list[Puncteme]] = defaultdict(list)
        for mark in marks:
            if mark.token in (UNK, OPEN):
                spellings[mark.token].append(mark.spelling)
        for token in shown:
            if token in (UNK, OPEN):
                spelling = spellings[token].pop(0) if spellings[token] else ()
                if token == OPEN and not spelling:
                    inventory = self.rewriter.inventory
                    drawn = inventory.spelling.draw(generator)
                    spelling = tuple(inventory.symbols[symbol] for symbol in drawn)
                yield from (t for t in spelling if t not in SPECIAL_TOKENS)
            elif token != ABBREVIATION:
                yield token
