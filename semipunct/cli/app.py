"""The application: its commands, and their errors."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from semipunct.cli import console
from semipunct.cli.commands import installed_commands
from semipunct.cli.compare import compare
from semipunct.cli.correct import correct
from semipunct.cli.decode import decode
from semipunct.cli.diff import diff
from semipunct.cli.evaluate import evaluate
from semipunct.cli.explain import explain
from semipunct.cli.jackknife import jackknife
from semipunct.cli.models import app as models
from semipunct.cli.normalise import normalise
from semipunct.cli.parse import parse
from semipunct.cli.phases import print_timings
from semipunct.cli.quickstart import quickstart
from semipunct.cli.restore import restore
from semipunct.cli.semirings import app as semirings
from semipunct.cli.serve import serve
from semipunct.cli.stats import stats
from semipunct.cli.suspects import suspects
from semipunct.cli.train import train
from semipunct.version import __version__


class Commands(TyperGroup):
    """A group of commands that reports errors as one message and an exit status."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta["arguments"] = [*args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with console.report_errors():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:
        self._add_installed()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            self._add_installed()
        return super().get_command(ctx, cmd_name)

    def _add_installed(self) -> None:
        self.commands = {**self.commands, **installed_commands(), **self.commands}


app = typer.Typer(
    name="semipunct",
    cls=Commands,
    help="A generative model of punctuation in dependency trees.",
    epilog=f"{console.example('quickstart')}\n\n"
    "'-' is standard input or output; '.gz' files are read and written. "
    "Exit status: 0 success, 1 bad input, 2 wrong usage.",
    no_args_is_help=True,
    # Otherwise the help keeps the line breaks of the docstring at any terminal width.
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _options(  # pyright: ignore[reportUnusedFunction] - typer calls it
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    timings: Annotated[
        bool, typer.Option("--timings", help="Print the time spent in each phase to stderr.")
    ] = False,
) -> None:
    if version:
        print(f"semipunct {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.fail("Missing command.")
    if timings:
        context.with_resource(print_timings())


for command, example in (
    (quickstart, "-o model"),
    (train, "train.conllu --dev dev.conllu -o model --set preset=loglinear"),
    (evaluate, "model test.conllu --json"),
    (compare, "a.json b.json --resamples 10000"),
    (decode, "model in.conllu --semiring kbest --nbest 3 --format brackets"),
    (parse, "parser words.conllu -o parsed.conllu"),
    (jackknife, "train.conllu --dev dev.conllu -o parsed.conllu --models folds"),
    (restore, "model in.conllu --format text -o out.txt"),
    (correct, "model in.conllu --format json -o corrections.json"),
    (explain, "en letter.txt --format html -o letter.html"),
    (normalise, "dev.conllu --check"),
    (suspects, "model dev.conllu --top 20"),
    (diff, "before.conllu after.conllu"),
    (serve, "en --port 8081"),
    (stats, "train.conllu dev.conllu --json"),
):
    app.command(epilog=console.example(f"{command.__name__} {example}"))(command)
app.add_typer(models, name="models")
app.add_typer(semirings, name="semirings")
