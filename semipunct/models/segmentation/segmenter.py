"""A tokeniser with its weights, which segments texts of any length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.padding import round_up
from semipunct.arrays.programs import jit
from semipunct.corpus.fixed_parts import whole_parts
from semipunct.corpus.located import BLANKS, is_mark
from semipunct.corpus.passages import Passage
from semipunct.evaluation.segmentation import SpanCounts
from semipunct.models.base import Parameters, Weights
from semipunct.models.convolutions import convolve, reach
from semipunct.models.scoring import Batches
from semipunct.models.segmentation.characters import CODES
from semipunct.models.segmentation.guises import IN_GUISE, Segmentation
from semipunct.models.segmentation.sentences import sentence_ends
from semipunct.models.segmentation.tags import (
    LAST,
    STOP,
    TAGS,
    end_log_odds,
    is_blank,
    last_places,
    spans_of,
)
from semipunct.models.segmentation.tokeniser import TEMPERATURE, CharacterBatch, Encoded, Tokeniser
from semipunct.structures.distribution import Distribution

WINDOW = 512
"""Number of characters that a window scores, without the overlap."""

LONGEST = 2**14
"""Maximum number of characters decoded together; longer texts are cut, preferably at a blank."""

_ROWS = (1, 8, 32)  # possible sizes of a batch of windows, or of chains
_CHARACTERS = 2**16  # maximum number of characters in a batch of chains


class _Text(NamedTuple):
    """A text, or a part of a long text that begins at ``offset``."""

    number: int
    offset: int
    text: str


@dataclass(frozen=True, eq=False)
class Segmenter:
    """Splits texts into tokens and sentences, and tokens into words."""

    model: Tokeniser
    parameters: Weights

    @cached_property
    def _marks(self) -> frozenset[str]:
        return frozenset(self.model.marks)

    def segment(self, texts: Sequence[str]) -> list[Segmentation]:
        """Return the tokens and sentences of texts; blank texts have none.

        Addresses, markup and numbers are never split (``corpus.fixed_parts``).
        """
        segmentations = [Segmentation(text, [], []) for text in texts]
        parts = [part for i, text in enumerate(texts) for part in _parts(i, text)]
        for part, tags in zip(parts, self._tags([part.text for part in parts]), strict=True):
            spans, ends = spans_of(tags, part.text)
            into = segmentations[part.number]
            into.tokens.extend((a + part.offset, b + part.offset) for a, b in spans)
            into.ends.extend(ends)
        return [cut.join(part[:2] for part in whole_parts(cut.text)) for cut in segmentations]

    def words(self, form: str) -> tuple[str, ...]:
        """Return the words of a multiword token; empty if the token is a single word."""
        return self.model.expansions.words(form)

    def is_mark(self, form: str) -> bool:
        return is_mark(form) != (form in self._marks)

    def _tags(self, texts: Sequence[str]) -> list[npt.NDArray[np.int8]]:
        weights = self.model.place_weights(self.parameters)
        score = self._scores(weights, texts)
        blanks = [is_blank(text) for text in texts]
        tags_of_texts: list[npt.NDArray[np.int8]] = [np.zeros(0, np.int8)] * len(texts)
        ascending = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for length, members in _by_padded_length(ascending, texts):
            size = _rows(len(members))
            emission = np.zeros((size, length, TAGS), np.float32)
            blank = np.ones((size, length), bool)
            lengths, last = np.zeros(size, np.int32), np.full(size, -1, np.int32)
            for row, i in enumerate(members):
                lengths[row] = len(texts[i])
                emission[row, : lengths[row]] = score[i]
                blank[row, : lengths[row]] = blanks[i]
            last[: len(members)] = last_places([blanks[i] for i in members])
            answer = _best(self.model, weights, emission, blank, last, lengths)
            best, stop = map(np.asarray, answer)
            for row, i in enumerate(members):
                tags = best[row, : lengths[row]].astype(np.int8)
                ends = np.flatnonzero(tags >= LAST)
                tags[ends] = np.where(sentence_ends(stop[row, ends]), STOP, LAST)
                tags_of_texts[i] = tags
        return tags_of_texts

    def _scores(self, weights: Weights, texts: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """Return the scores of each text from overlapping windows."""
        margin = reach(self.model.options.layers)
        scores = [np.zeros((len(text), TAGS), np.float32) for text in texts]
        windows = [(i, at) for i, text in enumerate(texts) for at in range(0, len(text), WINDOW)]
        coded: tuple[int, npt.NDArray[np.int32]] | None = None
        for begin in range(0, len(windows), _ROWS[-1]):
            some = windows[begin : begin + _ROWS[-1]]
            size = _rows(len(some))
            codes = np.zeros((len(CODES), size, WINDOW + 2 * margin), np.int32)
            inside = np.zeros(codes.shape[1:], bool)
            for row, (i, at) in enumerate(some):
                if coded is None or coded[0] != i:
                    coded = i, self.model.characters.encode(texts[i])
                first = max(0, at - margin)
                part = coded[1][:, first : at + WINDOW + margin]
                start = first - (at - margin)
                codes[:, row, start : start + part.shape[1]] = part
                inside[row, start : start + part.shape[1]] = True
            rows = np.asarray(_score(self.model, weights, codes, inside))
            for row, (i, at) in enumerate(some):
                window_scores = scores[i][at : at + WINDOW]
                window_scores[:] = rows[row, margin : margin + len(window_scores)]
        return scores


def _parts(number: int, text: str) -> Iterator[_Text]:
    """Split a text that is too long, after the last blank within the limit."""
    start = 0
    while len(text) - start > LONGEST:
        blanks = [match.end() for match in BLANKS.finditer(text, start, start + LONGEST)]
        end = blanks[-1] if blanks and blanks[-1] > start else start + LONGEST
        yield _Text(number, start, text[start:end])
        start = end
    if start < len(text):
        yield _Text(number, start, text[start:])


def _by_padded_length(
    ascending: Sequence[int], texts: Sequence[str]
) -> Iterator[tuple[int, list[int]]]:
    waiting: list[int] = []
    length = 0
    for i in ascending:
        padded = round_up(len(texts[i]), 64, 1)
        full = len(waiting) == _ROWS[-1] or (len(waiting) + 1) * length > _CHARACTERS
        if waiting and (padded != length or full):
            yield length, waiting
            waiting = []
        waiting.append(i)
        length = padded
    if waiting:
        yield length, waiting


def _rows(rows: int) -> int:
    return next(size for size in _ROWS if size >= rows)


@partial(jit, static=1)
def _score(
    model: Tokeniser, parameters: Parameters, codes: jax.Array, inside: jax.Array
) -> jax.Array:
    return convolve(parameters, CODES, codes, inside)


@partial(jit, static=1)
def _best(
    model: Tokeniser,
    parameters: Parameters,
    score: jax.Array,
    blank: jax.Array,
    last: jax.Array,
    lengths: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """Return the best tags, and the probability that a token end is also a sentence end."""
    chain = Distribution(model.chain(parameters, score, blank, last, lengths))
    odds = end_log_odds(chain.marginals().emission) / parameters[TEMPERATURE]
    return jnp.maximum(chain.argmax(), 0), jax.nn.sigmoid(odds)


def figures(
    model: Tokeniser,
    parameters: Weights,
    examples: Sequence[Passage],
    batches: Batches[Encoded, CharacterBatch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return the F1 of tokens and of sentences in each guise, and ``f1``, the mean of all.

    Texts are segmented in windows, as at run time.
    """
    segmenter = Segmenter(model, parameters)
    scores: dict[str, float] = {}
    for name in model.options.guises:
        gold = [IN_GUISE[name](passage) for passage in examples]
        tokens = sentences = SpanCounts()
        for right, predicted in zip(gold, segmenter.segment([g.text for g in gold]), strict=True):
            tokens = tokens.plus(SpanCounts.of(right.tokens, predicted.tokens))
            sentences = sentences.plus(SpanCounts.of(right.sentences, predicted.sentences))
        scores |= {f"{name}_tokens": tokens.f1, f"{name}_sentences": sentences.f1}
    return {"f1": float(np.mean([*scores.values()])), **scores, "unscorable": 0}
