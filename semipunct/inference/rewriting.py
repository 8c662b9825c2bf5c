"""One slot, forward: how the channel turns an underlying string into a surface string."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semipunct.marks import EDITS, OPEN, Edit, Puncteme
from semipunct.marks.edits import move
from semipunct.models.punctuation.channel import log_edits
from semipunct.models.punctuation.inventory import Inventory
from semipunct.models.punctuation.model import Parameters, PunctuationModel

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The rewriting of a slot.

    Attributes:
        log_probability: log p(x | u), summed over edit paths.
        edits: the most probable path, in the order made; empty if there is none.
    """

    log_probability: float
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Rewriter:
    """The channel as tables.

    Attributes:
        inventory: the alphabet.
        passes: its passes, first to last.
    """

    inventory: Inventory
    passes: tuple[Pass, ...]

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Parameters) -> Rewriter:
        """Read the edit probabilities off a model."""
        passes: list[Pass] = []
        for i, mirrored in enumerate(model.directions):
            edits = log_edits(parameters, i, model.inventory.symbols, model.options)
            table = np.stack([np.asarray(e, np.float64) for e in edits])
            passes.append(Pass(model.inventory, mirrored, table))
        return cls(model.inventory, tuple(passes))

    @property
    def log_probability(self) -> npt.NDArray[np.float64]:
        """``[edits, symbols, symbols]`` in text order, of the first pass."""
        return self.passes[0].log_probability

    def explain(self, underlying: Puncteme, surface: Puncteme) -> Rewriting:
        """Sum over, and choose among, the edit paths between two strings of a slot.

        Args:
            underlying: the tokens that meet there, boundary marks included.
            surface: what readers see, likewise.
        """
        if not underlying or not surface:
            return Rewriting(0.0 if underlying == surface else -math.inf, ())
        number = {s: i for i, s in enumerate(self.inventory.symbols)}
        # The open puncteme's symbol is its own; any other unknown token is UNK.
        u = tuple(number[OPEN] if t == OPEN else self.inventory.encode((t,))[0] for t in underlying)
        strings: dict[tuple[int, ...], _Paths] = {u: (0.0, 0.0, ())}
        for one in self.passes[:-1]:
            strings = _after(one, strings)
        x = self.inventory.encode(surface)
        total, best, path = -math.inf, -math.inf, ()
        for string, (log_sum, log_best, edits) in strings.items():
            last_sum, last_best, last_edits = self.passes[-1].paths(string, x)
            total = float(np.logaddexp(total, log_sum + last_sum))
            if log_best + last_best > best:
                best, path = log_best + last_best, (*edits, *last_edits)
        names = self.inventory.symbols
        return Rewriting(total, tuple(Edit(EDITS[e], names[a], names[b]) for e, a, b in path))


def _after(one: Pass, strings: dict[tuple[int, ...], _Paths]) -> dict[tuple[int, ...], _Paths]:
    """What a pass that is not the last makes of strings."""
    result: dict[tuple[int, ...], _Paths] = {}
    for string, (log_sum, log_best, edits) in strings.items():
        for written, (more_sum, more_best, more) in one.outcomes(string).items():
            old = result.get(written, (-math.inf, -math.inf, ()))
            better = log_best + more_best > old[1]
            result[written] = (
                float(np.logaddexp(old[0], log_sum + more_sum)),
                log_best + more_best if better else old[1],
                (*edits, *more) if better else old[2],
            )
    return result


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of the sliding window.

    Attributes:
        inventory: the alphabet.
        mirrored: whether the window moves from right to left.
        log_probability: ``[edits, symbols, symbols]`` in text order.
    """

    inventory: Inventory
    mirrored: bool
    log_probability: npt.NDArray[np.float64]

    def paths(self, underlying: tuple[int, ...], surface: tuple[int, ...]) -> _Paths:
        """Log sum over the edit paths between two strings, log weight of the best, its edits."""
        u, x = (s[::-1] if self.mirrored else s for s in (underlying, surface))
        # From (pending symbol, surface tokens written) to (log sum, log best, path).
        states: _States = {(u[0], 0): (0.0, 0.0, ())}
        for symbol in u[1:]:
            states = self._read(states, symbol, x)
        total, best, path = -math.inf, -math.inf, ()
        for (pending, written), (log_sum, log_best, edits) in states.items():
            weight = self._write(pending, x, written, len(x))
            total = float(np.logaddexp(total, log_sum + weight))
            if log_best + weight > best:
                best, path = log_best + weight, edits
        return total, best, path

    def outcomes(self, underlying: tuple[int, ...]) -> dict[tuple[int, ...], _Paths]:
        """All strings that this pass makes of one, the open puncteme's symbol left as it is."""
        u = underlying[::-1] if self.mirrored else underlying
        # From (pending symbol, symbols written) to (log sum, log best, path).
        states: dict[tuple[int, tuple[int, ...]], _Paths] = {(u[0], ()): (0.0, 0.0, ())}
        for symbol in u[1:]:
            following: dict[tuple[int, tuple[int, ...]], _Paths] = {}
            for (pending, written), (log_sum, log_best, edits) in states.items():
                a, b = (symbol, pending) if self.mirrored else (pending, symbol)
                for e in range(len(EDITS)):
                    weight = float(self.log_probability[e, a, b])
                    if weight == -math.inf:
                        continue
                    stays, writes = self._effect(e, pending, symbol)
                    key = stays, (*written, *writes)
                    old = following.get(key, (-math.inf, -math.inf, ()))
                    better = log_best + weight > old[1]
                    following[key] = (
                        float(np.logaddexp(old[0], log_sum + weight)),
                        log_best + weight if better else old[1],
                        (*edits, (e, a, b)) if better else old[2],
                    )
            states = following
        result: dict[tuple[int, ...], _Paths] = {}
        for (pending, written), paths in states.items():
            string = (*written, pending)
            result[string[::-1] if self.mirrored else string] = paths
        return result

    def _effect(self, edit: int, pending: int, symbol: int) -> tuple[int, tuple[int, ...]]:
        """The pending symbol after an edit, and what the edit writes."""
        stays, written = move(EDITS[edit], mirrored=self.mirrored)
        both = pending, symbol
        return both[stays], () if written is None else (both[written],)

    def _read(self, states: _States, symbol: int, x: Sequence[int]) -> _States:
        following: _States = {}
        for (pending, written), (log_sum, log_best, path) in states.items():
            a, b = (symbol, pending) if self.mirrored else (pending, symbol)
            for e in range(len(EDITS)):
                weight = float(self.log_probability[e, a, b])
                if weight == -math.inf:
                    continue
                for state, spelt in self._states_after(e, pending, symbol, written, x):
                    old = following.get(state, (-math.inf, -math.inf, ()))
                    new_best = log_best + weight + spelt
                    better = new_best > old[1]
                    following[state] = (
                        float(np.logaddexp(old[0], log_sum + weight + spelt)),
                        new_best if better else old[1],
                        (*path, (e, a, b)) if better else old[2],
                    )
        return following

    def _states_after(
        self, edit: int, pending: int, symbol: int, written: int, x: Sequence[int]
    ) -> list[tuple[tuple[int, int], float]]:
        """States after an edit, with the log weight of what it writes."""
        stays, writes = self._effect(edit, pending, symbol)
        if not writes:
            return [((stays, written), 0.0)]
        longest = len(x) if self._is_open(writes[0]) else min(written + 2, len(x))
        ends = range(written + 1, longest)
        return [((stays, end), self._write(writes[0], x, written, end)) for end in ends]

    def _is_open(self, symbol: int) -> bool:
        return self.inventory.symbols[symbol] == OPEN

    def _write(self, symbol: int, x: Sequence[int], start: int, end: int) -> float:
        """Log weight of a symbol being written as ``x[start:end]``."""
        if not self._is_open(symbol):
            return 0.0 if end == start + 1 and x[start] == symbol else -math.inf
        text = x[start:end][::-1] if self.mirrored else x[start:end]
        return self.inventory.spelling.log_probability(text)


_Paths = tuple[float, float, tuple[tuple[int, int, int], ...]]
_States = dict[tuple[int, int], _Paths]
