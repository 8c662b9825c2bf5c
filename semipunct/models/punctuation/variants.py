"""Likelihoods of variants of sentences, which differ only in their marks.

Features of words and trees are scored once for each sentence, features of the marks to the left
once for each distinct history of a word. Variants also share most absorptions
(``structures.given_tree.order``): an absorption depends only on choices and strings within two
constituents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, count
from typing import Any

import jax
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import round_up
from semipunct.arrays.programs import jit
from semipunct.arrays.unique_rows import Ints, unique_rows
from semipunct.corpus import Sentence
from semipunct.features.history import CLOSING, OPENING, history_columns
from semipunct.features.index import FeatureLookup, summed_weights
from semipunct.features.words import Words
from semipunct.marks import with_boundaries
from semipunct.models.base import Parameters, Weights, cache_latest
from semipunct.models.punctuation.attach import log_attach_given
from semipunct.models.punctuation.batches import Batch
from semipunct.models.punctuation.channel import CHANNEL
from semipunct.models.punctuation.left_to_right import LeftToRightSampler
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.sampler import tree_scores
from semipunct.models.punctuation.slot_automata import acceptors
from semipunct.models.scoring import Batches, log_likelihoods
from semipunct.structures.given_tree import (
    Absorptions,
    Capacity,
    absorptions,
    log_factors,
    mirrored_absorptions,
    pack,
    place,
)
from semirings.real import Real

Floats = npt.NDArray[np.float32]

# Nodes whose choices are normalised together.
_NODES = 1 << 10

# Absorptions of a batch, and its lanes of each vector width: enough to use a processor fully.
_ABSORPTIONS, _LANES = 1 << 12, (128, 32)

# Vectors, and the weights of the rest of a sentence, are probabilities: numbers below the range of
# floats, 1e-38, do not matter to a log-likelihood above this one.
_LEAST = -50.0


_sampler = cache_latest(LeftToRightSampler.of)


def variant_log_likelihoods(
    model: PunctuationModel,
    parameters: Weights,
    variants: Sequence[Sequence[Sentence]],
    advance: Callable[[int], None],
) -> npt.NDArray[np.float64]:
    """Return log p(x | T) of all variants, under a model without features over ``inside``.

    Args:
        variants: of each of some sentences.
        advance: takes the number of variants scored since the last call.
    """
    choice, rows = _choices(model, parameters, variants)
    groups = [*_groups(model, variants, rows)]
    sizes = [max(sizes) for sizes in zip(*(group.sizes for group in groups), strict=True)]
    channel: dict[str, Any] = {
        name: x for name, x in parameters.items() if name.startswith(CHANNEL)
    }
    scores = np.zeros(sum(map(len, variants)))
    for group in groups:
        scores[group.members] = group.log_likelihoods(model, channel, choice, sizes)
        advance(len(group.members))
    if some := np.flatnonzero(np.isnan(scores)).tolist():
        sentences = [*chain.from_iterable(variants)]
        batches = Batches(model, model.encode([sentences[i] for i in some]))
        scores[some] = log_likelihoods(model, parameters, batches)
    return scores


class _Group:
    """Variants whose strings need equally many states, with distinct strings and absorptions.

    Attributes:
        members: their numbers.
        absorptions: their numbers, by the row of the node's choice, whether the node precedes its
            parent, the strings at its edges, and the sources.
        last: source of the last vector, and last string, of each variant.
        used, marked, untouched: absorptions, strings, and rows of nodes between empty slots, each
            after the number of its variant.
    """

    def __init__(self, states: int) -> None:
        self.states = states
        self.members: list[int] = []
        self.strings: dict[tuple[int, ...], int] = {(): 0}
        self.absorptions: dict[tuple[int, ...], int] = {}
        self.last: list[tuple[int, int]] = []
        self.used: list[tuple[int, int]] = []
        self.marked: list[tuple[int, int]] = []
        self.untouched: list[tuple[int, int]] = []

    def add(
        self, order: Sequence[list[int]], texts: Sequence[tuple[int, ...]], rows: list[int]
    ) -> None:
        """Add a variant.

        Args:
            order: absorptions of a sentence without empty slots; the last one is the root's.
            texts: strings of the slots in reading order.
            rows: of the choice of each word.
        """
        variant = len(self.last)
        strings = [self.strings.setdefault(text, len(self.strings)) for text in texts]
        result = [-1] * (len(order) + 1)  # the last entry is for no source
        for i, (kid, from_left, left, right, *sources) in enumerate(order):
            a, b = strings[left], strings[right]
            if not a and not b:
                self.untouched.append((variant, rows[kid]))
                continue
            key = rows[kid], from_left, a, b, *(result[source] for source in sources)
            number = self.absorptions.setdefault(key, len(self.absorptions))
            self.used.append((variant, number))
            # At an empty outer slot the result is a number, a factor of the sentence.
            if a if from_left else b:
                result[i] = number
        self.last.append((result[-2], strings[-1]))
        self.marked += [(variant, string) for string in strings if string]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The padded numbers of variants, strings and rows."""
        rows = {row for row, *_ in self.absorptions}
        return tuple(round_up(len(x), 256, 1) for x in (self.members, self.strings, rows))

    def log_likelihoods(
        self, model: PunctuationModel, channel: Parameters, choice: Floats, sizes: Sequence[int]
    ) -> npt.NDArray[np.float64]:
        """Return log p(x | T) of the variants, NaN where floats may not suffice."""
        variants, slots, nodes = sizes
        table = np.array([*self.absorptions])
        rows, kid = np.unique(table[:, 0], return_inverse=True)
        # To the schedule, a group is one sentence.
        columns: list[Any] = [kid, table[:, 1] > 0, *table[:, 2:4].T, table[:, 4:]]
        one = Absorptions(len(rows), *columns, last=-1, untouched=np.zeros(len(rows), bool))
        lanes = _LANES if len(model.directions) == 1 else _LANES[:1]
        is_wide = np.array([len(lanes) > 1 and len(text) > 1 for text in self.strings])
        width: Any = is_wide[table[:, 2:4]].any(1).astype(np.int32)
        placement = place([one], [width], lanes)
        steps = round_up(placement.steps, 32, 1)
        capacity = Capacity(1, nodes, slots, steps, lanes, steps * sum(lanes))
        results = capacity.results(placement, 0)
        accept = acceptors([*self.strings], model.inventory, self.states, slots, model.directions)
        source, string = np.array(self.last).T
        padding = 0, variants - len(string)
        last = np.where(source < 0, slots + string, 2 * slots + results[source])
        texts = np.arange(len(is_wide), dtype=np.int32)
        nothing: Any = np.zeros(0, np.int32)
        batch = Batch(
            {}, nothing, accept, pack([one], [texts], placement, capacity),
            nothing, nothing, choice=np.pad(choice[rows], ((0, nodes - len(rows)), (0, 0))),
        )  # fmt: skip

        def summed(numbers: list[tuple[int, int]], weights: Floats) -> Any:
            variant, number = np.array(numbers, np.int64).reshape(-1, 2).T
            return np.bincount(variant, weights[number], len(string))

        arguments = np.pad(last, padding), np.pad(string, padding)
        factors, ends = map(np.asarray, _ask(model, channel, batch, *arguments))
        log_p = summed(self.used, factors[results]) + ends[: len(string)]
        log_p += summed(self.marked, accept.log_scale)
        log_p[log_p < _LEAST] = np.nan
        return log_p + summed(self.untouched, choice[:, model.pairs.empty])


@partial(jit, static=1)
def _ask(
    model: PunctuationModel, channel: Parameters, batch: Batch, last: Any, last_slot: Any
) -> tuple[jax.Array, jax.Array]:
    return log_factors(model.potentials(channel, batch), Real(), last, last_slot)


def _groups(
    model: PunctuationModel, variants: Sequence[Sequence[Sentence]], rows: Ints
) -> Iterator[_Group]:
    mirrored, final = model.directions[0], model.options.final_mark
    order = mirrored_absorptions if mirrored else absorptions
    encode = cache(model.inventory.encode)
    groups: dict[int, _Group] = {}
    numbers, end = count(), 0
    for first, *others in variants:
        left, right = (np.asarray(x, np.int32) for x in first.tree.edges)
        full = order(first.tree.heads, left, right, [False] * len(first.slots))
        columns = full.kid, full.from_left, full.left_slot, full.right_slot, full.sources
        steps = np.column_stack(columns).tolist()
        for variant in (first, *others):
            start, end = end, end + variant.size
            texts = [encode(slot) for slot in with_boundaries(variant.slots, final=final)]
            # Rare long strings would slow down all others.
            states = round_up(max(map(len, texts)), 2, 1)
            group = groups.setdefault(states, _Group(states))
            group.members.append(next(numbers))
            group.add(steps, texts[::-1] if mirrored else texts, rows[start:end].tolist())
            if len(group.absorptions) >= _ABSORPTIONS:
                yield groups.pop(states)
    yield from groups.values()


def _choices(
    model: PunctuationModel, parameters: Weights, variants: Sequence[Sequence[Sentence]]
) -> tuple[Floats, Ints]:
    """Return log p(l, r | w) of distinct words with histories, and the row of each word."""
    sentences = [first for first, *_ in variants]
    encoded = model.encode_trees(sentences)
    score = np.empty((encoded.start[-1], len(model.inventory.pairs)), np.float32)
    for members, batch in Batches(model, encoded):
        of_batch = tree_scores(model, model.read(parameters, batch), batch)
        some = encoded.words(members)
        score[some] = np.asarray(of_batch.pair)[: len(some)]
    words = Words.of([*chain.from_iterable(variants)])
    origin = np.arange(len(variants)).repeat([len(each) for each in variants])
    word = np.arange(words.count) + (encoded.start[origin] - words.start[:-1])[words.sentence]
    columns = history_columns(words, model.features.vocabulary)
    order = _sampler(model, parameters)
    attributes = model.features.attributes(sentences)

    def weigh(
        names: Sequence[str], weights: Floats, lookups: Sequence[FeatureLookup]
    ) -> tuple[Floats, Ints]:
        first, number = unique_rows(word, *(columns[name] for name in names))
        seen = np.stack([columns[name][first] for name in names], 1)
        placed = [(lookup, lookup.place_node_codes(attributes)) for lookup in lookups]
        return summed_weights(weights, placed, word[first], seen), number

    opening, opened = weigh(OPENING, order.opening, order.opening_lookups)
    closing, closed = weigh(CLOSING, order.closing, order.closing_lookups)
    first, row = unique_rows(opened, closed)
    choice = np.empty((len(first), score.shape[1]), np.float32)
    for i in range(0, len(first), _NODES):
        some = np.resize(first[i : i + _NODES], _NODES)
        log_p = _log_attach(model, score[word[some]], opening[opened[some]], closing[closed[some]])
        choice[i : i + _NODES] = np.asarray(log_p)[: len(choice) - i]
    return choice, row


@partial(jit, static=1)
def _log_attach(
    model: PunctuationModel, score: jax.Array, opening: jax.Array, closing: jax.Array
) -> jax.Array:
    columns = model.attach_tables.columns["closing"]
    marks: dict[Any, jax.Array] = {target: closing[:, span] for target, span in columns.items()}
    return log_attach_given(model.attach_tables, score, opening, marks)
