"""Decoding of the phrase parser, and the task of parsing words into phrases."""

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
from semipunct.corpus.sentences import MISSING, Sentence, Words, dotted_forms
from semipunct.errors import TreebankError
from semipunct.models.base import Parameters, Weights
from semipunct.models.forms import FormInputs
from semipunct.models.scoring import Batches, answers
from semipunct.papers.commas.figures import bracket_statistics
from semipunct.papers.commas.marks_as_words import interleave_marks
from semipunct.papers.commas.parser import (
    Encoded,
    PhraseBatch,
    PhraseParser,
    distribution,
    read_tree,
    scores,
)
from semipunct.papers.commas.trees import PhraseTree, from_spans, prune_words
from semipunct.tasks import limits
from semipunct.tasks.base import Trained, model_of_kind

_DOUBT = 0.4
"""The probability from which on a phrase is put into a tree.

The threshold that maximises the expected F is half of the F achieved (Lipton, Elkan and
Naryanaswamy 2014).
"""


class Bracketed(NamedTuple):
    """The trees of a batch.

    Attributes:
        labels: ``[batch, length, length]`` codes of the spans; 0 for a span that is not a phrase.
        tags: ``[batch, length]`` codes.
    """

    labels: jax.Array
    tags: jax.Array


@dataclass(frozen=True)
class PhraseFinder:
    """Parses sentences into phrases.

    Attributes:
        model: the parser.
        parameters: its weights.
    """

    model: PhraseParser
    parameters: Weights

    def trees(self, sentences: Sequence[Sequence[str]]) -> list[PhraseTree]:
        """Parse sentences.

        Args:
            sentences: the words of each, including commas if the parser uses them.
        """
        if not sentences:
            return []
        return self.of_batches(Batches(self.model, self.model.encode_words(sentences)))

    def of_batches(
        self, batches: Iterable[tuple[list[int], PhraseBatch]], shapes: Shapes | None = None
    ) -> list[PhraseTree]:
        """Parse sentences that are encoded already.

        Args:
            batches: the batches, with the numbers of their sentences.
            shapes: records the compiled shapes.
        """
        trees: dict[int, PhraseTree] = {}
        inputs = ((members, batch.inputs) for members, batch in batches)
        batch_answers = answers(
            self.model, self.parameters, inputs, "phrases", decode_brackets, shapes
        )
        for members, words, (labels, tags) in batch_answers:
            for row, i in enumerate(members):
                trees[i] = self._tree(labels[row], tags[row], int(words.lengths[row]))
        return [trees[i] for i in range(len(trees))]

    def _tree(self, labels: Any, tags: Any, words: int) -> PhraseTree:
        vocabulary = self.model.vocabulary
        rows = [(i, j, labels[i, j]) for i, j in np.argwhere(labels[:words, :words]).tolist()]
        return from_spans(
            [vocabulary.tag[max(code, 1) - 1] for code in tags[:words].tolist()],
            vocabulary.to_spans(rows),
        )


@partial(jit, static=1)
def decode_brackets(model: PhraseParser, parameters: Parameters, inputs: FormInputs) -> Bracketed:
    """Find the tree of each sentence with the highest expected number of correct phrases.

    Each phrase contributes its marginal probability minus ``_DOUBT``.

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
    # The root span must have a label.
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
    """Return precision, recall and F1 of labelled brackets, and the tagging accuracy.

    Args:
        model: the parser.
        parameters: its weights.
        examples: the sentences in the batches.
        batches: the sentences, with their trees.
        shapes: records the compiled shapes.

    Raises:
        TreebankError: if no sentence contains a word, so that there is nothing to evaluate.
    """
    predicted = PhraseFinder(model, parameters).of_batches(batches, shapes)
    gold = [read_tree(s, commas=model.options.commas)[1] for s in examples]
    figures = bracket_statistics(gold, predicted).figures()
    if math.isnan(figures.labelled.f1):
        raise TreebankError(
            "the development sentences have no phrases with words, which are needed to select "
            "the best weights; give others"
        )
    return {
        "f1": figures.labelled.f1,
        "precision": figures.labelled.precision,
        "recall": figures.labelled.recall,
        "tags": figures.tags,
    }


JOINED = "FRAG"
"""The label of the node above the pieces of a sentence that is too long to be parsed at once."""


def phrase_trees(model: Trained[Any], sentences: Sequence[Sequence[str]]) -> list[PhraseTree]:
    """Parse words into phrase-structure trees.

    A sentence of more than ``limits.PARSED`` words is parsed in pieces, so that memory is bounded.

    Args:
        model: a parser of phrases with its weights.
        sentences: the words of each sentence, with commas if the parser reads them.

    Raises:
        ModelError: if the model is of another kind.
    """
    fitted = model_of_kind(model, PhraseParser)
    most = limits.PARSED
    pieces = [
        [forms[start : start + most] for start in range(0, len(forms), most)] for forms in sentences
    ]
    trees = iter(
        PhraseFinder(fitted, model.parameters).trees(
            [piece for pieces_of_sentence in pieces for piece in pieces_of_sentence]
        )
    )
    return [_joined([next(trees) for _ in pieces_of_sentence]) for pieces_of_sentence in pieces]


def _joined(trees: Sequence[PhraseTree]) -> PhraseTree:
    if len(trees) == 1:
        return trees[0]
    return PhraseTree(
        (0, *(depth + 1 for tree in trees for depth in tree.depths)),
        (JOINED, *(label for tree in trees for label in tree.categories)),
    )


def parse_phrases(
    model: Trained[Any], sentences: Sequence[Sentence[Any] | Words]
) -> list[Sentence[PhraseTree]]:
    """Parse sentences whose commas are in their slots; existing tags and trees are ignored.

    A parser that reads commas gets them as words; they are then removed from its trees.

    Args:
        model: a parser of phrases with its weights.
        sentences: words, including all other marks; the slots are unchanged.

    Raises:
        ModelError: if the model is of another kind.
    """
    fitted = model_of_kind(model, PhraseParser)
    if fitted.options.commas:
        read = [interleave_marks(s) for s in sentences]
        trees = phrase_trees(model, [tokens for tokens, _ in read])
        trees = [prune_words(tree, marks) for tree, (_, marks) in zip(trees, read, strict=True)]
    else:
        trees = phrase_trees(model, [dotted_forms(s) for s in sentences])
    return [with_phrases(s, tree) for s, tree in zip(sentences, trees, strict=True)]


def with_phrases(sentence: Sentence[Any] | Words, tree: PhraseTree) -> Sentence[PhraseTree]:
    """Set the tree of a sentence, and its parts of speech to those of the leaves.

    Args:
        sentence: the sentence.
        tree: a tree over the same words.
    """
    s = sentence
    nothing = (MISSING,) * len(s.forms)
    return Sentence(
        s.sentence_id, s.path, s.line, s.forms, nothing, nothing, tree.tags, nothing, tree, s.slots,
        closed=s.closed, source=s.source,
    )  # fmt: skip
