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
from semipunct.features.word_shapes import CAPITALISED, LOWER, SHAPES, possible, shape_of
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

# The largest share of frequent words with capitals in a text whose beginnings have none.
_ACCIDENTS = 0.02

_RUNNING = 2  # number of batches that are computed while other words are prepared

_REMEMBERED = 2**17  # maximum number of distinct words whose codes are cached


class Case(IntEnum):
    """The spelling of words that the network sees."""

    NOTHING = 0
    CAPITALS = 1  # words in lower case are hidden
    EVERYTHING = 2


def case_of_words(model: TextModel, forms: Sequence[str]) -> Case:
    """Return what the capitals of a text are evidence of.

    Frequent words have capitals at beginnings of sentences, or nowhere if only names have any, or
    everywhere in upper case and in titles.
    """
    shapes = [shape_of(form) for form in forms[1:] if form.lower() in model.frequent]
    raised = sum(shape != LOWER for shape in shapes)
    if raised >= 2 and 2 * raised > len(shapes):
        return Case.NOTHING
    begins = shapes.count(CAPITALISED) + sum(shape_of(form) == CAPITALISED for form in forms[:1])
    is_rare = begins < 2 or begins <= _ACCIDENTS * len(shapes)
    return Case.CAPITALS if is_rare else Case.EVERYTHING


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


def _readings(
    rows: Iterable[tuple[Floats, Floats]], expected: deque[tuple[int, bool]], pairs: Floats
) -> Iterator[Reading]:
    """Assemble the results of windows into readings, in the order of queries.

    Args:
        expected: the number of words of each query, and whether its text ends there.
    """
    parts: list[tuple[Floats, Floats]] = []
    slots = 0
    for part in rows:
        parts.append(part)
        slots += len(part[0])
        while expected and slots > expected[0][0]:
            words, ends = expected.popleft()
            if len(parts) > 1:
                columns = zip(*parts, strict=True)
                strings, shapes = (np.concatenate(column) for column in columns)
            else:
                ((strings, shapes),) = parts
            yield Reading(strings[: words + 1], shapes[:words], pairs)
            # The last slot of a part is the first slot of the next one.
            read = words + ends
            parts = [(strings[read:], shapes[read:])]
            slots -= read


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
        expected: deque[tuple[int, bool]] = deque()
        rows = self._rows(self._windows(queries, expected))
        return _readings(rows, expected, np.asarray(self.parameters["pairs"]))

    def _rows(self, windows: Iterable[_Windowed]) -> Iterator[tuple[Floats, Floats]]:
        """Yield the results of windows; batches are computed while this thread prepares words."""
        weights = self.model.place_weights(self.parameters)
        running: deque[_Batch] = deque()
        packed = _packed(windows)
        while group := list(islice(packed, _ROWS)):
            running.append(self._started(weights, group))
            if len(running) > _RUNNING:
                yield from running.popleft().rows()
        for batch in running:
            yield from batch.rows()

    def _windows(
        self, queries: Iterable[Query], expected: deque[tuple[int, bool]]
    ) -> Iterator[_Windowed]:
        # The words from ``start`` on, of which ``known`` have arrived; earlier ones are discarded.
        parts: list[_Columns] = []
        start = known = first = 0
        for query in queries:
            expected.append((len(query.forms), query.ends))
            parts.append(self._columns(query, begins=not parts))
            known += len(query.forms)
            while window := next_window(first, known, ended=query.ends):
                if len(parts) > 1:
                    parts = [_Columns.joined(parts)]
                (columns,) = parts
                yield window, columns.cut(window.start - start, window.stop - start)
                first = window.last
                if not query.ends:
                    parts = [columns.cut(first - CONTEXT - start, len(columns.codes))]
                    start = first - CONTEXT
            if query.ends:
                parts, start, known, first = [], 0, 0, 0

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
