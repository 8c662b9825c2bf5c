"""The command ``semipunct quickstart``."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from semipunct.cli import console
from semipunct.errors import UsageError
from semipunct.files.folders import undoable
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.corpus.sentences import Sentence
    from semipunct.marks import Edit
    from semipunct.models.punctuation.decode import Analysis
    from semipunct.models.punctuation.model import PunctuationModel
    from semipunct.training.report import TrainingResult

RULES, SENTENCES, LONGEST = 9, 5, 18

# Number of marks to explain.
REASONS = 5

LANGUAGE = "en"

TRANSCRIPT = (
    "good morning and thank you for coming shall we begin with the harbour as you know the old "
    "lighthouse was sold last spring but nobody has moved in yet do you remember who bought it i "
    "think it was dr lindqvist the dentist from malmö"
)


def quickstart(
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the sentence order.")] = 0,
    out: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="MODEL", help="Keep the model in this folder."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the model in that folder.")
    ] = False,
) -> None:
    """Restore a text, then train on the bundled sample, and show figures, rules and trees.

    The installed model of English restores the marks of a few words. Two models are trained on four
    fifths of the sample's sentences and evaluated on the last fifth: one with the channel, which
    rewrites neighbouring marks between two words, and one without it.
    """
    from semipunct.pipelines.reasons.catalogue import rule
    from semipunct.store.folder import claim_folder

    if force and out is None:
        raise UsageError("--force needs --output, the folder to replace; give both")
    if out is not None:
        with claim_folder(out, force=force):
            pass
    _restore()
    training, development = sample()
    console.say(
        f"sample treebank: {quantity(len(training), 'training sentence')}, {len(development)} held "
        "out"
    )
    with (
        tempfile.TemporaryDirectory(prefix="semipunct-") as folder,
        undoable(partial(shutil.rmtree, folder)),
    ):
        without = _fit("none", training, development, Path(folder) / "none", seed)
        target = Path(out or Path(folder) / "r2l")
        model = _fit("r2l", training, development, target, seed, force=force)

    from semipunct.models.punctuation.decode import best
    from semipunct.pipelines.tree_writing import shown_tokens

    console.say("decoding ...")
    fitted = cast("PunctuationModel", model.model)
    analyses = best(fitted, fitted.place_weights(model.parameters), [*training, *development])
    rules = Counter(edit for analysis in analyses if analysis for edit in rewritings(analysis))
    short = [a for a in analyses[len(training) :] if a and len(a.sentence.forms) <= LONGEST]
    drawn = sorted(short, key=lambda a: -len(set(rewritings(a))))[:SENTENCES]

    screen = console.tables()
    screen.print("\nPerplexity per slot (a place for marks) of held-out punctuation", style="bold")
    table = console.table("model", "perplexity")
    for name, trained in (
        ("without a channel", without),
        ("with the channel, right to left", model),
    ):
        table.add_row(name, f"{trained.best['dev_perplexity_of_scorable']:.4f}")
    screen.print(table)
    screen.print("Rewriting of two neighbouring underlying marks by the channel", style="bold")
    table = console.table("rewriting", "times")
    for edit, times in rules.most_common(RULES):
        table.add_row(rule([edit]), f"{times}")
    screen.print(table)
    screen.print("Held-out sentences and their underlying punctuation", style="bold")
    for analysis in drawn:
        lines = (str(analysis.sentence), str(analysis), rule(rewritings(analysis)) or "")
        screen.print("\n".join(["", *filter(None, lines)]), markup=False, highlight=False)
    shown = {token for edit in rules for token in (edit.a, edit.b)}
    console.explain(shown.union(*map(shown_tokens, drawn)))
    if out is not None:
        console.say(f"the model with the channel is in {out}")


def _restore() -> None:
    from semipunct.cli.phases import keep_programs
    from semipunct.pipelines.pipeline import load

    keep_programs()
    console.say(f"restoring a text with the installed model {LANGUAGE!r} ...")
    restored = load(LANGUAGE)(TRANSCRIPT)
    screen = console.tables()
    for title, text in (("Words as they were said", TRANSCRIPT), ("The text restored", restored)):
        screen.print(f"\n{title}", style="bold")
        screen.print(text, markup=False, highlight=False)
    screen.print("\nWhy a mark stands there", style="bold")
    for mark in [mark for mark in restored.marks if mark.is_changed and mark.reason][:REASONS]:
        before = restored[: mark.start].rpartition(" ")[2]
        screen.print(f"{before}{''.join(mark.after)}  {mark.reason}", markup=False, highlight=False)
    screen.print()


def sample() -> "tuple[tuple[Sentence, ...], tuple[Sentence, ...]]":
    """Return the first four fifths of the bundled sample, and the rest."""
    from importlib import resources

    from semipunct.formats import read_treebank

    source = resources.files("semipunct.data").joinpath("sample.conllu")
    with resources.as_file(source) as path:
        sentences = read_treebank([path]).sentences
    cut = len(sentences) * 4 // 5
    return sentences[:cut], sentences[cut:]


def _fit(
    channel: str,
    training: "Sequence[Sentence]",
    development: "Sequence[Sentence]",
    folder: Path,
    seed: int,
    *,
    force: bool = False,
) -> "TrainingResult":
    from semipunct.cli.phases import keep_programs
    from semipunct.cli.progress import duration, training_progress
    from semipunct.training.train import train

    keep_programs()
    title = "without a channel" if channel == "none" else "with the channel"
    with training_progress(title, lines=False) as report:
        trained = train(
            training, development, folder, channel=channel, seed=seed, force=force, report=report
        )
    console.say(
        f"trained {title}: {duration(trained.seconds)}, "
        f"of which compiling took {duration(trained.compile_seconds)}"
    )
    return trained


def rewritings(analysis: "Analysis") -> "list[Edit]":
    """List the edits of an analysis that changed marks."""
    edits = (edit for slot in analysis.slots for edit in slot.edits)
    return [edit for edit in edits if edit.name != "keep"]
