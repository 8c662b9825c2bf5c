"""Parsing: from words to sentences with tags and dependency trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

import jax
import numpy as np
import numpy.typing as npt

from semipunct.corpus.digest import treebank_digest
from semipunct.corpus.omission import OmittedT, with_omitted, without_omitted
from semipunct.corpus.sentences import MISSING, Expected, Sentence, Words, unfillable
from semipunct.errors import ModelError, UsageError
from semipunct.evaluation.signature import join_signature
from semipunct.marks import Puncteme
from semipunct.models.parsing.decoding import (
    Certainty,
    Decoder,
    Marked,
    Trees,
    parsed,
    sampled,
    slot_probabilities,
    top,
)
from semipunct.models.parsing.parser import Parser
from semipunct.models.parsing.vocabulary import TAGS, ParserVocabulary
from semipunct.models.scoring import Batches
from semipunct.tasks import limits
from semipunct.tasks.base import InPlace, Trained, model_of_kind
from semipunct.tasks.slot_posteriors import SlotPosterior
from semipunct.trees import DependencyTree
from semipunct.version import __version__
from semipunct.wording import counted

Floats = npt.NDArray[np.float64]

_NEGLIGIBLE = 1e-4
"""Strings of a slot are left out of the result unless they are more probable than this."""

_JOINED = "parataxis"
"""The relation from the root of the first piece to those of the others (juxtaposition in UD)."""


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """Options of parsing.

    Attributes:
        decoder: ``risk`` for the tree with the highest expected number of correct arcs (minimum
            Bayes risk), ``best`` for the most probable tree.
        seed: the random seed.
    """

    decoder: Decoder = "risk"
    seed: int = 0


class ParseSettings(TypedDict, total=False):
    """The attributes of ``ParseOptions`` as arguments by name."""

    decoder: Decoder
    seed: int


@dataclass(frozen=True, slots=True)
class Parse:
    """The analysis of a sentence by a parser.

    Attributes:
        sentence: the words with the tags and the tree of the parser, and the probabilities of its
            heads and of the marks between words. Lemmas are not predicted.
        log_probability: the natural logarithm of the probability of the arcs, given the words.
        relations: ``[n]`` the probability of each relation, given the head; empty in the results of
            ``parses``.
        tags: ``[TAGS, n]`` the probabilities of the tags; empty likewise.
    """

    sentence: Sentence
    log_probability: float
    relations: tuple[float, ...] = ()
    tags: tuple[tuple[float, ...], ...] = ()


def parse(
    model: Trained[Any],
    sentences: Sequence[Sentence | Words | OmittedT],
    options: ParseOptions | None = None,
    **settings: Unpack[ParseSettings],
) -> list[Parse | OmittedT]:
    """Parse sentences; existing tags and trees are ignored.

    Args:
        model: a parser with its weights.
        sentences: the sentences to parse; their slots are unchanged. Omitted ones pass through.
        options: by default ``ParseOptions()``.
        **settings: attributes of ``ParseOptions`` by name, which override those of ``options``.

    Raises:
        ModelError: if the model is of another kind.
    """
    options = replace(options or ParseOptions(), **settings)
    fitted = parsing_model(model)
    pieces = _Pieces.of(without_omitted(sentences))
    found: list[Parse | None] = [None] * len(pieces.parts)
    for members, inputs in _batches(fitted, pieces.parts):
        answer = parsed(fitted.model, options.decoder, fitted.parameters, inputs)
        trees, tags, certainty, marked = jax.tree.map(np.asarray, answer)
        for row, i in enumerate(members):
            believed = _expected(fitted.model, certainty.head, marked, row, pieces.parts[i])
            found[i] = _parse(
                fitted.model.vocabulary, pieces.parts[i], trees, tags, row, believed, certainty
            )
    joined = pieces.joined([each for each in found if each is not None])
    return with_omitted(sentences, joined)


def parses(
    model: Trained[Any],
    sentences: Sequence[Sentence | Words | OmittedT],
    count: int,
    options: ParseOptions | None = None,
    *,
    draw: bool = True,
    first: int = 0,
    **settings: Unpack[ParseSettings],
) -> list[list[Parse] | OmittedT]:
    """Return several analyses of each sentence: independent draws, or the most probable trees.

    With ``draw``, tags and relations are drawn as well; otherwise each tree has the most probable
    ones. A short sentence may have fewer different trees than requested.

    Args:
        model: a parser with its weights.
        sentences: the sentences to parse; their slots are unchanged. Omitted ones pass through.
        count: the number of analyses per sentence.
        options: by default ``ParseOptions()``.
        draw: whether to draw the analyses; otherwise they are the most probable trees.
        first: the number of the first sentence, for sentences that continue an earlier call; with
            the seed it determines the draws.
        **settings: attributes of ``ParseOptions`` by name, which override those of ``options``.

    Raises:
        ModelError: if the model is of another kind.
        UsageError: if the number of analyses is invalid.
    """
    options = replace(options or ParseOptions(), **settings)
    if not 1 <= count <= limits.TREES:
        raise UsageError(f"{counted(count, 'tree')} of a sentence; give 1 to {limits.TREES:,}")
    fitted = parsing_model(model)
    pieces = _Pieces.of(without_omitted(sentences))
    found: list[list[Parse]] = [[] for _ in pieces.parts]
    key = _key(options.seed)
    numbers = pieces.numbers(first)
    for members, inputs in _batches(fitted, pieces.parts):
        answer: Any
        if draw:
            own = np.zeros((len(inputs.lengths), 2), np.uint32)
            own[: len(members)] = numbers[members]
            answer = sampled(fitted.model, count, fitted.parameters, inputs, key, own)
        else:
            answer = top(fitted.model, count, fitted.parameters, inputs)
        trees, tags, heads, marked = jax.tree.map(np.asarray, answer)
        for k in range(count):
            one = Trees(*(x[k] for x in trees))
            own = tags[k] if draw else tags
            for row, i in enumerate(members):
                if np.isfinite(one.log_probability[row]):
                    vocabulary = fitted.model.vocabulary
                    believed = _expected(fitted.model, heads[k], marked, row, pieces.parts[i])
                    found[i].append(_parse(vocabulary, pieces.parts[i], one, own, row, believed))
    return with_omitted(sentences, pieces.joined_each(found))


def slot_posteriors(
    model: Trained[Any], sentences: Sequence[Sentence | Words]
) -> list[tuple[SlotPosterior, ...]] | None:
    """Return a parser's distributions over the strings of slots; existing marks are ignored.

    As for trees and tags, the parser reads words only.

    Args:
        model: a parser with its weights.
        sentences: the words of each sentence.

    Returns:
        For each sentence ``[n + 1]`` distributions; None if the parser does not predict slots.
        Empty slots within orthographic words are certainly empty.

    Raises:
        ModelError: if the model is of another kind.
    """
    fitted = parsing_model(model)
    if not fitted.model.options.predicts_slots:
        return None
    strings = fitted.model.strings.strings
    pieces = _Pieces.of(sentences)
    found: list[npt.NDArray[np.float32]] = [np.zeros((0, 0), np.float32)] * len(pieces.parts)
    for members, inputs in _batches(fitted, pieces.parts):
        table = np.asarray(slot_probabilities(fitted.model, fitted.parameters, inputs))
        for row, i in enumerate(members):
            found[i] = table[row, : len(pieces.parts[i].slots)]
    rest = iter(found)
    result: list[tuple[SlotPosterior, ...]] = []
    for sentence, count in zip(sentences, pieces.counts, strict=True):
        parts = [next(rest) for _ in range(count)]
        # The last slot of a piece is the first slot of the next; each piece sees only one side of
        # it, so the two distributions are averaged.
        rows = parts[0]
        for part in parts[1:]:
            rows = np.concatenate([rows[:-1], (rows[-1:] + part[:1]) / 2, part[1:]])
        empty = unfillable(sentence)
        result.append(
            tuple(
                SlotPosterior(((),), np.ones(1)) if slot in empty else _ranked(strings, row)
                for slot, row in enumerate(rows.astype(np.float64))
            )
        )
    return result


def _ranked(strings: Sequence[Puncteme], probability: Floats) -> SlotPosterior:
    order = np.argsort(-probability, kind="stable")
    kept = order[: max(1, int((probability > _NEGLIGIBLE).sum()))]
    share = probability[kept] / probability[kept].sum()
    return SlotPosterior(tuple(strings[i] for i in kept.tolist()), share)


def _key(seed: int) -> jax.Array:
    """Return a random key for a seed of any size."""
    return jax.random.key(int(np.random.SeedSequence(seed).generate_state(1)[0]))


def parsing_model(trained: Trained[Any]) -> InPlace[Parser]:
    """Return a parser with its weights in place.

    Raises:
        ModelError: if the model is of another kind.
    """
    model_of_kind(trained, Parser)
    return InPlace.of(trained)


def check_reads_words(trained: Trained[Any], purpose: str) -> None:
    """Raise ``ModelError`` unless a model is a parser that reads no punctuation.

    Args:
        trained: the model.
        purpose: the purpose that requires such a parser, for the message.
    """
    model_of_kind(trained, Parser)
    if trained.model.options.marks:
        raise ModelError(
            "the parser reads the punctuation of its input (model.marks), so it cannot be used "
            f"{purpose}; give one that was trained without model.marks"
        )


def _batches(
    fitted: InPlace[Parser], parts: Sequence[Sentence | Words]
) -> Iterator[tuple[list[int], Any]]:
    for members, batch in Batches(fitted.model, fitted.model.encode_words(parts)):
        yield members, batch.inputs


def _parse(
    vocabulary: ParserVocabulary,
    words: Sentence | Words,
    trees: Trees,
    tags: Any,
    row: int,
    believed: Expected,
    certainty: Certainty | None = None,
) -> Parse:
    """Extract the analysis of one sentence from the arrays of a batch."""
    at = slice(len(words.forms))

    def named(kind: str, codes: Any) -> tuple[str, ...]:
        values = getattr(vocabulary, kind)
        return tuple(values[code - 1] for code in codes[row, at].tolist())

    heads = tuple(trees.heads[row, at].tolist())
    tree = DependencyTree(heads, named("relation", trees.relations))
    columns = {kind: named(kind, codes) for kind, codes in zip(TAGS, tags, strict=True)}
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


def _joined_beliefs(parts: Sequence[Expected | None]) -> Expected:
    """Join the expectations for pieces; the last slot of each is the first slot of the next."""
    heads: list[float] = []
    slots: list[tuple[float, Puncteme]] = []
    for part in parts:
        if part is not None:
            own = list(zip(part.probabilities, part.strings, strict=True))
            slots = [*slots[:-1], max(slots[-1], own[0]), *own[1:]] if slots else own
            heads += part.heads
    return Expected(tuple(heads), tuple(s for _, s in slots), tuple(p for p, _ in slots))


def _without(expected: Expected, slots: Set[int]) -> Expected:
    """Remove the expectations for some slots."""
    if not slots:
        return expected
    strings, probabilities = list(expected.strings), list(expected.probabilities)
    for slot in slots:
        strings[slot], probabilities[slot] = (), 0.0
    return replace(expected, strings=tuple(strings), probabilities=tuple(probabilities))


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Sentences, with long ones split into pieces.

    Attributes:
        sentences: the whole sentences.
        parts: the pieces of all sentences, in order.
        counts: the number of pieces of each sentence.
    """

    sentences: Sequence[Sentence | Words]
    parts: list[Words]
    counts: list[int]

    @classmethod
    def of(cls, sentences: Sequence[Sentence | Words]) -> _Pieces:
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

    def numbers(self, first: int) -> npt.NDArray[np.uint32]:
        """Return the sentence number of each piece, and its number there, ``[pieces, 2]``.

        Args:
            first: the number of the first sentence.
        """
        pairs = [(first + i, k) for i, n in enumerate(self.counts) for k in range(n)]
        return np.array(pairs, np.uint32).reshape(-1, 2)

    def joined(self, found: Sequence[Parse]) -> list[Parse]:
        """Join the analyses of the pieces of each sentence."""
        rest = iter(found)
        groups = [[next(rest) for _ in range(count)] for count in self.counts]
        return [_joined(s, of) for s, of in zip(self.sentences, groups, strict=True)]

    def joined_each(self, found: Sequence[list[Parse]]) -> list[list[Parse]]:
        """Join the first analyses of the pieces of each sentence, the second ones, and so on."""
        rest = iter(found)
        result: list[list[Parse]] = []
        for s, count in zip(self.sentences, self.counts, strict=True):
            several = [next(rest) for _ in range(count)]
            fewest = min(map(len, several))
            result.append([_joined(s, [of[k] for of in several]) for k in range(fewest)])
        return result


def _joined(whole: Sentence | Words, parts: Sequence[Parse]) -> Parse:
    """Join the analyses of the pieces of a sentence; later roots depend on the first root."""
    heads: list[int] = []
    relations: list[str] = []
    top = parts[0].sentence.tree.root
    for part in parts:
        tree, before = part.sentence.tree, len(heads)
        heads += [head + before if head else (top if before else 0) for head in tree.heads]
        named = zip(tree.heads, tree.relations, strict=True)
        relations += [name if head or not before else _JOINED for head, name in named]
    columns = {
        kind: tuple(v for part in parts for v in getattr(part.sentence, kind)) for kind in TAGS
    }
    sentence = Sentence(
        whole.sentence_id, whole.path, whole.line, whole.forms, (MISSING,) * len(heads),
        **columns, tree=DependencyTree(tuple(heads), tuple(relations)), slots=whole.slots,
        expected=_without(
            _joined_beliefs([part.sentence.expected for part in parts]), unfillable(whole)
        ),
        written=None, closed=whole.closed, source=whole.source, joined=frozenset(),
    )  # fmt: skip
    return Parse(
        sentence,
        sum(part.log_probability for part in parts),
        tuple(p for part in parts for p in part.relations),
        tuple(tuple(p for x in of for p in x) for of in zip(*(p.tags for p in parts), strict=True)),
    )


def parsing_signature(system: str, sentences: Sequence[Sentence], options: ParseOptions) -> str:
    """Return the signature of figures, which are comparable if they differ only in the model.

    Args:
        system: the beginning of the digest of the parser, and of any other model that takes part.
        sentences: the gold sentences whose words were parsed.
        options: the options of parsing.
    """
    return join_signature(
        {
            "task": "parsing",
            "model": system,
            "treebank": treebank_digest(sentences)[:12],
            "decoder": options.decoder,
            "version": __version__,
        }
    )
