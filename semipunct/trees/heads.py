"""Heads of phrases by head rules, and the dependency trees that they define."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from semipunct.marks.penn import MARK_TAGS
from semipunct.trees.labels import EMPTY, label_parts
from semipunct.trees.ordered import OrderedTree
from semipunct.trees.phrases import PhraseTree
from semipunct.trees.tree import DependencyTree

ROOT, ARC = "root", "dep"
"""The relations of unlabelled dependency trees."""


class Search(NamedTuple):
    """One step of a rule: a search for the first child with one of some labels.

    Attributes:
        side: ``left`` searches from left to right, ``right`` from right to left, ``last`` only the
            rightmost child.
        labels: the labels to search for; empty for any label.
    """

    side: Literal["left", "right", "last"]
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True)
class HeadTable:
    """Rules for the head of a phrase, by its category.

    Attributes:
        rules: the searches for each category; the first that finds a child finds the head.
        otherwise: the searches for all other categories.
        conjunctions: a head directly after one of these is replaced by the conjunct before it.
    """

    rules: Mapping[str, tuple[Search, ...]]
    otherwise: tuple[Search, ...]
    conjunctions: frozenset[str]


def _in_turn(side: Literal["left", "right"], labels: str) -> tuple[Search, ...]:
    """Return searches for each label in turn, then for any child."""
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
        "NX": _NOUN_PHRASE,  # the table has no rule; treated like a noun phrase
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
"""The table of Collins (1999), appendix A, based on Magerman (1995)."""


def head_children(tree: PhraseTree, table: HeadTable = COLLINS) -> tuple[int, ...]:
    """Find the head child of each phrase.

    Function tags, indices and all but the first of alternative categories (``PRT|ADVP``) are
    ignored. Punctuation, empty elements, and phrases that contain nothing else are not heads if
    there is another child: Collins (1999) removes them from the tree before finding heads.

    Args:
        tree: any.
        table: the head rules.

    Returns:
        ``[nodes]`` the node of the child; -1 for leaves.
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
    """Find the index of the head among the children of a phrase.

    Args:
        labels: ``[children]`` categories without functions and indices; at least one.
        phrase: the category of the phrase.
        table: the head rules.
    """
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
    """Return the dependency tree defined by the heads of phrases.

    The head word of a phrase is that of its head child; the head words of the other children depend
    on it. The tree is projective.

    Args:
        tree: any.
        head_child: ``[nodes]`` the head among the children of each node, -1 for leaves.
        labelled: whether the relation of a word combines the labels of the largest phrase that it
            heads and of the phrase around it, such as ``NP-SBJ/S``, without indices; otherwise it
            is ``ARC``. The root always has ``ROOT``.
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
