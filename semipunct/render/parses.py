"""Representations of parses in files: annotations for writers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from semipunct.corpus.treebank import AnyEntry, WordsEntry
from semipunct.formats import Annotation
from semipunct.formats.conllu import Conllu
from semipunct.formats.conllu.from_text import analysed_entry
from semipunct.formats.conllu.reading import expected_attributes
from semipunct.render.analyses import COMMENT, OURS
from semipunct.tasks.parse import TAGS, Parse

PREFIX = "Semipunct"
"""The prefix of the names of attributes: ``SemipunctHead`` is the probability of the head."""


def annotation(
    parse: Parse, number: int | None = None, label: str = "sample", *, probabilities: bool = False
) -> Annotation:
    """Make the annotation of a parsed sentence.

    The comment ``semipunct_log_probability`` is the natural logarithm of the probability of the
    arcs. If there are several trees, the id of the sentence gets a suffix, such as
    ``weblog-7.sample2``.

    Args:
        parse: the parse of the sentence.
        number: of the tree if there are several, for the comment ``semipunct_LABEL``.
        label: ``sample`` or ``rank``.
        probabilities: whether to add, for each word, the probabilities of its head, of the most
            probable marks on both sides of it, of its relation given the head, and of its tags,
            if they are known.
    """
    attributes: dict[int, dict[str, str]] = {}
    if probabilities and parse.sentence.expected:
        attributes = dict(enumerate(expected_attributes(parse.sentence.expected), 1))
    if attributes and parse.relations:
        names = ("Relation", *(kind.capitalize() for kind in TAGS))
        columns = (parse.relations, *parse.tags)
        for word, row in enumerate(zip(*columns, strict=True), 1):
            named_columns = zip(names, row, strict=True)
            attributes[word] |= {f"{PREFIX}{name}": f"{value:.4f}" for name, value in named_columns}
    comments = {} if number is None else {f"{COMMENT}{label}": f"{number}"}
    comments[f"{COMMENT}log_probability"] = f"{parse.log_probability:.6f}"
    suffix = "" if number is None else f".{label}{number}"
    return Annotation(attributes, comments, suffix, replaces=OURS)


def parsed_texts(
    entry: WordsEntry | AnyEntry, parses: Sequence[Parse], label: str, *, probabilities: bool
) -> Iterator[str]:
    """Yield the analyses of a sentence as CoNLL-U.

    Args:
        entry: the sentence.
        parses: its analyses.
        label: as in ``annotation`` if there may be several; empty for a single one.
        probabilities: as in ``annotation``.
    """
    writer = Conllu().writer()
    for number, parse in enumerate(parses, 1):
        parse_annotation = annotation(
            parse, number if label else None, label, probabilities=probabilities
        )
        yield writer.annotate(analysed_entry(entry, parse.predicted), parse_annotation)
