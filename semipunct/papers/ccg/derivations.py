"""Categories of Combinatory Categorial Grammar, rules and derivations."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, NoReturn

from semipunct.errors import UsageError
from semipunct.papers.commas.trees import OrderedTree, dependencies
from semipunct.trees.tree import DependencyTree

FORWARD, BACKWARD = "/", "\\"

CONJUNCT = "conj"
"""The feature of a conjunct with its conjunction, before the other conjunct is added."""

PUNCTUATION = frozenset((",", ".", ":", ";", "LRB", "RRB", "LQU", "RQU"))
"""Atomic categories of marks in CCGbank."""

VARIABLE = "X"
"""The feature of ``S[X]``, which matches any feature."""

_SHOWN = 80  # longest category in messages
_ATOM = re.compile(r"[^\s()\[\]<>/\\_]+")
_FEATURE = re.compile(r"\[([^\s()\[\]<>/\\_]+)\]")
_INDEX = re.compile(r"_(\d+(?::[A-Z])?)", re.ASCII)


class Part(NamedTuple):
    r"""A functor or an atom of a category.

    Attributes:
        symbol: ``/`` or ``\`` for a functor, otherwise the name of an atom.
        features: such as ``dcl`` of ``S[dcl]``.
        coindex: index of a shared head, such as ``1`` in ``NP_1`` or ``10:B`` in ``NP_10:B``.
    """

    symbol: str
    features: tuple[str, ...] = ()
    coindex: str = ""

    @property
    def is_functor(self) -> bool:
        return self.symbol in (FORWARD, BACKWARD)

    @property
    def suffix(self) -> str:
        index = f"_{self.coindex}" if self.coindex else ""
        return "".join(f"[{feature}]" for feature in self.features) + index


@dataclass(frozen=True, repr=False)
class Category:
    """A category in Polish notation (Hockenmaier and Steedman 2007, section 2)."""

    parts: tuple[Part, ...]

    @property
    def is_functor(self) -> bool:
        return self.parts[0].is_functor

    @property
    def slash(self) -> str:
        r"""``/`` or ``\`` for a functor, otherwise empty."""
        return self.parts[0].symbol if self.is_functor else ""

    @cached_property
    def result(self) -> "Category":
        return Category(self.parts[1 : self.ends[1]])

    @cached_property
    def argument(self) -> "Category":
        return Category(self.parts[self.ends[1] :])

    @cached_property
    def ends(self) -> list[int]:
        """Return the index after the category that starts at each part."""
        n = len(self.parts)
        ends = [n + 1] * (n + 2)  # no category ends beyond the last part
        for place in range(n - 1, -1, -1):
            middle = place + 1
            ends[place] = ends[ends[middle]] if self.parts[place].is_functor else middle
        return ends

    @property
    def features(self) -> tuple[str, ...]:
        return self.parts[0].features

    @property
    def is_conjunct(self) -> bool:
        return CONJUNCT in self.features

    @property
    def is_punctuation(self) -> bool:
        return self.parts[0].symbol in PUNCTUATION

    def map_parts(self, change: Callable[[Part], Part]) -> "Category":
        return Category(tuple(map(change, self.parts)))

    def without_coindices(self) -> "Category":
        return self.map_parts(lambda part: part._replace(coindex=""))

    def without_features(self) -> "Category":
        return self.map_parts(lambda part: part._replace(features=()))

    def without_conjunction(self) -> "Category":
        first = self.parts[0]
        features = tuple(feature for feature in first.features if feature != CONJUNCT)
        return Category((first._replace(features=features), *self.parts[1:]))

    def __str__(self) -> str:
        first = self.parts[0]
        bare = self.is_functor and not first.coindex and first.features in ((), (CONJUNCT,))
        if bare and first.features:
            bare = not self.parts[self.ends[1]].coindex
        # A stack of texts, and of indices of categories to write.
        waiting: list[str | int] = [0]
        pieces: list[str] = []
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                pieces.append(item)
                continue
            part = self.parts[item]
            if not part.is_functor:
                pieces.append(part.symbol + part.suffix)
                continue
            opening, closing = ("", "") if bare and not item else ("(", ")")
            middle = self.ends[item + 1]
            argument: tuple[str | int, ...] = (middle,)
            if bare and not item and not part.features and _claims(self.parts[middle]):
                argument = (")", middle, "(")  # otherwise its ``[conj]`` would belong to the whole
            waiting += (part.suffix, closing, *argument, part.symbol, item + 1, opening)
        return "".join(pieces)

    def __repr__(self) -> str:
        return f"<Category {self}>"


def _claims(part: Part) -> bool:
    return part.features[-1:] == (CONJUNCT,) and not part.coindex


@lru_cache(maxsize=65536)
def parse_category(text: str) -> Category:
    r"""Read a category such as ``(S[dcl]\NP_1)/NP``.

    Slashes associate to the left: ``S\NP/NP`` is ``(S\NP)/NP``. A ``[conj]`` at the end of a
    category without brackets belongs to the whole category, as in CCGbank.

    Raises:
        UsageError: if the text is not a category.
    """
    # For each open bracket: the category before it, if any, and the slash.
    groups: list[tuple[list[Part], str]] = []
    parts: list[Part] = []
    slash = ""
    place = 0
    while place < len(text):
        char = text[place]
        expects_category = not parts or bool(slash)
        if char == "(" and expects_category:
            groups.append((parts, slash))
            parts, slash = [], ""
            place += 1
            continue
        if char in (FORWARD, BACKWARD) and not expects_category:
            slash = char
            place += 1
            continue
        if char == ")" and groups and not expects_category:
            item = parts
            parts, slash = groups.pop()
            place += 1
        elif expects_category and (atom := _ATOM.match(text, place)):
            item = [Part(atom[0])]
            place = atom.end()
        else:
            _fail(text, place)
        before = place
        item[0], place = _suffixed(item[0], text, place)
        last = not groups and before < place == len(text)
        parts = _functor(slash, parts, item, claims=last and _claims(item[0]))
        slash = ""
    if groups or slash or not parts:
        _fail(text, place)
    return Category(tuple(parts))


def _suffixed(part: Part, text: str, place: int) -> tuple[Part, int]:
    features = list(part.features)
    while match := _FEATURE.match(text, place):
        features.append(match[1])
        place = match.end()
    coindex = part.coindex
    if not coindex and (match := _INDEX.match(text, place)):
        coindex = match[1]
        place = match.end()
    return Part(part.symbol, tuple(features), coindex), place


def _functor(
    slash: str, result_parts: list[Part], argument: list[Part], claims: bool
) -> list[Part]:
    if not slash:
        return argument
    features: tuple[str, ...] = ()
    if claims:
        first = argument[0]
        argument = [first._replace(features=first.features[:-1]), *argument[1:]]
        features = (CONJUNCT,)
    return [Part(slash, features), *result_parts, *argument]


def _fail(text: str, place: int) -> NoReturn:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    shown = repr(shown).replace("\\\\", "\\")
    culprit = f"character {place + 1} ({text[place]!r})" if place < len(text) else "the end"
    raise UsageError(
        f"{shown} is not a category: {culprit} is unexpected; give atoms such as S[dcl] and NP, "
        "slashes, and brackets that match, as in (S[dcl]\\NP)/NP"
    )


class Combinator(NamedTuple):
    """A rule and its sign in drawings."""

    name: str
    sign: str


CONJUNCTION = "conj"
"""The atomic category of conjunctions."""

_MOST = 4
"""Maximum degree of generalised composition; CCGbank needs no more."""


def agree(a: Category, b: Category) -> bool:
    """Return whether two categories are equal, up to features that one of them lacks.

    Coindices and ``[conj]`` are ignored; ``[X]`` agrees with any feature.
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

    The order is coordination, combination, absorption, type change, ``no rule``.
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
        # The result and the inner functor, without their outer arguments.
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


@dataclass(frozen=True, repr=False)
class Derivation(OrderedTree):
    """An ordered tree whose inner nodes have one or two children.

    Attributes:
        heads: ``[nodes]`` index, 0 or 1, of the head among the children; 0 for leaves.
    """

    heads: tuple[int, ...]

    @property
    def data(self) -> tuple[tuple[str | int, ...], ...]:
        return self.categories, self.depths, self.heads

    @cached_property
    def parsed(self) -> tuple[Category, ...]:
        return tuple(map(parse_category, self.categories))

    @cached_property
    def head_children(self) -> tuple[int, ...]:
        """``[nodes]`` the head child, -1 for leaves."""
        rows = zip(self.heads, self.children, strict=True)
        return tuple(children[head] if children else -1 for head, children in rows)

    @cached_property
    def combinators(self) -> tuple[Combinator | None, ...]:
        """``[nodes]`` the rule of each node, None for leaves."""
        rule_of: dict[tuple[Category, ...], Combinator] = {}
        rules: list[Combinator | None] = []
        for node, children in enumerate(self.children):
            if not children:
                rules.append(None)
                continue
            key = tuple(self.parsed[each] for each in (node, *children))
            if key not in rule_of:
                rule_of[key] = combinator(key[0], key[1:])
            rules.append(rule_of[key])
        return tuple(rules)

    def dependencies(self, *, labelled: bool = False) -> DependencyTree:
        return dependencies(self, self.head_children, labelled=labelled)
