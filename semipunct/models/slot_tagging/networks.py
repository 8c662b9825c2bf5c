"""Recurrent taggers of slots; the layers are Equinox's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

Counts = tuple[int, int, int, int]
"""How many word forms, suffixes, tags and language-specific tags there are."""

Keys = jax.Array | None
"""A random key while training, for dropout; None otherwise."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of a network, and how much of it training drops.

    Attributes:
        word, suffix, tag, xpos: of the embeddings of word forms, their ends, part-of-speech tags,
            and language-specific tags.
        hidden: of a recurrent state, in each direction.
        dropout: share of the inputs of each layer that is dropped.
        word_dropout: share of word forms taken for unknown ones.
    """

    word: int = 100
    suffix: int = 24
    tag: int = 24
    xpos: int = 24
    hidden: int = 128
    dropout: float = 0.4
    word_dropout: float = 0.1


class Words(NamedTuple):
    """A padded batch of sentences.

    Attributes:
        form, suffix, tag, xpos: ``[batch, length]`` codes; 0 is the unknown one.
        lengths: ``[batch]`` words of each.
    """

    form: jax.Array
    suffix: jax.Array
    tag: jax.Array
    xpos: jax.Array
    lengths: jax.Array


Cell = eqx.nn.LSTMCell | eqx.nn.GRUCell


class Embedding(eqx.Module):
    """Words to vectors, with one before the first and one after the last: slots have neighbours."""

    form: eqx.nn.Embedding
    suffix: eqx.nn.Embedding
    tag: eqx.nn.Embedding
    xpos: eqx.nn.Embedding
    edges: jax.Array
    sizes: Sizes = eqx.field(static=True)

    def __init__(self, codes: Counts, sizes: Sizes, key: jax.Array) -> None:
        """Make tables for so many forms, suffixes and tags of both kinds."""
        keys = jax.random.split(key, 5)
        self.form = eqx.nn.Embedding(codes[0], sizes.word, key=keys[0])
        self.suffix = eqx.nn.Embedding(codes[1], sizes.suffix, key=keys[1])
        self.tag = eqx.nn.Embedding(codes[2], sizes.tag, key=keys[2])
        self.xpos = eqx.nn.Embedding(codes[3], sizes.xpos, key=keys[3])
        self.edges = jax.random.normal(keys[4], (2, self.size(sizes)))
        self.sizes = sizes

    @staticmethod
    def size(sizes: Sizes) -> int:
        """Of a word's vector."""
        return sizes.word + sizes.suffix + sizes.tag + sizes.xpos

    def __call__(self, words: Words, key: Keys) -> jax.Array:
        """``[batch, length + 2, size]``; the vector after the last word fills the padding."""
        form = words.form
        if key is not None:
            key, other = jax.random.split(key)
            form = jnp.where(
                jax.random.bernoulli(other, self.sizes.word_dropout, form.shape), 0, form
            )
        parts = (
            self.form.weight[form],
            self.suffix.weight[words.suffix],
            self.tag.weight[words.tag],
            self.xpos.weight[words.xpos],
        )
        x = dropped(jnp.concatenate(parts, -1), self.sizes.dropout, key)
        batch, length, size = x.shape
        inside = jnp.arange(length)[None, :, None] < words.lengths[:, None, None]
        x = jnp.where(inside, x, self.edges[1])
        edge = jnp.broadcast_to(self.edges[:, None, None], (2, batch, 1, size))
        return jnp.concatenate([edge[0], x, edge[1]], 1)


def dropped(x: jax.Array, rate: float, key: Keys) -> jax.Array:
    """Dropout, outside training the identity."""
    if key is None or not rate:
        return x
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0.0)


def affine(layer: eqx.nn.Linear, x: jax.Array) -> jax.Array:
    """A layer applied to the last axis."""
    product = x @ layer.weight.T
    return product if layer.bias is None else product + layer.bias


def run(cell: Cell, x: jax.Array, lengths: jax.Array, *, reverse: bool) -> jax.Array:
    """``[batch, length, hidden]`` states of a cell that reads ``[batch, length, size]``.

    Beyond ``[batch]`` lengths it reads nothing: what is padded changes no state.
    """
    hidden = jnp.zeros((x.shape[0], cell.hidden_size))
    is_pair = isinstance(cell, eqx.nn.LSTMCell)
    start: Any = (hidden, hidden) if is_pair else hidden
    read: Callable[..., Any] = jax.vmap(cell)

    def step(state: Any, at: tuple[jax.Array, jax.Array]) -> tuple[Any, jax.Array]:
        word, place = at
        inside = (place < lengths)[:, None]
        state = jax.tree.map(lambda new, old: jnp.where(inside, new, old), read(word, state), state)
        return state, state[0] if is_pair else state

    inputs = jnp.swapaxes(x, 0, 1), jnp.arange(x.shape[1])
    _, states = jax.lax.scan(step, start, inputs, reverse=reverse)
    return jnp.swapaxes(states, 0, 1)


class Context(eqx.Module):
    """A bidirectional recurrent layer that reads words and speaks of slots."""

    forward: Cell
    backward: Cell

    def __init__(self, kind: type[Cell], size: int, hidden: int, key: jax.Array) -> None:
        """Make a cell of the given kind for each direction."""
        first, second = jax.random.split(key)
        self.forward = kind(size, hidden, key=first)
        self.backward = kind(size, hidden, key=second)

    def __call__(self, x: jax.Array, lengths: jax.Array) -> jax.Array:
        """``[batch, length + 1, 2 hidden]``: what is left of each slot, and what is right of it.

        Args:
            x: ``[batch, length + 2, size]`` words and edges.
            lengths: ``[batch]`` words.
        """
        left = run(self.forward, x, lengths + 2, reverse=False)[:, :-1]
        right = run(self.backward, x, lengths + 2, reverse=True)[:, 1:]
        return jnp.concatenate([left, right], -1)


class CrfTagger(eqx.Module):
    """BiLSTM and a linear chain over slots with one table of transitions (Xu et al. 2016)."""

    embedding: Embedding
    context: Context
    output: eqx.nn.Linear
    transition: jax.Array

    def __init__(self, codes: Counts, tags: int, sizes: Sizes, key: jax.Array) -> None:
        """Start with transitions that all weigh the same."""
        keys = jax.random.split(key, 3)
        self.embedding = Embedding(codes, sizes, keys[0])
        self.context = Context(eqx.nn.LSTMCell, Embedding.size(sizes), sizes.hidden, keys[1])
        self.output = eqx.nn.Linear(2 * sizes.hidden, tags, key=keys[2])
        self.transition = jnp.zeros((tags, tags))

    def __call__(self, words: Words, key: Keys) -> tuple[jax.Array, jax.Array]:
        """``[batch, length + 1, tags]`` scores of slots, ``[tags, tags]`` of neighbours."""
        first, second = (None, None) if key is None else jax.random.split(key)
        h = self.context(self.embedding(words, first), words.lengths)
        h = dropped(h, self.embedding.sizes.dropout, second)
        return affine(self.output, h), self.transition


class AttentionTagger(eqx.Module):
    """BiGRU, then a GRU with attention to all of its states and late fusion (Tilk and Alumäe 2016).

    Slots are independent given the words.
    """

    embedding: Embedding
    context: Context
    decoder: eqx.nn.GRUCell
    query: eqx.nn.Linear
    keys: eqx.nn.Linear
    energy: eqx.nn.Linear
    fusion: eqx.nn.Linear
    gates: tuple[eqx.nn.Linear, eqx.nn.Linear]
    output: eqx.nn.Linear

    def __init__(self, codes: Counts, tags: int, sizes: Sizes, key: jax.Array) -> None:
        """Make all layers."""
        keys = jax.random.split(key, 10)
        hidden, both = sizes.hidden, 2 * sizes.hidden
        self.embedding = Embedding(codes, sizes, keys[0])
        self.context = Context(eqx.nn.GRUCell, Embedding.size(sizes), hidden, keys[1])
        self.decoder = eqx.nn.GRUCell(both, hidden, key=keys[2])
        self.query = eqx.nn.Linear(hidden, hidden, use_bias=False, key=keys[3])
        self.keys = eqx.nn.Linear(both, hidden, key=keys[4])
        self.energy = eqx.nn.Linear(hidden, 1, use_bias=False, key=keys[5])
        self.fusion = eqx.nn.Linear(both, hidden, use_bias=False, key=keys[6])
        self.gates = (
            eqx.nn.Linear(hidden, hidden, use_bias=False, key=keys[7]),
            eqx.nn.Linear(hidden, hidden, key=keys[8]),
        )
        self.output = eqx.nn.Linear(hidden, tags, key=keys[9])

    def __call__(self, words: Words, key: Keys) -> tuple[jax.Array, None]:
        """``[batch, length + 1, tags]`` scores of slots; of neighbours, none."""
        first, second = (None, None) if key is None else jax.random.split(key)
        h = self.context(self.embedding(words, first), words.lengths)
        h = dropped(h, self.embedding.sizes.dropout, second)
        slots = jnp.arange(h.shape[1])
        inside = slots[None] <= words.lengths[:, None]
        keys = affine(self.keys, h)

        def step(state: jax.Array, at: jax.Array) -> tuple[jax.Array, jax.Array]:
            query = affine(self.query, state)
            energy = jnp.tanh(query[:, None] + keys) @ self.energy.weight[0]
            share = jax.nn.softmax(jnp.where(inside, energy, -jnp.inf))
            state = jax.vmap(self.decoder)(at, state)
            fused = affine(self.fusion, jnp.einsum("bl,bld->bd", share, h))
            gate = jax.nn.sigmoid(affine(self.gates[0], fused) + affine(self.gates[1], state))
            return state, fused * gate + state

        start = jnp.zeros((h.shape[0], self.decoder.hidden_size))
        _, states = jax.lax.scan(step, start, jnp.swapaxes(h, 0, 1))
        states = dropped(jnp.swapaxes(states, 0, 1), self.embedding.sizes.dropout, second)
        return affine(self.output, states), None
