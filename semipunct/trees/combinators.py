r"""Rules of Combinatory Categorial Grammar, identified by the categories that they relate.

| name | rule | sign |
| --- | --- | --- |
| forward application | X/Y  Y  =>  X | ``>`` |
| backward application | Y  X\Y  =>  X | ``<`` |
| forward composition | X/Y  Y/Z  =>  X/Z | ``>B`` |
| backward composition | Y\Z  X\Y  =>  X\Z | ``<B`` |
| forward crossed composition | X/Y  Y\Z  =>  X\Z | ``>Bx`` |
| backward crossed composition | Y/Z  X\Y  =>  X/Z | ``<Bx`` |
| backward crossed substitution | Y/Z  (X\Y)/Z  =>  X/Z | ``<Sx`` |
| forward, backward type raising | X  =>  T/(T\X), T\(T/X) | ``>T``, ``<T`` |
| coordination | conj X  =>  X[conj];  X  X[conj]  =>  X | ``Φ`` |
| left, right absorption | , X  =>  X;  X ,  =>  X | ``,`` |
| left, right punctuation type change | , X  =>  Y;  X ,  =>  Y | ``T,`` |
| type change | X  =>  Y | ``*`` |
| no rule | all else | ``?`` |

Composition may be generalised: with Y/Z1/Z2 for Y/Z it has the sign ``>B2``, and so on. The rules
down to type raising are those of Steedman (2000), the others those of CCGbank (Hockenmaier and
Steedman 2007; Tse and Curran 2008, section 4).
"""

from collections.abc import Sequence
from typing import NamedTuple

from semipunct.trees.categories import BACKWARD, CONJUNCT, FORWARD, VARIABLE, Category, Part


class Combinator(NamedTuple):
    """A rule.

    Attributes:
        name: as in the table of this module.
        sign: its sign in drawings.
    """

    name: str
    sign: str


CONJUNCTION = "conj"
"""The atomic category of conjunctions."""

_MOST = 4
"""The maximal degree of generalised composition; CCGbank needs no more."""


def agree(a: Category, b: Category) -> bool:
    """Return whether two categories are equal, except for features that one of them lacks.

    Coindices and ``[conj]`` are ignored; ``[X]`` agrees with any feature.

    Args:
        a: one of them.
        b: the other.
    """
    return len(a.parts) == len(b.parts) and all(map(_parts_agree, a.parts, b.parts))


def _parts_agree(a: Part, b: Part) -> bool:
    if a.symbol != b.symbol:
        return False
    features_of_a, features_of_b = ({f for f in part.features if f != CONJUNCT} for part in (a, b))
    return (
        not features_of_a
        or not features_of_b
        or features_of_a == features_of_b
        or VARIABLE in features_of_a | features_of_b
    )


def combinator(result: Category, children: Sequence[Category]) -> Combinator:
    """Find the rule by which a category follows from one or two others.

    Args:
        result: the result of the rule.
        children: one category or two, from left to right.

    Returns:
        The first rule that matches, in the order: coordination, combination, absorption, type
        change. If none matches the result is ``no rule``, never an error.
    """
    if len(children) == 1:
        return _unary(result, children[0])
    left, right = children
    return (
        _coordination(result, left, right)
        or _application(result, left, right)
        or _composition(result, left, right)
        or _substitution(result, left, right)
        or _punctuation(result, left, right)
        or Combinator("no rule", "?")
    )


def _unary(result: Category, child: Category) -> Combinator:
    if result.is_functor and result.argument.is_functor:
        inner = result.argument
        raised = agree(inner.result, result.result) and agree(inner.argument, child)
        if raised and (result.slash, inner.slash) == (FORWARD, BACKWARD):
            return Combinator("forward type raising", ">T")
        if raised and (result.slash, inner.slash) == (BACKWARD, FORWARD):
            return Combinator("backward type raising", "<T")
    return Combinator("type change", "*")


def _coordination(result: Category, left: Category, right: Category) -> Combinator | None:
    rule = Combinator("coordination", "Φ")
    if result.is_conjunct and not right.is_conjunct:
        joins = left.is_punctuation or left.parts[0].symbol == CONJUNCTION
        return rule if joins and agree(result, right) else None
    is_same = right.is_conjunct and agree(left, right) and agree(result, left)
    return rule if is_same else None


def _application(result: Category, left: Category, right: Category) -> Combinator | None:
    if left.slash == FORWARD and agree(left.argument, right) and agree(left.result, result):
        return Combinator("forward application", ">")
    if right.slash == BACKWARD and agree(right.argument, left) and agree(right.result, result):
        return Combinator("backward application", "<")
    return None


def _composition(result: Category, left: Category, right: Category) -> Combinator | None:
    for side, main, inner in ((FORWARD, left, right), (BACKWARD, right, left)):
        if main.slash != side:
            continue
        # The remainders of the result and of the inner functor after removing outer arguments.
        remainder = result
        crossed = False
        for count in range(1, _MOST + 1):
            is_same_slash = inner.slash and inner.slash == remainder.slash
            if not is_same_slash or not agree(inner.argument, remainder.argument):
                break
            crossed = crossed or inner.slash != side
            inner, remainder = inner.result, remainder.result
            if agree(main.argument, inner) and agree(main.result, remainder):
                arrow = ">" if side == FORWARD else "<"
                way = "forward" if side == FORWARD else "backward"
                number = str(count) if count > 1 else ""
                cross = " crossed" if crossed else ""
                sign = f"{arrow}B{number}" + "x" * crossed
                return Combinator(f"{way}{cross} composition", sign)
    return None


def _substitution(result: Category, left: Category, right: Category) -> Combinator | None:
    if not left.slash == right.slash == result.slash == FORWARD or right.result.slash != BACKWARD:
        return None
    arguments = agree(left.argument, right.argument) and agree(left.argument, result.argument)
    inner = right.result
    if arguments and agree(inner.argument, left.result) and agree(inner.result, result.result):
        return Combinator("backward crossed substitution", "<Sx")
    return None


def _punctuation(result: Category, left: Category, right: Category) -> Combinator | None:
    for side, mark, main in (("left", left, right), ("right", right, left)):
        if mark.is_punctuation:
            if agree(result, main) and result.is_conjunct == main.is_conjunct:
                return Combinator(f"{side} absorption", ",")
            return Combinator(f"{side} punctuation type change", "T,")
    return None
