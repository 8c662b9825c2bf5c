"""Parallel treebanks for commands that learn from corrections."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from semipunct.errors import TreebankError, UsageError

if TYPE_CHECKING:
    from semipunct.corpus import Sentence
    from semipunct.corpus.parallel import Alignment

CORRECTION = "correction"
"""The kind of model that needs what was written beside what is right."""

ORDERING = "ordering"
"""The kind of model that may learn from underlying trees."""


def check_corrected(
    kind: str,
    corrected: Sequence[str] | None,
    dev_corrected: Sequence[str] | None,
    align: str | None,
    analysis: str | None,
) -> None:
    """Check that options about corrected versions go together.

    Args:
        kind: of model.
        corrected: versions of the training treebanks.
        dev_corrected: versions of the development treebanks.
        align: how versions are aligned, None unless it was said.
        analysis: a model that finds underlying trees.

    Raises:
        UsageError: if they do not.
    """
    if bool(corrected) != bool(dev_corrected):
        missing = "--dev-corrected" if corrected else "--corrected"
        raise UsageError(
            f"{missing} is missing: what was written needs its corrected version, both of the "
            "treebanks to learn from and of those to choose the best weights on"
        )
    if corrected and kind not in (CORRECTION, "slot-tagger"):
        raise UsageError(
            f"--corrected is not for --kind {kind}; models of --kind {CORRECTION} learn from what "
            "was written and its corrected version, and slot-taggers"
        )
    if kind == CORRECTION and not corrected:
        raise UsageError(
            "a model of --kind correction is trained on what was written and its corrected "
            "version: give the latter as --corrected and --dev-corrected. Where only correct text "
            "is at hand, semipunct.formats.write_erroneous makes learners' errors in it"
        )
    if align is not None and not corrected:
        raise UsageError(
            "--align says how what was written and its corrected version are aligned; give the "
            "latter as --corrected and --dev-corrected, or leave --align out"
        )
    if analysis is not None and not corrected and kind != ORDERING:
        raise UsageError(
            "--analysis is about what was written, or about the trees that an ordering model "
            f"learns from; give --corrected as well, or --kind {ORDERING}"
        )


def corrections(
    written: Sequence[str], corrected: Sequence[str], alignment: "Alignment"
) -> "Sequence[Sentence]":
    """Read what was written, and its corrected version, of which at least one sentence can be used.

    Sentences whose trees do not agree are left out where trees align them, as Li, Wang and Eisner
    (2019, section 6.2) choose theirs; words that do not agree are an error.

    Args:
        written: files, as one treebank.
        corrected: files of the same sentences.
        alignment: how slots are found.

    Raises:
        TreebankError: if no sentence is left, or as ``formats.parallel.read_corrections`` does.
    """
    from semipunct.formats.parallel import read_corrections

    found = read_corrections(written, corrected, alignment, omit=alignment == "trees")
    if not found:
        told = f" (first {found.omitted[0]})" if found.omitted else ""
        raise TreebankError(
            f"{', '.join(written)}: no sentence is left{told}; give treebanks with words in them"
        )
    return found


def analysed(path: str, kind: str, sentences: "Sequence[Any]") -> "Sequence[Sentence]":
    """Put the best underlying trees of what was written into sentences.

    Args:
        path: the folder of a punctuation model of such text.
        kind: of the model that shall look at them.
        sentences: with what was written, or to learn orders from.

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
