"""Test cases: a structure, its derivations, and results computed from them.

Expected results are NumPy sums in double precision, independent of structures and semirings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.structures.base import Parts, Structure
from semipunct.structures.distribution import Distribution
from semirings.capabilities import Divisible
from semirings.log import Log

# Fraction of log weights set to minus infinity.
FORBIDDEN = 0.15

LACKING = ("items", "an empty item", "positions", "entries")

T = TypeVar("T")


@dataclass(frozen=True)
class Case:
    """A structure under test and its derivations.

    Attributes:
        build: builds a batch with zero log weights, or minus infinity for parts that no derivation
            uses. The check ``size`` reports anything missing; forbid most parts of large items to
            leave a few dozen derivations.
        derivations: lists each derivation of an item once; there must be at least one.
        rows: the rows of an item along the first axis of the expanded log weights.
        scans: whether the structure uses ``Recursion.scan``.
        saves: whether recomputation saves memory for a batch this small.
        lacks: keys in ``LACKING`` that the structure cannot have, with reasons.
    """

    name: str
    build: Callable[[], Structure]
    derivations: Callable[[int], Iterable[Event]]
    rows: Callable[[int], int | slice] = int
    scans: bool = True
    saves: bool = True
    lacks: Mapping[str, str] = field(default_factory=dict[str, str])
    _cache: dict[Any, Any] = field(
        default_factory=dict[Any, Any], init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if unknown := set(self.lacks) - set(LACKING):
            raise ValueError(
                f"{self.name}: lacks {sorted(unknown)}; a case may lack {', '.join(LACKING)}"
            )

    def uniform(self, base: Divisible = Log()) -> Weighted:
        return self._once(("uniform", base), lambda: Weighted(self, self.build(), base))

    def with_weights(self, base: Divisible = Log(), seed: int = 0) -> Weighted:
        """Return the case with random log weights that leave every item at least one derivation."""
        return self._once(("weighted", base, seed), lambda: _weighted(self, base, seed))

    def events(self, item: int) -> tuple[np.ndarray, np.ndarray]:
        """Return an item's derivations, ``[derivations, parts]``, and additional log weights."""
        return self._once(("events", item), lambda: _events(self, item))

    def _once(self, key: Any, make: Callable[[], T]) -> T:
        # By precision, which may change between calls.
        key = key, jnp.result_type(float)
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]


@dataclass(frozen=True, eq=False)
class Weighted:
    """A case with log weights. Parts of one item are flat float64 vectors."""

    case: Case
    structure: Structure
    base: Divisible = Log()
    _cache: dict[Any, Any] = field(default_factory=dict[Any, Any], init=False, repr=False)

    def ask(self, question: Callable[..., T], *args: Any) -> T:
        """Call ``question(self, *args)`` and cache the result or exception."""
        key = question, args
        if key not in self._cache:
            try:
                self._cache[key] = question(self, *args)
            except Exception as error:  # noqa: BLE001 - raised again in every check that asks
                self._cache[key] = error
        if isinstance(answer := self._cache[key], Exception):
            raise answer
        return answer

    @property
    def distribution(self) -> Distribution[Any]:
        return Distribution(self.structure, self.base)

    @property
    def dtype(self) -> np.dtype[Any]:
        (dtype,) = {x.dtype for x in jax.tree.leaves(self.structure.log_weights)}
        return dtype

    @property
    def close(self) -> float:
        return 1e-10 if self.dtype == np.float64 else 2e-5

    @property
    def uniform(self) -> Weighted:
        return self.case.uniform(self.base)

    @cached_property
    def other(self) -> Weighted:
        """Other weights, forbidden only where these are."""

        def mixed(x: jax.Array, y: jax.Array) -> jax.Array:
            return jnp.where(x == -jnp.inf, x, jnp.where(y == -jnp.inf, 0.5, y))

        drawn = self.case.with_weights(self.base, 3).structure.log_weights
        return self.weighing(jax.tree.map(mixed, self.structure.log_weights, drawn))

    @cached_property
    def items(self) -> range:
        return range(self.expanded.by_item(self.expanded.log_weights).shape[0])

    @cached_property
    def expanded(self) -> Structure:
        return self.structure.expand()

    @cached_property
    def enumerations(self) -> list[Enumeration]:
        weights = self.expanded.log_weights
        return [
            Enumeration.of(*self.case.events(item), self.flat(weights, item)) for item in self.items
        ]

    def each(self) -> Iterator[tuple[int, Enumeration]]:
        return enumerate(self.enumerations)

    @cached_property
    def fullest(self) -> int:
        return int(np.argmax([e.possible for e in self.enumerations]))

    def flat(self, parts: Parts, item: int, axes: int = 0) -> np.ndarray:
        """Return one item's entries of expanded parts, after ``axes`` leading axes."""
        rows = (slice(None),) * axes + (self.case.rows(item),)
        leaves = [np.asarray(x, np.float64)[rows] for x in jax.tree.leaves(parts)]
        return np.concatenate([x.reshape(*x.shape[:axes], -1) for x in leaves], -1)

    def with_item(self, parts: Parts, item: int, flat: np.ndarray) -> Parts:
        """Replace one item's entries of expanded parts."""
        leaves, treedef = jax.tree.flatten(parts)
        changed_leaves: list[np.ndarray] = []
        start = 0
        for leaf in leaves:
            changed = np.array(leaf)
            rows = changed[self.case.rows(item)]
            changed[self.case.rows(item)] = flat[start : start + rows.size].reshape(rows.shape)
            start += rows.size
            changed_leaves.append(changed)
        return jax.tree.unflatten(treedef, changed_leaves)

    @cached_property
    def zeros(self) -> Parts:
        return jax.tree.map(lambda x: np.zeros(x.shape, x.dtype), self.expanded.log_weights)

    def weighing(self, log_weights: Parts) -> Weighted:
        given_shapes = [x.shape for x in jax.tree.leaves(log_weights)]
        own_shapes = [x.shape for x in jax.tree.leaves(self.structure.log_weights)]
        structure = self.structure if given_shapes == own_shapes else self.expanded
        log_weights = jax.tree.map(jnp.asarray, log_weights)
        return replace(self, structure=structure.with_log_weights(log_weights))

    def looked_at(self, items: Iterable[int]) -> Parts:
        """Return a mask of the unexpanded log weights that the items use."""
        spread = self.zeros
        for item in items:
            spread = self.with_item(spread, item, self.enumerations[item].used)
        return jax.tree.map(lambda x: np.asarray(x) > 0, self.gather(spread))

    def gather(self, parts: Parts) -> Parts:
        """Sum expanded parts over positions that share a log weight."""

        def spread(log_weights: Parts) -> Parts:
            return self.structure.with_log_weights(log_weights).expand().log_weights

        pull: Callable[[Parts], tuple[Parts]]
        pull = jax.vjp(spread, self.structure.log_weights)[1]
        return pull(jax.tree.map(jnp.asarray, parts))[0]

    def disturb(self, items: Iterable[int], seed: int) -> Weighted:
        """Randomize log weights unused by the items' derivations, except those always forbidden."""
        rng = np.random.default_rng(seed)

        def draw_unused(x: jax.Array, used: Any, forbidden: Any) -> jax.Array:
            drawn = rng.normal(0, 5, x.shape).astype(x.dtype)
            return jnp.where(used | forbidden, x, drawn)

        used, weights = self.looked_at(items), self.structure.log_weights
        return self.weighing(jax.tree.map(draw_unused, weights, used, self.forbidden))

    @property
    def forbidden(self) -> Parts:
        """A mask of log weights that are always minus infinity."""
        uniform = self.uniform
        always, weights = uniform.structure.log_weights, self.structure.log_weights
        if jax.tree.map(jnp.shape, always) != jax.tree.map(jnp.shape, weights):
            always = uniform.expanded.log_weights
        return jax.tree.map(lambda x: np.asarray(x) == -np.inf, always)

    def impossible(self) -> Weighted:
        return self.weighing(
            jax.tree.map(lambda x: jnp.full_like(x, -jnp.inf), self.structure.log_weights)
        )

    def features(self, seed: int) -> Parts:
        rng = np.random.default_rng(seed)
        return jax.tree.map(
            lambda x: jnp.asarray(rng.normal(0, 1, x.shape).astype(x.dtype)),
            self.expanded.log_weights,
        )


def _events(case: Case, item: int) -> tuple[np.ndarray, np.ndarray]:
    w = case.uniform()
    rows = [np.asarray(x)[case.rows(item)] for x in jax.tree.leaves(w.expanded.log_weights)]
    expected = [x.shape for x in rows]
    events = list(case.derivations(item))
    if not events:
        raise AssertionError(f"{case.name}: item {item} has no derivation; give it one or more")
    parts: list[np.ndarray] = []
    for event in events:
        leaves = [np.asarray(x) for x in jax.tree.leaves(event.parts)]
        shapes = [x.shape for x in leaves]
        if shapes != expected:
            raise AssertionError(
                f"{case.name}: a derivation of item {item} has parts of the shapes {shapes}; the "
                f"item's rows of the expanded log weights have {expected}"
            )
        parts.append(np.concatenate([x.ravel() for x in leaves]))
    return np.array(parts, np.float64), np.array([event.aside for event in events])


def _weighted(case: Case, base: Divisible, seed: int) -> Weighted:
    rng = np.random.default_rng(seed)
    template = case.uniform(base)

    def draw(x: jax.Array) -> jax.Array:
        drawn = np.where(rng.random(x.shape) < FORBIDDEN, -np.inf, rng.normal(0, 1, x.shape))
        return jnp.where(x > -jnp.inf, drawn.astype(x.dtype), x)

    for _ in range(1000):
        candidate = template.weighing(jax.tree.map(draw, template.structure.log_weights))
        if all(e.possible for e in candidate.enumerations):
            return candidate
    raise AssertionError(f"{case.name}: no weights were found that leave every item a derivation")


class Event(NamedTuple):
    """One derivation of one item.

    Attributes:
        parts: numbers of uses, shaped like the item's rows of the expanded log weights.
        aside: a log weight added to the sum over parts.
    """

    parts: Any
    aside: float = 0.0


@dataclass(frozen=True)
class Enumeration:
    """All derivations of one item, with ``parts`` the number of uses, ``[derivations, parts]``."""

    parts: np.ndarray
    log_weight: np.ndarray

    @classmethod
    def of(cls, parts: np.ndarray, aside: np.ndarray, weights: np.ndarray) -> Enumeration:
        """Compute log weights from the weights of parts, plus ``aside``, ``[derivations]``."""
        with np.errstate(invalid="ignore"):
            used = np.where(parts != 0, parts * weights, 0.0)
        return cls(parts, used.sum(1) + aside)

    @cached_property
    def log_partition(self) -> float:
        largest = self.log_weight.max()
        if largest == -np.inf:
            return -np.inf
        return float(largest + np.log(np.exp(self.log_weight - largest).sum()))

    @cached_property
    def log_prob(self) -> np.ndarray:
        return self.log_weight - self.log_partition

    @cached_property
    def prob(self) -> np.ndarray:
        return np.exp(self.log_prob)

    @cached_property
    def possible(self) -> int:
        """The number of derivations with nonzero weight."""
        return int((self.log_weight > -np.inf).sum())

    @cached_property
    def marginals(self) -> np.ndarray:
        return self.prob @ self.parts

    @cached_property
    def used(self) -> np.ndarray:
        return (self.parts != 0).any(0)

    def ranking(self, count: int) -> np.ndarray:
        """Return the ``count`` largest log weights, padded with minus infinity."""
        best = np.sort(self.log_weight)[::-1][:count]
        return np.concatenate([best, np.full(count - len(best), -np.inf)])

    def expectation(self, feature: np.ndarray) -> float:
        return float(self.prob @ (self.parts @ feature))

    def covariance(self, first: np.ndarray, second: np.ndarray) -> float:
        return float(self.covariances(first) @ second)

    def covariances(self, feature: np.ndarray) -> np.ndarray:
        """Return the covariance of a feature with each part's number of uses."""
        return self._covariances(self.parts @ feature)

    @cached_property
    def entropy(self) -> float:
        return self.cross_entropy(self)

    @cached_property
    def entropy_slopes(self) -> np.ndarray:
        """The gradient of the entropy with respect to log weights."""
        return -self._covariances(np.where(self.prob > 0, self.log_weight, 0.0))

    def cross_entropy(self, reference: Enumeration) -> float:
        is_possible = self.prob > 0
        return float(-(self.prob[is_possible] @ reference.log_prob[is_possible]))

    def kl(self, reference: Enumeration) -> float:
        return self.cross_entropy(reference) - self.entropy

    def find(self, rows: np.ndarray) -> np.ndarray:
        """Return the index of each row among the derivations."""
        numbers = {row.tobytes(): i for i, row in enumerate(self.parts)}
        # Adding zero turns minus zero into zero, since rows are compared as bytes.
        missing = [row for row in rows if (row + 0.0).tobytes() not in numbers]
        if missing:
            raise AssertionError(
                f"{len(missing)} of {len(rows)} answers are no derivation of the enumeration; the "
                f"first uses the parts {np.flatnonzero(missing[0]).tolist()}, "
                f"so often: {missing[0][missing[0] != 0].tolist()}"
            )
        return np.array([numbers[(row + 0.0).tobytes()] for row in rows], int)

    def _covariances(self, value: np.ndarray) -> np.ndarray:
        return (self.prob * (value - self.prob @ value)) @ (self.parts - self.marginals)


def chi_square(observed: np.ndarray, expected: np.ndarray) -> float:
    """Return the p-value of Pearson's test, merging expected counts below five."""
    rare = expected < 5
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 5:
        largest = expected.argmax()
        for x in (observed, expected):
            x[largest] += x[-1]
        observed, expected = observed[:-1], expected[:-1]
    if len(observed) < 2:
        return 1.0
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return float(jax.lax.igammac((len(observed) - 1) / 2, statistic / 2))
