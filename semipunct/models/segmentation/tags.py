"""The tags of characters, and the tokens and sentences that they encode."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.corpus.located import BLANKS
from semipunct.corpus.passages import Span
from semipunct.models.segmentation.guises import Segmentation

OUTSIDE, INSIDE, LAST, STOP = range(4)
"""A blank between tokens; a character within a token, at its end, at the end of a sentence."""

TAGS = 4

_LEAST = 1e-9  # added to probabilities


def tags_of(gold: Segmentation) -> npt.NDArray[np.int8]:
    """Return the tags of a text, ``[characters]``."""
    tags = np.full(len(gold.text), OUTSIDE, np.int8)
    for (start, end), stops in zip(gold.tokens, gold.ends, strict=True):
        tags[start : end - 1] = INSIDE
        tags[end - 1] = STOP if stops else LAST
    return tags


def is_blank(text: str) -> npt.NDArray[np.bool_]:
    """Return the mask of blanks, ``[characters]``."""
    blank = np.zeros(len(text), bool)
    for match in BLANKS.finditer(text):
        blank[slice(*match.span())] = True
    return blank


def spans_of(tags: npt.NDArray[np.int8], text: str) -> tuple[list[Span], list[bool]]:
    """Return the tokens that tags encode, and whether each of them ends a sentence."""
    used = np.flatnonzero(tags != OUTSIDE)
    ends = np.flatnonzero(tags >= LAST)
    before = np.concatenate([[-1], ends])[: len(ends)]
    firsts = used[np.searchsorted(used, before, side="right")]
    spans: list[Span] = []
    for first, last in zip(firsts.tolist(), ends.tolist(), strict=True):
        blank = BLANKS.match(text, first)  # no token begins with a blank
        spans.append((blank.end() if blank else first, last + 1))
    return spans, (tags[ends] == STOP).tolist()


def forbidden(blank: jax.Array, last: jax.Array) -> jax.Array:
    """Return minus infinity for impossible tags and 0 for others, ``[batch, length, tags]``.

    A blank never ends a token; every other character is in one; the last one ends a sentence.
    """
    at_last = (jnp.arange(blank.shape[1]) == last[:, None])[..., None]
    tag = jnp.arange(TAGS)
    allowed = jnp.where(blank[..., None], tag <= INSIDE, tag != OUTSIDE)
    after = (jnp.arange(blank.shape[1]) > last[:, None])[..., None]
    allowed = jnp.where(at_last, tag == STOP, jnp.where(after, tag == OUTSIDE, allowed))
    return jnp.where(allowed, 0.0, -jnp.inf)


def transitions(weight: jax.Array) -> jax.Array:
    """Forbid a blank directly after a character within a token, ``[tags, tags]``."""
    broken = jnp.zeros((TAGS, TAGS), bool).at[INSIDE, OUTSIDE].set(True)
    return jnp.where(broken, -jnp.inf, weight)


def end_log_odds(marginal: jax.Array) -> jax.Array:
    """Return the log-odds that a token end is also a sentence end, ``[batch, length]``."""
    return jnp.log(marginal[..., STOP] + _LEAST) - jnp.log(marginal[..., LAST] + _LEAST)


def last_places(blanks: Sequence[npt.NDArray[np.bool_]]) -> npt.NDArray[np.int32]:
    """Return the position of the last non-blank character of each text; -1 for none."""
    places = (np.flatnonzero(~blank) for blank in blanks)
    return np.array([nonblank[-1] if len(nonblank) else -1 for nonblank in places], np.int32)
