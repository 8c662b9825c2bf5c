"""A text model with its weights, which reads running text of any length in overlapping windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.programs import jit
from semipunct.features.word_shapes import SHAPES, possible, shape_of
from semipunct.marks import Puncteme
from semipunct.models.base import Parameters, Weights
from semipunct.models.running_text.guises import HIDDEN
from semipunct.models.running_text.model import TextModel, log_marginals
from semipunct.models.running_text.network import Inputs, scores
from semipunct.models.running_text.words import codes_of

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

CENTRE = 256
"""The words of a window whose slots are decided in it."""

CONTEXT = 64
"""The words to either side of the centre that the network sees beside it."""

_ROWS = 32
"""The windows of a batch; a short text has batches of one."""


class Query(NamedTuple):
    """A text to read.

    Attributes:
        forms: ``[n]`` words as spelt.
        slots: ``[n + 1]`` the marks that the network sees.
        cased: whether it sees the capitals of words.
        written: whether slots are shown as somebody wrote them, right or wrong, also where nothing
            is written, except before the first word and after the last; otherwise marks that are
            shown are right, and empty slots hidden.
    """

    forms: Sequence[str]
    slots: Sequence[Puncteme]
    cased: bool
    written: bool = False


class Reading(NamedTuple):
    """Distributions over the outcomes of the slots of a text.

    Attributes:
        strings: ``[n + 1, strings]`` the probabilities of strings, for tags of the model.
        shapes: ``[n, SHAPES]`` log potentials of the shapes of words.
        pairs: ``[strings, SHAPES]`` log potentials of a string and the shape of the next word.
    """

    strings: Floats
    shapes: Floats
    pairs: Floats


class _Window(NamedTuple):
    """A part of a text that is read at once.

    Attributes:
        text: the number of the text.
        start, stop: its words.
        first, last: the slots that are decided.
    """

    text: int
    start: int
    stop: int
    first: int
    last: int


def windows(number: int, size: int) -> Iterator[_Window]:
    """Yield the windows of a text, whose decided slots are all of its slots, each once.

    Args:
        number: the number of the text.
        size: its number of words.
    """
    for first in range(0, size + 1, CENTRE):
        last = min(first + CENTRE, size + 1)
        if last < size + 1 and size + 1 - last < CONTEXT:
            last = size + 1
        yield _Window(number, max(0, first - CONTEXT), min(size, last + CONTEXT), first, last)
        if last == size + 1:
            return


@dataclass(frozen=True)
class TextReader:
    """Reads texts.

    Attributes:
        model: the text model.
        parameters: its weights.
    """

    model: TextModel
    parameters: Weights

    def read(self, queries: Sequence[Query]) -> list[Reading]:
        """Return the distributions of the slots of texts; what stands in one affects no other.

        Args:
            queries: texts of any length, at least one word each.
        """
        weights = self.model.placed(self.parameters)
        result = [
            Reading(
                np.zeros((len(q.forms) + 1, len(self.model.strings)), np.float32),
                np.zeros((len(q.forms), SHAPES), np.float32),
                np.asarray(self.parameters["pairs"]),
            )
            for q in queries
        ]
        every = (w for i, q in enumerate(queries) for w in windows(i, len(q.forms)))
        while group := list(islice(every, _ROWS)):
            inputs, able = self._inputs(queries, group)
            found = jax.tree.map(np.asarray, _answer(self.model, weights, inputs, able))
            for row, w in enumerate(group):
                into, begin = result[w.text], w.start
                into.strings[w.first : w.last] = found[0][row, w.first - begin : w.last - begin]
                stop = min(w.last, w.stop)
                into.shapes[w.first : stop] = found[1][row, w.first - begin : stop - begin]
        return result

    def _inputs(
        self, queries: Sequence[Query], group: Sequence[_Window]
    ) -> tuple[Inputs, npt.NDArray[np.bool_]]:
        rows = 1 if len(group) == 1 else _ROWS
        length = CENTRE + 3 * CONTEXT
        words, shapes = np.zeros((2, rows, length), np.int32)
        marks = np.zeros((rows, length + 1), np.int32)
        lengths = np.zeros(rows, np.int32)
        able = np.ones((rows, length, SHAPES), bool)
        distinct: dict[str, int] = {}
        options: dict[str, npt.NDArray[np.bool_]] = {}
        for row, w in enumerate(group):
            query, size = queries[w.text], w.stop - w.start
            lengths[row] = size
            for place, form in enumerate(query.forms[w.start : w.stop]):
                low = form.lower()
                words[row, place] = distinct.setdefault(low, len(distinct))
                shape = shape_of(form)
                if query.cased:
                    shapes[row, place] = shape + 1
                if query.cased and not query.written:
                    able[row, place] = np.arange(SHAPES) == shape
                else:
                    if low not in options:
                        options[low] = possible(low, self.model.mixed)
                    able[row, place] = options[low]
            written = query.slots[w.start : w.stop + 1]
            for place, (string, tag) in enumerate(
                zip(written, self.model.strings.codes(written), strict=True)
            ):
                is_inner = 0 < w.start + place < len(query.forms)
                is_seen = string or (query.written and is_inner)
                marks[row, place] = tag + 1 if is_seen else HIDDEN
        codes = codes_of(list(distinct), self.model.vocabulary, self.model.options.ngrams)
        room = length if rows == 1 else rows * CENTRE * (1 + (len(distinct) > rows * CENTRE))
        room = max(room, len(distinct))
        table = np.zeros((room, codes.shape[1]), np.int32)
        table[: len(codes)] = codes
        return Inputs(*map(jnp.asarray, (table, words, shapes, marks, lengths))), able


@partial(jit, static=1)
def _answer(
    model: TextModel, weights: Parameters, inputs: Inputs, able: jax.Array
) -> tuple[jax.Array, jax.Array]:
    found = scores(model.options, weights, inputs)
    found = found._replace(shapes=jnp.where(able, found.shapes, -jnp.inf))
    return jnp.exp(log_marginals(found)), found.shapes
