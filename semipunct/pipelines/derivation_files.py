"""Files of derivations by any parser, which ``semipunct evaluate`` compares with a treebank."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from semipunct.corpus import Sentence
from semipunct.errors import UsageError
from semipunct.files import STANDARD, sha256
from semipunct.formats import format_of
from semipunct.formats.ccgbank import read_derived_sentences
from semipunct.pipelines.assessment import Assessment
from semipunct.tasks.parse_derivations import by_sentence, compare_derivations
from semipunct.tasks.reading import check_any, omissions
from semipunct.trees.derivations import Derivation
from semipunct.wording import quantity


def holds_derivations(path: str) -> bool:
    """Return whether a path is that of a file of derivations, and not of a model folder.

    Args:
        path: as it was given.
    """
    return format_of(path).name == "ccgbank" and not Path(path).is_dir()


def assess_derivation_file(parsed: str, tests: Sequence[str]) -> Assessment:
    """Compare derivations in a file with those of a treebank.

    Args:
        parsed: a file of derivations that a parser wrote.
        tests: files of the treebank.

    Raises:
        UsageError: if sentences of the first file are not those of the treebank.
        TreebankError: if a file is missing or damaged.
    """
    if not all(test == STANDARD or holds_derivations(test) for test in tests):
        raise UsageError(
            f"{parsed}: derivations can be compared only with derivations; give test files whose "
            "names end in .auto, or standard input"
        )
    treebanks = read_derived_sentences([parsed]), read_derived_sentences(tests)
    check_any(treebanks[1], tests, "derivation")
    messages = [
        f"{name}: {omissions(treebank)}"
        for name, treebank in zip((parsed, ", ".join(tests)), treebanks, strict=True)
        if treebank.omitted
    ]
    derivations, sentences = cast("tuple[Sequence[Sentence[Derivation]], ...]", treebanks)
    digest = sha256("\n".join(repr(s.tree) for s in derivations).encode())
    trees = by_sentence(sentences, derivations)
    if missing := trees.count(None):
        messages.append(f"{quantity(missing, 'sentence')} without a derivation in {parsed}")
    result = compare_derivations(parsed, digest, sentences, trees)
    return Assessment.of(result, messages=messages)
