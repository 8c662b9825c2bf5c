"""One item without a batch axis, no items, no positions, long lists, and weights that are none."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semipunct.errors import UsageError
from semipunct.structures import (
    Distribution,
    alignments,
    automata,
    ctc,
    hypergraphs,
    linear_chain,
    linear_orderings,
    nonprojective_trees,
    pcfg,
    projective_trees,
    semi_markov_chain,
    span_trees,
    transducer,
)
from semipunct.structures.extending import NonprojectiveTrees

ZEROS = jnp.zeros
MACHINE = automata.automaton(ZEROS(2), ZEROS((2, 2, 2)).at[0].set(-jnp.inf), ZEROS(2))


def _grammar(spans, lengths=None):
    emission = jnp.zeros((*spans.shape[:-2], 1))
    return pcfg(ZEROS(1), ZEROS((1, 2, 2)), emission, lengths, spans)


# Makes a structure of weights and lengths; the shape of one item with n positions.
MAKERS = {
    "chain": (lambda w, n=None: linear_chain(w, ZEROS((2, 2)), n), lambda n: (n, 2)),
    "parallel": (
        lambda w, n=None: linear_chain(w, ZEROS((2, 2)), n, "parallel"),
        lambda n: (n, 2),
    ),
    "semi-Markov": (
        lambda w, n=None: semi_markov_chain(w, ZEROS((2, 2)), None, n),
        lambda n: (n, 2, 2),
    ),
    "projective": (projective_trees, lambda n: (n + 1, n + 1)),
    "non-projective": (nonprojective_trees, lambda n: (n + 1, n + 1)),
    "spans": (span_trees, lambda n: (n, n, 2)),
    "grammar": (_grammar, lambda n: (n, n, 1)),
    "orders": (linear_orderings, lambda n: (n, n)),
}


@pytest.mark.parametrize("name", MAKERS)
def test_one_item_has_no_batch_axis(name):
    make, shape = MAKERS[name]
    weights = np.sin(np.arange(np.prod(shape(3)), dtype=np.float32)).reshape(shape(3))
    alone, batch = Distribution(make(weights, 2)), make(weights[None], jnp.array([2]))
    # All answers are about the flat structure, and reshaped.
    jax.tree.map(np.testing.assert_array_equal, alone.structure.flat(), batch)
    assert jax.eval_shape(alone.log_partition).shape == ()
    read = {
        "semi-Markov": [[0, 1, 1], [-1] * 3],
        "spans": [[0, 1, 0], [0, 0, 1], [1, 1, 0]],
        "grammar": [[0, 1, 0], [0, 0, 1], [1, 1, 1]],
        "projective": [2, 0, 0],
        "non-projective": [2, 0, 0],
    }.get(name, [1, 0, 0])
    assert jax.eval_shape(lambda: alone.log_prob(read)).shape == ()
    assert jax.eval_shape(lambda: alone.log_prob([read])).shape == (1,)


def test_one_item_of_other_structures():
    numbers = {
        8: automata.string_paths(MACHINE, jnp.ones(3, int), 2),
        5: alignments(ZEROS((2, 1)), lengths=jnp.array([2, 1])),
        3: ctc(ZEROS((3, 2)), jnp.array([1]), lengths=2),
        2: transducer(ZEROS((2, 2, 2)), jnp.array([1])),
        4: hypergraphs(ZEROS(4), [1] * 4, [[0]] * 4, 1),
    }
    totals = jax.jit(lambda of: [Distribution(x).log_partition() for x in of])([*numbers.values()])
    np.testing.assert_allclose(np.exp(totals), [*numbers], rtol=1e-6)


def _ask_all(d):
    """Return an answer to each question that has one under ``jax.eval_shape``."""
    key = jax.random.key(0)
    answers = [d.log_partition(), d.marginals(), d.argmax(), d.sample(key, 3), d.entropy()]
    answers += [d.kl_divergence(d), d.variance(d.marginals())]
    return answers if isinstance(d.structure, NonprojectiveTrees) else [*answers, d.top_k(2)]


@pytest.mark.parametrize("name", ["projective", "non-projective"])
def test_a_batch_without_items_has_answers_without_items(name):
    """Answers have the shapes of answers with seven items, but for the items."""
    make, shape = MAKERS[name]
    seven, none = (Distribution(make(ZEROS((items, *shape(2))))) for items in (7, 0))
    of_seven, of_none = (jax.eval_shape(lambda d=d: _ask_all(d)) for d in (seven, none))
    expected = jax.tree.map(
        lambda x: (tuple(0 if n == 7 else n for n in x.shape), x.dtype), of_seven
    )
    assert jax.tree.map(lambda x: (x.shape, x.dtype), of_none) == expected
    assert none.log_partition().shape == (0,)


@pytest.mark.parametrize("name", ["chain", "projective", "non-projective", "grammar"])
def test_items_without_positions_have_the_empty_derivation(name):
    make, shape = MAKERS[name]
    d = Distribution(make(ZEROS((2, *shape(0)))))

    @jax.jit
    def ask(d, key):
        return d.log_partition(), d.sample(key, 3), d.sample_parts(key, 3), d.entropy()

    log_partition, drawn, parts, entropy = ask(d, jax.random.key(0))
    total = -jnp.inf if name == "grammar" else 0.0
    assert (log_partition == total).all()
    # Lists of non-projective trees are not compiled.
    best, listed = (d.argmax(), d.top_k(2)) if "non" in name else jax.jit(_best)(d)
    assert best.size == drawn.size == 0
    np.testing.assert_array_equal(listed[1], [[total] * 2, [-np.inf] * 2])
    assert not any(np.any(x) for x in jax.tree.leaves((parts, entropy)))


def _best(d):
    return d.argmax(), d.top_k(2)


def test_lists_longer_than_the_number_of_derivations():
    d = Distribution(linear_chain(ZEROS((1, 2, 2)), ZEROS((2, 2))))
    states, log_weights = d.top_k(7)
    assert log_weights[:, 0].tolist() == [0.0] * 4 + [-np.inf] * 3
    assert len({tuple(x) for x in states[:4, 0].tolist()}) == 4
    for k in (0, -1):
        with pytest.raises(UsageError, match=f"k is {k}; give 1 or more"):
            d.top_k(k)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_weights_that_are_none(name, wrong):
    make, shape = MAKERS[name]
    place = (1, 1, 1) if name == "semi-Markov" else (1, 0, 1)
    weights = np.zeros((2, *shape(2)), np.float32)
    weights[place] = wrong
    with pytest.raises(UsageError, match=rf"\[1, {place[1]}, 1.*\] is {wrong}"):
        make(weights)
