"""Roles of the children of a phrase: complements with their categories, and adjuncts."""

from __future__ import annotations

from semipunct.trees.conversion.clauses import (
    CLAUSES,
    NOMINAL,
    VERBS,
    category_of,
    complementiser,
    has_subject,
    is_perfect,
    is_subject_extracted,
)
from semipunct.trees.conversion.constituents import Constituent

ADVERBIAL = frozenset(("ADV", "TMP", "LOC", "DIR", "MNR", "PRP", "EXT", "VOC"))
_CLOSE = frozenset(("PRD", "CLR", "DTV", "PUT", "SBJ", "TPC", "NOM"))
"""Functions of complements, regardless of their labels (Bies et al. 1995, section 2.2)."""

_VERBAL = frozenset(("VP", "SQ", "SINV", "S", "SBARQ"))


def is_adverbial(node: Constituent) -> bool:
    """Return whether function tags mark a constituent as an adjunct."""
    return bool(node.functions & ADVERBIAL) and not node.functions & _CLOSE


def complement(
    child: Constituent, owner: Constituent, head: Constituent, *, after: bool, apart: bool
) -> str | None:
    """Return the category of a complement, None for an adjunct.

    Args:
        child: a child that is neither the head nor a mark.
        owner: the phrase around it.
        head: the head of the phrase.
        after: whether it follows the head.
        apart: whether a mark precedes it directly.
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
    """Return the category of a clause with a possible extraction.

    Args:
        clause: the clause below the phrase that binds the extracted element.
        binder: its index; empty if there is none.
    """
    category = category_of(clause)
    return f"{_bracketed(category)}/NP" if is_noun_phrase_extracted(clause, binder) else category


def is_noun_phrase_extracted(clause: Constituent, binder: str) -> bool:
    """Return whether a noun phrase other than the subject of the clause was extracted.

    Args:
        clause: the clause below the phrase that binds the extracted element.
        binder: its index; empty if there is none.
    """
    if not binder or binder not in clause.open or is_subject_extracted(clause, binder):
        return False
    node = clause
    while binder not in node.traces:
        node = next(child for child in node.children if binder in child.open)
    label, functions = node.traces[binder]
    return label == "NP" and not functions & ADVERBIAL


def bare_relative(node: Constituent) -> bool:
    """Return whether a subordinate clause has an empty relative pronoun or none at all."""
    return node.label == "SBAR" and not node.coordinated and complementiser(node) is None


def _bracketed(category: str) -> str:
    return f"({category})" if "\\" in category or "/" in category else category
