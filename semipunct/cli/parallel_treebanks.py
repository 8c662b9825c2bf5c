"""Parallel treebanks for the training of correction models."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from semipunct.errors import TreebankError, UsageError

if TYPE_CHECKING:
    from semipunct.corpus import Sentence
    from semipunct.corpus.parallel import Alignment

CORRECTION = "correction"
"""The kind of model that is trained on original text and its corrected version."""

ORDERING = "ordering"
"""The kind of model that can be trained on underlying trees."""


def check_corrected(
    kind: str,
    corrected: Sequence[str] | None,
    dev_corrected: Sequence[str] | None,
    align: str | None,
    analysis: str | None,
) -> None:
    """Check that the options for corrected versions are consistent.

    Args:
        kind: of model.
        corrected: versions of the training treebanks.
        dev_corrected: versions of the development treebanks.
        align: how versions are aligned; None if the option was not given.
        analysis: a model that finds underlying trees.

    Raises:
        UsageError: if they are not.
    """
    if bool(corrected) != bool(dev_corrected):
        missing = "--dev-corrected" if corrected else "--corrected"
        raise UsageError(
            f"{missing} is missing; give corrected versions of both the training treebanks "
            "(--corrected) and the development treebanks (--dev-corrected)"
        )
    if corrected and kind not in (CORRECTION, "slot-tagger"):
        raise UsageError(
            f"--corrected is not for --kind {kind}; leave it out, or train a model of --kind "
            f"{CORRECTION} or slot-tagger"
        )
    if kind == CORRECTION and not corrected:
        raise UsageError(
            "a model of --kind correction is trained on original text and its corrected version; "
            "give the latter as --corrected and --dev-corrected. If there is only correct text, "
            "semipunct.formats.write_erroneous inserts learners' errors"
        )
    if align is not None and not corrected:
        raise UsageError(
            "--align needs corrected versions to align; give --corrected and --dev-corrected, or "
            "leave out --align"
        )
    if analysis is not None and not corrected and kind != ORDERING:
        raise UsageError(
            f"--analysis needs --corrected or --kind {ORDERING}; give one of them, or leave out "
            "--analysis"
        )


def corrections(
    written: Sequence[str], corrected: Sequence[str], alignment: "Alignment"
) -> "Sequence[Sentence]":
    """Read original treebanks and their corrected versions; at least one sentence must be usable.

    With alignment by trees, sentences whose trees differ are left out, as in Li, Wang and Eisner
    (2019, section 6.2). Words that differ are an error.

    Args:
        written: files of the original text, read as one treebank.
        corrected: files of the corrected sentences.
        alignment: how slots are aligned.

    Raises:
        TreebankError: if no sentence is left, or as ``formats.parallel.read_corrections`` does.
    """
    from semipunct.formats.parallel import read_corrections

    found = read_corrections(written, corrected, alignment, omit=alignment == "trees")
    if not found:
        told = f" (first {found.omitted[0]})" if found.omitted else ""
        raise TreebankError(
            f"{', '.join(written)}: no sentence is left{told}; give treebanks with words"
        )
    return found


def analysed(path: str, kind: str, sentences: "Sequence[Any]") -> "Sequence[Sentence]":
    """Add the best underlying trees of the original punctuation to sentences.

    Args:
        path: the folder of a punctuation model of such text.
        kind: of the model to be trained on them.
        sentences: with original and corrected punctuation, or for an ordering model.

    Raises:
        ModelError: if there is no such model.
    """
    from semipunct.models.punctuation.model import PunctuationModel
    from semipunct.store.checkpoint import load

    model = load(path, PunctuationModel)
    if kind == ORDERING:
        from semipunct.tasks.rephrase import analysed as of_what_is_right

        return of_what_is_right(model, sentences)
    from semipunct.tasks.correct import analysed as of_written

    return [one for (one,) in of_written(model, sentences)]
