"""Sampling the surface string of each slot from the noisy channel (section 2.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.arrays.unique_rows import Ints, Numbering, unique_rows
from semipunct.marks import EDITS, FINAL, INITIAL, OPEN, Puncteme, without_boundaries
from semipunct.marks.edits import move
from semipunct.models.base import Weights
from semipunct.models.punctuation.draws import Floats
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.rewriting import Rewriter, WindowPass

END = -1
"""Padding of arrays of symbols ``[strings, longest]``."""


class UnderlyingStrings(NamedTuple):
    """The non-empty underlying strings of one slot per sentence, for many draws."""

    shape: tuple[int, int]  # numbers of sentences and draws
    at: Ints  # [strings], ascending: ``sentence * draws + draw``
    symbols: Ints  # [strings, longest], in text order, with boundary marks


@dataclass(frozen=True, slots=True)
class ChannelSampler:
    """A sampler of surface strings given underlying strings."""

    rewriter: Rewriter
    spelt: Ints  # [labels + 2, longest], symbols of labels and of both boundary marks
    final_mark: bool  # whether the end of a sentence has a boundary mark

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Weights) -> ChannelSampler:
        code = {s: i for i, s in enumerate(model.inventory.symbols)}
        punctemes = [*model.inventory.labels, (INITIAL,), (FINAL,)]
        spelt = np.full((len(punctemes), max(map(len, punctemes))), END)
        for row, puncteme in zip(spelt, punctemes, strict=True):
            row[: len(puncteme)] = [code.get(t, END) for t in puncteme]
        return cls(Rewriter.of(model, parameters), spelt, model.options.final_mark)

    def boundaries(self, slot: int, last: int) -> Puncteme:
        """Return the boundary marks of a slot of a sentence of ``last`` words."""
        final = (FINAL,) if self.final_mark and slot == last else ()
        return (INITIAL, *final) if slot == 0 else final

    def inputs(
        self, labels: Ints, sentences: Ints, boundaries: Sequence[Puncteme]
    ) -> UnderlyingStrings:
        """Concatenate the labels of each draw, enclosed by the boundary marks.

        Args:
            labels: ``[edges, draws]``, in text order within a sentence.
            sentences: ``[edges]``.
            boundaries: ``[sentences]``.
        """
        draws = labels.shape[1]
        edge, draw = labels.nonzero()
        at, label = sentences[edge] * draws + draw, labels[edge, draw]
        some = np.zeros(len(boundaries) * draws, np.bool_)
        some[at] = True
        marked = some.reshape(len(boundaries), draws)

        def boundary(mark: str, number: int) -> tuple[Ints, Ints]:
            has = marked & np.array([mark in marks for marks in boundaries])[:, None]
            where = has.ravel().nonzero()[0]
            return where, np.full(len(where), number)

        if any(boundaries):
            parts = (boundary(INITIAL, -2), (at, label), boundary(FINAL, -1))
            at, label = (np.concatenate(x) for x in zip(*parts, strict=True))
        order = np.argsort(at, kind="stable")
        return UnderlyingStrings(
            marked.shape, some.nonzero()[0], _lined_up(at[order], self.spelt[label[order]])
        )

    def sample(
        self,
        inputs: UnderlyingStrings,
        generators: Sequence[np.random.Generator],
        surface: Numbering[Puncteme],
    ) -> Ints:
        """Draw surface strings; return their indices in ``surface``, ``[sentences, draws]``."""
        shown = np.zeros(inputs.shape, np.int64)
        if not len(inputs.at):
            return shown
        symbols, sentence = inputs.symbols, inputs.at // inputs.shape[1]
        # Draws are sorted by sentence.
        ends = sentence.searchsorted(np.arange(inputs.shape[0] + 1)).tolist()
        for window_pass in self.rewriter.passes:
            # Each generator yields as many numbers as the longest string of its own sentence needs,
            # so that draws do not depend on other sentences.
            points = np.zeros((len(symbols), symbols.shape[1] - 1))
            for generator, first, end in zip(generators, ends, ends[1:], strict=False):
                if end > first and points.shape[1]:
                    longest = (symbols[first:end] != END).any(0).sum() - 1
                    points[first:end, :longest] = generator.random((end - first, longest))
            symbols = sample_pass(window_pass, symbols, points)
        first, inverse = unique_rows(*(symbols + 1).T)
        strings = [self.tokens(row) for row in symbols[first].tolist()]
        numbers = np.array([surface.number(without_boundaries(string)) for string in strings])[
            inverse
        ]
        is_open = np.array([OPEN in string for string in strings])[inverse]
        for i in is_open.nonzero()[0].tolist():
            string = self._spelt(strings[inverse[i]], generators[sentence[i]])
            numbers[i] = surface.number(without_boundaries(string))
        shown.ravel()[inputs.at] = numbers
        return shown

    def map_strings(self, inputs: UnderlyingStrings, value: Callable[[Puncteme], float]) -> Floats:
        """Apply a function to each distinct underlying string of a sentence, ``[draws]``."""
        first, inverse = unique_rows(*(inputs.symbols + 1).T)
        values = [value(self.tokens(row)) for row in inputs.symbols[first].tolist()]
        values_of_draws = np.zeros(inputs.shape[1])
        values_of_draws[inputs.at] = np.array(values)[inverse]
        return values_of_draws

    def tokens(self, string: Sequence[int]) -> Puncteme:
        names = self.rewriter.inventory.symbols
        return tuple(names[s] for s in string if s != END)

    def _spelt(self, string: Puncteme, generator: np.random.Generator) -> Puncteme:
        """Draw a spelling for each open puncteme of a string."""
        spelling = self.rewriter.inventory.spelling
        parts = (self.tokens(spelling.draw(generator)) if t == OPEN else (t,) for t in string)
        return tuple(token for part in parts for token in part)


def enclose(boundaries: Puncteme, string: Puncteme) -> Puncteme:
    """Put the boundary marks of a slot around its string."""
    before = (t for t in boundaries if t == INITIAL)
    return (*before, *string, *(t for t in boundaries if t == FINAL))


def _effects(*, mirrored: bool) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Return, for each edit, whether the next symbol becomes pending, and the symbol written."""
    effects = [move(edit, mirrored=mirrored) for edit in EDITS]
    return (
        np.array([effect.pending == 1 for effect in effects]),
        np.array([END if effect.written is None else effect.written for effect in effects]),
    )


_EFFECTS = {mirrored: _effects(mirrored=mirrored) for mirrored in (False, True)}


def sample_pass(window_pass: WindowPass, symbols: Ints, points: Floats) -> Ints:
    """Rewrite strings by one pass of the channel.

    Each step moves the windows of all strings. A string that has ended keeps its pending symbol,
    which is written at the end.

    Args:
        symbols: ``[strings, longest]``, of non-empty strings.
        points: ``[strings, longest - 1]``, uniform numbers in [0, 1) that select edits by
            inversion.
    """
    if symbols.shape[1] == 1:
        return symbols  # single symbols are not rewritten
    lengths = (symbols != END).sum(1)
    reading = _reversed(symbols, lengths) if window_pass.mirrored else symbols
    moves, writes = _EFFECTS[window_pass.mirrored]
    cumulative = window_pass.cumulative
    written = np.full_like(reading, END)
    length = np.zeros_like(lengths)
    pending = reading[:, 0].copy()
    for i in range(1, reading.shape[1]):
        alive = (lengths > i).nonzero()[0]
        before, symbol = pending[alive], reading[alive, i]
        window = (symbol, before) if window_pass.mirrored else (before, symbol)
        ends = cumulative[window]
        edit = (points[alive, i - 1, None] * ends[:, -1:] >= ends).sum(1)
        spells = (writes[edit] != END).nonzero()[0]
        rows = alive[spells]
        written[rows, length[rows]] = np.where(writes[edit], symbol, before)[spells]
        length[rows] += 1
        pending[alive] = np.where(moves[edit], symbol, before)
    written[np.arange(len(written)), length] = pending
    written = written[:, : int(length.max()) + 1]
    return _reversed(written, length + 1) if window_pass.mirrored else written


def _lined_up(rows: Ints, symbols: Ints) -> Ints:
    """Concatenate the symbols of consecutive entries with the same row, without ``END``."""
    entry, column = (symbols != END).nonzero()
    row = rows[entry]
    is_first = np.ones(len(row), np.bool_)
    np.not_equal(row[1:], row[:-1], out=is_first[1:])
    first, string = is_first.nonzero()[0], np.cumsum(is_first) - 1
    place = np.arange(len(row)) - first[string]
    lined_up = np.full((len(first), int(place.max(initial=0)) + 1), END)
    lined_up[string, place] = symbols[entry, column]
    return lined_up


def _reversed(symbols: Ints, lengths: Ints) -> Ints:
    place = lengths[:, None] - 1 - np.arange(symbols.shape[1])
    turned = np.take_along_axis(symbols, np.maximum(place, 0), 1)
    return np.where(place < 0, END, turned)
