"""Editing of dependency trees; remaining words are renumbered."""

from collections.abc import Collection, Sequence

from semipunct.errors import UsageError
from semipunct.trees.tree import DependencyTree


def without_leaves(tree: DependencyTree, removed: Collection[int]) -> DependencyTree:
    """Remove words that have no dependents, such as the punctuation of a treebank."""
    gone = set(removed)
    remaining = [word for word in range(1, tree.words + 1) if word not in gone]
    for word in remaining:
        if tree.heads[word - 1] in gone:
            raise UsageError(
                f"word {tree.heads[word - 1]} is the head of word {word}: only words without "
                "dependents can be removed; delete the constituent instead"
            )
    return _restricted(tree, remaining)


def without_words(tree: DependencyTree, removed: Collection[int]) -> DependencyTree:
    """Remove words; attach their dependents to the nearest remaining head.

    The first remaining dependent of a removed root becomes the root. Projectivity is preserved.
    """
    gone = set(removed)
    heir = list(range(tree.words + 1))
    for node in tree.order:  # heads come before their dependents
        if node + 1 in gone:
            heir[node + 1] = heir[tree.heads[node]]
    heads = [heir[head] for head in tree.heads]
    relations = list(tree.relations)
    top = [i for i in range(tree.words) if not heads[i] and i + 1 not in gone]
    for node in top[1:]:
        heads[node] = top[0] + 1
    if top:
        relations[top[0]] = tree.relations[tree.root - 1]
    remaining = [word for word in range(1, tree.words + 1) if word not in gone]
    return _restricted(DependencyTree(tuple(heads), tuple(relations)), remaining)


def _restricted(tree: DependencyTree, words: Sequence[int]) -> DependencyTree:
    """Return the tree over words with heads among them, in the given order."""
    if not words:
        raise UsageError("no word would be left; keep at least one")
    number = {0: 0, **{word: position for position, word in enumerate(words, start=1)}}
    heads = tuple(number[tree.heads[word - 1]] for word in words)
    return DependencyTree(heads, tuple(tree.relations[word - 1] for word in words))
