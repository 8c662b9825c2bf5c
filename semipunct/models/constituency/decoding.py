"""Trees that a parser of phrases finds, and how many of their brackets are right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from semipunct.arrays.compilation import Shapes
from semipunct.arrays.programs import jit
from semipunct.corpus.sentences import Sentence
from semipunct.errors import TreebankError
from semipunct.evaluation.brackets import bracket_statistics
from semipunct.models.base import Parameters, Weights
from semipunct.models.constituency.labels import read_tree
from semipunct.models.constituency.network import scores
from semipunct.models.constituency.parser import (
    Encoded,
    PhraseBatch,
    PhraseParser,
    distribution,
)
from semipunct.models.forms import FormInputs
from semipunct.models.scoring import Batches, answers
from semipunct.trees.phrases import PhraseTree, from_spans

_DOUBT = 0.4
"""A phrase is put into a tree if it is at least so probable.

What maximises the expected F is half of the F that is reached (Lipton, Elkan and Naryanaswamy
2014).
"""


class Bracketed(NamedTuple):
    """Trees of a batch.

    Attributes:
        labels: ``[batch, length, length]`` codes of the spans; 0 for no phrase.
        tags: ``[batch, length]`` codes.
    """

    labels: jax.Array
    tags: jax.Array


@dataclass(frozen=True)
class PhraseFinder:
    """Parses words into phrases.

    Attributes:
        model: the parser.
        parameters: its weights.
    """

    model: PhraseParser
    parameters: Weights

    def trees(self, sentences: Sequence[Sequence[str]]) -> list[PhraseTree]:
        """Parse sentences.

        Args:
            sentences: the words of each, with commas if the parser reads them.
        """
        if not sentences:
            return []
        return self.of_batches(Batches(self.model, self.model.encode_words(sentences)))

    def of_batches(
        self, batches: Iterable[tuple[list[int], PhraseBatch]], shapes: Shapes | None = None
    ) -> list[PhraseTree]:
        """Parse sentences that are encoded.

        Args:
            batches: of them.
            shapes: keeps account of what is compiled.
        """
        found: dict[int, PhraseTree] = {}
        inputs = ((members, batch.inputs) for members, batch in batches)
        asked = answers(self.model, self.parameters, inputs, "phrases", bracketed, shapes)
        for members, words, (labels, tags) in asked:
            for row, i in enumerate(members):
                found[i] = self._tree(labels[row], tags[row], int(words.lengths[row]))
        return [found[i] for i in range(len(found))]

    def _tree(self, labels: Any, tags: Any, words: int) -> PhraseTree:
        vocabulary = self.model.vocabulary
        rows = [(i, j, labels[i, j]) for i, j in np.argwhere(labels[:words, :words]).tolist()]
        return from_spans(
            [vocabulary.tag[max(code, 1) - 1] for code in tags[:words].tolist()],
            vocabulary.named(rows),
        )


@partial(jit, static=1)
def bracketed(model: PhraseParser, parameters: Parameters, inputs: FormInputs) -> Bracketed:
    """Find the tree of each sentence whose phrases are most probably right.

    Each phrase gains its probability, in whatever tree, less ``_DOUBT``.

    Args:
        model: the parser.
        parameters: its weights.
        inputs: the words.
    """
    span, tag = scores(model.options, parameters, inputs, None)
    lengths = jnp.asarray(inputs.lengths)
    _, marginals = distribution(span, lengths).log_partition_and_marginals()
    gain = marginals.span - _DOUBT
    gain = gain.at[..., 0].set(0.0)
    # A tree has a root.
    whole = jnp.arange(len(lengths)), jnp.zeros_like(lengths), jnp.maximum(lengths - 1, 0), 0
    gain = gain.at[whole].set(-jnp.inf)
    label = jnp.argmax(gain, -1)
    best = distribution(jnp.max(gain, -1, keepdims=True), lengths).best()
    inside: Any = best.parts
    codes = jnp.where(inside.span[..., 0] > 0.5, label, 0)
    return Bracketed(codes, jnp.argmax(tag.at[..., 0].set(-jnp.inf), -1))


def brackets(
    model: PhraseParser,
    parameters: Weights,
    examples: Sequence[Sentence[PhraseTree]],
    batches: Batches[Encoded, PhraseBatch],
    shapes: Shapes | None = None,
) -> dict[str, Any]:
    """Return precision, recall and F1 of labelled brackets, and the share of right tags.

    Args:
        model: the parser.
        parameters: its weights.
        examples: what the batches hold.
        batches: the sentences, with their trees.
        shapes: keeps account of what is compiled.

    Raises:
        TreebankError: if no sentence has a word, so that there is nothing to compare.
    """
    found = PhraseFinder(model, parameters).of_batches(batches, shapes)
    gold = [read_tree(s, commas=model.options.commas)[1] for s in examples]
    figures = bracket_statistics(gold, found).figures()
    if math.isnan(figures.labelled.f1):
        raise TreebankError(
            "the development sentences have no phrases with words, by which weights are chosen; "
            "give others"
        )
    return {
        "f1": figures.labelled.f1,
        "precision": figures.labelled.precision,
        "recall": figures.labelled.recall,
        "tags": figures.tags,
    }
