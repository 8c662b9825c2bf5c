"""The command ``semipunct jackknife``."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import arguments, console
from semipunct.cli.phases import phase
from semipunct.pipelines import limits
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.pipelines.parses import Parse


def jackknife(
    files: Annotated[
        list[str], typer.Argument(metavar="TRAIN...", help="Treebanks in CoNLL-U to parse.")
    ],
    dev: arguments.Dev,
    out: arguments.Output,
    folds: Annotated[
        int,
        typer.Option(min=2, metavar="N", help="Number of parts, each parsed by its own parser."),
    ] = 5,
    trees: Annotated[
        int,
        typer.Option(
            metavar="K",
            min=0,
            max=limits.TREES,
            help="Draw K trees per sentence instead of using the best one.",
        ),
    ] = 0,
    models: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep the parsers in this folder; those already in it are not trained again.",
        ),
    ] = None,
    config: arguments.Settings = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="One setting of the parsers; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of training and of draws.")] = 0,
) -> None:
    """Parse each part of a treebank with a parser trained on the other parts.

    A punctuation model for parsed text is trained on the output together with the treebank itself.
    Only tags and trees are replaced. Sentences that no model can process, such as those that
    consist only of punctuation, are left unchanged.
    """
    from semipunct.arrays.memory import hold_memory
    from semipunct.cli.progress import training_progress
    from semipunct.training.config import load_config

    chosen = load_config(config, settings or [], {"train.seed": seed}, "parser")
    console.check_targets(out, kept=(*dev, config))
    hold_memory()
    with phase("importing"):
        from semipunct.cli.phases import keep_programs
        from semipunct.corpus import Sentence
        from semipunct.formats import read_entries, with_crossing_arcs
        from semipunct.formats.conllu import Conllu
        from semipunct.pipelines.jackknife import jackknifed_parts
        from semipunct.pipelines.notices import read_usable_examples
        from semipunct.pipelines.tree_writing import parsed_texts

    with phase("reading"):
        development: Any = read_usable_examples(chosen.examples, dev, chosen.kind.unit)
        entries = list(read_entries(files))
        if chosen.examples == "sentences with crossing arcs":
            entries = [with_crossing_arcs(entry) for entry in entries]
    sentences = [entry.content for entry in entries if isinstance(entry.content, Sentence)]
    if left := len(entries) - len(sentences):
        console.say(f"{quantity(left, 'sentence')} left unchanged (see semipunct stats)")
    keep_programs()
    parses: list[Sequence[Parse]] = []
    with ExitStack() as cleanup:
        folder = models or cleanup.enter_context(tempfile.TemporaryDirectory())
        report = cleanup.enter_context(training_progress())
        parts = jackknifed_parts(
            chosen, sentences, development, folder, folds, trees=trees, seed=seed, report=report
        )
        for number, (fitted, several) in enumerate(parts, 1):
            figure = fitted.criterion.of(fitted.best) or 0.0
            console.say(
                f"part {number} of {folds}: {quantity(len(several), 'sentence')}; "
                f"dev {fitted.criterion.label} of its parser {figure:.4f}"
            )
            parses += several

    def texts() -> Iterator[str]:
        label = "sample" if trees else ""
        remaining = iter(parses)
        for entry in entries:
            if isinstance(entry.content, Sentence):
                yield from parsed_texts(entry, next(remaining), label, probabilities=True)
            else:
                yield writer.source_text(entry)

    writer = Conllu().writer()
    with console.output(out) as stream:
        writer.write(texts(), stream)
