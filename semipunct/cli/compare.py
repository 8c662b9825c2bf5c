"""The command ``semipunct compare``."""

import math
from typing import TYPE_CHECKING, Annotated

import typer

from semipunct.cli import arguments, console
from semipunct.errors import UsageError
from semipunct.pipelines import limits
from semipunct.wording import figure, quantity

if TYPE_CHECKING:
    from semipunct.evaluation.comparison import Comparison, Difference

WIDTH = 120


def compare(
    a: Annotated[str, typer.Argument(help="A stored result, '-' for stdin, or a folder.")],
    b: Annotated[str, typer.Argument(help="The same, of another system on the same sentences.")],
    json: arguments.Json = False,
    resamples: Annotated[
        int,
        typer.Option(
            "--resamples",
            metavar="N",
            min=1,
            max=limits.RESAMPLES,
            help="Number of permutations and of bootstrap samples.",
        ),
    ] = 10_000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Random seed.")] = 0,
) -> None:
    """Compare two stored results: differences, their confidence intervals, and p-values.

    The p-values are from a two-sided permutation test, the intervals from a bootstrap; both are
    paired by sentence. No model is run. A folder contains the results of several runs of one
    system, for example with three seeds, whose counts are summed. Both folders must have the same
    number of runs.
    """
    if a == b == console.STANDARD:
        raise UsageError("only one of the two results can be standard input; name a file")
    from semipunct.evaluation.comparison import compare as test

    comparison = test(a, b, resamples=resamples, seed=seed)
    if json:
        console.print_json(
            {"schema": "semipunct.compare/1", "files": [a, b], **comparison.as_dict()}
        )
        return
    _print_table(comparison)


def _print_table(comparison: "Comparison") -> None:
    table = console.table(
        "measure", "A", "B", "A - B", f"{comparison.confidence:.0%} interval", "p"
    )
    for row in comparison.differences:
        table.add_row(row.label, *_cells(row))
    screen = console.tables()
    screen.width = max(screen.width, WIDTH)  # lines wrap rather than truncate p
    screen.print(table)
    for name, side in (("A", comparison.a), ("B", comparison.b)):
        screen.print(f"{name}: {side.system}", markup=False, soft_wrap=True)
        screen.print(f"   {side.signature}", style="dim", markup=False, soft_wrap=True)
    console.say(
        f"paired permutation test and bootstrap over {quantity(comparison.sentences, 'sentence')}, "
        f"{quantity(comparison.resamples, 'resample')}, seed {comparison.seed}"
    )


def _cells(row: "Difference") -> tuple[str, ...]:
    a, b, difference = _number(row.a), _number(row.b), _number(row.difference, "+.4f")
    interval = f"[{_number(row.low, '+.4f')}, {_number(row.high, '+.4f')}]"
    undefined = math.isnan(row.low) or math.isnan(row.high)
    return a, b, difference, "-" if undefined else interval, _number(row.p)


def _number(value: float, form: str = ".4f") -> str:
    # Four decimals would round a small p from many resamples to 0.
    return f"{value:.1e}" if 0 < abs(value) < 5e-5 else figure(value, form)
