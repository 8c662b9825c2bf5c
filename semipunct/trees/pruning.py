"""Pruning of phrase-structure trees: empty elements, punctuation, functions and brackets taken out.

Every function takes a tree and returns another one over the words that remain, numbered anew.
"""

from collections.abc import Collection

from semipunct.errors import UsageError
from semipunct.marks.penn import MARK_TAGS
from semipunct.trees.labels import EMPTY, category
from semipunct.trees.phrases import PhraseTree


def tagged(tree: PhraseTree, tags: Collection[str]) -> tuple[int, ...]:
    """Find the words (1 to n) that have one of some parts of speech.

    Args:
        tree: any.
        tags: such as ``semipunct.marks.penn.MARK_TAGS``.
    """
    return tuple(word for word, tag in enumerate(tree.tags, start=1) if tag in tags)


def pruned(tree: PhraseTree, removed: Collection[int]) -> PhraseTree:
    """Remove words, and the phrases that have no other ones.

    Args:
        tree: any.
        removed: words, 1 to n.

    Raises:
        UsageError: if none stays.
    """
    gone = {tree.leaves[word - 1] for word in removed}
    if len(gone) == tree.words:
        raise UsageError("no word would be left; keep at least one")
    if not gone:
        return tree
    stays = [bool(anchor) and node not in gone for node, anchor in enumerate(tree.anchors)]
    for node in range(len(stays) - 1, 0, -1):  # children come after their parents
        if stays[node]:
            stays[tree.parents[node]] = True
    nodes = [node for node, stayed in enumerate(stays) if stayed]
    # What goes has no node below it that stays: no depth changes.
    return PhraseTree(
        tuple(tree.depths[node] for node in nodes), tuple(tree.categories[node] for node in nodes)
    )


def without_empty(tree: PhraseTree) -> PhraseTree:
    """Remove empty elements, such as traces.

    Raises:
        UsageError: if there is nothing else.
    """
    return pruned(tree, tagged(tree, (EMPTY,)))


def without_punctuation(tree: PhraseTree, tags: Collection[str] = MARK_TAGS) -> PhraseTree:
    """Remove punctuation.

    Args:
        tree: any.
        tags: those that tell it; of a single kind of marks, such as ``{","}``, only these.

    Raises:
        UsageError: if there is nothing else.
    """
    return pruned(tree, tagged(tree, tags))


def without_functions(tree: PhraseTree) -> PhraseTree:
    """Take function tags and indices off the labels of phrases; ``NP-SBJ-1`` becomes ``NP``."""
    anchors = zip(tree.categories, tree.anchors, strict=True)
    labels = tuple(label if anchor else category(label) for label, anchor in anchors)
    return PhraseTree(tree.depths, labels)


def without_wrapper(tree: PhraseTree) -> PhraseTree:
    """Take the brackets without a label that are around a whole tree off it.

    One that holds several constituents stays, since a tree has one root.
    """
    first = 0
    while not tree.categories[first] and len(tree.children[first]) == 1:
        first += 1
    if not first:
        return tree
    return PhraseTree(
        tuple(depth - first for depth in tree.depths[first:]), tree.categories[first:]
    )
