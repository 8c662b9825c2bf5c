"""Binary trees as lists of labelled spans: checks, and conversion from parts."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.readable import as_form, check, first_rows, modules_of, used_places


def spans_of_trees(
    spans: Any, lengths: jax.Array, words: int, shortest: int = 0
) -> tuple[Any, Any, Any, Any, Any]:
    """Check binary trees, and return the columns of their spans.

    A tree of n words is a set of 2n - 1 different spans that do not cross: no set of such spans is
    larger, and all sets of this size are binary trees with all words.

    Args:
        spans: ``[..., batch, spans, 3]`` first word, last word and label of each, in any order;
            rows that begin with -1 are ignored.
        lengths: ``[batch]`` numbers of words.
        words: the maximal number of words.
        shortest: the number of words of the shortest tree.

    Returns:
        First words, last words and labels ``[..., batch, spans]``, zeros where unused; which are
        used; and ``[..., batch]`` whether they are a tree.

    Raises:
        UsageError: if they are no tree.
    """
    spans = as_form(spans, (len(lengths), None, 3), "spans")
    # Concrete if they are.
    inside = used_places(lengths, words)
    xp = modules_of(spans, inside)
    length = xp.sum(inside, -1)[:, None]
    used = spans[..., 0] >= 0
    first, last, label = (xp.where(used, spans[..., i], 0) for i in range(3))
    wrong = used & ((last < first) | (last >= length))

    def explain(place: tuple[int, ...]) -> str:
        item, count = place[-1], int(length[place[-1], 0])
        rows = spans[place][used[place]].tolist()
        if wrong[place].any():
            row = spans[place][wrong[place]][0].tolist()
            return f"item {item}: span {row} is not within its words 0 to {count - 1}"
        for i, a in enumerate(rows):
            for b in rows[i + 1 :]:
                if a[:2] == b[:2]:
                    return f"item {item}: spans {a} and {b} have the same words"
                if a[0] < b[0] <= a[1] < b[1] or b[0] < a[0] <= b[1] < a[1]:
                    return f"item {item}: spans {a} and {b} cross"
        if count < shortest:
            return f"item {item}: it has {count} words, but the shortest tree has {shortest}"
        return (
            f"item {item}: {len(rows)} spans; a binary tree of {count} words has {2 * count - 1}, "
            "single words included"
        )

    one, other = (..., slice(None), None), (..., None, slice(None))
    same = (first[one] == first[other]) & (last[one] == last[other])
    crossed = (first[one] < first[other]) & (first[other] <= last[one]) & (last[one] < last[other])
    clash = (crossed | (same & ~np.eye(first.shape[-1], dtype=bool))) & used[one] & used[other]
    number = xp.maximum(2 * length[:, 0] - 1, 0)
    valid = (xp.sum(used, -1) == number) & ~xp.any(wrong, -1) & ~xp.any(clash, (-2, -1))
    valid = valid & ((length[:, 0] >= shortest) if shortest else True)
    check(valid, explain)
    return first, last, label, used, valid


def children(first: Any, last: Any, used: Any) -> tuple[Any, Any]:
    """Return ``[..., spans]`` the index of the left and of the right child of each span.

    Args:
        first: ``[..., spans]`` first words.
        last: last words.
        used: which spans are used; children of others, and of single words, are arbitrary.
    """
    xp = modules_of(first, last, used)
    parent, child = (..., slice(None), None), (..., None, slice(None))
    shares_first = used[child] & (first[parent] == first[child]) & (last[child] < last[parent])
    shares_last = used[child] & (last[parent] == last[child]) & (first[child] > first[parent])
    size = last[child] - first[child] + 1
    return tuple(xp.argmax(xp.where(shared, size, 0), -1) for shared in (shares_first, shares_last))


def trees_of(span: jax.Array) -> jax.Array:
    """Return the spans of trees in preorder: first word, last word and label, -1 in the padding.

    Args:
        span: ``[..., n, n, labels]`` the uses of spans.

    Returns:
        ``[..., 2n - 1, 3]``, or ``[..., 0, 3]`` without words.
    """
    words = span.shape[-2]
    # In preorder longer spans come first among those with the same first word.
    span = span[..., ::-1, :]
    flat = span.reshape(*span.shape[:-3], words * words, span.shape[-1])
    first, last = np.divmod(np.arange(words * words), max(words, 1))
    last = words - 1 - last
    label = jnp.argmax(flat, -1) if flat.shape[-1] else jnp.zeros(flat.shape[:-1], int)
    columns = (jnp.broadcast_to(x, label.shape) for x in (first, last, label))
    used = jnp.any(flat > 0, -1)
    return first_rows(jnp.stack([*columns], -1), used, max(2 * words - 1, 0))
