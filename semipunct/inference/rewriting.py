"""One slot, forward: how the channel turns an underlying string into a surface string."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from semipunct.marks import OPEN
from semipunct.model.channel import EDITS, log_edits
from semipunct.model.inventory import Inventory
from semipunct.model.punctuation import Parameters, PunctuationModel
from semipunct.treebank.sentences import Puncteme


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of a window ``ab`` (a left of b in the text)."""

    edit: str
    a: str
    b: str


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
        mirrored: whether the window moves from right to left.
        log_probability: ``[edits, symbols, symbols]`` in text order.
    """

    inventory: Inventory
    mirrored: bool
    log_probability: npt.NDArray[np.float64]
    _known: dict[tuple[Puncteme, Puncteme], Rewriting] = field(
        default_factory=dict[tuple[Puncteme, Puncteme], Rewriting]
    )

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Parameters) -> Rewriter:
        """Read the edit probabilities off a model."""
        edits = log_edits(parameters, 0, model.inventory.symbols, model.options)
        table = np.stack([np.asarray(e, np.float64) for e in edits])
        return cls(model.inventory, model.mirrored, table)

    def explain(self, underlying: Puncteme, surface: Puncteme) -> Rewriting:
        """Sum over, and choose among, the edit paths from ``underlying`` to ``surface``."""
        key = underlying, surface
        if key not in self._known:
            self._known[key] = self._explain(underlying, surface)
        return self._known[key]

    def _explain(self, underlying: Puncteme, surface: Puncteme) -> Rewriting:
        if not underlying or not surface:
            return Rewriting(0.0 if underlying == surface else -math.inf, ())
        number = {s: i for i, s in enumerate(self.inventory.symbols)}
        # The open puncteme's symbol is its own; any other unknown token is UNK.
        u = [number[OPEN] if t == OPEN else self.inventory.encode((t,))[0] for t in underlying]
        x = list(self.inventory.encode(surface))
        if self.mirrored:
            u.reverse()
            x.reverse()
        # From (pending symbol, surface tokens written) to (log sum, log best, path).
        states = {(u[0], 0): (0.0, 0.0, ())}
        for symbol in u[1:]:
            states = self._read(states, symbol, x)
        total, best, path = -math.inf, -math.inf, ()
        for (pending, written), (log_sum, log_best, edits) in states.items():
            weight = self._write(pending, x, written, len(x))
            total = float(np.logaddexp(total, log_sum + weight))
            if log_best + weight > best:
                best, path = log_best + weight, edits
        names = self.inventory.symbols
        return Rewriting(total, tuple(Edit(EDITS[e], names[a], names[b]) for e, a, b in path))

    def _read(self, states: _States, symbol: int, x: Sequence[int]) -> _States:
        following: _States = {}
        for (pending, written), (log_sum, log_best, path) in states.items():
            a, b = (symbol, pending) if self.mirrored else (pending, symbol)
            for e in range(len(EDITS)):
                weight = float(self.log_probability[e, a, b])
                if weight == -math.inf:
                    continue
                for state, spelt in self._outcomes(e, pending, symbol, written, x):
                    old = following.get(state, (-math.inf, -math.inf, ()))
                    new_best = log_best + weight + spelt
                    better = new_best > old[1]
                    following[state] = (
                        float(np.logaddexp(old[0], log_sum + weight + spelt)),
                        new_best if better else old[1],
                        (*path, (e, a, b)) if better else old[2],
                    )
        return following

    def _outcomes(
        self, edit: int, pending: int, symbol: int, written: int, x: Sequence[int]
    ) -> list[tuple[tuple[int, int], float]]:
        """States after an edit, with the log weight of what it writes."""
        name = EDITS[edit]
        if name in ("absorb_left", "absorb_right"):
            # Text order: "left" is the first of the window, which the mirror reads second.
            survives = symbol if (name == "absorb_left") != self.mirrored else pending
            return [((survives, written), 0.0)]
        writes, stays = (pending, symbol) if name == "keep" else (symbol, pending)
        ends = range(written + 1, len(x) if self._is_open(writes) else min(written + 2, len(x)))
        return [((stays, end), self._write(writes, x, written, end)) for end in ends]

    def _is_open(self, symbol: int) -> bool:
        return self.inventory.symbols[symbol] == OPEN

    def _write(self, symbol: int, x: Sequence[int], start: int, end: int) -> float:
        """Log weight of a symbol being written as ``x[start:end]``."""
        if not self._is_open(symbol):
            return 0.0 if end == start + 1 and x[start] == symbol else -math.inf
        text = x[start:end][::-1] if self.mirrored else x[start:end]
        return self.inventory.spelling.log_probability(text)


_States = dict[tuple[int, int], tuple[float, float, tuple[tuple[int, int, int], ...]]]
