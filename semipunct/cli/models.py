"""``semipunct models``: list the installed models, and show their folders and cards."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import arguments, console
from semipunct.cli.arguments import complete_models
from semipunct.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

app = typer.Typer(
    help="List the installed models, and show their folders and cards.",
    epilog=console.example("models list"),
    no_args_is_help=True,
)

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A name listed by 'models list', or a model folder.",
        autocompletion=complete_models,
    ),
]


@app.command("list", epilog=console.example("models list --json"))
def list_models(json: arguments.Json = False) -> None:
    """List the installed models: name, kind, size on disk, distribution and version.

    A command that needs a model accepts such a name instead of a folder; the part before the slash
    stands for the text model.
    """
    from semipunct.store.checked_files import read_manifest
    from semipunct.store.installed import installed_models

    rows: list[dict[str, Any]] = [
        {
            "name": model.name,
            "kind": read_manifest(model.folder).kind,
            "bytes": sum(path.stat().st_size for path in model.folder.iterdir()),
            "distribution": model.distribution,
            "version": model.version,
        }
        for model in installed_models()
    ]
    if json:
        console.print_json({"schema": "semipunct.models-list/1", "models": rows})
        return
    headings = ("name", "kind", "size", "distribution", "version")
    table = [{**row, "size": _megabytes(row["bytes"])} for row in rows]
    console.show(headings, ([row[name] for name in headings] for row in table), right="size")


@app.command("where", epilog=console.example("models where en"))
def model_folder(name: Name) -> None:
    """Print the folder of a model."""
    print(_folder(name))


@app.command("show", epilog=console.example("models show en"))
def model_card(name: Name) -> None:
    """Print the card of a model: what it is, what it was trained on, how good it is."""
    from semipunct.store.folder import CARD

    folder = _folder(name)
    try:
        card = (folder / CARD).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{folder / CARD}: cannot be read: {error}") from error
    with console.output(console.STANDARD) as stream:
        stream.write(card)


@app.command("pack", epilog=console.example("models pack my-parser -o packed --dev dev.conllu"))
def pack_model(
    name: Name,
    out: Annotated[
        str,
        typer.Option("-o", "--output", metavar="OUT", help="The model folder to write."),
    ],
    dev: Annotated[
        list[str] | None,
        typer.Option(metavar="DEV", help="Held-out file, to measure the loss; repeatable."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a model that is there.")] = False,
) -> None:
    """Write a model with smaller files, for passing it on.

    Tables of weights are rounded to 8 bits with a scale for each row, other weights to half
    precision. With --dev, figures before and after are printed and written on the model card.
    """
    console.check_targets(inputs=dev or (), kept=(name,))
    from semipunct.pipelines.notices import read_usable_examples
    from semipunct.pipelines.pack import pack
    from semipunct.store.checkpoint import load

    loaded = load(name)
    kind = loaded.config.kind
    examples = read_usable_examples(loaded.config.examples, dev, kind.unit) if dev else ()
    packing = pack(loaded, out, examples, force=force)
    table = console.table("figure", "before", "packed")
    for figure, value in packing.figures_before.items():
        table.add_row(figure.replace("_", " "), f"{value:.4f}", f"{packing.figures[figure]:.4f}")
    table.add_row("size", _megabytes(packing.size_before), _megabytes(packing.size))
    console.tables().print(table)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _folder(name: str) -> "Path":
    from semipunct.store.folder import is_model_folder
    from semipunct.store.installed import folder_of, installed_models

    folder = folder_of(name)
    if not is_model_folder(folder):
        names = ", ".join(model.name for model in installed_models())
        raise ModelError(f"{name}: no model folder, and no installed model of that name ({names})")
    return folder
