"""The table of `tests.semirings.strings`, and its operations compared with Python's tuples."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.semirings.strings import Coded, Strings

INF = np.inf
S = Strings(length=4, letters=3)
Word = tuple[int, ...] | None
words = st.one_of(st.none(), st.lists(st.integers(0, 2), max_size=4).map(tuple))


@jax.jit
def product(weight: jax.Array, letters: jax.Array) -> Coded:
    return S.prod(S.lift(jnp.broadcast_to(weight[:, None], letters.shape), letters), 1)


def write(row: list[Word]) -> Coded:
    """Create a row of values, each the product of its letters."""
    letters = [[*(x or ()), *[-1] * (S.length - len(x or ()))] for x in row]
    weight = [-INF if x is None else 0.0 for x in row]
    return product(np.array(weight, np.float32), np.array(letters, np.float32))


@jax.jit
def results(a: Coded) -> tuple[Coded, Coded, Coded, Coded, jax.Array, jax.Array]:
    left, right = jax.tree.map(lambda x: x[:, None], a), jax.tree.map(lambda x: x[None], a)
    table = S.plus(left, right), S.times(left, right)
    return *table, S.sum(a, 0), S.prod(a, 0), S.select(a, 0), S.log_weight(a)


def shorter(*row: Word) -> Word:
    """Return the shortlex smallest string."""
    return min((x for x in row if x is not None), key=lambda x: (len(x), x), default=None)


def joined(*row: Word) -> Word:
    whole = tuple(letter for word in row for letter in word or ())
    return None if None in row or len(whole) > S.length else whole


@given(st.lists(words, min_size=5, max_size=5))
def test_operations_are_those_of_tuples(row: list[Word]):
    a = write(row)
    assert S.read(a) == row
    plus, times, total, product, winner, log_weight = results(a)
    assert S.read(plus) == [[shorter(x, y) for y in row] for x in row]
    assert S.read(times) == [[joined(x, y) for y in row] for x in row]
    assert S.read(total) == shorter(*row)
    assert S.read(product) == joined(*row)
    assert int(winner) == row.index(shorter(*row))
    np.testing.assert_array_equal(log_weight, [-INF if x is None else 0.0 for x in row])


def test_the_longest_string_of_the_largest_letter():
    s = Strings()
    letter = s.lift(jnp.zeros(10), jnp.full((10,), 7))
    whole = jax.jit(s.prod, static_argnums=1)(letter, 0)
    assert s.read(whole) == (7,) * 10
    assert s.read(s.times(whole, s.ones(()))) == (7,) * 10
    assert s.read(s.times(s.ones(()), whole)) == (7,) * 10
    first = jax.tree.map(lambda x: x[0], letter)
    assert s.read(s.times(whole, first)) is None
    assert s.read(s.times(first, whole)) is None
    assert s.read(s.times(whole, whole)) is None
    assert s.read(s.plus(whole, s.zeros(()))) == (7,) * 10


@pytest.mark.parametrize(
    "weight, feature, expected",
    [
        (-INF, 1, None),
        (-INF, None, None),
        (-200.0, 1, (1,)),
        (INF, 1, (1,)),
        (0.0, None, ()),
        (0.0, -1, ()),
        (0.0, 2.0, (2,)),
        (0.0, 3, ()),
    ],
)
def test_lift(weight: float, feature: float | None, expected: Word):
    value = S.lift(jnp.float32(weight), None if feature is None else jnp.asarray(feature))
    assert S.read(value) == expected
    assert [x.dtype for x in value] == [jnp.int32] * 2


def test_a_matrix_product_keeps_the_order():
    """Row times column by hand: 0 1 precedes 1 0."""
    row = S.lift(jnp.zeros((1, 2)), jnp.array([[0, 1]]))
    column = S.lift(jnp.zeros((2, 1)), jnp.array([[1], [0]]))
    inner, outer = jax.jit(lambda x, y: (S.matmul(x, y), S.matmul(y, x)))(row, column)
    assert S.read(inner) == [[(0, 1)]]
    assert S.read(outer) == [[(1, 0), (1, 1)], [(0, 0), (0, 1)]]


def test_star_is_the_empty_string():
    assert S.read(S.star(write([None, (), (1, 2)]))) == [(), (), ()]


@pytest.mark.parametrize("length, letters", [(31, 2), (2, 46341), (11, 8), (0, 2), (2, 0)])
def test_what_does_not_fit_is_refused(length: int, letters: int):
    with pytest.raises(ValueError, match=rf"Strings\(length={length}, letters={letters}\) has"):
        Strings(length, letters)


@pytest.mark.parametrize("length, letters", [(30, 2), (2, 46340), (1, 2**31 - 1), (5, 1)])
def test_what_just_fits(length: int, letters: int):
    s = Strings(length, letters)

    @jax.jit
    def spelled(letter: jax.Array) -> tuple[Coded, Coded]:
        whole = s.prod(s.lift(jnp.zeros(letter.shape), letter), 0)
        stacked = jax.tree.map(lambda x, y: jnp.stack([x, y]), s.zeros(()), whole)
        return whole, s.sum(stacked, 0)

    whole, total = spelled(np.full((length,), letters - 1))
    assert s.read(whole) == (letters - 1,) * length
    assert s.read(total) == (letters - 1,) * length
