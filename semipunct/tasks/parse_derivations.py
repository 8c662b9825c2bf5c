"""Comparison of a parser's derivations with those of a treebank."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from semipunct.corpus.sentences import Sentence
from semipunct.errors import UsageError
from semipunct.evaluation.derivations import (
    Analysis,
    DerivationStatistics,
    derivation_statistics,
)
from semipunct.evaluation.results import Result, figures_signature
from semipunct.trees.derivations import Derivation
from semipunct.trees.predicates import predicate_dependencies

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
