"""The reasons of corrections as sentences: the constituent with the mark, and its rewriting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from semipunct.marks import Edit, Puncteme, shown_string
from semipunct.tasks.correction import Attached, Corrected, Explained

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

_LONG = 4
"""Constituents up to this number of words are shown; of longer ones, the first and last two."""


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


def reason(corrected: Corrected, explained: Explained) -> str:
    """Return a sentence that explains a correction.

    Args:
        corrected: the sentence.
        explained: one of its corrections.
    """
    before, after = explained.correction.before, explained.correction.after
    speakers = [] if explained.reason is None else list(explained.reason.attached)
    if not after:
        absorbing_rule = _absorbing(explained)
        if absorbing_rule:
            return f"The {name_marks(before)} is absorbed by the mark beside it ({absorbing_rule})."
        where = _between(corrected, explained.correction.slot)
        if explained.reason is None:
            name = name_marks(before)
            return f"{_article(name)} {name} is improbable {where}."
        return f"No constituent that begins or ends {where} has a {name_marks(before)} there."
    sources = [s for s in speakers if set(after) & set(s.tokens)] or speakers
    rule_text = rule(() if explained.reason is None else explained.reason.edits)
    because = f" ({rule_text})" if rule_text else ""
    if not sources:
        return f"The marks {shown_string(after)} are more probable here{because}."
    speaker = sources[-1] if sources[-1].side == "left" else sources[0]
    subject = f"{_article(name_marks(after))} {name_marks(after)}"
    instead = f" in place of the {name_marks(before)}" if before else ""
    return f"{subject}{instead} {_attached(corrected, speaker)}{because}."


def _absorbing(explained: Explained) -> str | None:
    """Return the rule by which the removed marks are absorbed, if there is one."""
    if explained.reason is None or not set(explained.correction.before) & set(
        explained.reason.underlying
    ):
        return None
    return rule(explained.reason.edits)


def _article(name: str) -> str:
    return "An" if name[0] in "aeiou" else "A"


def _attached(corrected: Corrected, speaker: Attached) -> str:
    tree, words = corrected.sentence.tree, corrected.sentence.forms
    left, right = (edges[speaker.word - 1] for edges in tree.edges)
    relation = tree.relations[speaker.word - 1]
    name = CONSTITUENTS.get(relation) or CONSTITUENTS.get(relation.partition(":")[0])
    constituent = name or f"constituent of the relation {relation}"
    inside = list(words[left:right])
    if speaker.side == "left":
        return f"opens the {constituent} “{_excerpt(inside)}”"
    if name == "sentence":
        return "ends the sentence"
    return f"closes the {constituent} “{_excerpt(inside)}”"


def _excerpt(words: Sequence[str]) -> str:
    if len(words) <= _LONG:
        return " ".join(words)
    return " ".join((*words[:2], "...", *words[-2:]))


def _between(corrected: Corrected, slot: int) -> str:
    words = corrected.sentence.forms
    if slot == 0:
        return f"before “{words[0]}”"
    if slot == len(words):
        return f"after “{words[-1]}”"
    return f"between “{words[slot - 1]}” and “{words[slot]}”"
