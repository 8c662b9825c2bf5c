"""The surface marks to the left of a slot, summarised in a state of four numbers.

Templates over this state let a model generate from left to right
(docs/decisions/punctuation-model.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from semipunct.arrays.unique_rows import Ints, Numbering, RowCache, unique_rows
from semipunct.features.vocabulary import Vocabulary
from semipunct.features.words import SPANS, Words, span_class
from semipunct.marks import UNK, Puncteme
from semipunct.marks.matching import REMEMBERED

# Cap on the number of marked slots.
MOST = 5

# The last marked slot if there is none.
NOWHERE = -1

# Columns of the history at a slot: the last mark, the number of marked slots, the innermost open
# mark, and the distance to the last mark.
SEEN = ("seen", "marked", "open", "since")

# The columns for features of a left puncteme.
OPENING = tuple(f"left_{name}" for name in SEEN)

# The columns for features of a right puncteme: ``edge`` is the first token at the constituent's
# left edge, ``last_place`` the position of the last mark relative to the constituent.
CLOSING = (*(f"right_{name}" for name in SEEN), "edge", "last_place")

_DEEPEST = 8  # maximum number of open marks in a stack: text nests no deeper, and stacks stay few
_SINCE = span_class(np.maximum(np.arange(512), 1))  # larger distances are in the last class


class Histories(NamedTuple):
    """The distinct histories at a slot over many samples.

    Attributes:
        seen: ``[kinds, columns]`` the columns ``SEEN``.
        state: ``[sentences, draws]`` the state of each sample.
        kind_of_state: ``[states]`` rows of ``seen``.
        last_marked: ``[states]``.
    """

    seen: Ints
    state: Ints
    kind_of_state: Ints
    last_marked: Ints

    @property
    def kind(self) -> Ints:
        return self.kind_of_state[self.state]

    def last_place(self, edges: Ints) -> Ints:
        """Locate the last mark relative to constituents that begin at ``edges``.

        Returns:
            ``[edges, states]``: 0 for no mark, 1 before the constituent, 2 at its left edge, 3
            within it.
        """
        return _last_place(self.last_marked, edges[:, None])


class MarkHistory:
    """The states of many sentences, or samples of sentences, after the slots read so far.

    Few strings, stacks of open marks and states are distinct, so they are numbered; ``ends`` are
    codes of the first and last token of strings.
    """

    def __init__(self, shape: tuple[int, ...], vocabulary: Vocabulary) -> None:
        def ends(strings: list[Puncteme]) -> Ints:
            firsts, lasts = ([s[i] if s else None for s in strings] for i in (0, -1))
            return np.stack([token_codes(tokens, vocabulary) for tokens in (firsts, lasts)], 1)

        def innermost(stacks: list[Puncteme]) -> Ints:
            return token_codes([s[-1] if s else None for s in stacks], vocabulary)

        self.strings = Numbering[Puncteme](())
        self.ends = RowCache(self.strings, ends)
        self._stacks = Numbering[Puncteme](())
        self._innermost = RowCache(self._stacks, innermost)
        self._opened_after = _OpenedAfter(self._stacks, self.strings, vocabulary)
        # The last mark, the number of marked slots, the stack of open marks, the last marked slot.
        nothing = int(self.ends[np.zeros(1, np.int64)][0, 1])
        self._columns = np.array([[nothing, 0, 0, NOWHERE]], np.int64)
        self._state = np.zeros(shape, np.int64)

    def seen_columns(self, slot: int) -> list[Ints]:
        """Return the columns ``SEEN`` before a slot, in the shape of the states."""
        return self._seen(slot, self._columns[self._state])

    def distinct(self, slot: int) -> Histories:
        states = self._state.ravel()
        first, state = unique_rows(states)
        columns = self._columns[states[first]]
        seen = self._seen(slot, columns)
        some, kind = unique_rows(*seen)
        return Histories(
            np.stack(seen, 1)[some], state.reshape(self._state.shape), kind, columns[:, 3]
        )

    @property
    def last_marked(self) -> Ints:
        return self._columns[self._state][..., 3]

    def read(self, slot: int, shown: Ints) -> None:
        """Advance the states past a slot with the strings numbered ``shown``."""
        where = shown.nonzero()
        if not len(where[0]):
            return
        states, marks = self._state[where], shown[where]
        first, kind = unique_rows(states, marks)
        before, strings = self._columns[states[first]], marks[first]
        some, pair = unique_rows(before[:, 2], strings)
        after = zip(before[some, 2].tolist(), strings[some].tolist(), strict=True)
        opened = np.array([self._opened_after[stack] for stack in after], np.int64)[pair]
        marked = np.minimum(before[:, 1] + 1, MOST)
        last = self.ends[strings][:, 1]
        # The last marked slot of the new states is this one, so they differ from all earlier ones.
        some, number = unique_rows(last, marked, opened)
        columns = np.stack([last, marked, opened, np.full(len(last), slot)], 1)[some]
        self._state[where] = (len(self._columns) + number)[kind]
        self._columns = np.concatenate([self._columns, columns])

    def select(self, which: Ints) -> None:
        self._state = self._state[..., which]

    def keep(self, count: int) -> None:
        """Keep the first sentences; the others have ended."""
        self._state = self._state[:count]

    def _seen(self, slot: int, columns: Ints) -> list[Ints]:
        last, marked, opened, at = (columns[..., i] for i in range(4))
        since = _SINCE[np.minimum(slot - np.maximum(at, 0), len(_SINCE) - 1)]
        return [last, marked, self._innermost[opened], since]


class _OpenedAfter(dict[tuple[int, int], int]):
    """A cache of the number of the stack after a stack and a string."""

    def __init__(
        self, stacks: Numbering[Puncteme], strings: Numbering[Puncteme], vocabulary: Vocabulary
    ) -> None:
        super().__init__()
        self._stacks, self._strings, self._vocabulary = stacks, strings, vocabulary

    def __missing__(self, key: tuple[int, int]) -> int:
        stack, string = key
        marks = self._vocabulary.replace_unknown("token", self._strings.items[string])
        opened = REMEMBERED.after(self._stacks.items[stack], marks)[-_DEEPEST:]
        self[key] = number = self._stacks.number(opened)
        return number


def history_columns(words: Words, vocabulary: Vocabulary) -> dict[str, Ints]:
    """Return the history at both edges of each constituent, ``[words]`` each."""
    # Longest first, so that the sentences that still have a slot come first.
    order = sorted(range(len(words.sentences)), key=lambda i: -len(words.sentences[i].slots))
    ordered = [words.sentences[i].slots for i in order]
    lengths = np.array([len(slots) for slots in ordered], np.int64)
    history = MarkHistory((len(ordered),), vocabulary)
    start = np.empty(len(ordered), np.int64)
    start[order] = lengths.cumsum() - lengths
    total = int(lengths.sum())
    seen, at = np.empty((total, len(SEEN)), np.int64), np.empty(total, np.int64)
    shown = np.fromiter(
        (history.strings.number(slot) for slots in ordered for slot in slots), np.int64, total
    )
    place = lengths.cumsum() - lengths
    alive = len(ordered)
    for slot in range(int(lengths.max(initial=0))):
        alive = int(np.searchsorted(-lengths[:alive], -slot, side="left"))
        history.keep(alive)
        rows = place[:alive] + slot
        seen[rows] = np.stack(history.seen_columns(slot), 1)
        at[rows] = history.last_marked
        history.read(slot, shown[rows])
    left, right = (start[words.sentence] + edge for edge in (words.left, words.right))
    last = at[right]
    return {
        **{f"left_{name}": seen[left, i] for i, name in enumerate(SEEN)},
        **{f"right_{name}": seen[right, i] for i, name in enumerate(SEEN)},
        "edge": history.ends[shown[left]][:, 0],
        "last_place": _last_place(last, words.left),
    }


def history_codes(vocabulary: Vocabulary) -> dict[str, int]:
    """Return the number of codes of each column."""
    token = vocabulary.size("token") + 1
    seen = {"seen": token, "since": SPANS, "marked": MOST + 1, "open": token}
    return {
        **{f"{side}_{name}": size for side in ("left", "right") for name, size in seen.items()},
        "edge": token,
        "last_place": 4,
    }


def token_codes(tokens: Sequence[str | None], vocabulary: Vocabulary) -> Ints:
    """Return the codes of tokens; None has a code of its own."""
    codes = vocabulary.code("token", [t or UNK for t in tokens])
    return np.where([t is None for t in tokens], vocabulary.size("token"), codes)


def _last_place(at: Ints, edge: Ints) -> Ints:
    return np.where(at == NOWHERE, 0, 2 + np.sign(at - edge))
