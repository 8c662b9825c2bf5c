"""HTML pages with pictures of trees: underlying trees, suspicious marks, new heads of marks.

Every sentence is a section whose anchor is ``sent-`` and its ID, so other pages can refer to it
(docs/decisions/0060-pages-of-trees.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain

from semipunct.formats.conllu.mark_heads import MarkedSentence
from semipunct.models.punctuation.decode import Analysis
from semipunct.render import head_changes
from semipunct.render import suspects as suspect_lines
from semipunct.render.page import Anchors, link, listing, page
from semipunct.render.tree_pictures import (
    Drawing,
    inline_picture,
    treebank_drawing,
    underlying_drawing,
)
from semipunct.tasks.normalise_marks import NormalisedTreebank
from semipunct.tasks.suspects import Suspect

_STYLES = ("listing", "trees_page", "tree_pictures")

Place = tuple[str, int]
"""The file and the first line of a sentence."""


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
    yield from page(title, chain([key], _decoded_sections(outcomes)), *_STYLES)


def _decoded_sections(
    outcomes: Iterable[tuple[str, Sequence[tuple[str, Analysis]] | str]],
) -> Iterator[str]:
    anchors = Anchors()
    for sentence_id, trees in outcomes:
        pieces: list[str] = []
        for label, analysis in trees if not isinstance(trees, str) else ():
            if label:
                pieces.append(f"<h3>{escape(label)}</h3>\n")
            pieces += _underlying(analysis)
        if isinstance(trees, str):
            pieces.append(f"<p>No underlying tree: {escape(trees)}</p>\n")
        yield _section(anchors.add(sentence_id), sentence_id, pieces)


def _underlying(analysis: Analysis) -> Iterator[str]:
    yield _figure(underlying_drawing(analysis))
    yield f'<p class="tree" dir="auto">{escape(str(analysis))}</p>\n'
    yield (
        f'<p class="figures">log p(marks | tree) = {analysis.log_likelihood:.3f}; '
        f"log p(underlying tree | marks, tree) = {analysis.log_posterior:.3f}</p>\n"
    )


def suspects_page(
    suspects: Sequence[Suspect],
    sentences: Mapping[Place, MarkedSentence],
    analyses: Mapping[Place, Analysis],
    title: str,
) -> Iterator[str]:
    """Yield the parts of a page with a ranked table of suspicious marks, linked to their trees.

    Args:
        suspects: the most suspicious first.
        sentences: as annotated.
        analyses: the underlying trees of the marks as written, of those that have one.
        title: of the page.
    """
    anchors = Anchors()
    of_sentences: dict[Place, list[Suspect]] = {}
    for suspect in suspects:
        of_sentences.setdefault((suspect.sentence.path, suspect.sentence.line), []).append(suspect)
    names = {place: anchors.add(sentences[place].sentence_id) for place in of_sentences}
    rows = [
        (
            f"{rank}",
            f"{suspect.score:.2f}",
            f"{suspect.log_odds:.2f}",
            escape(suspect.error),
            escape(suspect_lines.excerpt(suspect)),
            escape(suspect_lines.reason_beyond_error(suspect)),
            link(names[suspect.sentence.path, suspect.sentence.line], suspect.sentence.sentence_id),
            escape(f"{suspect.sentence.path}:{suspect.line}"),
        )
        for rank, suspect in enumerate(suspects, start=1)
    ]
    headings = ("rank", "score", "log odds", "error", "text", "reason", "sentence", "place")
    table = listing(headings, rows, numbers=(0, 1, 2), wide=(4, 5))
    sections = (
        _suspect_section(name, sentences[place], of_sentences[place], analyses.get(place))
        for place, name in names.items()
    )
    yield from page(title, chain([table], sections), *_STYLES)


def _suspect_section(
    anchor: str, sentence: MarkedSentence, suspects: Sequence[Suspect], analysis: Analysis | None
) -> str:
    lines = "".join(
        f"<li>{suspect.score:.2f} {escape(suspect.error)}: "
        f"{escape(suspect_lines.excerpt(suspect))}</li>"
        for suspect in suspects
    )
    pieces = [
        f"<ul>{lines}</ul>\n",
        _figure(treebank_drawing(sentence, (), {max(s.token, 1) for s in suspects})),
    ]
    if analysis is not None:
        pieces += _underlying(analysis)
    return _section(anchor, sentence.sentence_id, pieces)


def changes_page(treebank: NormalisedTreebank, title: str) -> Iterator[str]:
    """Yield the parts of a page with a table of new heads of marks, linked to their trees.

    Args:
        treebank: its changes.
        title: of the page.
    """
    anchors = Anchors()
    changed = [each for each in treebank.sentences if each.changes]
    names = [anchors.add(each.source.sentence_id) for each in changed]
    rows = [
        (
            link(name, each.source.sentence_id),
            escape(f"{each.source.path}:{each.source.line_of(change.mark)}"),
            escape(head_changes.token_name(each.source, change.mark)),
            escape(head_changes.token_name(each.source, change.before)),
            escape(head_changes.token_name(each.source, change.after)),
            change.rule,
            escape(change.problem),
        )
        for name, each in zip(names, changed, strict=True)
        for change in each.changes
    ]
    headings = ("sentence", "place", "mark", "old head", "new head", "rule", "problem")
    by_hand = [head_changes.governing_line(*each) for each in treebank.governing]
    start = [f"<p>{escape(head_changes.summary(treebank))}.</p>\n"]
    if rows:
        start += [
            '<p class="key">Old arcs are dashed, new ones bold.</p>\n',
            listing(headings, rows, wide=(6,)),
        ]
    if left := [*by_hand, *treebank.faults]:
        items = "".join(f"<li>{escape(line)}</li>" for line in left)
        start.append(f"<h2>To correct by hand</h2>\n<ul>{items}</ul>\n")
    sections = (
        _section(
            name, each.source.sentence_id, [_figure(treebank_drawing(each.source, each.changes))]
        )
        for name, each in zip(names, changed, strict=True)
    )
    yield from page(title, chain(start, sections), *_STYLES)


def _section(anchor: str, sentence_id: str, pieces: Iterable[str]) -> str:
    heading = f"<h2>{link(anchor, sentence_id)}</h2>\n"
    return f'<section id="{escape(anchor)}">\n{heading}{"".join(pieces)}</section>\n'


def _figure(drawing: Drawing) -> str:
    # A wide picture is scrolled, by the keyboard as well.
    direction = "rtl" if drawing.is_from_right_to_left else "ltr"
    return (
        f'<div class="picture" tabindex="0" role="group" aria-label="Tree" dir="{direction}">'
        f"{inline_picture(drawing)}</div>\n"
    )
