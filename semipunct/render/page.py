"""The shell of self-contained HTML pages: no scripts, nothing from elsewhere, dark and light."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from urllib.parse import quote

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(title: str, sections: Iterable[str], *styles: str) -> Iterator[str]:
    """Yield the parts of a page in UTF-8.

    Args:
        title: of the page, which is escaped.
        sections: its content as HTML.
        *styles: names of style sheets besides that of all pages.
    """
    folder = files("semipunct.render")
    style = "".join(folder.joinpath(f"{name}.css").read_text("utf-8") for name in ("page", *styles))
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
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
    name: str = "",
) -> str:
    """Return a table, which scrolls if it is too wide, by the keyboard as well.

    Args:
        headings: of the columns, which are escaped; a column of bars has none.
        rows: cells as HTML.
        numbers: columns that are aligned to the right.
        wide: columns that are not made narrow.
        name: of the table, for those who do not see it; its headings if it is empty.
    """
    rows = list(rows)
    if not rows:
        return "<p>None.</p>\n"
    kinds = {**dict.fromkeys(numbers, ' class="number"'), **dict.fromkeys(wide, ' class="wide"')}
    head = "".join(
        f'<th scope="col"{kinds.get(i, "")}>{escape(heading)}</th>' if heading else "<td></td>"
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
    label = escape(name or ", ".join(headings))
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
