"""The questions of the conformance suite, compiled once for each structure, and weights to ask of.

`Weighted` is a case with some log weights: what the library is asked about, and the enumerations
that know the answers.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Parts, Structure
from semipunct.structures.distribution import Answer, Distribution
from semirings import Semiring
from semirings.counting import Counting
from semirings.log import Log
from tests.structures.cases import Case
from tests.structures.enumeration import Enumeration

DRAWS = 2000
FORBIDDEN = 0.15
"""The share of log weights that are minus infinity."""
traces: Counter[str] = Counter()
"""How often each question was traced."""


@dataclass(frozen=True, eq=False)
class Weighted:
    """A case with log weights; arrays of parts are flat vectors of float64 here, item by item."""

    case: Case
    structure: Structure
    base: Semiring = Log()

    @property
    def distribution(self) -> Distribution:
        return Distribution(self.structure, self.base)

    @property
    def dtype(self) -> np.dtype:
        (found,) = {x.dtype for x in jax.tree.leaves(self.structure.log_weights)}
        return found

    @property
    def close(self) -> dict[str, float]:
        """How close numbers must be to the enumeration's."""
        tolerance = 1e-10 if self.dtype == np.float64 else 2e-5
        return {"rtol": tolerance, "atol": tolerance}

    @property
    def items(self) -> range:
        return range(len(self.case.lengths))

    def flat(self, parts: Parts, item: int, axes: int = 0) -> np.ndarray:
        """One item's entries of arrays with some axes in front."""
        rows = (slice(None),) * axes + (self.case.rows(item),)
        found = [np.asarray(x, np.float64)[rows] for x in jax.tree.leaves(parts)]
        return np.concatenate([x.reshape(*x.shape[:axes], -1) for x in found], -1)

    def with_item(self, parts: Parts, item: int, flat: np.ndarray) -> Parts:
        """Expanded parts with one item's entries replaced, as arrays of numpy."""
        leaves, treedef = jax.tree.flatten(parts)
        new, start = [], 0
        for leaf in leaves:
            changed = np.array(leaf)
            rows = changed[self.case.rows(item)]
            changed[self.case.rows(item)] = flat[start : start + rows.size].reshape(rows.shape)
            start += rows.size
            new.append(changed)
        return jax.tree.unflatten(treedef, new)

    @cached_property
    def expanded(self) -> Structure:
        return self.structure.expanded()

    @cached_property
    def enumerations(self) -> list[Enumeration]:
        weights = self.expanded.log_weights
        return [
            Enumeration.of(*events(self.case, item), self.flat(weights, item))
            for item in self.items
        ]

    def weighing(self, log_weights: Parts) -> Weighted:
        """The same with other log weights, expanded or not."""
        like = [x.shape for x in jax.tree.leaves(log_weights)]
        mine = [x.shape for x in jax.tree.leaves(self.structure.log_weights)]
        structure = self.structure if like == mine else self.expanded
        return replace(self, structure=structure.with_log_weights(log_weights))

    def looked_at(self, items: Iterable[int]) -> Parts:
        """Which log weights, as they are before expansion, some derivation of the items uses."""
        spread = jax.tree.map(np.zeros_like, self.expanded.log_weights)
        for item in items:
            spread = self.with_item(spread, item, self.enumerations[item].used)
        gathered = self.gathered(jax.tree.map(jnp.asarray, spread))
        return jax.tree.map(lambda x: np.asarray(x) > 0, gathered)

    def gathered(self, parts: Parts) -> Parts:
        """Expanded parts added up where one log weight stands for several."""

        def spread(log_weights: Parts) -> Parts:
            return self.structure.with_log_weights(log_weights).expanded().log_weights

        return jax.vjp(spread, self.structure.log_weights)[1](parts)[0]

    def disturbed(self, items: Iterable[int], seed: int) -> Weighted:
        """The same with other log weights wherever no derivation of the items looks."""
        rng = np.random.default_rng(seed)
        return self.weighing(
            jax.tree.map(
                lambda x, y: jnp.where(y, x, rng.normal(0, 5, x.shape).astype(x.dtype)),
                self.structure.log_weights,
                self.looked_at(items),
            )
        )


@cache
def events(case: Case, item: int) -> tuple[np.ndarray, np.ndarray]:
    """All derivations of an item: `[derivations, parts]`, and their weights aside of parts."""
    found = list(case.events(item))
    parts = [np.concatenate([np.ravel(x) for x in jax.tree.leaves(e.parts)]) for e in found]
    return np.array(parts, np.float64), np.array([e.aside for e in found])


def uniform(case: Case) -> Weighted:
    """All log weights zero."""
    return Weighted(case, _template(case, jax.config.jax_enable_x64))


def weighted(case: Case, seed: int = 0) -> Weighted:
    """Random log weights, some of them minus infinity, such that no item is impossible."""
    return _weighted(case, seed, jax.config.jax_enable_x64)


@cache
def _template(case: Case, _: bool) -> Structure:
    return case.build()


@cache
def _weighted(case: Case, seed: int, _: bool) -> Weighted:
    rng = np.random.default_rng(seed)
    template = uniform(case)

    def draw(x: jax.Array) -> jax.Array:
        drawn = np.where(rng.random(x.shape) < FORBIDDEN, -np.inf, rng.normal(0, 1, x.shape))
        return jnp.asarray(drawn.astype(x.dtype))

    for _ in range(1000):
        drawn = jax.tree.map(draw, template.structure.log_weights)
        found = Weighted(case, template.structure.with_log_weights(drawn))
        if all(e.possible for e in found.enumerations):
            return found
    raise ValueError(f"{case.name}: no weights that leave every item a derivation")


def features(w: Weighted, seed: int) -> Parts:
    """A random number for each part of the expanded structure."""
    rng = np.random.default_rng(seed)
    return jax.tree.map(
        lambda x: jnp.asarray(rng.normal(0, 1, x.shape).astype(x.dtype)), w.expanded.log_weights
    )


def few(w: Weighted, most: int) -> Weighted:
    """The same where every item has at most so many derivations, and some item nearly as many."""
    rng = np.random.default_rng(7)
    weights = w.expanded.log_weights
    for item, e in enumerate(w.enumerations):
        possible = e.parts[e.log_weight > -np.inf] != 0
        kept = possible[0]
        for _ in range(200):
            more = kept | rng.choice(possible)
            if (~possible[:, ~more].any(1)).sum() <= most:
                kept = more
        flat = np.where(kept, w.flat(weights, item), -np.inf)
        weights = w.with_item(weights, item, flat)
    return w.weighing(jax.tree.map(jnp.asarray, weights))


def question(ask: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a question, and count how often that happens."""

    def traced(*arguments: Any) -> Any:
        traces[ask.__name__] += 1
        return ask(*arguments)

    return jax.jit(traced)


def _slopes(
    d: Distribution, answer: Callable[[Distribution], jax.Array], structure: Structure | None = None
) -> tuple[jax.Array, Parts]:
    """An answer, and its gradient with respect to the log weights, expanded unless told."""
    structure = d.structure.expanded() if structure is None else structure

    def of(log_weights: Parts) -> tuple[jax.Array, jax.Array]:
        found = answer(replace(d, structure=structure.with_log_weights(log_weights)))
        return jnp.sum(jnp.where(jnp.isfinite(found), found, 0.0)), found

    slopes, found = jax.grad(of, has_aux=True)(structure.log_weights)
    return found, slopes


@question
def sums(d: Distribution) -> dict[str, Any]:
    """The log partition with the marginals, and with its gradient, which is not expanded."""
    log_partition, marginals = d.log_partition_and_marginals()
    alone, gradient = _slopes(d, lambda e: e.log_partition(), d.structure)
    return {
        "log_partition": log_partition,
        "log_partition alone": alone,
        "marginals": marginals,
        "gradient": gradient,
    }


@question
def count(d: Distribution) -> tuple[jax.Array, jax.Array]:
    """How many derivations each item has."""
    semiring = Counting()
    total = d.structure.total(semiring, None, d.recursion)
    return semiring.count(total.value), total.log_scale


@question
def forward(d: Distribution, along: Parts) -> tuple[jax.Array, Parts]:
    """The derivative of the log partition in a direction, and that of the marginals."""
    expanded = d.structure.expanded()

    def both(log_weights: Parts) -> tuple[jax.Array, Parts]:
        inner = replace(d, structure=expanded.with_log_weights(log_weights))
        return inner.log_partition_and_marginals()

    return jax.jvp(both, (expanded.log_weights,), (along,))[1]


@question
def reverse(d: Distribution, along: Parts) -> tuple[jax.Array, Parts]:
    """The same, without forward mode."""

    def slope(e: Distribution) -> jax.Array:
        return e.structure.by_item(jax.tree.map(jnp.multiply, e.marginals(), along))

    return _slopes(d, slope)


@question
def best(d: Distribution) -> Answer:
    """The best."""
    return d.best()


@question
def heads(d: Distribution) -> tuple[Answer, Answer]:
    """The two best, and the four best."""
    return d.top(2), d.top(4)


def ranked(d: Distribution, most: int | None = None) -> Answer:
    """The best so many of the list that `ranked` gives, or all of it, with a leading axis."""
    found = list(itertools.islice(d.ranked(), most))
    return jax.tree.map(lambda *xs: np.stack(xs), *found)


@question
def draws(d: Distribution, key: jax.Array) -> Answer:
    """Many samples."""
    drawn = d.sample(key, DRAWS, together=500)
    return Answer(drawn.parts, drawn.log_weight)


@question
def log_prob(d: Distribution, parts: Parts) -> jax.Array:
    """Of many derivations, `[derivations, batch]`."""
    return jax.vmap(d.log_prob)(parts)


@question
def averages(d: Distribution, other: Distribution, first: Parts, second: Parts) -> dict[str, Any]:
    """Averages over derivations, one in each semiring that there is for them."""
    return {
        "entropy": d.entropy(),
        "kl": d.kl(other),
        "expectation": d.expectation(first),
        "covariance": d.covariance(first, second),
    }


@question
def more_averages(d: Distribution, other: Distribution, feature: Parts) -> dict[str, Any]:
    """The other averages, and gradients."""
    return {
        "cross_entropy": d.cross_entropy(other),
        "variance": d.variance(feature),
        "entropy slopes": _slopes(d, lambda e: e.entropy())[1],
        "expectation slopes": _slopes(d, lambda e: e.expectation(feature))[1],
    }
