"""All words of a list of sentences in one table, and classes of spelling and size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

import numpy as np

from semipunct.arrays.unique_rows import Ints
from semipunct.corpus import Sentence


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a list of sentences, concatenated.

    Attributes:
        start: ``[sentences + 1]`` first word of each sentence.
        sentence: ``[words]``.
        heads: ``[words]`` heads as in the trees: 1 to n, 0 for the root.
        left: ``[words]`` slot at the left edge of each constituent, 0 to n.
        right: ``[words]`` slot at its right edge.
    """

    sentences: Sequence[Sentence]
    start: Ints
    sentence: Ints
    heads: Ints
    left: Ints
    right: Ints

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> Words:
        lengths = np.array([s.tree.words for s in sentences], np.int64)
        start = np.concatenate([np.zeros(1, np.int64), lengths.cumsum()])
        total = int(start[-1])

        def joined(parts: Sequence[Sequence[int]]) -> Ints:
            return np.fromiter(chain.from_iterable(parts), np.int64, total)

        return cls(
            sentences,
            start,
            np.arange(len(sentences)).repeat(lengths),
            joined([s.tree.heads for s in sentences]),
            joined([s.tree.left for s in sentences]),
            joined([s.tree.right for s in sentences]),
        )

    @property
    def count(self) -> int:
        return len(self.heads)

    @cached_property
    def first_word(self) -> Ints:
        return self.start[self.sentence]

    @cached_property
    def length(self) -> Ints:
        """The length of each word's sentence."""
        return np.diff(self.start)[self.sentence]

    @cached_property
    def places(self) -> Mapping[str, Ints]:
        """Other words, or ``count``, by their relation to each word.

        ``first`` and ``last`` are at the edges of its constituent, ``second`` and ``last_but_one``
        next to them within it; ``before``, ``before_that``, ``after``, ``after_that`` are outside.
        """
        base, outside = self.first_word, self.count
        first, last = base + self.left, base + self.right - 1
        wide = self.right - self.left > 1
        head = np.where(self.heads > 0, base + self.heads - 1, outside)
        return {
            "self": np.arange(outside),
            "head": head,
            "grandparent": np.append(head, outside)[head],
            "first": first,
            "second": np.where(wide, first + 1, outside),
            "last_but_one": np.where(wide, last - 1, outside),
            "last": last,
            "before_that": np.where(self.left > 1, first - 2, outside),
            "before": np.where(self.left > 0, first - 1, outside),
            "after": np.where(self.right < self.length, last + 1, outside),
            "after_that": np.where(self.right + 1 < self.length, last + 2, outside),
        }

    @cached_property
    def depth(self) -> Ints:
        """``[words]`` the number of arcs between each word and its root."""
        # Pointer doubling: after k rounds every distance up to 2^k is known.
        up = np.append(self.places["head"], self.count)
        distance = (up != self.count).astype(np.int64)
        while (up != self.count).any():
            distance += distance[up]
            up = up[up]
        return distance[:-1]

    @cached_property
    def families(self) -> tuple[Ints, Ints]:
        """Words ordered by family and position, and the family of each, ``[members]`` each.

        A family is a word and its dependents, identified by that word.
        """
        head, numbers = self.places["head"], np.arange(self.count)
        dependents = numbers[head < self.count]
        heads = np.unique(head[dependents])
        family = np.concatenate([head[dependents], heads])
        member = np.concatenate([dependents, heads])
        order = np.lexsort((member, family))
        return member[order], family[order]

    def sibling_order(self) -> Ints:
        """Return 4 times each word's position from the inside plus its position from the outside.

        Positions, capped at 3, are among the dependents on its side of the head.
        """
        on_left = np.arange(self.count) < self.places["head"]
        on_left &= self.heads > 0
        # From the inside outwards: the dependent nearest to the head comes first on either side.
        outwards = np.where(on_left, -np.arange(self.count), np.arange(self.count))
        head = np.where(self.heads > 0, self.places["head"], -1 - self.sentence)
        order = np.lexsort((outwards, on_left, head))
        starts_group = np.ones(self.count, bool)
        starts_group[1:] = (np.diff(head[order]) != 0) | (
            np.diff(on_left[order].astype(np.int8)) != 0
        )
        group = starts_group.cumsum() - 1
        sizes = np.bincount(group)
        inside = np.arange(self.count) - (sizes.cumsum() - sizes)[group]
        outside = sizes[group] - 1 - inside
        codes = np.empty(self.count, np.int64)
        codes[order] = 4 * np.minimum(inside, 3) + np.minimum(outside, 3)
        return codes

    def neighbours_in_family(self, label: Ints, nothing: int, the_head: int) -> tuple[Ints, Ints]:
        """Return the codes of each word's left and right neighbour among its head and siblings."""
        before, after = np.full((2, self.count), nothing)
        member, family = self.families
        seen = np.where(member == family, the_head, label[member])
        together = family[1:] == family[:-1]
        right = together & (member[1:] != family[1:])
        before[member[1:][right]] = seen[:-1][right]
        left = together & (member[:-1] != family[:-1])
        after[member[:-1][left]] = seen[1:][left]
        return before, after


SPANS = 16
SHAPES = 9
STYLES = 12
WRITINGS = 5


@lru_cache(maxsize=1 << 16)
def shape_class(form: str) -> int:
    """Return 1 for an initial capital, plus 2 if all are, plus 4 for a digit; 8 for one capital."""
    if len(form) == 1 and form.isupper():
        return SHAPES - 1
    has_digit = any(c.isdigit() for c in form)
    return form[:1].isupper() + 2 * form.isupper() + 4 * has_digit


def writing_class(forms: Sequence[str], first: Ints, last: Ints) -> Ints:
    """Classify spans of words by how many begin with a capital.

    Returns:
        0 without cased letters; then none, fewer than half, more, all.
    """
    capital = [form[:1].isupper() for form in forms]
    small = [form[:1].islower() for form in forms]
    sums = np.cumsum([[0, *capital], [0, *small]], 1)
    capitals, smalls = sums[:, last + 1] - sums[:, first]
    classes = [capitals + smalls == 0, capitals == 0, capitals < smalls, smalls > 0]
    return np.select(classes, range(len(classes)), len(classes))


def style_class(forms: Sequence[str]) -> int:
    """Classify a sentence by its use of capitals.

    Returns:
        4 if it begins with a small letter, 8 if with a capital; plus 2 if another word begins with
        a capital, and 1 if a small letter is a word of its own.
    """
    first = 2 if forms[0][:1].isupper() else int(forms[0][:1].islower())
    capitals = any(form[:1].isupper() for form in forms[1:])
    lone = any(len(form) == 1 and form.islower() for form in forms)
    return 4 * first + 2 * capitals + lone


def length_class(words: Ints) -> Ints:
    """Return 1 for 1-2 words, 2 for 3-5, 3 for 6 or more (template W of appendix A)."""
    return 1 + (words >= 3).astype(np.int64) + (words >= 6)


def span_class(words: Ints) -> Ints:
    """Return classes of half an octave each, from 0 for one word up to 15."""
    return np.minimum(np.ceil(2 * np.log2(words)).astype(np.int64), SPANS - 1)
