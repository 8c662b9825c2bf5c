"""The catalogue of reasons, in the terms of a style guide.

A reason has a key and a template. ``by_words`` chooses keys from words alone; ``by_tree`` chooses
by the relation of the constituent, the position of the mark, and the mark. The fallback only states
the decision of the model (docs/decisions/restoration.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from semipunct.marks import Edit, Puncteme, shown_string

# Templates of reasons from words, by key.
WORDS: Mapping[str, str] = {
    # Commas that join or part clauses and items.
    "comma.clauses_joined":
        "Two independent clauses joined by “{word}”: a comma before it.",
    "comma.but": "“{word}” sets what follows against what precedes: a comma before it.",
    "comma.serial":
        "The last item of a series: a comma before “{word}”, the serial comma, which some styles "
        "leave out.",
    "comma.series": "Items of a series: a comma after “{left}”.",
    "comma.clause_follows": "A clause of its own begins with “{word}”: a comma before it.",
    "comma.contrast_clause": "“{word}” opens a clause that contrasts: a comma before it.",
    "comma.reason_clause": "“{word}” opens a clause that is added: a comma sets it off.",
    "comma.contrast": "“{word}” opens what is set against the rest: a comma before it.",
    "comma.examples": "“{word}” introduces examples or a closer description: a comma before it.",
    "comma.participle": "A phrase with “{word}” is added: a comma before it.",
    # Before the main clause.
    "comma.introductory": "“{excerpt}” introduces the sentence: a comma after it.",
    "comma.interjection": "“{excerpt}” is said before the sentence itself: a comma after it.",
    "comma.introductory_clause":
        "The clause opened by “{word}” stands before the main clause: a comma after it.",
    "comma.introductory_phrase":
        "The phrase “{excerpt}” stands before the subject “{right}”: a comma after it.",
    "comma.greeting": "“{excerpt}” addresses the reader: a comma after it.",
    # Interruptions and ends of a sentence.
    "comma.interruption": "“{excerpt}” interrupts the sentence: a comma on each side.",
    "comma.final_comment": "“{word}” at the end comments on the whole sentence: a comma before it.",
    "comma.tag_question": "“{excerpt}” is a tag question: a comma before it.",
    "comma.relative":
        "“{word}” opens a relative clause that adds something: a comma before it.",
    "comma.relative_ends": "The clause opened by “{word}” ends here: a comma closes it.",
    "comma.apposition": "“{excerpt}” says who or what “{left}” is: a comma before it.",
    "comma.date": "The parts of a date: a comma between them.",
    # Direct speech.
    "comma.speech_follows": "Direct speech follows “{left}”: a comma before it.",
    "comma.quotation_follows": "A comma leads into the quotation.",
    "comma.speech_ends":
        "The quoted words end and the sentence goes on: a comma stands inside the quotation marks.",
    "comma.speech_ends_outside": "The quoted words end and the sentence goes on: a comma follows.",
    # Ends of sentences.
    "period.end": "The sentence ends here: a period.",
    "period.next": "The sentence ends here, and “{right}” begins the next one: a period.",
    "period.abbreviation": "“{left}” is an abbreviation: a period belongs to it.",
    "question.opened": "A question opened by “{word}”: a question mark at its end.",
    "question.inverted":
        "The verb “{word}” stands before its subject “{other}”, which makes a question.",
    "question.tag": "The tag “{excerpt}” asks for agreement: a question mark.",
    "exclamation.what": "“{excerpt}” opens an exclamation: an exclamation mark at its end.",
    "exclamation.word": "“{word}” is called out: an exclamation mark.",
    # Marks that enclose, and the rest.
    "quote.speech_opens": "Direct speech begins here, as “{word}” shows: a quotation mark.",
    "quote.speech_ends": "Direct speech ends here, as “{word}” shows: a quotation mark.",
    "quote.opens": "The quotation “{excerpt}” begins here.",
    "quote.ends": "The quotation that begins with “{excerpt}” ends here.",
    "bracket.opens": "A remark that may be left out begins here: an opening bracket.",
    "bracket.ends": "The remark that begins with “{excerpt}” ends here: a closing bracket.",
    "colon.speech": "The colon leads into the quotation.",
    "colon.list": "The colon announces the list that follows.",
    "colon.line": "The colon announces what follows this line.",
    "colon.follows": "What precedes announces what follows: a colon between them.",
    "semicolon.clauses":
        "A clause of its own begins with “{word}”, close to the one before: a semicolon.",
    "semicolon.list": "Items of a series some of which have commas: semicolons between them.",
    "dash.pair": "Two dashes set off “{excerpt}” from the rest.",
    "dash.single": "The dash sets off what follows.",
    "ellipsis": "An ellipsis: the words trail off here, or some are left out.",
    # Marks that are removed.
    "removed.doubled": "The same mark stands here twice: one is enough.",
    "removed.that": "“that” opens what belongs to the words before it: no {mark} between them.",
    "removed.after_conjunction": "“{left}” joins what follows: no {mark} between them.",
    "removed.before_preposition":
        "“{word}” opens a phrase that belongs to the words before it: no {mark} between them.",
    "removed.verb": "“{left}” is followed by what it needs: no {mark} between them.",
}  # fmt: skip


class TreeReason(NamedTuple):
    """A reason from the constituent that owns a mark."""

    key: str
    relations: tuple[str, ...]
    positions: tuple[str, ...]
    marks: tuple[str, ...]
    places: tuple[str, ...]
    template: str
    condition: str = ""


_BOTH = ("opens", "closes")
_COMMA, _ANY = ("comma",), ()

# Reasons from constituents; the first match wins.
TREES: tuple[TreeReason, ...] = (
    TreeReason("tree.hyphen", ("compound", "nummod", "amod", "advmod", "nmod"), _BOTH, ("dash",),
               _ANY, "“{excerpt}” is part of a compound: a hyphen joins the parts.", "hyphen"),
    TreeReason("tree.clauses_joined", ("conj", "cc"), ("opens", "closes"), _COMMA, _ANY,
               "Two independent clauses joined by “{word}”: a comma before it.", "joined clauses"),
    TreeReason("tree.clauses_semicolon", ("conj", "parataxis"), _BOTH, ("semicolon",), _ANY,
               "“{excerpt}” could be a sentence of its own, close to the one before: a semicolon.",
               "clause"),
    TreeReason("tree.serial", ("conj", "cc"), _BOTH, _COMMA, _ANY,
               "The last item of a series: a comma before “{word}”, the serial comma, which some "
               "styles leave out.", "series with conjunction"),
    TreeReason("tree.clause_follows", ("conj",), ("opens",), _COMMA, _ANY,
               "“{excerpt}” is a clause of its own: a comma before it.", "clause alone"),
    TreeReason("tree.series", ("conj",), _BOTH, ("comma", "semicolon"), _ANY,
               "“{excerpt}” is an item of a series: a {mark} between items.", "series"),
    TreeReason("tree.joined", ("conj", "cc"), _BOTH, _COMMA, _ANY,
               "“{word}” joins “{excerpt}” to what precedes: a comma before it.", "conjunction"),
    TreeReason("tree.relative", ("acl:relcl",), ("opens",), _COMMA, _ANY,
               "The relative clause “{excerpt}” adds something about “{head}”: a comma before "
               "it."),
    TreeReason("tree.relative_ends", ("acl:relcl",), ("closes",), _COMMA, _ANY,
               "The relative clause “{excerpt}”, which adds something about “{head}”, ends here: "
               "a comma after it."),
    TreeReason("tree.participle", ("acl",), ("opens",), _COMMA, _ANY,
               "“{excerpt}” adds something about “{head}”: a comma before it."),
    TreeReason("tree.participle_ends", ("acl",), ("closes",), _COMMA, _ANY,
               "“{excerpt}”, which adds something about “{head}”, ends here: a comma after it."),
    TreeReason("tree.apposition", ("appos",), ("opens",), _ANY, _ANY,
               "“{excerpt}” says who or what “{head}” is: a {mark} before it."),
    TreeReason("tree.apposition_ends", ("appos",), ("closes",), _ANY, _ANY,
               "“{excerpt}”, which says who or what “{head}” is, ends here: a {mark} after it."),
    TreeReason("tree.clause_first", ("advcl",), ("closes",), _COMMA, ("initial",),
               "The clause “{excerpt}” stands before the main clause: a comma after it."),
    TreeReason("tree.clause_added", ("advcl",), ("opens",), _COMMA, ("final", "medial"),
               "The clause “{excerpt}” is added: a comma sets it off."),
    TreeReason("tree.phrase_first", ("nmod", "obl", "advmod", "nmod:tmod", "obl:tmod", "advcl"),
               ("closes",), _COMMA, ("initial",),
               "“{excerpt}” stands before the main clause: a comma after it."),
    TreeReason("tree.speech", ("ccomp", "parataxis", "root"), _BOTH, ("quotation mark",), _ANY,
               "“{excerpt}” is quoted: quotation marks around it."),
    TreeReason("tree.reported", ("ccomp",), _BOTH, _COMMA, _ANY,
               "“{excerpt}” is what “{head}” reports: a comma between them."),
    TreeReason("tree.vocative", ("vocative",), _BOTH, _COMMA, _ANY,
               "“{excerpt}” is addressed: a comma sets the name off."),
    TreeReason("tree.interjection", ("discourse",), _BOTH, _COMMA, _ANY,
               "“{excerpt}” is called in: a comma sets it off."),
    TreeReason("tree.parenthesis", ("parataxis",), _BOTH, _COMMA, _ANY,
               "“{excerpt}” is loosely added to the sentence: a comma sets it off."),
    TreeReason("tree.adverb", ("advmod",), _BOTH, _COMMA, _ANY,
               "“{excerpt}” comments on the sentence: a comma sets it off."),
    TreeReason("tree.clause_ends", ("advcl", "ccomp", "csubj"), ("closes",), _COMMA, _ANY,
               "The clause “{excerpt}” ends here: a comma after it."),
    TreeReason("tree.colon", _ANY, _BOTH, ("colon",), _ANY,
               "The colon announces “{excerpt}”.", "opens"),
    TreeReason("tree.bracket", _ANY, _BOTH, ("bracket",), _ANY,
               "“{excerpt}” is set apart from the rest: brackets around it."),
    TreeReason("tree.dash", _ANY, _BOTH, ("dash",), _ANY,
               "“{excerpt}” is set off from the rest: a dash."),
    TreeReason("tree.quoted", _ANY, _BOTH, ("quotation mark",), _ANY,
               "“{excerpt}” is quoted: quotation marks around it."),
    TreeReason("tree.statement", ("root",), ("closes",), ("period",), _ANY,
               "The sentence ends here: a period."),
    TreeReason("tree.question", ("root",), ("closes",), ("question mark",), _ANY,
               "A question ends here: a question mark."),
    TreeReason("tree.exclamation", ("root",), ("closes",), ("exclamation mark",), _ANY,
               "An exclamation ends here: an exclamation mark."),
)  # fmt: skip

# Reasons for all other constituents.
POSITIONS: Mapping[str, str] = {
    "opens": "The {mark} opens the {name} “{excerpt}”.",
    "closes": "The {mark} closes the {name} “{excerpt}”.",
}

# Rewritings of two adjacent underlying marks by the channel, by edit.
CHANNEL: Mapping[str, str] = {
    "absorb_left": "The {b} absorbs the {a} before it ({rule}).",
    "absorb_right": "The {a} absorbs the {b} after it ({rule}).",
    "transpose": "The {a} and the {b} change places ({rule}).",
}

# For a mark without a known reason.
FALLBACK = "The model writes {marks} here with {probability}{alternatives}."

FALLBACK_REMOVED = "The model takes {marks} away here with {probability}{alternatives}."

KEPT = "The text has {marks} here, to which the model gives {probability}{alternatives}."

LEFT_OUT = "No mark is more probable ({probability}){alternatives}."

# Other marks are shown as they are.
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


def rule(edits: Sequence[Edit]) -> str | None:
    """Return the edits that change marks, such as ``, . → .``; None if there are none."""
    changes = [
        f"{shown_string((e.a, e.b))} → {shown_string(e.result)}" for e in edits if e.name != "keep"
    ]
    return "; ".join(changes) or None


def name_marks(tokens: Puncteme) -> str:
    """Return a name for a non-empty string of marks, such as ``comma`` or ``string ” .``."""
    if len(tokens) == 1:
        return MARKS.get(tokens[0], f"mark {shown_string(tokens)}")
    return f"string {shown_string(tokens)}"
