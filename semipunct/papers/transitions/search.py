"""The arc-standard transition system, its oracle, and beam search over its states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

SHIFT, LEFT, RIGHT = range(3)
"""Push the next word onto the stack; make the second item a left dependent of the first; make the
first a right dependent of the second. The item of an arc replaces the two."""

ACTIONS = 3


class Field(IntEnum):
    """The columns of an item, ``[..., Field.CARRIED + columns of its user]``."""

    WORD = 0
    """The head, 1 to n; 0 where there is no item."""
    LEFT_1 = 1
    """The leftmost dependent on its left, 0 for none."""
    LEFT_2 = 2
    """The dependent after it."""
    RIGHT_1 = 3
    """The rightmost dependent on its right."""
    RIGHT_2 = 4
    """The dependent before it."""
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
    """The first of the columns that the caller of the search assigns to words."""


Attach = Callable[[jax.Array, jax.Array, int], jax.Array]
"""A function of the carried columns of a head and of its new dependent, and of ``LEFT`` or
``RIGHT``, that returns the carried columns of the head with the dependent."""


def shift_word(word: jax.Array, carried: jax.Array) -> jax.Array:
    """Return the item of a word without dependents, ``[..., fields]``.

    Args:
        word: ``[...]`` the number of the word.
        carried: ``[..., columns]`` its carried columns.
    """
    empty = jnp.zeros((*word.shape, Field.CARRIED - 1), word.dtype)
    return jnp.concatenate([word[..., None], empty, carried], axis=-1)


def attach_dependent(
    head: jax.Array, dependent: jax.Array, side: int, label: jax.Array, attach: Attach
) -> jax.Array:
    """Return an item with a new outermost dependent.

    Args:
        head: ``[..., fields]`` the item of the head.
        dependent: ``[..., fields]`` the item of the dependent.
        side: ``LEFT`` or ``RIGHT`` of the head.
        label: ``[...]`` the label of the arc, from 0.
        attach: returns the carried columns of the head with the dependent.
    """
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
    """Return the actions that are possible in a state, ``[..., ACTIONS]``.

    Args:
        step: number of preceding transitions.
        following: ``[...]`` the next word of the buffer, 1 to n + 1.
        lengths: ``[...]`` number of words of each sentence, n.
    """
    shifts = following - 1
    depth = 2 * shifts - step
    arcs = (depth >= 2) & (shifts <= lengths)
    return jnp.stack([shifts < lengths, arcs, arcs], axis=-1)


Ints = npt.NDArray[np.int32]


class Derivation(NamedTuple):
    """The transitions that build a tree.

    Attributes:
        actions: ``[2n - 1]`` actions.
        dependents: ``[2n - 1]`` the word, 1 to n, that each action attaches; 0 for a shift.
    """

    actions: Ints
    dependents: Ints


def oracle(heads: Sequence[int]) -> Derivation:
    """Return the derivation of a projective tree that builds every arc as early as possible.

    Args:
        heads: ``[n]`` the head of each word, 1 to n, 0 for the root.
    """
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
    """Return the arc that each transition of a derivation builds.

    Args:
        actions: ``[2n - 1]`` actions.

    Returns:
        ``[2n - 1]`` the dependent and its head, 1 to n; (0, 0) for a shift.
    """
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


_BELOW, _NEXT = -2, -1  # the columns of the arena after those of the item


class Tops(NamedTuple):
    """The parts of a state that scores may depend on.

    Attributes:
        items: ``[..., 3, fields]`` the top three items of the stack, the topmost first.
        following: ``[...]`` the next word, 1 to n + 1.
    """

    items: jax.Array
    following: jax.Array


class Scores(NamedTuple):
    """Scores of the actions in some states.

    Attributes:
        actions: ``[batch, lanes, ACTIONS]``.
        labels: ``[batch, lanes, 2, labels]`` added to the scores of left and right arcs; None for
            arcs without labels.
    """

    actions: jax.Array
    labels: jax.Array | None = None


class Question(NamedTuple):
    """A batch of sentences to search.

    Attributes:
        lengths: ``[batch]`` number of words of each; 0 for padding.
        carried: ``[batch, words + 2, columns]`` the carried columns of each word, from word 0 on.
        gold: ``[batch, 2 * words - 1]`` actions to follow in addition to the beam; None for none.
        gold_labels: ``[batch, 2 * words - 1]`` labels of arcs, from 0; zero if there are no labels.
    """

    lengths: jax.Array
    carried: jax.Array
    gold: jax.Array | None = None
    gold_labels: jax.Array | None = None


class Trace(NamedTuple):
    """All states of a search; entry t is the result of t transitions.

    With gold actions there is an additional last lane, which follows them.

    Attributes:
        arena: ``[steps + 1, batch, lanes, columns]``.
        score: ``[steps + 1, batch, lanes]``, minus infinity where the beam is not full. The lanes
            of a beam are in descending order of score.
        previous: ``[steps + 1, batch, lanes]`` the lane of the preceding state.
        action: ``[steps + 1, batch, lanes]`` the action that led to the state.
        label: ``[steps + 1, batch, lanes]`` the label of its arc.
        gold: ``[steps + 1, batch, lanes]`` whether all actions so far are gold actions.
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

    Of the arcs that differ only in their labels, only the best enters the beam: a state has three
    candidates, regardless of the number of labels. Entries beyond step 2n - 1 of a sentence of n
    words are undefined.

    Args:
        scorer: returns the scores of the actions in some states.
        attach: returns the carried columns of a head with a new dependent.
        beam: number of states kept for each sentence.
        question: the sentences.
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
        # Stacks are linked lists in the arena, so that none is copied: a state stores its top item
        # and the place of the state whose top item is below it. After a shift that is the state
        # before; an arc replaces the two upper items, so it is what was below the second.
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
    # Padding does not add steps beyond those that the longest sentence needs.
    steps_needed = jnp.clip(2 * jnp.max(question.lengths) - 1, 0, steps)
    return jax.lax.fori_loop(0, steps_needed, step, trace)


def _best(scores: jax.Array, beam: int) -> tuple[jax.Array, jax.Array]:
    """Return the best scores of each row, descending, and their indices; ties go to the first."""
    if beam > 1:
        return jax.lax.top_k(scores, beam)
    number = jnp.argmax(scores, -1, keepdims=True).astype(jnp.int32)
    return jnp.take_along_axis(scores, number, -1), number


def _read(arena: jax.Array, pointer: jax.Array) -> jax.Array:
    """Return the states that ``[..., batch, lanes]`` pointers point to."""
    lanes = arena.shape[2]
    return arena[pointer // lanes, jnp.arange(arena.shape[1])[:, None], pointer % lanes]


def _stack(arena: jax.Array, states: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return states, the states that hold the items below theirs, and those below these."""
    second = _read(arena, states[..., _BELOW])
    return states, second, _read(arena, second[..., _BELOW])


def _tops(stack: tuple[jax.Array, ...]) -> Tops:
    return Tops(jnp.stack([x[..., :_BELOW] for x in stack], -2), stack[0][..., _NEXT])


class Path(NamedTuple):
    """The derivations of some states of each sentence, up to these states.

    Attributes:
        tops: the tops of the state before each transition, ``[steps, paths, batch, ...]``.
        action: ``[steps, paths, batch]``; entries from the state's own step on are undefined.
        label: ``[steps, paths, batch]``.
    """

    tops: Tops
    action: jax.Array
    label: jax.Array


def path(trace: Trace, step: jax.Array, lanes: jax.Array) -> Path:
    """Trace the derivations of some states back to the start.

    Args:
        trace: from ``beam_search``.
        step: ``[batch]`` the step of the states of each sentence.
        lanes: ``[paths, batch]`` the lanes of the states.
    """
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
