"""The inside recursion over given trees whose nodes delimit their constituents with labels.

Every node of a projective tree chooses a pair (left label, right label). At each slot between
two words the labels that meet there form a string, and a weighted automaton accepts the string.
``inside`` sums, in any semiring, over all choices: Algorithm 1 of Li, Wang and Eisner (2019).

The matrix IN(w) of the paper is never formed. It is a sum over pairs of outer products, because
line 10 has rank one, and a constituent is only ever applied to a vector of its parent. With
``a`` and ``b`` the node's finished vectors, ``g`` the parent's running vector at the slot that
the two share, and M the matrices of a slot, absorbing a constituent into its parent from the
left is::

    outer[l] = M_i(l) a        inner[r] = (b M_k(r)) g
    new g    = sum over pairs (l, r) of choice[l, r] * inner[r] * outer[l]

and from the right the mirror image. At a slot whose automaton has one state ("empty": no label
but the empty one fits) a vector is one number; it is taken out as a factor of the sentence, so
that nodes between two empty slots, the majority, cost one number and no step.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp

from semipunct.structures.schedule import Lanes, Schedule
from semirings.base import Groups, Semiring, Value


class Reader(Protocol):
    """Slot automata in one semiring: products of label matrices with vectors.

    ``initial`` and ``final`` are values ``[slots, states]``; slot 0 is the empty slot, and its
    one state is state 0.
    """

    @property
    def initial(self) -> Value: ...
    @property
    def final(self) -> Value: ...
    def columns(self, slots: jax.Array, vectors: Value) -> Value:
        """``M(label) v``: ``[lanes, width]`` to ``[lanes, labels, width]``."""
        ...

    def rows(self, slots: jax.Array, vectors: Value) -> Value:
        """``v M(label)``: ``[lanes, width]`` to ``[lanes, labels, width]``."""
        ...


class SlotAutomata(Protocol):
    """The automata of all slots of a batch."""

    @property
    def widths(self) -> tuple[int, ...]:
        """Vector sizes, ascending: one for each group of lanes of the schedule."""
        ...

    def reader(self, semiring: Semiring) -> Reader:
        """The automata with weights lifted into a semiring."""
        ...


class Pairs(NamedTuple):
    """The label pairs that a node may choose, grouped by either side.

    Attributes:
        by_left: the pairs grouped by their left label.
        by_right: the pairs grouped by their right label.
        empty: index of the pair of two empty labels.
    """

    by_left: Groups
    by_right: Groups
    empty: int


class Potentials(NamedTuple):
    """What ``inside`` needs to know of a batch.

    Attributes:
        choice: ``[nodes, pairs]`` log weight of each node's choice.
        counted: ``[nodes, pairs]`` an additive quantity of each choice, or None.
        pairs: which labels a pair consists of.
        automata: the slot automata.
        schedule: which constituents are absorbed when.
        log_scale: ``[sentences]`` log of a constant factor of each sentence.
    """

    choice: jax.Array
    counted: jax.Array | None
    pairs: Pairs
    automata: Any
    schedule: Schedule
    log_scale: jax.Array


class Total(NamedTuple):
    """The sum over all derivations of each sentence: ``value * exp(log_scale)``, ``[sentences]``."""

    value: Value
    log_scale: jax.Array


def inside(potentials: Potentials, semiring: Semiring) -> Total:
    """Sum the weights of all derivations of every sentence of a batch.

    Args:
        potentials: log weights and the schedule of a batch.
        semiring: what "sum" and "product" mean.

    Returns:
        One total per sentence, zero for a sentence without any derivation.

    Source: Li, Wang and Eisner (2019), Algorithm 1, lines 5 to 18.
    """
    schedule = potentials.schedule
    reader: Reader = potentials.automata.reader(semiring)
    choice = semiring.lift(potentials.choice, potentials.counted)
    store = _start(reader, schedule, semiring)

    def step(store: Value, lanes: tuple[Lanes, ...]) -> tuple[Value, list[tuple[Value, Any]]]:
        factors: list[tuple[Value, Any]] = []
        for group, width in zip(lanes, potentials.automata.widths, strict=True):
            store, factor = _absorb(store, group, width, choice, potentials.pairs, reader, semiring)
            factors.append(factor)
        return store, factors

    store, factors = jax.lax.scan(step, store, schedule.lanes)
    return _finish(store, factors, choice, reader, potentials, semiring)


def _start(reader: Reader, schedule: Schedule, s: Semiring) -> Value:
    """Running vectors ``[2 * rows, states]``: at the left, then at the right of every row.

    Rows are the nodes, one virtual parent of the root for each sentence, whose right vector
    starts at the sentence's first slot, a row of zeros for idle lanes to read, and one for them
    to write.
    """
    left = jax.tree.map(lambda x: x[schedule.left_of_word], reader.final)
    right = jax.tree.map(lambda x: x[schedule.right_of_word], reader.initial)
    first = jax.tree.map(lambda x: x[schedule.first_slot], reader.initial)
    idle = s.zeros((2, *jax.tree.leaves(left)[0].shape[1:]))
    return s.concatenate([left, first, idle, right, first, idle], axis=0)


def _absorb(
    store: Value,
    lanes: Lanes,
    width: int,
    choice: Value,
    pairs: Pairs,
    reader: Reader,
    s: Semiring,
) -> tuple[Value, tuple[Value, jax.Array]]:
    """Absorb one constituent per lane into its parent; see the module's docstring."""
    rows = jax.tree.leaves(store)[0].shape[0] // 2
    target = lanes.parent + jnp.where(lanes.from_left, 0, rows)

    def vector(row: jax.Array) -> Value:
        return jax.tree.map(lambda x: x[row, :width], store)

    at_left = reader.columns(lanes.left_slot, vector(lanes.kid))
    at_right = reader.rows(lanes.right_slot, vector(lanes.kid + rows))
    side = lanes.from_left[:, None, None]
    outer, outer_scale = s.balance(s.where(side, at_left, at_right), (1, 2))
    inner = s.where(side, at_right, at_left)
    parent = jax.tree.map(lambda x: x[..., None], vector(target))
    meeting = jax.tree.map(lambda x: x[..., 0], s.matmul(inner, parent))
    meeting, meeting_scale = s.balance(meeting, (1,))

    side = lanes.from_left[:, None]
    across = s.where(
        side, s.group_spread(meeting, pairs.by_right), s.group_spread(meeting, pairs.by_left)
    )
    chosen = s.times(jax.tree.map(lambda x: x.at[lanes.kid].get(mode="clip"), choice), across)
    weight = s.where(side, s.group_sum(chosen, pairs.by_left), s.group_sum(chosen, pairs.by_right))
    new = s.matmul(jax.tree.map(lambda x: x[:, None, :], weight), outer)
    new, new_scale = s.balance(jax.tree.map(lambda x: x[:, 0], new), (1,))

    factor = jax.tree.map(lambda x: x[:, 0], new)
    one_state = s.where(jnp.arange(width) == 0, s.ones((width,)), s.zeros((width,)))
    kept = s.where(lanes.closes[:, None], one_state, new)
    store = jax.tree.map(lambda x, y: x.at[target, :width].set(y), store, kept)
    return store, (factor, outer_scale + meeting_scale + new_scale)


def _finish(
    store: Value,
    factors: list[tuple[Value, Any]],
    choice: Value,
    reader: Reader,
    potentials: Potentials,
    s: Semiring,
) -> Total:
    schedule = potentials.schedule
    sentences = schedule.first_slot.shape[0]
    rows = jax.tree.leaves(store)[0].shape[0] // 2
    virtual = rows + schedule.left_of_word.shape[0] + jnp.arange(sentences)
    last = jax.tree.map(lambda x: x[virtual][:, None, :], store)
    final = jax.tree.map(lambda x: x[schedule.last_slot][:, :, None], reader.final)
    value = jax.tree.map(lambda x: x[:, 0, 0], s.matmul(last, final))

    untouched, untouched_scale = s.balance(
        jax.tree.map(lambda x: x[:, potentials.pairs.empty], choice), ()
    )
    flat = [jax.tree.map(lambda x: x.reshape(-1), factor) for factor, _ in factors]
    everything = s.concatenate([*flat, untouched, s.ones((1,))], axis=0)
    product = s.prod(jax.tree.map(lambda x: x[schedule.factors], everything), axis=1)

    log_scale = potentials.log_scale + jax.ops.segment_sum(
        jnp.where(schedule.is_untouched, untouched_scale, 0.0),
        schedule.sentence_of_word,
        sentences,
    )
    for (_, scale), lanes in zip(factors, schedule.lanes, strict=True):
        by_sentence = jax.ops.segment_sum(
            scale.reshape(-1), lanes.sentence.reshape(-1), sentences + 1
        )
        log_scale = log_scale + by_sentence[:sentences]
    return Total(s.times(value, product), log_scale)
