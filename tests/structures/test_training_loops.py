"""Training loops of other libraries, with a CRF, a dependency parser and a grammar.

Each learns weights that were planted, under ``jit`` and ``grad``; the docs show the same loops.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # pyright: ignore[reportMissingTypeStubs]
import pytest
from jax.sharding import PartitionSpec as Spec

from semipunct.structures import Distribution, linear_chain, pcfg, projective_trees

ITEMS, LENGTH, STATES = 8, 6, 3
TAGS = (np.arange(LENGTH) + np.arange(ITEMS)[:, None]) % STATES
LENGTHS = 3 + np.arange(ITEMS) % 4
SEEN = np.eye(STATES)[TAGS] + np.random.default_rng(0).normal(size=(ITEMS, LENGTH, STATES)) / 2
USED = np.arange(LENGTH) < LENGTHS[:, None]

WORDS = np.array([np.random.default_rng(i).permutation(12)[:LENGTH] for i in range(ITEMS)])
"""Sentences of words of twelve types, no type twice."""


def _train(
    loss: Callable[[Any], jax.Array], weights: Any, steps: int = 40, rate: float = 0.3
) -> tuple[Any, np.ndarray]:
    """Minimise a loss by Adam; return the weights and the losses before each step."""
    adam = optax.adam(rate)

    @jax.jit
    def run(weights: Any) -> tuple[Any, jax.Array]:
        def step(state: Any, _: Any) -> tuple[Any, jax.Array]:
            weights, moments = state
            value, slope = jax.value_and_grad(loss)(weights)
            updates, moments = adam.update(slope, moments)
            return (optax.apply_updates(weights, updates), moments), value

        (weights, _), losses = jax.lax.scan(step, (weights, adam.init(weights)), length=steps)
        return weights, losses

    weights, losses = run(weights)
    return weights, np.asarray(losses, np.float32)


def _tagger(weights: Any, seen: Any, lengths: Any) -> Distribution[Any]:
    return Distribution(linear_chain(seen @ weights["seen"], weights["step"], lengths))


def _tagger_loss(weights: Any, seen: Any, lengths: Any, tags: Any) -> jax.Array:
    return -jnp.mean(_tagger(weights, seen, lengths).log_prob(tags))


def _weights(dtype: Any = jnp.float32) -> Any:
    return {"seen": jnp.zeros((STATES, STATES), dtype), "step": jnp.zeros((STATES, STATES), dtype)}


def _accuracy(tagged: Any) -> float:
    return float(np.mean((np.asarray(tagged) == TAGS)[USED]))


def test_optax_in_half_precision():
    """Weights, inputs and gradients have 8 bits of precision; sums within have 24."""
    seen = jnp.asarray(SEEN, jnp.bfloat16)
    weights, losses = _train(lambda w: _tagger_loss(w, seen, LENGTHS, TAGS), _weights(jnp.bfloat16))
    assert weights["step"].dtype == jnp.bfloat16
    assert losses[-1] < losses[0] / 10
    tagger = _tagger(weights, seen, LENGTHS)
    assert _accuracy(tagger.read(tagger.best())) == 1


def test_optax_on_divided_batches():
    """Each device has some of the items; gradients of shared weights are summed by JAX."""
    mesh = jax.make_mesh((1,), ("devices",), axis_types=(jax.sharding.AxisType.Auto,))
    by_items = Spec("devices")

    @partial(
        jax.shard_map, mesh=mesh, in_specs=(Spec(), by_items, by_items, by_items), out_specs=Spec()
    )
    def loss(weights: Any, seen: Any, lengths: Any, tags: Any) -> jax.Array:
        return jax.lax.pmean(_tagger_loss(weights, seen, lengths, tags), "devices")

    divided = (jnp.asarray(SEEN), jnp.asarray(LENGTHS), jnp.asarray(TAGS))
    weights, losses = _train(lambda w: loss(w, *divided), _weights())
    _, alone = _train(lambda w: _tagger_loss(w, *divided), _weights())
    np.testing.assert_allclose(losses, alone, rtol=1e-3, atol=1e-4)
    tagger = _tagger(weights, *divided[:2])
    assert _accuracy(tagger.read(tagger.best())) == 1


def test_flax_linen_tagger():
    nn = pytest.importorskip("flax.linen", reason="Flax is not installed")

    class Tagger(nn.Module):
        @nn.compact
        def __call__(self, seen: Any, lengths: Any) -> Any:
            step = self.param("step", nn.initializers.zeros, (STATES, STATES))
            return Distribution(linear_chain(nn.Dense(STATES)(seen), step, lengths))

    tagger = Tagger()
    weights = tagger.init(jax.random.key(0), SEEN, LENGTHS)

    def loss(weights: Any) -> jax.Array:
        return -jnp.mean(tagger.apply(weights, SEEN, LENGTHS).log_prob(TAGS))

    weights, losses = _train(loss, weights)
    assert losses[-1] < losses[0] / 10
    crf = tagger.apply(weights, SEEN, LENGTHS)
    assert _accuracy(crf.read(crf.best())) == 1


def _gold_heads() -> np.ndarray:
    """Return the best trees under planted weights of pairs of types; the root has type 12."""
    pairs = np.random.default_rng(2).normal(size=(13, 13)) * 3
    types = np.concatenate([np.full((ITEMS, 1), 12), WORDS], 1)
    arcs = pairs[types[:, :, None], types[:, None]]
    trees = Distribution(projective_trees(jnp.asarray(arcs), jnp.asarray(LENGTHS)))
    return np.asarray(trees.read(trees.best()))


@pytest.mark.exhaustive
def test_flax_nnx_parser_by_items():
    """The loss of one sentence, without an axis of the batch, is mapped over sentences."""
    nnx = pytest.importorskip("flax.nnx", reason="Flax is not installed")
    heads = jnp.asarray(_gold_heads())

    class Parser(nnx.Module):
        def __init__(self, rngs: Any) -> None:
            self.embedding = nnx.Embed(13, 16, rngs=rngs)
            self.head = nnx.Linear(16, 16, rngs=rngs)

        def __call__(self, words: Any, length: Any) -> Any:
            words = self.embedding(jnp.concatenate([jnp.array([12]), words]))
            return Distribution(projective_trees(self.head(words) @ words.T, length))

    parser = Parser(nnx.Rngs(0))
    optimizer = nnx.Optimizer(parser, optax.adam(0.1), wrt=nnx.Param)

    @nnx.jit
    def step(parser: Any, optimizer: Any) -> jax.Array:
        def loss(parser: Any) -> jax.Array:
            def of_one(words: jax.Array, length: jax.Array, heads: jax.Array) -> jax.Array:
                return -parser(words, length).log_prob(heads)[0]

            return jnp.mean(jax.vmap(of_one)(jnp.asarray(WORDS), jnp.asarray(LENGTHS), heads))

        value, slope = nnx.value_and_grad(loss)(parser)
        optimizer.update(parser, slope)
        return value

    losses = [float(step(parser, optimizer)) for _ in range(40)]
    assert losses[-1] < losses[0] / 5

    @jax.vmap
    def parse(words: jax.Array, length: jax.Array) -> jax.Array:
        trees = parser(words, length)
        return trees.read(trees.best())[0]

    found = np.asarray(parse(jnp.asarray(WORDS), jnp.asarray(LENGTHS)))
    assert np.mean((found == heads)[USED]) > 0.9


@pytest.mark.exhaustive
def test_equinox_grammar():
    """Strings of the language a^n b^n teach a grammar which of its symbols is which."""
    eqx = pytest.importorskip("equinox", reason="Equinox is not installed")
    lengths = np.array([2, 4, 6])
    words = (np.arange(6) >= lengths[:, None] // 2).astype(int)

    class Grammar(eqx.Module):
        root: jax.Array
        rules: jax.Array
        words: jax.Array

        def __init__(self, key: jax.Array) -> None:
            shapes = ((2,), (2, 5, 5), (3, 2))
            keys = jax.random.split(key, 3)
            self.root, self.rules, self.words = map(jax.random.normal, keys, shapes)

        def __call__(self, words: Any, lengths: Any) -> Any:
            rules = jax.nn.log_softmax(self.rules.reshape(2, -1)).reshape(2, 5, 5)
            emission = jax.nn.log_softmax(self.words)[:, words]
            return Distribution(
                pcfg(jax.nn.log_softmax(self.root), rules, jnp.moveaxis(emission, 0, -1), lengths)
            )

    grammar = Grammar(jax.random.key(0))
    adam = optax.adam(0.1)

    @eqx.filter_jit
    def step(grammar: Any, state: Any) -> Any:
        @eqx.filter_value_and_grad
        def loss(grammar: Any) -> jax.Array:
            return -jnp.mean(grammar(words, lengths).log_partition())

        value, slope = loss(grammar)
        updates, state = adam.update(slope, state)
        return eqx.apply_updates(grammar, updates), state, value

    state, losses = adam.init(eqx.filter(grammar, eqx.is_array)), []
    for _ in range(100):
        grammar, state, value = step(grammar, state)
        losses.append(float(value))
    assert losses[-1] < losses[0] / 2
    trained = jnp.exp(grammar(words, lengths).log_partition())
    swapped = jnp.exp(grammar(1 - words, lengths).log_partition())
    assert (trained > 100 * swapped).all()
