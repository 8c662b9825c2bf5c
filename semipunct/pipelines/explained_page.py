"""A self-contained HTML page of explained text, without scripts.

The popover attribute opens details, by mouse or keyboard. A list below each sentence repeats its
changes for print. All text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import chain

from semipunct.pages.page import page
from semipunct.pipelines.explanations import Explanation, TreeDetails, tree_details
from semipunct.pipelines.marked_text import Mark
from semipunct.pipelines.reasons.catalogue import name_marks
from semipunct.pipelines.reasons.marks import percent


def explained_page(explanations: Iterable[Explanation], title: str) -> Iterator[str]:
    """Yield the parts of a page in UTF-8."""
    key = (
        '<p class="key">A mark is shaded the darker the less certain it is. Choose one to read '
        "its reason.</p>\n"
    )
    sections = (
        part
        for number, explanation in enumerate(explanations, start=1)
        for part in _section(explanation, number)
    )
    yield from page(title, chain([key], sections), "explained")


def _section(explanation: Explanation, number: int) -> Iterator[str]:
    if explanation.omitted is not None or not str(explanation.text).strip():
        if str(explanation.text).strip():
            yield f'<p class="text">{escape(str(explanation.text).strip())}</p>\n'
        return
    name = f"s{number}"
    yield f'<section aria-label="{escape(explanation.name)}">\n<p class="text" dir="auto">'
    place, text = 0, str(explanation.text)
    marks = explanation.text.marks
    for index, mark in enumerate(marks):
        # A mark never begins a line.
        before, blank, word = text[place : mark.start].rpartition(" ")
        yield escape(before + blank)
        button = _button(mark, f"{name}m{index}")
        yield f'<span class="word">{escape(word)}{button}</span>'
        place = mark.end
    yield f"{escape(text[place:].rstrip())}</p>\n"
    details = [tree_details(mark, explanation.analysis) for mark in marks]
    for index, (mark, of_tree) in enumerate(zip(marks, details, strict=True)):
        yield (
            f'<div popover id="{name}m{index}" class="card">'
            f"{_details(mark, of_tree)}"
            f'<button popovertarget="{name}m{index}" popovertargetaction="hide">Close</button>'
            "</div>\n"
        )
    if changed := [mark for mark in marks if mark.is_changed]:
        yield f"<details open><summary>Changes ({len(changed)})</summary>\n<ol>\n"
        for mark in changed:
            yield f"<li>{_line(mark, text)}</li>\n"
        yield "</ol></details>\n"
    if explanation.analysis is not None:
        tree = escape(str(explanation.analysis.analysis))
        yield (
            "<details><summary>Underlying tree</summary>"
            f'<p class="tree" dir="auto">{tree}</p></details>\n'
        )
    yield "</section>\n"


def _button(mark: Mark, target: str) -> str:
    shown = mark.after.replace(" ", "") if mark.after else mark.before.replace(" ", "")
    inner = escape(shown)
    if mark.decision == "removed":
        inner = f"<del>{inner}</del>"
    elif mark.decision == "left out":
        inner = "‸"
    shade = round(100 * (1 - mark.probability))
    label = f"{_named(mark)}, {_decided(mark)}"
    return (
        f'<button class="mark {mark.decision.replace(" ", "-")}" style="--doubt:{shade}%" '
        f'popovertarget="{target}" aria-label="{escape(label)}">{inner}</button>'
    )


def _named(mark: Mark) -> str:
    tokens = tuple((mark.after or mark.before or mark.alternatives[0][0]).split())
    return name_marks(tokens) if tokens else "no mark"


def _decided(mark: Mark) -> str:
    share = mark.alternatives[0][1] if mark.decision == "left out" else mark.probability
    instead = f" in place of {mark.before}" if mark.decision == "replaced" else ""
    return f"{mark.decision}{instead}, {percent(share)}"


def _line(mark: Mark, text: str) -> str:
    word = text[: mark.start].split()[-1:] or [""]
    where = f"after “{escape(word[0])}”" if word[0] else "at the beginning"
    return f"<b>{escape(_named(mark))}</b> {where}, {escape(_decided(mark))}: {escape(mark.reason)}"


def _details(mark: Mark, tree: TreeDetails | None) -> str:
    rows = [(marks or "nothing", share) for marks, share in mark.alternatives]
    chosen = [(mark.after or "nothing", mark.probability)]
    bars = "".join(
        f'<tr><th scope="row">{escape(marks)}</th><td>{percent(share)}</td>'
        f'<td class="bar" aria-hidden="true"><i style="width:{100 * share:.0f}%"></i></td></tr>'
        for marks, share in [*chosen, *rows]
        if share >= 0.005
    )
    pieces = [
        f"<h2>{escape(_named(mark))}, {escape(_decided(mark))}</h2>",
        f"<p>{escape(mark.reason)}</p>",
        f"<table><caption>Probabilities</caption>{bars}</table>",
    ]
    if tree is not None:
        pieces.append(
            f"<dl><dt>Constituent</dt><dd>“{escape(tree.constituent)}” ({escape(tree.relation)})"
            f"</dd><dt>Underlying marks</dt><dd>{escape(tree.underlying)}</dd>"
            f"<dt>Rewriting</dt><dd>{escape(tree.rule or 'none')}</dd>"
        )
        if tree.features:
            weights = "".join(
                f"<li>{escape(feature)}: {weight:+.2f}</li>" for feature, weight in tree.features
            )
            pieces.append(f"<dt>Features that weigh most</dt><dd><ul>{weights}</ul></dd>")
        pieces.append("</dl>")
    return "".join(pieces)
