"""All arc-standard derivations of a tiny sentence, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

SHIFT, LEFT, RIGHT = 0, 1, 2


@dataclass(frozen=True)
class State:
    """A stack of words, and all arcs made so far as (head, dependent, label), in order."""

    stack: tuple[int, ...] = ()
    following: int = 1
    arcs: tuple[tuple[int, int, int], ...] = ()

    def top(self, i: int) -> int:
        """Return the i-th word from the top of the stack, 0 for none."""
        return self.stack[-1 - i] if i < len(self.stack) else 0

    def outermost(self, head: int, side: int) -> list[tuple[int, int]]:
        """Return the dependents of a word on one side with their labels, the latest first."""
        arcs = [(d, label) for h, d, label in self.arcs if h == head]
        return [x for x in arcs if (x[0] < head) == (side == LEFT)][::-1]


def successors(state: State, n: int, labels: int) -> Iterator[tuple[int, int, State]]:
    """Return all actions with their labels, and the resulting states."""
    if state.following <= n:
        shifted = (*state.stack, state.following)
        yield SHIFT, 0, replace(state, stack=shifted, following=state.following + 1)
    if len(state.stack) >= 2:
        *below, second, first = state.stack
        for action, head, dependent in ((LEFT, first, second), (RIGHT, second, first)):
            for label in range(labels):
                arcs = (*state.arcs, (head, dependent, label))
                yield action, label, State((*below, head), state.following, arcs)


Score = Callable[[State, int, int], float]


def derivations(
    n: int, labels: int, score: Score
) -> Iterator[tuple[float, tuple[tuple[int, int], ...], State]]:
    """Return all derivations: score, actions with labels, final state."""

    def extend(state: State, total: float, actions: tuple[tuple[int, int], ...]):
        if len(actions) == 2 * n - 1:
            yield total, actions, state
            return
        for action, label, after in successors(state, n, labels):
            more = total + score(state, action, label)
            yield from extend(after, more, (*actions, (action, label)))

    yield from extend(State(), 0.0, ())


def beam(n: int, labels: int, score: Score, width: int) -> list[list[tuple[float, State]]]:
    """Search step by step; of arcs that differ only in the label, the best is kept."""
    steps = [[(0.0, State())]]
    for _ in range(2 * n - 1):
        candidates: list[tuple[float, State]] = []
        for total, state in steps[-1]:
            for action in (SHIFT, LEFT, RIGHT):
                labelled = [
                    (total + score(state, a, label), after)
                    for a, label, after in successors(state, n, labels)
                    if a == action
                ]
                candidates += [max(labelled, key=lambda x: x[0])] if labelled else []
        steps.append(sorted(candidates, key=lambda x: -x[0])[:width])
    return steps
