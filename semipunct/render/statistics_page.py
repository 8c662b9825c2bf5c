"""An HTML page of statistics: the marks of a treebank, where they stand, with examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from semipunct.corpus.mark_uses import Edges, Example
from semipunct.formats.survey import Survey
from semipunct.marks import ABBREVIATION, Puncteme, display_form, legend, shown_string
from semipunct.render.page import listing, page
from semipunct.wording import quantity

_STRINGS, _RELATIONS, _OMITTED, _RARE = 40, 60, 500, 500
"""The most rows of tables."""

_EXAMPLES = 2
"""Examples of a frequent mark."""

_PAIRS = 3
"""Pairs of strings of a relation."""


def statistics_page(survey: Survey, title: str) -> Iterator[str]:
    """Yield the parts of a self-contained page without scripts.

    Args:
        survey: of treebanks.
        title: of the page.
    """
    sections = (
        _section("Counts", _counts(survey)),
        _section("Marks", _marks(survey)),
        _section("Constituents", _constituents(survey)),
        _section("Strings of marks", _strings(survey)),
        _section("Slots", _slots(survey)),
        _section("Rare marks", _rare(survey)),
        _section("Sentences that are left out", _omitted(survey)),
    )
    yield from page(title, sections, "listing", "statistics_page")


def _section(heading: str, pieces: Iterable[str]) -> str:
    return f"<section>\n<h2>{escape(heading)}</h2>\n{''.join(pieces)}</section>\n"


def _key(text: str) -> str:
    return f'<p class="key">{escape(text)}</p>\n'


def _counts(survey: Survey) -> Iterator[str]:
    s = survey.counts
    yield _key("Tokens are words and marks; those of all sentences are counted.")
    share = f" ({s.percent_punctuation:.1f}% of the tokens)"
    rows = [
        ("sentences", f"{s.sentences_read:,}"),
        ("of which models can use", f"{s.sentences_used:,}"),
        ("made projective", f"{s.projectivised:,}"),
        ("tokens", f"{s.tokens:,}"),
        ("marks", f"{s.punctuation:,}{share}"),
        ("words of the sentences used", f"{s.words:,}"),
        (f"marks seen fewer than {quantity(s.minimum_count, 'time')}", f"{s.rare_types:,}"),
        ("kinds of marks, the rare ones as one", f"{s.types:,}"),
        ("strings of marks (punctemes)", f"{s.punctemes:,}"),
        ("pairs of strings around constituents", f"{s.pairs:,}"),
    ]
    yield listing(("what", "how many"), [(escape(a), b) for a, b in rows])


def _marks(survey: Survey) -> Iterator[str]:
    s = survey.counts
    frequent = [(k, v) for k, v in s.token_counts.items() if v >= s.minimum_count]
    if special := legend(token for token, _ in frequent):
        yield _key(f"{special}.")
    most = max((times for _, times in frequent), default=1)
    rows = [
        (
            _mark(token),
            f"{times:,}",
            f"{1000 * times / max(1, s.words):.1f}",
            _bar(times / most),
            "<br>".join(map(_example, survey.uses.examples.get(token, ())[:_EXAMPLES])),
        )
        for token, times in frequent
    ]
    headings = ("mark", "times", "per 1,000 words", "", "the first of them")
    yield listing(headings, rows, numbers=(1, 2), wide=(4,), name="Marks")


def _constituents(survey: Survey) -> Iterator[str]:
    yield _key(
        "Of the constituents of each relation, those with marks before them, after them, and on "
        "both sides. A mark between two constituents counts for both. Marks at the edges of a "
        "sentence count for its root only. ~ is the constituent, ∅ no mark."
    )
    ranked = sorted(survey.uses.relations.items(), key=lambda item: (-item[1].constituents, item))
    rows = [_relation(name, edges) for name, edges in ranked[:_RELATIONS]]
    headings = ("relation", "constituents", "before", "after", "both", "most often")
    yield listing(headings, rows, numbers=(1, 2, 3, 4), wide=(5,), name="Constituents")
    yield from _more(len(ranked) - _RELATIONS, "relation")


def _relation(name: str, edges: Edges) -> tuple[str, ...]:
    def share(number: int) -> str:
        return f"{100 * number / edges.constituents:.1f}%"

    pairs = sorted(edges.strings.items(), key=lambda item: (-item[1], item[0]))[:_PAIRS]
    return (
        escape(name),
        f"{edges.constituents:,}",
        *map(share, (edges.before, edges.after, edges.both)),
        ", ".join(
            f"{_string(left)} ~ {_string(right)} {times:,}" for (left, right), times in pairs
        ),
    )


def _strings(survey: Survey) -> Iterator[str]:
    yield _key("Marks that stand together between two words, or at an edge of a sentence.")
    strings = survey.uses.strings
    ranked = sorted(strings.items(), key=lambda item: (-item[1], item[0]))
    most = ranked[0][1] if ranked else 1
    rows = [
        (_string(string), f"{times:,}", f"{100 * times / strings.total():.2f}%", _bar(times / most))
        for string, times in ranked[:_STRINGS]
    ]
    yield listing(("string", "times", "share", ""), rows, numbers=(1, 2), name="Strings of marks")
    yield from _more(len(ranked) - _STRINGS, "string")


def _slots(survey: Survey) -> Iterator[str]:
    yield _key("A slot is a place for marks: before each word, and at the end of a sentence.")
    s = survey.counts
    most = max(s.slot_lengths.values(), default=1)
    rows = [
        (f"{length}", f"{times:,}", f"{100 * times / s.slots:.2f}%", _bar(times / most))
        for length, times in s.slot_lengths.items()
    ]
    yield listing(("marks", "slots", "share", ""), rows, numbers=(1, 2), name="Slots")


def _rare(survey: Survey) -> Iterator[str]:
    s = survey.counts
    yield _key(f"Marks seen fewer than {quantity(s.minimum_count, 'time')}: many are mistakes.")
    rare = sorted(token for token, times in s.token_counts.items() if times < s.minimum_count)
    rows = [
        (_mark(token), _example(example), escape(f"{example.path}:{example.line}"))
        for token in rare
        for example in survey.uses.examples.get(token, ())
    ]
    yield listing(("mark", "text", "place"), rows[:_RARE], wide=(1,), name="Rare marks")
    yield from _more(len(rows) - _RARE, "place")


def _omitted(survey: Survey) -> Iterator[str]:
    s = survey.counts
    reasons = ", ".join(f"{reason} {times:,}" for reason, times in s.omitted.items() if times)
    yield f"<p>{escape(reasons or 'None.')}</p>\n"
    if survey.omitted:
        items = "".join(f"<li>{escape(line)}</li>\n" for line in survey.omitted[:_OMITTED])
        yield f"<ul>\n{items}</ul>\n"
    yield from _more(len(survey.omitted) - _OMITTED, "sentence")


def _more(number: int, what: str) -> Iterator[str]:
    if number > 0:
        yield f"<p>And {escape(quantity(number, f'more {what}'))}.</p>\n"


def _bar(share: float) -> str:
    width = f"width:{100 * share:.1f}%"
    return f'<span class="bar" aria-hidden="true"><i style="{width}"></i></span>'


def _mark(token: str) -> str:
    return f"<bdi>{escape(display_form(token))}</bdi>"


def _string(string: Puncteme) -> str:
    return f"<bdi>{escape(shown_string(string, '∅'))}</bdi>"


def _example(example: Example) -> str:
    before, after = (escape(" ".join(words)) for words in (example.before, example.after))
    marks = escape(" ".join(_written(example.marks)))
    return f'<bdi title="{escape(example.sentence_id)}">{before} <mark>{marks}</mark> {after}</bdi>'


def _written(marks: Sequence[str]) -> Iterator[str]:
    """Yield the marks of a slot as readers see them."""
    for token in marks:
        yield "." if token == ABBREVIATION else display_form(token)
