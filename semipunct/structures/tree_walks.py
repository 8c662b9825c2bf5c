"""Random non-projective trees, by loop-erased random walks or word by word from marginals.

A walk from a word follows random heads until it meets the tree, and its path without loops is added
to the tree; the next walk starts at a word outside the tree (Wilson 1996). With a single root, its
child is drawn from the marginals first, and walks end there (Zmigrod et al. 2021, section 4).

Each lane draws one tree, one head per step, by the alias method (Walker 1977; Vose 1991) with
probabilities rounded to multiples of 2**-31.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.structures.matrix_tree import by_elimination
from semirings.devices import axes_of, scan, varying
from semirings.threefry import threefry_2x32

# Trees of an item drawn in parallel; samples of a key depend on it.
_LANES = 32

# Bits of a rounded probability.
_BITS = 31


class Aliases(NamedTuple):
    """Tables of the alias method: slot i means i or ``other[i]``, ``[rows, slots]``.

    Attributes:
        threshold: how many of a slot's ``2**31 / slots`` numbers mean i; the number of slots is a
            power of two.
    """

    threshold: jax.Array
    other: jax.Array


def aliases(probabilities: jax.Array) -> Aliases:
    """Build tables for rows of probabilities, in integers to avoid rounding errors (Vose 1991)."""
    rows, choices = probabilities.shape
    slots = max(2, 1 << (choices - 1).bit_length())
    capacity = jnp.uint32((1 << _BITS) // slots)
    row = jnp.arange(rows)
    # Rounded down and reduced slightly; the largest choice gets the remainder.
    rounded = jnp.clip(probabilities * (2.0**_BITS * (1 - 2.0**-20)), 0.0, 2.0**_BITS)
    share = jnp.pad(rounded.astype(jnp.uint32), ((0, 0), (0, slots - choices)))
    missing = jnp.uint32(1 << _BITS) - jnp.sum(share, 1, dtype=jnp.uint32)
    share = share.at[row, jnp.argmax(share, 1)].add(missing)
    is_light = share <= capacity
    number = jnp.cumsum(is_light, 1, dtype=jnp.int32)
    lights = number[:, -1]
    place = jnp.where(is_light, number - 1, lights[:, None] + jnp.arange(slots) - number)
    # Light choices, then heavy ones, which fill the slots of the light ones.
    order = jnp.zeros((rows, slots), jnp.int32)
    order = order.at[row[:, None], place].set(jnp.arange(slots, dtype=jnp.int32))

    def fill(_: Any, state: Any) -> Any:
        light, heavy, left, tables = state
        at_light, at_heavy, next_heavy = (
            order[row, jnp.minimum(x, slots - 1)] for x in (light, heavy, heavy + 1)
        )
        # A heavy choice becomes light when no more than one slot remains.
        fills = ((left > capacity) | (heavy >= slots)) & (light < lights)
        slot = jnp.where(fills, at_light, at_heavy)
        own = jnp.where(fills, share[row, at_light], left)
        tables = Aliases(
            tables.threshold.at[row, slot].set(own),
            tables.other.at[row, slot].set(jnp.where(fills, at_heavy, next_heavy)),
        )
        left = jnp.where(fills, left, share[row, next_heavy]) - (capacity - own)
        return jnp.where(fills, light + 1, light), jnp.where(fills, heavy, heavy + 1), left, tables

    first = share[row, order[row, jnp.minimum(lights, slots - 1)]]
    empty = Aliases(jnp.zeros((rows, slots), jnp.uint32), jnp.zeros((rows, slots), jnp.int32))
    state = varying((jnp.zeros_like(lights), lights, first, empty), axes_of(probabilities))
    return jax.lax.fori_loop(0, slots, fill, state)[-1]


class _Lanes(NamedTuple):
    """The state of the walks, ``[lanes]`` or ``[lanes * (n + 1)]``.

    ``order`` lists nodes of the tree, then of the walk's path, then all others; ``place`` is its
    inverse. Shortening the path erases a loop.

    Attributes:
        members: number of nodes in the tree.
        reached: number of nodes in the tree and on the path.
        heads: ``[(trees + 1) * (n + 1)]`` last heads drawn; the extra tree is for finished lanes.
    """

    tree: jax.Array
    node: jax.Array
    members: jax.Array
    reached: jax.Array
    order: jax.Array
    place: jax.Array
    heads: jax.Array


def draw_heads(
    probabilities: jax.Array,
    lengths: jax.Array,
    single_root: bool,
    words: tuple[jax.Array, jax.Array],
    counts: jax.Array,
    most: int,
) -> jax.Array:
    """Draw trees ``[most, batch, n]``, zero beyond the count of an item.

    Args:
        probabilities: ``[batch, n + 1, n + 1]`` of each head of word m in row m, and of each child
            of a single root in row 0.
        words: two arrays ``[batch]`` of random bits.
    """
    batch, size, _ = probabilities.shape
    if size == 1:
        return jnp.zeros((most, batch, 0), jnp.int32)
    lanes = min(most, _LANES)
    item = jnp.repeat(jnp.arange(batch), lanes)
    lane = jnp.tile(jnp.arange(lanes), batch)
    start, trees = jnp.arange(batch * lanes) * size, most * batch
    last, length = counts[item], lengths[item]
    by_place = aliases(probabilities.reshape(batch * size, size))
    slots, tables = by_place.other.shape[1], Aliases(*(x.reshape(-1) for x in by_place))
    shift = 33 - slots.bit_length()
    # With a single root, the first walk draws its child and so starts at the root.
    first = int(not single_root)

    def move(bits: jax.Array, state: _Lanes) -> _Lanes:
        tree, node, members, reached, order, place, heads = state
        slot = (bits >> shift).astype(jnp.int32)
        entry = (item * size + node) * slots + slot
        own = ((bits & ((1 << shift) - 1)) >> 1) < tables.threshold[entry]
        head = jnp.where(own, slot, tables.other[entry])
        if single_root:
            head = jnp.where((members == 1) & (node > 0), 0, head)
        row = jnp.where(tree < last, tree * batch + item, trees)
        heads = heads.at[row * size + node].set(head, mode="promise_in_bounds")
        end = jnp.minimum(reached, size - 1)
        at, after = place[start + head], order[start + end]
        is_new, meets_tree = at >= reached, at < members
        # Swap a new node with the first of the others.
        order = order.at[start + at].set(jnp.where(is_new, after, head), mode="promise_in_bounds")
        order = order.at[start + end].set(jnp.where(is_new, head, after), mode="promise_in_bounds")
        place = place.at[start + after].set(jnp.where(is_new, at, end), mode="promise_in_bounds")
        place = place.at[start + head].set(jnp.where(is_new, end, at), mode="promise_in_bounds")
        finished = meets_tree & (reached == length + 1)
        node = jnp.where(meets_tree, after, head)
        members = jnp.where(meets_tree, reached, members)
        reached = jnp.where(is_new | meets_tree, reached + 1, at + 1)
        begun = order[start + first] if first else 0
        return _Lanes(
            jnp.where(finished, tree + lanes, tree),
            jnp.where(finished, begun, node),
            jnp.where(finished, 1, members),
            jnp.where(finished, 1 + first, reached),
            order,
            place,
            heads,
        )

    def body(state: tuple[_Lanes, jax.Array]) -> tuple[_Lanes, jax.Array]:
        walks, step = state
        counter = lane.astype(jnp.uint32), jnp.broadcast_to(step, lane.shape)
        for bits in threefry_2x32((words[0][item], words[1][item]), counter):
            walks = move(bits, walks)
        return walks, step + jnp.uint32(1)

    everyone = jnp.tile(jnp.arange(size), len(item))
    walks = _Lanes(
        jnp.where(length > 0, lane, most),
        jnp.full_like(lane, first),
        jnp.ones_like(lane),
        jnp.full_like(lane, 1 + first),
        everyone,
        everyone,
        jnp.zeros((trees + 1) * size, lane.dtype),
    )
    walks = varying(walks, axes_of((probabilities, lengths, words, counts)))
    walks, _ = jax.lax.while_loop(
        lambda state: jnp.any(state[0].tree < last), body, (walks, jnp.uint32(0))
    )
    heads = walks.heads[: trees * size].reshape(most, batch, size)[..., 1:]
    return jnp.where(jnp.arange(1, size) <= lengths[:, None], heads, 0)


def draw_heads_by_elimination(
    arcs: jax.Array, length: jax.Array, single_root: bool, keys: jax.Array, together: int
) -> jax.Array:
    """Draw trees of one item, heads ``[draws, n]``, word by word from conditional marginals.

    Each tree takes n eliminations. Marginals below their rounding error are taken as zero.

    Source: Colbourn et al. (1996).
    """
    places = jnp.arange(len(arcs))
    threshold = 8 * len(arcs) * jnp.finfo(arcs.dtype).eps

    def draw(key: jax.Array) -> jax.Array:
        def head_of(arcs: jax.Array, word: jax.Array) -> tuple[jax.Array, jax.Array]:
            _, given = by_elimination(arcs[None], length[None], single_root)
            column = given[0, :, word]
            logits = jnp.where(column > threshold, jnp.log(jnp.maximum(column, 1e-30)), -jnp.inf)
            head = jax.random.categorical(jax.random.fold_in(key, word), logits)
            chosen = (places[:, None] == head) | (places != word)
            return jnp.where(chosen, arcs, -jnp.inf), head

        return scan(head_of, arcs, places[1:])[1]

    return jax.lax.map(draw, keys, batch_size=together)
