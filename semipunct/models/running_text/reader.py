"""A text model with its weights, which reads text of any length in overlapping windows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.programs import jit
from semipunct.features.word_shapes import LOWER, SHAPES, possible, shape_of
from semipunct.marks import Puncteme
from semipunct.models.base import Parameters, Weights
from semipunct.models.running_text.guises import HIDDEN
from semipunct.models.running_text.model import TextModel, log_marginals
from semipunct.models.running_text.network import Inputs, scores
from semipunct.models.running_text.words import CODES, codes_of

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

CONTEXT = 64
"""Number of context words on either side of the slots that a window decides."""

LENGTH = 1024
"""Number of words of a window; longer windows overlap less."""

CENTRE = LENGTH - 2 * CONTEXT
"""Number of slots that a window decides; the last window of a text may decide more."""

_ROWS = 4  # number of rows of windows in a batch, except in a last batch of one

_RUNNING = 2  # number of batches that are computed while other words are prepared

_REMEMBERED = 2**17  # maximum number of distinct words whose codes are cached


class Case(IntEnum):
    """The spelling of words that the network sees."""

    NOTHING = 0
    CAPITALS = 1  # words in lower case are hidden
    EVERYTHING = 2


class Query(NamedTuple):
    """A text to read, or a part of one.

    Attributes:
        slots: ``[n + 1]``, the marks that the network sees. The last slot of a part is the first
            slot of the next one, which has the marks of both.
        case: what capitals are evidence of; see ``Case``.
        written: whether all slots are shown as written, right or wrong, except before the first
            word and after the last; otherwise marks are right, and empty slots hidden.
        ends: whether the text ends here; otherwise the next query continues it.
        boundaries: slots known to end sentences, by any mark.
    """

    forms: Sequence[str]
    slots: Sequence[Puncteme]
    case: Case
    written: bool = False
    ends: bool = True
    boundaries: Set[int] = frozenset()


class Reading(NamedTuple):
    """Distributions over the outcomes of the slots of a query."""

    strings: Floats  # [n + 1, strings], probabilities
    shapes: Floats  # [n, SHAPES], log potentials of the shapes of words
    pairs: Floats  # [strings, SHAPES], log potentials of a string and the shape of the next word


class Window(NamedTuple):
    """A part of a text: words ``start`` to ``stop``, which decide slots ``first`` to ``last``."""

    start: int
    stop: int
    first: int
    last: int


def next_window(first: int, words_read: int, *, ended: bool) -> Window | None:
    """Return the next window; None if it needs more words, or nothing is left to decide.

    Args:
        first: the first undecided slot.
        words_read: number of words known so far.
    """
    last = first + CENTRE
    # More marks may follow the last known word.
    if words_read > last + CONTEXT:
        return Window(max(0, first - CONTEXT), last + CONTEXT, first, last)
    # A remainder no longer than the context is decided together with the preceding slots.
    if ended and first <= words_read:
        return Window(max(0, first - CONTEXT), words_read, first, words_read + 1)
    return None


class _Columns(NamedTuple):
    """Consecutive words of a text as read by the network."""

    codes: Ints  # [n, CODES]
    shapes: Ints  # [n], plus one; 0 if hidden
    possible: npt.NDArray[np.bool_]  # [n, SHAPES]
    marks: Ints  # [n + 1], strings plus one; 0 if hidden

    @classmethod
    def joined(cls, parts: Sequence[_Columns]) -> _Columns:
        """Join the parts of a text; the last slot of one is the first slot of the next."""
        codes, shapes, able, marks = map(list, zip(*parts, strict=True))
        slots = [*(slots[:-1] for slots in marks), marks[-1][-1:]]
        return cls(*map(np.concatenate, (codes, shapes, able, slots)))

    def cut(self, start: int, stop: int) -> _Columns:
        words = (column[start:stop] for column in self[:3])
        return self._make([*words, self.marks[start : stop + 1]])


_Windowed = tuple[Window, _Columns]  # a window and its words


class _Text:
    """A text that arrives in parts; words no longer needed are discarded."""

    def __init__(self) -> None:
        self._parts: list[_Columns] = []
        self._start = self._known = self._first = 0

    def windows(self, part: _Columns, *, ended: bool) -> Iterator[_Windowed]:
        """Add words, and yield the windows that they complete."""
        self._parts.append(part)
        self._known += len(part.codes)
        while window := next_window(self._first, self._known, ended=ended):
            if len(self._parts) > 1:
                self._parts = [_Columns.joined(self._parts)]
            columns = self._parts[0]
            yield window, columns.cut(window.start - self._start, window.stop - self._start)
            self._first = window.last
            if not ended:
                start = window.last - CONTEXT
                self._parts = [columns.cut(start - self._start, len(columns.codes))]
                self._start = start


class _Results:
    """Assembles the results of windows into readings, in the order of queries."""

    def __init__(self, pairs: Floats) -> None:
        self._pairs = pairs
        self._expected: deque[tuple[int, bool]] = deque()
        self._rows: list[tuple[Floats, Floats]] = []
        self._number = 0

    def expect(self, words: int, *, ends: bool) -> None:
        self._expected.append((words, ends))

    def readings(self, rows: Iterable[tuple[Floats, Floats]]) -> Iterator[Reading]:
        """Add the results of decided slots, and yield the readings that they complete."""
        for strings, shapes in rows:
            self._rows.append((strings, shapes))
            self._number += len(strings)
        while self._expected and self._number > self._expected[0][0]:
            words, ends = self._expected.popleft()
            if len(self._rows) > 1:
                columns = zip(*self._rows, strict=True)
                strings, shapes = (np.concatenate(column) for column in columns)
            else:
                ((strings, shapes),) = self._rows
            yield Reading(strings[: words + 1], shapes[:words], self._pairs)
            # The last slot of a part is the first slot of the next one.
            read = words + ends
            self._rows = [(strings[read:], shapes[read:])]
            self._number -= read


@dataclass(frozen=True)
class TextReader:
    """A reader of texts."""

    model: TextModel
    parameters: Weights

    @cached_property
    def _codes(self) -> Callable[[str], Ints]:
        """The codes, the shape and the possible shapes of a word as spelt, in one array."""
        model = self.model

        @lru_cache(_REMEMBERED)
        def codes(form: str) -> Ints:
            low = form.lower()
            (row,) = codes_of([low], model.vocabulary, model.options.ngrams)
            return np.array([*row, shape_of(form), *possible(low, model.mixed)], np.int32)

        return codes

    def _columns(self, query: Query, *, begins: bool) -> _Columns:
        """Return the columns of a query, which may begin a text."""
        rows = np.array([self._codes(form) for form in query.forms])
        codes, shapes, able = rows[:, :CODES], rows[:, CODES], rows[:, CODES + 1 :] > 0
        shown = np.array([bool(string) for string in query.slots])
        if query.written:
            shown[begins : len(shown) - query.ends] = True
        marks = np.full(len(shown), HIDDEN, np.int32)
        places = np.flatnonzero(shown).tolist()
        marks[places] = np.add(self.model.strings.codes([query.slots[i] for i in places]), 1)
        for slot in query.boundaries:
            if not query.slots[slot]:
                marks[slot] = len(self.model.strings)
        is_seen = (shapes != LOWER) & (query.case > Case.NOTHING) | (query.case == Case.EVERYTHING)
        if not query.written:
            able[is_seen] = np.eye(SHAPES, dtype=bool)[shapes[is_seen]]
        return _Columns(codes, np.where(is_seen, shapes + 1, HIDDEN), able, marks)

    def read(self, queries: Iterable[Query]) -> Iterator[Reading]:
        """Yield the distributions of the slots of texts.

        A text may be given in parts of at least one word each. At most a few thousand words are in
        memory; results depend neither on the parts nor on other texts.
        """
        weights = self.model.place_weights(self.parameters)
        pending_readings = _Results(np.asarray(self.parameters["pairs"]))
        # Batches are computed by other threads while this one prepares words and uses results.
        running: deque[_Batch] = deque()
        rows = _packed(self._windows(queries, pending_readings))
        while group := list(islice(rows, _ROWS)):
            running.append(self._started(weights, group))
            if len(running) > _RUNNING:
                yield from pending_readings.readings(running.popleft().rows())
        for batch in running:
            yield from pending_readings.readings(batch.rows())

    def _windows(self, queries: Iterable[Query], pending_readings: _Results) -> Iterator[_Windowed]:
        text, begins = _Text(), True
        for query in queries:
            pending_readings.expect(len(query.forms), ends=query.ends)
            columns = self._columns(query, begins=begins)
            yield from text.windows(columns, ended=query.ends)
            if begins := query.ends:
                text = _Text()

    def _started(self, weights: Weights, group: Sequence[Sequence[_Windowed]]) -> _Batch:
        rows = 1 if len(group) == 1 else _ROWS
        codes = np.zeros((rows, LENGTH, CODES), np.int32)
        shapes = np.zeros((rows, LENGTH), np.int32)
        able = np.ones((rows, LENGTH, SHAPES), bool)
        marks = np.zeros((rows, LENGTH + 1), np.int32)
        inside = np.zeros((rows, LENGTH), bool)
        decided: list[tuple[int, slice]] = []
        for row, windows in enumerate(group):
            start = 0
            for window, columns in windows:
                stop = start + len(columns.codes)
                codes[row, start:stop], shapes[row, start:stop] = columns.codes, columns.shapes
                able[row, start:stop], inside[row, start:stop] = columns.possible, True
                marks[row, start : stop + 1] = columns.marks
                offset = start - window.start
                decided.append((row, slice(window.first + offset, window.last + offset)))
                start = stop + 1
        words = np.arange(rows * LENGTH, dtype=np.int32).reshape(rows, LENGTH)
        columns = (codes.reshape(-1, CODES), words, shapes, marks, inside)
        inputs = Inputs(*map(jnp.asarray, columns))
        return _Batch(decided, _answer(self.model, weights, inputs, able))


def _packed(windows: Iterable[_Windowed]) -> Iterator[list[_Windowed]]:
    """Pack windows into rows, separated by one empty place."""
    row: list[_Windowed] = []
    used = 0
    for window in windows:
        size = len(window[1].codes)
        if row and used + 1 + size > LENGTH:
            yield row
            row, used = [], 0
        used += size + bool(row)
        row.append(window)
    if row:
        yield row


class _Batch(NamedTuple):
    """Windows whose distributions are being computed."""

    decided: Sequence[tuple[int, slice]]  # row and decided slots of each window
    # probabilities of strings and potentials of shapes of all slots
    answer: tuple[jax.Array, jax.Array]

    def rows(self) -> Iterator[tuple[Floats, Floats]]:
        """Wait for the results, and yield those of each window."""
        strings, shapes = map(np.asarray, self.answer)
        return ((strings[place], shapes[place]) for place in self.decided)


@partial(jit, static=1)
def _answer(
    model: TextModel, weights: Parameters, inputs: Inputs, able: jax.Array
) -> tuple[jax.Array, jax.Array]:
    word_scores = scores(model.options, weights, inputs)
    shapes = jnp.where(able, word_scores.shapes, -jnp.inf)
    # No word follows the last slot of a full row, just as after a text inside a row. Otherwise the
    # scores of a slot would depend on the texts that share its row.
    nothing = jnp.broadcast_to(weights["case.bias"], (len(shapes), 1, SHAPES))
    shapes = jnp.concatenate([shapes, nothing], 1)
    return jnp.exp(log_marginals(word_scores._replace(shapes=shapes))), shapes
