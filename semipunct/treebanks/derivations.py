"""Conversion of phrases to derivations, and normalisation of their commas, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from semipunct.corpus.treebank import MALFORMED
from semipunct.errors import TreebankError, UsageError
from semipunct.formats import format_of
from semipunct.formats.ccgbank import (
    AutoRecord,
    auto_record,
    read_derivations,
    with_derivation,
)
from semipunct.formats.ptb import read_bracketings
from semipunct.formats.verbatim import Malformed, malformed_entry
from semipunct.tasks.notices import Omissions
from semipunct.trees.commas import Rule, attested_categories, comma_nodes, normalise_absorption
from semipunct.trees.conversion import Unconverted, convert_phrases
from semipunct.trees.derivations import Derivation
from semipunct.wording import quantity

_LISTED = 5
"""The number of reasons, and of places, in a message."""


@dataclass(frozen=True, slots=True)
class CommaTable:
    """Counts of the rules with commas of a treebank: figure 9 of Tse and Curran (2008), extended.

    Attributes:
        instances: the count of each kind of rule.
        left, right: how often each category absorbs a comma on that side.
    """

    instances: Counter[str]
    left: Counter[str]
    right: Counter[str]

    @property
    def absorption_rules(self) -> int:
        """The number of different absorption rules."""
        return len(self.left) + len(self.right)


def _table(table: CommaTable) -> dict[str, Any]:
    """Return counts as JSON-serialisable values, the most frequent first."""
    counts = {"instances": table.instances, "left": table.left, "right": table.right}
    rows: dict[str, Any] = {name: dict(count.most_common()) for name, count in counts.items()}
    return {**rows, "absorption_rules": table.absorption_rules}


@dataclass(frozen=True, slots=True)
class ConversionCounts:
    """Counts of the trees of phrases that became derivations, and of the others.

    Attributes:
        trees: the number of trees.
        converted: the number of those that became derivations.
        reasons: the count of each reason for leaving out a tree.
        first: the place of the first tree left out for each reason.
    """

    trees: int
    converted: int
    reasons: Counter[str]
    first: dict[str, str]

    @property
    def told(self) -> str:
        """The most frequent reasons, for messages."""
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
    """The commas of a treebank before and after their normalisation.

    Attributes:
        rule: the rule for their places.
        before, after: counts of the rules with commas.
        unlicensed: derivations that are left as they are, each with a node that no rule licenses.
    """

    rule: Rule
    before: CommaTable
    after: CommaTable
    unlicensed: tuple[tuple[AutoRecord, str], ...]


@dataclass(frozen=True, slots=True)
class Normalised:
    """A treebank of derivations that were converted, or whose commas were attached consistently.

    Attributes:
        records: the derivations, with their texts.
        malformed: the derivations of the files that cannot be read.
        conversion: counts of the conversion from phrases, if there was one.
        commas: what became of the commas, if they were normalised.
    """

    records: tuple[AutoRecord, ...]
    malformed: tuple[Malformed, ...] = ()
    conversion: ConversionCounts | None = None
    commas: MovedCommas | None = None

    @property
    def derivations(self) -> list[Derivation]:
        """The trees."""
        return [record.derivation for record in self.records]

    @property
    def text(self) -> str:
        """The content of a file of the derivations."""
        *earlier, last = (record.text for record in self.records)
        lines = (text if text.endswith("\n") else f"{text}\n" for text in earlier)
        return "".join((*lines, last))

    def as_dict(self) -> dict[str, Any]:
        """Return the report of conversion and commas as JSON-serialisable values."""
        report: dict[str, Any] = {}
        if (counts := self.conversion) is not None:
            report["conversion"] = {
                "trees": counts.trees,
                "converted": counts.converted,
                "reasons": dict(counts.reasons.most_common()),
                "first": counts.first,
            }
        if (commas := self.commas) is not None:
            report["commas"] = {
                "rule": commas.rule,
                "before": _table(commas.before),
                "after": _table(commas.after),
                "without_rule": len(commas.unlicensed),
            }
        return report

    def __repr__(self) -> str:
        return f"<Normalised: {quantity(len(self.records), 'derivation')}>"


def derive(
    files: Sequence[str | Path],
    *,
    to: Literal["ccg"] | None,
    commas: Literal["ccg"] | None,
    rule: Rule,
    quotes: bool,
) -> Normalised:
    """Convert phrase-structure trees to derivations, or attach the commas of derivations, or both.

    Args:
        files: as for ``semipunct.normalise``, and so are the others.
        to: the grammar to which trees are converted.
        commas: the grammar by which commas are attached.
        rule: the place of a comma.
        quotes: whether converted trees have quotation marks.

    Raises:
        UsageError: if the files are of another format.
        TreebankError: if a file is missing or damaged, or has nothing that can be used.
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


def _with_commas(normalised: Normalised, rule: Rule) -> Normalised:
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
    """Count the rules with commas of a treebank.

    Args:
        trees: the derivations of the treebank.
    """
    table = CommaTable(Counter(), Counter(), Counter())
    for tree in trees:
        for each in comma_nodes(tree):
            table.instances[each.rule] += 1
            if each.rule == "left":
                table.left[each.category] += 1
            elif each.rule == "right":
                table.right[each.category] += 1
    return table


def normalise_commas(trees: Sequence[Derivation], rule: Rule = "better") -> list[Derivation]:
    """Normalise the commas of a treebank, which also provides the categories for ``better``.

    A derivation with a node that no rule licenses is unchanged.

    Args:
        trees: the derivations of the treebank.
        rule: as for ``semipunct.trees.commas.normalise_absorption``.
    """
    sound = [not faults(tree) for tree in trees]
    attested = attested_categories(tree for tree, good in zip(trees, sound, strict=True) if good)
    return [
        normalise_absorption(tree, rule, attested) if good else tree
        for tree, good in zip(trees, sound, strict=True)
    ]


def faults(tree: Derivation) -> list[str]:
    """Return the nodes of a derivation that no rule licenses, as ``A B => C``.

    Unary type changes are not checked: their inventory differs between treebanks.

    Args:
        tree: the derivation.
    """
    return [
        f"{' '.join(tree.categories[child] for child in tree.children[node])} => "
        f"{tree.categories[node]}"
        for node, rule in enumerate(tree.combinators)
        if rule is not None and rule.name == "no rule"
    ]


def messages(normalised: Normalised) -> Iterator[str]:
    """Yield what was left out, converted and moved, as messages.

    Args:
        normalised: the derivations.
    """
    omitted = Omissions("left out")
    for record in normalised.malformed:
        omitted.count(malformed_entry(record).content)
    yield from omitted.messages()
    if counts := normalised.conversion:
        share = counts.converted / counts.trees
        yield f"converted {counts.converted:,} of {quantity(counts.trees, 'tree')} ({share:.1%})"
        if counts.reasons:
            yield f"left out {quantity(counts.reasons.total(), 'tree')}: {counts.told}"
    if moved := normalised.commas:
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
