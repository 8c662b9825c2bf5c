"""Labels at the edges of phrases in given trees, read by an automaton at each slot.

Phrases may share edges, so the inside value of a phrase c is a matrix, from states at its left slot
to states at its right slot, with the matrix M(l) of label l::

    IN(c) = sum over l, r of choice[c, l, r] M(l) IN(children of c) M(r)

This is Algorithm 1 of Li, Wang and Eisner (2019) for phrases that share their heads (footnote 2);
see docs/decisions/papers.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.arrays.shapes import (
    as_log_weights,
    check_lengths,
    check_log_weights,
    check_shapes,
    used_by_any,
    within,
)
from semipunct.errors import UsageError
from semipunct.structures.base import PartWise, Total, any_batch, lift_weights, mask_padding
from semipunct.structures.recursion import Recursion
from semirings.base import Semiring, take
from semirings.log import Log


class PhraseMarkParts(NamedTuple):
    """Parts of a labelling.

    Attributes:
        choice: ``[batch, nodes, labels, labels]``; ``[b, x, l, r]``: node x has l left and r right.
        final: ``[batch, slots, states]``; ``[b, k, s]``: the string of slot k ends in state s.
    """

    choice: Any
    final: Any


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class PhraseMarks(PartWise[PhraseMarkParts]):
    """A batch of trees of phrases; build with ``phrase_marks``.

    Attributes:
        depths: ``[batch, nodes]``.
        words: ``[batch, nodes]`` twice the number of words before a node, plus one if it is a word.
        matrices: ``[batch or 1, labels, states, states]``.
        initial: ``[batch or 1, states]``.
    """

    depths: jax.Array
    words: jax.Array
    matrices: jax.Array
    initial: jax.Array
    levels: int = field(metadata={"static": True})

    def unnormalized_log_prob(self, parts: PhraseMarkParts) -> jax.Array:
        """Return log weights ``[batch]``, the totals with all other parts forbidden."""
        weights = jax.tree.map(lambda x, w: jnp.where(x > 0, w, -jnp.inf), parts, self.weights)
        total = replace(self, weights=weights).total(Log())
        return total.value + total.log_scale

    def total(
        self, semiring: Semiring, feature: Any = None, recursion: Recursion = Recursion()
    ) -> Total:
        """Run the inside recursion from the last node to the root."""
        s, weights = semiring, self.weights
        batch, nodes = weights.choice.shape[:2]
        states = weights.final.shape[2]
        slot, is_word = self.words // 2, self.words % 2 > 0

        def at_slot(x: jax.Array) -> jax.Array:
            return jnp.take_along_axis(x, slot[..., None], 1)

        features = (None, None) if feature is None else feature
        slices = (
            jnp.broadcast_to(jnp.arange(nodes), (batch, nodes)),
            self.depths,
            is_word,
            weights.choice,
            at_slot(weights.final),
            features[0],
            jax.tree.map(at_slot, features[1]),
        )
        slices = jax.tree.map(lambda x: jnp.flip(x, 1), slices)
        dtype = weights.choice.dtype
        matrices = s.lift(self.matrices.astype(dtype))
        initial = s.lift(self.initial.astype(dtype))
        eye = jnp.eye(states, dtype=bool)[None, None]
        like = s.lift(jnp.zeros(eye.shape, dtype))
        unit = s.where(eye, s.ones_like(like), s.zeros_like(like))
        levels = self.levels + 1
        stack = jax.tree.map(lambda x: jnp.broadcast_to(x, (batch, levels, *x.shape[2:])), unit)
        level = jnp.arange(levels)
        item = jnp.arange(batch)

        def step(state: Any, at: Any) -> Any:
            stack, log_scale = state
            place, depth, leaf, *padded = at
            active = place < self.lengths
            choice, final, of_choice, of_final = mask_padding(active, tuple(padded))
            end = lift_weights(s, final, of_final)
            word = s.times(take[:, :, None](end), take[:, None](initial))
            inside = s.where(leaf[:, None, None], word, take[item, depth + 1](stack))
            # [batch, left labels, right labels, states, states]
            left = s.matmul(matrices, take[:, None](inside))
            both_edges = s.matmul(take[:, :, None](left), take[:, None](matrices))
            chosen = take[..., None, None](lift_weights(s, choice, of_choice))
            constituent = s.sum(s.sum(s.times(chosen, both_edges), 2), 1)
            constituent, factor = s.balance(constituent, (1, 2))
            beside = s.matmul(constituent, take[item, depth](stack))
            is_open = ((level == depth[:, None]) & active[:, None])[..., None, None]
            below = ((level == depth[:, None] + 1) & active[:, None])[..., None, None]
            stack = s.where(is_open, take[:, None](beside), stack)
            stack = s.where(below, unit, stack)
            return stack, log_scale + jnp.where(active, factor, 0.0)

        start = (stack, jnp.zeros((batch,), dtype))
        stack, log_scale = recursion.scan(step, start, slices, nodes)
        # No word follows the last slot, so its string ends here.
        last = jnp.max(jnp.where(self._used & is_word, slot + 1, 0), 1, initial=0)
        final_feature = take[item, last](features[1])
        ending = mask_padding(self.lengths > 0, (weights.final[item, last], final_feature))
        end = lift_weights(s, *ending)
        row = s.matmul(take[:, None](initial), take[:, 0](stack))
        value = take[:, 0, 0](s.matmul(row, take[:, :, None](end)))
        return Total(s.where(self.lengths > 0, value, s.ones((batch,))), log_scale)

    @property
    def _used(self) -> jax.Array:
        return jnp.arange(self.depths.shape[1]) < self.lengths[:, None]


@any_batch(choice=3, final=2, depths=1, lengths=0)
def phrase_marks(
    choice: jax.Array,
    final: jax.Array,
    depths: jax.Array,
    matrices: jax.Array,
    initial: jax.Array,
    lengths: jax.Array,
    levels: int,
) -> PhraseMarks:
    """Build trees whose nodes choose labels for both edges.

    A slot is read in order: phrases that end there, innermost first, then phrases that start there,
    outermost first.

    Args:
        choice: ``[*batch, nodes, labels, labels]`` log weight of left and right label.
        final: ``[*batch, slots, states]`` log weight of final states. Words are the leaves; slot k
            follows word k.
        depths: ``[*batch, nodes]`` depths in preorder.
        matrices: ``[labels, states, states]`` log weights of the automaton.
        initial: ``[states]`` log weights.
        lengths: ``[*batch]`` numbers of nodes.
        levels: maximal depth plus one.

    Raises:
        UsageError: if a shape, length, depth or log weight is invalid.
    """
    choice, final, matrices, initial = map(as_log_weights, (choice, final, matrices, initial))
    depths, lengths = jnp.asarray(depths), jnp.asarray(lengths)
    check_shapes(
        choice=(choice, "batch nodes labels labels"),
        final=(final, "batch slots states"),
        depths=(depths, "batch nodes"),
        matrices=(matrices, "labels states states"),
        initial=(initial, "states"),
        lengths=(lengths, "batch"),
    )
    lengths = check_lengths(lengths, choice.shape[1])
    nodes = jnp.arange(depths.shape[1])
    if levels < 1:
        raise UsageError(f"levels is {levels}; give one more than the greatest depth")
    used_depths = jnp.where(nodes < lengths[:, None], depths, 0)
    check_lengths(used_depths.reshape(-1), levels - 1, name="depths")
    after = jnp.concatenate([depths[:, 1:], jnp.zeros_like(depths[:, :1])], 1)
    ends = (nodes + 1 == lengths[:, None]) | (after <= depths)
    leaf = ends & (nodes < lengths[:, None])
    before = jnp.cumsum(leaf, 1) - leaf
    words = jnp.minimum(before, final.shape[1] - 1) * 2 + leaf
    used = {
        "choice": used_by_any(within(lengths, choice.shape[1]), choice.shape),
        # Words have a slot on each side.
        "final": used_by_any(within(_slots(leaf, lengths), final.shape[1]), final.shape),
    }
    check_log_weights(used, choice=choice, final=final, matrices=matrices, initial=initial)
    weights = PhraseMarkParts(choice, final)
    return PhraseMarks(weights, lengths, depths, words, matrices[None], initial[None], levels)


def _slots(leaf: jax.Array, lengths: jax.Array) -> jax.Array:
    """Return numbers of slots ``[batch]``, zero for empty trees."""
    return jnp.where(lengths > 0, jnp.sum(leaf, 1) + 1, 0)
