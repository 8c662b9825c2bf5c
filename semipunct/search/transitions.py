"""Arc-standard transitions (Nivre 2008) as functions on arrays of fixed size.

A derivation of n words has n shifts and n - 1 arcs, and leaves one item on the stack, whose head is
the root. An item is a partial tree, represented by the numbers in ``Field``: its head, the two
outermost dependents on either side, and counts. The items below the top of the stack are not part
of a state: it points to an earlier state that holds them (Huang and Sagae 2010), so all transitions
take the same time, regardless of the number of words.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

import jax
import jax.numpy as jnp

SHIFT, LEFT, RIGHT = range(3)
"""Push the next word onto the stack; make the second item a left dependent of the first; make the
first a right dependent of the second. The item of an arc replaces the two."""

ACTIONS = 3


class Field(IntEnum):
    """The columns of an item, ``[..., Field.CARRIED + columns of its user]``."""

    WORD = 0
    """The head, 1 to n; 0 where there is no item."""
    LEFT_1 = 1
    """The leftmost dependent on its left, 0 for none."""
    LEFT_2 = 2
    """The dependent after it."""
    RIGHT_1 = 3
    """The rightmost dependent on its right."""
    RIGHT_2 = 4
    """The dependent before it."""
    LEFT_COUNT = 5
    RIGHT_COUNT = 6
    LEFT_1_LABEL = 7
    """Labels of these dependents, from 1; 0 for none."""
    LEFT_2_LABEL = 8
    RIGHT_1_LABEL = 9
    RIGHT_2_LABEL = 10
    LEFT_LABELS = 11
    """The set of labels on this side, as 31 bits."""
    RIGHT_LABELS = 12
    CARRIED = 13
    """The first of the columns that the caller of the search assigns to words."""


Attach = Callable[[jax.Array, jax.Array, int], jax.Array]
"""A function of the carried columns of a head and of its new dependent, and of ``LEFT`` or
``RIGHT``, that returns the carried columns of the head with the dependent."""


def keep_head(head: jax.Array, dependent: jax.Array, side: int) -> jax.Array:
    """Return the head's columns unchanged, ignoring those of the dependent.

    Args:
        head: ``[..., columns]`` the carried columns of the head.
        dependent: ``[..., columns]`` those of its new dependent.
        side: ``LEFT`` or ``RIGHT``.
    """
    return head


def shift_word(word: jax.Array, carried: jax.Array) -> jax.Array:
    """Return the item of a word without dependents, ``[..., fields]``.

    Args:
        word: ``[...]`` the number of the word.
        carried: ``[..., columns]`` its carried columns.
    """
    empty = jnp.zeros((*word.shape, Field.CARRIED - 1), word.dtype)
    return jnp.concatenate([word[..., None], empty, carried], axis=-1)


def attach_dependent(
    head: jax.Array, dependent: jax.Array, side: int, label: jax.Array, attach: Attach
) -> jax.Array:
    """Return an item with a new outermost dependent.

    Args:
        head: ``[..., fields]`` the item of the head.
        dependent: ``[..., fields]`` the item of the dependent.
        side: ``LEFT`` or ``RIGHT`` of the head.
        label: ``[...]`` the label of the arc, from 0.
        attach: returns the carried columns of the head with the dependent.
    """
    right = side == RIGHT
    first = Field.RIGHT_1 if right else Field.LEFT_1
    count = Field.RIGHT_COUNT if right else Field.LEFT_COUNT
    first_label = Field.RIGHT_1_LABEL if right else Field.LEFT_1_LABEL
    labels = Field.RIGHT_LABELS if right else Field.LEFT_LABELS
    columns = [head[..., i] for i in range(Field.CARRIED)]
    columns[first], columns[first + 1] = dependent[..., Field.WORD], columns[first]
    columns[count] = columns[count] + 1
    columns[first_label], columns[first_label + 1] = label + 1, columns[first_label]
    columns[labels] = columns[labels] | (1 << (label % 31))
    carried = attach(head[..., Field.CARRIED :], dependent[..., Field.CARRIED :], side)
    return jnp.concatenate([jnp.stack(columns, axis=-1), carried], axis=-1)


def allowed_actions(step: jax.Array | int, following: jax.Array, lengths: jax.Array) -> jax.Array:
    """Return the actions that are possible in a state, ``[..., ACTIONS]``.

    Args:
        step: number of preceding transitions.
        following: ``[...]`` the next word of the buffer, 1 to n + 1.
        lengths: ``[...]`` number of words of each sentence, n.
    """
    shifts = following - 1
    depth = 2 * shifts - step
    arcs = (depth >= 2) & (shifts <= lengths)
    return jnp.stack([shifts < lengths, arcs, arcs], axis=-1)
