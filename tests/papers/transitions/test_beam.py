"""Beam search compared with plain Python, for all derivations and for narrower beams."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.papers.transitions.search import (
    ACTIONS,
    LEFT,
    RIGHT,
    Field,
    Question,
    Scores,
    Tops,
    Trace,
    beam_search,
    path,
)
from tests.papers.transitions.derivations import State, beam, derivations

LENGTHS = (4, 1, 3, 0, 2)
WORDS = 4
FIELDS = (
    (0, Field.WORD), (1, Field.WORD), (2, Field.WORD), (0, Field.LEFT_1), (0, Field.LEFT_2),
    (0, Field.RIGHT_1), (0, Field.RIGHT_2), (1, Field.RIGHT_1), (1, Field.LEFT_1),
    (0, Field.LEFT_COUNT), (1, Field.RIGHT_COUNT), (0, Field.LEFT_1_LABEL),
    (1, Field.RIGHT_1_LABEL), (1, Field.RIGHT_2_LABEL), (0, Field.LEFT_LABELS),
)  # fmt: skip
"""The fields that scores depend on, with at least one of each kind."""

LABELS = 2
RANDOM = np.random.default_rng(7)
OF_ACTION = RANDOM.normal(size=(len(FIELDS) + 1, 16, ACTIONS)).astype(np.float32)
OF_LABEL = RANDOM.normal(size=(len(FIELDS) + 1, 16, 2, LABELS)).astype(np.float32)


def scorer(tops: Tops, *, labelled: bool) -> Scores:
    values = jnp.stack([*(tops.items[..., i, f] for i, f in FIELDS), tops.following], -1)
    where = np.arange(len(FIELDS) + 1), values
    actions = jnp.asarray(OF_ACTION)[where].sum(-2)
    return Scores(actions, jnp.asarray(OF_LABEL)[where].sum(-3) if labelled else None)


def plain_score(state: State, action: int, label: int, *, labelled: bool) -> float:
    """Compute the same for an explicitly stored state."""

    def value(item: int, field: Field) -> int:
        word = state.top(item)
        if field is Field.WORD or not word:
            return word
        side = LEFT if field.name.startswith("LEFT") else RIGHT
        outermost = state.outermost(word, side)
        if field.name.endswith("COUNT"):
            return len(outermost)
        if field.name.endswith("LABELS"):
            return sum({1 << k for _, k in outermost})
        place = 0 if "_1" in field.name else 1
        if place >= len(outermost):
            return 0
        return outermost[place][1] + 1 if field.name.endswith("LABEL") else outermost[place][0]

    values = [*(value(i, f) for i, f in FIELDS), state.following]
    total = sum(OF_ACTION[k, v, action] for k, v in enumerate(values))
    if labelled and action:
        total += sum(OF_LABEL[k, v, action - LEFT, label] for k, v in enumerate(values))
    return float(total)


@partial(jax.jit, static_argnums=(0, 1))
def searched(width: int, labelled: bool, gold: Any = None, gold_labels: Any = None) -> Trace:
    carried = jnp.zeros((len(LENGTHS), WORDS + 2, 0), jnp.int32)
    question = Question(jnp.array(LENGTHS), carried, gold, gold_labels)
    return beam_search(partial(scorer, labelled=labelled), lambda head, *_: head, width, question)


def steps_of(n: int) -> int:
    return max(2 * n - 1, 0)


@pytest.mark.parametrize("width, labelled", [(1, False), (3, True)])
def test_a_narrow_beam_keeps_what_a_plain_one_keeps(width: int, labelled: bool):
    trace = searched(width, labelled)
    labels = LABELS if labelled else 1
    for row, n in enumerate(LENGTHS):
        if not n:
            continue
        expected = beam(n, labels, partial(plain_score, labelled=labelled), width)
        for t in range(steps_of(n) + 1):
            plain_scores = [score for score, _ in expected[t]]
            scores = np.asarray(trace.score[t, row])
            np.testing.assert_allclose(scores[: len(plain_scores)], plain_scores, atol=1e-4)


def test_a_lane_follows_the_gold_derivation():
    """In a wide beam the gold derivation is found, and the additional lane has its score."""
    n, row = 4, 0
    plain = partial(plain_score, labelled=True)
    every = sorted(derivations(n, LABELS, plain), key=lambda d: -d[0])
    score, gold_actions, _ = every[len(every) // 2]
    gold, labels = np.zeros((2, len(LENGTHS), 2 * WORDS - 1), np.int32)
    gold[row], labels[row] = np.array(gold_actions).T
    trace = searched(2, True, jnp.asarray(gold), jnp.asarray(labels))
    assert float(trace.score[2 * n - 1, row, -1]) == pytest.approx(score, abs=1e-4)
    assert np.asarray(trace.gold[: 2 * n, row, -1]).all()
    # States of the beam that have followed the gold derivation so far.
    for t in range(2 * n):
        followed = path(trace, jnp.full(len(LENGTHS), t), jnp.array([[0], [1]]) * jnp.ones(5, int))
        for lane in range(2):
            actions_done = list(
                zip(
                    np.asarray(followed.action[:t, lane, row]).tolist(),
                    np.asarray(followed.label[:t, lane, row]).tolist(),
                    strict=True,
                )
            )
            alive = np.isfinite(trace.score[t, row, lane])
            assert bool(trace.gold[t, row, lane]) == bool(
                alive and actions_done == list(gold_actions[:t])
            )
