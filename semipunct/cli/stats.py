"""The command ``semipunct stats``."""

from typing import TYPE_CHECKING, Annotated

import typer

from semipunct.cli import arguments, console
from semipunct.errors import UsageError
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.corpus.statistics import TreebankStatistics

SHOWN_TOKENS = 20
TABLE_2 = ("#Token", "%Punct", "#Omit", "#Type", "#Puncteme", "#Pair")


def stats(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Treebanks in CoNLL-U, counted together.")
    ],
    json: arguments.Json = False,
    omitted: Annotated[
        bool,
        typer.Option(
            "--omitted", help="List the sentences that models leave out, with place and reason."
        ),
    ] = False,
) -> None:
    """Count the words, marks, strings of marks and omitted sentences of treebanks.

    The first table is Table 2 of the paper. A puncteme is the string of marks on one side of a
    constituent. A slot is a place for marks: one before each word and one at the end of the
    sentence.
    """
    if omitted and json:
        raise UsageError("--omitted and --json print different things; leave out one of them")
    if omitted:
        from semipunct.formats.reading import omitted_lines

        with console.output(console.STANDARD) as stream:
            stream.writelines(f"{line}\n" for line in omitted_lines(files))
        return
    from rich.markup import escape

    from semipunct.formats.reading import stats as count
    from semipunct.marks import display_form

    counted = count(*files)
    if json:
        console.print_json({"schema": "semipunct.stats/2", "files": files, **counted.as_dict()})
        return
    screen = console.tables()
    more = len(counted.token_counts) - SHOWN_TOKENS
    tokens = list(counted.token_counts.items())[:SHOWN_TOKENS]
    for title, headings, rows in (
        ("Table 2", TABLE_2, _table_2(counted)),
        ("Counts", ("what", "how many"), _counts(counted)),
        ("Slots by number of tokens", ("tokens", "slots", "%"), _slots(counted)),
        (
            f"Tokens ({more} more with --json)" if more > 0 else "Tokens",
            ("token", "times"),
            [(display_form(token), f"{number:,}") for token, number in tokens],
        ),
    ):
        screen.print(title, style="bold", markup=False)
        table = console.table(*headings)
        for row in rows:
            table.add_row(*map(escape, row))
        screen.print(table)
    console.explain([token for token, _ in tokens])
    for reason, fault in counted.first_faults.items():
        console.say(f"omitted: {reason}, first {fault}")


def _table_2(s: "TreebankStatistics") -> list[tuple[str, ...]]:
    dependents = s.omitted.get("punctuation has dependents", 0)
    row = (f"{s.tokens:,}", f"{s.percent_punctuation:.1f}", f"{dependents:,}")
    return [(*row, *(f"{number:,}" for number in (s.types, s.punctemes, s.pairs)))]


def _counts(s: "TreebankStatistics") -> list[tuple[str, str]]:
    rows: list[tuple[str, int]] = [
        ("sentences read", s.sentences_read),
        *((f"  omitted: {reason}", number) for reason, number in s.omitted.items()),
        ("sentences used", s.sentences_used),
        ("  made projective", s.projectivised),
        ("  arcs lifted", s.arcs_lifted),
        ("words", s.words),
        ("slots", s.slots),
        ("punctuation tokens", s.punctuation),
        ("  quotation marks made directional", s.quotes_replaced),
        ("  quotation marks left straight", s.quotes_straight),
        ("  abbreviation dots split off", s.abbreviation_dots),
        (f"  types seen fewer than {quantity(s.minimum_count, 'time')}", s.rare_types),
        ("  tokens of such types", s.rare_tokens),
    ]
    return [(name, f"{number:,}") for name, number in rows]


def _slots(s: "TreebankStatistics") -> list[tuple[str, ...]]:
    return [
        (str(length), f"{number:,}", f"{100 * number / s.slots:.2f}")
        for length, number in s.slot_lengths.items()
    ]
