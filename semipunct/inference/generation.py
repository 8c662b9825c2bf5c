"""Surface punctuation drawn for words and trees: p(x | T) itself, without looking at any x.

All draws of a sentence go together: those that agree in what a step looks at share its
distribution. In which order constituents draw their punctemes depends on what the features look
at: ``rightward`` where they look at the marks to the left, ``inward`` where they look at the marks
within (template ``c`` of appendix A).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import jax
import numpy as np

from semipunct.batch import jit
from semipunct.errors import UsageError
from semipunct.inference.evidence import Evidence
from semipunct.inference.inward import Inward
from semipunct.inference.kinds import Ints
from semipunct.inference.likelihood import batches_by_length
from semipunct.inference.rightward import Rightward
from semipunct.marks import FINAL, INITIAL
from semipunct.model.attach import looks_back
from semipunct.model.layout import Batch
from semipunct.model.punctuation import Parameters, PunctuationModel, TreeScores
from semipunct.treebank.sentences import Puncteme, Sentence


@dataclass(frozen=True, slots=True)
class Draws:
    """Independent draws of the surface punctuation of one sentence.

    Attributes:
        strings: for each slot the different strings drawn, without boundary marks.
        chosen: ``[draws, slots]`` which of them each draw has.
    """

    strings: tuple[tuple[Puncteme, ...], ...]
    chosen: Ints


def generate(
    model: PunctuationModel,
    parameters: Parameters,
    sentences: Sequence[Sentence],
    count: int,
    seed: int,
    evidence: Sequence[Evidence] | None = None,
) -> list[Draws]:
    """Draw surface punctuation for words and trees; that of the sentences is not looked at.

    With evidence the draws are from the posterior, as far as their number allows; those of a
    sentence are then no longer independent.

    Args:
        model: the model.
        parameters: its weights.
        sentences: words and trees; boundary marks in the outer slots count as given.
        count: draws a sentence.
        seed: with the number of a sentence fixes its draws.
        evidence: what is known of the surface of each sentence.

    Raises:
        UsageError: if there is nothing to draw, if the features look at marks in a way that no
            order of drawing allows for, or if there is evidence and the order is not from left
            to right.
    """
    if count < 1:
        raise UsageError(f"{count} draws; at least 1 is needed")
    order = (Rightward if looks_back(parameters) else Inward).of(model, parameters)
    bare_sentences = [_emptied(sentence) for sentence in sentences]
    prepared = model.prepare(bare_sentences)
    result: list[Draws | None] = [None] * len(sentences)
    for members, batch in batches_by_length(model, prepared):
        scores = jax.tree.map(np.asarray, _tree_scores(model, parameters, batch))
        start = 0
        for i in members:
            sentence = bare_sentences[i]
            words = slice(start, start + len(sentence.forms))
            start = words.stop
            generator = np.random.default_rng((seed, i))
            of_words = TreeScores(*(array[words] for array in scores))
            slots = order.draw(
                sentence, of_words, evidence[i] if evidence else None, count, generator
            )
            result[i] = Draws(
                tuple(tuple(slot.strings) for slot in slots),
                np.stack([slot.chosen for slot in slots], 1),
            )
    return [draws for draws in result if draws is not None]


def _emptied(sentence: Sentence) -> Sentence:
    """The sentence with nothing but boundary marks in its slots."""
    slots = [tuple(t for t in slot if t in (INITIAL, FINAL)) for slot in sentence.slots]
    return replace(sentence, slots=tuple(slots), record=None)


@partial(jit, static_argnums=0)
def _tree_scores(model: PunctuationModel, parameters: Parameters, batch: Batch) -> TreeScores:
    return model.tree_scores(parameters, batch)
