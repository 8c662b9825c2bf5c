"""Reading of files for commands: at least one usable sentence, and what was omitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semipunct.corpus import Treebank
from semipunct.corpus.examples import Example
from semipunct.corpus.word_streams import TextPassages, unknown_shares
from semipunct.errors import TreebankError
from semipunct.formats import read_treebank
from semipunct.formats.parallel import Corrections
from semipunct.formats.reading import read_examples
from semipunct.wording import quantity

FOREIGN = 0.5
"""The share of unknown words from which a development text seems to be in another language."""


def read_usable(paths: Sequence[str]) -> Treebank:
    """Read treebanks of which at least one sentence can be used.

    Raises:
        TreebankError: if none is left, and as ``formats.read_treebank`` does.
    """
    treebank = read_treebank(paths)
    check_any(treebank, paths, "sentence")
    return treebank


def read_usable_examples(examples: str, paths: Sequence[str], unit: str) -> Sequence[Example]:
    """Read files of which at least one example can be used to train or assess a model.

    Args:
        examples: their type, such as ``examples`` of a kind of model.
        paths: the files.
        unit: the word for one example.

    Raises:
        TreebankError: if none is left, or a file is missing or damaged.
    """
    usable = read_examples(examples, paths)
    check_any(usable, paths, unit)
    return usable


def check_any(examples: Sequence[Any], paths: Sequence[str], unit: str) -> None:
    """Check that something usable was read.

    Args:
        examples: what was read.
        paths: the files.
        unit: the word for one element.

    Raises:
        TreebankError: if nothing was; it says what was omitted.
    """
    if not examples:
        omitted = omissions(examples)
        raise TreebankError(
            f"{', '.join(paths)}: no usable {unit}{f' ({omitted})' if omitted else ''}; "
            "give a treebank or text with words in it"
        )


def omissions(examples: Sequence[Any]) -> str:
    """Return how many sentences were left out, and why; empty if none, or for other examples."""
    if isinstance(examples, Corrections) and examples.omitted:
        first = examples.omitted[0]
        return f"{quantity(len(examples.omitted), 'sentence')} omitted, first {first}"
    if not isinstance(examples, Treebank):
        return ""
    reasons = {reason: n for reason, n in examples.omitted_by_reason().items() if n}
    if not reasons:
        return ""
    faults = examples.first_faults()
    listed = ", ".join(
        f"{n:,} with {reason}" + (f" (first {faults[reason]})" if reason in faults else "")
        for reason, n in reasons.items()
    )
    return f"{quantity(len(examples.omitted), 'sentence')} omitted: {listed}"


def foreign_texts(training: Sequence[Any], development: Sequence[Any]) -> list[str]:
    """Return a warning for each development text with hardly any words of the training text.

    Args:
        training: the training examples; there are no warnings unless they are passages of text.
        development: the development examples.
    """
    if not (isinstance(training, TextPassages) and isinstance(development, TextPassages)):
        return []
    shares = unknown_shares(training.streams, development.streams)
    return [
        f"warning: {stream.path}: {share:.0%} of its {len(stream):,} words do not occur in "
        "the training text; is it in another language?"
        for stream, share in zip(development.streams, shares, strict=True)
        if share >= FOREIGN
    ]
