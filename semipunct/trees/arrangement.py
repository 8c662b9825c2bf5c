"""Mutable projective trees, in which constituents can be deleted, moved and reordered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from semipunct.errors import UsageError
from semipunct.trees.tree import DependencyTree

# First or last among the dependents of the head, or directly before or after the head itself.
Place = Literal["first", "last", "before", "after"]

PLACES: tuple[Place, ...] = get_args(Place)


class Arrangement:
    """A projective tree, stored as the order of each word and its dependents."""

    def __init__(self, tree: DependencyTree) -> None:
        self._relations = tree.relations
        self._head = [0, *tree.heads]
        self._items: list[list[int]] = [[word] if word else [] for word in range(tree.words + 1)]
        for word, head in enumerate(tree.heads, start=1):
            self._items[head].append(word)
        for items in self._items:
            items.sort()
        self._gone: dict[int, int] = {}  # deleted words, with the argument of ``delete``

    @property
    def words(self) -> tuple[int, ...]:
        """The remaining words, by their original numbers, in current order."""
        words: list[int] = []
        waiting = [(word, False) for word in reversed(self._items[0])]
        while waiting:
            word, itself = waiting.pop()
            if itself:
                words.append(word)
            else:
                waiting += [(item, item == word) for item in reversed(self._items[word])]
        return tuple(words)

    def tree(self) -> DependencyTree:
        """Return the tree over the remaining words, renumbered in their current order."""
        words = self.words
        number = {0: 0, **{word: position for position, word in enumerate(words, start=1)}}
        return DependencyTree(
            tuple(number[self._head[word]] for word in words),
            tuple(self._relations[word - 1] for word in words),
        )

    def has(self, word: int) -> bool:
        return 1 <= word < len(self._head) and word not in self._gone

    def head_of(self, word: int) -> int:
        self._check(word)
        return self._head[word]

    def delete(self, word: int) -> None:
        """Delete a word, not the root, with all that it dominates."""
        self._check(word)
        if not self._head[word]:
            raise UsageError(f"word {word} is the root and cannot be deleted; delete another one")
        self._items[self._head[word]].remove(word)
        below = [word]
        for dominated in below:  # grows while it is read
            below += [item for item in self._items[dominated] if item != dominated]
            self._gone[dominated] = word

    def move(self, word: int, head: int, place: Place) -> None:
        """Attach a word, with all that it dominates, to a head at a given place.

        Raises:
            UsageError: if the word is the root or dominates the head.
        """
        self._check(word)
        self._check(head)
        if not self._head[word]:
            raise UsageError(f"word {word} is the root and cannot be moved; move another one")
        above = head
        while above and above != word:
            above = self._head[above]
        if above:
            raise UsageError(
                f"word {word} cannot be moved below word {head}, which is the same word or one of "
                "its descendants; name another head"
            )
        self._items[self._head[word]].remove(word)
        items = self._items[head]
        index = items.index(head)
        at = {"first": 0, "last": len(items), "before": index, "after": index + 1}[place]
        items.insert(at, word)
        self._head[word] = head

    def reorder(self, orders: Mapping[int, Sequence[int]]) -> None:
        """Reorder heads and their dependents, given as permutations of both."""
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
            deleted_head = self._gone[word]
            within = "" if deleted_head == word else f" with word {deleted_head}"
            raise UsageError(f"word {word} was deleted{within}; change it before, or not at all")
