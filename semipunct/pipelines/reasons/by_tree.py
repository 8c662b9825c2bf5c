"""Reasons from the constituent that owns a mark in the best underlying tree.

Relations follow Universal Dependencies 1 and 2, which attach a conjunction to the first conjunct
and to the following conjunct, respectively.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from semipunct.corpus import Sentence
from semipunct.marks import Puncteme
from semipunct.pipelines.reasons.catalogue import (
    CHANNEL,
    CONSTITUENTS,
    POSITIONS,
    TREES,
    TreeReason,
    name_marks,
    rule,
)
from semipunct.pipelines.reasons.place import excerpt
from semipunct.pipelines.results import Attached, Reason

_SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj", "csubjpass", "expl"))


class Coordination(NamedTuple):
    """A coordination; indices of words start from 1, and 0 is none."""

    first: int
    conjuncts: tuple[int, ...]
    conjunction: int
    item: int


class Constituent(NamedTuple):
    """A constituent with a mark."""

    sentence: Sentence
    attached: Attached

    @property
    def word(self) -> int:
        """The head of the constituent, from 1."""
        return self.attached.word

    @property
    def relation(self) -> str:
        return self.sentence.tree.relations[self.word - 1]

    @property
    def edges(self) -> tuple[int, int]:
        left, right = self.sentence.tree.edges
        return left[self.word - 1], right[self.word - 1]

    @property
    def slot(self) -> int:
        return self.edges[self.attached.side == "right"]

    @property
    def words(self) -> Sequence[str]:
        return self.sentence.forms[slice(*self.edges)]

    @property
    def place(self) -> str:
        """``initial``, ``medial`` or ``final`` in the sentence."""
        left, right = self.edges
        if right == len(self.sentence.forms):
            return "final"
        is_first = {"cc"}.issuperset(self.sentence.tree.relations[:left])
        return "initial" if is_first else "medial"

    @property
    def coordination(self) -> Coordination | None:
        """The coordination of which the constituent is a conjunct or a conjunction."""
        heads, relations = self.sentence.tree.heads, self.sentence.tree.relations
        head = heads[self.word - 1]
        is_conjunction = self.relation == "cc"
        if not head or not (is_conjunction or self._is_relation(self.word, "conj")):
            return None
        first = head
        if is_conjunction and self._is_relation(head, "conj") and self.word < head:
            first = heads[head - 1]
        conjuncts = [
            w for w, h in enumerate(heads, 1) if h == first and self._is_relation(w, "conj")
        ]
        item = next((w for w in conjuncts if w >= self.word), 0)
        if not item:
            return None
        if self.attached.side == "right" and not is_conjunction:
            item = next((w for w in conjuncts if w > self.word), item)
        previous = max((w for w in conjuncts if w < item), default=first)
        conjunction = next(
            (w for w, r in enumerate(relations, 1)
             if r == "cc" and previous < w < item and heads[w - 1] in (first, item, previous)),
            0,
        )  # fmt: skip
        return Coordination(first, tuple(conjuncts), conjunction, item)

    def _is_relation(self, word: int, relation: str) -> bool:
        return self.sentence.tree.relations[word - 1].partition(":")[0] == relation

    def is_clause(self, word: int) -> bool:
        """Return whether a word heads a clause with a subject."""
        tree = self.sentence.tree
        return any(
            head == word and relation.partition(":")[0] in _SUBJECTS
            for head, relation in zip(tree.heads, tree.relations, strict=True)
        )


def _joined_clauses(node: Constituent) -> bool:
    group = node.coordination
    return (
        group is not None and group.conjunction == node.slot + 1
        and node.is_clause(group.first) and node.is_clause(group.item)
    )  # fmt: skip


def _series_with_conjunction(node: Constituent) -> bool:
    group = node.coordination
    return (
        group is not None and len(group.conjuncts) > 1 and group.conjunction == node.slot + 1
        and group.item == group.conjuncts[-1]
        and node.sentence.forms[group.conjunction - 1].lower() not in ("but", "yet", "so")
    )  # fmt: skip


def _series(node: Constituent) -> bool:
    group = node.coordination
    return group is not None and (len(group.conjuncts) > 1 or not group.conjunction)


def _clause_alone(node: Constituent) -> bool:
    group = node.coordination
    return group is not None and not group.conjunction and node.is_clause(group.item)


def _conjunction(node: Constituent) -> bool:
    group = node.coordination
    return group is not None and group.conjunction == node.slot + 1


# The named conditions of reasons in the catalogue.
CONDITIONS: Mapping[str, Callable[[Constituent], bool]] = {
    "": lambda node: True,
    "clause": lambda node: node.is_clause(node.word),
    "opens": lambda node: node.attached.side == "left",
    "clause alone": _clause_alone,
    "hyphen": lambda node: "-" in node.attached.tokens and len(node.words) == 1,
    "joined clauses": _joined_clauses,
    "series with conjunction": _series_with_conjunction,
    "series": _series,
    "conjunction": _conjunction,
}


class TreeCue(NamedTuple):
    """A reason from a constituent."""

    key: str
    text: str
    constituent: Constituent

    def __str__(self) -> str:
        return self.text


# The key of reasons that only name the constituent.
OTHER = "tree.other"


def reasons_by_tree(sentence: Sentence, reason: Reason, tokens: Puncteme) -> list[TreeCue]:
    """Return a reason for each mark of a slot that belongs to a constituent."""
    cues: list[TreeCue] = []
    for token in tokens:
        owners = [Constituent(sentence, a) for a in reason.attached if token in a.tokens]
        if not owners:
            continue
        listed = [cue for cue in (_listed(owner, token) for owner in owners) if cue is not None]
        nearest = owners[-1] if owners[-1].attached.side == "left" else owners[0]
        cue = listed[0] if listed else _other(nearest, token)
        if cue.text not in [earlier.text for earlier in cues]:
            cues.append(cue)
    return cues


def channel_of(reason: Reason) -> str | None:
    """Describe the rewriting of the marks of a slot by the channel, if any."""
    listed = [
        CHANNEL[edit.name].format(
            a=name_marks((edit.a,)), b=name_marks((edit.b,)), rule=rule([edit])
        )
        for edit in reason.edits
        if edit.name in CHANNEL
    ]
    return " ".join(listed) or None


def _listed(node: Constituent, token: str) -> TreeCue | None:
    mark = name_marks((token,))
    entry = next((entry for entry in TREES if _fits(entry, node, mark)), None)
    if entry is None:
        return None
    return TreeCue(entry.key, entry.template.format_map(_values(node, mark)), node)


def _fits(entry: TreeReason, node: Constituent, mark: str) -> bool:
    position = "opens" if node.attached.side == "left" else "closes"
    relations = {node.relation, node.relation.partition(":")[0]}
    return (
        (not entry.relations or not relations.isdisjoint(entry.relations))
        and position in entry.positions
        and (not entry.marks or mark in entry.marks)
        and (not entry.places or node.place in entry.places)
        and CONDITIONS[entry.condition](node)
    )


def _values(node: Constituent, mark: str) -> dict[str, str]:
    forms, tree = node.sentence.forms, node.sentence.tree
    head = tree.heads[node.word - 1]
    group = node.coordination
    left, right = tree.edges
    words = node.words
    if group is not None:
        words = forms[left[group.item - 1] : right[group.item - 1]]
        if group.conjunction == left[group.item - 1] + 1:
            words = words[1:]
    return {
        "mark": mark,
        "excerpt": excerpt(words),
        "head": forms[head - 1] if head else "",
        "word": forms[group.conjunction - 1] if group and group.conjunction else words[0],
    }


def _other(node: Constituent, token: str) -> TreeCue:
    name = CONSTITUENTS.get(node.relation) or CONSTITUENTS.get(node.relation.partition(":")[0])
    position = "opens" if node.attached.side == "left" else "closes"
    values = {
        "mark": name_marks((token,)),
        "name": name or f"constituent of the relation {node.relation}",
        "excerpt": excerpt(node.words),
    }
    return TreeCue(OTHER, POSITIONS[position].format_map(values), node)
