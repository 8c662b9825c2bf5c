"""Conversion of phrases to derivations, and normalisation of their commas, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, overload

from semipunct.corpus.treebank import MALFORMED
from semipunct.errors import TreebankError, UsageError
from semipunct.formats import format_of
from semipunct.formats.ccgbank import (
    AutoRecord,
    Ccgbank,
    auto_record,
    read_derivations,
    with_derivation,
)
from semipunct.formats.conllu import Conllu
from semipunct.formats.ptb import Ptb, read_bracketings
from semipunct.formats.verbatim import Malformed
from semipunct.tasks.normalise_marks import NormalisedTreebank, normalise_marks
from semipunct.trees.commas import Rule, attested_categories, comma_nodes, normalise_absorption
from semipunct.trees.conventions import Convention
from semipunct.trees.conversion import Unconverted, convert_phrases
from semipunct.trees.derivations import Derivation
from semipunct.trees.principles import RULES
from semipunct.wording import quantity

_LISTED = 5
"""The number of reasons in a message."""

_DERIVED = frozenset((Ptb.name, Ccgbank.name))


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

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-serialisable values, the most frequent first."""
        return {
            "instances": dict(self.instances.most_common()),
            "left": dict(self.left.most_common()),
            "right": dict(self.right.most_common()),
            "absorption_rules": self.absorption_rules,
        }


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

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-serialisable values, the most frequent reasons first."""
        return {
            "trees": self.trees,
            "converted": self.converted,
            "reasons": dict(self.reasons.most_common()),
            "first": self.first,
        }

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

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as JSON-serialisable values."""
        return {
            "rule": self.rule,
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "without_rule": len(self.unlicensed),
        }


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
        parts = {"conversion": self.conversion, "commas": self.commas}
        return {name: part.as_dict() for name, part in parts.items() if part is not None}

    def __repr__(self) -> str:
        return f"<Normalised: {quantity(len(self.records), 'derivation')}>"


@overload
def normalise(
    *files: str | Path,
    only: Collection[str] = (),
    convention: Convention | None = None,
    strict: bool = False,
) -> NormalisedTreebank: ...
@overload
def normalise(
    *files: str | Path,
    to: Literal["ccg"],
    commas: Literal["ccg"] | None = None,
    rule: Rule = "better",
    quotes: bool = False,
) -> Normalised: ...
@overload
def normalise(*files: str | Path, commas: Literal["ccg"], rule: Rule = "better") -> Normalised: ...
def normalise(
    *files: str | Path,
    only: Collection[str] = (),
    convention: Convention | None = None,
    strict: bool = False,
    to: Literal["ccg"] | None = None,
    commas: Literal["ccg"] | None = None,
    rule: Rule = "better",
    quotes: bool = False,
) -> Normalised | NormalisedTreebank:
    """Attach the marks of treebanks, or the commas of derivations, consistently.

    Marks of dependency trees are attached as the guidelines of Universal Dependencies say. Only
    heads of tokens with the tag PUNCT and the relation ``punct`` change, and DEPS where it has the
    same arc.

    With ``to`` or ``commas``, phrase-structure trees are converted to derivations of a grammar,
    and their commas attached consistently. Trees that cannot be converted are left out.
    Derivations with a node that no rule licenses are unchanged. Words, categories and dependencies
    are preserved.

    Args:
        *files: names of files of dependency trees, with ``commas`` of derivations, or with ``to``
            of trees of the Penn Treebank; ``.gz`` is decompressed, ``-`` is standard input.
        only: the principles by which heads are changed, of ``conjunct``, ``unit``, ``highest`` and
            ``pair``; all if empty.
        convention: the attachment of marks between units: to the ``unit`` that a mark sets off, as
            the guidelines say, or to the ``governor`` of that unit, as in UD 1; None to learn it
            from the files.
        strict: whether heads that the guidelines allow are replaced by those that they prefer.
        to: the grammar to which trees are converted; None for files of derivations.
        commas: the grammar by which commas are attached: every absorbed comma to the constituent
            before it; None to leave them.
        rule: the place of a comma: as high as possible (``paper``), or as high as possible without
            a new rule (``better``).
        quotes: whether converted trees have quotation marks, which CCGbank leaves out.

    Raises:
        UsageError: if the files are of another format, or options do not belong together.
        TreebankError: if a file is missing or damaged, or has nothing that can be used.
    """
    if to is None and commas is None:
        form = format_of(*files).name
        if form != Conllu.name:
            if form in _DERIVED:
                raise UsageError("there is nothing to do; give --to ccg, --commas ccg or both")
            raise UsageError(
                f"{files[0]}: marks are attached in dependency trees of CoNLL-U, and this is a "
                f"file of the format {form}; give CoNLL-U"
            )
        return normalise_marks(files, rules=only or RULES, convention=convention, strict=strict)
    if only or convention is not None or strict:
        raise UsageError(
            "--only, --convention and --strict are for dependency trees; leave them out, or leave "
            "out --to and --commas"
        )
    return derive(files, to=to, commas=commas, rule=rule, quotes=quotes)


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
        files: as for ``normalise``.
        to: as for ``normalise``.
        commas: as for ``normalise``.
        rule: as for ``normalise``.
        quotes: as for ``normalise``.

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
