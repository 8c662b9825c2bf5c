"""How much names say, counted in the source: ``python -m tests.test_names`` prints the counts.

A name that fits any variable says nothing about this one, and a function that is called by a
participle could be a verb, a value or a predicate. Both are counted over ``semirings`` and
``semipunct``, and may not become more.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ("semirings", "semipunct")

_EMPTY = """
all asked both done found given got here it kept known made mine named needed new now old one other
others ours own rest result results same taken theirs there these thing things this those told
wanted what
"""
EMPTY = frozenset(_EMPTY.split())
"""Names that say nothing, whatever they hold; ``ones`` is the neutral element of semirings."""

_IRREGULAR = """
begun bought bound broken brought built caught chosen done drawn driven fallen felt found given gone
grown heard held hidden kept known laid led left lent lost made meant met paid said seen sent shown
sold sought spelt spoken spun stood struck sung taken taught thought thrown told torn understood won
worn wound woven written
"""
IRREGULAR = frozenset(_IRREGULAR.split())
"""Participles that do not end in ``ed``."""

NO_PARTICIPLES = frozenset({"bed", "embed", "exceed", "feed", "need", "seed", "speed"})
"""Words in ``ed`` that are none."""

BEFORE = frozenset(
    {"as", "are", "check", "count", "forget", "has", "is", "note", "parse", "raise", "read", "undo",
     "with", "without"}
)  # fmt: skip
"""First words that make the meaning clear: verbs, predicates, prepositions."""

LARGEST_SHARE = 0.01
"""The largest share of empty names in a room; half of it in the whole library."""

REBUILT = ("semipunct/evaluation",)
"""A room that is not finished; it may have as many such names as now."""
MOST_EMPTY = 17

MOST_PARTICIPLES = 1
"""Public functions of the library that are named by participles."""

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


class Name(NamedTuple):
    """A name that is bound.

    Attributes:
        path: path of its module from the root.
        line: line in which it is bound.
        text: the name.
    """

    path: str
    line: int
    text: str


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield path and syntax tree of each module of the library."""
    for package in LIBRARY:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))


def bound_names(path: str, tree: ast.Module) -> Iterator[Name]:
    """Yield the names that a module binds: arguments, targets, functions, classes, attributes."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.FunctionDef(name=text)
                | ast.AsyncFunctionDef(name=text)
                | ast.ClassDef(name=text)
                | ast.arg(arg=text)
                | ast.Name(id=text, ctx=ast.Store())
                | ast.Attribute(attr=text, ctx=ast.Store())
                | ast.ExceptHandler(name=str(text))
                | ast.MatchAs(name=str(text))
                | ast.MatchStar(name=str(text))
                | ast.alias(asname=str(text))
            ):
                yield Name(path, getattr(node, "lineno", 1), text)
            case _:
                pass


def is_empty(name: Name) -> bool:
    """Tell whether a name says nothing about what it holds."""
    text = name.text
    if text == "result" and room(name.path) == "semipunct/trees":
        return False  # of a functor category, the term of categorial grammar
    return not text.startswith("__") and text.strip("_") in EMPTY


def room(path: str) -> str:
    """Return the room that a module belongs to: a folder of ``semipunct``, or ``semirings``."""
    rebuilt = [name for name in REBUILT if path.startswith(f"{name}/")]
    package, *folders = path.split("/")[:-1]
    return rebuilt[0] if rebuilt else "/".join((package, *folders[: package == "semipunct"]))


def is_participle(name: str) -> bool:
    """Tell whether the name of a function is or ends with a participle."""
    *before, last = name.split("_")
    regular = last.endswith("ed") and last not in NO_PARTICIPLES
    return (regular or last in IRREGULAR) and not BEFORE.intersection(before[:1])


def participles(path: str, tree: ast.Module) -> Iterator[Name]:
    """Yield the public functions and methods that are named by participles.

    Properties and class methods read as nouns, with their object or class before them.
    """

    def within(node: ast.Module | ast.ClassDef) -> Iterator[Name]:
        for child in node.body:
            if isinstance(child, ast.ClassDef) and not child.name.startswith("_"):
                yield from within(child)
            elif isinstance(child, FUNCTION) and not child.name.startswith("_"):
                decorators = " ".join(map(ast.unparse, child.decorator_list))
                reads_as_noun = "property" in decorators or "classmethod" in decorators
                if is_participle(child.name) and not reads_as_noun:
                    yield Name(path, child.lineno, child.name)

    return within(tree)


TREES = list(modules())
NAMES = [name for module in TREES for name in bound_names(*module)]
PARTICIPLES = [name for module in TREES for name in participles(*module)]


def test_few_names_say_nothing():
    every, empty = Counter[str](), Counter[str]()
    for name in NAMES:
        every[room(name.path)] += 1
        empty[room(name.path)] += is_empty(name)
    shares = {place: count / every[place] for place, count in empty.items()}
    assert {x for x, share in shares.items() if share > LARGEST_SHARE} <= {*REBUILT}
    assert empty.total() <= LARGEST_SHARE / 2 * every.total()
    assert sum(empty[place] for place in REBUILT) <= MOST_EMPTY


def test_functions_are_named_by_verbs_and_values_by_nouns():
    assert len(PARTICIPLES) <= MOST_PARTICIPLES, PARTICIPLES


def test_each_kind_of_name_is_counted():
    tree = ast.parse(
        "def found(given, *rest, **others):\n"
        "    for one in [kept for kept in given]:\n"
        "        with one as told, one.told as (own, __all__):\n"
        "            self.asked = total = lambda mine: mine\n"
        "class Words:\n"
        "    def parsed(self): ...\n"
        "    def is_parsed(self): ...\n"
        "    def _drawn(self): ...\n"
        "    @property\n"
        "    def written(self): ...\n"
    )
    names = list(bound_names("", tree))
    assert {name.text for name in names if is_empty(name)} == {
        "asked", "found", "given", "kept", "mine", "one", "others", "own", "rest", "told",
    }  # fmt: skip
    assert [name.text for name in participles("", tree)] == ["found", "parsed"]


if __name__ == "__main__":
    every = Counter(room(name.path) for name in NAMES)
    empty = Counter(room(name.path) for name in NAMES if is_empty(name))
    functions = Counter(room(name.path) for name in PARTICIPLES)
    rows = [
        f"{place:26} {every[place]:6} names, {empty[place] / every[place]:6.2%} empty, "
        f"{functions[place]:3} participles\n"
        for place in sorted(every)
    ]
    whole = f"{every.total():6} names, {empty.total() / every.total():6.2%} empty, "
    sys.stdout.writelines([*rows, f"{'':26} {whole}{functions.total():3} participles\n"])
