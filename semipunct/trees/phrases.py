"""Phrase-structure trees: their spans with unary chains, and their starts and ends at each slot.

A leaf is a word with its part of speech. Leaves include punctuation and empty elements, unless
``semipunct.trees.pruning`` removed them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from semipunct.errors import UsageError
from semipunct.trees.ordered import OrderedTree
from semipunct.wording import quantity


@dataclass(frozen=True, repr=False)
class PhraseTree(OrderedTree):
    """A phrase-structure tree, such as one of the Penn Treebank.

    ``(S (NP (D the) (N dog)) (VP (V barks)))`` has the depths 0, 1, 2, 2, 1, 2. The label of the
    outer bracket around a tree of the Penn Treebank is empty.
    """


class Span(NamedTuple):
    """The phrases that dominate the same words: usually one, otherwise a unary chain.

    Attributes:
        left: the slot before its first word.
        right: the slot after its last.
        labels: the labels of the phrases, outermost first.
    """

    left: int
    right: int
    labels: tuple[str, ...]


def spans(tree: PhraseTree) -> tuple[Span, ...]:
    """List the phrases of a tree, outer ones before inner ones, from left to right.

    Together with the tags of the leaves they determine the tree: see ``from_spans``.

    Args:
        tree: a tree with ``n`` leaves.
    """
    left, right = tree.edges
    phrases: list[Span] = []
    for node, (label, anchor) in enumerate(zip(tree.categories, tree.anchors, strict=True)):
        if anchor:
            continue
        edges = left[node], right[node]
        if phrases and phrases[-1][:2] == edges:  # a single child directly follows its parent
            phrases[-1] = Span(*edges, (*phrases[-1].labels, label))
        else:
            phrases.append(Span(*edges, (label,)))
    return tuple(phrases)


def from_spans(tags: Sequence[str], phrases: Iterable[Span]) -> PhraseTree:
    """Build a tree from its phrases.

    Args:
        tags: ``[n]`` the tags of the leaves.
        phrases: in any order; one of them covers all words, unless there is only one word and no
            phrase.

    Raises:
        UsageError: if a span has no label or exceeds the words, if two are equal or cross, or none
            covers all words.
    """
    n = len(tags)
    ordered = sorted(phrases, key=lambda span: (span.left, -span.right))
    if not n or (ordered[0][:2] if ordered else (0, n if n == 1 else 0)) != (0, n):
        raise UsageError(f"no span has all of the {quantity(n, 'word')}; give one from 0 to {n}")
    depths: list[int] = []
    labels: list[str] = []
    open_spans: list[tuple[int, int]] = []  # right edges, and depths of the contents
    word = 0

    def leaves(until: int) -> None:
        nonlocal word
        while word < until:
            while open_spans and open_spans[-1][0] <= word:
                open_spans.pop()
            depths.append(open_spans[-1][1] if open_spans else 0)
            labels.append(tags[word])
            word += 1

    last: Span | None = None
    for span in ordered:
        if not 0 <= span.left < span.right <= n or not span.labels:
            raise UsageError(
                f"{span} is not a span of {quantity(n, 'word')}, or has no label; correct it"
            )
        if last and last[:2] == span[:2]:
            raise UsageError(
                f"{last} and {span} have the same words; give one span with both labels"
            )
        leaves(span.left)
        while open_spans and open_spans[-1][0] <= span.left:
            open_spans.pop()
        if open_spans and open_spans[-1][0] < span.right:
            raise UsageError(
                f"{span} crosses a span that ends at {open_spans[-1][0]}; leave one of them out"
            )
        depth = open_spans[-1][1] if open_spans else 0
        depths += range(depth, depth + len(span.labels))
        labels += span.labels
        open_spans.append((span.right, depth + len(span.labels)))
        last = span
    leaves(n)
    return PhraseTree(tuple(depths), tuple(labels))


def constituent_counts(tree: OrderedTree) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Count the constituents that start and those that end at each slot.

    Leaves count, as in figure 2 of Shieber and Tao (2003), section 4; a bracket without a label
    does not. In the paper commas are removed first (``semipunct.trees.pruning``), so commas do not
    affect the counts.

    Args:
        tree: a tree with ``n`` leaves.

    Returns:
        ``[n + 1]`` each: start counts and end counts; slot 0 is before the first word.
    """
    counted = [node for node, label in enumerate(tree.categories) if label]
    starts = Counter(tree.left[node] for node in counted)
    ends = Counter(tree.right[node] for node in counted)
    slots = range(tree.words + 1)
    return tuple(starts[slot] for slot in slots), tuple(ends[slot] for slot in slots)
