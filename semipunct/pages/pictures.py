"""Trees as SVG: arcs over words, and below them rows of marks, edits and numbers.

Between the words of an underlying tree are slots; a treebank tree has marks as tokens.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import NamedTuple
from xml.etree import ElementTree

from semipunct.formats.conllu.mark_heads import MarkedSentence
from semipunct.marks import Puncteme, display_form
from semipunct.marks.tokens import INITIAL
from semipunct.models.punctuation.decode import Analysis
from semipunct.trees.guideline import HeadChange

_SIZE = 14
_ADVANCE = 8.6  # pixels of a character of a monospaced font of this size
_SMALL = 11 / 14  # relations, edits and numbers are smaller
_GAP = 14
_MARGIN = 16
_LEVEL = 22
_ROW = 24
_SMALL_KINDS = frozenset({"relation", "edit", "number"})


class Arc(NamedTuple):
    """An arc between columns of a drawing; the root has no head."""

    head: int | None
    dependent: int
    relation: str
    kind: str = ""


# A text of a row, and its class in the style sheet.
Text = tuple[str, str]


@dataclass(frozen=True, eq=False, repr=False)
class Drawing:
    """A tree to draw, as a title, an accessible description, columns of texts, and arcs."""

    title: str
    description: str
    columns: Sequence[Sequence[Text]]
    arcs: Sequence[Arc]

    @cached_property
    def levels(self) -> list[int]:
        """The height of each arc, above all shorter arcs within its span."""
        levels = [0] * len(self.arcs)
        top = [0] * len(self.columns)  # the highest arc over the space after each column
        ends = [sorted((arc.dependent, arc.dependent if arc.head is None else arc.head))
                for arc in self.arcs]  # fmt: skip
        for number in sorted(range(len(ends)), key=lambda n: ends[n][1] - ends[n][0]):
            low, high = ends[number]
            if low < high:
                levels[number] = 1 + max(top[low:high])
                top[low:high] = [levels[number]] * (high - low)
        highest = max(levels, default=0)
        return [
            highest + 1 if arc.head is None else level
            for arc, level in zip(self.arcs, levels, strict=True)
        ]

    @cached_property
    def centres(self) -> list[float]:
        """The centre of each column; the last value is the width of the drawing."""
        # The label of a short arc must not cover the next one.
        needed: Counter[int] = Counter()
        for arc in self.arcs:
            if arc.head is not None and abs(arc.head - arc.dependent) <= _NEIGHBOURS:
                needed[arc.dependent] = max(
                    needed[arc.dependent], round(_width(arc.relation) * _SMALL)
                )
        centres: list[float] = []
        at = float(_MARGIN)
        for number, column in enumerate(self.columns):
            width = max(
                (_width(t) * (_SMALL if k in _SMALL_KINDS else 1) for t, k in column), default=0.0
            )
            width = max(width, needed[number])
            centres.append(at + width / 2)
            at += width + (_GAP if width else 2)
        width = max(at + _MARGIN, 2 * _MARGIN + _width(self.title) * 12 / _SIZE)
        if self.is_from_right_to_left:
            centres = [width - centre for centre in centres]
        return [*centres, width]

    @property
    def is_from_right_to_left(self) -> bool:
        directions = Counter(
            unicodedata.bidirectional(char) for column in self.columns for t, _ in column[:1]
            for char in t
        )  # fmt: skip
        return directions["R"] + directions["AL"] > directions["L"]

    @property
    def base(self) -> float:
        """The height of the ends of arcs, just above the words."""
        top = _MARGIN + 4 if self.title else 0
        return top + _LEVEL * (max(self.levels, default=0) + 1)

    @cached_property
    def rows(self) -> list[int]:
        rows = range(max(map(len, self.columns), default=0))
        return [r for r in rows if any(len(column) > r and column[r][0] for column in self.columns)]

    @property
    def height(self) -> float:
        return self.base + _SIZE + len(self.rows) * _ROW

    @property
    def width(self) -> float:
        return self.centres[-1]


# Columns from word to word of an underlying tree, with a slot between them.
_NEIGHBOURS = 2


def underlying_drawing(analysis: Analysis, *, with_title: bool = False) -> Drawing:
    """Draw an underlying tree, optionally titled with sentence and probability."""
    sentence = analysis.sentence
    columns: list[Sequence[Text]] = []
    for word, slot in zip(("", *sentence.forms), analysis.slots, strict=True):
        if columns:
            columns.append([(word, "word")])
        edits = "; ".join(
            f"{_shown((e.a, e.b))} → {_shown(e.result)}" for e in slot.edits if e.name != "keep"
        )
        columns.append(
            [
                (_shown(slot.underlying), "underlying"),
                (edits, "edit"),
                (_shown(slot.surface), "surface"),
            ]
        )
    arcs = [
        Arc(2 * head - 1 if head else None, 2 * word - 1, relation)
        for word, (head, relation) in enumerate(
            zip(sentence.tree.heads, sentence.tree.relations, strict=True), start=1
        )
    ]
    title = f"{sentence.sentence_id}   log p(marks | tree) = {analysis.log_likelihood:.3f}"
    return Drawing(title if with_title else "", str(analysis), columns, arcs)


def treebank_drawing(
    sentence: MarkedSentence,
    changes: Sequence[HeadChange] = (),
    suspicious: Collection[int] = (),
) -> Drawing:
    """Draw a tree with all its tokens.

    Args:
        changes: new heads of marks; old arcs are dashed, new ones bold.
        suspicious: the tokens to underline.
    """
    after = {change.mark: change.after for change in changes}
    columns: list[Sequence[Text]] = []
    arcs: list[Arc] = []
    for token in range(1, len(sentence.forms)):
        kind = "mark" if sentence.is_mark[token] else "word"
        kind = "suspect" if token in suspicious else kind
        columns.append([(sentence.forms[token], kind), (str(token), "number")])
        head, relation = sentence.heads[token], sentence.relations[token]
        if not 0 <= head < len(sentence.forms):
            continue
        arcs.append(Arc(head - 1 if head else None, token - 1, relation,
                        "before" if token in after else ""))  # fmt: skip
        if token in after:
            arcs.append(Arc(after[token] - 1, token - 1, relation, "after"))
    described = ", ".join(
        f"{sentence.forms[t]} → {sentence.forms[after.get(t, h)] if h else 'root'}"
        for t, h in enumerate(sentence.heads)
        if t and 0 <= h < len(sentence.forms)
    )
    return Drawing("", described, columns, arcs)


def picture(analyses: Iterable[Analysis]) -> str:
    """Draw underlying trees below each other as one SVG document."""
    drawings = [underlying_drawing(analysis, with_title=True) for analysis in analyses]
    width = max((drawing.width for drawing in drawings), default=0.0)
    height = sum(drawing.height for drawing in drawings)
    root = ElementTree.Element(
        "svg", {"xmlns": "http://www.w3.org/2000/svg", **_size(width, height)}
    )
    style = files("semipunct.pages").joinpath("pictures.css").read_text("utf-8")
    ElementTree.SubElement(root, "style").text = f"\n{style}"
    paper = {"width": f"{width:.0f}", "height": f"{height:.0f}", "class": "paper"}
    ElementTree.SubElement(root, "rect", paper)
    top = 0.0
    for drawing in drawings:
        group = ElementTree.SubElement(root, "g", {"transform": f"translate(0 {top:.0f})"})
        _draw(group, drawing)
        top += drawing.height
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def inline_picture(drawing: Drawing) -> str:
    """Draw a tree as an element of an HTML page."""
    root = ElementTree.Element("svg", {"role": "img", **_size(drawing.width, drawing.height)})
    _draw(root, drawing)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=True)


def _size(width: float, height: float) -> dict[str, str]:
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
    return {"viewBox": f"0 0 {width:.0f} {height:.0f}", **size}


def _draw(group: ElementTree.Element, drawing: Drawing) -> None:
    ElementTree.SubElement(group, "title").text = _printable(drawing.description)
    _text(group, _MARGIN, _MARGIN, drawing.title, "title")
    *centres, _ = drawing.centres
    base = drawing.base
    for arc, level in zip(drawing.arcs, drawing.levels, strict=True):
        end = centres[arc.dependent]
        kind = {"class": arc.kind} if arc.kind else {}
        if arc.head is None:
            peak = base - _LEVEL * level
            ElementTree.SubElement(group, "path", {"d": f"M{end:.1f} {peak} V{base}", **kind})
            _text(group, end, peak - 3, arc.relation, "relation")
            continue
        start = centres[arc.head]
        # The ends of a word's arcs are spread, longer arcs further in the middle.
        shift = 4 if end > start else -4
        peak = base - _LEVEL * level
        path = f"M{start + shift:.1f} {base} V{peak + 6} Q{start + shift:.1f} {peak} "
        path += f"{start + 2 * shift:.1f} {peak} H{end - 2 * shift:.1f} "
        path += f"Q{end - shift:.1f} {peak} {end - shift:.1f} {peak + 6} V{base}"
        ElementTree.SubElement(group, "path", {"d": path, **kind})
        _text(group, (start + end) / 2, peak - 3, arc.relation, "relation")
    for centre, column in zip(centres, drawing.columns, strict=True):
        for place, row in enumerate(drawing.rows):
            for text, kind in column[row : row + 1]:
                _text(group, centre, base + _SIZE + place * _ROW, text, kind)


def _text(group: ElementTree.Element, x: float, y: float, text: str, kind: str) -> None:
    if text:
        place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "class": kind}
        ElementTree.SubElement(group, "text", place).text = _printable(text)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _shown(tokens: Sequence[str] | Puncteme) -> str:
    return " ".join(display_form(token) for token in tokens if token != INITIAL)


def _width(text: str) -> float:
    """Return the width of a text; East Asian characters are twice as wide."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return _ADVANCE * (len(text) + wide)
