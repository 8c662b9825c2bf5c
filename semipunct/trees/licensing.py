r"""A table of the non-combinatory rules that derivations of CCGbank need.

Categories in the table have only the features that a rule requires; a category matches one in the
table if it is equal except for unspecified features. Clauses and phrases can modify from either
side: ``X|X`` stands for ``X/X`` and ``X\X``.

Source: Hockenmaier and Steedman (2007), section 3.8; Tse and Curran (2008), section 4.1.

Why there is a table, and what is left out: docs/decisions/0034-commas-in-derivations.md.
"""

from functools import lru_cache

from semipunct.trees.categories import BACKWARD, FORWARD, Category, Part, parse_category
from semipunct.trees.derivations import Derivation

MODIFIED = ("NP", "N", "S", "S\\NP")
"""The categories that the result of a unary rule, or of a rule with a comma, may modify."""

_MODIFIERS = ("S[ng]\\NP", "S[pss]\\NP", "S[adj]\\NP", "S[to]\\NP", "S[b]\\NP", "S[pt]\\NP",
              "S[dcl]\\NP", "S[nom]\\NP", "S[ng]", "S[pss]", "S[adj]", "S[to]", "S[nom]",
              "S[dcl]/NP", "(S[to]\\NP)/NP", "S[dcl]", "S[em]", "S[to]/NP",
              )  # fmt: skip
_NOMINAL = ("N", "S[ng]\\NP", "S[to]\\NP", "S[dcl]", "S[ng]", "S[to]", "S[b]\\NP", "S[em]")


def functor(result: Category, slash: str, argument: Category) -> Category:
    r"""Return the category of a functor.

    Args:
        result: its result.
        slash: ``/`` or ``\``.
        argument: its argument.
    """
    return Category((Part(slash), *result.parts, *argument.parts))


@lru_cache(maxsize=4096)
def modified_category(category: Category) -> Category:
    """Return the category that an adjunct of a constituent modifies, without features.

    For a verb or a preposition that lacks arguments on its right, this is its category with these
    arguments.

    Args:
        category: the category of the constituent.
    """
    verbal = next(part for part in category.parts if not part.is_functor).symbol in ("S", "PP")
    while verbal and category.slash == FORWARD and category.result != category.argument:
        category = category.result
    return category.without_features()


@lru_cache(maxsize=4096)
def modifier(category: Category, slash: str) -> Category:
    r"""Return the category of an adjunct of a constituent.

    Args:
        category: the category of the constituent.
        slash: ``/`` for an adjunct before it, ``\`` for an adjunct after it.
    """
    base = modified_category(category)
    return functor(base, slash, base)


def _table() -> frozenset[tuple[Category, Category]]:
    bases = [parse_category(text) for text in MODIFIED]
    targets = [functor(base, slash, base) for base in bases for slash in (FORWARD, BACKWARD)]
    changes = {(parse_category(a), b) for a in _MODIFIERS for b in targets}
    return frozenset(changes | {(parse_category(a), parse_category("NP")) for a in _NOMINAL})


UNARY = _table()
"""Pairs of categories related by a unary type change."""

_NOUN_PHRASE = parse_category("NP")
BY_COMMA = frozenset(
    functor(base, slash, base)
    for base in map(parse_category, ("S", "S\\NP"))
    for slash in (FORWARD, BACKWARD)
)
"""The categories to which a noun phrase with an adjacent comma may be changed."""


@lru_cache(maxsize=65536)
def is_declared(result: Category, children: tuple[Category, ...]) -> bool:
    """Return whether a type change is in the table.

    Args:
        result: the category of the node.
        children: one category, or two, one of which is a mark.
    """
    bare = result.without_features()
    if len(children) == 1:
        return (children[0], bare) in UNARY
    return bare in BY_COMMA and _NOUN_PHRASE in children and parse_category(",") in children


def unlicensed_rules(tree: Derivation) -> tuple[str, ...]:
    """Return the rules of a derivation that are neither combinators nor declared, in preorder.

    Args:
        tree: any derivation.
    """
    unlicensed: list[str] = []
    for node, rule in enumerate(tree.combinators):
        if rule is None:
            continue
        children = tuple(tree.parsed[child] for child in tree.children[node])
        changes = rule.name.endswith("type change")
        if rule.name == "no rule" or (changes and not is_declared(tree.parsed[node], children)):
            unlicensed.append(f"{' '.join(map(str, children))} => {tree.parsed[node]}")
    return tuple(unlicensed)
