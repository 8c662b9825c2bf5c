"""Places of punctuation in dependency trees: the words to which a mark can be attached.

Projective trees take linear time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


class Around(NamedTuple):
    """The words to which a mark in one slot can be attached without crossing an arc of words.

    Attributes:
        ending: words whose constituents end there, highest last.
        above: the lowest word above both sides, 0 at the edges of the sentence.
        starting: words whose constituents start there, highest first.
    """

    ending: tuple[int, ...]
    above: int
    starting: tuple[int, ...]

    @property
    def words(self) -> tuple[int, ...]:
        """All of these words, in the order that the heads of adjacent marks must follow."""
        return (*self.ending, *((self.above,) if self.above else ()), *self.starting)


@dataclass(frozen=True, eq=False, repr=False)
class MarkedTree:
    """A dependency tree over words and marks, ``[n + 1]`` with the artificial root 0.

    Marks from which words descend are among the ``words``.
    """

    heads: Sequence[int]
    is_mark: Sequence[bool]

    @cached_property
    def governing(self) -> frozenset[int]:
        """The marks from which words descend, and marks that are roots; none may be a head."""
        heads, is_mark = self.heads, self.is_mark
        governing: set[int] = set()
        for token, head in enumerate(heads):
            if not is_mark[token] and is_mark[head]:
                while head and head not in governing:
                    if is_mark[head]:
                        governing.add(head)
                    head = heads[head]
            elif is_mark[token] and not head:
                governing.add(token)
        return frozenset(governing)

    @cached_property
    def words(self) -> list[int]:
        """The tokens whose heads are not chosen: words and governing marks."""
        is_mark, governing = self.is_mark, self.governing
        return [i for i in range(1, len(self.heads)) if not is_mark[i] or i in governing]

    @cached_property
    def marks(self) -> list[int]:
        is_mark, governing = self.is_mark, self.governing
        return [i for i in range(1, len(self.heads)) if is_mark[i] and i not in governing]

    @cached_property
    def neighbours(self) -> tuple[list[int], list[int]]:
        """``[n + 1]`` each: the nearest word before (0 for none) and after (n + 1) each token."""
        n = len(self.heads)
        before, after = [0] * n, [n] * n
        words = self.words
        previous = 0
        for word in words:
            before[previous + 1 : word] = [previous] * (word - previous - 1)
            after[previous + 1 : word + 1] = [word] * (word - previous)
            before[word] = previous = word
        before[previous + 1 :] = [previous] * (n - previous - 1)
        return before, after

    @cached_property
    def edges(self) -> tuple[list[int], list[int]]:
        """``[n + 1]`` each: the first and last word that each word dominates, itself included."""
        heads = self.heads
        first, last = list(range(len(heads))), list(range(len(heads)))
        # Descendants are visited from the outside in, so the first to reach a word is its outermost
        # one, and every word above has one at least as far out: linear time.
        for outer, words, sign in ((first, self.words, 1), (last, self.words[::-1], -1)):
            for word in words:
                head = heads[word]
                while head and sign * outer[head] > sign * word:
                    outer[head] = word
                    head = heads[head]
        return first, last

    @cached_property
    def is_projective(self) -> bool:
        heads, words = self.heads, self.words
        first, last = self.edges
        rank = dict(zip(words, range(len(words)), strict=True))
        dominated = sum([rank[last[word]] - rank[first[word]] + 1 for word in words])
        # Each word counts once for itself and for each word above it.
        depth = {0: 0}
        total = 0
        for word in words:
            path: list[int] = []
            while word not in depth:
                path.append(word)
                word = heads[word]
            level = depth[word]
            for node in reversed(path):
                level += 1
                depth[node] = level
                total += level
        return total == dominated

    def around(self, mark: int) -> Around:
        before, after = self.neighbours
        left, right = before[mark], after[mark]
        if not self.is_projective:
            return self.around_in_general(mark, left, right)
        heads, governing = self.heads, self.governing
        first, last = self.edges
        ending: list[int] = []
        above = left
        while above and last[above] == left:
            if above not in governing:
                ending.append(above)
            above = heads[above]
        starting: list[int] = []
        node = right if right < len(heads) else 0
        while node and first[node] == right:
            if node not in governing:
                starting.append(node)
            node = heads[node]
        above = above or node
        return Around(tuple(ending), 0 if above in governing else above, tuple(starting[::-1]))

    def around_in_general(self, mark: int, left: int, right: int) -> Around:
        """Return the same in any tree, by trying all words above the neighbours of the mark."""
        paths = [
            [word for word in self.path(side) if word not in self.governing]
            for side in (left, right if right < len(self.heads) else 0)
        ]
        sound = {word for path in paths for word in path if self._is_sound(mark, word)}
        ending, starting = ([word for word in path if word in sound] for path in paths)
        common = set(ending).intersection(starting)
        return Around(
            tuple(word for word in ending if word not in common),
            next((word for word in ending if word in common), 0),
            tuple(word for word in reversed(starting) if word not in common),
        )

    def path(self, token: int) -> Iterator[int]:
        """Yield a token and the tokens above it, the root last; nothing for 0."""
        while token:
            yield token
            token = self.heads[token]

    def spans_others(self, mark: int) -> bool:
        """Return whether the arc of a mark spans tokens not dominated by its head."""
        head = self.heads[mark]
        low, high = sorted((mark, head))
        return not self._dominates(head, range(low + 1, high))

    def _dominates(self, head: int, tokens: Iterable[int]) -> bool:
        """Return whether a word dominates all tokens, in linear time."""
        below = {head: True, 0: False}
        for token in tokens:
            path: list[int] = []
            while token not in below:
                path.append(token)
                token = self.heads[token]
            if not below[token]:
                return False
            below.update(dict.fromkeys(path, True))
        return True

    def _is_sound(self, mark: int, head: int) -> bool:
        """Return whether a mark with this head is projective and makes no word non-projective."""
        # As in UD's validator, an arc that also spans the mark's head does not count: the whole
        # constituent makes it non-projective.
        heads = self.heads
        above = set(self.path(head))
        low, high = sorted((mark, head))
        if not self._dominates(head, (word for word in self.words if low < word < high)):
            return False
        for word in self.words:
            governor = heads[word]
            if not governor or governor in above:
                continue
            inner, outer = (word, governor) if low < word < high else (governor, word)
            if low < inner < high and (outer > mark if mark > head else outer < mark):
                return False
        return True
