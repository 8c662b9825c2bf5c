"""Writing of the underlying trees of sentences, in the format of their input or in another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TextIO

from semipunct.corpus import Omitted
from semipunct.formats import Writer
from semipunct.models.punctuation.decode import Analysis
from semipunct.render import analyses as render
from semipunct.analyses import NO_ANALYSIS
from semipunct.tasks.options import DecodedForm
from semipunct.tasks.run import Outcome

Decoded = Outcome[Sequence[Analysis]]


def write_decoded(
    outcomes: Iterable[Decoded],
    form: DecodedForm,
    writer: Writer[Any],
    stream: TextIO,
    *,
    label: str,
    title: str,
) -> set[str]:
    """Write the trees of sentences.

    Args:
        outcomes: entries and their trees, None for those without.
        form: of the output.
        writer: of the entries.
        stream: which must not translate line ends.
        label: what a number of a tree is called; empty if each sentence has one tree.
        title: of a page.

    Returns:
        The special tokens in the output that a legend explains.
    """
    shown: set[str] = set()
    if form == "conllu":
        writer.write(chain.from_iterable(_annotated(o, writer, label) for o in outcomes), stream)
    elif form == "svg":
        from semipunct.pages.pictures import picture

        stream.write(picture(tree for outcome in outcomes for tree in outcome[1] or ()))
    elif form == "html":
        from semipunct.pages.page import decoded_page

        trees = (_for_page(outcome, label) for outcome in outcomes)
        stream.writelines(decoded_page(trees, title))
    else:
        for outcome in outcomes:
            stream.writelines(f"{text}\n" for text in _texts(outcome, form, label))
            if form == "brackets":
                shown.update(*map(shown_tokens, outcome[1] or ()))
    return shown


def _numbered(analyses: Sequence[Analysis], label: str) -> Iterator[tuple[Analysis, int | None]]:
    """Yield analyses, numbered if there is a label."""
    for number, analysis in enumerate(analyses, start=1):
        yield analysis, number if label else None


def _reason(outcome: Decoded) -> str:
    """Return why a sentence has no analysis."""
    content = outcome[0].content
    return content.reason if isinstance(content, Omitted) else NO_ANALYSIS


def _annotated(outcome: Decoded, writer: Writer[Any], label: str) -> Iterator[str]:
    entry, analyses = outcome
    if analyses is None:
        yield writer.annotate(entry, omission(_reason(outcome)))
    for analysis, number in _numbered(analyses or (), label):
        yield writer.annotate(entry, tree_annotation(analysis, number, label))


def _for_page(outcome: Decoded, label: str) -> tuple[str, Sequence[tuple[str, Analysis]] | str]:
    """Return the ID of a sentence with its trees, or with the reason why it has none."""
    entry, analyses = outcome
    trees = [
        ("" if number is None else f"{label} {number}", analysis)
        for analysis, number in _numbered(analyses or (), label)
    ]
    return entry.content.sentence_id, trees or _reason(outcome)


def _texts(outcome: Decoded, form: DecodedForm, label: str) -> Iterator[str]:
    entry, analyses = outcome
    if analyses is None:
        reason = _reason(outcome)
        omitted = omitted_as_dict(entry.content, reason)
        brackets = omitted_to_brackets(entry.content, reason)
        yield dump(omitted) if form == "json" else brackets
    for analysis, number in _numbered(analyses or (), label):
        if form == "json":
            yield dump(analysis_as_dict(analysis, entry.word_ids, number, label))
        else:
            yield to_brackets(analysis, number)
