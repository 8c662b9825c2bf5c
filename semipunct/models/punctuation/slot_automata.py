"""Slot automata: the channel composed with the surface string of a slot (section 3.1, appendix D).

For every slot, the inside recursion needs the sum over all underlying strings u of the weight p(x |
u), where u is a concatenation of punctemes. The channel, a transducer from u to x, is therefore
composed with an acceptor of the observed x; the result reads punctemes.

An acceptor is a straight line: in state s, s tokens have been written, and an arc to s + 1 writes
one token. The open puncteme may be written as any string of one or more tokens, so its symbol has
arcs from every state to every later one, weighted by the spelling.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.marks import FINAL, INITIAL, OPEN
from semipunct.models.punctuation.channel import mirror
from semipunct.models.punctuation.inventory import Inventory
from semipunct.structures.given_tree import Columns, Edits, Trie, WindowAutomata

Floats = npt.NDArray[np.float32]

# The probability of a long string under the spelling is a product that may exceed the range of
# float32. The factor p(x_i) of each token is therefore taken out of all arcs that write it, by the
# open puncteme or not, and counted once, in ``log_scale``. Short strings keep their weights,
# because the open puncteme seldom writes them: a token written by its own symbol would have weight
# 1 / p(x_i) instead of one. The spelling is smoothed over the distinct strings of training, so
# tokens seldom have a probability below 1e-5; four such tokens leave half of the 38 decades to all
# other factors.
_LONG = 5  # minimum length of strings whose token probabilities are factors of the sentence


class Acceptors(NamedTuple):
    """Straight-line acceptors of surface strings, as log weights; slot 0 is empty."""

    emit: Floats  # [slots, states, states, symbols], arcs that do not end the string
    # [slots, states, symbols], arcs that do. They are final weights, because only the pending
    # symbol may write the last token; this saves a state. A pending start ends the empty string.
    final: Floats
    # [slots, symbols], pending at the start of the first pass: a boundary mark, which is part of no
    # puncteme, or the start symbol
    pending: Floats
    # [slots], whether the first pass still reads a boundary mark at the end
    closed: npt.NDArray[np.bool_]
    log_scale: Floats  # [slots], log of the factor taken out of the weights


def acceptors(
    strings: Sequence[tuple[int, ...]],
    inventory: Inventory,
    states: int,
    slots: int,
    directions: Sequence[bool],
) -> Acceptors:
    """Build the acceptors of distinct surface strings, padded to ``slots`` and ``states``.

    Args:
        strings: in text order; the first string is empty.
        directions: for each pass, whether its window moves from right to left. The last pass writes
            the surface string in its own direction.
    """
    symbols = len(inventory.symbols)
    number = {s: i for i, s in enumerate(inventory.symbols)}
    boundary = number[INITIAL], number[FINAL]
    opening, closing = boundary[::-1] if directions[0] else boundary
    emit = np.full((slots, states, states, symbols), -np.inf, np.float32)
    final = np.full((slots, states, symbols), -np.inf, np.float32)
    pending = np.full((slots, symbols), -np.inf, np.float32)
    closed = np.zeros(slots, bool)
    log_scale = np.zeros(slots, np.float32)
    # In an empty slot only the start symbol is pending: without a puncteme the automaton ends in
    # its initial state with weight one, whereas a pending token would have to be written.
    pending[:, 0] = final[0, 0, 0] = 0.0
    for i, text in enumerate(strings):
        if not text:
            continue
        # A boundary mark where the window starts is read before any puncteme, so it is pending from
        # the start. A mark at the other end is read after all punctemes.
        ends = text[::-1] if directions[0] else text
        if ends[0] == opening:
            pending[i, 0], pending[i, opening] = -np.inf, 0.0
        closed[i] = ends[-1] == closing
        log_scale[i] = _accept(text, inventory, emit[i], final[i], mirrored=directions[-1])
    return Acceptors(emit, final, pending, closed, log_scale)


def _accept(
    text: tuple[int, ...], inventory: Inventory, emit: Floats, final: Floats, *, mirrored: bool
) -> float:
    """Fill in the arcs of one string, and return the log of the factor taken out of them."""
    is_open = inventory.symbols.index(OPEN)
    string = text[::-1] if mirrored else text
    # The spelling is a distribution over strings in text order.
    with np.errstate(divide="ignore"):  # boundary marks have spelling probability zero
        spell = inventory.spelling.log_tokens(text)
    n = len(text)
    # A factor of zero, of boundary marks, cannot be taken out.
    factored_out = np.where(np.isfinite(spell[:, 1]) & (n >= _LONG), spell[:, 1], 0.0)
    for s in range(n):
        for t in range(s + 1, n + 1):
            a, b = (n - t, n - s) if mirrored else (s, t)  # in text order
            # The open puncteme is spelt as the tokens from a to b, followed by a stop.
            weight = spell[a, 0] + spell[a + 1 : b, 1].sum() + np.log(inventory.spelling.stop)
            arc = final[s] if t == n else emit[s, t]
            arc[is_open] = weight - factored_out[a:b].sum()
            if t == s + 1:
                arc[string[s]] = -factored_out[a]
    return float(factored_out.sum())


def automata(
    accept: Acceptors,
    passes: Sequence[Edits],
    inventory: Inventory,
    labels: tuple[Trie, Trie],
    directions: Sequence[bool],
) -> WindowAutomata:
    """Compose the passes of the channel with acceptors, starting with the last pass.

    The last pass is composed with the acceptor of the surface string; each earlier pass with the
    resulting automaton, which accepts the outputs of that pass.
    """
    slots, states, _, symbols = accept.emit.shape
    start = np.full((slots, symbols), -np.inf, np.float32)
    start[:, 0] = 0.0
    composed: WindowAutomata | None = None
    for number in range(len(passes) - 1, -1, -1):
        mirrored = directions[number]
        initial = np.full((slots, states, symbols), -np.inf, np.float32)
        # Boundary marks are special in the first pass only; later passes read them as symbols.
        initial[:, 0] = start
        if number == 0:
            initial = jnp.asarray(initial).at[:, 0].set(accept.pending)
        composed = WindowAutomata(
            mirror(passes[number]) if mirrored else passes[number],
            jnp.asarray(accept.emit),
            jnp.asarray(initial),
            jnp.asarray(accept.final),
            jnp.asarray(accept.closed) if number == 0 else jnp.zeros(slots, bool),
            np.array([inventory.symbols.index(INITIAL if mirrored else FINAL)]),
            *labels,
            next_pass=composed,
            columns=None if composed else Columns.of(labels[1], symbols),
        )
    if composed is None:
        raise ValueError("a channel has at least one pass")
    return composed


def label_tries(inventory: Inventory, *, mirrored: bool) -> tuple[Trie, Trie]:
    """Build tries of the labels and of the reversed labels, in reading order."""
    number = {s: i for i, s in enumerate(inventory.symbols)}
    texts = [tuple(number[t] for t in label) for label in inventory.labels]
    if mirrored:
        texts = [t[::-1] for t in texts]
    return Trie.of(texts), Trie.of([t[::-1] for t in texts])
