"""Random non-projective trees, by loop-erased random walks or word by word from marginals.

A walk from a word steps to heads, drawn in proportion to the weights of arcs, until it meets the
tree, which then gets the path without its loops; the next walk starts at a word that is not in the
tree (Wilson 1996). With a single root, its child is drawn from the marginals first (Zmigrod et al.
2021, section 4), and walks end there.

Many trees are drawn side by side, each in a lane: every step is one draw for all lanes. Heads are
drawn by the alias method (Walker 1977; Vose 1991), in constant time; probabilities are rounded to
multiples of 2**-31.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semipunct.structures.matrix_tree import by_elimination
from semirings.devices import axes_of, scan, varying
from semirings.threefry import threefry_2x32

_LANES = 32
"""The number of trees of an item that are drawn side by side; the draws of a key depend on it."""

_BITS = 31
"""The number of bits of a rounded probability."""


class Aliases(NamedTuple):
    """Tables of the alias method: slot i means i or ``other[i]``.

    Attributes:
        threshold: ``[rows, slots]`` how many of the ``2**31 / slots`` numbers of a slot mean the
            slot itself; the number of slots is a power of two.
        other: ``[rows, slots]``.
    """

    threshold: jax.Array
    other: jax.Array


def aliases(probabilities: jax.Array) -> Aliases:
    """Make the tables for rows of probabilities.

    Args:
        probabilities: ``[rows, choices]``; each row has the sum one, up to rounding. A row that has
            not chooses something.

    Source: Vose (1991), in integers, so that no rounding error is left over.
    """
    rows, choices = probabilities.shape
    slots = max(2, 1 << (choices - 1).bit_length())
    capacity = jnp.uint32((1 << _BITS) // slots)
    row = jnp.arange(rows)
    # Rounded down, and a little less, so that the largest choice gets the rest.
    rounded = jnp.clip(probabilities * (2.0**_BITS * (1 - 2.0**-20)), 0.0, 2.0**_BITS)
    share = jnp.pad(rounded.astype(jnp.uint32), ((0, 0), (0, slots - choices)))
    missing = jnp.uint32(1 << _BITS) - jnp.sum(share, 1, dtype=jnp.uint32)
    share = share.at[row, jnp.argmax(share, 1)].add(missing)
    is_light = share <= capacity
    number = jnp.cumsum(is_light, 1, dtype=jnp.int32)
    lights = number[:, -1]
    place = jnp.where(is_light, number - 1, lights[:, None] + jnp.arange(slots) - number)
    # The light choices, then the heavy ones, which fill the slots of the light.
    order = jnp.zeros((rows, slots), jnp.int32)
    order = order.at[row[:, None], place].set(jnp.arange(slots, dtype=jnp.int32))

    def fill(_: Any, state: Any) -> Any:
        light, heavy, left, tables = state
        at_light, at_heavy, next_heavy = (
            order[row, jnp.minimum(x, slots - 1)] for x in (light, heavy, heavy + 1)
        )
        # The heavy choice becomes a light one when no more than a slot is left of it.
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
    """The state of the walks, ``[lanes]`` or flat arrays of all lanes.

    Nodes are kept in an order: first those in the tree, then those on the path of the walk, then
    the others. A loop is erased by making the path shorter.

    Attributes:
        tree: the number of the tree among those of the item.
        node: the node at which the walk is.
        members: the number of nodes in the tree.
        reached: the number of nodes in the tree and on the path.
        order: ``[lanes * (n + 1)]`` the nodes.
        place: ``[lanes * (n + 1)]`` the place of each node in the order.
        heads: ``[(trees + 1) * (n + 1)]`` the last head drawn for each node; the last tree is for
            lanes that have finished.
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

    The time is proportional to the expected number of draws (``matrix_tree.Sums.draws``).

    Args:
        probabilities: ``[batch, n + 1, n + 1]``: in row m, the probability of each head of word m
            in a step; in row 0, with a single root, of each word to be its child.
        words: two arrays ``[batch]`` of random numbers, which determine the trees of an item.
        counts: ``[batch]`` numbers of trees, at most ``most``.
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
    # A walk that needs to draw the child of the root starts at the root.
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
        # A new node changes places with the first of the others.
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
    """Draw trees of one item, heads ``[draws, n]``, word by word from the marginals.

    The marginals of a word are those given the heads of the words before: n eliminations for each
    tree. A marginal below its own rounding error is taken to be zero.

    Args:
        arcs: ``[n + 1, n + 1]`` log weights.
        keys: ``[draws]`` a random key for each.

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
