"""Templates: the atoms they use, and agreement between the ways of scoring."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.papers.transitions import features
from semipunct.papers.transitions.features import LABELS, TEMPLATES
from semipunct.papers.transitions.search import Field, Tops

EVERY = TEMPLATES["all"] + LABELS
RANDOM = np.random.default_rng(3)
WORDS, BATCH, LANES = 6, 2, 5


def codes() -> features.Codes:
    size = BATCH, WORDS + 1 + features.BEYOND
    return features.Codes(*(jnp.asarray(RANDOM.integers(0, 9, size), jnp.int32) for _ in range(3)))


def tops() -> Tops:
    items = RANDOM.integers(0, WORDS + 1, (BATCH, LANES, 3, Field.CARRIED + 1))
    return Tops(
        jnp.asarray(items, jnp.int32),
        jnp.asarray(RANDOM.integers(1, WORDS + 2, (BATCH, LANES)), jnp.int32),
    )


@pytest.mark.parametrize("atom", ["s3.word", "s0.form", "b0l.tag", "b0.left", "s0l.property", "s0"])
def test_an_atom_that_there_is_not(atom: str):
    with pytest.raises(ValueError, match="there is no atom"):
        features.parse_atom(atom)


@partial(jax.jit, static_argnums=0)
def scored(most: int, weights: jax.Array, words: features.Codes, states: Tops) -> jax.Array:
    plan = features.plan(EVERY, most)
    ready = features.tables(plan, weights, words)
    return features.scores(plan, ready, weights, words, states)


def test_tables_give_the_scores_of_hashing():
    weights = jnp.asarray(RANDOM.normal(size=(2**12, 3)).astype(np.float32))
    words, states = codes(), tops()
    hashed = scored(0, weights, words, states)
    for most in (1, 2):
        np.testing.assert_allclose(scored(most, weights, words, states), hashed, atol=1e-4)


def test_a_row_is_told_by_all_atoms_and_the_number_of_the_template():
    """The row of a template changes with its atoms and its number, and with nothing else."""
    words = features.Codes(*(jnp.arange(WORDS + 5, dtype=jnp.int32)[None] + 1 for _ in range(3)))
    states = Tops(jnp.zeros((1, 1, 3, 14), jnp.int32), jnp.full((1, 1), 3, jnp.int32))
    states = states._replace(items=states.items.at[0, 0, :2, Field.WORD].set(jnp.array([2, 1])))

    def row(words: features.Codes, number: int = 0) -> int:
        numbered = [(number, ("s0.word", "b1.tag", "s0~s1"))]
        numbers = features.rows(numbered, words, features.of_state(states), states.items, 2**20)
        assert numbers.shape == (1, 1, 1)
        return int(numbers[0, 0, 0])

    start = row(words)
    assert row(words) == start != row(words, 1)
    assert row(words._replace(word=words.word.at[0, 2].add(1))) != start
    assert row(words._replace(tag=words.tag.at[0, 4].add(1))) != start
    assert row(words._replace(word=words.word.at[0, 3].add(1))) == start
    assert row(words._replace(tag=words.tag.at[0, 2].add(1))) == start


@pytest.mark.parametrize("atom", ["s0~b0", "b0~s0"])
def test_there_is_no_distance_without_a_word(atom: str):
    """A distance from an empty stack is the same everywhere; from a word it is not."""
    words = features.Codes(*(jnp.ones((4, WORDS + 5), jnp.int32) for _ in range(3)))
    items = jnp.zeros((4, 1, 3, 14), jnp.int32).at[2:, 0, 0, Field.WORD].set(1)
    states = Tops(items, jnp.array([[2], [6], [2], [6]]))
    numbers = features.rows([(0, (atom,))], words, features.of_state(states), items, 2**20)
    empty, other_empty, near, far = numbers.ravel().tolist()
    assert len({empty, other_empty}) == 1
    assert len({empty, near, far}) == 3


def test_templates_of_empty_properties_do_not_apply():
    words = features.Codes(*(jnp.zeros((1, WORDS + 5), jnp.int32) for _ in range(3)))
    words = words._replace(word=words.word + 1, property=words.property.at[0, 3].set(4))
    states = Tops(jnp.zeros((1, 1, 3, 14), jnp.int32), jnp.full((1, 1), 2, jnp.int32))
    items = states.items.at[0, 0, 1, Field.CARRIED].set(1)
    templates = [
        ("s0.word",), ("s0.property", "s0.word"), ("s1.property",), ("b0.property",),
        ("b1.property", "b1.word"), ("b0.property", "s1.property"),
    ]  # fmt: skip
    numbered = list(enumerate(templates))
    numbers = features.rows(numbered, words, features.of_state(states), items, 2**10)
    applies = [True, False, True, False, True, True]
    assert (numbers[0, 0] < 2**10).tolist() == applies
    weights = jnp.ones((2**10, 3))
    assert features.weights_of(weights, numbers).tolist() == [[[[float(a)] * 3 for a in applies]]]
    gradient = jax.grad(lambda w: features.weights_of(w, numbers, jnp.int32(1)).sum())(weights)
    assert np.flatnonzero(gradient[:, 1]).tolist() == sorted(numbers[0, 0, np.array(applies)])
    assert gradient.sum() == sum(applies)
