"""Derivations of a parser, or of a file, compared with those of a treebank."""

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
    """Compare the derivations of a parser with those of a treebank.

    Treebanks with the same categories and dependencies have the same signature, wherever their
    commas are attached: parsers of derivations before and after normalisation can be compared.

    Args:
        system: the name of the parser in the result.
        digest: the digest of the parser, or of its output.
        sentences: the sentences of the treebank.
        predicted: the parser's derivations of the same sentences; None for a missing one.

    Returns:
        The counts of each sentence, with their signature.

    Raises:
        UsageError: if the numbers of sentences, or of the words of a sentence, differ.
    """
    gold = [_analysis(s.tree) for s in sentences]
    analyses = [None if tree is None else _analysis(tree) for tree in predicted]
    line = figures_signature(DerivationStatistics.task, digest[:12], _digest(sentences, gold))
    return Result(system, line, derivation_statistics(gold, analyses))


def by_sentence(sentences: Sequence[Derived], parsed: Iterable[Derived]) -> list[Derivation | None]:
    """Match the derivations in a parser's output to the sentences of a treebank by ID.

    Args:
        sentences: the sentences of a treebank.
        parsed: some of the same sentences, in any order, with the same IDs.

    Returns:
        A derivation for each of ``sentences``; None for a missing one.

    Raises:
        UsageError: if two sentences have the same ID, or a parsed sentence is not in the treebank,
            or its words differ there; the message names the sentence.
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
