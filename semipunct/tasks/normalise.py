"""Normalisation of the marks of treebanks."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from semipunct.errors import UsageError
from semipunct.formats import format_of
from semipunct.formats.base import DerivationFormat
from semipunct.formats.conllu import Conllu
from semipunct.tasks.normalise_marks import NormalisedTreebank, normalise_marks
from semipunct.trees.conventions import Convention
from semipunct.trees.principles import RULES


def normalise(
    *files: str | Path,
    only: Collection[str] = (),
    convention: Convention | None = None,
    strict: bool = False,
) -> NormalisedTreebank:
    """Attach the marks of treebanks as the guidelines of Universal Dependencies say.

    Only heads of tokens with the tag PUNCT and the relation ``punct`` change, and DEPS where it has
    the same arc.

    Args:
        *files: names of files of dependency trees; ``.gz`` is decompressed, ``-`` is standard
            input.
        only: the principles by which heads are changed, of ``conjunct``, ``unit``, ``highest`` and
            ``pair``; all if empty.
        convention: the attachment of marks between units: to the ``unit`` that a mark sets off, as
            the guidelines say, or to the ``governor`` of that unit, as in UD 1; None to learn it
            from the files.
        strict: whether heads that the guidelines allow are replaced by those that they prefer.

    Raises:
        UsageError: if the files are of another format.
        TreebankError: if a file is missing or damaged, or has nothing that can be used.
    """
    form = format_of(*files)
    if form.name == Conllu.name:
        return normalise_marks(files, rules=only or RULES, convention=convention, strict=strict)
    if form.name == "ptb" or isinstance(form, DerivationFormat):
        raise UsageError("there is nothing to do; give --to ccg, --commas ccg or both")
    raise UsageError(
        f"{files[0]}: marks are attached in dependency trees of CoNLL-U, and this is a "
        f"file of the format {form.name}; give CoNLL-U"
    )
