"""Underlying trees and parses as annotations, brackets or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from semipunct.corpus import Omitted, Sentence
from semipunct.corpus.treebank import AnyEntry, WordsEntry
from semipunct.formats import Annotation, Writer
from semipunct.formats.conllu import Conllu
from semipunct.formats.conllu.from_text import analysed_entry
from semipunct.formats.conllu.reading import expected_attributes
from semipunct.marks import spacing
from semipunct.pipelines.chunks import Outcome

if TYPE_CHECKING:
    from semipunct.models.punctuation.decode import Analysis
    from semipunct.pipelines.parses import Parse

# Attributes of a node: the tokens of its left and right puncteme, joined by spaces.
LEFT, RIGHT = "SemipunctLeft", "SemipunctRight"

COMMENT = "semipunct_"

PREFIX = "Semipunct"

# Prefixes of our annotations, which replace existing ones of a file.
OURS = (PREFIX, COMMENT)

# Possible only with hard sets.
NO_ANALYSIS = "no analysis under the model"


def _annotation(
    attributes: Mapping[int, Mapping[str, str]],
    figures: Mapping[str, float],
    number: int | None,
    label: str,
) -> Annotation:
    comments = {} if number is None else {f"{COMMENT}{label}": f"{number}"}
    comments |= {f"{COMMENT}{name}": f"{figure:.6f}" for name, figure in figures.items()}
    suffix = "" if number is None else f".{label}{number}"
    return Annotation(attributes, comments, suffix, replaces=OURS)


def tree_annotation(
    analysis: Analysis, number: int | None = None, label: str = "sample"
) -> Annotation:
    """Annotate a sentence with its underlying tree, and with natural log probabilities as comments.

    Nodes with a non-empty puncteme get the attributes ``LEFT`` and ``RIGHT``.
    """
    attributes: dict[int, dict[str, str]] = {}
    for word, sides in enumerate(analysis.pairs, start=1):
        named = zip((LEFT, RIGHT), sides, strict=True)
        if of_word := {name: " ".join(puncteme) for name, puncteme in named if puncteme}:
            attributes[word] = of_word
    names = ("log_likelihood", "log_joint", "log_posterior")
    figures = {name: getattr(analysis, name) for name in names}
    return _annotation(attributes, figures, number, label)


def shown_tokens(analysis: Analysis) -> set[str]:
    """Return the special tokens of an analysis, for a legend."""
    marks = {token for pair in analysis.pairs for side in pair for token in side}
    edges = (analysis.slots[0].underlying[:1], analysis.slots[-1].underlying[-1:])
    return marks | {token for edge in edges for token in edge}


def analysis_as_dict(
    analysis: Analysis, word_ids: Sequence[int], number: int | None = None, label: str = "sample"
) -> dict[str, Any]:
    """Return the analysis of a sentence of a file as JSON values.

    Args:
        word_ids: ``[n]`` the ID of each word in the file.
    """
    values = analysis.as_dict()
    return {
        "schema": "semipunct.decode/1",
        "sent_id": values.pop("sent_id"),
        **({} if number is None else {label: number}),
        "words": values.pop("words"),
        "word_ids": list(word_ids),
        **values,
    }


def omitted_as_dict(omitted: Sentence | Omitted, reason: str) -> dict[str, Any]:
    """Return an omitted sentence as JSON values."""
    return {
        "schema": "semipunct.omitted/1",
        "sent_id": omitted.sentence_id,
        "omitted": reason,
    }


def to_brackets(analysis: Analysis, number: int | None = None) -> str:
    """Format an analysis as a bracketed tree on one line.

    One of several analyses has four columns, separated by tabs: the id of the sentence, the number
    of the analysis, its natural log posterior probability, and the tree.
    """
    if number is None:
        return str(analysis)
    name, posterior = analysis.sentence.sentence_id, f"{analysis.log_posterior:.6f}"
    return "\t".join((name, f"{number}", posterior, str(analysis)))


def dump(value: dict[str, Any]) -> str:
    """Return one line of strict JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_analyses(
    outcomes: Iterable[Outcome[Sequence[Analysis]]],
    form: str,
    writer: Writer[Any],
    stream: TextIO,
    *,
    label: str,
    inputs: Sequence[str],
) -> set[str]:
    """Write the trees of sentences to a stream that does not translate line ends.

    Args:
        outcomes: entries and their trees, None for those without.

    Returns:
        The special tokens in the output, for a legend.
    """
    shown: set[str] = set()
    if form == "conllu":
        writer.write(_texts(outcomes, form, label, writer), stream)
    elif form == "svg":
        from semipunct.pages.pictures import picture

        stream.write(picture(tree for _, trees in outcomes for tree in trees or ()))
    elif form == "html":
        from semipunct.files import title_of
        from semipunct.pages.page import decoded_page

        sentences = (
            (
                entry.content.sentence_id,
                [("" if n is None else f"{label} {n}", tree) for n, tree in _numbered(trees, label)]
                or _reason(entry.content),
            )
            for entry, trees in outcomes
        )
        stream.writelines(decoded_page(sentences, title_of("Underlying trees", inputs)))
    else:
        for outcome in outcomes:
            stream.writelines(f"{text}\n" for text in _texts([outcome], form, label, writer))
            if form == "brackets":
                shown.update(*map(shown_tokens, outcome[1] or ()))
    return shown


def _numbered(
    trees: Sequence[Analysis] | None, label: str
) -> Iterator[tuple[int | None, Analysis]]:
    for number, analysis in enumerate(trees or (), start=1):
        yield number if label else None, analysis


def _reason(content: Any) -> str:
    return content.reason if isinstance(content, Omitted) else NO_ANALYSIS


def _texts(
    outcomes: Iterable[Outcome[Sequence[Analysis]]], form: str, label: str, writer: Writer[Any]
) -> Iterator[str]:
    for entry, trees in outcomes:
        reason, content = _reason(entry.content), entry.content
        if trees is None and form == "conllu":
            omission = Annotation(comments={f"{COMMENT}omitted": reason}, replaces=OURS)
            yield writer.annotate(entry, omission)
        elif trees is None and form == "json":
            yield dump(omitted_as_dict(content, reason))
        elif trees is None:  # every sentence has a line
            yield f"# {COMMENT}omitted = {reason} (sent_id = {content.sentence_id})"
        for number, analysis in _numbered(trees, label):
            if form == "conllu":
                yield writer.annotate(entry, tree_annotation(analysis, number, label))
            elif form == "json":
                yield dump(analysis_as_dict(analysis, entry.word_ids, number, label))
            else:
                yield to_brackets(analysis, number)


def parsed_texts(
    entry: WordsEntry | AnyEntry, parses: Sequence[Parse], label: str, *, probabilities: bool
) -> Iterator[str]:
    """Yield the analyses of a sentence as CoNLL-U.

    The comment ``semipunct_log_probability`` is the natural log probability of the arcs.
    """
    from semipunct.models.parsing.vocabulary import TAGS

    writer = Conllu().writer()
    for number, parse in enumerate(parses, 1):
        attributes: dict[int, dict[str, str]] = {}
        if probabilities and parse.sentence.expected:
            attributes = dict(enumerate(expected_attributes(parse.sentence.expected), 1))
        if attributes and parse.relations:
            names = [f"{PREFIX}{name.capitalize()}" for name in ("relation", *TAGS)]
            for word, row in enumerate(zip(parse.relations, *parse.tags, strict=True), 1):
                values = [f"{value:.4f}" for value in row]
                attributes[word] |= dict(zip(names, values, strict=True))
        figures = {"log_probability": parse.log_probability}
        annotation = _annotation(attributes, figures, number if label else None, label)
        yield writer.annotate(analysed_entry(entry, parse.predicted), annotation)


def parses_as_dict(parses: Sequence[Parse | Omitted]) -> dict[str, Any]:
    """Return a parsed text as JSON values."""
    return {
        "schema": "semipunct.parsed-text/1",
        "sentences": [_parsed(parse) for parse in parses if not isinstance(parse, Omitted)],
    }


def _parsed(parse: Parse) -> dict[str, Any]:
    sentence = parse.predicted
    before, *after = spacing.visible(sentence.slots)
    relations = parse.relations or (None,) * len(sentence.forms)
    rows = zip(
        sentence.forms, sentence.upos, sentence.xpos, sentence.feats, sentence.tree.heads,
        sentence.tree.relations, relations, map(list, after), strict=True,
    )  # fmt: skip
    names = ("form", "upos", "xpos", "feats", "head", "deprel", "deprel_probability", "marks_after")
    return {
        "sent_id": sentence.sentence_id,
        "marks_before": list(before),
        "words": [
            {"id": number, **dict(zip(names, row, strict=True))}
            for number, row in enumerate(rows, start=1)
        ],
        "log_probability": parse.log_probability,
    }
