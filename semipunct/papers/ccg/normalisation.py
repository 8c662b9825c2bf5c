"""Conversion of phrases to derivations, and normalisation of their commas.

Source: Tse and Curran (2008), sections 4 to 6 and algorithm 1; see docs/decisions/papers.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from semipunct.corpus.treebank import MALFORMED
from semipunct.errors import TreebankError, UsageError
from semipunct.formats import format_of
from semipunct.formats.base import CommaPlace
from semipunct.papers.ccg.ccgbank import AutoRecord, auto_record, read_derivations, with_derivation
from semipunct.papers.ccg.conversion import Unconverted, convert_phrases
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.commas.ptb import read_bracketings
from semipunct.papers.commas.verbatim import Malformed, malformed_entry
from semipunct.pipelines.notices import Omissions
from semipunct.wording import quantity

CommaRule = Literal["left", "right", "coordination", "type change", "no rule"]
"""The rule of a node with a comma: left or right absorption, or as named."""

COMMA = ","

_BY_NAME: dict[str, CommaRule] = {
    "left absorption": "left",
    "right absorption": "right",
    "coordination": "coordination",
}


@dataclass(frozen=True, slots=True)
class CommaNode:
    """A node with a comma among its children."""

    node: int
    rule: CommaRule
    category: str


def comma_nodes(tree: Derivation) -> tuple[CommaNode, ...]:
    """Find the nodes with a comma as a child, in preorder.

    The rule is ``coordination`` only for a comma as conjunction.
    """
    commas: list[CommaNode] = []
    for node, children in enumerate(tree.children):
        rule = tree.combinators[node]
        if rule is None or not any(_is_comma(tree, child) for child in children):
            continue
        name: CommaRule = "type change" if rule.name.endswith("type change") else "no rule"
        commas.append(CommaNode(node, _BY_NAME.get(rule.name, name), tree.categories[node]))
    return tuple(commas)


def attested_categories(trees: Iterable[Derivation], minimum: int = 2) -> frozenset[str]:
    """Return the categories that absorb a comma on their right ``minimum`` times or more."""
    counts = Counter(
        comma.category for tree in trees for comma in comma_nodes(tree) if comma.rule == "right"
    )
    return frozenset(category for category, count in counts.items() if count >= minimum)


def normalise_absorption(
    tree: Derivation, rule: CommaPlace = "paper", attested: Collection[str] = ()
) -> Derivation:
    """Convert left absorption of commas to right absorption.

    Each comma is attached to a constituent that ends before it. Commas of type changes and
    coordinations stay, as do commas at the beginning of a sentence or after another mark.

    Args:
        tree: any derivation.
        rule: ``paper`` for the highest position (algorithm 1); ``better`` for the highest attested
            position: below a unary rule (section 7), or at the right edge of the constituent.
            ``better`` also moves commas from unattested rules of right absorption.
        attested: categories that may absorb a comma from the right.
    """
    working = _Working(tree)
    for node, rule_of_node in enumerate(tree.combinators):
        if rule_of_node is None or not rule_of_node.name.endswith("absorption"):
            continue
        left = rule_of_node.name == "left absorption"
        comma, sibling = tree.children[node][:: 1 if left else -1]
        is_absorbed = tree.parsed[node] == tree.parsed[sibling]
        if not _is_comma(tree, comma) or not is_absorbed:
            continue
        if left:
            working.move(node, comma, rule, attested)
        elif rule == "better" and tree.categories[node] not in attested:
            working.lower(node, comma, attested)
    return working.finished() if working.changed else tree


def _is_comma(tree: Derivation, node: int) -> bool:
    return tree.anchors[node] > 0 and tree.categories[node] == COMMA


class _Working:
    def __init__(self, tree: Derivation) -> None:
        self.categories = list(tree.categories)
        self.heads = list(tree.heads)
        self.children = [list(children) for children in tree.children]
        self.parents = list(tree.parents)
        self.root = 0
        self.changed = False
        self._marks = [
            bool(anchor) and category.is_punctuation
            for anchor, category in zip(tree.anchors, tree.parsed, strict=True)
        ]

    def move(self, node: int, comma: int, rule: CommaPlace, attested: Collection[str]) -> None:
        top = node
        while self.parents[top] >= 0 and self.children[self.parents[top]][0] == top:
            top = self.parents[top]
        if self.parents[top] < 0:
            return  # no constituent precedes it
        target = self.children[self.parents[top]][0]
        if self._marks[target]:
            return
        if rule == "better":
            target = self._place(target, attested)
        self._replace(node, self.children[node][1])
        self._attach(node, target, comma)

    def lower(self, node: int, comma: int, attested: Collection[str]) -> None:
        sibling = self.children[node][0]
        target = self._place(sibling, attested)
        if target != sibling:
            self._replace(node, sibling)
            self._attach(node, target, comma)

    def _place(self, highest: int, attested: Collection[str]) -> int:
        """Return the highest attested node at the right edge, or the node itself."""
        place = highest
        while self.categories[place] not in attested:
            if not self.children[place]:
                return highest
            place = self.children[place][-1]
        return place

    def _attach(self, node: int, target: int, comma: int) -> None:
        self.categories[node] = self.categories[target]
        self.heads[node] = 0
        self._replace(target, node)
        self.children[node] = [target, comma]
        self.parents[target] = self.parents[comma] = node
        self.changed = True

    def _replace(self, node: int, replacement: int) -> None:
        above = self.parents[node]
        self.parents[replacement] = above
        if above < 0:
            self.root = replacement
        else:
            place = self.children[above].index(node)
            self.children[above][place] = replacement

    def finished(self) -> Derivation:
        depths: list[int] = []
        order: list[int] = []
        waiting = [(self.root, 0)]
        while waiting:
            node, depth = waiting.pop()
            depths.append(depth)
            order.append(node)
            waiting += ((child, depth + 1) for child in reversed(self.children[node]))
        return Derivation(
            tuple(depths),
            tuple(self.categories[node] for node in order),
            tuple(self.heads[node] for node in order),
        )


_LISTED = 5
"""Number of reasons in a message."""


@dataclass(frozen=True, slots=True)
class CommaTable:
    """Counts of rules with commas (Tse and Curran 2008, figure 9)."""

    instances: Counter[str]
    left: Counter[str]
    right: Counter[str]

    @property
    def absorption_rules(self) -> int:
        return len(self.left) + len(self.right)

    def as_dict(self) -> dict[str, Any]:
        return {
            "instances": dict(self.instances.most_common()),
            "left": dict(self.left.most_common()),
            "right": dict(self.right.most_common()),
            "absorption_rules": self.absorption_rules,
        }


@dataclass(frozen=True, slots=True)
class ConversionCounts:
    """Counts of converted trees, and of reasons for omissions."""

    trees: int
    converted: int
    reasons: Counter[str]
    first: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        return {
            "trees": self.trees,
            "converted": self.converted,
            "reasons": dict(self.reasons.most_common()),
            "first": self.first,
        }

    @property
    def told(self) -> str:
        more = ", ..." if len(self.reasons) > _LISTED else ""
        return (
            ", ".join(
                f"{reason} ({count:,}, first {self.first[reason]})"
                for reason, count in self.reasons.most_common(_LISTED)
            )
            + more
        )


@dataclass(frozen=True, slots=True)
class MovedCommas:
    """The commas of a treebank before and after normalisation."""

    rule: CommaPlace
    before: CommaTable
    after: CommaTable
    unlicensed: tuple[tuple[AutoRecord, str], ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "without_rule": len(self.unlicensed),
        }


@dataclass(frozen=True, slots=True)
class Normalised:
    """A treebank of derivations after conversion or normalisation."""

    records: tuple[AutoRecord, ...]
    malformed: tuple[Malformed, ...] = ()
    conversion: ConversionCounts | None = None
    commas: MovedCommas | None = None

    @property
    def derivations(self) -> list[Derivation]:
        return [record.derivation for record in self.records]

    @property
    def text(self) -> str:
        *earlier, last = (record.text for record in self.records)
        lines = (text if text.endswith("\n") else f"{text}\n" for text in earlier)
        return "".join((*lines, last))

    def as_dict(self) -> dict[str, Any]:
        parts = {"conversion": self.conversion, "commas": self.commas}
        return {name: part.as_dict() for name, part in parts.items() if part is not None}

    def messages(self) -> Iterator[str]:
        omitted = Omissions("left out")
        for record in self.malformed:
            omitted.count(malformed_entry(record).content)
        yield from omitted.messages()
        if counts := self.conversion:
            share = counts.converted / counts.trees
            trees = quantity(counts.trees, "tree")
            yield f"converted {counts.converted:,} of {trees} ({share:.1%})"
            if counts.reasons:
                yield f"left out {quantity(counts.reasons.total(), 'tree')}: {counts.told}"
        if moved := self.commas:
            for record, rule in moved.unlicensed[:_LISTED]:
                yield (
                    f"{record.path}:{record.line}: sentence {record.sentence_id}: no rule licenses "
                    f"{rule}; the derivation is left unchanged"
                )
            if (more := len(moved.unlicensed) - _LISTED) > 0:
                yield f"and {quantity(more, 'more derivation')} of this kind"
            before, after = moved.before, moved.after
            yield (
                f"commas absorbed from the left: {before.left.total():,} before, "
                f"{after.left.total():,} after; from the right: {before.right.total():,} and "
                f"{after.right.total():,}; absorption rules: {before.absorption_rules} and "
                f"{after.absorption_rules}"
            )

    def __repr__(self) -> str:
        return f"<Normalised: {quantity(len(self.records), 'derivation')}>"


def derive(
    files: Sequence[str | Path],
    *,
    to: str | None = None,
    commas: str | None = None,
    rule: CommaPlace = "better",
    quotes: bool = False,
) -> Normalised:
    """Convert phrase-structure trees to derivations, or attach the commas of derivations, or both.

    Trees without a conversion are left out, and derivations with an unlicensed node are unchanged.
    Words, categories and dependencies are preserved.

    Args:
        files: derivations or, with ``to``, trees of the Penn Treebank.
        to: the grammar to convert trees to.
        commas: the grammar by which each absorbed comma is attached to the constituent before it.
        rule: as high as possible (``paper``), or without a new rule (``better``).
        quotes: whether to keep quotation marks, which CCGbank leaves out.

    Raises:
        UsageError: if the files have another format.
        TreebankError: if a file is missing or damaged, or nothing is usable.
    """
    format_name, ending, contents = (
        ("ccgbank", ".auto", "derivations") if to is None else ("ptb", ".mrg", "phrases")
    )
    if format_of(*files, default=format_name).name != format_name:
        raise UsageError(f"{files[0]}: give files of {contents}, whose names end in {ending}")
    result = _read(files) if to is None else _converted(files, quotes=quotes)
    return result if commas is None else _with_commas(result, rule)


def _read(files: Sequence[str | Path]) -> Normalised:
    records: list[AutoRecord] = []
    malformed: list[Malformed] = []
    for record in (record for path in files for record in read_derivations(path)):
        if isinstance(record, Malformed):
            malformed.append(record)
        else:
            records.append(record)
    if not records:
        first = f" (first {malformed[0].fault})" if malformed else ""
        raise TreebankError(f"{_names(files)}: no usable derivation{first}; give some")
    return Normalised(tuple(records), tuple(malformed))


def _converted(files: Sequence[str | Path], *, quotes: bool) -> Normalised:
    records: list[AutoRecord] = []
    reasons: Counter[str] = Counter()
    places: dict[str, str] = {}
    number = 0
    for bracketing in (bracketing for path in files for bracketing in read_bracketings(path)):
        if isinstance(bracketing, Malformed):
            number += bracketing.reason == MALFORMED
            reasons[bracketing.reason] += 1
            places.setdefault(bracketing.reason, bracketing.fault)
            continue
        number += 1
        try:
            conversion = convert_phrases(bracketing.tree, bracketing.forms, quotes=quotes)
        except Unconverted as error:
            reasons[str(error)] += 1
            places.setdefault(str(error), f"{bracketing.path}:{bracketing.line}")
            continue
        records.append(auto_record(bracketing, conversion, number))
    counts = ConversionCounts(number, len(records), reasons, places)
    if not records:
        raise TreebankError(
            f"{_names(files)}: none of {quantity(number, 'tree')} could be converted "
            f"({counts.told}); give trees of the Penn Treebank, with function tags and empty "
            "elements"
        )
    return Normalised(tuple(records), conversion=counts)


def _with_commas(normalised: Normalised, rule: CommaPlace) -> Normalised:
    trees = normalised.derivations
    wrong = [(record, of[0]) for record in normalised.records if (of := faults(record.derivation))]
    moved = normalise_commas(trees, rule)
    records = tuple(
        record
        if moved_tree is record.derivation
        else replace(record, text=with_derivation(record, moved_tree), derivation=moved_tree)
        for record, moved_tree in zip(normalised.records, moved, strict=True)
    )
    table = MovedCommas(rule, comma_table(trees), comma_table(moved), tuple(wrong))
    return replace(normalised, records=records, commas=table)


def _names(files: Sequence[str | Path]) -> str:
    return ", ".join(map(str, files))


def comma_table(trees: Iterable[Derivation]) -> CommaTable:
    """Count the rules with commas of a treebank."""
    table = CommaTable(Counter(), Counter(), Counter())
    for tree in trees:
        for each in comma_nodes(tree):
            table.instances[each.rule] += 1
            if each.rule == "left":
                table.left[each.category] += 1
            elif each.rule == "right":
                table.right[each.category] += 1
    return table


def normalise_commas(trees: Sequence[Derivation], rule: CommaPlace = "better") -> list[Derivation]:
    """Normalise the commas of a treebank, which provides the categories for ``better``.

    Derivations with an unlicensed node are unchanged.
    """
    sound = [not faults(tree) for tree in trees]
    attested = attested_categories(tree for tree, good in zip(trees, sound, strict=True) if good)
    return [
        normalise_absorption(tree, rule, attested) if good else tree
        for tree, good in zip(trees, sound, strict=True)
    ]


def faults(tree: Derivation) -> list[str]:
    """Return the nodes that no rule licenses, as ``A B => C``.

    Unary type changes, which differ between treebanks, are not checked.
    """
    return [
        f"{' '.join(tree.categories[child] for child in tree.children[node])} => "
        f"{tree.categories[node]}"
        for node, rule in enumerate(tree.combinators)
        if rule is not None and rule.name == "no rule"
    ]
