"""The categories of constituents that are roots or complements."""

from __future__ import annotations

from semipunct.trees.conversion.constituents import Constituent, Unconverted
from semipunct.trees.heads import COLLINS, head_place

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
    """Return the child that is the head of a phrase, or of its first conjunct.

    Args:
        node: a constituent without empty children.

    Raises:
        Unconverted: if there are only marks.
    """
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
    """Return whether a clause, or its first conjunct, has an overt subject."""
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
    """Return whether the element extracted with an index is the subject of a clause.

    Args:
        node: the clause.
        index: the index of the trace.
    """
    node = _first_clause(node)
    label, functions = node.traces.get(index, ("", frozenset[str]()))
    return label == "NP" and "SBJ" in functions


def sentence_feature(node: Constituent) -> str:
    """Return the feature of a verb phrase or a clause, such as ``dcl``, from its head verb."""
    while not node.is_leaf:
        head = head_of(node)
        if node.label in ("VP", "SQ", "SINV") and head.is_leaf and head.label in VERBS:
            break
        node = head
    verb = node if node.is_leaf else head_of(node)
    return "pss" if verb.label == "VBN" else _FORMS.get(verb.label, "")


def is_perfect(auxiliary: Constituent) -> bool:
    """Return whether a participle after an auxiliary is a perfect participle."""
    return auxiliary.is_leaf and auxiliary.form.lower() in _HAVE


def complementiser(node: Constituent) -> Constituent | None:
    """Return the word or phrase that introduces a subordinate clause, or None."""
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

    Args:
        node: any constituent with words.
        perfect: whether a participle at its head follows *have*.

    Raises:
        Unconverted: for a phrase that consists only of marks.
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
    """Return the feature of a verb phrase.

    Args:
        node: the verb phrase.
        perfect: whether a participle at its head follows *have*.
    """
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
