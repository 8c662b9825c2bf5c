"""Pruning of phrase-structure trees: removing empty elements, punctuation, functions, brackets.

Functions that remove words return a tree over the remaining words, renumbered.
"""

from collections.abc import Collection

from semipunct.errors import UsageError
from semipunct.marks.penn import MARK_TAGS
from semipunct.trees.labels import EMPTY, category
from semipunct.trees.phrases import PhraseTree


def words_with_tags(tree: PhraseTree, tags: Collection[str]) -> tuple[int, ...]:
    """Find the words (1 to n) with one of the given parts of speech.

    Args:
        tree: any.
        tags: such as ``semipunct.marks.penn.MARK_TAGS``.
    """
    return tuple(word for word, tag in enumerate(tree.tags, start=1) if tag in tags)


def prune_words(tree: PhraseTree, removed: Collection[int]) -> PhraseTree:
    """Remove words, and phrases that contain no other words.

    Args:
        tree: any.
        removed: words, 1 to n.

    Raises:
        UsageError: if no word remains.
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
    # Removed nodes have no remaining descendants, so depths do not change.
    return PhraseTree(
        tuple(tree.depths[node] for node in nodes), tuple(tree.categories[node] for node in nodes)
    )


def without_empty(tree: PhraseTree) -> PhraseTree:
    """Remove empty elements, such as traces.

    Raises:
        UsageError: if no word remains.
    """
    return prune_words(tree, words_with_tags(tree, (EMPTY,)))


def without_punctuation(tree: PhraseTree, tags: Collection[str] = MARK_TAGS) -> PhraseTree:
    """Remove punctuation.

    Args:
        tree: any.
        tags: the tags of punctuation; ``{","}``, for example, removes only commas.

    Raises:
        UsageError: if no word remains.
    """
    return prune_words(tree, words_with_tags(tree, tags))


def without_functions(tree: PhraseTree) -> PhraseTree:
    """Remove function tags and indices from the labels of phrases; ``NP-SBJ-1`` becomes ``NP``."""
    anchors = zip(tree.categories, tree.anchors, strict=True)
    labels = tuple(label if anchor else category(label) for label, anchor in anchors)
    return PhraseTree(tree.depths, labels)


def without_wrapper(tree: PhraseTree) -> PhraseTree:
    """Remove unlabelled brackets around a whole tree.

    A bracket with several constituents is kept, since a tree has one root.
    """
    first = 0
    while not tree.categories[first] and len(tree.children[first]) == 1:
        first += 1
    if not first:
        return tree
    return PhraseTree(
        tuple(depth - first for depth in tree.depths[first:]), tree.categories[first:]
    )
