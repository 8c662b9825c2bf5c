"""The arc-standard transition system, its oracle, and beam search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

SHIFT, LEFT, RIGHT = range(3)
"""Push the next word; attach the second item to the first; attach the first to the second."""

ACTIONS = 3


class Field(IntEnum):
    """The columns of an item; the caller's ``Field.CARRIED`` columns follow."""

    WORD = 0
    """The head, 1 to n; 0 for no item."""
    LEFT_1 = 1
    """The leftmost dependent, 0 for none."""
    LEFT_2 = 2
    """The second dependent from the left."""
    RIGHT_1 = 3
    """The rightmost dependent."""
    RIGHT_2 = 4
    """The second dependent from the right."""
    LEFT_COUNT = 5
    RIGHT_COUNT = 6
    LEFT_1_LABEL = 7
    """Labels of these dependents, from 1; 0 for none."""
    LEFT_2_LABEL = 8
    RIGHT_1_LABEL = 9
    RIGHT_2_LABEL = 10
    LEFT_LABELS = 11
    """The set of labels on this side, as 31 bits."""
    RIGHT_LABELS = 12
    CARRIED = 13
    """The first column that the caller assigns to words."""


Attach = Callable[[jax.Array, jax.Array, int], jax.Array]
"""Combines the carried columns of a head and a new dependent on the side ``LEFT`` or ``RIGHT``."""


def shift_word(word: jax.Array, carried: jax.Array) -> jax.Array:
    """Return the item of a word without dependents, ``[..., fields]``."""
    empty = jnp.zeros((*word.shape, Field.CARRIED - 1), word.dtype)
    return jnp.concatenate([word[..., None], empty, carried], axis=-1)


def attach_dependent(
    head: jax.Array, dependent: jax.Array, side: int, label: jax.Array, attach: Attach
) -> jax.Array:
    """Add an outermost dependent to the item ``[..., fields]`` of a head."""
    right = side == RIGHT
    first = Field.RIGHT_1 if right else Field.LEFT_1
    count = Field.RIGHT_COUNT if right else Field.LEFT_COUNT
    first_label = Field.RIGHT_1_LABEL if right else Field.LEFT_1_LABEL
    labels = Field.RIGHT_LABELS if right else Field.LEFT_LABELS
    columns = [head[..., i] for i in range(Field.CARRIED)]
    columns[first], columns[first + 1] = dependent[..., Field.WORD], columns[first]
    columns[count] = columns[count] + 1
    columns[first_label], columns[first_label + 1] = label + 1, columns[first_label]
    columns[labels] = columns[labels] | (1 << (label % 31))
    carried = attach(head[..., Field.CARRIED :], dependent[..., Field.CARRIED :], side)
    return jnp.concatenate([jnp.stack(columns, axis=-1), carried], axis=-1)


def allowed_actions(step: jax.Array | int, following: jax.Array, lengths: jax.Array) -> jax.Array:
    """Return the possible actions after ``step`` transitions, ``[..., ACTIONS]``."""
    shifts = following - 1
    depth = 2 * shifts - step
    arcs = (depth >= 2) & (shifts <= lengths)
    return jnp.stack([shifts < lengths, arcs, arcs], axis=-1)


Ints = npt.NDArray[np.int32]


class Derivation(NamedTuple):
    """The transitions that build a tree.

    Attributes:
        actions: ``[2n - 1]``.
        dependents: ``[2n - 1]`` the word that each action attaches; 0 for a shift.
    """

    actions: Ints
    dependents: Ints


def oracle(heads: Sequence[int]) -> Derivation:
    """Return the derivation of a projective tree that builds every arc as early as possible."""
    n = len(heads)
    missing = [0] * (n + 1)
    for head in heads:
        missing[head] += 1
    actions: list[int] = []
    dependents: list[int] = []
    stack: list[int] = []
    following = 1
    while following <= n or len(stack) > 1:
        top, below = stack[-1] if stack else 0, stack[-2] if len(stack) > 1 else 0
        if below and heads[below - 1] == top:
            action, dependent = LEFT, below
            del stack[-2]
        elif below and heads[top - 1] == below and not missing[top]:
            action, dependent = RIGHT, top
            del stack[-1]
        elif following <= n:
            action, dependent = SHIFT, 0
            stack.append(following)
            following += 1
        else:
            break
        actions.append(action)
        dependents.append(dependent)
        if dependent:
            missing[heads[dependent - 1]] -= 1
    return Derivation(np.array(actions, np.int32), np.array(dependents, np.int32))


def arcs(actions: Sequence[int]) -> list[tuple[int, int]]:
    """Return the dependent and head of each transition; (0, 0) for a shift."""
    built: list[tuple[int, int]] = []
    stack: list[int] = []
    following = 1
    for action in actions:
        if action == SHIFT:
            stack.append(following)
            following += 1
            built.append((0, 0))
        else:
            dependent = stack.pop(-2 if action == LEFT else -1)
            built.append((dependent, stack[-1]))
    return built


_BELOW, _NEXT = -2, -1  # columns of the arena after the item


class Tops(NamedTuple):
    """The parts of a state that scores may depend on.

    Attributes:
        items: ``[..., 3, fields]`` the top of the stack, the topmost first.
        following: ``[...]`` the next word, 1 to n + 1.
    """

    items: jax.Array
    following: jax.Array


class Scores(NamedTuple):
    """Scores of actions, ``[batch, lanes, ACTIONS]``, and of labels of left and right arcs.

    Attributes:
        labels: ``[batch, lanes, 2, labels]``; None without labels.
    """

    actions: jax.Array
    labels: jax.Array | None = None


class Question(NamedTuple):
    """A batch of sentences to search.

    Attributes:
        lengths: ``[batch]``; 0 for padding.
        carried: ``[batch, words + 2, columns]``, from word 0.
        gold: ``[batch, 2 * words - 1]`` actions to follow beside the beam.
        gold_labels: labels of their arcs, from 0.
    """

    lengths: jax.Array
    carried: jax.Array
    gold: jax.Array | None = None
    gold_labels: jax.Array | None = None


class Trace(NamedTuple):
    """All states of a search, ``[steps + 1, batch, lanes]``, in descending order of score.

    Entry t is the result of t transitions. The last lane follows the gold actions, if given.

    Attributes:
        arena: with a further axis of columns.
        score: minus infinity where the beam is not full.
        previous: the lane of the preceding state.
        action: the last action.
        label: the label of its arc.
        gold: whether all actions are gold.
    """

    arena: jax.Array
    score: jax.Array
    previous: jax.Array
    action: jax.Array
    label: jax.Array
    gold: jax.Array


Scorer = Callable[[Tops], Scores]


def beam_search(scorer: Scorer, attach: Attach, beam: int, question: Question) -> Trace:
    """Search for derivations of a batch of sentences (Zhang and Clark 2008).

    Only the best label of an arc enters the beam, so that a state has three candidates. Entries
    beyond step 2n - 1 of a sentence are undefined.
    """
    batch, words = question.carried.shape[0], question.carried.shape[1] - 2
    steps = max(2 * words - 1, 1)
    following_gold = question.gold is not None
    lanes = beam + following_gold
    width = shift_word(jnp.zeros((), jnp.int32), question.carried[0, 0]).shape[0]
    row = jnp.arange(batch)[:, None]
    last = jnp.arange(lanes) == beam

    def step(t: jax.Array, trace: Trace) -> Trace:
        stack = _stack(trace.arena, trace.arena[t])
        tops = _tops(stack)
        scores_of_actions = scorer(tops)
        legal = allowed_actions(t, tops.following, question.lengths[:, None])
        score, label = scores_of_actions.actions, jnp.zeros((batch, lanes, ACTIONS), jnp.int32)
        if scores_of_actions.labels is not None:
            best = jnp.argmax(scores_of_actions.labels, -1).astype(jnp.int32)
            label = label.at[..., LEFT:].set(best)
            score = score.at[..., LEFT:].add(jnp.max(scores_of_actions.labels, -1))
        total = jnp.where(legal, trace.score[t][..., None] + score, -jnp.inf)
        scores, number = _best(total[:, :beam].reshape(batch, -1), beam)
        parent, action = number // ACTIONS, number % ACTIONS
        chosen = label[row, parent, action]
        gold = trace.gold[t][row, parent] & jnp.isfinite(scores)
        if question.gold is not None and question.gold_labels is not None:
            right, right_label = question.gold[:, t, None], question.gold_labels[:, t, None]
            gold &= (action == right) & ((chosen == right_label) | (action == SHIFT))
            gold_score = scores_of_actions.actions[row, beam, right]
            if scores_of_actions.labels is not None:
                of_label = scores_of_actions.labels[
                    row, beam, jnp.maximum(right - LEFT, 0), right_label
                ]
                gold_score = gold_score + jnp.where(right == SHIFT, 0, of_label)
            scores = jnp.concatenate([scores, trace.score[t][:, beam:] + gold_score], 1)
            parent = jnp.concatenate([parent, jnp.full((batch, 1), beam, parent.dtype)], 1)
            action = jnp.concatenate([action, right], 1)
            chosen = jnp.concatenate([chosen, right_label], 1)
            gold = jnp.concatenate([gold, jnp.ones((batch, 1), bool)], 1)
        upper, under = stack[0][row, parent], stack[1][row, parent]
        first, second = upper[..., :_BELOW], under[..., :_BELOW]
        is_shift = action == SHIFT
        following = upper[..., _NEXT]
        fresh = shift_word(following, question.carried[row, jnp.minimum(following, words + 1)])
        item = jnp.where(
            is_shift[..., None],
            fresh,
            jnp.where(
                (action == LEFT)[..., None],
                attach_dependent(first, second, LEFT, chosen, attach),
                attach_dependent(second, first, RIGHT, chosen, attach),
            ),
        )
        # Stacks are linked lists in the arena, to avoid copies: a state stores its top item and a
        # pointer to the state whose top item is below it. After a shift this is the preceding
        # state; an arc replaces the two upper items, so it is the pointer of the second.
        pointer = jnp.where(is_shift, t * lanes + parent, under[..., _BELOW])
        tail = jnp.stack([pointer, following + is_shift], -1).astype(jnp.int32)
        written = jnp.concatenate([item, tail], -1)
        states = Trace(written, scores, parent, action, chosen, gold)
        return Trace(*(stored.at[t + 1].set(x) for stored, x in zip(trace, states, strict=True)))

    shape = (steps + 1, batch, lanes)
    start = jnp.where((jnp.arange(lanes) == 0) | last, 0.0, -jnp.inf)
    arena = jnp.zeros((*shape, width + 2), jnp.int32).at[0, :, :, _NEXT].set(1)
    zeros = jnp.zeros(shape, jnp.int32)
    trace = Trace(
        arena, jnp.full(shape, -jnp.inf).at[0].set(start), zeros, zeros, zeros,
        jnp.zeros(shape, bool).at[0].set((jnp.arange(lanes) == 0) | last),
    )  # fmt: skip
    # The longest sentence determines the number of steps, not its padding.
    steps_needed = jnp.clip(2 * jnp.max(question.lengths) - 1, 0, steps)
    return jax.lax.fori_loop(0, steps_needed, step, trace)


def _best(scores: jax.Array, beam: int) -> tuple[jax.Array, jax.Array]:
    """Return the best scores, descending, and their indices; ties go to the first."""
    if beam > 1:
        return jax.lax.top_k(scores, beam)
    number = jnp.argmax(scores, -1, keepdims=True).astype(jnp.int32)
    return jnp.take_along_axis(scores, number, -1), number


def _read(arena: jax.Array, pointer: jax.Array) -> jax.Array:
    lanes = arena.shape[2]
    return arena[pointer // lanes, jnp.arange(arena.shape[1])[:, None], pointer % lanes]


def _stack(arena: jax.Array, states: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return states, and the states of their second and third items."""
    second = _read(arena, states[..., _BELOW])
    return states, second, _read(arena, second[..., _BELOW])


def _tops(stack: tuple[jax.Array, ...]) -> Tops:
    return Tops(jnp.stack([x[..., :_BELOW] for x in stack], -2), stack[0][..., _NEXT])


class Path(NamedTuple):
    """Derivations up to given states, ``[steps, paths, batch]``.

    Attributes:
        tops: before each transition.
        action: undefined from the state's own step.
        label: likewise.
    """

    tops: Tops
    action: jax.Array
    label: jax.Array


def path(trace: Trace, step: jax.Array, lanes: jax.Array) -> Path:
    """Trace the derivations of states, at a step ``[batch]`` in lanes ``[paths, batch]``."""
    batch = jnp.arange(trace.arena.shape[1])

    def back(after: jax.Array, at: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        t, previous = at
        lane = jnp.where(t == step, lanes, after).astype(jnp.int32)
        return previous[batch, lane], lane

    steps = jnp.arange(len(trace.arena))
    start = lanes.astype(jnp.int32)
    lane = jax.lax.scan(back, start, (steps, trace.previous), reverse=True)[1]
    where = steps[:, None, None], batch, lane
    states = jnp.moveaxis(trace.arena[where][:-1], 1, 2)
    tops = _tops(_stack(trace.arena, states))
    tops = Tops(jnp.moveaxis(tops.items, 2, 1), jnp.moveaxis(tops.following, 2, 1))
    return Path(tops, trace.action[where][1:], trace.label[where][1:])
