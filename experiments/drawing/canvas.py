"""A canvas that writes SVG: shapes and text in a palette for light and dark surroundings.

Pictures have a background, so they stay readable on a dark page of a light system.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from xml.etree import ElementTree

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

_LIGHT = {
    "ground": "#ffffff", "ink": "#1f2328", "soft": "#59636e", "faint": "#d1d9e0",
    "blue": "#0858b8", "red": "#b8232c", "green": "#1a6b34", "amber": "#8a5300",
}  # fmt: skip
_DARK = {
    "ground": "#14181d", "ink": "#e8edf2", "soft": "#a3adb8", "faint": "#3d454e",
    "blue": "#79b8ff", "red": "#ff938c", "green": "#6fdd8b", "amber": "#f0b13f",
}  # fmt: skip

_FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'Liberation Sans', sans-serif"
_MONOSPACED = "ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', monospace"


class Canvas:
    """A picture that is drawn element by element; coordinates grow to the right and downwards."""

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self.root = ElementTree.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {_number(width)} {_number(height)}",
                "width": _number(width),
                "height": _number(height),
                "role": "img",
                "aria-labelledby": "title description",
            },
        )
        ElementTree.SubElement(self.root, "title", {"id": "title"}).text = title
        ElementTree.SubElement(self.root, "desc", {"id": "description"}).text = description
        ElementTree.SubElement(self.root, "style").text = _style()
        self._add("rect", "ground", x=0, y=0, width=width, height=height, rx=8)

    def line(self, points: Sequence[Point], paint: str = "soft", *, dashed: bool = False) -> None:
        dashes = {"stroke-dasharray": "4 4"} if dashed else {}
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._add("polyline", f"line {paint}", points=path, **dashes)

    def arrow(self, start: Point, end: Point, paint: str = "soft") -> None:
        self.line([start, end], paint)
        self._tip(start, end, paint)

    def arc(self, start: Point, end: Point, height: float, paint: str = "soft") -> None:
        """Draw an arrow that rises from one point by ``height`` and falls to another."""
        (x, y), (to_x, to_y) = start, end
        top = min(y, to_y) - height
        bend = min(abs(to_x - x) / 2, 24) * (1 if to_x > x else -1)
        path = (
            f"M {_number(x)} {_number(y)} C {_number(x)} {_number(top)} "
            f"{_number(x)} {_number(top)} {_number(x + bend)} {_number(top)} "
            f"L {_number(to_x - bend)} {_number(top)} "
            f"C {_number(to_x)} {_number(top)} {_number(to_x)} {_number(top)} "
            f"{_number(to_x)} {_number(to_y)}"
        )
        self._add("path", f"line {paint}", d=path)
        self._tip((to_x, top), end, paint)

    def box(self, corner: Point, size: Point, paint: str) -> None:
        """Draw a rectangle with round corners, from its left upper corner."""
        (x, y), (width, height) = corner, size
        self._add("rect", f"line {paint}", x=x, y=y, width=width, height=height, rx=5)

    def text(
        self,
        place: Point,
        text: str,
        paint: str = "ink",
        *,
        size: float = 14,
        anchor: Anchor = "middle",
        is_code: bool = False,
        is_bold: bool = False,
        has_halo: bool = False,
    ) -> None:
        """Write a line of text; the halo interrupts the lines behind it."""
        looks = {"code": is_code, "bold": is_bold, "halo": has_halo}
        classes = " ".join((paint, *(name for name, chosen in looks.items() if chosen)))
        more = {"text-anchor": anchor, "font-size": _number(size)}
        self._add("text", classes, x=place[0], y=place[1], **more).text = text

    def svg(self) -> str:
        ElementTree.indent(self.root, " ")
        return ElementTree.tostring(self.root, "unicode") + "\n"

    def _tip(self, start: Point, end: Point, paint: str) -> None:
        (x, y), (to_x, to_y) = start, end
        length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5 or 1.0
        along = (to_x - x) / length, (to_y - y) / length
        sides = [
            (to_x - 8 * along[0] + way * 3.5 * along[1], to_y - 8 * along[1] - way * 3.5 * along[0])
            for way in (-1, 1)
        ]
        corners = " ".join(f"{_number(a)},{_number(b)}" for a, b in (end, *sides))
        self._add("polygon", paint, points=corners)

    def _add(self, tag: str, classes: str, **attributes: float | str) -> ElementTree.Element:
        values = {
            name: value if isinstance(value, str) else _number(value)
            for name, value in attributes.items()
        }
        return ElementTree.SubElement(self.root, tag, {"class": classes, **values})


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _style() -> str:
    rules = [f"text{{font-family:{_FONT}}}", f".code{{font-family:{_MONOSPACED}}}"]
    rules += [".bold{font-weight:600}", ".line{fill:none!important;stroke-width:1.5}"]
    rules += _colours(_LIGHT)
    rules.append(f"@media (prefers-color-scheme:dark){{{''.join(_colours(_DARK))}}}")
    return "".join(rules)


def _colours(palette: dict[str, str]) -> list[str]:
    return [
        f".{name}{{fill:{colour}}}.line.{name}{{stroke:{colour}}}"
        for name, colour in palette.items()
    ] + [f".halo{{paint-order:stroke;stroke-width:5;stroke:{palette['ground']}}}"]
