"""Slot automata: the channel run backwards from what a slot shows (section 3.1, appendix D)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.marks import FINAL, INITIAL, OPEN
from semipunct.model.channel import mirror
from semipunct.model.inventory import Inventory
from semipunct.structures.window import Edits, Trie, WindowAutomata

Floats = npt.NDArray[np.float32]

# From this length on, an unseen string's probability may leave the range of float32: its tokens'
# own probabilities are then taken out of the automaton, as a factor of the sentence.
_LONG = 5


class Acceptors(NamedTuple):
    """Straight-line acceptors of surface strings, as log weights; slot 0 accepts the empty string.

    Attributes:
        emit: ``[slots, states, states, symbols]`` arcs within the string.
        final: ``[slots, states, symbols]`` the last arc; a pending start ends the empty string.
        initial: ``[slots, states, symbols]`` the pending symbol to begin with.
        closed: ``[slots]`` whether the boundary mark at the far end is still to be read.
        log_scale: ``[slots]`` log of the factor taken out of each slot's weights.
    """

    emit: Floats
    final: Floats
    initial: Floats
    closed: npt.NDArray[np.bool_]
    log_scale: Floats


def acceptors(
    strings: Sequence[tuple[int, ...]],
    inventory: Inventory,
    states: int,
    slots: int,
    *,
    mirrored: bool,
) -> Acceptors:
    """Build the acceptors of distinct surface strings, padded to ``slots`` and ``states``.

    Args:
        strings: symbols of each string in text order; the first is the empty string.
        inventory: gives the alphabet and the spelling of the open puncteme.
        states: at least the length of the longest string.
        slots: at least the number of strings.
        mirrored: build for strings read from right to left.
    """
    symbols = len(inventory.symbols)
    number = {s: i for i, s in enumerate(inventory.symbols)}
    opening, closing = number[INITIAL], number[FINAL]
    if mirrored:
        opening, closing = closing, opening
    emit = np.full((slots, states, states, symbols), -np.inf, np.float32)
    final = np.full((slots, states, symbols), -np.inf, np.float32)
    initial = np.full((slots, states, symbols), -np.inf, np.float32)
    closed = np.zeros(slots, bool)
    log_scale = np.zeros(slots, np.float32)
    initial[:, 0, 0] = final[0, 0, 0] = 0.0
    for i, text in enumerate(strings):
        if not text:
            continue
        string = text[::-1] if mirrored else text
        if string[0] == opening:
            initial[i, 0, 0], initial[i, 0, opening] = -np.inf, 0.0
        closed[i] = string[-1] == closing
        # The spelling is a distribution over strings in text order.
        with np.errstate(divide="ignore"):  # boundary marks are never spelt: log of zero
            spell = inventory.spelling.log_tokens(text)
        n = len(text)
        taken = np.where(np.isfinite(spell[:, 1]) & (n >= _LONG), spell[:, 1], 0.0)
        log_scale[i] = taken.sum()
        for s in range(n):
            for t in range(s + 1, n + 1):
                a, b = (n - t, n - s) if mirrored else (s, t)
                weight = spell[a, 0] + spell[a + 1 : b, 1].sum() + np.log(inventory.spelling.stop)
                weight -= taken[a:b].sum()
                arc = final[i, s] if t == n else emit[i, s, t]
                arc[number[OPEN]] = weight
                if t == s + 1:
                    arc[string[s]] = -taken[a]
    return Acceptors(emit, final, initial, closed, log_scale)


def automata(
    accept: Acceptors,
    edits: Edits,
    inventory: Inventory,
    labels: tuple[Trie, Trie],
    *,
    mirrored: bool,
) -> WindowAutomata:
    """Compose one pass of the channel with acceptors.

    Args:
        accept: from ``acceptors`` with the same ``mirrored``.
        edits: log probabilities in text order.
        inventory: gives the alphabet.
        labels: tries of the (mirrored) labels and of their reversals.
        mirrored: whether the window moves from right to left.
    """
    closing = inventory.symbols.index(INITIAL if mirrored else FINAL)
    return WindowAutomata(
        mirror(edits) if mirrored else edits,
        jnp.asarray(accept.emit),
        jnp.asarray(accept.initial),
        jnp.asarray(accept.final),
        jnp.asarray(accept.closed),
        np.array([closing]),
        *labels,
    )


def label_tries(inventory: Inventory, *, mirrored: bool) -> tuple[Trie, Trie]:
    """Tries of the labels, and of the reversed labels, in reading order."""
    number = {s: i for i, s in enumerate(inventory.symbols)}
    texts = [tuple(number[t] for t in label) for label in inventory.labels]
    if mirrored:
        texts = [t[::-1] for t in texts]
    return Trie.of(texts), Trie.of([t[::-1] for t in texts])
