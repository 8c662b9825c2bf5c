"""Structures under test: a case with its derivations, and the case with log weights.

Expected results are sums over the list of derivations, in NumPy in double precision, without code
of the structures and semirings.
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

FORBIDDEN = 0.15
"""The share of log weights that are minus infinity."""

LACKING = ("items", "an empty item", "positions", "entries")
"""What a case may say that it lacks."""

T = TypeVar("T")


@dataclass(frozen=True)
class Case:
    """A structure under test and its derivations.

    Attributes:
        name: the name of the case, for messages.
        build: makes a batch with log weights of zero (if some are always minus infinity, no
            derivation uses them), in double precision if JAX has it enabled. Five or more padded
            items work best: an empty one, small ones with all their derivations, and a large one,
            with nine positions and five of each label or state, of which ``build`` forbids so much
            that a few dozen derivations are left. The check ``size`` says what is missing.
        derivations: returns all derivations of an item, each once; their parts are shaped like the
            rows of the item in the expanded log weights. Every item has at least one.
        rows: returns the rows of an item along the first axis of the expanded log weights.
        scans: whether its steps use ``Recursion.scan``, which has a memory budget.
        saves: whether recomputation must save memory even for these few steps. It need not where
            states are most of the stored memory.
        lacks: what the structure cannot have (``LACKING``), with the reason.
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
        """Return the case with all log weights zero."""
        return self._once(("uniform", base), lambda: Weighted(self, self.build(), base))

    def with_weights(self, base: Divisible = Log(), seed: int = 0) -> Weighted:
        """Return the case with random log weights; every item keeps a possible derivation.

        Args:
            base: the semiring of sums.
            seed: the same seed gives the same weights, of which some are minus infinity.

        Raises:
            AssertionError: if no such weights are found.
        """
        return self._once(("weighted", base, seed), lambda: _weighted(self, base, seed))

    def events(self, item: int) -> tuple[np.ndarray, np.ndarray]:
        """Return all derivations of an item, ``[derivations, parts]``, and other log weights.

        Raises:
            AssertionError: if there is none, or one is not shaped like the item's log weights.
        """
        return self._once(("events", item), lambda: _events(self, item))

    def _once(self, key: Any, make: Callable[[], T]) -> T:
        # Evaluated lazily, with the precision that is then enabled.
        key = key, jnp.result_type(float)
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]


@dataclass(frozen=True, eq=False)
class Weighted:
    """A case with log weights; the parts of one item are flat float64 vectors here.

    Attributes:
        case: the case.
        structure: its structure, with these log weights.
        base: the semiring of sums.
    """

    case: Case
    structure: Structure
    base: Divisible = Log()
    _cache: dict[Any, Any] = field(default_factory=dict[Any, Any], init=False, repr=False)

    def ask(self, question: Callable[..., T], *args: Any) -> T:
        """Evaluate a function of this object, and cache the result, or the exception.

        Args:
            question: the function.
            *args: its other arguments, which must be hashable.
        """
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
        """The distribution over the structure."""
        return Distribution(self.structure, self.base)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the log weights."""
        (dtype,) = {x.dtype for x in jax.tree.leaves(self.structure.log_weights)}
        return dtype

    @property
    def close(self) -> float:
        """The relative and absolute tolerance of comparisons with the enumeration."""
        return 1e-10 if self.dtype == np.float64 else 2e-5

    @property
    def uniform(self) -> Weighted:
        """The case with all log weights zero."""
        return self.case.uniform(self.base)

    @cached_property
    def other(self) -> Weighted:
        """Other weights that forbid only what these forbid."""

        def mixed(x: jax.Array, y: jax.Array) -> jax.Array:
            return jnp.where(x == -jnp.inf, x, jnp.where(y == -jnp.inf, 0.5, y))

        drawn = self.case.with_weights(self.base, 3).structure.log_weights
        return self.weighing(jax.tree.map(mixed, self.structure.log_weights, drawn))

    @cached_property
    def items(self) -> range:
        """The numbers of the items."""
        return range(self.expanded.by_item(self.expanded.log_weights).shape[0])

    @cached_property
    def expanded(self) -> Structure:
        """The structure with shared log weights expanded."""
        return self.structure.expand()

    @cached_property
    def enumerations(self) -> list[Enumeration]:
        """All derivations of each item, with weights."""
        weights = self.expanded.log_weights
        return [
            Enumeration.of(*self.case.events(item), self.flat(weights, item)) for item in self.items
        ]

    def each(self) -> Iterator[tuple[int, Enumeration]]:
        """Yield the items with their enumerations."""
        return enumerate(self.enumerations)

    @cached_property
    def fullest(self) -> int:
        """The item with the most derivations."""
        return int(np.argmax([e.possible for e in self.enumerations]))

    def flat(self, parts: Parts, item: int, axes: int = 0) -> np.ndarray:
        """Return the entries of one item in arrays of parts.

        Args:
            parts: expanded.
            item: the number of the item.
            axes: the number of leading axes before that of items, which are kept.
        """
        rows = (slice(None),) * axes + (self.case.rows(item),)
        leaves = [np.asarray(x, np.float64)[rows] for x in jax.tree.leaves(parts)]
        return np.concatenate([x.reshape(*x.shape[:axes], -1) for x in leaves], -1)

    def with_item(self, parts: Parts, item: int, flat: np.ndarray) -> Parts:
        """Replace the entries of one item.

        Args:
            parts: expanded.
            item: the number of the item.
            flat: its new entries.

        Returns:
            NumPy arrays.
        """
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
        """Zero for each part, as NumPy arrays."""
        return jax.tree.map(lambda x: np.zeros(x.shape, x.dtype), self.expanded.log_weights)

    def weighing(self, log_weights: Parts) -> Weighted:
        """Return the same case with other log weights, expanded or not."""
        given_shapes = [x.shape for x in jax.tree.leaves(log_weights)]
        own_shapes = [x.shape for x in jax.tree.leaves(self.structure.log_weights)]
        structure = self.structure if given_shapes == own_shapes else self.expanded
        log_weights = jax.tree.map(jnp.asarray, log_weights)
        return replace(self, structure=structure.with_log_weights(log_weights))

    def looked_at(self, items: Iterable[int]) -> Parts:
        """Return a mask of the unexpanded log weights that derivations of the items use."""
        spread = self.zeros
        for item in items:
            spread = self.with_item(spread, item, self.enumerations[item].used)
        return jax.tree.map(lambda x: np.asarray(x) > 0, self.gather(spread))

    def gather(self, parts: Parts) -> Parts:
        """Sum expanded parts over the places that share a log weight."""

        def spread(log_weights: Parts) -> Parts:
            return self.structure.with_log_weights(log_weights).expand().log_weights

        pull: Callable[[Parts], tuple[Parts]]
        pull = jax.vjp(spread, self.structure.log_weights)[1]
        return pull(jax.tree.map(jnp.asarray, parts))[0]

    def disturb(self, items: Iterable[int], seed: int) -> Weighted:
        """Return the same case with other log weights where no derivation of the items uses them.

        Those that the case always forbids stay forbidden.

        Args:
            items: numbers of items.
            seed: the seed of the other weights.
        """
        rng = np.random.default_rng(seed)

        def draw_unused(x: jax.Array, used: Any, forbidden: Any) -> jax.Array:
            drawn = rng.normal(0, 5, x.shape).astype(x.dtype)
            return jnp.where(used | forbidden, x, drawn)

        used, weights = self.looked_at(items), self.structure.log_weights
        return self.weighing(jax.tree.map(draw_unused, weights, used, self.forbidden))

    @property
    def forbidden(self) -> Parts:
        """A mask of the log weights that the case always forbids."""
        uniform = self.uniform
        always, weights = uniform.structure.log_weights, self.structure.log_weights
        if jax.tree.map(jnp.shape, always) != jax.tree.map(jnp.shape, weights):
            always = uniform.expanded.log_weights
        return jax.tree.map(lambda x: np.asarray(x) == -np.inf, always)

    def impossible(self) -> Weighted:
        """Return the same case with all parts forbidden."""
        return self.weighing(
            jax.tree.map(lambda x: jnp.full_like(x, -jnp.inf), self.structure.log_weights)
        )

    def features(self, seed: int) -> Parts:
        """Return a random number for each part of the expanded structure."""
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
    """One derivation of one item of a batch.

    Attributes:
        parts: the number of uses of each part: a pytree shaped like the item's log weights.
        aside: the log of the other factors of its weight.
    """

    parts: Any
    aside: float = 0.0


@dataclass(frozen=True)
class Enumeration:
    """All derivations of one item.

    Attributes:
        parts: ``[derivations, parts]`` the number of uses of each part by each derivation.
        log_weight: ``[derivations]`` their log weights.
    """

    parts: np.ndarray
    log_weight: np.ndarray

    @classmethod
    def of(cls, parts: np.ndarray, aside: np.ndarray, weights: np.ndarray) -> Enumeration:
        """Compute the weights of derivations.

        Args:
            parts: ``[derivations, parts]`` the number of uses of each part by each derivation.
            aside: ``[derivations]`` other terms of their log weights.
            weights: ``[parts]`` log weights; unused ones are ignored.
        """
        with np.errstate(invalid="ignore"):
            used = np.where(parts != 0, parts * weights, 0.0)
        return cls(parts, used.sum(1) + aside)

    @cached_property
    def log_partition(self) -> float:
        """The log of the sum of all weights."""
        largest = self.log_weight.max()
        if largest == -np.inf:
            return -np.inf
        return float(largest + np.log(np.exp(self.log_weight - largest).sum()))

    @cached_property
    def log_prob(self) -> np.ndarray:
        """``[derivations]`` log probabilities."""
        return self.log_weight - self.log_partition

    @cached_property
    def prob(self) -> np.ndarray:
        """``[derivations]`` probabilities."""
        return np.exp(self.log_prob)

    @cached_property
    def possible(self) -> int:
        """The number of derivations with nonzero weight."""
        return int((self.log_weight > -np.inf).sum())

    @cached_property
    def marginals(self) -> np.ndarray:
        """``[parts]`` the expected number of uses of each part."""
        return self.prob @ self.parts

    @cached_property
    def used(self) -> np.ndarray:
        """``[parts]`` true if any derivation, possible or not, uses the part."""
        return (self.parts != 0).any(0)

    def ranking(self, count: int) -> np.ndarray:
        """Return the largest log weights in order, minus infinity beyond the last."""
        best = np.sort(self.log_weight)[::-1][:count]
        return np.concatenate([best, np.full(count - len(best), -np.inf)])

    def expectation(self, feature: np.ndarray) -> float:
        """Return the expectation of a feature that is additive over parts."""
        return float(self.prob @ (self.parts @ feature))

    def covariance(self, first: np.ndarray, second: np.ndarray) -> float:
        """Return the covariance of two features that are additive over parts.

        Args:
            first: ``[parts]``.
            second: ``[parts]``.
        """
        return float(self.covariances(first) @ second)

    def covariances(self, feature: np.ndarray) -> np.ndarray:
        """Return the covariance ``[parts]`` of a feature with the use of each part."""
        return self._covariances(self.parts @ feature)

    @cached_property
    def entropy(self) -> float:
        """The entropy in nats."""
        return self.cross_entropy(self)

    @cached_property
    def entropy_slopes(self) -> np.ndarray:
        """``[parts]`` the derivative of the entropy with respect to each log weight."""
        return -self._covariances(np.where(self.prob > 0, self.log_weight, 0.0))

    def cross_entropy(self, reference: Enumeration) -> float:
        """Return E_p[-log q] in nats, where p is this distribution and q the other."""
        is_possible = self.prob > 0
        return float(-(self.prob[is_possible] @ reference.log_prob[is_possible]))

    def kl(self, reference: Enumeration) -> float:
        """Return the Kullback-Leibler divergence KL(p || q) in nats; q is the other."""
        return self.cross_entropy(reference) - self.entropy

    def find(self, rows: np.ndarray) -> np.ndarray:
        """Return the index of each row ``[rows, parts]`` among the derivations.

        Raises:
            AssertionError: if a row is not a derivation.
        """
        numbers = {row.tobytes(): i for i, row in enumerate(self.parts)}
        # Adding zero turns minus zero, which has different bytes, into zero.
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
    """Return the p-value of Pearson's test.

    Args:
        observed: ``[outcomes]`` observed counts.
        expected: ``[outcomes]`` expected counts; outcomes below five are merged.
    """
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
