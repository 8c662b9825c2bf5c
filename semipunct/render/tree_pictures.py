"""Underlying trees as pictures (SVG): arcs over the words, underlying marks, edits, surface.

From top to bottom: the arcs of the dependency tree with their relations; the words, with the
underlying marks of each slot between them; the edits of the channel that change something; the
surface. No browser is needed to draw them; the text is text, in the fonts of the reader.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.etree import ElementTree

from semipunct.inference.decode import Analysis
from semipunct.marks import Puncteme, display_form
from semipunct.marks.tokens import INITIAL

_SIZE = 14
_ADVANCE = 8.2  # pixels of a character of a monospaced font of this size
_GAP = 14
_MARGIN = 16
_LEVEL = 22
_ROW = 24

_STYLE = (
    "text{font:14px ui-monospace,'DejaVu Sans Mono',monospace;text-anchor:middle;fill:#1f2328}"
    ".relation{font-size:11px;fill:#59636e}.underlying{fill:#b8232c}.surface{fill:#0858b8}"
    ".edit{font-size:11px;fill:#8a5300}.title{text-anchor:start;fill:#59636e;font-size:12px}"
    "path{fill:none;stroke:#59636e}rect{fill:#ffffff}"
)


@dataclass(frozen=True, eq=False, repr=False)
class _Layout:
    """The places of the columns of a sentence: slot 0, word 1, slot 1 and so on.

    Attributes:
        analysis: the underlying tree.
    """

    analysis: Analysis

    @cached_property
    def rows(self) -> list[tuple[str, str, str]]:
        """The underlying string, the edits and the surface of each slot."""
        return [
            (
                _shown(slot.underlying),
                "; ".join(_shown((e.a, e.b)) + " → " + _shown(e.result)
                          for e in slot.edits if e.name != "keep"),
                _shown(slot.surface),
            )
            for slot in self.analysis.slots
        ]  # fmt: skip

    @cached_property
    def centres(self) -> tuple[list[float], list[float], float]:
        """The centres of the slots and of the words, and the width of the picture."""
        slots: list[float] = []
        words: list[float] = []
        at = float(_MARGIN)
        for number, row in enumerate(self.rows):
            for texts, centres in (
                ([self.analysis.sentence.forms[number - 1]] if number else [], words),
                (row, slots),
            ):
                width = max((_width(text) for text in texts), default=0.0)
                if centres is words and not number:
                    continue
                centres.append(at + width / 2)
                at += width + (_GAP if width else 2)
        return slots, words, at + _MARGIN

    @cached_property
    def levels(self) -> list[int]:
        """``[n]`` the height of the arc of each word: above all arcs within its span."""
        heads = self.analysis.sentence.tree.heads
        levels = [0] * len(heads)
        arcs = sorted((abs(head - word), word) for word, head in enumerate(heads, 1) if head)
        top = [0] * (len(heads) + 1)  # the highest arc over the space after each word
        for _, word in arcs:
            low, high = sorted((word, heads[word - 1]))
            levels[word - 1] = 1 + max(top[low:high])
            top[low:high] = [levels[word - 1]] * (high - low)
        return levels

    @property
    def height(self) -> float:
        """The height of the picture."""
        return 2 * _MARGIN + _LEVEL * (max(self.levels, default=0) + 1) + 4 * _ROW


def picture(analyses: Iterable[Analysis]) -> str:
    """Draw underlying trees below each other as one SVG document.

    Args:
        analyses: the trees, in order.
    """
    layouts = [_Layout(analysis) for analysis in analyses]
    width = max((layout.centres[2] for layout in layouts), default=0.0)
    height = sum(layout.height for layout in layouts)
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    root = ElementTree.Element(
        "svg",
        {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width:.0f} {height:.0f}", **size},
    )
    ElementTree.SubElement(root, "style").text = _STYLE
    ElementTree.SubElement(root, "rect", size)
    top = 0.0
    for layout in layouts:
        group = ElementTree.SubElement(root, "g", {"transform": f"translate(0 {top:.0f})"})
        _draw(group, layout)
        top += layout.height
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _draw(group: ElementTree.Element, layout: _Layout) -> None:
    """Draw one tree."""
    sentence = layout.analysis.sentence
    ElementTree.SubElement(group, "title").text = str(layout.analysis)
    name = f"{sentence.sentence_id}   log p(T', x | T) = {layout.analysis.log_joint:.3f}"
    _text(group, _MARGIN, _MARGIN, name, "title")
    slots, words, _ = layout.centres
    base = _MARGIN + _LEVEL * (max(layout.levels, default=0) + 1)
    # The ends of the arcs of one word are apart, those to longer arcs further in the middle.
    for word, (head, relation) in enumerate(
        zip(sentence.tree.heads, sentence.tree.relations, strict=True), start=1
    ):
        if not head:
            _text(group, words[word - 1], base - 6, relation, "relation")
            continue
        start, end = words[head - 1], words[word - 1]
        shift = 4 if end > start else -4
        peak = base - _LEVEL * layout.levels[word - 1]
        path = f"M{start + shift:.1f} {base} V{peak + 6} Q{start + shift:.1f} {peak} "
        path += f"{start + 2 * shift:.1f} {peak} H{end - 2 * shift:.1f} "
        path += f"Q{end - shift:.1f} {peak} {end - shift:.1f} {peak + 6} V{base}"
        ElementTree.SubElement(group, "path", {"d": path})
        _text(group, (start + end) / 2, peak - 3, relation, "relation")
    for centre, form in zip(words, sentence.forms, strict=True):
        _text(group, centre, base + _SIZE, form, "word")
    for centre, texts in zip(slots, layout.rows, strict=True):
        for row, (text, kind) in enumerate(
            zip(texts, ("underlying", "edit", "surface"), strict=True)
        ):
            _text(group, centre, base + _SIZE + row * _ROW, text, kind)


def _text(group: ElementTree.Element, x: float, y: float, text: str, kind: str) -> None:
    if text:
        place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "class": kind}
        ElementTree.SubElement(group, "text", place).text = "".join(
            char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text
        )


def _shown(tokens: Sequence[str] | Puncteme) -> str:
    return " ".join(display_form(token) for token in tokens if token != INITIAL)


def _width(text: str) -> float:
    """Return the width of a text; East Asian characters are as wide as two others."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return _ADVANCE * (len(text) + wide)
