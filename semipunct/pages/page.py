"""Self-contained HTML pages: no scripts, nothing from elsewhere, dark and light.

On pages of trees every sentence is a section whose anchor is ``sent-`` and its ID, so other pages
can refer to it (docs/decisions/treebank-tools.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from itertools import chain
from urllib.parse import quote

from semipunct.models.punctuation.decode import Analysis
from semipunct.pages.pictures import Drawing, inline_picture, underlying_drawing

STYLES = ("page", "pictures")
"""The style sheets of all pages; pictures need theirs outside of pages as well."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(title: str, sections: Iterable[str], kind: str) -> Iterator[str]:
    """Yield the parts of a page in UTF-8.

    Args:
        title: of the page, which is escaped.
        sections: its content as HTML.
        kind: the class of its content in the style sheet.
    """
    folder = files("semipunct.pages")
    style = "".join(folder.joinpath(f"{name}.css").read_text("utf-8") for name in STYLES)
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<main class="{kind}">\n'
        f"<h1>{escape(title)}</h1>\n"
    )
    yield from sections
    yield "</main>\n</body>\n</html>\n"


@dataclass(slots=True)
class Anchors:
    """Names of places on a page, each used once: ``sent-`` and the ID of the sentence."""

    _used: Counter[str] = field(default_factory=Counter[str])

    def add(self, sentence_id: str) -> str:
        """Return a new name; that of another sentence with the same ID has a number.

        Args:
            sentence_id: the ID; blanks become underscores.
        """
        base = name = "sent-" + "_".join(sentence_id.split())
        while self._used[name]:
            self._used[base] += 1
            name = f"{base}-{self._used[base]}"
        self._used[name] = 1
        return name


def listing(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Sequence[int] = (),
    wide: Sequence[int] = (),
) -> str:
    """Return a table, which scrolls if it is too wide, by the keyboard as well.

    Args:
        headings: of the columns, which are escaped, and name the table for those who do not see it.
        rows: cells as HTML.
        numbers: columns that are aligned to the right.
        wide: columns that are not made narrow.
    """
    rows = list(rows)
    if not rows:
        return "<p>None.</p>\n"
    kinds = {**dict.fromkeys(numbers, ' class="number"'), **dict.fromkeys(wide, ' class="wide"')}
    head = "".join(
        f'<th scope="col"{kinds.get(i, "")}>{escape(heading)}</th>'
        for i, heading in enumerate(headings)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td{kinds.get(i, "")} data-name="{escape(headings[i])}">{cell}</td>'
            for i, cell in enumerate(row)
        )
        + "</tr>\n"
        for row in rows
    )
    label = escape(", ".join(headings))
    return (
        f'<div class="listing" tabindex="0" role="group" aria-label="{label}">'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )


def link(anchor: str, text: str) -> str:
    """Return a link to a place on the same page.

    Args:
        anchor: its name.
        text: of the link, which is escaped.
    """
    return f'<a href="#{quote(anchor)}">{escape(text)}</a>'


def decoded_page(
    outcomes: Iterable[tuple[str, Sequence[tuple[str, Analysis]] | str]], title: str
) -> Iterator[str]:
    """Yield the parts of a page with the underlying trees of sentences.

    Args:
        outcomes: the ID of each sentence, with its trees and their names (``rank 2``; empty if
            there is only one), or the reason why it has none.
        title: of the page.
    """
    key = (
        '<p class="key">Above the words the dependency tree; between them the underlying marks, '
        "below these the edits that change them, and the marks that are written. "
        "Logarithms are natural.</p>\n"
    )
    yield from page(title, chain([key], _decoded_sections(outcomes)), "trees")


def _decoded_sections(
    outcomes: Iterable[tuple[str, Sequence[tuple[str, Analysis]] | str]],
) -> Iterator[str]:
    anchors = Anchors()
    for sentence_id, trees in outcomes:
        pieces: list[str] = []
        for label, analysis in trees if not isinstance(trees, str) else ():
            if label:
                pieces.append(f"<h3>{escape(label)}</h3>\n")
            pieces += underlying_tree(analysis)
        if isinstance(trees, str):
            pieces.append(f"<p>No underlying tree: {escape(trees)}</p>\n")
        yield section(anchors.add(sentence_id), sentence_id, pieces)


def underlying_tree(analysis: Analysis) -> Iterator[str]:
    """Yield the picture of an underlying tree, its brackets and its probabilities.

    Args:
        analysis: the tree.
    """
    yield figure(underlying_drawing(analysis))
    yield f'<p class="tree" dir="auto">{escape(str(analysis))}</p>\n'
    yield (
        f'<p class="figures">log p(marks | tree) = {analysis.log_likelihood:.3f}; '
        f"log p(underlying tree | marks, tree) = {analysis.log_posterior:.3f}</p>\n"
    )


def section(anchor: str, sentence_id: str, pieces: Iterable[str]) -> str:
    """Return the section of a sentence, whose heading links to itself.

    Args:
        anchor: of the section.
        sentence_id: its heading.
        pieces: its content as HTML.
    """
    heading = f"<h2>{link(anchor, sentence_id)}</h2>\n"
    return f'<section id="{escape(anchor)}">\n{heading}{"".join(pieces)}</section>\n'


def figure(drawing: Drawing) -> str:
    """Return the picture of a tree, which scrolls if it is wide, by the keyboard as well.

    Args:
        drawing: the tree.
    """
    direction = "rtl" if drawing.is_from_right_to_left else "ltr"
    return (
        f'<div class="picture" tabindex="0" role="group" aria-label="Tree" dir="{direction}">'
        f"{inline_picture(drawing)}</div>\n"
    )
