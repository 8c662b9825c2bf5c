"""The channel at one slot: the edits that rewrite an underlying string as a surface string.

A dynamic program over dictionaries explains results of slot automata edit by edit (section 2.2 and
appendix D of Li, Wang and Eisner 2019). A state is the pending symbol and the output so far. Given
a surface, there are as many states as symbols times prefixes; otherwise as many as outcomes, which
may be exponential in the number of tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.programs import jit
from semipunct.marks import EDITS, OPEN, Edit, Puncteme
from semipunct.marks.edits import move
from semipunct.models.base import Weights
from semipunct.models.punctuation.channel import CHANNEL, log_edits
from semipunct.models.punctuation.inventory import Inventory
from semipunct.models.punctuation.model import PunctuationModel

Floats = npt.NDArray[np.float64]
String = tuple[int, ...]
"""Symbols in text order."""

W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The rewriting of a slot."""

    log_probability: float  # log p(x | u), summed over edit paths
    edits: tuple[Edit, ...]  # the most probable path


class Paths(NamedTuple):
    """A set of edit paths as a value of a semiring."""

    log_sum: float  # log weight of all paths
    log_best: float  # log weight of the best path
    # the best path: edits, and the symbols of their windows in text order
    edits: tuple[tuple[int, int, int], ...] = ()

    def plus(self, alternative: Paths) -> Paths:
        """Unite two sets; ties between best paths go to this set."""
        log_sum = float(np.logaddexp(self.log_sum, alternative.log_sum))
        return Paths(log_sum, *(alternative if alternative.log_best > self.log_best else self)[1:])

    def times(self, continuation: Paths) -> Paths:
        """Concatenate each path with each path of another set."""
        pairs: Any = zip(self, continuation, strict=True)
        return Paths(*(a + b for a, b in pairs))


NO_PATH = Paths(-math.inf, -math.inf)
EMPTY_PATH = Paths(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Rewriter:
    """The channel as tables of edit probabilities."""

    inventory: Inventory
    passes: tuple[WindowPass, ...]

    @classmethod
    def of(cls, model: PunctuationModel, parameters: Weights) -> Rewriter:
        weights = {n: w for n, w in parameters.items() if n.startswith(CHANNEL)}
        tables = np.asarray(_tables(model, weights), np.float64)
        pairs = zip(model.directions, tables, strict=True)
        passes = tuple(WindowPass(model.inventory, mirrored, table) for mirrored, table in pairs)
        return cls(model.inventory, passes)

    def explain(self, underlying: Puncteme, surface: Puncteme) -> Rewriting:
        """Sum over the edit paths between two strings of a slot, and find the best one.

        Both strings include boundary marks.
        """
        if not underlying or not surface:
            return Rewriting(0.0 if underlying == surface else -math.inf, ())
        number = {s: i for i, s in enumerate(self.inventory.symbols)}
        # The open puncteme has its own symbol; any other unknown token is UNK.
        u = tuple(number[OPEN] if t == OPEN else self.inventory.encode((t,))[0] for t in underlying)
        # The strings between passes are unknown, so all outcomes of earlier passes are enumerated.
        # The last pass has a known outcome, so only its prefixes are considered.
        strings = {u: EMPTY_PATH}
        for window_pass in self.passes[:-1]:
            strings = _outcomes_of_all(window_pass, strings)
        x = self.inventory.encode(surface)
        total = NO_PATH
        for string, paths in strings.items():
            total = total.plus(paths.times(self.passes[-1].paths(string, x)))
        names = self.inventory.symbols
        edits = tuple(Edit(EDITS[e], names[a], names[b]) for e, a, b in total.edits)
        return Rewriting(total.log_sum, edits)


@partial(jit, static=1)
def _tables(model: PunctuationModel, parameters: Weights) -> jax.Array:
    """Return the edit probabilities of all passes, ``[passes, edits, symbols, symbols]``."""
    passes = range(len(model.directions))
    symbols = model.inventory.symbols
    edits = [log_edits(parameters, i, symbols, model.options) for i in passes]
    return jnp.stack([jnp.stack(pass_) for pass_ in edits])


def _outcomes_of_all(window_pass: WindowPass, strings: dict[String, Paths]) -> dict[String, Paths]:
    outcomes: dict[String, Paths] = {}
    for string, before in strings.items():
        for written, paths in window_pass.outcomes(string).items():
            outcomes[written] = outcomes.get(written, NO_PATH).plus(before.times(paths))
    return outcomes


@dataclass(frozen=True)
class WindowPass:
    """One pass of the sliding window: a transducer with one pending symbol."""

    inventory: Inventory
    mirrored: bool  # whether the window moves from right to left
    log_probability: Floats  # [edits, symbols, symbols], in text order

    @cached_property
    def cumulative(self) -> Floats:
        """Cumulative probabilities of edits, ``[symbols, symbols, edits]``, in text order."""
        # The edits of a window are consecutive in memory, because each draw reads all of them.
        sums = np.exp(self.log_probability).cumsum(0)
        return np.ascontiguousarray(sums.transpose(1, 2, 0))

    def paths(self, underlying: String, surface: String) -> Paths:
        """Return the edit paths from one non-empty string to another."""
        # The output must be a prefix of x, so it is represented by its length ``start``. Only open
        # punctemes write more than one token, weighted by the spelling.
        x = self._reading_order(surface)

        def write(start: int, symbol: int) -> list[tuple[int, float]]:
            # At least one token of x must remain for the pending symbol, which is written last.
            longest = len(x) if self._is_open(symbol) else min(start + 2, len(x))
            ends = range(start + 1, longest)
            return [(end, self._log_written(symbol, x, start, end)) for end in ends]

        total = NO_PATH
        for (pending, start), paths in self._states(underlying, 0, write).items():
            log_p = self._log_written(pending, x, start, len(x))
            total = total.plus(paths.times(Paths(log_p, log_p)))
        return total

    def outcomes(self, underlying: String) -> dict[String, Paths]:
        """Return all possible outcomes, with open punctemes as symbols."""

        def write(written: String, symbol: int) -> list[tuple[String, float]]:
            return [((*written, symbol), 0.0)]

        states = self._states(underlying, (), write)
        return {
            self._reading_order((*written, pending)): paths
            for (pending, written), paths in states.items()
        }

    def likeliest(self, underlying: String) -> String:
        """Return the outcome of the most probable edit path, in linear time."""
        # Edits depend on the window alone, so one best path is kept for each pending symbol
        # (Viterbi). The most probable string would need the sum over all paths that write it, for
        # exponentially many strings (docs/decisions/papers.md).
        first, *following_symbols = self._reading_order(underlying)
        nothing: String = ()
        best = {first: (0.0, nothing)}
        for symbol in following_symbols:
            following: dict[int, tuple[float, String]] = {}
            for pending, (log_p, written) in best.items():
                for step, stays, writes in self._moves(pending, symbol):
                    longer = log_p + step.log_best
                    if stays not in following or longer > following[stays][0]:
                        output = written if writes is None else (*written, writes)
                        following[stays] = longer, output
            best = following
        pending, (_, written) = max(best.items(), key=lambda item: item[1][0])
        return self._reading_order((*written, pending))

    def _states(
        self, underlying: String, nothing: W, write: Callable[[W, int], Iterable[tuple[W, float]]]
    ) -> dict[tuple[int, W], Paths]:
        """Return the paths to each pair of pending symbol and output, for a non-empty string.

        ``write`` returns the possible outputs after writing a symbol, with log weights.
        """
        # The forward algorithm of a transducer. alpha_i(a, o) are the paths with a pending and o
        # written after i symbols; b is the next symbol of the string::
        #   alpha_i+1(b, o a) += alpha_i(a, o) keep[a, b]        alpha_i+1(b, o) += .. absorb_left
        #   alpha_i+1(a, o b) += alpha_i(a, o) transpose[a, b]   alpha_i+1(a, o) += .. absorb_right
        # Outputs are keys of a dictionary, because they are unknown without a given surface.
        first, *following_symbols = self._reading_order(underlying)
        states = {(first, nothing): EMPTY_PATH}
        for symbol in following_symbols:
            following: dict[tuple[int, W], Paths] = {}
            for (pending, output), paths in states.items():
                for step, stays, written in self._moves(pending, symbol):
                    longer = paths.times(step)
                    outputs = [(output, 0.0)] if written is None else write(output, written)
                    for after, log_p in outputs:
                        known_paths = following.get((stays, after), NO_PATH)
                        following[stays, after] = known_paths.plus(
                            longer.times(Paths(log_p, log_p))
                        )
            states = following
        return states

    def _moves(self, pending: int, symbol: int) -> Iterator[tuple[Paths, int, int | None]]:
        """Yield each possible edit, the pending symbol after it, and the symbol it writes."""
        # Tables are in text order, but a mirrored window reads the right token first.
        a, b = (symbol, pending) if self.mirrored else (pending, symbol)
        pair = pending, symbol
        for e, name in enumerate(EDITS):
            log_p = float(self.log_probability[e, a, b])
            if log_p > -math.inf:
                stays, written = move(name, mirrored=self.mirrored)
                writes = None if written is None else pair[written]
                yield Paths(log_p, log_p, ((e, a, b),)), pair[stays], writes

    def _reading_order(self, string: String) -> String:
        return string[::-1] if self.mirrored else string

    def _is_open(self, symbol: int) -> bool:
        return self.inventory.symbols[symbol] == OPEN

    def _log_written(self, symbol: int, x: String, start: int, end: int) -> float:
        if not self._is_open(symbol):
            return 0.0 if end == start + 1 and x[start] == symbol else -math.inf
        # The spelling model is a distribution over strings in text order.
        return self.inventory.spelling.log_probability(self._reading_order(x[start:end]))
