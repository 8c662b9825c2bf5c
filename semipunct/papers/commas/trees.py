"""Phrase-structure trees: spans, pruning, head rules and conversion to dependencies."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from semipunct.errors import UsageError
from semipunct.marks.penn import MARK_TAGS
from semipunct.trees.tree import DependencyTree, Tree
from semipunct.wording import quantity

_SHOWN = 12  # nodes in the repr of a tree


@dataclass(frozen=True, repr=False)
class OrderedTree(Tree):
    """A tree whose leaves are its words.

    Nodes are in preorder, so that their depths determine the tree, and equal trees are equal values
    (docs/decisions/papers.md).
    """

    depths: tuple[int, ...]
    categories: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return self.categories

    @property
    def data(self) -> tuple[tuple[str | int, ...], ...]:
        return self.categories, self.depths

    @property
    def words(self) -> int:
        return len(self.leaves)

    @property
    def parents(self) -> tuple[int, ...]:
        return self._parents

    @cached_property
    def _parents(self) -> tuple[int, ...]:
        path: list[int] = []  # from the root to the node
        parents: list[int] = []
        for node, depth in enumerate(self.depths):
            del path[depth:]
            parents.append(path[-1] if path else -1)
            path.append(node)
        return tuple(parents)

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """``[n]`` the node of each word."""
        after = (*self.depths[1:], 0)
        pairs = zip(self.depths, after, strict=True)
        return tuple(node for node, (depth, next_one) in enumerate(pairs) if next_one <= depth)

    @property
    def anchors(self) -> tuple[int, ...]:
        return self._anchors

    @cached_property
    def _anchors(self) -> tuple[int, ...]:
        anchors = [0] * len(self.depths)
        for word, node in enumerate(self.leaves, start=1):
            anchors[node] = word
        return tuple(anchors)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in self.depths]
        for node, parent in enumerate(self._parents):
            if parent >= 0:
                children[parent].append(node)
        return tuple(map(tuple, children))

    @property
    def tags(self) -> tuple[str, ...]:
        """``[n]`` the labels of the leaves."""
        return tuple(self.categories[node] for node in self.leaves)

    def __repr__(self) -> str:
        pieces = bracket_pieces(self.depths[:_SHOWN], self.categories[:_SHOWN], ())
        more = " ..." if len(self.depths) > _SHOWN else ""
        return f"<{type(self).__name__} of {quantity(self.words, 'word')}: {''.join(pieces)}{more}>"


def bracket_pieces(depths: Sequence[int], labels: Sequence[str], forms: Iterable[str]) -> list[str]:
    """Split a tree in brackets into one piece for each node."""
    spelt = iter(forms)
    pieces: list[str] = []
    for node, (depth, label) in enumerate(zip(depths, labels, strict=True)):
        last = node + 1 == len(depths)
        ends = depth - (depths[0] if last else depths[node + 1]) + 1
        word = next(spelt, "") if ends > 0 or last else ""
        inside = f"({label} {word}" if word else f"({label}"
        pieces.append(inside + ")" * ends + ("" if last else " "))
    return pieces


EMPTY = "-NONE-"
"""The part of speech of empty elements, such as traces."""


class LabelParts(NamedTuple):
    """The parts of a label (Bies et al. 1995, Bracketing Guidelines, sections 1 and 2).

    Attributes:
        category: such as ``NP`` or ``PRT|ADVP``.
        coindex: index shared with an empty element.
        gap_index: index after ``=`` (gapping).
    """

    category: str
    functions: tuple[str, ...] = ()
    coindex: str = ""
    gap_index: str = ""


@lru_cache(maxsize=65536)
def label_parts(label: str) -> LabelParts:
    """Split the label of a phrase; ``-NONE-`` is a category."""
    category, suffix = _WHOLE.fullmatch(label).groups()  # type: ignore[union-attr] - anything fits
    functions: list[str] = []
    coindex = gap_index = ""
    for sign, part in _PART.findall(suffix):
        if sign == "=":
            gap_index = part
        elif part.isdecimal():
            coindex = part
        else:
            functions.append(part)
    return LabelParts(category, tuple(functions), coindex, gap_index)


def category(label: str) -> str:
    """Return the label of a phrase without function tags and indices."""
    return label_parts(label).category


_WHOLE = re.compile(r"(-.*|[^-=]*)(.*)", re.DOTALL)
_PART = re.compile(r"([-=])([^-=]*)")


@dataclass(frozen=True, repr=False)
class PhraseTree(OrderedTree):
    """A phrase-structure tree: ``(S (NP (D the) (N dog)) (VP (V barks)))`` has depths 0 1 2 2 1 2.

    The outer bracket of the Penn Treebank has an empty label.
    """


class Span(NamedTuple):
    """The phrases between two slots, outermost first."""

    left: int
    right: int
    labels: tuple[str, ...]


def spans(tree: PhraseTree) -> tuple[Span, ...]:
    """Return the spans of a tree in preorder; ``from_spans`` inverts this."""
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
    """Build a tree from the tags of its leaves and its spans."""
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

    for span in sorted(phrases, key=lambda span: (span.left, -span.right)):
        leaves(span.left)
        while open_spans and open_spans[-1][0] <= span.left:
            open_spans.pop()
        depth = open_spans[-1][1] if open_spans else 0
        depths += range(depth, depth + len(span.labels))
        labels += span.labels
        open_spans.append((span.right, depth + len(span.labels)))
    leaves(len(tags))
    return PhraseTree(tuple(depths), tuple(labels))


def constituent_counts(tree: OrderedTree) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Count the constituents that start and that end at each slot, ``[n + 1]`` each.

    Leaves count (Shieber and Tao 2003, figure 2); unlabelled brackets do not.
    """
    counted = [node for node, label in enumerate(tree.categories) if label]
    starts = Counter(tree.left[node] for node in counted)
    ends = Counter(tree.right[node] for node in counted)
    slots = range(tree.words + 1)
    return tuple(starts[slot] for slot in slots), tuple(ends[slot] for slot in slots)


def words_with_tags(tree: PhraseTree, tags: Collection[str]) -> tuple[int, ...]:
    """Return the words, from 1, with one of the parts of speech."""
    return tuple(word for word, tag in enumerate(tree.tags, start=1) if tag in tags)


def prune_words(tree: PhraseTree, removed: Collection[int]) -> PhraseTree:
    """Remove words, numbered from 1, and the phrases that become empty."""
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
    # A removed node has no remaining descendants, so depths do not change.
    return PhraseTree(
        tuple(tree.depths[node] for node in nodes), tuple(tree.categories[node] for node in nodes)
    )


def without_empty(tree: PhraseTree) -> PhraseTree:
    """Remove empty elements, such as traces."""
    return prune_words(tree, words_with_tags(tree, (EMPTY,)))


def without_punctuation(tree: PhraseTree, tags: Collection[str] = MARK_TAGS) -> PhraseTree:
    """Remove words with one of the tags, by default all punctuation."""
    return prune_words(tree, words_with_tags(tree, tags))


def without_functions(tree: PhraseTree) -> PhraseTree:
    """Remove function tags and indices from phrases: ``NP-SBJ-1`` becomes ``NP``."""
    anchors = zip(tree.categories, tree.anchors, strict=True)
    labels = tuple(label if anchor else category(label) for label, anchor in anchors)
    return PhraseTree(tree.depths, labels)


def without_wrapper(tree: PhraseTree) -> PhraseTree:
    """Remove unlabelled unary brackets from the root."""
    first = 0
    while not tree.categories[first] and len(tree.children[first]) == 1:
        first += 1
    if not first:
        return tree
    return PhraseTree(
        tuple(depth - first for depth in tree.depths[first:]), tree.categories[first:]
    )


ROOT, ARC = "root", "dep"
"""The relations of unlabelled dependency trees."""


class Search(NamedTuple):
    """One step of a head rule: find the first child with one of the labels, or any without labels.

    ``last`` considers the rightmost child only.
    """

    side: Literal["left", "right", "last"]
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True)
class HeadTable:
    """Head rules: searches by category, in order of priority.

    A head directly after a conjunction is replaced by the conjunct before it.
    """

    rules: Mapping[str, tuple[Search, ...]]
    otherwise: tuple[Search, ...]
    conjunctions: frozenset[str]


def _in_turn(side: Literal["left", "right"], labels: str) -> tuple[Search, ...]:
    return (*(Search(side, frozenset((label,))) for label in labels.split()), Search(side))


def _any_of(side: Literal["left", "right", "last"], labels: str) -> Search:
    return Search(side, frozenset(labels.split()))


_NOUN_PHRASE = (
    _any_of("last", "POS"),
    _any_of("right", "NN NNP NNPS NNS NX POS JJR"),
    _any_of("left", "NP"),
    _any_of("right", "$ ADJP PRN"),
    _any_of("right", "CD"),
    _any_of("right", "JJ JJS RB QP"),
    Search("right"),
)

COLLINS = HeadTable(
    {
        "ADJP": _in_turn(
            "left", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"
        ),
        "ADVP": _in_turn("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
        "CONJP": _in_turn("right", "CC RB IN"),
        "FRAG": _in_turn("right", ""),
        "INTJ": _in_turn("left", ""),
        "LST": _in_turn("right", "LS :"),
        "NAC": _in_turn("left", "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
        "NP": _NOUN_PHRASE,
        "NX": _NOUN_PHRASE,  # absent from the table; treated as a noun phrase
        "PP": _in_turn("right", "IN TO VBG VBN RP FW"),
        "PRN": _in_turn("left", ""),
        "PRT": _in_turn("right", "RP"),
        "QP": _in_turn("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
        "RRC": _in_turn("right", "VP NP ADVP ADJP PP"),
        "S": _in_turn("left", "TO IN VP S SBAR ADJP UCP NP"),
        "SBAR": _in_turn("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
        "SBARQ": _in_turn("left", "SQ S SINV SBARQ FRAG"),
        "SINV": _in_turn("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
        "SQ": _in_turn("left", "VBZ VBD VBP VB MD VP SQ"),
        "UCP": _in_turn("right", ""),
        "VP": _in_turn("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
        "WHADJP": _in_turn("left", "CC WRB JJ ADJP"),
        "WHADVP": _in_turn("right", "CC WRB"),
        "WHNP": _in_turn("left", "WDT WP WP$ WHADJP WHPP WHNP"),
        "WHPP": _in_turn("right", "IN TO FW"),
    },
    otherwise=_in_turn("left", ""),
    conjunctions=frozenset(("CC",)),
)
"""The head table of Collins (1999), appendix A, based on Magerman (1995)."""


def head_children(tree: PhraseTree, table: HeadTable = COLLINS) -> tuple[int, ...]:
    """Find the head child of each phrase, ``[nodes]``; -1 for leaves.

    Function tags, indices and alternative categories (``PRT|ADVP``) are ignored. Punctuation and
    empty elements are heads only without other children: Collins (1999) removes them.
    """
    names = [
        label if anchor else label_parts(label).category.partition("|")[0]
        for label, anchor in zip(tree.categories, tree.anchors, strict=True)
    ]
    silent = {*MARK_TAGS, EMPTY}
    words = [
        bool(anchor) and tag not in silent for tag, anchor in zip(names, tree.anchors, strict=True)
    ]
    for node in range(len(words) - 1, 0, -1):
        words[tree.parents[node]] |= words[node]
    head_nodes: list[int] = []
    for node, children in enumerate(tree.children):
        candidates = [child for child in children if words[child]] or children
        if not candidates:
            head_nodes.append(-1)
            continue
        labels = [names[child] for child in candidates]
        head_nodes.append(candidates[head_place(labels, names[node], table)])
    return tuple(head_nodes)


def head_place(labels: Sequence[str], phrase: str, table: HeadTable = COLLINS) -> int:
    """Find the index of the head among the children's categories."""
    place = next(
        place
        for search in table.rules.get(phrase, table.otherwise)
        for place in _places(search.side, len(labels))
        if not search.labels or labels[place] in search.labels
    )
    if place >= 2 and labels[place - 1] in table.conjunctions:
        place -= 2
    return place


def _places(side: str, n: int) -> Iterable[int]:
    if side == "last":
        return (n - 1,)
    return range(n) if side == "left" else range(n - 1, -1, -1)


def dependencies(
    tree: OrderedTree, head_child: Sequence[int], *, labelled: bool = False
) -> DependencyTree:
    """Return the projective dependency tree that the heads of phrases define.

    With ``labelled``, a relation joins the labels of the largest phrase that the word heads and of
    its parent, such as ``NP-SBJ/S``; otherwise it is ``ARC``.
    """
    word = list(tree.anchors)
    for node in range(len(word) - 1, -1, -1):  # children come after their parents
        if head_child[node] >= 0:
            word[node] = word[head_child[node]]
    heads, relations = [0] * tree.words, [ROOT] * tree.words
    for node, parent in enumerate(tree.parents):
        if parent >= 0 and head_child[parent] != node:
            heads[word[node] - 1] = word[parent]
            labels = (_name(tree.categories[node]), label_parts(tree.categories[parent]).category)
            relations[word[node] - 1] = "/".join(labels) if labelled else ARC
    return DependencyTree(tuple(heads), tuple(relations))


def _name(label: str) -> str:
    parts = label_parts(label)
    return "-".join((parts.category, *parts.functions))
