"""The command ``semipunct semirings``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import arguments, console
from semipunct.pipelines import limits
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semirings.laws import Failure, Report
    from semirings.plugins import Plugin

app = typer.Typer(
    help="List the installed semirings, and test their laws.",
    epilog=console.example("semirings list"),
    no_args_is_help=True,
)


@app.command("list", epilog=console.example("semirings list --json"))
def list_semirings(
    json: arguments.Json = False,
) -> None:
    """List the installed semirings: name, distribution, version and declared properties.

    A semiring that cannot be loaded is listed with the reason.
    """
    from semirings.plugins import available

    plugins = list(available().values())
    if json:
        listed = [_as_dict(plugin) for plugin in plugins]
        console.print_json({"schema": "semipunct.semirings-list/1", "semirings": listed})
        return
    _print_table(plugins)
    for plugin in plugins:
        if plugin.fault:
            console.say(
                f"{plugin.name} ({plugin.distribution} {plugin.version}) cannot be loaded: "
                f"{plugin.fault}",
                style="yellow",
            )


def _properties(plugin: "Plugin") -> dict[str, bool]:
    if plugin.semiring is None:
        return {}
    laws = plugin.semiring.laws
    names = ("commutative", "idempotent", "selective", "star", "in_distribution")
    return {name: getattr(laws, name) for name in names}


def _as_dict(plugin: "Plugin") -> dict[str, Any]:
    broken = dict(plugin.semiring.laws.broken) if plugin.semiring else {}
    return {
        "name": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "loaded": plugin.semiring is not None,
        "fault": plugin.fault or None,
        "properties": _properties(plugin),
        "broken_laws": broken,
    }


def _print_table(plugins: "list[Plugin]") -> None:
    rows = [
        (
            plugin.name,
            plugin.distribution,
            plugin.version,
            ", ".join(
                name.replace("_", " ") for name, holds in _properties(plugin).items() if holds
            )
            if plugin.semiring
            else "cannot be loaded",
        )
        for plugin in plugins
    ]
    console.show(("name", "distribution", "version", "properties"), rows)
    screen = console.tables()
    for plugin in plugins:
        for law, reason in (plugin.semiring.laws.broken if plugin.semiring else {}).items():
            screen.print(f"{plugin.name} does not satisfy {law}: {reason}", markup=False)


@app.command("check", epilog=console.example("semirings check viterbi --draws 100"))
def check_semiring(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A name listed by 'semirings list'.",
        ),
    ],
    draws: Annotated[
        int, typer.Option(min=1, max=limits.LAW_DRAWS, help="Number of random values per operand.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Random seed.")] = 0,
    json: arguments.Json = False,
) -> None:
    """Test the laws that a semiring claims to satisfy, on random values.

    Prints the laws that hold, those that are not claimed, with the reason, and for each law that
    fails the first counterexample. Exit status 1 if a law fails.
    """
    from semipunct.pipelines.decoding import installed_semiring

    plugin, semiring = installed_semiring(name)
    from semipunct.cli.phases import keep_programs
    from semirings.laws import check

    keep_programs()
    report = check(semiring, draws=draws, seed=seed)
    if json:
        console.print_json(
            {
                "schema": "semipunct.semirings-check/1",
                "name": name,
                "distribution": plugin.distribution,
                "version": plugin.version,
                "draws": draws,
                "seed": seed,
                "semiring": report.semiring,
                "ok": report.ok,
                "passed": list(report.passed),
                "not_claimed": dict(report.not_claimed),
                "failures": [_failure_as_dict(failure) for failure in report.failures],
            }
        )
    else:
        _print_report(report)
        console.say(
            f"{name}: {quantity(len(report.passed), 'law')} satisfied, "
            f"{len(report.not_claimed)} not claimed, {len(report.failures)} failed"
        )
    if not report.ok:
        raise typer.Exit(console.BAD_INPUT)


def _print_report(report: "Report") -> None:
    rows = [
        *((law, "holds") for law in report.passed),
        *((law, f"not claimed: {reason}") for law, reason in report.not_claimed.items()),
        *((failure.law, "fails") for failure in report.failures),
    ]
    console.show(("law", "result"), rows)
    for failure in report.failures:
        console.tables().print(str(failure), markup=False, soft_wrap=True)


def _failure_as_dict(failure: "Failure") -> dict[str, Any]:
    from semirings.laws import format_values

    error = failure.exception
    return {
        "law": failure.law,
        "statement": failure.statement,
        "counterexample": format_values(failure.counterexample),
        "left": format_values({"left": failure.left}),
        "right": format_values({"right": failure.right}),
        "exception": None if error is None else f"{type(error).__name__}: {error}",
    }
