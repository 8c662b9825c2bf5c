"""Derivations of a parser beside those of a treebank."""

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
from semipunct.evaluation.results import Result
from semipunct.evaluation.signature import join_signature
from semipunct.trees.derivations import Derivation
from semipunct.trees.predicates import predicate_dependencies
from semipunct.version import __version__

Derived = Sentence[Derivation]


def compare_derivations(
    system: str, digest: str, sentences: Sequence[Derived], found: Sequence[Derivation | None]
) -> Result[DerivationStatistics]:
    """Compare the derivations of a parser with those of a treebank.

    Treebanks whose categories and dependencies are the same are the same one here, wherever their
    commas are: parsers of derivations before and after normalisation can be compared.

    Args:
        system: the name to call the parser by.
        digest: of the parser, or of what it wrote.
        sentences: of the treebank.
        found: derivations of the same words; None where there is none.

    Returns:
        Counts of each sentence, with their signature.

    Raises:
        UsageError: if the numbers of sentences, or of the words of a sentence, differ.
    """
    gold = [_analysis(s.tree) for s in sentences]
    mine = [None if tree is None else _analysis(tree) for tree in found]
    line = join_signature(
        {
            "task": DerivationStatistics.task,
            "model": digest[:12],
            "treebank": _digest(sentences, gold)[:12],
            "version": __version__,
        }
    )
    return Result(system, line, derivation_statistics(gold, mine))


def by_sentence(sentences: Sequence[Derived], parsed: Iterable[Derived]) -> list[Derivation | None]:
    """Find the derivation of each sentence among those that a parser wrote.

    Args:
        sentences: of a treebank.
        parsed: some of the same sentences, in any order, under the same IDs.

    Returns:
        A derivation for each of ``sentences``, None where there is none.

    Raises:
        UsageError: if two sentences have one ID, or one is not in the treebank, or has other words
            there; names the sentence.
    """
    place: dict[str, int] = {}
    for i, s in enumerate(sentences):
        if s.sentence_id in place:
            raise UsageError(
                f"{s.where}: an earlier sentence of the treebank has the same ID; give files in "
                "which each has one of its own"
            )
        place[s.sentence_id] = i
    found: list[Derivation | None] = [None] * len(sentences)
    for s in parsed:
        i = place.get(s.sentence_id)
        if i is None:
            raise UsageError(
                f"{s.where}: is not among the sentences of the treebank; parse these, and keep "
                "their IDs"
            )
        if found[i] is not None:
            raise UsageError(f"{s.where}: has a second derivation; leave one of them out")
        if s.forms != sentences[i].forms:
            raise UsageError(
                f"{s.where}: its words are not those of {sentences[i].where}; parse the words of "
                "the treebank"
            )
        found[i] = s.tree
    return found


def _analysis(tree: Derivation) -> Analysis:
    return tree.tags, predicate_dependencies(tree)


def _digest(sentences: Sequence[Derived], gold: Sequence[Analysis]) -> str:
    digest = hashlib.sha256()
    for s, (categories, dependencies) in zip(sentences, gold, strict=True):
        seen = (s.forms, categories, sorted(dependencies))
        digest.update(json.dumps(seen, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()
