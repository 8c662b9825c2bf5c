"""The error channel of a text model: the string written in place of the right one.

Rates of frequent strings are counts of learner errors; others are backed off to a
language-independent channel, which deletes, replaces and exchanges single tokens of a string and
inserts tokens into empty slots. From these errors the text model learns to correct
(docs/decisions/running-text.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.corpus.learners import LearnerErrors
from semipunct.corpus.word_streams import is_final
from semipunct.marks import UNK, Puncteme
from semipunct.marks.balance import encloses

Rates = npt.NDArray[np.float32]

DELETION = 0.3
"""Rate of deletion of a mark within sentences; learners omit 35% of commas."""

DELETION_OF_OTHERS = 0.03
"""Rate of deletion of a sentence end, a bracket or a quotation mark."""

REPLACEMENT = 0.05
"""Rate of replacement of a mark other than brackets and quotation marks."""

EXCHANGE = 0.05
"""Rate of exchange of two adjacent marks of a slot."""

INSERTION = 0.003
"""Rate of insertion of a mark into an empty slot."""

_SLOTS = 20  # pseudo-count of the language-independent channel, in slots

_MOST = 0.9  # the maximum total error rate of a string


def error_rates(strings: Sequence[Puncteme], learners: LearnerErrors) -> Rates:
    """Return the rate of writing a string (column) where another one (row) is right.

    Args:
        strings: by descending frequency. A last tag is for all other strings, which are never an
            error and have none.
    """
    number = {string: tag for tag, string in enumerate(strings)}
    rates = np.zeros((len(strings) + 1,) * 2)
    singles = _frequencies(strings)
    for tag, string in enumerate(strings):
        for written, rate in _errors(string, singles):
            if written != string and written in number:
                rates[tag, number[written]] += rate
    seen, errors = np.zeros(len(rates)), np.zeros_like(rates)
    for situation, count in learners.occurrences.items():
        seen[number.get(situation.right, -1)] += count
    for situation, counts in learners.errors.items():
        for written, error in counts.items():
            if situation.right in number and written in number:
                errors[number[situation.right], number[written]] += error.times
    total = (seen + _SLOTS)[:, None]
    return (rates * (_SLOTS / total) + errors / total).astype(np.float32)


def written_strings(
    key: jax.Array, tags: jax.Array, rates: jax.Array, factor: jax.Array
) -> jax.Array:
    """Draw the strings written where others are right, ``[batch, slots]``.

    Args:
        tags: ``[batch, slots]``, the right strings.
        factor: ``[batch, 1]``, of the rates of each passage.
    """
    cumulative = jnp.cumsum(rates, 1)
    total = cumulative[:, -1][tags]
    scale = jnp.minimum(factor, _MOST / jnp.maximum(total, 1e-9))
    place = jax.random.uniform(key, tags.shape) / jnp.maximum(scale, 1e-9)
    # Inversion of the cumulative rates.
    written = jnp.sum(place[..., None] >= cumulative[tags], -1)
    return jnp.where(place < total, written, tags)


def _frequencies(strings: Sequence[Puncteme]) -> dict[Puncteme, float]:
    """Return the shares of the marks that may be written by mistake, estimated from ranks."""
    single = [string for string in strings if len(string) == 1]
    usual = [string for string in single if UNK not in string and not encloses(string)]
    weights = [1 / rank**2 for rank in range(1, len(usual) + 1)]
    return {string: w / sum(weights) for string, w in zip(usual, weights, strict=True)}


def _errors(string: Puncteme, singles: dict[Puncteme, float]) -> Iterator[tuple[Puncteme, float]]:
    """Yield erroneous strings with their rates in the language-independent channel."""
    if not string:
        yield from ((written, INSERTION * share) for written, share in singles.items())
    for place, token in enumerate(string):
        before, after = string[:place], string[place + 1 :]
        usual = not is_final((token,)) and not encloses((token,))
        yield (*before, *after), DELETION if usual else DELETION_OF_OTHERS
        if not encloses((token,)):
            remaining_share = 1 - singles.get((token,), 0.0)
            for written, share in singles.items():
                if written != (token,):
                    yield (*before, *written, *after), REPLACEMENT * share / remaining_share
        if after:
            yield (*before, after[0], token, *after[1:]), EXCHANGE
