"""Trees that are being edited: constituents deleted, moved, or put into another order.

A projective tree is the order of each word among its dependents. An arrangement holds these orders
and lets them be changed one after another; words keep the numbers that they had at first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from semipunct.errors import UsageError
from semipunct.trees.tree import DependencyTree

Place = Literal["first", "last", "before", "after"]
"""Where a constituent stands: first or last among the dependents of its head, the head included,
or directly before or after the head itself."""

PLACES: tuple[Place, ...] = get_args(Place)


class Arrangement:
    """The words of a projective tree, each among its dependents."""

    def __init__(self, tree: DependencyTree) -> None:
        """Take a tree apart.

        Args:
            tree: projective; arcs that are not lose their place between other words.
        """
        self._relations = tree.relations
        self._head = [0, *tree.heads]
        self._items: list[list[int]] = [[word] if word else [] for word in range(tree.words + 1)]
        for word, head in enumerate(tree.heads, start=1):
            self._items[head].append(word)
        for items in self._items:
            items.sort()
        self._gone: dict[int, int] = {}  # words that were deleted, with the one that was named

    @property
    def words(self) -> tuple[int, ...]:
        """The words that are left, as they stand."""
        found: list[int] = []
        waiting = [(word, False) for word in reversed(self._items[0])]
        while waiting:
            word, itself = waiting.pop()
            if itself:
                found.append(word)
            else:
                waiting += [(item, item == word) for item in reversed(self._items[word])]
        return tuple(found)

    def tree(self) -> DependencyTree:
        """Return the tree over the words that are left, numbered as they stand."""
        words = self.words
        number = {0: 0, **{word: new for new, word in enumerate(words, start=1)}}
        return DependencyTree(
            tuple(number[self._head[word]] for word in words),
            tuple(self._relations[word - 1] for word in words),
        )

    def has(self, word: int) -> bool:
        """Tell whether a word is one of the tree's and was not deleted."""
        return 1 <= word < len(self._head) and word not in self._gone

    def head_of(self, word: int) -> int:
        """Return the head of a word as it is by now, 0 for the root."""
        self._check(word)
        return self._head[word]

    def delete(self, word: int) -> None:
        """Delete a word with all that it dominates.

        Args:
            word: 1 to n, not the root.

        Raises:
            UsageError: if there is no such word (any more), or it is the root.
        """
        self._check(word)
        if not self._head[word]:
            raise UsageError(f"word {word} is the root: nothing would be left; delete another one")
        self._items[self._head[word]].remove(word)
        below = [word]
        for one in below:  # grows while it is read
            below += [item for item in self._items[one] if item != one]
            self._gone[one] = word

    def move(self, word: int, head: int, place: Place) -> None:
        """Make a word, with all that it dominates, a dependent of a head, in some place.

        Args:
            word: 1 to n, not the root; it keeps its relation.
            head: its own or another one.
            place: among the dependents of that head.

        Raises:
            UsageError: if there is no such word (any more), the word is the root, or it dominates
                the head, which would make a cycle.
        """
        self._check(word)
        self._check(head)
        if not self._head[word]:
            raise UsageError(f"word {word} is the root and has no other place; move another one")
        above = head
        while above and above != word:
            above = self._head[above]
        if above:
            raise UsageError(
                f"word {head} depends on word {word} or is the same, so that word {word} below it "
                "would be on a cycle; name a head outside of what is moved"
            )
        self._items[self._head[word]].remove(word)
        items = self._items[head]
        own = items.index(head)
        at = {"first": 0, "last": len(items), "before": own, "after": own + 1}[place]
        items.insert(at, word)
        self._head[word] = head

    def reorder(self, orders: Mapping[int, Sequence[int]]) -> None:
        """Put the dependents of some heads, and the heads among them, into other orders.

        Args:
            orders: by head, it and all of its dependents as they shall stand.

        Raises:
            UsageError: if an order is not one of a head and its dependents.
        """
        for head, order in orders.items():
            self._check(head)
            if sorted(order) != sorted(self._items[head]):
                raise UsageError(
                    f"the order {list(order)} is not one of word {head} and its dependents, "
                    f"{sorted(self._items[head])}"
                )
            self._items[head] = list(order)

    def _check(self, word: int) -> None:
        if not 1 <= word < len(self._head):
            raise UsageError(
                f"there is no word {word}; the words of the tree are 1 to {len(self._head) - 1}"
            )
        if word in self._gone:
            named = self._gone[word]
            within = "" if named == word else f" with word {named}"
            raise UsageError(f"word {word} was deleted{within}; change it before, or not at all")
