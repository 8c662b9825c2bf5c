"""Corrected versions and underlying trees of training files.

Errors in files are reported before importing modules that need JAX.
"""

from __future__ import annotations

from collections.abc import Sequence
from pkgutil import resolve_name
from typing import Any

from semipunct.corpus import Sentence
from semipunct.corpus.parallel import Alignment
from semipunct.errors import TreebankError, UsageError
from semipunct.formats.parallel import read_corrections
from semipunct.models.kind import Kind
from semipunct.models.registry import find_kind, kind_names


def check_versions(
    kind: Kind,
    corrected: Sequence[str] | None,
    dev_corrected: Sequence[str] | None,
    align: str | None,
    analysis: str | None,
) -> None:
    """Check that the options for corrected versions and underlying trees suit a kind.

    Args:
        align: the alignment of versions; None if the option was not given.
    """
    if bool(corrected) != bool(dev_corrected):
        missing = "--dev-corrected" if corrected else "--corrected"
        raise UsageError(
            f"{missing} is missing; give corrected versions of both the training treebanks "
            "(--corrected) and the development treebanks (--dev-corrected)"
        )
    if corrected and kind.corrected == "never":
        able = [name for name in kind_names() if find_kind(name).corrected != "never"]
        raise UsageError(
            f"--corrected is not for --kind {kind.name}; leave it out, or train a model of --kind "
            f"{' or '.join(able)}"
        )
    if kind.corrected == "always" and not corrected:
        raise UsageError(
            f"a model of --kind {kind.name} is trained on original text and its corrected version; "
            "give the latter as --corrected and --dev-corrected. If there is only correct text, "
            "semipunct.formats.write_erroneous inserts learners' errors"
        )
    if align is not None and not corrected:
        raise UsageError(
            "--align needs corrected versions to align; give --corrected and --dev-corrected, or "
            "leave out --align"
        )
    if analysis is not None and not corrected and not kind.underlying:
        able = [name for name in kind_names() if find_kind(name).underlying]
        raise UsageError(
            f"--analysis needs --corrected or --kind {' or '.join(able)}; give one of them, or "
            "leave out --analysis"
        )


def read_versions(
    written: Sequence[str], corrected: Sequence[str], alignment: Alignment
) -> Sequence[Sentence]:
    """Read original treebanks and their corrected versions, with at least one usable pair.

    Alignment by trees omits pairs of sentences with different trees, as Li, Wang and Eisner do
    (2019, section 6.2). Different words are an error.
    """
    aligned = read_corrections(written, corrected, alignment, omit=alignment == "trees")
    if not aligned:
        first = f" (first {aligned.omitted[0]})" if aligned.omitted else ""
        raise TreebankError(
            f"{', '.join(written)}: no sentence is left{first}; give treebanks with words"
        )
    return aligned


def with_underlying_trees(path: str, kind: Kind, sentences: Sequence[Any]) -> Sequence[Sentence]:
    """Return sentences with the best underlying trees of their punctuation."""
    from semipunct.models.punctuation.model import PunctuationModel
    from semipunct.pipelines.tree_correction import add_written_trees
    from semipunct.store.checkpoint import load

    model = load(path, PunctuationModel)
    if kind.underlying:
        return resolve_name(kind.underlying)(model, sentences)
    return [sentence for (sentence,) in add_written_trees(model, sentences)]
