"""Comparison of predicted derivations with a treebank."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

from semipunct.corpus import Sentence
from semipunct.errors import UsageError
from semipunct.evaluation.results import Result, figures_signature
from semipunct.files import STANDARD, sha256
from semipunct.formats import format_of
from semipunct.papers.ccg.ccgbank import read_derived_sentences
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.ccg.figures import Analysis, DerivationStatistics, derivation_statistics
from semipunct.papers.ccg.predicates import predicate_dependencies
from semipunct.pipelines.assessment import Assessment
from semipunct.pipelines.notices import check_any, omissions
from semipunct.wording import quantity

Derived = Sentence[Derivation]


def compare_derivations(
    system: str, digest: str, sentences: Sequence[Derived], predicted: Sequence[Derivation | None]
) -> Result[DerivationStatistics]:
    """Compare predicted derivations, None if missing, with a treebank.

    The signature does not depend on the positions of commas, so that parsers before and after
    normalisation are comparable.
    """
    gold = [_analysis(s.tree) for s in sentences]
    analyses = [None if tree is None else _analysis(tree) for tree in predicted]
    line = figures_signature(DerivationStatistics.task, digest[:12], _digest(sentences, gold))
    return Result(system, line, derivation_statistics(gold, analyses))


def by_sentence(sentences: Sequence[Derived], parsed: Iterable[Derived]) -> list[Derivation | None]:
    """Match parsed sentences to a treebank by ID; None for a missing derivation.

    Raises:
        UsageError: if an ID is repeated or unknown, or words differ.
    """
    place: dict[str, int] = {}
    for i, s in enumerate(sentences):
        if s.sentence_id in place:
            raise UsageError(
                f"{s.where}: an earlier sentence of the treebank has the same ID; give files in "
                "which all IDs are different"
            )
        place[s.sentence_id] = i
    derivations: list[Derivation | None] = [None] * len(sentences)
    for s in parsed:
        i = place.get(s.sentence_id)
        if i is None:
            raise UsageError(
                f"{s.where}: is not a sentence of the treebank; parse its sentences, and keep "
                "their IDs"
            )
        if derivations[i] is not None:
            raise UsageError(f"{s.where}: has a second derivation; leave one of them out")
        if s.forms != sentences[i].forms:
            raise UsageError(
                f"{s.where}: its words are not those of {sentences[i].where}; parse the words of "
                "the treebank"
            )
        derivations[i] = s.tree
    return derivations


def _analysis(tree: Derivation) -> Analysis:
    return tree.tags, predicate_dependencies(tree)


def _digest(sentences: Sequence[Derived], gold: Sequence[Analysis]) -> str:
    digest = hashlib.sha256()
    for s, (categories, dependencies) in zip(sentences, gold, strict=True):
        seen = (s.forms, categories, sorted(dependencies))
        digest.update(json.dumps(seen, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def holds_derivations(path: str) -> bool:
    """Return whether a path is a file of derivations, not a model folder."""
    return format_of(path).name == "ccgbank" and not Path(path).is_dir()


def assess_derivation_file(parsed: str, tests: Sequence[str]) -> Assessment:
    """Compare a file of derivations with the files of a treebank."""
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
