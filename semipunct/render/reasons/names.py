"""Names of marks and of constituents, as a writer knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from semipunct.marks import Edit, Puncteme, shown_string

MARKS: Mapping[str, str] = {
    ",": "comma",
    ".": "period",
    "?": "question mark",
    "!": "exclamation mark",
    ";": "semicolon",
    ":": "colon",
    "-": "dash",
    "--": "dash",
    "–": "dash",
    "—": "dash",
    "...": "ellipsis",
    "…": "ellipsis",
    "(": "bracket",
    ")": "bracket",
    "“": "quotation mark",
    "”": "quotation mark",
    "‘": "quotation mark",
    "’": "quotation mark",
}
"""Names of marks; other marks are shown as they are."""

CONSTITUENTS: Mapping[str, str] = {
    "root": "sentence",
    "nsubj": "subject",
    "nsubjpass": "subject",
    "csubj": "clause that is the subject",
    "dobj": "object",
    "obj": "object",
    "iobj": "indirect object",
    "ccomp": "complement clause",
    "xcomp": "complement",
    "advcl": "adverbial clause",
    "advmod": "adverb",
    "nmod": "modifier",
    "obl": "adverbial",
    "nmod:tmod": "expression of time",
    "nmod:npmod": "modifier",
    "acl": "clause that modifies a noun",
    "acl:relcl": "relative clause",
    "amod": "adjective",
    "appos": "apposition",
    "conj": "conjunct",
    "cc": "conjunction",
    "parataxis": "parenthesis",
    "vocative": "address",
    "discourse": "interjection",
    "list": "item of a list",
    "dislocated": "dislocated phrase",
    "mark": "subordinating conjunction",
    "remnant": "rest of an ellipsis",
    "name": "part of a name",
    "compound": "part of a compound",
}
"""Names of constituents by relation; for other relations, the relation is shown."""


def rule(edits: Sequence[Edit]) -> str | None:
    """Return the edits that change something, such as ``, . → .``; None if there are none.

    Args:
        edits: of one slot, in the order in which they are made.
    """
    changes = [
        f"{shown_string((e.a, e.b))} → {shown_string(e.result)}" for e in edits if e.name != "keep"
    ]
    return "; ".join(changes) or None


def name_marks(tokens: Puncteme) -> str:
    """Return a name for a string of marks, such as ``comma`` or ``string ” .``.

    Args:
        tokens: at least one.
    """
    if len(tokens) == 1:
        return MARKS.get(tokens[0], f"mark {shown_string(tokens)}")
    return f"string {shown_string(tokens)}"


def article(name: str) -> str:
    """Return the indefinite article of a name.

    Args:
        name: of a mark.
    """
    return "An" if name[0] in "aeiou" else "A"
