"""``semipunct quickstart``: restore a text, then train, decode and draw on the bundled sample."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from semipunct.cli import console
from semipunct.errors import UsageError
from semipunct.files.folders import undoable
from semipunct.marks import Edit, EditName, shown_string
from semipunct.wording import quantity

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

    from semipunct.cli.rules import ObservedRule
    from semipunct.corpus.sentences import Sentence
    from semipunct.models.punctuation.decode import Analysis
    from semipunct.models.punctuation.model import PunctuationModel
    from semipunct.training.report import TrainingResult

RULES, SENTENCES, LONGEST = 9, 5, 18

REASONS = 5
"""The number of marks that are explained."""

LANGUAGE = "en"
"""The name of the installed model that restores a text."""

TRANSCRIPT = (
    "good morning and thank you for coming shall we begin with the harbour as you know the old "
    "lighthouse was sold last spring but nobody has moved in yet do you remember who bought it i "
    "think it was dr lindqvist the dentist from malmö"
)


SIGNS: dict[EditName, tuple[str, str, str]] = {
    "keep": ("░", "bright_black", "both stay"),
    "absorb_left": ("█", "green", "the right one absorbs the left"),
    "absorb_right": ("▓", "cyan", "the left one absorbs the right"),
    "transpose": ("▒", "magenta", "they change places"),
}
"""The character, the colour and the meaning of the bar of each edit."""

WIDTH = 30
"""Cells of the bar of a rule."""


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
    from semipunct.cli.rules import frequent_rules
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
    from semipunct.models.punctuation.rewriting import Rewriter
    from semipunct.pipelines.tree_writing import shown_tokens

    console.say("decoding ...")
    fitted = cast("PunctuationModel", model.model)
    parameters = fitted.place_weights(model.parameters)
    analyses = best(fitted, parameters, [*training, *development])
    rewriter = Rewriter.of(fitted, parameters)
    rules = frequent_rules([a for a in analyses if a], rewriter, RULES)
    held_out = [a for a in analyses[len(training) :] if a]

    screen = console.tables()
    screen.print("\nPerplexity per slot (a place for marks) of held-out punctuation", style="bold")
    table = console.table("model", "perplexity")
    for name, result in (
        ("without a channel", without),
        ("with the channel, right to left", model),
    ):
        table.add_row(name, f"{result.best['dev_perplexity_of_scorable']:.4f}")
    screen.print(table)
    screen.print("Rewriting of two neighbouring underlying marks by the channel", style="bold")
    screen.print(draw_rules(rules))
    screen.print("Held-out sentences and their underlying punctuation", style="bold")
    drawn = telling(held_out, SENTENCES, LONGEST)
    screen.print(draw_analyses(drawn))
    console.explain(
        chain(
            *((rule.a, rule.b) for rule in rules), *(shown_tokens(analysis) for analysis in drawn)
        )
    )
    if out is not None:
        console.say(f"the model with the channel is in {out}")


def _restore() -> None:
    """Print a text without marks and capitals, and the same text restored."""
    from semipunct.cli.phases import keep_programs
    from semipunct.pipelines.functions import restore_text
    from semipunct.store.checkpoint import load

    keep_programs()
    console.say(f"restoring a text with the installed model {LANGUAGE!r} ...")
    restored = restore_text(load(LANGUAGE), TRANSCRIPT)
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
    """Read the bundled sample: its first four fifths and the rest, in order."""
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


def draw_rules(rules: "Sequence[ObservedRule]") -> "Group":
    """Draw a table of rewriting rules with a bar for the probabilities of their edits."""
    from rich.console import Group
    from rich.text import Text

    table = console.table("underlying", "times", "becomes", "probability")
    table.add_column("edits", no_wrap=True)
    for rule in rules:
        edit = max(rule.probabilities, key=lambda name: rule.probabilities[name])
        table.add_row(
            Text(shown_string((rule.a, rule.b)), "bold"),
            f"{rule.times}",
            Text(rule.outcome(edit), f"bold {SIGNS[edit][1]}"),
            f"{rule.probabilities[edit]:.2f}",
            bar(rule.probabilities),
        )
    legend = Text("  ")
    for sign, colour, meaning in SIGNS.values():
        legend.append(sign, colour).append(f" {meaning}  ")
    return Group(table, legend, Text())


def bar(probabilities: Mapping[EditName, float]) -> "Text":
    """Draw a bar of ``WIDTH`` cells, divided between the edits by their probabilities."""
    from rich.text import Text

    drawn = Text()
    start, total = 0, 0.0
    for edit, (sign, colour, _) in SIGNS.items():
        total += probabilities.get(edit, 0.0)
        end = round(WIDTH * total)
        drawn.append(sign * (end - start), colour)
        start = max(start, end)
    return drawn


def telling(analyses: "Sequence[Analysis]", most: int, longest: int) -> "list[Analysis]":
    """Choose sentences with different rewritings, those with the most new ones first.

    Args:
        analyses: of the sentences to choose from.
        most: the maximum number of sentences.
        longest: the maximum number of words of a sentence.
    """
    left = [a for a in analyses if len(a.sentence.forms) <= longest]
    seen: set[Edit] = set()
    chosen: list[Analysis] = []
    while left and len(chosen) < most:
        best = max(left, key=lambda a: (len(set(rewritings(a)) - seen), -len(a.sentence.forms)))
        if not set(rewritings(best)) - seen and chosen:
            break
        seen |= set(rewritings(best))
        left.remove(best)
        chosen.append(best)
    return chosen


def rewritings(analysis: "Analysis") -> list[Edit]:
    """List the edits of an analysis that changed something, in order."""
    edits = (edit for slot in analysis.slots for edit in slot.edits)
    return [edit for edit in edits if edit.name != "keep"]


def draw_analyses(analyses: "Sequence[Analysis]") -> "Group":
    """Draw each sentence as text, followed by its underlying tree in brackets and the edits."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    parts: list[Padding | Text] = []
    for analysis in analyses:
        edits = [
            f"{shown_string((e.a, e.b))} → {shown_string(e.result)}" for e in rewritings(analysis)
        ]
        parts += [
            Padding(Text(str(analysis.sentence), "bold"), (1, 0, 0, 2)),
            Padding(_coloured(str(analysis)), (0, 0, 0, 4)),
        ]
        if edits:
            parts.append(Padding(Text("   ".join(edits), "green"), (0, 0, 0, 4)))
    return Group(*parts, Text())


def _coloured(brackets: str) -> "Text":
    from rich.text import Text

    text = Text()
    for piece in brackets.split(" "):
        if piece in ("[", "]", "^"):
            text.append(piece, "bright_black")
        elif any(char.isalnum() for char in piece):
            text.append(piece)
        else:
            text.append(piece, "bold yellow")
        text.append(" ")
    return text
