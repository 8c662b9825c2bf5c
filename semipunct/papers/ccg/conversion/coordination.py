"""Coordination: group the conjuncts among the children of phrases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from semipunct.papers.ccg.conversion.constituents import Constituent, Unconverted, preorder

_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS", "NX", "NAC"))
_ADJECTIVES = frozenset(("JJ", "JJR", "JJS", "VBN", "VBG", "ADJP"))
_ALIKE = (
    _NOUNS,
    frozenset(("JJ", "JJR", "JJS", "ADJP")),
    frozenset(("RB", "RBR", "RBS", "ADVP")),
    frozenset(("VB", "VBP", "VBD", "VBZ", "MD")),
    frozenset(("CD", "QP")),
    frozenset(("NP", "NX", "NAC", "QP", "PRP")),
    frozenset(("S", "SINV", "SQ", "SBARQ")),
    frozenset(("PP", "ADVP")),
    frozenset(("WHNP", "WHADVP", "WHPP")),
)

_UNLISTED = frozenset(("TMP", "ADV", "LOC", "SBJ", "PRP", "TPC"))

LISTS = frozenset(("NP", "NX", "S", "SINV", "VP", "SBAR", "PP", "ADJP"))
"""Phrases whose children of the same label, with marks between them, are conjuncts."""


def is_conjunction(node: Constituent) -> bool:
    """Return whether a constituent joins conjuncts."""
    return node.label in ("CC", "CONJP")


def alike(a: Constituent, b: Constituent) -> bool:
    """Return whether two constituents may be coordinated."""
    return a.label == b.label or any(a.label in kind and b.label in kind for kind in _ALIKE)


def group_conjuncts(root: Constituent) -> None:
    """Group the conjuncts of all phrases into constituents."""
    for node in list(preorder(root)):
        if node.gap_index:
            raise Unconverted("gapping")
        if any(map(is_conjunction, node.children)):
            _by_conjunctions(node)
        elif node.label in LISTS:
            _by_marks(node)


def _by_conjunctions(node: Constituent) -> None:
    # Each group contains one more conjunction, so the loop terminates.
    seen: set[int] = set()
    while True:
        places = [
            place
            for place, child in enumerate(node.children)
            if is_conjunction(child) and id(child) not in seen
        ]
        if not places:
            return
        place = places[0]
        seen.add(id(node.children[place]))
        _group(node, place)


def _group(node: Constituent, place: int) -> None:
    children = node.children
    right = _next(children, place + 1, 1)
    left = _next(children, place - 1, -1)
    if left is None or right is None:
        return  # it begins or ends the phrase
    flat = node.label in ("NP", "NX", "NAC", "WHNP") and children[left].is_leaf
    first, last = left, right
    if flat and not _paired_modifiers(children, left, right):
        _group_nouns(node, place)
        return
    if not alike(children[left], children[right]):
        last = next(
            (
                i
                for i in range(right, len(children))
                if alike(children[left], children[i]) or is_conjunction(children[i])
            ),
            right,
        )
        if is_conjunction(children[last]) or not alike(children[left], children[last]):
            before = next(
                (i for i in range(left, -1, -1) if alike(children[i], children[right])), None
            )
            last = right
            if before is not None and not any(map(is_conjunction, children[before:left])):
                left = first = before
    # Further conjuncts to the left are separated by marks.
    while True:
        if first < 2 or not children[first - 1].is_mark or children[first - 1].label not in ",:":
            break
        if not alike(children[first - 2], children[left]) or children[first - 2].is_mark:
            break
        first -= 2
    # A second conjunction may follow: A and B and C.
    after = last + 1
    while after + 1 < len(children):
        joins = after
        while joins < len(children) and children[joins].is_mark:
            joins += 1
        if joins + 1 >= len(children) or not is_conjunction(children[joins]):
            break
        another = _next(children, joins + 1, 1)
        if another is None or not alike(children[another], children[left]):
            break
        last, after = another, another + 1
    parts = children[first : last + 1]
    _check_alike(node, children[left], children[last])
    if first == 0 and last == len(children) - 1 and not node.traces and not node.binder:
        node.coordinated = True
        node.children = _segments(parts, children[left])
        return
    group = children[left].regroup(_segments(parts, children[left]), None)
    group.coordinated = True
    node.children = [*children[:first], group, *children[last + 1 :]]


def _check_alike(node: Constituent, left: Constituent, right: Constituent) -> None:
    if not alike(left, right) and node.label != "UCP" and left.is_leaf != right.is_leaf:
        raise Unconverted("unlike conjuncts")


def _segments(parts: Sequence[Constituent], model: Constituent) -> list[Constituent]:
    segments: list[Constituent] = []
    waiting: list[Constituent] = []
    for place, part in enumerate(parts):
        separates = is_conjunction(part) or (part.is_mark and part.label in ",:")
        if not separates:
            waiting.append(part)
            continue
        following = parts[place + 1 :]
        if part.is_mark and waiting and not any(alike(w, model) for w in waiting):
            waiting.append(part)  # a mark within a conjunct: and, in 1990, fell
            continue
        if part.is_mark and not waiting and segments and is_conjunction(segments[-1]):
            waiting.append(part)
            continue
        if part.is_mark and following and not _conjunct_follows(following, model):
            waiting.append(part)
            continue
        _close(segments, waiting, model)
        waiting = []
        segments.append(part)
    _close(segments, waiting, model)
    return segments


def _conjunct_follows(parts: Sequence[Constituent], model: Constituent) -> bool:
    return is_conjunction(parts[0]) or alike(parts[0], model)


def _close(segments: list[Constituent], waiting: list[Constituent], model: Constituent) -> None:
    if len(waiting) == 1:
        segments.append(waiting[0])
    elif waiting:
        head = next((w for w in waiting if alike(w, model)), None)
        if head is None:
            head = next(w for w in waiting if not w.is_mark)
        segments.append(head.regroup(list(waiting), head))


def _paired_modifiers(children: Sequence[Constituent], left: int, right: int) -> bool:
    """Return whether a conjunction joins two words before a noun: *old and new cars*."""
    after = any(not child.is_mark for child in children[right + 1 :])
    modifiers = children[left].label in _ADJECTIVES | {"CD", "RB"}
    return after and modifiers and alike(children[left], children[right])


def _group_nouns(node: Constituent, place: int) -> None:
    """Coordinate nouns of a flat noun phrase, each with the modifiers before it."""
    children = node.children
    first = 0
    while first < place and children[first].label in ("DT", "PDT", "PRP$", "WP$", "WDT"):
        first += 1
    if first and children[first - 1].label == "DT" and first == place:
        first -= 1
    possessor = next(
        (
            i
            for i in range(place - 1, -1, -1)
            if children[i].children and children[i].children[-1].label == "POS"
        ),
        -1,
    )
    first = max(first, possessor + 1)
    if first == place:
        return
    inside = children[first:]
    coordinated: list[Constituent] = []
    waiting: list[Constituent] = []
    for part in inside:
        if (is_conjunction(part) or part.is_comma) and (waiting or is_conjunction(part)):
            _close_nouns(coordinated, waiting)
            waiting = []
            coordinated.append(part)
        else:
            waiting.append(part)
    _close_nouns(coordinated, waiting)
    if is_conjunction(coordinated[-1]) or coordinated[-1].is_mark or is_conjunction(coordinated[0]):
        return
    if first == 0:
        node.coordinated = True
        node.children = coordinated
        return
    group = Constituent("NX", children=coordinated, coordinated=True)
    node.children = [*children[:first], group]


def _close_nouns(coordinated: list[Constituent], waiting: list[Constituent]) -> None:
    if len(waiting) == 1 and (waiting[0].label not in ("DT", "PRP$")):
        coordinated.append(waiting[0])
    elif waiting:
        coordinated.append(Constituent("NX", children=list(waiting)))


def _by_marks(node: Constituent) -> None:
    """Coordinate children separated by marks: lists, appositions, sentences joined by ``;``."""
    children = node.children
    places = [i for i, child in enumerate(children) if _listed(node, child)]
    if len(places) < 2:
        return
    first = places[0]
    last = first
    for a, b in pairwise(places):
        if b != a + 2 or not (children[a + 1].is_mark and children[a + 1].label in ",:"):
            break
        last = b
    if last == first:
        return
    parts = children[first : last + 1]
    if first == 0 and last == len(children) - 1 and not node.traces:
        node.coordinated = True
        return
    group = children[first].regroup(parts, None)
    group.coordinated = True
    node.children = [*children[:first], group, *children[last + 1 :]]


def _listed(node: Constituent, child: Constituent) -> bool:
    return not child.is_leaf and child.label == node.label and not child.functions & _UNLISTED


def _next(children: Sequence[Constituent], place: int, step: int) -> int | None:
    while 0 <= place < len(children):
        if not children[place].is_mark:
            return None if is_conjunction(children[place]) else place
        place += step
    return None
