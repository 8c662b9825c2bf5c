"""Constituents of phrase-structure trees: clauses, and roles around a head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from semipunct.marks.penn import MARK_TAGS
from semipunct.papers.commas.trees import COLLINS, EMPTY, PhraseTree, head_place, label_parts

QUOTES = frozenset(("``", "''"))
"""The tags of quotation marks."""

_TRACE = "*T*-"


class Unconverted(Exception):
    """Raised for a construction without a known analysis."""


@dataclass(eq=False, slots=True)
class Constituent:
    """A phrase, a word or a mark.

    Attributes:
        label: without functions and indices.
        word: number of a kept leaf, from 1; 0 for a phrase.
        index: index shared with empty elements.
        gap_index: index after ``=`` (gapping).
        traces: label and functions of the empty children, by index.
        open: indices of ``traces`` here and below.
        binder: index of a relative or interrogative phrase among the children, even if empty.
        coordinated: whether the children are conjuncts and the elements between them.
        head: the head child, if chosen beforehand.
    """

    label: str
    functions: frozenset[str] = frozenset()
    children: list[Constituent] = field(default_factory=list["Constituent"])
    word: int = 0
    form: str = ""
    index: str = ""
    gap_index: str = ""
    traces: dict[str, tuple[str, frozenset[str]]] = field(
        default_factory=dict[str, tuple[str, frozenset[str]]]
    )
    open: set[str] = field(default_factory=set[str])
    binder: str = ""
    coordinated: bool = False
    head: Constituent | None = None

    @property
    def is_leaf(self) -> bool:
        return self.word > 0

    @property
    def is_mark(self) -> bool:
        return self.is_leaf and self.label in MARK_TAGS

    @property
    def is_comma(self) -> bool:
        return self.is_leaf and self.label == ","

    def regroup(self, children: list[Constituent], head: Constituent | None) -> Constituent:
        group = Constituent(self.label, self.functions, children, head=head)
        group.open = set[str]().union(*(child.open for child in children))
        return group


def constituents(
    tree: PhraseTree, forms: Sequence[str], *, quotes: bool
) -> tuple[Constituent, tuple[int, ...]]:
    """Build the constituents of a tree; return the root and the leaves that are not empty."""
    nodes: list[Constituent] = []
    words_of_leaves: list[int] = []
    for label, anchor in zip(tree.categories, tree.anchors, strict=True):
        if anchor:
            form = forms[anchor - 1]
            silent = label == EMPTY or (label in QUOTES and not quotes)
            if not silent:
                words_of_leaves.append(anchor)
            nodes.append(Constituent(label, word=0 if silent else len(words_of_leaves), form=form))
            continue
        parts = label_parts(label)
        name = parts.category.partition("|")[0]
        nodes.append(
            Constituent(
                name, frozenset(parts.functions), index=parts.coindex, gap_index=parts.gap_index
            )
        )
    for node in range(len(nodes) - 1, 0, -1):  # children come after their parents
        child, parent = nodes[node], nodes[tree.parents[node]]
        child.children.reverse()
        _join(child, parent, is_leaf=bool(tree.anchors[node]))
    root = nodes[0]
    root.children.reverse()
    if not root.children and not root.is_leaf:
        raise Unconverted("no words")
    while not root.label and len(root.children) == 1:
        root = root.children[0]
    return root, tuple(words_of_leaves)


def _join(child: Constituent, parent: Constituent, *, is_leaf: bool) -> None:
    """Add a child to its parent, from right to left, unless it is empty."""
    if child.label.startswith("WH") and child.index:
        parent.binder = child.index
    parent.open |= child.open
    if child.is_leaf or child.children:
        parent.children.append(child)
    elif is_leaf and child.label == EMPTY and child.form.startswith(_TRACE):
        index = child.form[len(_TRACE) :]
        parent.traces[index] = parent.label, parent.functions
        parent.open.add(index)
    elif not is_leaf:  # a phrase of a single trace becomes a trace
        for index in child.traces:
            parent.traces[index] = child.label, child.functions


def preorder(root: Constituent) -> Iterator[Constituent]:
    """Yield a constituent and its descendants in preorder."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


FINITE = {"VBD": "dcl", "VBZ": "dcl", "VBP": "dcl", "MD": "dcl"}
_FORMS = {**FINITE, "VB": "b", "VBG": "ng", "TO": "to"}
_HAVE = frozenset(["have", "has", "had", "having", "'ve", "'d", "'ave"])
_WHETHER = frozenset(("whether", "if"))
_PREDICATIVE = frozenset(("ADJP", "JJ", "JJR", "JJS", "ADVP", "RB", "RBR", "RRC"))
VERBS = frozenset((*FINITE, "VB", "VBG", "VBN", "TO"))
NOMINAL = frozenset(
    (
        *("NP", "NX", "NAC", "QP", "WHNP", "NN", "NNS", "NNP", "NNPS", "CD", "PRP", "EX", "DT"),
        *("PDT", "WP", "WDT", "$", "#", "FW", "POS", "PRP$", "JJS"),
    )
)
CLAUSES = frozenset(("S", "SINV", "SQ", "SBARQ"))


def head_of(node: Constituent) -> Constituent:
    """Return the head child of a phrase, or its first conjunct."""
    if node.head is not None:
        return node.head
    words = [child for child in node.children if not child.is_mark]
    if not words:
        raise Unconverted("a phrase of marks alone")
    if node.coordinated:
        return words[0]
    if node.label in CLAUSES and not any(child.label == "VP" for child in words):
        predicate = next((child for child in words if "PRD" in child.functions), None)
        if predicate is not None:
            return predicate
    if node.label == "SBARQ":
        question = next((child for child in words if child.label.startswith("WH")), None)
        if question is not None:
            return question
    if node.label == "PRN":
        heads = ((*CLAUSES, "SBAR", "VP"), ("NP", "PP"))
        return next((w for labels in heads for w in words if w.label in labels), words[0])
    labels = [child.label for child in words]
    if node.label == "NP" and labels[-1] != "POS" and not words[0].is_leaf:
        first = next((w for w in words if w.label == "NP" and not _possessive(w)), None)
        nouns = [w for w in words if w.is_leaf and w.label.startswith("NN")]
        if first is not None and not nouns:
            return first
    return words[head_place(labels, node.label, COLLINS)]


def _possessive(node: Constituent) -> bool:
    return bool(node.children) and node.children[-1].label == "POS"


def has_subject(node: Constituent) -> bool:
    """Return whether a clause, or its first conjunct, has a subject."""
    node = _first_clause(node)
    return any("SBJ" in child.functions for child in node.children) or (
        node.label in ("SINV", "SQ") and any(child.label == "NP" for child in node.children)
    )


def _first_clause(node: Constituent) -> Constituent:
    while node.label in CLAUSES:
        head = head_of(node)
        if not (node.coordinated or (head.label in CLAUSES and not _has_sbj(node))):
            break
        node = head
    return node


def _has_sbj(node: Constituent) -> bool:
    return any("SBJ" in child.functions for child in node.children)


def is_subject_extracted(node: Constituent, index: str) -> bool:
    """Return whether the subject of a clause has the trace ``index``."""
    node = _first_clause(node)
    label, functions = node.traces.get(index, ("", frozenset[str]()))
    return label == "NP" and "SBJ" in functions


def sentence_feature(node: Constituent) -> str:
    """Return the feature of a verb phrase or a clause, such as ``dcl``."""
    while not node.is_leaf:
        head = head_of(node)
        if node.label in ("VP", "SQ", "SINV") and head.is_leaf and head.label in VERBS:
            break
        node = head
    verb = node if node.is_leaf else head_of(node)
    return "pss" if verb.label == "VBN" else _FORMS.get(verb.label, "")


def is_perfect(auxiliary: Constituent) -> bool:
    """Return whether an auxiliary takes a perfect participle."""
    return auxiliary.is_leaf and auxiliary.form.lower() in _HAVE


def complementiser(node: Constituent) -> Constituent | None:
    """Return the word or phrase that introduces a subordinate clause."""
    if node.label not in ("SBAR", "SBARQ"):
        return None
    for child in node.children:
        if child.label in ("IN", "DT", "RB", "WDT") and child.is_leaf:
            return child
        if child.label.startswith("WH"):
            return child
        if child.label in (*CLAUSES, "SBAR"):
            return None
    return None


def category_of(node: Constituent, *, perfect: bool = False) -> str:
    """Return the category of a root or a complement.

    ``perfect`` tells whether its head, a participle, follows *have*.
    """
    while True:
        label = node.label
        if label in NOMINAL or "NOM" in node.functions:
            return "N" if label in ("NX", "NAC") else "NP"
        if label == "VP":
            return f"S[{verb_feature(node, perfect)}]\\NP"
        if label == "SBARQ":
            return "S[wq]"
        if label == "SQ" and has_subject(node):
            return "S[q]"
        if label in CLAUSES:
            clause = _clause(node)
            if isinstance(clause, str):
                return clause
            node, perfect = clause, False
            continue
        if label == "SBAR":
            first = complementiser(node)
            if node.coordinated:
                node = head_of(node)
                continue
            if first is None:
                node = head_of(node)
                continue
            if first.label.startswith("WH") or first.form.lower() in _WHETHER:
                return "S[qem]"
            return "S[for]" if first.form.lower() == "for" else "S[em]"
        if label in ("PP", "IN", "WHPP", "TO"):
            return "PP"
        if label in _PREDICATIVE or label in ("WHADVP", "WHADJP", "WRB"):
            return "S[adj]\\NP"
        if label in VERBS:
            return f"S[{_FORMS.get(label, 'pt' if perfect else 'pss')}]\\NP"
        if label == "FRAG":
            return "S[frg]"
        if label in ("INTJ", "UH"):
            return "S[intj]"
        if node.is_leaf:
            return "NP"
        node = head_of(node)


def verb_feature(node: Constituent, perfect: bool) -> str:
    """Return the feature of a verb phrase."""
    feature = sentence_feature(node)
    if feature == "pss" and perfect:
        return "pt"
    return feature or "dcl"


def _clause(node: Constituent) -> str | Constituent:
    """Return the category of a clause, or an inner constituent with the same category."""
    inner = _first_clause(node)
    if inner.label not in CLAUSES:
        return inner
    head = head_of(inner)
    if has_subject(inner) or inner.label == "SINV":
        return f"S[{_clause_feature(inner)}]"
    if head.label == "VP" or head.label in VERBS:
        return f"S[{_clause_feature(inner)}]\\NP"
    return head


def _clause_feature(node: Constituent) -> str:
    feature = sentence_feature(node)
    if feature or node.label == "SINV":
        return feature or "dcl"
    return "adj" if head_of(node).label in _PREDICATIVE else "nom"


ADVERBIAL = frozenset(("ADV", "TMP", "LOC", "DIR", "MNR", "PRP", "EXT", "VOC"))
_CLOSE = frozenset(("PRD", "CLR", "DTV", "PUT", "SBJ", "TPC", "NOM"))
"""Functions of complements, regardless of their labels (Bies et al. 1995, section 2.2)."""

_VERBAL = frozenset(("VP", "SQ", "SINV", "S", "SBARQ"))


def is_adverbial(node: Constituent) -> bool:
    """Return whether function tags mark an adjunct."""
    return bool(node.functions & ADVERBIAL) and not node.functions & _CLOSE


def complement(
    child: Constituent, owner: Constituent, head: Constituent, *, after: bool, apart: bool
) -> str | None:
    """Return the category of a complement of ``owner``, None for an adjunct.

    Args:
        child: neither the head nor a mark.
        owner: a phrase.
        head: its head.
        after: whether the child follows the head.
        apart: whether a mark directly precedes it.
    """
    label = owner.label
    introduced = label in ("SBAR", "SBARQ") and child.label in (*CLAUSES, "SBAR") and after
    if introduced:
        return clause_category(child, owner.binder)
    if is_adverbial(child):
        return None
    if label in _VERBAL or "SBJ" in child.functions:
        return _of_verb(child, owner, head, after=after, apart=apart)
    if label in ("PP", "WHPP") and after:
        return None if apart else _of_preposition(child)
    if label in ("ADJP", "JJ"):
        if after and not apart and child.label in ("PP", "S", "SBAR"):
            return category_of(child)
        measure = not after and child.label == "NP" and not owner.coordinated
        return "NP" if measure else None
    if label == "ADVP":
        if after and not apart and child.label in ("PP", "SBAR"):
            return category_of(child)
        return "NP" if not after and child.label == "NP" else None
    return None


def _of_verb(
    child: Constituent, owner: Constituent, head: Constituent, *, after: bool, apart: bool
) -> str | None:
    label = child.label
    if "SBJ" in child.functions:
        return category_of(child)
    if label in NOMINAL and not child.is_leaf:
        if not after and owner.label != "SBARQ" and not child.functions & {"TPC"}:
            return None
        return None if apart and after and not child.functions & _CLOSE else category_of(child)
    if child.is_leaf:
        fits = after and label in NOMINAL and label not in ("DT", "PDT", "POS", "FW")
        return category_of(child) if fits else None
    if label == "VP":
        return category_of(child, perfect=is_perfect(head)) if after else None
    if label in CLAUSES or label == "SBAR":
        if not after and not child.functions & {"TPC", "NOM"}:
            return None
        if label == "SBAR" and apart and "TPC" not in child.functions:
            return None
        if label != "SBAR" and apart and after and not has_subject(child):
            return None
        if owner.label == "S" and after and "PRD" not in child.functions:
            return None
        return category_of(child)
    if child.functions & (_CLOSE - {"TPC"}):
        return category_of(child)
    return category_of(child) if label == "ADJP" and after and not apart else None


def _of_preposition(child: Constituent) -> str | None:
    if child.label in ("RB", "PRN", "CC", "RP", "PRT") or child.label in VERBS - {"VBG"}:
        return None
    return category_of(child)


def clause_category(clause: Constituent, binder: str) -> str:
    """Return the category of a clause, with the extraction of ``binder``, if any."""
    category = category_of(clause)
    return f"{_bracketed(category)}/NP" if is_noun_phrase_extracted(clause, binder) else category


def is_noun_phrase_extracted(clause: Constituent, binder: str) -> bool:
    """Return whether a noun phrase other than the subject was extracted."""
    if not binder or binder not in clause.open or is_subject_extracted(clause, binder):
        return False
    node = clause
    while binder not in node.traces:
        node = next(child for child in node.children if binder in child.open)
    label, functions = node.traces[binder]
    return label == "NP" and not functions & ADVERBIAL


def bare_relative(node: Constituent) -> bool:
    """Return whether a subordinate clause has an empty relative pronoun or none."""
    return node.label == "SBAR" and not node.coordinated and complementiser(node) is None


def _bracketed(category: str) -> str:
    return f"({category})" if "\\" in category or "/" in category else category
