"""The rules that a model has learned (section 5): rewriting rules, and punctemes by relation.

Counts come from 1-best analyses, probabilities from the model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt

from semipunct.corpus import Sentence
from semipunct.files import finite
from semipunct.marks import EDITS, OPEN, Edit, EditName, Pair, Puncteme, is_symmetric
from semipunct.models.base import Weights
from semipunct.models.punctuation.decode import Analysis, best, log_choices
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.rewriting import Rewriter
from semipunct.models.scoring import Batches
from semipunct.papers.analysis import nunberg
from semipunct.papers.analysis.agreement import Channel, Confidence, Recall, confidence, recall
from semipunct.papers.analysis.nunberg import Bigram, Rule
from semipunct.pipelines.trained import Trained, punctuation_model
from semipunct.wording import quantity

FREQUENT = 25
"""Minimum count of a frequent underlying bigram (footnote 16)."""

TOP_PAIRS = 5
"""Pairs listed for a relation (Table 4)."""


def read_channel(rewriter: Rewriter) -> Channel:
    """Return the rewriting probabilities of a channel, with its passes composed."""
    symbols = rewriter.inventory.symbols
    numbers = [i for i, symbol in enumerate(symbols) if i and symbol != OPEN]
    tokens = tuple(symbols[i] for i in numbers)
    if len(rewriter.passes) == 1:
        log_probability = rewriter.passes[0].log_probability
        return Channel(tokens, np.exp(log_probability[:, numbers][:, :, numbers]))
    table = np.zeros((len(EDITS), len(tokens), len(tokens)))
    for (i, a), (j, b) in product(enumerate(tokens), repeat=2):
        for outcome, edit in nunberg.outcomes(a, b).items():
            log_p = rewriter.explain((a, b), outcome).log_probability
            table[EDITS.index(edit), i, j] = math.exp(log_p)
    return Channel(tokens, table)


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of adjacent underlying tokens, and of the channel's edits, in 1-best analyses."""

    bigrams: Mapping[Bigram, int]
    edits: Mapping[Edit, int]


def count(analyses: Iterable[Analysis]) -> Counts:
    """Count underlying bigrams and edits; the open puncteme counts as a token."""
    bigrams: Counter[Bigram] = Counter()
    edits: Counter[Edit] = Counter()
    for analysis in analyses:
        for slot in analysis.slots:
            bigrams.update(pairwise(slot.underlying))
            edits.update(slot.edits)
    return Counts(bigrams, edits)


@dataclass(frozen=True, slots=True)
class Row:
    """One bigram of the rewriting table (Figure 3).

    Attributes:
        times: underlying occurrences; None without a treebank.
        made: counts of its edits.
        probabilities: p(edit | a, b).
        rule: Nunberg's rule, if any.
    """

    a: str
    b: str
    times: int | None
    made: Mapping[EditName, int]
    probabilities: Mapping[EditName, float]
    rule: Rule | None

    @property
    def edit(self) -> EditName:
        return max(self.probabilities, key=lambda edit: self.probabilities[edit])


def rewriting(
    channel: Channel, counts: Counts | None, bigrams: Iterable[Bigram] | None = None
) -> tuple[Row, ...]:
    """Build the rewriting table, by default of the bigrams with counts, or of Table 1."""
    if bigrams is None:
        bigrams = [b for _, b, _ in nunberg.TABLE_1] if counts is None else sorted(counts.bigrams)
    rows = [
        Row(
            a,
            b,
            None if counts is None else counts.bigrams.get((a, b), 0),
            {} if counts is None else {e: counts.edits.get(Edit(e, a, b), 0) for e in EDITS},
            channel.edits(a, b),
            nunberg.says(a, b),
        )
        for a, b in bigrams
        if channel.knows(a, b)
    ]
    return tuple(sorted(rows, key=lambda row: -(row.times or 0)))


@dataclass(frozen=True, slots=True)
class PairShare:
    """A pair of punctemes and its probability given a relation."""

    left: Puncteme
    right: Puncteme
    probability: float
    symmetric: bool


@dataclass(frozen=True, slots=True)
class RelationRow:
    """The punctuation of a relation (a column of Table 4).

    Attributes:
        words: number of words with the relation.
        symmetric: probability of punctemes that mirror each other.
        entropy: in nats, as in the paper.
        pairs: the most probable pairs.
    """

    relation: str
    words: int
    symmetric: float
    entropy: float
    pairs: tuple[PairShare, ...]

    def as_dict(self) -> dict[str, Any]:
        values = asdict(self)
        pairs = values.pop("pairs")
        return values | {"entropy_nats": values.pop("entropy"), "pairs": pairs}


def relation_table(
    expected: Mapping[str, npt.NDArray[np.float64]], pairs: Sequence[Pair]
) -> tuple[RelationRow, ...]:
    """Build Table 4 from expected counts ``[pairs]``, sorted by decreasing symmetry."""
    symmetric = np.array([is_symmetric(left, right) for left, right in pairs])
    rows: list[RelationRow] = []
    for relation, weights in expected.items():
        total = weights.sum()
        if not total:
            continue
        p = weights / total
        some = p[p > 0]
        top = np.argsort(-p, kind="stable")[:TOP_PAIRS].tolist()
        rows.append(
            RelationRow(
                relation,
                round(float(total)),
                float(p[symmetric].sum()),
                max(0.0, -float((some * np.log(some)).sum())),
                tuple(
                    PairShare(pairs[i][0], pairs[i][1], float(p[i]), bool(symmetric[i]))
                    for i in top
                    if p[i]
                ),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.symmetric, row.relation)))


def expected_pairs(
    model: PunctuationModel, parameters: Weights, sentences: Sequence[Sentence]
) -> dict[str, npt.NDArray[np.float64]]:
    """Sum p(l, r | w) over the words of each relation, ``[pairs]`` by relation.

    This is the prior of ATTACH (equation 4), not the posterior: Table 4 is about the relations
    "most likely to generate" punctemes.
    """
    expected: dict[str, npt.NDArray[np.float64]] = {}
    for members, batch in Batches(model, model.encode(sentences)):
        names = [relation for i in members for relation in sentences[i].tree.relations]
        relations = sorted(set(names))
        number = {relation: i for i, relation in enumerate(relations)}
        chosen = np.zeros((len(relations), len(names)))
        chosen[[number[name] for name in names], np.arange(len(names))] = 1
        read = model.read(parameters, batch)
        log_p = np.asarray(log_choices(model, read, batch), np.float64)
        p = np.exp(log_p[: len(names)])
        for relation, sums in zip(relations, chosen @ p, strict=True):
            expected[relation] = expected.get(relation, 0.0) + sums
    return expected


@dataclass(frozen=True, slots=True, repr=False)
class PunctuationGrammar:
    """The result of ``analyse``; parts that need a treebank are None without one.

    Attributes:
        confidence: confident edits of bigrams of Nunberg's types.
        frequent: confident edits of bigrams with a count of ``FREQUENT`` or more.
        changed: ranks of Nunberg's 192 rules.
        kept: ranks of keeping both tokens, for the other 64 bigrams.
        inverted: ranks of ``nunberg.INVERTED`` (Spanish).
        relations: Table 4.
    """

    channel: Channel
    counts: Counts | None
    rewriting: tuple[Row, ...]
    confidence: Confidence
    frequent: Confidence | None
    changed: Recall
    kept: Recall
    inverted: Recall
    relations: tuple[RelationRow, ...] | None
    analysed: int | None

    def recalls(self) -> list[tuple[str, str, Recall]]:
        """Return the name in JSON, the title and the ranks of each set of rules."""
        return [
            ("changed", "that change", self.changed),
            ("changed_decided", "decided", self.changed.decided),
            ("stated", "stated", self.changed.stated),
            ("stated_decided", "stated, decided", self.changed.stated.decided),
            ("kept", "that keep", self.kept),
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            "analysed": self.analysed,
            "rewriting": [asdict(row) for row in self.rewriting],
            "confident": {
                "nunberg_bigrams": _confidence(self.confidence),
                "frequent_bigrams": _confidence(self.frequent) if self.frequent else None,
            },
            "nunberg": {name: _recall(some) for name, _, some in self.recalls()},
            "inverted_marks": _recall(self.inverted) if self.inverted.ranked else None,
            "relations": self.relations and [row.as_dict() for row in self.relations],
        }

    def __repr__(self) -> str:
        met = "no treebank"
        if self.analysed is not None:
            met = f"{quantity(self.analysed, 'sentence')} analysed"
        relations = ""
        if self.relations is not None:
            relations = f", {quantity(len(self.relations), 'relation')}"
        return (
            f"<PunctuationGrammar of {met}: {quantity(len(self.rewriting), 'bigram')}{relations}, "
            f"mean reciprocal rank of Nunberg's rules {self.changed.mean_reciprocal_rank:.4f}>"
        )


def _confidence(result_of: Confidence) -> dict[str, Any]:
    figures = {
        name: {
            "confident": len(some.edits),
            "considered": some.considered,
            "agreeing": some.agreeing,
            "precision": finite(some.precision),
        }
        for name, some in (("all", result_of), ("changing", result_of.changing))
    }
    return {
        "bigrams": result_of.bigrams,
        **figures,
        "edits": [asdict(edit) for edit in result_of.edits],
    }


def _recall(result_of: Recall) -> dict[str, Any]:
    return {
        "rules": len(result_of.ranked) + len(result_of.missing),
        "ranked": len(result_of.ranked),
        "mean_reciprocal_rank": finite(result_of.mean_reciprocal_rank),
        "mean_reciprocal_rank_missing_last": finite(result_of.mean_over_all),
        "ranks": dict(zip(("first", "second", "worse"), result_of.ranks, strict=True)),
        "list": [
            {**asdict(rule), "rank": rule.rank, "reciprocal_rank": rule.reciprocal_rank}
            for rule in result_of.ranked
        ],
        "missing": [asdict(rule) for rule in result_of.missing],
    }


def analyse(model: Trained[Any], sentences: Sequence[Sentence] | None = None) -> PunctuationGrammar:
    """Analyse the punctuation that a model has learned; a treebank adds counts and Table 4."""
    punctuation = punctuation_model(model)
    fitted, parameters = punctuation.model, punctuation.parameters
    channel = read_channel(Rewriter.of(fitted, parameters))
    counts, relations, analysed, frequent = None, None, None, None
    if sentences is not None:
        analyses = [a for a in best(fitted, parameters, sentences) if a is not None]
        counts, analysed = count(analyses), len(analyses)
        often = [bigram for bigram, n in counts.bigrams.items() if n >= FREQUENT]
        frequent = confidence(channel, often)
        names = [fitted.inventory.pair_name(i) for i in range(len(fitted.inventory.pairs))]
        relations = relation_table(expected_pairs(fitted, parameters, sentences), names)
    everything = nunberg.bigrams()
    return PunctuationGrammar(
        channel,
        counts,
        rewriting(channel, counts),
        confidence(channel, [(rule.a, rule.b) for rule in everything]),
        frequent,
        recall(channel, nunberg.rules()),
        recall(channel, [rule for rule in everything if rule.edit == "keep"]),
        recall(channel, nunberg.INVERTED),
        relations,
        analysed,
    )
