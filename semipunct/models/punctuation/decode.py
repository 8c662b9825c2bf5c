"""Likelihoods of marks, and underlying trees T': the best, the k best, and posterior samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.programs import jit
from semipunct.corpus import Sentence
from semipunct.corpus.sentences import excerpt
from semipunct.marks import FINAL, INITIAL, Edit, Pair, Puncteme, display_form, with_boundaries
from semipunct.models.base import Parameters, Weights
from semipunct.models.punctuation.batches import Batch
from semipunct.models.punctuation.channel import CHANNEL
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.rewriting import Rewriter, Rewriting
from semipunct.models.scoring import Batches, log_likelihoods
from semipunct.structures.distribution import Distribution
from semirings.capabilities import Selective
from semirings.derivation import Derivation

_BRACKETS = {"[": "\\[", "]": "\\]"}


@dataclass(frozen=True, slots=True)
class SlotAnalysis:
    """The rewriting of one slot; both strings include boundary marks."""

    underlying: Puncteme
    edits: tuple[Edit, ...]
    surface: Puncteme


@dataclass(frozen=True, slots=True, repr=False)
class Analysis:
    """An underlying tree T' of a sentence.

    Attributes:
        pairs: left and right puncteme of each word. The open puncteme is ``(marks.OPEN,)``; its
            spelling is part of the surface of its slot.
        log_joint: log p(T', x | T), summed over edits.
        log_posterior: log p(T' | T, x).
        slots: one entry per slot.
    """

    sentence: Sentence
    pairs: tuple[Pair, ...]
    log_joint: float
    log_posterior: float
    slots: tuple[SlotAnalysis, ...]

    @property
    def log_likelihood(self) -> float:
        """Log p(x | T), summed over all underlying trees."""
        # An analysis of probability zero (log_joint = log_posterior = -inf) has no quotient.
        if math.isinf(self.log_joint):
            return self.log_joint
        return self.log_joint - self.log_posterior

    def __str__(self) -> str:
        r"""Write the tree in one line, as in section 1 of the paper, in linear time.

        Every node with a non-empty puncteme, except the root, has brackets around its constituent
        and its punctemes just inside them. Square brackets of the text are escaped.
        """
        tree = self.sentence.tree
        sides: list[tuple[list[str], list[str]]] = []
        for head, (left, right) in zip(tree.heads, self.pairs, strict=True):
            bracketed = bool(head and (left or right))
            sides.append((["["] * bracketed + _marks(left), _marks(right) + ["]"] * bracketed))
        first, last = self.slots[0].underlying, self.slots[-1].underlying
        pieces = [INITIAL] if first[:1] == (INITIAL,) else []
        for form, tokens in zip(("", *self.sentence.forms), tree.gather(sides), strict=True):
            pieces += [*([form] if form else []), *tokens]
        pieces += [FINAL] if last[-1:] == (FINAL,) else []
        return " ".join(pieces)

    def __repr__(self) -> str:
        return (
            f"<Analysis log p(T', x | T) = {self.log_joint:.4f}, "
            f"log p(T' | T, x) = {self.log_posterior:.4f}: {excerpt(str(self))}>"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-serialisable values; words are numbered from 1, slots from 0."""
        s = self.sentence
        return {
            "sent_id": s.sentence_id,
            "words": list(s.forms),
            "heads": list(s.tree.heads),
            "relations": list(s.tree.relations),
            "log_likelihood": self.log_likelihood,
            "log_joint": self.log_joint,
            "log_posterior": self.log_posterior,
            "nodes": [
                {"word": word, "left": list(left), "right": list(right)}
                for word, (left, right) in enumerate(self.pairs, start=1)
            ],
            "slots": [
                {
                    "slot": i,
                    "underlying": list(slot.underlying),
                    "edits": [{"edit": e.name, "a": e.a, "b": e.b} for e in slot.edits],
                    "surface": list(slot.surface),
                }
                for i, slot in enumerate(self.slots)
            ],
        }


def _marks(puncteme: Puncteme) -> list[str]:
    return [_BRACKETS.get(token) or display_form(token) for token in puncteme]


@partial(jit, static=1)
def log_choices(model: PunctuationModel, parameters: Parameters, batch: Batch) -> jax.Array:
    """Return log p(l, r | w) of a batch, ``[words, pairs]`` (equation 4)."""
    return model.log_choice(parameters, batch)


def corpus_log_likelihood(
    model: PunctuationModel, parameters: Weights, sentences: Sequence[Sentence]
) -> npt.NDArray[np.float64]:
    """Return log p(x | T) of each sentence, ``[sentences]``."""
    return log_likelihoods(model, parameters, Batches(model, model.encode(sentences)))


def best(
    model: PunctuationModel,
    parameters: Weights,
    sentences: Sequence[Sentence],
    semiring: Derivation | None = None,
) -> list[Analysis | None]:
    """Return the best derivation of each sentence; None if it has none.

    Args:
        semiring: a ``Derivation`` over a selective base, which ranks derivations; by default
            Viterbi, the most probable punctemes and edits.
    """
    base = (semiring or Derivation()).base
    analyses_of_each = _derivations(model, parameters, sentences, ("best", base))
    return [next(iter(analyses), None) for analyses in analyses_of_each]


def best_of(
    model: PunctuationModel, parameters: Weights, sentences: Sequence[Sentence], count: int
) -> list[list[Analysis]]:
    """Return the most probable distinct choices of punctemes of each sentence, best first.

    Only the first ``2 * count`` derivations are considered, so there may be fewer choices.
    """
    analyses_of_each = _derivations(model, parameters, sentences, ("top", 2 * count))
    return [list({a.pairs: a for a in analyses}.values())[:count] for analyses in analyses_of_each]


def sample(
    model: PunctuationModel,
    parameters: Weights,
    sentences: Sequence[Sentence],
    samples: int,
    seed: int,
) -> list[list[Analysis]]:
    """Draw independent samples from p(T' | T, x), after one inside pass per batch.

    A sentence without an analysis has no samples.
    """
    return _derivations(model, parameters, sentences, ("sample", samples), seed)


# A query: the best derivation under a semiring, or a number of best ones or samples.
_Question = tuple[Literal["best"], Selective] | tuple[Literal["top", "sample"], int]


def _derivations(
    model: PunctuationModel,
    parameters: Weights,
    sentences: Sequence[Sentence],
    question: _Question,
    seed: int = 0,
) -> list[list[Analysis]]:
    # Few strings are distinct, so rewritings are cached.
    explain = lru_cache(maxsize=None)(Rewriter.of(model, parameters).explain)
    encoded = model.encode(sentences)
    analyses: list[list[Analysis]] = [[] for _ in sentences]
    for number, (members, batch) in enumerate(Batches(model, encoded)):
        read = model.read(parameters, batch)
        # Two programs take half of the memory to load.
        log_p, log_choice = _score(model, read, batch)
        channel = {name: x for name, x in read.items() if name.startswith(CHANNEL)}
        bare = batch._replace(features={}, choice=log_choice)
        del read, batch  # to free the memory of the features
        chance = np.array([seed % 2**32, number], np.uint32)
        choices, weight = map(np.asarray, _ask(model, question, channel, bare, log_p, chance))
        log_p, log_choice = np.asarray(log_p), np.asarray(log_choice)
        for b, (i, words) in enumerate(_spans(members, encoded.lengths)):
            by_choice: dict[bytes, Analysis] = {}
            for choice in choices[np.isfinite(weight[:, b])][:, words]:
                # Analyses are cached, because many draws are equal.
                if (choice_key := choice.tobytes()) not in by_choice:
                    by_choice[choice_key] = _analysis(
                        model, explain, sentences[i], choice, log_choice[words], log_p[b]
                    )
                analyses[i].append(by_choice[choice_key])
    return analyses


@partial(jit, static=1)
def _score(
    model: PunctuationModel, parameters: Parameters, batch: Batch
) -> tuple[jax.Array, jax.Array]:
    """Return log p(x | T) of each sentence, and all log p(l, r | w)."""
    potentials = model.potentials(parameters, batch)
    return Distribution(potentials).log_partition(), potentials.choice


@partial(jit, static=2)
def _ask(
    model: PunctuationModel,
    question: _Question,
    parameters: Parameters,
    batch: Batch,
    log_p: jax.Array,
    chance: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """Answer a query: the pair of each word, and the log weight, of each derivation."""
    key = jax.random.fold_in(jax.random.key(chance[0]), chance[1])
    potentials = model.potentials(parameters, batch)
    distribution = Distribution(potentials)
    if question[0] == "top":
        parts, weight = distribution.top_k_parts(question[1])
    elif question[0] == "best":
        parts, weight = distribution.argmax_parts(question[1])[None], log_p[None]
    else:
        parts = distribution.sample_parts(key, question[1])
        weight = jnp.broadcast_to(log_p, (question[1], *log_p.shape))
    return jnp.argmax(parts, 2), weight


def _spans(members: Sequence[int], lengths: Sequence[int]) -> list[tuple[int, slice]]:
    ends = np.cumsum([lengths[i] for i in members]).tolist()
    return [(i, slice(end - lengths[i], end)) for i, end in zip(members, ends, strict=True)]


def _analysis(
    model: PunctuationModel,
    explain: Callable[[Puncteme, Puncteme], Rewriting],
    sentence: Sentence,
    choice: npt.NDArray[np.int64],
    log_choice: npt.NDArray[np.float32],
    log_p: float,
) -> Analysis:
    names = [model.inventory.pair_name(int(c)) for c in choice]
    log_joint = float(log_choice[np.arange(len(choice)), choice].sum(dtype=np.float64))
    slots: list[SlotAnalysis] = []
    final = model.options.final_mark
    underlying = with_boundaries([tuple(x) for x in sentence.tree.gather(names)], final=final)
    shown = with_boundaries(sentence.slots, final=final)
    for tokens, surface in zip(underlying, shown, strict=True):
        rewriting = explain(tokens, surface)
        log_joint += rewriting.log_probability
        slots.append(SlotAnalysis(tokens, rewriting.edits, surface))
    posterior = min(0.0, log_joint - float(log_p)) if math.isfinite(log_joint) else -math.inf
    return Analysis(sentence, tuple(names), log_joint, posterior, tuple(slots))
