"""Pages for everybody: contrasts of colours, names of controls, headings in order.

``tests/web/test_accessibility.py`` asks a browser, where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

from tests.pages.kinds_of_pages import pages

LEAST = 4.5
"""The least contrast of text (WCAG 2.2, 1.4.3); 3 for what is not text (1.4.11)."""


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour such as #fff or #1c1c1c (WCAG 2.2)."""
    digits = colour.removeprefix("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
    ]
    return sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first: str, second: str) -> float:
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def palettes(sheet: str) -> list[dict[str, str]]:
    """Return the colours of a style sheet: light ones, and dark ones."""
    found = [
        dict(re.findall(r"--(\w+): (#\w+)", block))
        for block in re.findall(r":root \{([^}]*)\}", sheet)
    ]
    return [{**found[0], **colours} for colours in found]


def style_sheets() -> Iterator[str]:
    for folder in ("semipunct.pages", "semipunct.web"):
        for path in files(folder).iterdir():
            if path.name.endswith(".css"):
                yield path.read_text("utf-8")


def test_colours_of_pages_have_contrast():
    sheets = [sheet for sheet in style_sheets() if ":root {" in sheet]
    assert len(sheets) == 2
    for sheet in sheets:
        light, dark, *_ = palettes(sheet)
        for colours in (light, dark):
            for ground in ("paper", "card"):
                assert contrast(colours["ink"], colours[ground]) >= LEAST
                assert contrast(colours["soft"], colours[ground]) >= LEAST
                assert contrast(colours["line"], colours[ground]) >= 3
    server = files("semipunct.web").joinpath("page.css").read_text("utf-8")
    for colours in palettes(server)[:2]:
        assert contrast(colours["ink"], colours["shade"]) >= LEAST


def test_colours_of_pictures_have_contrast():
    sheet = files("semipunct.pages").joinpath("pictures.css").read_text("utf-8")
    light, dark = sheet.split("@media")
    for rules in (light, dark):
        paper = re.findall(r"rect.paper \{ fill: (#\w+)", rules)[0]
        fills = re.findall(r"^text[^{]*\{[^}]*fill: (#\w+)", rules, re.M)
        strokes = re.findall(r"stroke: (#\w+)", rules)
        assert len(fills) >= 4
        assert min(contrast(paper, colour) for colour in fills) >= LEAST
        assert min(contrast(paper, colour) for colour in strokes) >= 3


class Structure(HTMLParser):
    """Faults of a page that need no browser."""

    VOID = ("meta", "link", "br", "input")

    def __init__(self, text: str):
        super().__init__()
        self.faults: list[str] = []
        self.headings: list[int] = []
        self.ids: list[str] = []
        self.wanted: list[str] = []
        self.unnamed: list[list[str]] = []
        self.language = ""
        self.feed(text)
        self.close()
        for level, next_level in zip(self.headings, self.headings[1:], strict=False):
            if next_level > level + 1:
                self.faults.append(f"h{next_level} follows h{level}")
        if self.headings.count(1) != 1 or self.headings[:1] != [1]:
            self.faults.append(f"headings {self.headings}")
        if len({*self.ids}) < len(self.ids):
            self.faults.append("an id occurs twice")
        self.faults += [f"no {name}" for name in self.wanted if name not in self.ids]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids += [values["id"]] if "id" in values else []
        self.wanted += [
            values[k] for k in ("popovertarget", "for", "aria-labelledby") if k in values
        ]
        if tag == "html":
            self.language = values.get("lang", "")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if values.get("tabindex", "0") != "0":
            self.faults.append(f"{tag} has a place of its own in the order of the keyboard")
        if "tabindex" in values and not ({"role", "aria-label"} <= values.keys()):
            self.faults.append(f"{tag} is reached by the keyboard, but has no name")
        if tag == "th" and "scope" not in values:
            self.faults.append("a heading of a table without scope")
        if tag in ("button", "a", "summary", "th", "h1", "h2", "h3", "caption"):
            self.unnamed.append([tag, values.get("aria-label", "")])

    def handle_endtag(self, tag: str) -> None:
        if self.unnamed and self.unnamed[-1][0] == tag:
            _, name = self.unnamed.pop()
            if not name.strip():
                self.faults.append(f"a {tag} has no name")

    def handle_data(self, data: str) -> None:
        for each in self.unnamed:
            each[1] += data


def test_pages_have_structure(tmp_path: Path):
    for name, text in pages(tmp_path).items():
        structure = Structure(text)
        assert (name, structure.faults, structure.language) == (name, [], "en")
        assert len(structure.headings) > 1 or name == "explained"
