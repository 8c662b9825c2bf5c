"""The tags of characters, and the tokens and sentences that they say."""

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
"""A blank between tokens; a character of a token, its last one, and the last one of a sentence."""

TAGS = 4


def tags_of(gold: Segmentation) -> npt.NDArray[np.int8]:
    """Return the tags of a text, ``[characters]``."""
    found = np.full(len(gold.text), OUTSIDE, np.int8)
    for (start, end), stops in zip(gold.tokens, gold.ends, strict=True):
        found[start : end - 1] = INSIDE
        found[end - 1] = STOP if stops else LAST
    return found


def is_blank(text: str) -> npt.NDArray[np.bool_]:
    """Return which characters are blanks, ``[characters]``."""
    found = np.zeros(len(text), bool)
    for match in BLANKS.finditer(text):
        found[slice(*match.span())] = True
    return found


def spans_of(tags: npt.NDArray[np.int8], text: str) -> tuple[list[Span], list[bool]]:
    """Return the tokens that tags say, and which of them end a sentence.

    Args:
        tags: ``[characters]``.
        text: the characters.
    """
    used = np.flatnonzero(tags != OUTSIDE)
    ends = np.flatnonzero(tags >= LAST)
    before = np.concatenate([[-1], ends])[: len(ends)]
    firsts = used[np.searchsorted(used, before, side="right")]
    spans: list[Span] = []
    for first, last in zip(firsts.tolist(), ends.tolist(), strict=True):
        blank = BLANKS.match(text, first)  # no token begins with one
        spans.append((blank.end() if blank else first, last + 1))
    return spans, (tags[ends] == STOP).tolist()


def forbidden(blank: jax.Array, last: jax.Array) -> jax.Array:
    """Return minus infinity for what a character cannot be, ``[batch, length, tags]``.

    A blank ends no token, any other character is in one, and the last of these ends a sentence.

    Args:
        blank: ``[batch, length]``.
        last: ``[batch]`` the place of the last character that is no blank, -1 if there is none.
    """
    at_last = (jnp.arange(blank.shape[1]) == last[:, None])[..., None]
    tag = jnp.arange(TAGS)
    allowed = jnp.where(blank[..., None], tag <= INSIDE, tag != OUTSIDE)
    after = (jnp.arange(blank.shape[1]) > last[:, None])[..., None]
    allowed = jnp.where(at_last, tag == STOP, jnp.where(after, tag == OUTSIDE, allowed))
    return jnp.where(allowed, 0.0, -jnp.inf)


def transitions(weight: jax.Array) -> jax.Array:
    """Forbid that a token ends without its last character, ``[tags, tags]``."""
    broken = jnp.zeros((TAGS, TAGS), bool).at[INSIDE, OUTSIDE].set(True)
    return jnp.where(broken, -jnp.inf, weight)


def last_places(blanks: Sequence[npt.NDArray[np.bool_]]) -> npt.NDArray[np.int32]:
    """Return the place of the last character of each text that is no blank, -1 without any."""
    places = (np.flatnonzero(~blank) for blank in blanks)
    return np.array([found[-1] if len(found) else -1 for found in places], np.int32)
