"""Steps of the conversion: decompose a constituent with a given category.

Left children of a head are above its right children, the outermost highest; marks at the end of a
sentence are at the top.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from semipunct.papers.ccg.conversion.constituents import (
    CLAUSES,
    Constituent,
    Unconverted,
    bare_relative,
    category_of,
    complement,
    has_subject,
    head_of,
    is_adverbial,
    is_noun_phrase_extracted,
)
from semipunct.papers.ccg.conversion.coordination import is_conjunction
from semipunct.papers.ccg.derivations import (
    BACKWARD,
    CONJUNCT,
    CONJUNCTION,
    FORWARD,
    Category,
    Derivation,
    Part,
    parse_category,
)

MODIFIED = ("NP", "N", "S", "S\\NP")
"""Categories that the result of a unary rule, or of a rule with a comma, may modify."""

_MODIFIERS = ("S[ng]\\NP", "S[pss]\\NP", "S[adj]\\NP", "S[to]\\NP", "S[b]\\NP", "S[pt]\\NP",
              "S[dcl]\\NP", "S[nom]\\NP", "S[ng]", "S[pss]", "S[adj]", "S[to]", "S[nom]",
              "S[dcl]/NP", "(S[to]\\NP)/NP", "S[dcl]", "S[em]", "S[to]/NP",
              )  # fmt: skip
_NOMINAL = ("N", "S[ng]\\NP", "S[to]\\NP", "S[dcl]", "S[ng]", "S[to]", "S[b]\\NP", "S[em]")


def functor(result: Category, slash: str, argument: Category) -> Category:
    r"""Return the category of a functor."""
    return Category((Part(slash), *result.parts, *argument.parts))


@lru_cache(maxsize=4096)
def modified_category(category: Category) -> Category:
    """Return the category, without features, that an adjunct of a constituent modifies.

    It includes the missing right arguments of a verb or a preposition.
    """
    verbal = next(part for part in category.parts if not part.is_functor).symbol in ("S", "PP")
    while verbal and category.slash == FORWARD and category.result != category.argument:
        category = category.result
    return category.without_features()


@lru_cache(maxsize=4096)
def modifier(category: Category, slash: str) -> Category:
    r"""Return the category of an adjunct: ``/`` before the constituent, ``\`` after it."""
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
"""Categories to which a noun phrase with an adjacent comma may be changed."""


@lru_cache(maxsize=65536)
def is_declared(result: Category, children: tuple[Category, ...]) -> bool:
    """Return whether a type change is in the table."""
    bare = result.without_features()
    if len(children) == 1:
        return (children[0], bare) in UNARY
    return bare in BY_COMMA and _NOUN_PHRASE in children and parse_category(",") in children


def unlicensed_rules(tree: Derivation) -> tuple[str, ...]:
    """Return the rules of a derivation that are neither combinators nor declared."""
    unlicensed: list[str] = []
    for node, rule in enumerate(tree.combinators):
        if rule is None:
            continue
        children = tuple(tree.parsed[child] for child in tree.children[node])
        changes = rule.name.endswith("type change")
        if rule.name == "no rule" or (changes and not is_declared(tree.parsed[node], children)):
            unlicensed.append(f"{' '.join(map(str, children))} => {tree.parsed[node]}")
    return tuple(unlicensed)


N, NP, NB, PP = map(parse_category, ("N", "NP", "NP[nb]", "PP"))
_MARKS = {
    ":": ":", ",": ",", ".": ".", "``": "LQU", "''": "RQU", "-LRB-": "LRB", "-RRB-": "RRB",
}  # fmt: skip
_DETERMINERS = frozenset(("DT", "PRP$", "WP$", "WDT"))
_PRONOUNS = frozenset(("PRP", "EX", "DT", "WP", "WDT", "PRP$", "WP$"))
_NOUN_PHRASES = frozenset(("NP", "NX", "NAC", "WHNP", "QP"))
_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS", "CD", "JJ", "JJS", "JJR", "FW", "VBG", "$", "#"))
_INTENSIFIED = frozenset(("JJ", "JJR", "JJS", "VBN", "VBG", "RB", "RBR"))


@dataclass(frozen=True, eq=False, slots=True)
class Item:
    """A part of a tree that will become a node of the derivation.

    Attributes:
        category: the category of the node.
        node: the constituent; for ``rest``, the parent of ``children``.
        children: for ``rest``, the head and remaining children; for ``conjuncts`` and ``joined``,
            conjuncts and elements between them.
        way: the kind of decomposition.
        gap: index of an extracted argument, the last of the category.
    """

    category: Category
    node: Constituent
    way: str = "phrase"
    children: Sequence[Constituent] = ()
    gap: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """The one or two children of a node of the derivation; none for a leaf."""

    head: int
    parts: tuple[Item, ...]


LEAF = Step(0, ())


def step(item: Item) -> Step:
    """Decompose an item."""
    ways: dict[str, Callable[[Item], Step | Item]] = {
        "phrase": _phrase,
        "rest": _remaining,
        "nominal": _nominal,
        "conjuncts": _conjuncts,
        "joined": _joined,
        "comma": _comma,
        "raised": _raised,
    }
    outcome: Step | Item = item
    while isinstance(outcome, Item):  # a phrase of one child is that child; trees may be deep
        outcome = ways[outcome.way](outcome)
    return outcome


def mark_category(node: Constituent) -> Category:
    """Return the atomic category of a mark."""
    name = ";" if node.form == ";" else _MARKS[node.label]
    return parse_category(name)


def _mark(node: Constituent) -> Item:
    return Item(mark_category(node), node)


def _unary(item: Item, category: Category, **changed: object) -> Step:
    return Step(0, (replace(item, category=category, **changed),))  # type: ignore[arg-type]


def _phrase(item: Item) -> Step | Item:
    node, category = item.node, item.category
    if node.is_leaf:
        if category == NP and node.label not in _PRONOUNS and node.label in _NOUNS | {"NN"}:
            return _unary(item, N)
        return LEAF
    if node.coordinated:
        return _conjuncts(replace(item, children=node.children))
    inner_category = _before_unary_rule(node, category)
    if inner_category is not None and inner_category != category:
        inner_item = replace(item, category=inner_category)
        if bare_relative(node) and _lacks_noun_phrase(node):
            inner_item = replace(inner_item, gap=node.binder)
        return Step(0, (inner_item,))
    if node.label in _NOUN_PHRASES:
        return _nominal(replace(item, children=tuple(node.children)))
    return _remaining(replace(item, children=tuple(node.children)))


def _lacks_noun_phrase(node: Constituent) -> bool:
    clause = next((child for child in node.children if child.label in CLAUSES), None)
    return clause is not None and is_noun_phrase_extracted(clause, node.binder)


def _before_unary_rule(node: Constituent, category: Category) -> Category | None:
    modifies = _is_modifier(category)
    nominal = category in (NP, N)
    if node.label == "VP" and (modifies or nominal):
        return parse_category(category_of(node))
    if node.label in CLAUSES and (modifies or nominal):
        finite = has_subject(node) and category_of(node) in ("S[dcl]", "S[q]", "S[b]")
        if finite and not nominal:
            return None
        plain = Constituent(node.label, node.functions - {"NOM"}, node.children)
        plain.traces, plain.open, plain.coordinated = node.traces, node.open, node.coordinated
        return parse_category(category_of(plain))
    if bare_relative(node) and (modifies or nominal):
        head_category = parse_category(category_of(head_of(node)))
        return functor(head_category, FORWARD, NP) if _lacks_noun_phrase(node) else head_category
    if node.label in ("ADJP", "RRC") and modifies:
        before = category.slash == FORWARD and category.result == N
        nested = _is_modifier(category.result) and _is_modifier(category.argument)
        if node.label == "RRC" and head_of(node).label != "VP":
            return None
        return None if before or nested else parse_category(category_of(node))
    return None


def _is_modifier(category: Category) -> bool:
    return category.is_functor and category.result == category.argument


def _remaining(item: Item) -> Step | Item:
    node, children, category, gap = item.node, item.children, item.category, item.gap
    head = node.head if node.head is not None else head_of(node)
    if gap and gap in node.traces and len(children) == len(node.children):
        item = replace(item, gap="")
        gap = ""
    if len(children) == 1:
        return Item(category, head, gap=gap if gap in head.open else "")
    first, last = children[0], children[-1]
    if last is not head and last.is_mark and (last.label == "." or _closes(node, children)):
        return Step(0, (_without(item, 0, -1), _mark(last)))
    if first is not head:
        return _left(item, head)
    return _right(item, head)


def _closes(node: Constituent, children: Sequence[Constituent]) -> bool:
    """Return whether the last mark of a phrase is paired with its first."""
    return children[0].is_mark and node.label == "PRN"


def _without(item: Item, first: int, last: int | None, category: Category | None = None) -> Item:
    shortened = replace(item, way="rest", children=item.children[first:last])
    return shortened if category is None else replace(shortened, category=category)


def _left(item: Item, head: Constituent) -> Step:
    node, children, category, gap = item.node, item.children, item.category, item.gap
    first = children[0]
    if first.is_mark:
        return Step(1, (_mark(first), _without(item, 1, None)))
    if gap and gap in first.open:
        raise Unconverted("extraction to the left of a head")
    complement_category = complement(first, node, head, after=False, apart=False)
    if complement_category is not None:
        argument = parse_category(complement_category)
        if gap:  # X/NP of X/(X\Y) and (X\Y)/NP
            inner = functor(category.result, BACKWARD, argument)
            raised = functor(_bare(category.result), FORWARD, _bare(inner, keep=argument))
            return Step(
                1,
                (
                    Item(raised, first, "raised"),
                    _without(item, 1, None, functor(inner, FORWARD, category.argument)),
                ),
            )
        inner = functor(category, BACKWARD, argument)
        return Step(1, (Item(argument, first), _without(item, 1, None, inner)))
    target = modifier(category, FORWARD)
    if _by_comma(node, first) and children[1].is_comma:
        change = Item(target, first, "comma", children[:2])
        return Step(1, (change, _without(item, 2, None)))
    return Step(1, (Item(target, first), _without(item, 1, None)))


def _bare(category: Category, keep: Category | None = None) -> Category:
    bare = category.without_features()
    return bare if keep is None else functor(bare.result, bare.slash, keep)


def _right(item: Item, head: Constituent) -> Step:
    node, children, category, gap = item.node, item.children, item.category, item.gap
    last = children[-1]
    if last.is_mark:
        return Step(0, (_without(item, 0, -1), _mark(last)))
    complement_category = complement(last, node, head, after=True, apart=children[-2].is_mark)
    if gap and gap in last.open:
        if complement_category is None:
            if last.label != "PP":
                raise Unconverted(f"extraction from an adjunct {last.label}")
            complement_category = "PP"
        argument = parse_category(complement_category)
        inner = functor(category.result, FORWARD, argument)
        argument_item_category = functor(argument, FORWARD, category.argument)
        return Step(
            0,
            (
                replace(_without(item, 0, -1, inner), gap=""),
                Item(argument_item_category, last, gap=gap),
            ),
        )
    if complement_category is not None:
        argument = parse_category(complement_category)
        inner_gap = node.binder if _binds(node, last) else ""
        inner = functor(category, FORWARD, argument)
        return Step(0, (_without(item, 0, -1, inner), Item(argument, last, gap=inner_gap)))
    target = modifier(category, BACKWARD)
    if len(children) > 2 and _by_comma(node, last) and children[-2].is_comma:
        change = Item(target, last, "comma", children[-2:])
        return Step(0, (_without(item, 0, -2), change))
    return Step(0, (_without(item, 0, -1), Item(target, last)))


def _binds(node: Constituent, clause: Constituent) -> bool:
    return node.label in ("SBAR", "SBARQ") and is_noun_phrase_extracted(clause, node.binder)


def _by_comma(owner: Constituent, child: Constituent) -> bool:
    """Return whether a noun phrase modifies a clause only by a comma (rule ``T,``)."""
    return owner.label in (*CLAUSES, "VP") and child.label == "NP" and not is_adverbial(child)


def _comma(item: Item) -> Step:
    comma_first = item.children[0].is_comma
    parts = tuple(_mark(child) if child.is_comma else Item(NP, child) for child in item.children)
    return Step(1 if comma_first else 0, parts)


def _raised(item: Item) -> Step:
    return Step(0, (Item(item.category.argument.argument, item.node),))


def _nominal(item: Item) -> Step | Item:
    """Decompose a noun phrase: postmodifiers first, then its determiner, then its nouns."""
    node, children, category = item.node, item.children, item.category
    first, last = children[0], children[-1]
    if last.label == "POS" and len(children) > 1:
        owner = Item(functor(category, BACKWARD, NP), last)
        return Step(1, (Item(NP, node.regroup(list(children[:-1]), None)), owner))
    head = node.head if node.head is not None else _noun(node)
    item = replace(item, way="nominal")
    if len(children) == 1 and head is children[0]:
        return Item(category, head, gap=item.gap)
    if head.label in ("NP", "WHNP", "WHPP", "PP", "S", "SBAR") and not head.is_leaf:
        return replace(item, way="rest")
    if last is not head:
        if last.is_mark:
            return Step(0, (replace(item, children=children[:-1]), _mark(last)))
        if not last.is_leaf or category != NP:
            modifier_item = Item(modifier(category, BACKWARD), last)
            return Step(0, (replace(item, children=children[:-1]), modifier_item))
    before = range(next(i for i, child in enumerate(children) if child is head))
    determined = next((i for i in before if _determines(children[i])), -1)
    if determined > 0 or (first.label == "PDT" and first is not head):
        if first.is_mark:
            return Step(1, (_mark(first), replace(item, children=children[1:])))
        modifier_item = Item(modifier(category, FORWARD), first)
        return Step(1, (modifier_item, replace(item, children=children[1:])))
    if determined == 0 and category != N:
        result_category = NB if category == NP else category
        modifier_item = Item(functor(result_category, FORWARD, N), first)
        return Step(1, (modifier_item, replace(item, category=N, children=children[1:])))
    if category == NP and not (head.is_leaf and head.label in _PRONOUNS):
        return _unary(item, N)
    return _noun_modifiers(item, head)


def _noun_modifiers(item: Item, head: Constituent) -> Step:
    children, category = item.children, item.category
    first, last = children[0], children[-1]
    if first is not head:
        if first.is_mark:
            return Step(1, (_mark(first), replace(item, children=children[1:])))
        size = 1
        if first.label in ("RB", "RBR", "RBS"):
            while children[size] is not head and children[size].label in _INTENSIFIED:
                size += 1
                if not children[size - 1].label.startswith("RB"):
                    break
        modifying = first
        if size > 1:
            modifying = Constituent("ADJP", children=list(children[:size]), head=children[size - 1])
        modifies = Item(modifier(category, FORWARD), modifying)
        return Step(1, (modifies, replace(item, children=children[size:])))
    modifying = Item(modifier(category, BACKWARD), last)
    return Step(0, (replace(item, children=children[:-1]), modifying))


def _noun(node: Constituent) -> Constituent:
    """Return the head of a noun phrase; for an amount, its last number."""
    numbers = [child for child in node.children if child.is_leaf and child.label == "CD"]
    head = head_of(node)
    money = head.is_leaf and head.label in ("$", "#")
    if numbers and (node.label == "QP" or money):
        return numbers[-1]
    if head.label == "RB":  # almost all
        head = next((c for c in reversed(node.children) if c.label in _PRONOUNS), head)
    if head.is_mark or is_conjunction(head):
        raise Unconverted("a noun phrase without a noun")
    return head


def _determines(child: Constituent) -> bool:
    possessive = bool(child.children) and child.children[-1].label == "POS"
    return possessive or (child.is_leaf and child.label in _DETERMINERS)


def _conjuncts(item: Item) -> Step | Item:
    first, *remaining = item.children
    if item.gap and item.gap not in first.open:
        raise Unconverted("extraction from one conjunct alone")
    conjunct = Item(item.category, first, gap=item.gap)
    if not remaining:
        return conjunct
    parts = item.category.parts
    marked = Category((parts[0]._replace(features=(*parts[0].features, CONJUNCT)), *parts[1:]))
    tail = replace(item, category=marked, way="joined", children=remaining)
    return Step(0, (conjunct, tail))


def _joined(item: Item) -> Step:
    first, *remaining = item.children
    if not remaining:
        raise Unconverted("a conjunction at an end")
    second = remaining[0]
    if first.is_mark and (is_conjunction(second) or second.is_mark):
        return Step(1, (_mark(first), replace(item, children=remaining)))
    if is_conjunction(second):
        raise Unconverted("two conjunctions in a row")
    joins = _mark(first) if first.is_mark else Item(parse_category(CONJUNCTION), first)
    plain = item.category.without_conjunction()
    return Step(1, (joins, replace(item, category=plain, way="conjuncts", children=remaining)))
