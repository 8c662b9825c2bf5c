"""Pictures of one sentence: its tree with underlying and surface marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from drawing.canvas import Canvas, Point
from semipunct.corpus import Sentence

_MARGIN, _LETTER, _GAP = 30, 8.4, 26


class Constituent(NamedTuple):
    """A constituent with its punctemes, given by its head, from 1, and the colour of its marks."""

    head: int
    left: str
    right: str
    paint: str


def underlying_tree(sentence: Sentence, constituents: Sequence[Constituent]) -> Canvas:
    """Draw a tree with its marks, like Figure 1 of Li, Wang and Eisner (2019)."""
    centers, slots, width = _places(sentence)
    heads = sentence.tree.parents
    depth = 1 + max(abs(head - i) for i, head in enumerate(heads) if head >= 0)
    baseline = 50 + 15 * depth
    rows = [baseline + 44 + 34 * i for i in range(len(constituents))]
    channel = rows[-1] + 30
    canvas = Canvas(
        width,
        channel + 84,
        "A tree with underlying and surface punctuation",
        f"The dependency tree of the sentence “{sentence}”. "
        + " ".join(_described(sentence, c) for c in constituents)
        + " In the last slot the comma that closes the appositive meets the full stop; the channel "
        "absorbs the comma, and the reader sees the full stop alone.",
    )
    labels: list[tuple[Point, str]] = []
    for dependent, head in enumerate(heads):
        if head < 0:
            continue
        shift = 5 if dependent > head else -5
        start = centers[head] + shift, baseline - 20
        end = centers[dependent], baseline - 18
        rise = 10 + 15 * abs(head - dependent)
        canvas.arc(start, end, rise)
        middle = (start[0] + end[0]) / 2, baseline - 16 - rise
        labels.append((middle, sentence.tree.relations[dependent]))
    for place, relation in labels:  # above all arcs
        canvas.text(place, relation, "soft", size=11, has_halo=True)
    for center, form in zip(centers, sentence.forms, strict=True):
        canvas.text((center, baseline), form, size=15)
    left_edge, right_edge = sentence.tree.edges
    for constituent, y in zip(constituents, rows, strict=True):
        left, right = left_edge[constituent.head - 1], right_edge[constituent.head - 1]
        start, end = slots[left] + 9, slots[right] - 9
        canvas.line([(start, y - 12), (start, y - 4), (end, y - 4), (end, y - 12)],
                    constituent.paint)  # fmt: skip
        for slot, marks in ((left, constituent.left), (right, constituent.right)):
            if marks:
                canvas.text(
                    (slots[slot], y), marks, constituent.paint, size=20, is_code=True, is_bold=True
                )
    canvas.line([(_MARGIN, channel), (width - _MARGIN, channel)], "faint", dashed=True)
    canvas.text((_MARGIN, channel - 6), "underlying", "soft", size=11, anchor="start")
    canvas.text((_MARGIN, channel + 16), "surface", "soft", size=11, anchor="start")
    for center, form in zip(centers, sentence.forms, strict=True):
        canvas.text((center, channel + 50), form, "soft", size=15)
    for place, slot in zip(slots, sentence.slots, strict=True):
        if slot:
            canvas.arrow((place, channel - 12), (place, channel + 26))
            canvas.text((place, channel + 50), " ".join(slot), size=20, is_code=True, is_bold=True)
    return canvas


def _places(sentence: Sentence) -> tuple[list[float], list[float], float]:
    centers: list[float] = []
    slots = [_MARGIN + _GAP / 2.0]
    x = _MARGIN + _GAP
    for form in sentence.forms:
        width = max(_LETTER * len(form), 24)
        centers.append(x + width / 2)
        x += width + _GAP
        slots.append(x - _GAP / 2)
    return centers, slots, x + _MARGIN


def _described(sentence: Sentence, constituent: Constituent) -> str:
    left, right = (edge[constituent.head - 1] for edge in sentence.tree.edges)
    words = " ".join(sentence.forms[left:right])
    marks: Mapping[str, str] = {"begins": constituent.left, "ends": constituent.right}
    verbs = " and ".join(f"{verb} with “{mark}”" for verb, mark in marks.items() if mark)
    return f"The constituent “{words}” {verbs}."
