"""Small results for storing and comparing, with all numbers visible here."""

from collections.abc import Sequence

import numpy as np

from semipunct.corpus import Sentence
from semipunct.evaluation.correction import correction_statistics
from semipunct.evaluation.parsing import parsing_statistics
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.restoration import Slots, restoration_statistics
from semipunct.evaluation.results import Result, join_signature
from semipunct.papers.ccg.figures import Analysis, derivation_statistics
from semipunct.papers.commas.figures import bracket_statistics
from semipunct.papers.commas.trees import PhraseTree
from semipunct.trees import DependencyTree

GOLD: list[Slots] = [
    [(), (",",), (), (".",)],
    [("“",), (), (",", "”"), (".",)],
    [(), ("(",), (")",)],
    [(), (".",)],
]
PREDICTED: list[Slots] = [
    [(), (), (), (".",)],  # a comma is missing
    [("“",), (",",), ("”", ","), ("!",)],  # inserted, substituted, replaced
    [("(",), (), (")", ")")],  # a bracket moved, another one superfluous
    [(), (".",)],
]


def tagged(name: str, *rows: str) -> Sentence:
    """Build a sentence without marks from rows of form, upos, xpos, feats, head and relation."""
    forms, upos, xpos, feats, heads, relations = zip(*map(str.split, rows), strict=True)
    tree = DependencyTree(tuple(map(int, heads)), relations)
    slots = ((),) * (len(rows) + 1)
    return Sentence(name, "case", 1, forms, forms, upos, xpos, feats, tree, slots)


TREEBANK = [
    tagged(
        "one",
        "my    PRON PRP$ Poss=Yes    2 nmod:poss",
        "dog   NOUN NN   Number=Sing 3 nsubj",
        "barks VERB VBZ  _           0 root",
    ),
    tagged("two", "go VERB VB _ 0 root"),
    tagged(
        "three",
        "dogs   NOUN NNS Number=Plur 2 nsubj",
        "bark   VERB VBP _           0 root",
        "loudly ADV  RB  _           2 advmod",
        "now    ADV  RB  _           2 advmod:tmod",
    ),
]
PARSED = [
    tagged(
        "one",
        "my    PRON PRP$ _           2 nmod",  # no subtype, no feature
        "dog   VERB NN   Number=Sing 3 nsubj",  # another tag
        "barks VERB VBZ  _           0 root",
    ),
    tagged("two", "go VERB VB _ 0 root"),
    tagged(
        "three",
        "dogs   NOUN NNS Number=Sing 0 root",  # another feature, head and relation
        "bark   NOUN NN  _           1 nmod",  # both tags, head and relation
        "loudly ADV  RB  _           2 advmod",
        "now    ADV  RB  _           2 dobj",  # the relation alone
    ),
]


def signature(task: str, **parts: str) -> str:
    return join_signature({"task": task, "treebank": "t1", "tokens": ">=5", "final": "no"} | parts)


def scored(log_likelihood: Sequence[float], slots: Sequence[int], **parts: str) -> Result:
    """Create a perplexity result."""
    statistics = PerplexityStatistics(np.array(log_likelihood, float), np.array(slots, np.int64))
    return Result("scorer", signature("perplexity", **parts), statistics)


def restored(gold: Sequence[Slots], predicted: Sequence[Slots], **parts: str) -> Result:
    """Create a restoration result."""
    statistics = restoration_statistics(gold, predicted)
    return Result("restorer", signature("restoration", **parts), statistics)


def parsed(gold: Sequence[Sentence], predicted: Sequence[Sentence], **parts: str) -> Result:
    """Create a parsing result."""
    line = join_signature({"task": "parsing", "treebank": "t1"} | parts)
    return Result("parser", line, parsing_statistics(gold, predicted))


def corrected(
    source: Sequence[Slots], proposed: Sequence[Slots], gold: Sequence[Slots], **parts: str
) -> Result:
    """Create a correction result, with one reference per sentence."""
    statistics = correction_statistics(source, proposed, [[one] for one in gold])
    line = join_signature({"task": "correction", "treebank": "t1"} | parts)
    return Result("corrector", line, statistics)


def bracketed() -> Result:
    """Create a phrase-structure result with two brackets, the second with a wrong label."""
    gold, found = (PhraseTree((0, 1, 2), ("S", label, "NN")) for label in ("NP", "VP"))
    line = join_signature({"task": "brackets", "treebank": "t1"})
    return Result("parser", line, bracket_statistics([gold], [found]))


MISS: Analysis = (("N/N", "N", "S\\NP"), {(1, "N/N", 1, 2), (3, "S\\NP", 1, 2)})
"""*Miss Ada mills*, from a treebank."""


def derived(*found: Analysis | None) -> Result:
    """Create a result of parsing to derivations, with gold ``MISS`` throughout."""
    line = join_signature({"task": "derivations", "treebank": "t1"})
    return Result("parser", line, derivation_statistics([MISS] * len(found), found))
