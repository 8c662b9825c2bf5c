"""Options of a command that follow from a class of options."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
import typer
from typer.testing import CliRunner

from semipunct.cli.options import with_options
from semipunct.pipelines.options import Option


@dataclass(frozen=True)
class ToyOptions:
    way: Annotated[Literal["up", "down"], Option(help="The way.")] = "up"
    marks: Annotated[Set[str] | None, Option(help="Marks.", name="only", metavar="MARKS")] = None
    share: Annotated[float, Option(help="A share.", minimum=0, maximum=1)] = 0.5


@pytest.fixture
def command() -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @with_options
    def toy(text: str, options: ToyOptions = ToyOptions(), loud: bool = False) -> None:
        typer.echo(f"{text} {options.way} {sorted(options.marks or ())} {options.share} {loud}")

    return app


@pytest.mark.parametrize(
    "arguments, printed",
    [
        ("a", "a up [] 0.5 False"),
        ("a --way down --loud", "a down [] 0.5 True"),
        (["a", "--only", ". ,", "--share", "1"], "a up [',', '.'] 1.0 False"),
        ("a --share 2", "Invalid value for"),
        ("a --way left", "'up', 'down'"),
        ("a --marks .", "No such option"),
        ("--help", "up|down"),
    ],
)
def test_each_field_is_an_option(command: typer.Typer, arguments: str | list[str], printed: str):
    assert printed in CliRunner().invoke(command, arguments).output
