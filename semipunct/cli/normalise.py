"""``semipunct normalise``: convert phrases to derivations, and attach commas consistently."""

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from semipunct.cli import arguments, console
from semipunct.cli.treebanks import LeftOut
from semipunct.errors import TreebankError, UsageError
from semipunct.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semipunct.formats.ccgbank import AutoRecord
    from semipunct.formats.verbatim import Malformed
    from semipunct.tasks.normalise import CommaTable

_LISTED = 5  # places and reasons listed in a message


class Target(StrEnum):
    """The grammars of derivations."""

    CCG = "ccg"


class CommaPlace(StrEnum):
    """The rules for the place of a comma."""

    PAPER = "paper"
    BETTER = "better"


def normalise(
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="IN...", help="Derivations, or phrases with --to; '-' for stdin."),
    ],
    out: arguments.Output = console.STANDARD,
    to: Annotated[
        Target | None,
        typer.Option(help="Convert phrase-structure trees of the Penn Treebank to derivations."),
    ] = None,
    commas: Annotated[
        Target | None,
        typer.Option(help="Attach every absorbed comma to the constituent before it."),
    ] = None,
    rule: Annotated[
        CommaPlace | None,
        typer.Option(
            help="With --commas: attach it as high as possible (paper), or as high as possible "
            "without a new rule (better) [better]."
        ),
    ] = None,
    quotes: Annotated[
        bool, typer.Option("--quotes", help="Keep quotation marks, which CCGbank leaves out.")
    ] = False,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write a report of the conversion and of moved commas as JSON."
        ),
    ] = None,
) -> None:
    """Convert phrase-structure trees to CCG derivations, and attach their commas consistently.

    Trees that cannot be converted are left out and counted by reason. Derivations with a node that
    no rule licenses are passed through unchanged. Words, categories and dependencies are preserved.
    """
    if to is None and commas is None:
        raise UsageError("there is nothing to do; give --to ccg, --commas ccg or both")
    if rule is not None and commas is None:
        raise UsageError("--rule needs --commas; give --commas ccg as well, or leave out --rule")
    place = CommaPlace.BETTER if rule is None else rule
    if quotes and to is None:
        raise UsageError("--quotes needs --to; give --to ccg as well, or leave out --quotes")
    if report == console.STANDARD:
        raise UsageError("--report needs the name of a file")
    console.check_targets(out, figures=report, inputs=inputs)
    from semipunct.files import output, to_json
    from semipunct.formats import format_of
    from semipunct.formats.ccgbank import read_derivations, with_derivation
    from semipunct.tasks.normalise import comma_table, faults, normalise_commas

    wanted = "ptb" if to is not None else "ccgbank"
    if format_of(*inputs, default=wanted).name != wanted:
        ending = ".mrg" if to is not None else ".auto"
        raise UsageError(
            f"{inputs[0]}: give files of {'phrases' if to is not None else 'derivations'}, whose "
            f"names end in {ending}"
        )
    told: dict[str, object] = {}
    if to is None:
        records = _well_formed(record for path in inputs for record in read_derivations(path))
        if not records:
            raise TreebankError(f"{', '.join(inputs)}: no usable derivation; give some")
    else:
        records, told["conversion"] = _converted(inputs, quotes=quotes)
    texts = [record.text for record in records]
    if commas is not None:
        trees = [record.derivation for record in records]
        wrong = [(record, found[0]) for record in records if (found := faults(record.derivation))]
        _tell_faults(wrong)
        moved = normalise_commas(trees, place.value)
        texts = [
            record.text if new is record.derivation else with_derivation(record, new)
            for record, new in zip(records, moved, strict=True)
        ]
        before, after = comma_table(trees), comma_table(moved)
        told["commas"] = {
            "rule": place.value,
            "before": _as_data(before),
            "after": _as_data(after),
            "without_rule": len(wrong),
        }
        console.say(
            f"commas absorbed from the left: {before.left.total():,} before, "
            f"{after.left.total():,} after; from the right: {before.right.total():,} and "
            f"{after.right.total():,}; absorption rules: {before.absorption_rules} and "
            f"{after.absorption_rules}"
        )
    with console.output(out) as stream:
        for number, text in enumerate(texts, 1):
            last = number == len(texts)
            stream.write(text if last or text.endswith("\n") else f"{text}\n")
    if report is not None:
        with output(report) as stream:
            stream.write(to_json(told, indent=2) + "\n")


def _well_formed(records: "Iterable[AutoRecord | Malformed]") -> "list[AutoRecord]":
    """Return the derivations that can be read, and say how many cannot."""
    from semipunct.formats.verbatim import Malformed, malformed_entry

    omitted = LeftOut("left out")
    found: list[AutoRecord] = []
    for record in records:
        if isinstance(record, Malformed):
            omitted.count(malformed_entry(record).content)
        else:
            found.append(record)
    omitted.say()
    return found


def _converted(inputs: list[str], *, quotes: bool) -> "tuple[list[AutoRecord], dict[str, object]]":
    from semipunct.corpus.treebank import MALFORMED
    from semipunct.formats.ccgbank import auto_record
    from semipunct.formats.ptb import Malformed, read_bracketings
    from semipunct.trees.conversion import Unconverted, converted

    records: list[AutoRecord] = []
    reasons: Counter[str] = Counter()
    places: dict[str, str] = {}
    number = 0
    for path in inputs:
        for found in read_bracketings(path):
            if isinstance(found, Malformed):
                number += found.reason == MALFORMED
                reasons[found.reason] += 1
                places.setdefault(found.reason, found.fault)
                continue
            number += 1
            try:
                conversion = converted(found.tree, found.forms, quotes=quotes)
            except Unconverted as error:
                reasons[str(error)] += 1
                places.setdefault(str(error), f"{found.path}:{found.line}")
                continue
            records.append(auto_record(found, conversion, number))
    if not records:
        raise TreebankError(
            f"{', '.join(inputs)}: none of {counted(number, 'tree')} could be converted "
            f"({_listed(reasons, places)}); give trees of the Penn Treebank, with function tags "
            "and empty elements"
        )
    share = len(records) / number
    console.say(f"converted {len(records):,} of {counted(number, 'tree')} ({share:.1%})")
    if reasons:
        console.say(f"left out {counted(reasons.total(), 'tree')}: {_listed(reasons, places)}")
    return records, {
        "trees": number,
        "converted": len(records),
        "reasons": dict(reasons.most_common()),
        "first": places,
    }


def _listed(reasons: Counter[str], places: dict[str, str]) -> str:
    more = ", ..." if len(reasons) > _LISTED else ""
    return (
        ", ".join(
            f"{reason} ({count:,}, first {places[reason]})"
            for reason, count in reasons.most_common(_LISTED)
        )
        + more
    )


def _tell_faults(wrong: "list[tuple[AutoRecord, str]]") -> None:
    for record, rule in wrong[:_LISTED]:
        console.say(
            f"{record.path}:{record.line}: sentence {record.sentence_id}: no rule licenses {rule}; "
            "the derivation is left unchanged"
        )
    if len(wrong) > _LISTED:
        console.say(f"and {counted(len(wrong) - _LISTED, 'more derivation')} of this kind")


def _as_data(table: "CommaTable") -> dict[str, object]:
    return {
        "instances": dict(table.instances.most_common()),
        "left": dict(table.left.most_common()),
        "right": dict(table.right.most_common()),
        "absorption_rules": table.absorption_rules,
    }
