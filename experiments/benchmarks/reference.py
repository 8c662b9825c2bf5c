"""Algorithm 1 of Li, Wang and Eisner (2019), line by line, as the baseline for speed.

Every slot automaton is composed in full, M_i(l) is a dense N x N matrix for every puncteme, and
IN(w) is a dense N x N matrix for every node, with N = acceptor states x symbols. One padded tree
is one ``lax.scan`` over its nodes, dependents before heads; ``jax.vmap`` batches trees. Numbers are
float32; each IN(w) is divided by its largest entry, whose logarithm is kept.

The only optimisation is that automata are composed once per distinct surface string of the batch,
not once per slot. The variant ``"matrices"`` multiplies as line 14 is printed; ``"vectors"`` is a
stronger baseline, which uses that line 10 has rank one: M_i(l) and M_k(r) are applied to vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.corpus import Sentence
from semipunct.marks import with_boundaries
from semipunct.models.punctuation.batches import Batch
from semipunct.models.punctuation.model import Parameters, PunctuationModel
from semipunct.models.punctuation.slot_automata import Acceptors, acceptors
from semipunct.structures.given_tree import WindowAutomata
from semipunct.trees import DependencyTree

Variant = Literal["vectors", "matrices"]


class Trees(NamedTuple):
    """Padded trees in reading order (mirrored where the window moves leftwards).

    All but the last three are ``[sentences, steps]``, with one step per node, dependents before
    heads: first the left ones from left to right, then the right ones from left to right.

    Attributes:
        row: row of the node in the batch's choices.
        node: position of the node in its sentence, from 0; that of padding is ``steps``.
        parent: position of its parent; that of the root's parent is ``steps`` + 1.
        is_left: whether it is a left dependent.
        left_slot, right_slot: automata at the edges of its constituent (i and k).
        before, after: automata next to its word (j - 1 and j).
        valid: false in the padding.
        first_slot, last_slot: ``[sentences]`` automata at the edges of the sentence.
        log_scale: ``[sentences]`` log of the factor taken out of the acceptors.
    """

    row: npt.NDArray[np.int32]
    node: npt.NDArray[np.int32]
    parent: npt.NDArray[np.int32]
    is_left: npt.NDArray[np.bool_]
    left_slot: npt.NDArray[np.int32]
    right_slot: npt.NDArray[np.int32]
    before: npt.NDArray[np.int32]
    after: npt.NDArray[np.int32]
    valid: npt.NDArray[np.bool_]
    first_slot: npt.NDArray[np.int32]
    last_slot: npt.NDArray[np.int32]
    log_scale: npt.NDArray[np.float32]


class Automata(NamedTuple):
    """Dense automata: labels ``[slots, labels, N, N]``, initial and final ``[slots, N]``."""

    labels: jax.Array
    initial: jax.Array
    final: jax.Array


class Padded(NamedTuple):
    """The trees of a batch, and the acceptors of its strings."""

    trees: Trees
    accept: Acceptors


def lay_out(
    model: PunctuationModel, sentences: Sequence[Sentence], batch: Batch, steps: int = 1
) -> Padded:
    """Pad the trees of a batch to the size of the longest.

    Args:
        model: the model.
        sentences: sentences that the batch was laid out from, in the same order.
        batch: from ``model.lay_out``.
        steps: minimum number of words to pad to.
    """
    steps = max(steps, *(len(s.tree.heads) for s in sentences))
    columns = {name: np.zeros((len(sentences), steps), np.int32) for name in Trees._fields[:-3]}
    columns["node"][:] = steps
    columns["parent"][:] = steps + 1
    edges = np.zeros((2, len(sentences)), np.int32)
    numbers: dict[tuple[int, ...], int] = {(): 0}
    strings: list[list[int]] = []
    base = 0
    for b, sentence in enumerate(sentences):
        tree = sentence.tree
        n = tree.words
        rows = base + np.arange(n)
        shown = with_boundaries(sentence.slots, final=model.options.final_mark)
        encoded = [model.inventory.encode(slot) for slot in shown]
        if model.mirrored:
            heads = tuple(n + 1 - h if h else 0 for h in reversed(tree.heads))
            tree = DependencyTree(heads, tree.relations[::-1])
            rows, encoded = rows[::-1], encoded[::-1]
        strings.append([numbers.setdefault(string, len(numbers)) for string in encoded])
        slots = np.array(strings[-1])
        left, right = (np.array(edge) for edge in tree.edges)
        order = np.array(_bottom_up(tree))
        parent = np.array(tree.parents)[order]
        values = {
            "row": rows[order],
            "node": order,
            "parent": np.where(parent < 0, steps + 1, parent),
            "is_left": order < parent,
            "left_slot": slots[left[order]],
            "right_slot": slots[right[order]],
            "before": slots[order],
            "after": slots[order + 1],
            "valid": True,
        }
        for name, value in values.items():
            columns[name][b, :n] = value
        edges[:, b] = slots[0], slots[-1]
        base += n
    states, slots = batch.accept.emit.shape[1], batch.accept.emit.shape[0]
    accept = acceptors(list(numbers), model.inventory, states, slots, model.directions)
    taken_out = np.array([accept.log_scale[s].sum() for s in strings], np.float32)
    columns["is_left"], columns["valid"] = columns["is_left"] > 0, columns["valid"] > 0
    return Padded(
        Trees(**columns, first_slot=edges[0], last_slot=edges[1], log_scale=taken_out), accept
    )


def _bottom_up(tree: DependencyTree) -> list[int]:
    """Order words with dependents before heads, and dependents of one head from left to right."""
    depth = [0] * (tree.words + 1)  # the last entry is for the root's parent
    for node in tree.order:
        depth[node] = depth[tree.parents[node]] + 1
    return sorted(tree.order, key=lambda node: (-depth[node], node))


def dense_automata(model: PunctuationModel, window: WindowAutomata) -> Automata:
    """Compute M_i(v) of every token by composition, M_i(l) of every puncteme by products (line 3).

    Args:
        model: provides the punctemes.
        window: the automata of the slots, as the library composes them.
    """
    edits = [jnp.exp(table) for table in window.edits]
    keep, absorb_left, absorb_right, transpose = edits
    arcs = jnp.exp(window.arcs)
    slots, states, _, symbols = arcs.shape
    size = states * symbols
    same_state, same_symbol = jnp.eye(states), jnp.eye(symbols)
    # Arcs from (s, a) reading b to (t, d): the output and the pending token depend on the edit.
    tokens = (
        jnp.einsum("ista,ab,bd->ibsatd", arcs, keep, same_symbol)
        + jnp.einsum("istb,ab,ad->ibsatd", arcs, transpose, same_symbol)
        + jnp.einsum("st,ab,bd->bsatd", same_state, absorb_left, same_symbol)
        + jnp.einsum("st,ab,ad->bsatd", same_state, absorb_right, same_symbol)
    ).reshape(slots, symbols, size, size)

    number = {symbol: i for i, symbol in enumerate(model.inventory.symbols)}
    texts = [tuple(number[t] for t in label) for label in model.inventory.labels]
    if model.mirrored:
        texts = [text[::-1] for text in texts]
    labels = jnp.broadcast_to(jnp.eye(size), (slots, len(texts), size, size))
    for depth in range(max(len(text) for text in texts)):
        longer = np.array([i for i, text in enumerate(texts) if len(text) > depth])
        read = tokens[:, np.array([texts[i][depth] for i in longer])]
        labels = labels.at[:, longer].set(labels[:, longer] @ read if depth else read)

    final = jnp.exp(window.final).reshape(slots, size)
    closed = jnp.einsum("inm,im->in", tokens[:, int(window.closing[0])], final)
    return Automata(
        labels,
        jnp.exp(window.initial).reshape(slots, size),
        jnp.where(jnp.asarray(window.closed)[:, None], closed, final),
    )


def log_likelihood(
    model: PunctuationModel,
    parameters: Parameters,
    batch: Batch,
    padded: Padded,
    variant: Variant = "matrices",
) -> jax.Array:
    """Return log p(x | T), ``[sentences]``: TOTALSCORE without the part printed in blue.

    Args:
        model: the model.
        parameters: weights by name.
        batch: from ``model.lay_out``, for the features.
        padded: from ``lay_out`` with the same sentences.
        variant: how the sum over pairs is computed; see the module's docstring.
    """
    potentials = model.potentials(
        model.read(parameters, batch), batch._replace(accept=padded.accept)
    )
    automata = dense_automata(model, potentials.automata)
    left_label, right_label = model.inventory.pairs.T[:: -1 if model.mirrored else 1]
    choice = jnp.exp(potentials.choice)

    # The automata that lines 8 to 16 read are gathered again in the backward pass: keeping
    # M_i(l) of all steps would exhaust memory.
    @jax.checkpoint
    def inside(
        automata: Automata, choice: jax.Array, left: jax.Array, right: jax.Array, at: Trees
    ) -> jax.Array:
        m_left = left @ automata.final[at.before]  # line 8
        m_right = automata.initial[at.after] @ right  # line 9
        at_left, at_right = automata.labels[at.left_slot], automata.labels[at.right_slot]
        p = choice[at.row]
        if variant == "vectors":
            columns = at_left @ m_left
            rows = m_right @ at_right
            return (p[:, None] * columns[left_label]).T @ rows[right_label]
        outer = m_left[:, None] @ m_right[None, :]  # line 10

        @jax.checkpoint
        def term(weight: jax.Array, l_: jax.Array, r_: jax.Array) -> jax.Array:
            return weight * (at_left[l_] @ outer @ at_right[r_])

        def line_14(m: jax.Array, pair: tuple[jax.Array, ...]) -> tuple[jax.Array, None]:
            return m + term(*pair), None

        pairs = (p, jnp.asarray(left_label), jnp.asarray(right_label))
        return jax.lax.scan(line_14, jnp.zeros_like(outer), pairs)[0]

    def total(tree: Trees) -> jax.Array:
        steps, size = tree.node.shape[0], automata.initial.shape[1]
        # Products over left and right dependents so far, one row each for root and padding.
        identity = jnp.broadcast_to(jnp.eye(size), (steps + 2, size, size))

        def step(
            kids: tuple[jax.Array, jax.Array], at: Trees
        ) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
            left, right = kids
            m, scale = _rescale(inside(automata, choice, left[at.node], right[at.node], at))
            parent = jnp.where(at.valid, at.parent, steps)
            product, more = _rescale(jnp.where(at.is_left, left[parent], right[parent]) @ m)
            left = left.at[jnp.where(at.is_left, parent, steps)].set(product)
            right = right.at[jnp.where(at.is_left, steps, parent)].set(product)
            return (left, right), jnp.where(at.valid, scale + more, 0.0)

        per_step = tree._replace(first_slot=None, last_slot=None, log_scale=None)
        (_, right), scales = jax.lax.scan(step, (identity, identity), per_step)
        # Line 18; the root is treated as a right dependent of its virtual parent.
        score = automata.initial[tree.first_slot] @ right[steps + 1]
        score = score @ automata.final[tree.last_slot]
        positive = score > 0
        log_score = jnp.where(positive, jnp.log(jnp.where(positive, score, 1.0)), -jnp.inf)
        return log_score + scales.sum() + tree.log_scale

    return jax.vmap(total)(padded.trees)


def _rescale(m: jax.Array) -> tuple[jax.Array, jax.Array]:
    largest = jax.lax.stop_gradient(m.max())
    largest = jnp.where(largest > 0, largest, 1.0)
    return m / largest, jnp.log(largest)
