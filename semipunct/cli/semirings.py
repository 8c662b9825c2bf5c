"""``semipunct semirings``: the semirings that are installed, ours and those of others."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import console

if TYPE_CHECKING:
    from semirings.plugins import Plugin

app = typer.Typer(help="The semirings that are installed.", no_args_is_help=True)


@app.callback()
def _group() -> None:  # pyright: ignore[reportUnusedFunction] - keeps `list` a subcommand
    ...


@app.command("list")
def list_semirings(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the semirings by name: where each comes from and what it declares about itself.

    One that cannot be loaded is listed with the reason; the others are not affected.
    """
    from semirings.plugins import available

    plugins = list(available().values())
    if json:
        console.print_json({"semirings": [_as_dict(plugin) for plugin in plugins]})
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
    return {
        "commutative": laws.commutative,
        "idempotent": laws.idempotent,
        "selective": laws.selective,
        "in_distribution": laws.in_distribution,
    }


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
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    screen = console.tables()
    table = Table(box=SIMPLE_HEAD)
    for heading in ("name", "distribution", "version", "properties"):
        table.add_column(heading)
    for plugin in plugins:
        kept = [name.replace("_", " ") for name, holds in _properties(plugin).items() if holds]
        table.add_row(
            Text(plugin.name),
            Text(plugin.distribution),
            plugin.version,
            Text(", ".join(kept)) if plugin.semiring else Text("cannot be loaded", "yellow"),
        )
    screen.print(table)
    for plugin in plugins:
        for law, reason in (plugin.semiring.laws.broken if plugin.semiring else {}).items():
            screen.print(f"{plugin.name} does not keep {law}: {reason}", markup=False)
