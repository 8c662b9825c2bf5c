"""Surface punctuation drawn for words and trees: p(x | T) itself, without looking at any x.

Constituents draw their punctemes from the inside out, because a feature of a constituent may look
at the surface marks within it (template ``c`` of appendix A). As soon as all punctemes that meet
at a slot are drawn, the noisy channel rewrites them. All draws of a sentence go together: those
that agree in what a step looks at share its distribution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from semipunct.errors import UsageError
from semipunct.inference.likelihood import batches_by_length, log_choices
from semipunct.inference.rewriting import Pass, Rewriter
from semipunct.marks import FINAL, INITIAL, OPEN
from semipunct.model.channel import EDITS
from semipunct.model.punctuation import Parameters, PunctuationModel
from semipunct.treebank.sentences import Puncteme, Sentence
from semipunct.treebank.trees import constituents

Symbols = tuple[int, ...]
Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]
"""Sets of symbols: bit ``s % 64`` of word ``s // 64``."""

SHORT = 6
"""Tokens of the strings whose outcomes are listed once and remembered."""

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
    tables = _Tables.of(model, parameters)
    prepared = model.prepare(bare_sentences)
    result: list[Draws | None] = [None] * len(sentences)
    for members, batch in batches_by_length(model, prepared):
        log_choice = np.asarray(log_choices(model, parameters, batch))
        start = 0
        for i in members:
            sentence = bare_sentences[i]
            words = slice(start, start + len(sentence.forms))
            start = words.stop
            rows = model.features.rows_over(sentence, INSIDE)
            generator = np.random.default_rng((seed, i))
            result[i] = _Drawing(tables, sentence, count, generator).run(log_choice[words], rows)
    return [draws for draws in result if draws is not None]


def _emptied(sentence: Sentence) -> Sentence:
    """The sentence with nothing but boundary marks in its slots."""
    slots = [tuple(t for t in slot if t in (INITIAL, FINAL)) for slot in sentence.slots]
    return replace(sentence, slots=tuple(slots), record=None)


@dataclass(frozen=True, slots=True)
class _Tables:
    """What all sentences share.

    Attributes:
        model: the model.
        rewriter: its channel.
        weights: ``[features + 1, pairs]`` of pair features; the last, of none, are zero.
        number: the symbols' numbers.
        spelt: the symbols of each label.
    """

    model: PunctuationModel
    rewriter: Rewriter
    weights: npt.NDArray[np.float32]
    number: Mapping[str, int]
    spelt: Sequence[Symbols]

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Parameters) -> _Tables:
        """Read them off a model."""
        inventory = model.inventory
        number = {s: i for i, s in enumerate(inventory.symbols)}
        spelt = [tuple(number[t] for t in label) for label in inventory.labels]
        weights = np.pad(np.asarray(parameters["attach.pair"]), ((0, 1), (0, 0)))
        return cls(model, Rewriter.of(model, parameters), weights, number, spelt)


@dataclass(slots=True)
class _Drawing:
    """The draws of one sentence in the making."""

    tables: _Tables
    sentence: Sentence
    count: int
    generator: np.random.Generator

    def run(self, log_choice: npt.NDArray[np.float32], rows: Ints) -> Draws:
        """Draw from the inside out.

        Args:
            log_choice: ``[words, pairs]`` log probabilities where no marks are within.
            rows: ``[words, symbols, features]`` from ``FeatureMap.rows_over``.
        """
        heads = self.sentence.heads
        left, right = constituents(heads)
        words = len(heads)
        inventory = self.tables.model.inventory
        pairs = inventory.pairs.astype(np.int64)
        slots: list[_Slot | None] = [None] * (words + 1)
        # Labels of the constituents that end and that start at each slot, innermost first.
        ending: list[list[Ints]] = [[] for _ in slots]
        starting: list[list[Ints]] = [[] for _ in slots]
        nothing = np.zeros((self.count, -(-len(inventory.symbols) // 64)), np.uint64)
        within = [nothing] * words
        dependents: list[list[int]] = [[] for _ in heads]
        size = np.array(right) - np.array(left)
        for w in np.argsort(size, kind="stable").tolist():
            inner = {w, w + 1, *(side[d] for d in dependents[w] for side in (left, right))}
            seen = [within[d] for d in dependents[w] if within[d] is not nothing]
            for i in inner - {left[w], right[w]}:
                slots[i] = shown = self._rewrite(i, ending[i] + starting[i][::-1])
                if len(shown.strings) > 1 or shown.strings[0]:
                    seen.append(_members(shown.strings, nothing.shape[1])[shown.chosen])
            for d in dependents[w]:
                within[d] = nothing  # No longer needed.
            within[w] = np.bitwise_or.reduce(seen) if seen else nothing
            pair = self._draw_pair(log_choice[w], rows[w], within[w])
            starting[left[w]].append(pairs[pair, 0])
            ending[right[w]].append(pairs[pair, 1])
            if heads[w]:
                dependents[heads[w] - 1].append(w)
        for i in (0, words):
            slots[i] = self._rewrite(i, ending[i] + starting[i][::-1])
        finished = [slot for slot in slots if slot is not None]
        names = inventory.symbols
        return Draws(
            tuple(tuple(tuple(names[s] for s in x) for x in slot.strings) for slot in finished),
            np.stack([slot.chosen for slot in finished], 1),
        )

    def _draw_pair(self, log_choice: npt.NDArray[np.float32], rows: Ints, seen: Bits) -> Ints:
        """``[draws]`` pairs of one constituent, given the tokens seen within it."""
        looked_at = np.flatnonzero((rows >= 0).any(1))
        bits = _members([tuple(looked_at.tolist())], seen.shape[1])[0]
        told_apart, kind = _kinds(seen & bits)
        has = (told_apart[:, looked_at // 64] >> (looked_at % 64).astype(np.uint64)) & np.uint64(1)
        some = has.any(0)
        gain = self.tables.weights[rows[looked_at[some]]].sum(1)
        score = log_choice + has[:, some].astype(np.float32) @ gain
        score -= score.max(1, keepdims=True)
        cumulative = np.exp(score, out=score).cumsum(1, dtype=np.float64)
        # One search for all: each kind has a stretch of its own on the line.
        ends = cumulative[:, -1].cumsum()
        starts = ends - cumulative[:, -1]
        cumulative += starts[:, None]
        point = starts[kind] + self.generator.random(self.count) * (ends - starts)[kind]
        drawn = np.searchsorted(cumulative.ravel(), point, "right") - kind * score.shape[1]
        return np.clip(drawn, 0, score.shape[1] - 1)

    def _rewrite(self, slot: int, labels: Sequence[Ints]) -> _Slot:
        """Send what meets at a slot through the channel: each draw's surface symbols."""
        given = [self.tables.number[t] for t in self.sentence.slots[slot]]
        before = tuple(s for s in given if s == self.tables.number[INITIAL])
        after = tuple(s for s in given if s == self.tables.number[FINAL])
        boundary = {*before, *after}
        known: dict[Symbols, int] = {}
        chosen = np.zeros(self.count, np.int64)
        some = [label for label in labels if label.any()]
        if not some:
            return _Slot([()], chosen)
        meeting, kind = _kinds(np.stack(some, 1))
        order = np.argsort(kind.astype(np.int32), kind="stable")
        ends = np.bincount(kind).cumsum()
        for row, members in zip(meeting.tolist(), np.split(order, ends[:-1]), strict=True):
            tokens = tuple(s for label in row for s in self.tables.spelt[label])
            strings = {tokens: len(members)}
            if tokens and (boundary or len(tokens) > 1 or self.tables.number[OPEN] in tokens):
                underlying = (*before, *tokens, *after)
                strings = rewritten(self.tables.rewriter, underlying, len(members), self.generator)
            # Draws with the same underlying string differ elsewhere: none is the first.
            if len(strings) > 1:
                members = self.generator.permutation(members)
            start = 0
            for string, times in strings.items():
                shown = tuple(s for s in string if s not in boundary)
                chosen[members[start : start + times]] = known.setdefault(shown, len(known))
                start += times
        return _Slot(list(known), chosen)


class _Slot(NamedTuple):
    """The surface symbols of a slot: different strings, and which of them each draw has."""

    strings: list[Symbols]
    chosen: Ints


def _members(strings: Sequence[Symbols], words: int) -> Bits:
    """``[strings, words]`` the symbols of each string as bits."""
    table = np.zeros((len(strings), words), np.uint64)
    for row, string in zip(table, strings, strict=True):
        for s in string:
            row[s // 64] |= np.uint64(1 << (s % 64))
    return table


def _kinds(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Ints]:
    """The different rows of ``[draws, columns]``, and which of them each is."""
    columns = rows.shape[1]
    largest = int(rows.max()) + 1 if columns > 1 else 1
    if largest**columns > 1 << 62:
        found, kind = np.unique(rows, axis=0, return_inverse=True)
        return found, kind.ravel()
    # One number a row, which sorts much faster.
    code = rows[:, 0]
    for column in rows.T[1:]:
        code = code * largest + column
    _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    return rows[first], kind


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
            # Of a long string no list of outcomes can be kept: its draws are split edit by edit.
            send = _sent if len(string) <= SHORT else _split
            for written, share in send(one, string, times, generator):
                following[written] = following.get(written, 0) + share
        strings = following
    return _spelt(rewriter, strings, generator)


def _sent(
    one: Pass, string: Symbols, count: int, generator: np.random.Generator
) -> Iterator[tuple[Symbols, int]]:
    """Split a count over the outcomes of one pass."""
    outcomes, cumulative = one.distribution(string)
    if count == 1:
        yield outcomes[int(np.searchsorted(cumulative, generator.random(), "right"))], 1
        return
    drawn = np.searchsorted(cumulative, generator.random(count), "right")
    for outcome, times in zip(outcomes, np.bincount(drawn).tolist(), strict=False):
        if times:
            yield outcome, times


def _split(
    one: Pass, string: Symbols, count: int, generator: np.random.Generator
) -> Iterator[tuple[Symbols, int]]:
    """The same, edit by edit."""
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
