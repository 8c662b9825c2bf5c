"""Surface punctuation drawn for words and trees: p(x | T) itself, without looking at any x.

Constituents draw their punctemes from the inside out, because a feature of a constituent may look
at the surface marks within it (template ``c`` of appendix A). As soon as all punctemes that meet
at a slot are drawn, the noisy channel rewrites them. All draws of a sentence go together: those
that agree in what a step looks at share its distribution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import jax
import numpy as np
import numpy.typing as npt

from semipunct.batch import jit
from semipunct.errors import UsageError
from semipunct.inference.likelihood import batches_by_length
from semipunct.inference.rewriting import Pass, Rewriter
from semipunct.marks import FINAL, INITIAL, OPEN
from semipunct.model.channel import EDITS
from semipunct.model.inventory import bare
from semipunct.model.layout import Batch
from semipunct.model.punctuation import Parameters, PunctuationModel
from semipunct.treebank.sentences import Puncteme, Sentence
from semipunct.treebank.trees import constituents

Symbols = tuple[int, ...]
Ints = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]

INSIDE = "inside"
"""The attribute that looks at surface marks."""


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
) -> list[Draws]:
    """Draw surface punctuation for words and trees; that of the sentences is not looked at.

    Args:
        model: the model.
        parameters: its weights.
        sentences: words and trees; boundary marks in the outer slots count as given.
        count: draws a sentence.
        seed: with the number of a sentence fixes its draws.

    Raises:
        UsageError: if there is nothing to draw, or if marks within a constituent decide anything
            but its pair.
    """
    if count < 1:
        raise UsageError(f"{count} draws; at least 1 is needed")
    looking = {c.target for c in model.features.conjunctions if c.over == INSIDE and len(c.kept)}
    if looking - {"pair"}:
        raise UsageError(f"templates over {INSIDE!r} weigh {sorted(looking)}; draw from pairs only")
    bare_sentences = [_emptied(sentence) for sentence in sentences]
    rewriter = Rewriter.of(model, parameters)
    weights = np.asarray(parameters["attach.pair"])
    prepared = model.prepare(bare_sentences)
    result: list[Draws | None] = [None] * len(sentences)
    for members, batch in batches_by_length(model, prepared):
        log_choice = np.asarray(_log_choice(model, parameters, batch))
        start = 0
        for i in members:
            sentence = bare_sentences[i]
            words = slice(start, start + len(sentence.forms))
            start = words.stop
            rows = model.features.rows_over(sentence, INSIDE)
            generator = np.random.default_rng((seed, i))
            drawing = _Drawing(model, rewriter, weights, sentence, count, generator)
            result[i] = drawing.run(log_choice[words], rows)
    return [draws for draws in result if draws is not None]


@partial(jit, static_argnums=0)
def _log_choice(model: PunctuationModel, parameters: Parameters, batch: Batch) -> jax.Array:
    return model.log_choice(parameters, batch)


def _emptied(sentence: Sentence) -> Sentence:
    """The sentence with nothing but boundary marks in its slots."""
    slots = [tuple(t for t in slot if t in (INITIAL, FINAL)) for slot in sentence.slots]
    return replace(sentence, slots=tuple(slots), record=None)


@dataclass(slots=True)
class _Drawing:
    """The draws of one sentence in the making."""

    model: PunctuationModel
    rewriter: Rewriter
    weights: npt.NDArray[np.float32]
    sentence: Sentence
    count: int
    generator: np.random.Generator

    def run(self, log_choice: npt.NDArray[np.float32], rows: Ints) -> Draws:
        """Draw from the inside out.

        Args:
            log_choice: ``[words, pairs]`` log probabilities where no marks are within.
            rows: ``[words, symbols, features]`` from ``FeatureMap.rows_over``.
        """
        sentence, inventory = self.sentence, self.model.inventory
        heads = np.array(sentence.heads)
        left, right = (np.array(edge) for edge in constituents(sentence.heads))
        words = len(heads)
        slots: list[tuple[list[Puncteme], Ints] | None] = [None] * (words + 1)
        ending: list[list[Ints]] = [[] for _ in slots]
        starting: list[list[Ints]] = [[] for _ in slots]
        seen: list[Truths | None] = [None] * words
        dependents: list[list[int]] = [[] for _ in range(words)]
        for w in np.argsort(right - left, kind="stable").tolist():
            inner = {w, w + 1}  # The slots beside the word; slot w is left of word w, from 0.
            within = []
            for d in dependents[w]:
                inner |= {int(left[d]), int(right[d])}
                within.append(seen[d])
            for i in inner - {int(left[w]), int(right[w])}:
                if slots[i] is None:
                    slots[i] = self._rewrite(i, ending[i] + starting[i][::-1])
                within.append(self._present(*slots[i]))  # pyright: ignore[reportOptionalMemberAccess]
            seen[w] = _either([x for x in within if x is not None])
            pair = self._draw_pair(log_choice[w], rows[w], seen[w])
            starting[left[w]].append(inventory.pairs[pair, 0].astype(np.int64))
            ending[right[w]].append(inventory.pairs[pair, 1].astype(np.int64))
            if heads[w]:
                dependents[heads[w] - 1].append(w)
        for i in (0, words):
            slots[i] = self._rewrite(i, ending[i] + starting[i][::-1])
        finished = [slot for slot in slots if slot is not None]
        return Draws(
            tuple(tuple(strings) for strings, _ in finished),
            np.stack([chosen for _, chosen in finished], 1),
        )

    def _draw_pair(
        self, log_choice: npt.NDArray[np.float32], rows: Ints, seen: Truths | None
    ) -> Ints:
        """``[draws]`` pairs of one constituent."""
        if seen is None or not (rows >= 0).any():
            return self._categorical(log_choice, self.count)
        packed = np.packbits(seen, axis=1)
        _, first, group, sizes = np.unique(
            packed, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        result = np.empty(self.count, np.int64)
        order = np.argsort(group.ravel(), kind="stable")
        for draw, members in zip(first, np.split(order, sizes.cumsum()[:-1]), strict=True):
            features = rows[seen[draw]]
            score = log_choice + self.weights[features[features >= 0]].sum(0)
            result[members] = self._categorical(score, len(members))
        return result

    def _categorical(self, score: npt.NDArray[np.float32], count: int) -> Ints:
        probability = np.exp(score.astype(np.float64) - score.max())
        cumulative = probability.cumsum()
        drawn = np.searchsorted(cumulative, self.generator.random(count) * cumulative[-1], "right")
        return np.minimum(drawn, len(score) - 1)

    def _rewrite(self, slot: int, labels: list[Ints]) -> tuple[list[Puncteme], Ints]:
        """Send what meets at a slot through the channel: different strings, and each draw's."""
        inventory = self.model.inventory
        number = {s: i for i, s in enumerate(inventory.symbols)}
        given = [number[t] for t in self.sentence.slots[slot]]
        before = [s for s in given if s == number[INITIAL]]
        after = [s for s in given if s == number[FINAL]]
        known: dict[Puncteme, int] = {(): 0}
        chosen = np.zeros(self.count, np.int64)
        if not labels:
            return list(known), chosen
        table = np.stack(labels, 1)
        some = np.flatnonzero(table.any(1))
        if len(some):
            rows, group, sizes = np.unique(
                table[some], axis=0, return_inverse=True, return_counts=True
            )
            order = some[np.argsort(group.ravel(), kind="stable")]
            for row, members in zip(rows, np.split(order, sizes.cumsum()[:-1]), strict=True):
                tokens = [number[t] for label in row for t in inventory.labels[label]]
                strings = rewritten(
                    self.rewriter, (*before, *tokens, *after), len(members), self.generator
                )
                # Draws with the same underlying string differ elsewhere: none is the first.
                if len(strings) > 1:
                    members = self.generator.permutation(members)
                start = 0
                for string, times in strings.items():
                    puncteme = bare(tuple(inventory.symbols[s] for s in string))
                    place = known.setdefault(puncteme, len(known))
                    chosen[members[start : start + times]] = place
                    start += times
        return list(known), chosen

    def _present(self, strings: list[Puncteme], chosen: Ints) -> Truths | None:
        """``[draws, symbols]`` which tokens a slot shows; None if no draw shows any."""
        if len(strings) == 1:
            return None
        table = np.zeros((len(strings), len(self.model.inventory.symbols)), bool)
        for i, string in enumerate(strings):
            table[i, list(self.model.inventory.encode(string))] = True
        return table[chosen]


def _either(parts: list[Truths]) -> Truths | None:
    return np.logical_or.reduce(parts) if parts else None


def rewritten(
    rewriter: Rewriter, underlying: Symbols, count: int, generator: np.random.Generator
) -> dict[Symbols, int]:
    """How often each surface string comes of sending one string through the channel.

    Args:
        rewriter: the channel.
        underlying: symbols in text order, boundary marks included, at least one.
        count: how often it is sent.
        generator: the source of chance.
    """
    strings = {underlying: count}
    for one in rewriter.passes:
        following: dict[Symbols, int] = {}
        for string, times in strings.items():
            for written, share in _sent(one, string, times, generator):
                following[written] = following.get(written, 0) + share
        strings = following
    return _spelt(rewriter, strings, generator)


def _sent(
    one: Pass, string: Symbols, count: int, generator: np.random.Generator
) -> Iterator[tuple[Symbols, int]]:
    """Split a count over the outcomes of one pass, edit by edit."""
    reading = string[::-1] if one.mirrored else string
    states: dict[tuple[int, Symbols], int] = {(reading[0], ()): count}
    for symbol in reading[1:]:
        following: dict[tuple[int, Symbols], int] = {}
        for (pending, written), times in states.items():
            a, b = (symbol, pending) if one.mirrored else (pending, symbol)
            probability = np.exp(one.log_probability[:, a, b])
            shares = generator.multinomial(times, probability / probability.sum())
            for edit, share in zip(EDITS, shares.tolist(), strict=True):
                if share:
                    stays, writes = one.effect(edit, pending, symbol)
                    key = stays, (*written, *writes)
                    following[key] = following.get(key, 0) + share
        states = following
    for (pending, written), times in states.items():
        end = (*written, pending)
        yield end[::-1] if one.mirrored else end, times


def _spelt(
    rewriter: Rewriter, strings: dict[Symbols, int], generator: np.random.Generator
) -> dict[Symbols, int]:
    """Write out the open puncteme wherever it stands."""
    is_open = rewriter.inventory.symbols.index(OPEN)
    result: dict[Symbols, int] = {}
    for string, times in strings.items():
        if is_open not in string:
            result[string] = result.get(string, 0) + times
            continue
        for _ in range(times):
            text = tuple(
                t
                for s in string
                for t in (rewriter.inventory.spelling.draw(generator) if s == is_open else (s,))
            )
            result[text] = result.get(text, 0) + 1
    return result
