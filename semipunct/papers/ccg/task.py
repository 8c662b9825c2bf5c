"""Parsing with CCG: tagged words in, derivations out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.programs import jit
from semipunct.corpus import Entry, Sentence
from semipunct.corpus.treebank import without_omitted
from semipunct.errors import UsageError
from semipunct.formats import Writer, format_of
from semipunct.models.base import Weights
from semipunct.models.scoring import Batches
from semipunct.papers.ccg.ccgbank import Ccgbank, auto_line
from semipunct.papers.ccg.chart import (
    EMPTY,
    Chart,
    Counts,
    Forest,
    build,
    edge_weights,
    head_weights,
    leaf_places,
    outside_tag,
    padded_codes,
)
from semipunct.papers.ccg.comparison import compare_derivations
from semipunct.papers.ccg.derivations import Derivation
from semipunct.papers.ccg.grammar import Grammar
from semipunct.papers.ccg.parser import CODES, CcgModel, Probabilities, multitags, probabilities
from semipunct.papers.ccg.predicates import coindex
from semipunct.pipelines.assessment import Assessment
from semipunct.pipelines.chunks import Chunk, Outcome
from semipunct.pipelines.options import ParseOptions
from semipunct.pipelines.parsing import beyond_trees
from semipunct.pipelines.task import Documents, Helpers, Request, Task, Tasks
from semipunct.pipelines.trained import model_of_kind
from semipunct.structures.hypergraph import Hypergraphs, Layout, Room, arrange_hypergraphs, layout
from semipunct.wording import quantity
from semirings.viterbi import Viterbi

if TYPE_CHECKING:
    from semipunct.papers.ccg.ccgbank import AutoRecord
    from semipunct.papers.commas.verbatim import VerbatimRecord
    from semipunct.pipelines.task import EvaluateRequest
    from semipunct.pipelines.trained import Trained

    Derived = Entry[VerbatimRecord[AutoRecord], Sentence[Derivation]]

RATIOS = (0.05, 0.01, 0.003)
"""Multitagging ratios, tried in turn until there is a derivation."""

TIGHTER = (0.3, 1.0)
"""Ratios after a chart that became too large; the last keeps only the best category."""

MOST_EDGES = 300_000
"""Maximum number of hyperedges of a chart, to bound memory."""

_ROOMS = (
    (256, 20, 32, 8),
    (1024, 32, 64, 16),
    (3072, 48, 96, 24),
    (8192, 64, 160, 48),
    (16384, 96, 256, 64),
)
"""Sizes to pad forests to: hyperedges, levels, nodes per level, hyperedges per node."""

_CELLS = 2**20
"""Approximate number of padded hyperedges in a batch."""

_LEAST = 1e-8


class CcgParse(NamedTuple):
    """The parse of a sentence.

    Attributes:
        counts: total size of all charts.
        complete: whether no chart became too large.
    """

    derivation: Derivation | None
    counts: Counts
    complete: bool


class Weighed(NamedTuple):
    """A forest with the log weights ``[edges]`` of its hyperedges."""

    forest: Forest
    weights: npt.NDArray[np.float32]


@dataclass(frozen=True)
class CcgParser:
    """A parser with its weights."""

    model: CcgModel
    parameters: Weights
    ratios: tuple[float, ...] = RATIOS
    most_edges: int = MOST_EDGES

    @cached_property
    def _host(self) -> dict[str, npt.NDArray[np.float32]]:
        names = {"leaf", *(name for name in self.parameters if name.startswith("rule"))}
        return {name: np.asarray(self.parameters[name]) for name in names}

    def supertags(self, sentences: Sequence[Sentence[Any]]) -> list[Probabilities]:
        encoded = self.model.encode_words(sentences)
        return probabilities(self.model, self.parameters, Batches(self.model, encoded))

    def parse(
        self, sentences: Sequence[Sentence[Any]], supertags: Sequence[Probabilities] | None = None
    ) -> list[CcgParse]:
        supertags_of_all = self.supertags(sentences) if supertags is None else supertags
        charts = [self.chart(rows) for rows in supertags_of_all]
        weighed = {
            i: Weighed(chart.forest, self.weights(s, rows, chart.forest))
            for i, (s, rows, chart) in enumerate(
                zip(sentences, supertags_of_all, charts, strict=True)
            )
            if chart.forest is not None
        }
        best = best_derivations(self.model.grammar, weighed)
        return [
            CcgParse(best.get(i), chart.counts, chart.complete) for i, chart in enumerate(charts)
        ]

    def chart(self, rows: Probabilities) -> Chart:
        """Build charts until one has a derivation; return it, with the total counts of all."""
        chart = Chart(None, Counts(0, 0, 0), complete=True)
        waiting = list(self.ratios)
        while waiting and chart.forest is None:
            candidates = multitags(self.model, rows, waiting.pop(0))
            headed = self.model.options.heads
            attempt = build(self.model.grammar, candidates, self.most_edges, headed=headed)
            counts = Counts(*(a + b for a, b in zip(chart.counts, attempt.counts, strict=True)))
            if chart.complete and not attempt.complete:  # continue with fewer categories
                waiting = list(TIGHTER)
            chart = Chart(attempt.forest, counts, chart.complete and attempt.complete)
        return chart

    def weights(
        self, sentence: Sentence[Any], rows: Probabilities, forest: Forest
    ) -> npt.NDArray[np.float32]:
        model = self.model
        codes = model.vocabulary.encode([sentence])[0]
        tag_codes, word_codes = (codes[[CODES.index(name)]] for name in ("tag", "word"))
        host, lengths = self._host, np.array([sentence.size])
        tags = padded_codes(tag_codes, lengths, outside_tag(host))
        leaves = np.log(np.maximum(rows, _LEAST))[None]
        rules = forest.rules[None]
        places = leaf_places(forest, model.grammar.lexical)[None]
        weights = edge_weights(host, tags, rules, places, forest.spans[None], leaves)
        if model.options.heads:
            forms = padded_codes(word_codes, lengths, model.outside_word)
            weights = weights + head_weights(host, tags, forms, rules, forest.words[None])
        return np.asarray(weights)[0].astype(np.float32)


@jit
def _heaviest(graph: Hypergraphs) -> jax.Array:
    return Viterbi().log_weight(graph.inside(Viterbi()))


def best_derivations(grammar: Grammar, forests: Mapping[int, Weighed]) -> dict[int, Derivation]:
    """Return the best derivation of each forest."""
    best: dict[int, Derivation] = {}
    for members, layouts, graph in padded_graphs(forests):
        tables = np.asarray(_heaviest(graph))
        for row, i in enumerate(members):
            forest, weights = forests[i]
            heaviest = tables[row][layouts[row].places(graph.edges.shape[2])]
            scores = weights + heaviest[forest.tails].sum(1)
            chosen = np.zeros(forest.nodes, np.intp)
            # The heaviest hyperedge of a node is written last and overwrites the others.
            order = np.argsort(scores, kind="stable")
            chosen[forest.heads[order]] = order
            best[i] = _derivation(grammar, forest, chosen)
    return best


def padded_graphs(
    forests: Mapping[int, Weighed],
) -> Iterator[tuple[list[int], list[Layout], Hypergraphs]]:
    """Yield the numbers, layouts and hypergraphs of forests in batches of few shapes."""
    laid: dict[int, Layout] = {}
    groups: dict[tuple[int, ...], list[int]] = {}
    for i, weighed in forests.items():
        f = weighed.forest
        laid[i] = layout(f.heads, f.tails, f.nodes - 1)
        groups.setdefault(_room((len(f.heads), *laid[i].room)), []).append(i)
    for room, numbers in sorted(groups.items()):
        size = max(1, min(64, _CELLS // (room[1] * room[2] * room[3])))
        for start in range(0, len(numbers), size):
            members = numbers[start : start + size]
            weights = np.zeros((size, room[0]), np.float32)
            lengths = np.zeros(size, np.int32)
            layouts = [EMPTY] * size
            for row, i in enumerate(members):
                weighed, layouts[row] = forests[i], laid[i]
                lengths[row] = len(weighed.weights)
                weights[row, : lengths[row]] = weighed.weights
            graph = arrange_hypergraphs(jnp.asarray(weights), layouts, lengths, Room(*room[1:]))
            yield members, layouts, graph


def _room(size: tuple[int, ...]) -> tuple[int, ...]:
    for room in _ROOMS:
        if all(have >= need for have, need in zip(room, size, strict=True)):
            return room
    return tuple(1 << (need - 1).bit_length() for need in size)


def _derivation(grammar: Grammar, forest: Forest, chosen: npt.NDArray[np.intp]) -> Derivation:
    depths: list[int] = []
    categories: list[str] = []
    heads: list[int] = []
    waiting = [(int(forest.tails[chosen[forest.nodes - 1], 0]), 0)]
    while waiting:
        node, depth = waiting.pop()
        edge = chosen[node]
        rule = int(forest.rules[edge])
        depths.append(depth)
        categories.append(grammar.categories[forest.categories[edge]])
        heads.append(grammar.rules[rule - 1].head if rule else 0)
        left, right = forest.tails[edge].tolist()
        waiting += ((tail, depth + 1) for tail in (right, left) if tail)
    return Derivation(tuple(depths), tuple(categories), tuple(heads))


class ParseDerivations(Task[ParseOptions, CcgParse]):
    """Parses the tagged words of files of derivations."""

    name = "parse"
    outcome = "left out"

    def __init__(self, model: Trained[Any], helpers: Helpers, options: ParseOptions) -> None:
        super().__init__(model, helpers, options)
        self.refuse(
            "a model of the kind ccg-parser",
            {"--tokeniser": helpers.tokeniser, **beyond_trees(options)},
        )
        self._parser = CcgParser(model_of_kind(model, CcgModel), model.parameters)
        self._missing = self._incomplete = 0

    def read(self, request: Request) -> Documents:
        if format_of(*request.inputs, default="ccgbank").name != "ccgbank":
            raise UsageError(
                f"{request.inputs[0]}: a model of the kind ccg-parser reads words and tags from "
                "files of derivations; give a file whose name ends in .auto"
            )

        def assess(outcomes: Sequence[Outcome[CcgParse]]) -> Assessment:
            model: Any = self.model
            pairs = [(entry.content, parse) for entry, parse in outcomes if parse is not None]
            sentences = [sentence for sentence, _ in pairs]
            trees = [parse.derivation for _, parse in pairs]
            result = compare_derivations(request.system, model.digest, sentences, trees)
            return Assessment.of(result)

        return Documents(
            entries=_read(request.inputs), format=Ccgbank(), form="ccgbank", assess=assess
        )

    def answer_chunk(self, chunk: Chunk) -> Iterator[CcgParse]:
        for parse in self._parser.parse(chunk.contents):
            self._missing += parse.derivation is None
            self._incomplete += not parse.complete
            yield parse

    def messages(self) -> Iterator[str]:
        yield from self.omitted.messages()
        if self._missing:
            yield f"{quantity(self._missing, 'sentence')} left out: no derivation was found"
        if self._incomplete:
            number = quantity(self._incomplete, "sentence")
            yield f"{number} not fully parsed: the chart became too large"

    def write(
        self, outcomes: Iterator[Any], form: str, writer: Writer[Any], stream: TextIO
    ) -> None:
        for outcome in outcomes:
            stream.writelines(_texts(outcome))


def _read(paths: Sequence[str]) -> Iterator[Entry[Any, Any]]:
    for path in paths:
        yield from Ccgbank().read_derivations(path)


def _texts(outcome: Outcome[CcgParse]) -> Iterator[str]:
    entry, parse = outcome
    if parse is None or parse.derivation is None:
        return
    record, tree = cast("Derived", entry).record.source, parse.derivation
    leaves = [
        leaf._replace(dependency_category=str(coindex(tree.parsed[node])))
        for leaf, node in zip(record.leaves, tree.leaves, strict=True)
    ]
    yield f"ID={record.sentence_id} PARSER=SEMIPUNCT NUMPARSE=1\n{auto_line(tree, leaves)}\n"


def assess_derivations(request: EvaluateRequest) -> Assessment:
    """Compare predicted derivations with a treebank."""
    sentences = without_omitted(request.examples)
    parser = CcgParser(model_of_kind(request.model, CcgModel), request.model.parameters)
    trees = [parse.derivation for parse in parser.parse(sentences)]
    return Assessment.of(compare_derivations(request.system, request.digest, sentences, trees))


TASKS = Tasks(evaluate=assess_derivations, parse=ParseDerivations)
