"""Short strings under concatenation: a small semiring with noncommutative multiplication.

| argument                        | value                                  |
| ------------------------------- | -------------------------------------- |
| ``lift(-inf, x)``               | no string                              |
| ``lift(w, x)``, w > -inf        | the letter x, for w = +inf, NaN too    |
| ``lift(w)``, ``lift(w, -1)``    | the empty string                       |
| ``plus(a, a)``                  | a: the first is chosen                 |
| ``times(a, zero)``              | no string                              |
| ``times`` beyond ``length``     | no string                              |
| ``sum([])``                     | no string                              |
| ``star(a)``                     | the empty string                       |

Strings have no tangents: every gradient with respect to a lifted log weight is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semirings.base import Laws
from semirings.boolean import Boolean
from semirings.capabilities import Selective
from semirings.numerics import first_true, pick

_MOST = np.int32(2**31 - 1)


class Coded(NamedTuple):
    """Strings as arrays of lengths and contents, of equal shape.

    Attributes:
        size: int32, the number of letters; one more than the maximal length if there is no string.
        code: int32, the letters as digits of a number, the most significant first.
    """

    size: jax.Array
    code: jax.Array


@dataclass(frozen=True)
class Strings(Selective):
    """``plus`` is the smaller in shortlex order, ``times`` concatenates.

    Shortlex order (by length, then alphabetically) is invariant under concatenation of the same
    string on either side, so ``times`` distributes over ``plus`` from both sides. A string that is
    too long is greater than all others, and so is every product with it, so it may be treated as
    zero.

    The total is a readable string, so it shows whether a structure multiplies in order.

    Source: after the string semiring of Mohri (1997), Finite-state transducers in language and
    speech processing, section 3, in which the longest common prefix distributes only from the left.

    Attributes:
        length: letters of the longest string.
        letters: size of the alphabet, whose letters are numbered from zero.

    Raises:
        ValueError: if either is not positive, or strings do not fit into an int32.
    """

    length: int = 10
    letters: int = 8

    name: ClassVar[str] = "strings"

    @property
    def laws(self) -> Laws:
        return Laws(
            commutative=False,
            idempotent=True,
            selective=True,
            star=True,
            features=True,
            broken={
                "read back": "only whether there is any weight is kept",
                "NaN": "a string cannot be NaN; such a weight counts as nonzero",
            },
        )

    def __post_init__(self) -> None:
        """Check that all strings can be coded as an int32."""
        if self.length < 1 or self.letters < 1:
            raise ValueError(f"{self} has no strings: length and letters must be positive")
        if self.letters**self.length > _MOST:
            raise ValueError(
                f"{self} has {self.letters}**{self.length} strings; the maximum is {_MOST}"
            )

    def zeros(self, shape: tuple[int, ...]) -> Coded:
        """Return values without a string."""
        return Coded(jnp.full(shape, self.length + 1, jnp.int32), jnp.zeros(shape, jnp.int32))

    def ones(self, shape: tuple[int, ...]) -> Coded:
        """Return the empty string."""
        return Coded(jnp.zeros(shape, jnp.int32), jnp.zeros(shape, jnp.int32))

    def plus(self, a: Coded, b: Coded) -> Coded:
        """Return the smaller string in shortlex order."""
        first = (a.size < b.size) | ((a.size == b.size) & (a.code <= b.code))
        return self.where(first, a, b)

    def times(self, a: Coded, b: Coded) -> Coded:
        """Concatenate."""
        # Where the code would wrap around, the string is too long.
        size, code = a.size + b.size, a.code * self._power(b.size) + b.code
        return self._checked(size, code)

    def _power(self, size: jax.Array) -> jax.Array:
        """Return ``letters ** size``, with sizes up to that of the longest string."""
        powers = jnp.array([self.letters**i for i in range(self.length + 1)], jnp.int32)
        return powers[jnp.minimum(size, self.length)]

    def _checked(self, size: jax.Array, code: jax.Array) -> Coded:
        """Return the value, or zero where the string is too long."""
        exists = size <= self.length
        return Coded(jnp.minimum(size, self.length + 1), jnp.where(exists, code, 0))

    def sum(self, a: Coded, axis: int) -> Coded:
        """Return the smallest string in shortlex order along one axis."""
        shape = a.size.shape
        axis %= len(shape)
        if shape[axis] == 0:
            return self.zeros(shape[:axis] + shape[axis + 1 :])
        winner = self.select(a, axis)
        return jax.tree.map(lambda x: pick(x, winner, axis), a)

    def select(self, a: Coded, axis: int) -> jax.Array:
        """Return the index of the smallest string in shortlex order along one axis."""
        shortest = jnp.min(a.size, axis, keepdims=True)
        code = jnp.where(a.size == shortest, a.code, _MOST)
        return first_true(code == jnp.min(code, axis, keepdims=True), axis)

    def star(self, a: Coded) -> Coded:
        """Return the empty string, since no string is smaller."""
        return jax.tree.map(jnp.zeros_like, a)

    def lift(self, log_weight: jax.Array, feature: Any = None) -> Coded:
        """Return a string of one letter where the weight is nonzero.

        Args:
            log_weight: any shape.
            feature: same shape, the letter, as integers or floats; numbers outside ``0..letters-1``
                mean the empty string.
        """
        letter = jnp.broadcast_to(-1 if feature is None else feature, log_weight.shape)
        letter = letter.astype(jnp.int32)
        written = (letter >= 0) & (letter < self.letters)
        size = jnp.where(log_weight != -jnp.inf, written.astype(jnp.int32), self.length + 1)
        return self._checked(size, jnp.where(written, letter, 0))

    def log_weight(self, a: Coded) -> jax.Array:
        """Return zero where there is a string, else minus infinity."""
        return Boolean().log_weight(a.size <= self.length)

    def read(self, a: Coded) -> Any:
        """Return the strings as tuples of letters, None for no string, nested like the shape."""
        size, code = np.asarray(a.size), np.asarray(a.code)
        if size.ndim:
            return [self.read(Coded(s, c)) for s, c in zip(size, code, strict=True)]
        if size > self.length:
            return None
        return tuple(int(code) // self.letters**i % self.letters for i in reversed(range(size)))
