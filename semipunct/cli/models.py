"""The command ``semipunct models``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import arguments, console
from semipunct.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

app = typer.Typer(
    help="List the installed models, and show their folders and cards.",
    epilog=console.example("models list"),
    no_args_is_help=True,
)

Name = Annotated[
    str, arguments.model_argument("A name listed by 'models list', or a model folder.", "NAME")
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
    table = [{**row, "size": f"{row['bytes'] / 1e6:.1f} MB"} for row in rows]
    console.show(headings, ([row[name] for name in headings] for row in table), right="size")


@app.command("where", epilog=console.example("models where en"))
def model_folder(name: Name) -> None:
    """Print the folder of a model."""
    print(_folder(name))


@app.command("show", epilog=console.example("models show en"))
def model_card(name: Name) -> None:
    """Print the card of a model: its training data and its figures."""
    from semipunct.store.folder import CARD

    folder = _folder(name)
    try:
        card = (folder / CARD).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{folder / CARD}: cannot be read: {error}") from error
    with console.output(console.STANDARD) as stream:
        stream.write(card)


def _folder(name: str) -> "Path":
    from semipunct.store.folder import is_model_folder
    from semipunct.store.installed import folder_of, installed_models

    folder = folder_of(name)
    if not is_model_folder(folder):
        names = ", ".join(model.name for model in installed_models())
        raise ModelError(f"{name}: no model folder, and no installed model of that name ({names})")
    return folder
