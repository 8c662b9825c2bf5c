"""The surface marks to the left of a slot, summarised in a state of four numbers.

With templates of these numbers a model generates from left to right: a constituent's left puncteme
is drawn where the constituent begins, given the marks so far; its right puncteme is drawn where it
ends, given those marks, the marks within, and the left puncteme. The same state serves for features
of complete sentences and for samplers of incomplete ones.

docs/decisions/punctuation-model.md derives the factorisation and compares it with ``c``.
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

MOST = 5
"""Larger numbers of marked slots are not distinguished."""

NOWHERE = -1
"""The value for the last marked slot if there is none."""

SEEN = ("seen", "marked", "open", "since")
"""The columns of the history at a slot: the last mark, the number of marked slots, the innermost
mark that is not closed yet, and the distance to the last mark."""

OPENING = tuple(f"left_{name}" for name in SEEN)
"""The columns available to features of a left puncteme."""

CLOSING = (*(f"right_{name}" for name in SEEN), "edge", "last_place")
"""The columns available to features of a right puncteme: ``edge`` is the first token where the
constituent begins, ``last_place`` the position of the last mark relative to the constituent."""

_DEEPEST = 8  # maximum number of open marks in a stack: text nests no deeper, and stacks stay few
_SINCE = span_class(np.maximum(np.arange(512), 1))  # larger distances are in the last class


class Histories(NamedTuple):
    """The distinct histories at a slot, for many samples of which few differ.

    Attributes:
        seen: ``[kinds, columns]`` the columns ``SEEN``.
        state: ``[sentences, draws]`` the state number of each sample.
        kind_of_state: ``[states]`` the row of ``seen`` of each state.
        last_marked: ``[states]`` the last slot with a mark, ``NOWHERE`` without one.
    """

    seen: Ints
    state: Ints
    kind_of_state: Ints
    last_marked: Ints

    @property
    def kind(self) -> Ints:
        """``[sentences, draws]`` the row of ``seen`` of each sample."""
        return self.kind_of_state[self.state]

    def last_place(self, edges: Ints) -> Ints:
        """Return the position of the last mark relative to constituents that end.

        Args:
            edges: ``[edges]`` the slots where the constituents begin.

        Returns:
            ``[edges, states]``: 0 if there is none, 1 before the constituent, 2 at its beginning,
            3 within it.
        """
        return _last_place(self.last_marked, edges[:, None])


class MarkHistory:
    """The state after the slots so far, for many sentences or many samples of sentences.

    Surface strings, stacks of open marks and states are numbered: among many samples, few are
    distinct.

    Attributes:
        strings: the surface strings encountered so far.
        ends: ``[strings, 2]`` codes of the first and last token of each string.
    """

    def __init__(self, shape: tuple[int, ...], vocabulary: Vocabulary) -> None:
        """Initialise the states before the first slot.

        Args:
            shape: shape of the array of states.
            vocabulary: codes of tokens.
        """

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
        """Return the columns ``SEEN`` before a slot, in the shape of the states.

        Args:
            slot: 0 to n.
        """
        return self._seen(slot, self._columns[self._state])

    def distinct(self, slot: int) -> Histories:
        """Return the distinct histories before a slot.

        Args:
            slot: 0 to n.
        """
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
        """The last slot with a mark, ``NOWHERE`` without one."""
        return self._columns[self._state][..., 3]

    def read(self, slot: int, shown: Ints) -> None:
        """Advance the states past a slot.

        Args:
            slot: 0 to n.
            shown: numbers of the strings in that slot, in the shape of the states.
        """
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
        """Select states along the last axis."""
        self._state = self._state[..., which]

    def keep(self, count: int) -> None:
        """Keep the first states along the first axis; the other sentences have ended."""
        self._state = self._state[:count]

    def _seen(self, slot: int, columns: Ints) -> list[Ints]:
        last, marked, opened, at = (columns[..., i] for i in range(4))
        since = _SINCE[np.minimum(slot - np.maximum(at, 0), len(_SINCE) - 1)]
        return [last, marked, self._innermost[opened], since]


class _OpenedAfter(dict[tuple[int, int], int]):
    """A cache of the stack number after a stack of open marks and a string, by their numbers."""

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
    """Return the history at both edges of each constituent.

    Args:
        words: words of sentences with their surface punctuation.
        vocabulary: codes of tokens.

    Returns:
        Arrays ``[words]`` by the names of ``OPENING`` and ``CLOSING``.
    """
    # Longest first, so that sentences that still have a slot are always the first ones.
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
    """Return the number of codes of each of the columns."""
    token = vocabulary.size("token") + 1
    seen = {"seen": token, "since": SPANS, "marked": MOST + 1, "open": token}
    return {
        **{f"{side}_{name}": size for side in ("left", "right") for name, size in seen.items()},
        "edge": token,
        "last_place": 4,
    }


def token_codes(tokens: Sequence[str | None], vocabulary: Vocabulary) -> Ints:
    """Return the codes of tokens.

    Args:
        tokens: the tokens; None stands for no token and has a separate code.
        vocabulary: codes of tokens.
    """
    codes = vocabulary.code("token", [t or UNK for t in tokens])
    return np.where([t is None for t in tokens], vocabulary.size("token"), codes)


def _last_place(at: Ints, edge: Ints) -> Ints:
    return np.where(at == NOWHERE, 0, 2 + np.sign(at - edge))
