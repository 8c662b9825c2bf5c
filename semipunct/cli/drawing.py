"""Drawings of rewriting rules and underlying trees as text."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from semipunct.marks import Edit, EditName, shown_string

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

    from semipunct.cli.rules import ObservedRule
    from semipunct.models.punctuation.decode import Analysis

SIGNS: dict[EditName, tuple[str, str, str]] = {
    "keep": ("░", "bright_black", "both stay"),
    "absorb_left": ("█", "green", "the right one absorbs the left"),
    "absorb_right": ("▓", "cyan", "the left one absorbs the right"),
    "transpose": ("▒", "magenta", "they change places"),
}
"""The character, the colour and the meaning of the bar of each edit."""

WIDTH = 30


def draw_rules(rules: "Sequence[ObservedRule]") -> "Group":
    """Draw a table of rewriting rules with a bar for the probabilities of their edits."""
    from rich.console import Group
    from rich.text import Text

    from semipunct.cli import console

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
