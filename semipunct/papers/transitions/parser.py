"""The beam parser: a structured perceptron over arc-standard derivations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple, NoReturn

import jax
import jax.numpy as jnp
import msgspec
import numpy as np

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import MISSING, Sentence
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.errors import UsageError
from semipunct.models.base import Array, Model, Optimiser, Parameters, Sums, Weights
from semipunct.models.scoring import Batches, answers
from semipunct.papers.transitions import encoding, features
from semipunct.papers.transitions.encoding import (
    Batch,
    Encoded,
    Ints,
    Vocabulary,
    check_tags,
    propagate_properties,
    tokens,
)
from semipunct.papers.transitions.features import LABELS, OF_LABELS, TEMPLATES, Template
from semipunct.papers.transitions.options import BeamParserOptions, BeamParserTrainOptions
from semipunct.papers.transitions.search import (
    ACTIONS,
    LEFT,
    SHIFT,
    Path,
    Question,
    Scores,
    Tops,
    Trace,
    arcs,
    beam_search,
    path,
)

_WIDE = 16
"""Beam sizes from which tables of position pairs are faster than hashing at every state."""

ROOT = "root"
"""The relation of the root in Universal Dependencies."""


class Parse(NamedTuple):
    """The tree of a sentence.

    Attributes:
        heads: ``[words]`` 0 for the root; -1 for unparsed marks.
        relations: ``[words]``; ``_`` without labels.
    """

    heads: tuple[int, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class BeamParser(Model[Encoded, Batch]):
    """A beam parser without its weights."""

    kind: ClassVar[str] = "beam-parser"
    scoring_limits: ClassVar[tuple[int, int]] = (32, 2048)
    usage: ClassVar[tuple[str, ...]] = ()

    options: BeamParserOptions
    vocabulary: Vocabulary

    @classmethod
    def fit(cls, sentences: Sequence[Sentence], options: BeamParserOptions) -> BeamParser:
        check_tags(sentences, options)
        tokens_of_all = [tokens(s, options) for s in sentences]
        return cls(
            options,
            Vocabulary.of(tokens_of_all, options.minimum_word_count, labelled=options.labelled),
        )

    @property
    def templates(self) -> tuple[Template, ...]:
        return TEMPLATES[self.options.punctuation] + (LABELS if self.options.labelled else ())

    def initial_parameters(self, seed: int, scale: float) -> dict[str, Array]:
        sizes = {"actions": (2**self.options.table_bits, ACTIONS)}
        if self.options.labelled:
            sizes["labels"] = (2**self.options.label_bits, 2 * len(self.vocabulary.labels))
        generator = np.random.default_rng(seed)
        return {
            name: generator.normal(0.0, scale, size).astype(np.float32)
            if scale
            else np.zeros(size, np.float32)
            for name, size in sizes.items()
        }

    def encode(self, sentences: Sequence[Sentence]) -> Encoded:
        read = [tokens(s, self.options) for s in sentences]
        return Encoded([encoding.encode_sentence(s, self.vocabulary) for s in read], read)

    def batch(self, encoded: Encoded, members: Sequence[int], shape: int | None = None) -> Batch:
        return encoding.lay_out(encoded, members, shape or len(members))

    def search(self, parameters: Parameters, batch: Batch, *, gold: bool) -> Trace:
        """Search for the best derivations; with ``gold``, the last lane follows the gold ones."""
        codes = features.Codes(*(jnp.asarray(x) for x in batch.codes))
        most = 2 if self.options.beam >= _WIDE else 0
        plan = features.plan(self.templates, most)
        ready = features.tables(plan, parameters["actions"], codes)
        of_labels = features.plan(OF_LABELS, most)
        labels_ready = None
        if self.options.labelled:
            labels_ready = features.tables(of_labels, parameters["labels"], codes)

        def scorer(tops: Tops) -> Scores:
            actions = features.scores(plan, ready, parameters["actions"], codes, tops)
            if labels_ready is None:
                return Scores(actions)
            weights = parameters["labels"]
            label_scores = features.scores(of_labels, labels_ready, weights, codes, tops)
            return Scores(actions, label_scores.reshape(*actions.shape[:-1], 2, -1))

        lengths = jnp.asarray(batch.lengths)
        carried = codes.property[:, : codes.property.shape[1] - features.BEYOND + 1, None]
        question = Question(lengths, carried)
        if gold:
            question = Question(
                lengths, carried, jnp.asarray(batch.actions), jnp.asarray(batch.labels)
            )
        return beam_search(scorer, propagate_properties, self.options.beam, question)

    def loss(
        self,
        parameters: Parameters,
        constants: Parameters,
        batch: Batch,
        key: jax.Array,
        options: BeamParserTrainOptions,
    ) -> tuple[jax.Array, Sums]:
        """Return the sum of violations: scores of the best wrong prefixes minus the gold ones.

        Its gradient is the perceptron update, summed over the batch (Zhao and Huang 2013).
        """
        fixed = jax.lax.stop_gradient(dict(parameters))
        trace = self.search(fixed, batch, gold=True)
        lengths = jnp.asarray(batch.lengths)
        step = _violation(trace, lengths, options.update)
        lanes = jnp.stack([jnp.zeros_like(step), jnp.full_like(step, self.options.beam)])
        wrong, right = self._path_scores(parameters, batch, path(trace, step, lanes), step)
        total = jnp.sum(wrong - right)
        return total, Sums.of(-total, jnp.sum(lengths))

    def _path_scores(
        self, parameters: Parameters, batch: Batch, path: Path, step: jax.Array
    ) -> jax.Array:
        """Return differentiable scores of derivations up to a step, ``[paths, batch]``."""
        codes = features.Codes(*(jnp.asarray(x) for x in batch.codes))
        # Axes in the order batch, steps, paths.
        tops = jax.tree.map(lambda x: jnp.moveaxis(x, 2, 0), path.tops)
        action, label = jnp.moveaxis(path.action, 2, 0), jnp.moveaxis(path.label, 2, 0)
        counts = jnp.arange(action.shape[1])[:, None] < step[:, None, None]
        positions = features.of_state(tops)

        def score(templates: Sequence[Template], weights: jax.Array, column: jax.Array) -> Any:
            numbered = list(enumerate(templates))
            hashed = features.rows(numbered, codes, positions, tops.items, len(weights))
            return jnp.sum(features.weights_of(weights, hashed, column[..., None]), -1)

        action_scores = jnp.where(counts, score(self.templates, parameters["actions"], action), 0.0)
        if self.options.labelled:
            column = jnp.maximum(action - LEFT, 0) * len(self.vocabulary.labels) + label
            of_labels = score(OF_LABELS, parameters["labels"], column)
            action_scores += jnp.where(counts & (action != SHIFT), of_labels, 0.0)
        return jnp.sum(action_scores, 1).T

    def optimiser(self, options: BeamParserTrainOptions, steps: int, slots: float) -> Optimiser:
        """Return SGD with the mean of the weights over all steps (Collins 2002)."""
        import optax  # pyright: ignore[reportMissingTypeStubs]

        from semipunct.models.optimisation import average_weights, schedule

        rate = schedule(options.schedule, options.learning_rate, steps)
        return average_weights(optax.sgd(rate), decay=1.0)

    def parse(
        self,
        parameters: Weights,
        sentences: Sequence[Sentence],
        batches: Batches[Encoded, Batch] | None = None,
        shapes: Shapes | None = None,
    ) -> list[Parse]:
        batches = Batches(self, self.encode(sentences)) if batches is None else batches
        parses: list[Parse] = [Parse((), ())] * len(sentences)
        for members, _, best in answers(self, parameters, batches, "parse", _best, shapes):
            for row, i in enumerate(members):
                parses[i] = self._parse(sentences[i], *(x[row] for x in best))
        return parses

    def _parse(self, sentence: Sentence, actions: Ints, labels: Ints) -> Parse:
        heads, relations = [-1] * len(sentence.forms), [MISSING] * len(sentence.forms)
        numbers = tokens(sentence, self.options).numbers
        steps = max(2 * len(numbers) - 1, 0)
        for (dependent, head), label in zip(
            arcs(actions[:steps].tolist()), labels[:steps].tolist(), strict=True
        ):
            if dependent:
                heads[numbers[dependent - 1] - 1] = numbers[head - 1]
                relations[numbers[dependent - 1] - 1] = self.vocabulary.labels[label]
        for number in numbers:
            if heads[number - 1] < 0:
                heads[number - 1], relations[number - 1] = 0, ROOT
        return Parse(tuple(heads), tuple(relations))

    def log_likelihoods(self, parameters: Parameters, batch: Batch) -> NoReturn:
        raise UsageError(
            "a model of the kind beam-parser has no probabilities, so there is no perplexity to "
            "evaluate; use semipunct parse instead"
        )

    def to_data(self) -> dict[str, Any]:
        return asdict(self.vocabulary)

    @classmethod
    def from_data(cls, data: Any, options: BeamParserOptions) -> BeamParser:
        return cls(options, msgspec.convert(data, Vocabulary))

    @property
    def description(self) -> str:
        marks = {
            "all": "Punctuation marks are properties of the words beside them (Ma, Zhang and Zhu "
            "2014)",
            "paired": "Brackets and quotation marks are properties of the words beside them, other "
            "marks are parsed as words (Ma, Zhang and Zhu 2014)",
            "baseline": "Punctuation marks are parsed as words",
            "stripped": "Punctuation marks are not looked at",
        }[self.options.punctuation]
        return (
            f"An arc-standard parser with a beam of {self.options.beam}, trained as a structured "
            f"perceptron. {marks}."
        )

    def signature(self) -> dict[str, str]:
        return {"punctuation": self.options.punctuation, "beam": str(self.options.beam)}

    def unseen(self, sentences: Sequence[Sentence]) -> Mapping[str, Counter[str]]:
        seen_tags, column = {*self.vocabulary.tags, MISSING}, self.options.tags
        return {
            column: Counter(t for s in sentences for t in getattr(s, column) if t not in seen_tags)
        }


@partial(jit, static=1)
def _best(model: BeamParser, parameters: Parameters, batch: Batch) -> tuple[jax.Array, jax.Array]:
    trace = model.search(parameters, batch, gold=False)
    last = jnp.maximum(2 * jnp.asarray(batch.lengths) - 1, 0)
    best_path = path(trace, last, jnp.zeros((1, len(last)), jnp.int32))
    return best_path.action[:, 0].T, best_path.label[:, 0].T


def _violation(trace: Trace, lengths: jax.Array, update: str) -> jax.Array:
    """Return ``[batch]`` the step of the update, 0 for none."""
    steps = jnp.arange(len(trace.score))[:, None]
    best, right = trace.score[:, :, 0], trace.score[:, :, -1]
    last = 2 * lengths - 1
    wrong = ~trace.gold[:, :, 0] & (steps >= 1) & (steps <= last)
    if update == "early":
        fallen = wrong & ~jnp.any(trace.gold[:, :, :-1], -1)
        wrong &= (steps == last) | fallen
        return jnp.where(jnp.any(wrong, 0), jnp.argmax(wrong, 0), 0).astype(jnp.int32)
    gap = jnp.where(wrong, best - right, -jnp.inf)
    return jnp.where(jnp.any(wrong, 0), jnp.argmax(gap, 0), 0).astype(jnp.int32)


def attachment(
    model: BeamParser,
    parameters: Mapping[str, Any],
    examples: Sequence[Sentence],
    batches: Batches[Encoded, Batch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return the attachment scores over words that are not marks."""
    words = heads = labels = 0
    parses = model.parse(parameters, examples, batches, shapes)
    for sentence, parse in zip(examples, parses, strict=True):
        parsed_tokens = tokens(sentence, model.options)
        if parsed_tokens.tree is None:
            continue
        places = (0, *parsed_tokens.numbers)
        for number, head, label in zip(
            parsed_tokens.numbers,
            parsed_tokens.tree.heads,
            parsed_tokens.tree.relations,
            strict=True,
        ):
            if sentence.upos[number - 1] != PUNCTUATION:
                right = parse.heads[number - 1] == places[head]
                words += 1
                heads += right
                labels += right and parse.relations[number - 1] == label
    figures = {"uas": heads / max(words, 1), "words": words}
    return {**figures, "las": labels / max(words, 1)} if model.options.labelled else figures
