"""Parsing of words into sentences with tags and dependency trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import jax
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import in_small_batches
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.sentences import MISSING, Expected, Sentence, Words, unfillable
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.errors import ModelError, UsageError
from semipunct.evaluation.results import figures_signature
from semipunct.marks import Puncteme
from semipunct.models.parsing.decoding import (
    Certainty,
    Marked,
    Trees,
    decode_trees,
    sample_trees,
    top,
)
from semipunct.models.parsing.parser import Parser
from semipunct.models.parsing.vocabulary import TAGS, ParserVocabulary
from semipunct.pipelines import limits
from semipunct.pipelines.distributions import SlotPosterior, rank_strings
from semipunct.pipelines.options import ParseOptions
from semipunct.pipelines.trained import InPlace, Trained, model_of_kind
from semipunct.trees import DependencyTree, lift_arcs
from semipunct.wording import quantity

# ``[slots, strings]`` the probabilities of the strings in the slots of a piece.
Table = npt.NDArray[np.float32]

# The relation from the root of the first piece to the other roots (juxtaposition in UD).
_JOINED = "parataxis"


@dataclass(frozen=True, slots=True)
class Parse:
    """The analysis of a sentence by a parser.

    Attributes:
        relations: ``[n]`` the probability of each relation, given the head; empty from ``parses``.
        tags: ``[TAGS, n]`` the probabilities of the tags; empty from ``parses``.
        slots: ``[n + 1]`` the parser's own distributions over the strings of slots, if requested.
    """

    sentence: Sentence
    log_probability: float
    relations: tuple[float, ...] = ()
    tags: tuple[tuple[float, ...], ...] = ()
    slots: tuple[SlotPosterior, ...] = ()
    crossing: DependencyTree | None = None

    @property
    def predicted(self) -> Sentence:
        """The sentence with its predicted tree, which may be non-projective."""
        tree = self.crossing
        return self.sentence if tree is None else replace(self.sentence, tree=tree)


def parse(
    model: Trained[Any],
    sentences: Sequence[Sentence | Words | OmittedT],
    options: ParseOptions | None = None,
    *,
    slots: bool = False,
    **settings: Any,
) -> list[Parse | OmittedT]:
    """Parse sentences, ignoring their tags and trees.

    Raises:
        ModelError: if the model is of another kind.
    """
    options = replace(options or ParseOptions(), **settings)
    fitted = parsing_model(model)

    def decode(inputs: Any, members: Sequence[int]) -> Any:
        *answer, table = decode_trees(fitted.model, options.decoder, fitted.parameters, inputs)
        trees, tags, certainty, marked = jax.tree.map(np.asarray, answer)
        return [(trees, tags, certainty.head, certainty)], marked, table

    pieces = Pieces.of(without_omitted(sentences))
    parsed = _parsed(fitted, pieces, decode, slots=slots)
    return with_omitted(sentences, [of[0] for of in parsed])


def parses(
    model: Trained[Any],
    sentences: Sequence[Sentence | Words | OmittedT],
    count: int,
    options: ParseOptions | None = None,
    *,
    draw: bool = True,
    first: int | Sequence[int] = 0,
    slots: bool = False,
    **settings: Any,
) -> list[list[Parse] | OmittedT]:
    """Return several analyses of each sentence: independent draws, or the most probable trees.

    Tags and relations are drawn as well with ``draw``; otherwise each tree has the most probable
    ones. A short sentence may have fewer distinct trees than requested.

    Args:
        first: the number of the first sentence when continuing an earlier call, or the number of
            each sentence that is not omitted; with the seed it determines the draws.
    """
    options = replace(options or ParseOptions(), **settings)
    if not 1 <= count <= limits.TREES:
        raise UsageError(f"{quantity(count, 'tree')} of a sentence; give 1 to {limits.TREES:,}")
    fitted = parsing_model(model)
    pieces = Pieces.of(without_omitted(sentences))
    key = jax.random.key(int(np.random.SeedSequence(options.seed).generate_state(1)[0]))
    numbers = pieces.numbers(first)

    def decode(inputs: Any, members: Sequence[int]) -> Any:
        answer: Any
        if draw:
            draw_numbers = np.zeros((len(inputs.lengths), 2), np.uint32)
            draw_numbers[: len(members)] = numbers[members]
            answer = sample_trees(fitted.model, count, fitted.parameters, inputs, key, draw_numbers)
        else:
            answer = top(fitted.model, count, fitted.parameters, inputs)
        *answer, table = answer
        trees, tags, heads, marked = jax.tree.map(np.asarray, answer)
        several = [
            (Trees(*(x[k] for x in trees)), tags[k] if draw else tags, heads[k], None)
            for k in range(count)
        ]
        return several, marked, table

    return with_omitted(sentences, _parsed(fitted, pieces, decode, slots=slots))


def _parsed(
    fitted: InPlace[Parser],
    pieces: Pieces,
    decode: Callable[[Any, Sequence[int]], Any],
    *,
    slots: bool,
) -> list[list[Parse]]:
    parsed: list[list[Parse]] = [[] for _ in pieces.parts]
    tables: list[Table | None] = [None] * len(parsed)
    encoded = fitted.model.encode_words(pieces.parts)
    for members, shape in in_small_batches(encoded.lengths):
        inputs = fitted.model.lay_out_words(encoded, members, shape)
        several, marked, table = decode(inputs, members)
        for trees, tags, heads, certainty in several:
            for row, i in enumerate(members):
                if np.isfinite(trees.log_probability[row]):
                    words = pieces.parts[i]
                    expected = _expected(fitted.model, heads, marked, row, words)
                    vocabulary = fitted.model.vocabulary
                    parsed[i].append(
                        _parse(vocabulary, words, trees, tags, row, expected, certainty)
                    )
        if slots and fitted.model.options.predicts_slots:
            rows = np.asarray(table)
            for row, i in enumerate(members):
                tables[i] = rows[row, : len(pieces.parts[i].slots)]
    joined: list[list[Parse]] = []
    strings = fitted.model.strings.strings
    for (whole, several), (_, of_parts) in zip(
        pieces.group(parsed), pieces.group(tables), strict=True
    ):
        views: tuple[SlotPosterior, ...] = ()
        known = [table for table in of_parts if table is not None]
        if known:
            table = joined_tables(known).astype(np.float64)
            views = rank_strings(strings, table, unfillable(whole))
        # The first analyses of all pieces are joined, then the second ones, and so on.
        fewest = min(map(len, several))
        joined.append([_joined(whole, [of[k] for of in several], views) for k in range(fewest)])
    return joined


def parsing_model(trained: Trained[Any]) -> InPlace[Parser]:
    """Return a parser with its weights in place."""
    model_of_kind(trained, Parser)
    return InPlace.of(trained)


def check_reads_words(trained: Trained[Any], purpose: str) -> None:
    """Raise ``ModelError`` unless a model is a parser that reads no punctuation."""
    model_of_kind(trained, Parser)
    if trained.model.options.marks:
        raise ModelError(
            "the parser reads the punctuation of its input (model.marks), so it cannot be used "
            f"{purpose}; give one that was trained without model.marks"
        )


def _parse(
    vocabulary: ParserVocabulary,
    words: Sentence | Words,
    trees: Trees,
    tags: Any,
    row: int,
    believed: Expected,
    certainty: Certainty | None = None,
) -> Parse:
    at = slice(len(words.forms))

    def names_of(kind: str, codes: Any) -> tuple[str, ...]:
        values = getattr(vocabulary, kind)
        return tuple(values[code - 1] for code in codes[row, at].tolist())

    heads = tuple(trees.heads[row, at].tolist())
    tree = DependencyTree(heads, names_of("relation", trees.relations))
    columns = {kind: names_of(kind, codes) for kind, codes in zip(TAGS, tags, strict=True)}
    sentence = Sentence(
        words.sentence_id, words.path, words.line, words.forms, (MISSING,) * tree.words,
        **columns, tree=tree, slots=words.slots, expected=believed, written=None, underlying=None,
        closed=words.closed, source=words.source, joined=frozenset(),
    )  # fmt: skip
    log_probability = float(trees.log_probability[row])
    if certainty is None:
        return Parse(sentence, log_probability)
    return Parse(
        sentence,
        log_probability,
        tuple(certainty.relation[row, at].tolist()),
        tuple(tuple(x[row, at].tolist()) for x in certainty.tags),
    )


def _expected(
    model: Parser, heads: Any, marked: Marked, row: int, words: Sentence | Words
) -> Expected:
    size = len(words.forms)
    strings = marked.string[row, : size + 1].tolist()
    return Expected(
        tuple(heads[row, :size].tolist()),
        tuple(model.strings.strings[i] for i in strings),
        tuple(marked.probability[row, : size + 1].tolist()),
    )


def _joined(
    whole: Sentence | Words, parts: Sequence[Parse], slots: tuple[SlotPosterior, ...]
) -> Parse:
    """Join the analyses of pieces; later roots become dependents of the first root."""
    heads: list[int] = []
    relations: list[str] = []
    top = parts[0].sentence.tree.root
    for part in parts:
        tree, before = part.sentence.tree, len(heads)
        heads += [head + before if head else (top if before else 0) for head in tree.heads]
        arcs = zip(tree.heads, tree.relations, strict=True)
        relations += [name if head or not before else _JOINED for head, name in arcs]
    columns = {
        kind: tuple(v for part in parts for v in getattr(part.sentence, kind)) for kind in TAGS
    }
    tree = DependencyTree(tuple(heads), tuple(relations))
    projective, lifts = lift_arcs(tree)
    sentence = Sentence(
        whole.sentence_id, whole.path, whole.line, whole.forms, (MISSING,) * len(heads),
        **columns, tree=projective, slots=whole.slots,
        expected=joined_expectations(whole, [part.sentence.expected for part in parts]),
        written=None, closed=whole.closed, source=whole.source, joined=frozenset(),
    )  # fmt: skip
    return Parse(
        sentence,
        sum(part.log_probability for part in parts),
        tuple(p for part in parts for p in part.relations),
        tuple(tuple(p for x in of for p in x) for of in zip(*(p.tags for p in parts), strict=True)),
        slots,
        tree if lifts else None,
    )


def parsing_signature(system: str, sentences: Sequence[Sentence], options: ParseOptions) -> str:
    """Return the signature of the figures of a parser."""
    return figures_signature(
        "parsing", system, treebank_digest(sentences), {"decoder": options.decoder}
    )


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pieces:
    """Sentences divided into pieces of bounded length."""

    sentences: Sequence[Sentence | Words]
    parts: list[Words]
    counts: list[int]

    @classmethod
    def of(cls, sentences: Sequence[Sentence | Words]) -> Pieces:
        """Divide sentences into pieces of at most ``limits.PARSED`` words."""
        parts: list[Words] = []
        counts: list[int] = []
        for s in sentences:
            number = -(-len(s.forms) // limits.PARSED)
            size = -(-len(s.forms) // number)
            for start in range(0, len(s.forms), size):
                forms, slots = s.forms[start : start + size], s.slots[start : start + size + 1]
                parts.append(Words(s.sentence_id, s.path, s.line, forms, slots))
            counts.append(number)
        return cls(sentences, parts, counts)

    def numbers(self, first: int | Sequence[int]) -> npt.NDArray[np.uint32]:
        """Return the sentence number of each piece and its index there, ``[pieces, 2]``."""
        numbers = range(first, first + len(self.counts)) if isinstance(first, int) else first
        pairs = [(i, k) for i, n in zip(numbers, self.counts, strict=True) for k in range(n)]
        return np.array(pairs, np.uint32).reshape(-1, 2)

    def group(self, results: Sequence[T]) -> Iterator[tuple[Sentence | Words, list[T]]]:
        remaining = iter(results)
        for sentence, count in zip(self.sentences, self.counts, strict=True):
            yield sentence, [next(remaining) for _ in range(count)]


def joined_tables(parts: Sequence[Table]) -> Table:
    """Join the probabilities ``[slots, strings]`` of pieces.

    The last slot of a piece is the first slot of the next. Each piece sees one side of it, so the
    two distributions are averaged.
    """
    rows = parts[0]
    for part in parts[1:]:
        rows = np.concatenate([rows[:-1], (rows[-1:] + part[:1]) / np.float32(2), part[1:]])
    return rows


def joined_expectations(whole: Sentence | Words, parts: Sequence[Expected | None]) -> Expected:
    """Join the expectations of pieces, which share slots as in ``joined_tables``."""
    heads: list[float] = []
    slots: list[tuple[float, Puncteme]] = []
    for part in parts:
        if part is not None:
            slots_of_part = list(zip(part.probabilities, part.strings, strict=True))
            if slots:  # the slot that the pieces share
                slots_of_part[0] = max(slots.pop(), slots_of_part[0])
            slots += slots_of_part
            heads += part.heads
    for slot in unfillable(whole):
        slots[slot] = 0.0, ()
    return Expected(tuple(heads), tuple(s for _, s in slots), tuple(p for p, _ in slots))
