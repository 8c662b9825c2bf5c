"""Reasons for marks: every entry of the catalogue has a case in which it is given."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.marks import Edit, Puncteme
from semipunct.marks.corrections import corrections
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.marked_text import decided_marks
from semipunct.pipelines.reasons import place as place_module
from semipunct.pipelines.reasons.by_tree import OTHER, reasons_by_tree
from semipunct.pipelines.reasons.by_words import reason_of_removal, reasons_by_words
from semipunct.pipelines.reasons.catalogue import CHANNEL
from semipunct.pipelines.reasons.marks import MODEL, percent, reason_of_correction, reason_of_mark
from semipunct.pipelines.reasons.place import Line, Place
from semipunct.pipelines.results import Attached, Corrected, Explained, Reason
from semipunct.pipelines.writing import Places
from tests.models.punctuation.cases import sentence

MARKS = frozenset([",", ".", "?", "!", ":", ";", "—", "…", "(", ")", "“", "”"])

BY_WORDS = [
    ("comma.clauses_joined", "It was late [,] but we stayed ."),
    ("comma.clauses_joined", "I like the blue one [,] and my sister said it was the best ."),
    ("comma.but", "We waited for an hour [,] but nobody came ."),
    ("comma.serial", "She packed bread , cheese [,] and a bottle of water ."),
    ("comma.series", "She packed bread [,] cheese and a bottle of water ."),
    ("comma.clause_follows", "The train was late [,] I had to wait for it ."),
    ("comma.contrast_clause", "The prices rose [,] although the market was calm ."),
    ("comma.reason_clause", "We left early [,] because she had a cold ."),
    ("comma.contrast", "The contract ends in June [,] not in July ."),
    ("comma.examples", "They keep large birds [,] such as geese and swans ."),
    ("comma.participle", "She stood at the window [,] looking at the rain ."),
    ("comma.introductory", "However [,] the results should be read with care ."),
    ("comma.introductory", "In my opinion [,] the second draft was better ."),
    ("comma.interjection", "Yes [,] I have the keys ."),
    ("comma.introductory_clause", "When the kettle boils [,] pour the water over the leaves ."),
    ("comma.introductory_phrase", "After the war [,] he was in the village again ."),
    ("comma.greeting", "Dear Ms Ortiz [,] we are pleased to have you ."),
    ("comma.interruption", "The plan [,] however , was not popular ."),
    ("comma.final_comment", "I like the blue one [,] too ."),
    ("comma.tag_question", "It was cold [,] wasn't it ?"),
    ("comma.relative", "The train [,] which was due at six , has been cancelled ."),
    ("comma.relative_ends", "The train , which was due at six [,] has been cancelled ."),
    ("comma.apposition", "We met Marta [,] a doctor from Leeds , at the station ."),
    ("comma.date", "It was signed on July 4 [,] 1776 , by all of them ."),
    ("comma.speech_follows", "Then she said [,] “ I have the map . ”"),
    ("comma.quotation_follows", "In his own words [,] “ this is the end . ”"),
    ("comma.speech_ends", "“ I have the map [,] ” she said ."),
    ("comma.speech_ends_outside", "“ I have the map ” [,] she said ."),
    ("period.end", "It is the end [.]"),
    ("period.next", "It was late [.] We went to the station ."),
    ("period.abbreviation", "We met Mrs [.] Hall at the church ."),
    ("question.opened", "Where is the station [?]"),
    ("question.inverted", "Have you looked in the car [?]"),
    ("question.tag", "It was cold , wasn't it [?]"),
    ("exclamation.what", "What a day it was [!]"),
    ("exclamation.word", "Help me [!] He is in the water ."),
    ("quote.speech_opens", "[“] It is late , ” she said ."),
    ("quote.speech_ends", "“ It is late . [”] she said ."),
    ("quote.opens", "The word [“] however ” is an adverb ."),
    ("quote.ends", "The word “ however [”] is an adverb ."),
    ("bracket.opens", "The river [(] at this time of the year ) was high ."),
    ("bracket.ends", "The river ( at this time of the year [)] was high ."),
    ("colon.speech", "It was on the door [:] “ Do not knock . ”"),
    ("colon.list", "You need three things [:] bread , cheese and water ."),
    ("colon.line", "To do it with the program [:]"),
    ("colon.follows", "The algorithm is simple [:] it sorts the list ."),
    ("semicolon.clauses", "The train was late [;] I was in the station for an hour ."),
    ("semicolon.list", "We met Ann , a doctor [;] Ben , a baker ; and the others ."),
    ("dash.pair", "The plan [—] if it was one — failed at the end ."),
    ("dash.single", "There was one way to do it [—] by night ."),
    ("ellipsis", "I was in the car and […]"),
]  # fmt: skip

REMOVED = [
    ("removed.doubled", "I was in the car [,,] and he was not .", (",",)),
    ("removed.that", "He said [,] that he would come .", ()),
    ("removed.after_conjunction", "It was late but [,] we stayed .", ()),
    ("removed.before_preposition", "The name [,] of the street is long .", ()),
    ("removed.verb", "The [,] house is at the end of the street .", ()),
]


def place_of(text: str) -> tuple[Place, Puncteme]:
    """Return the slot in brackets, and its marks."""
    forms: list[str] = []
    slots: list[Puncteme] = [()]
    slot, marks = -1, ()
    for token in text.split():
        is_slot = token.startswith("[") and token.endswith("]")
        mark = token[1:-1] if is_slot else token
        if is_slot or token in MARKS:
            slots[-1] += tuple(mark) if is_slot else (mark,)
            slot = len(forms) if is_slot else slot
        else:
            forms.append(token)
            slots.append(())
    if slot >= 0:
        marks = slots[slot]
    return Place(Line(forms, slots), slot), marks


def key_in(text: str) -> list[str]:
    """Return the keys of the mark in brackets alone."""
    place, marks = place_of(text)
    (target,) = [token[1:-1] for token in text.split() if token[0] == "[" and token[-1] == "]"]
    return [cue.key for cue in reasons_by_words(place, marks) if _of(cue.key, target)]


def _of(key: str, mark: str) -> bool:
    """Return whether a key is for a mark."""
    names = {",": "comma", ".": "period", "?": "question", "!": "exclamation", ":": "colon",
             ";": "semicolon", "—": "dash", "…": "ellipsis", "(": "bracket", ")": "bracket",
             "“": "quote", "”": "quote"}  # fmt: skip
    return key.partition(".")[0] == names[mark]


@pytest.mark.parametrize("key, text", BY_WORDS, ids=[key for key, _ in BY_WORDS])
def test_words_show_the_reason(key: str, text: str):
    assert key_in(text) == [key]
    place, marks = place_of(text)
    told = " ".join(map(str, reasons_by_words(place, marks)))
    assert "{" not in told
    assert "“”" not in told


@pytest.mark.parametrize("opening", ["including", "such as"])
def test_words_that_open_examples_are_named(opening: str):
    (cue,) = reasons_by_words(*place_of(f"They keep large birds [,] {opening} geese and swans ."))
    assert str(cue).startswith(f"“{opening}” introduces examples")


@pytest.mark.parametrize("key, text, after", REMOVED, ids=[key for key, *_ in REMOVED])
def test_words_show_why_a_mark_is_removed(key: str, text: str, after: Puncteme):
    place, before = place_of(text)
    cue = reason_of_removal(place, before, after)
    assert cue is not None
    assert cue.key == key
    assert "{" not in str(cue)


@pytest.mark.parametrize(
    "text",
    [
        "It was all [,] but we had no bread .",  # all but: except
        "She asked him [,] who is it ?",
        "El tren [,] que era largo .",
        "昨天 [,] 我们 去 了 车站 .",
        "Xyzzy plugh [,] frob .",
        "Bread is good for you and [,] the others .",
    ],
)
def test_nothing_is_told_without_a_cue(text: str):
    assert [
        key for key in key_in(text) if key in ("comma.but", "comma.relative", "comma.series")
    ] == []


def test_a_text_of_another_language_has_no_reasons_of_english():
    place, marks = place_of("Der Zug kam spät [,] so dass niemand mehr da war .")
    assert reasons_by_words(place, marks) == []
    fallback = reason_of_mark(place, (), marks, 0.72, [("", 0.2), (";", 0.004)])
    assert fallback.key == MODEL
    assert (
        fallback.text == "The model writes a comma here with 72%; alternatives: nothing with 20%."
    )


@pytest.mark.parametrize(
    "before, after, expected",
    [
        ((), (",",), "The model writes a comma here with 72%; alternatives: period with 20%."),
        ((",",), (), "The model takes a comma away here with 72%; alternatives: period with 20%."),
        ((",",), (",",), "The text has a comma here, to which the model gives 72%; alternatives: "
         "period with 20%."),
        ((), (), "No mark is more probable (72%); alternatives: period with 20%."),
        ((";",), ("!", "”"), "The model writes a string ! ” here with 72%; alternatives: period "
         "with 20%. This replaces the semicolon."),
    ],
)  # fmt: skip
def test_the_fallback_says_what_the_model_does(before: Puncteme, after: Puncteme, expected: str):
    place = Place(Line(["xyzzy", "plugh"], [(), after, ()]), 1)
    assert reason_of_mark(place, before, after, 0.72, [(".", 0.2)]).text == expected


def test_a_doubtful_end_is_not_defended():
    place, marks = place_of("It was late [.] We went to the station .")
    certain, doubtful = (reason_of_mark(place, (), marks, p, [("", 0.4)]).key for p in (0.6, 0.4))
    assert (certain, doubtful) == ("period.next", MODEL)
    assert reason_of_mark(place, marks, marks, 0.2, []).key == MODEL


def test_percentages_are_never_rounded_to_certainty():
    assert [percent(p) for p in (0.0, 0.004, 0.5, 0.996, 1.0)] == [
        "0%", "under 1%", "50%", "over 99%", "100%"
    ]  # fmt: skip


WORD = st.sampled_from(
    ["the", "and", "but", "who", "which", "I", "however", "is", "said", "not", "if", ",", "when"]
)


@given(st.lists(WORD, max_size=12), st.data())
def test_any_words_have_a_reason(words: list[str], data: st.DataObject):
    forms = [word for word in words if word != ","] or ["a"]
    strings = st.lists(st.sampled_from(sorted(MARKS)), max_size=2).map(tuple)
    slots = data.draw(st.lists(strings, min_size=len(forms) + 1, max_size=len(forms) + 1))
    for slot, marks in enumerate(slots):
        place = Place(Line(forms, slots), slot)
        for before in ((), (",",), marks, (*marks, ",")):
            told = reason_of_mark(place, before, marks, 0.5, [("", 0.5)])
            assert told.key
            assert told.text
            assert "{" not in told.text


# --- Trees

# The words are w0, w1, ...; heads are those of words from 1.
JOINED = ([2, 0, 2, 5, 2], ["nsubj", "root", "cc", "nsubj", "conj"])  # w0 w1 and w3 w4
SERIES = ([0, 1, 1, 1], ["root", "conj", "cc", "conj"])  # w0 w1 and w3
PAIR = ([0, 1, 1], ["root", "cc", "conj"])


def tree_case(
    heads: list[int], relations: list[str], word: int, side: str, mark: str
) -> tuple[str, str]:
    """Return the key and the text of the reason for a mark of a constituent."""
    words = sentence(heads, [""] * (len(heads) + 1), relations=relations)
    (cue,) = reasons_by_tree(words, Reason((Attached(word, side, (mark,)),), ()), (mark,))
    return cue.key, cue.text


BY_TREE = [
    ("tree.hyphen", [2, 0], ["compound", "root"], 1, "right", "-",
     "“w0” is part of a compound: a hyphen joins the parts."),
    ("tree.clauses_joined", *JOINED, 3, "left", ",",
     "Two independent clauses joined by “w2”: a comma before it."),
    ("tree.clauses_semicolon", [2, 0, 4, 2], ["nsubj", "root", "nsubj", "conj"], 4, "left", ";",
     "“w2 w3” could be a sentence of its own, close to the one before: a semicolon."),
    ("tree.serial", *SERIES, 3, "left", ",",
     "The last item of a series: a comma before “w2”, the serial comma, which some styles leave "
     "out."),
    ("tree.clause_follows", [2, 0, 4, 2], ["nsubj", "root", "nsubj", "conj"], 4, "left", ",",
     "“w2 w3” is a clause of its own: a comma before it."),
    ("tree.series", *SERIES, 2, "left", ",",
     "“w1” is an item of a series: a comma between items."),
    ("tree.joined", *PAIR, 2, "left", ",",
     "“w1” joins “w2” to what precedes: a comma before it."),
    ("tree.relative", [0, 3, 1], ["root", "nsubj", "acl:relcl"], 3, "left", ",",
     "The relative clause “w1 w2” adds something about “w0”: a comma before it."),
    ("tree.relative_ends", [4, 3, 1, 0], ["nsubj", "nsubj", "acl:relcl", "root"], 3, "right", ",",
     "The relative clause “w1 w2”, which adds something about “w0”, ends here: a comma after it."),
    ("tree.participle", [0, 1], ["root", "acl"], 2, "left", ",",
     "“w1” adds something about “w0”: a comma before it."),
    ("tree.participle_ends", [3, 1, 0], ["nsubj", "acl", "root"], 2, "right", ",",
     "“w1”, which adds something about “w0”, ends here: a comma after it."),
    ("tree.apposition", [0, 1], ["root", "appos"], 2, "left", "—",
     "“w1” says who or what “w0” is: a dash before it."),
    ("tree.apposition_ends", [3, 1, 0], ["nsubj", "appos", "root"], 2, "right", ",",
     "“w1”, which says who or what “w0” is, ends here: a comma after it."),
    ("tree.clause_first", [2, 3, 0], ["mark", "advcl", "root"], 2, "right", ",",
     "The clause “w0 w1” stands before the main clause: a comma after it."),
    ("tree.clause_added", [0, 3, 1], ["root", "mark", "advcl"], 3, "left", ",",
     "The clause “w1 w2” is added: a comma sets it off."),
    ("tree.phrase_first", [2, 3, 0], ["case", "nmod", "root"], 2, "right", ",",
     "“w0 w1” stands before the main clause: a comma after it."),
    ("tree.speech", [2, 0], ["ccomp", "root"], 1, "right", "”",
     "“w0” is quoted: quotation marks around it."),
    ("tree.reported", [2, 0], ["ccomp", "root"], 1, "right", ",",
     "“w0” is what “w1” reports: a comma between them."),
    ("tree.vocative", [2, 0], ["vocative", "root"], 1, "right", ",",
     "“w0” is addressed: a comma sets the name off."),
    ("tree.interjection", [2, 0], ["discourse", "root"], 1, "right", ",",
     "“w0” is called in: a comma sets it off."),
    ("tree.parenthesis", [0, 1], ["root", "parataxis"], 2, "left", ",",
     "“w1” is loosely added to the sentence: a comma sets it off."),
    ("tree.adverb", [0, 1], ["root", "advmod"], 2, "left", ",",
     "“w1” comments on the sentence: a comma sets it off."),
    ("tree.clause_ends", [0, 1, 1], ["root", "advcl", "obj"], 2, "right", ",",
     "The clause “w1” ends here: a comma after it."),
    ("tree.colon", [0, 1], ["root", "obj"], 2, "left", ":", "The colon announces “w1”."),
    ("tree.bracket", [0, 1], ["root", "amod"], 2, "left", "(",
     "“w1” is set apart from the rest: brackets around it."),
    ("tree.dash", [0, 1], ["root", "obj"], 2, "left", "—",
     "“w1” is set off from the rest: a dash."),
    ("tree.quoted", [0, 1], ["root", "obj"], 2, "left", "“",
     "“w1” is quoted: quotation marks around it."),
    ("tree.statement", [2, 0], ["nsubj", "root"], 2, "right", ".",
     "The sentence ends here: a period."),
    ("tree.question", [2, 0], ["nsubj", "root"], 2, "right", "?",
     "A question ends here: a question mark."),
    ("tree.exclamation", [2, 0], ["nsubj", "root"], 2, "right", "!",
     "An exclamation ends here: an exclamation mark."),
    (OTHER, [0, 1], ["root", "obj"], 2, "left", ",", "The comma opens the object “w1”."),
    (OTHER, [0, 1], ["root", "xyz"], 2, "right", ",",
     "The comma closes the constituent of the relation xyz “w1”."),
]  # fmt: skip


@pytest.mark.parametrize(
    "key, heads, relations, word, side, mark, text", BY_TREE, ids=[case[0] for case in BY_TREE]
)
def test_the_constituent_shows_the_reason(
    key: str, heads: list[int], relations: list[str], word: int, side: str, mark: str, text: str
):
    assert tree_case(heads, relations, word, side, mark) == (key, text)


def test_conjunctions_of_both_versions_of_universal_dependencies():
    """The conjunction is attached to the first conjunct in version 1, to the next one in 2."""
    for heads in ([2, 0, 2, 5, 2], [2, 0, 5, 5, 2]):
        relations = JOINED[1]
        word, side = (3, "left") if heads[2] == 2 else (5, "left")
        assert tree_case(heads, relations, word, side, ",")[0] == "tree.clauses_joined"


def test_but_joins_no_series():
    words = sentence([*SERIES[0]], [""] * 5, relations=SERIES[1])
    words = replace(words, forms=("a", "b", "but", "c"))
    (cue,) = reasons_by_tree(words, Reason((Attached(3, "left", (",",)),), ()), (",",))
    assert cue.key != "tree.serial"


def test_the_channel_is_told():
    words = sentence([3, 1, 0], ["", "", "", "."], relations=["nsubj", "appos", "root"])
    place = Place(Line(words.forms, [(), (), (), (".",)]), 3)
    attached = (Attached(2, "right", (",",)), Attached(3, "right", (".",)))
    absorbed = Reason(attached, (Edit("absorb_left", ",", "."),))
    told = reason_of_mark(place, (), (".",), 0.9, [], words, absorbed)
    assert told.text == (
        "The sentence ends here: a period. The period absorbs the comma before it (, . → .)."
    )
    assert told.constituent is not None
    assert told.constituent.words == words.forms
    assert set(CHANNEL) == {"absorb_left", "absorb_right", "transpose"}


def test_a_correction_has_the_reason_of_its_mark():
    words = sentence([2, 0, 2], ["", "", "", "."], relations=["advcl", "root", "obj"])
    right = [(), (",",), (), (".",)]
    (correction,) = corrections([(), (), (), (".",)], right)
    view = SlotPosterior(((",",), ()), np.array([0.9, 0.1]))
    corrected = Corrected(words, tuple(right), (view,) * 4, ())
    reason = Reason((Attached(1, "right", (",",)),), ())
    line = Line(words.forms, right)
    told = reason_of_correction(corrected, Explained(correction, 0.9, 0.1, reason), line)
    assert told.text == "The clause “w0” stands before the main clause: a comma after it."
    unknown = reason_of_correction(corrected, Explained(correction, 0.9, 0.1, None), line)
    assert unknown.text == "The model writes a comma here with 90%; alternatives: nothing with 10%."


def test_what_is_asked_about_a_line_is_asked_once(monkeypatch: pytest.MonkeyPatch):
    """A line may have as many marks as a book: a look at all its words for each takes hours."""
    asked: list[int] = []
    monkeypatch.setattr(place_module, "are_english", lambda words: not asked.append(len(words)))
    monkeypatch.setattr(place_module, "matched_pairs", lambda slots: asked.append(len(slots)) or ())
    size = 60
    slots = [(), *[(",",)] * (size - 1), (".",)]
    certain = SlotPosterior(((",",), (".",), ()), np.array([0.6, 0.3, 0.1]))
    places = Places(tuple(range(size)), ((),) * (size + 1), 0)
    bare_slots = [()] * (size + 1)
    listed = decided_marks(
        ["the"] * size, (bare_slots, slots), places, slots, [certain] * (size + 1)
    )
    assert len(listed) == size + 1
    assert asked in ([size], [size, size + 1], [size + 1, size])


def test_where_sentences_begin_and_end():
    line = Line([*"abcdef"], [(".",), (), (".",), (",",), ("?",), (), ("!",)])
    bounds = [(at.start, at.end) for at in (Place(line, slot) for slot in range(7))]
    assert bounds == [(0, 2), (0, 2), (0, 2), (2, 4), (2, 4), (4, 6), (4, 6)]


def test_where_marks_are_replaced_and_inserted():
    places = Places.of(" (Go) on", ("Go", "on"), [("(",), (")",), ()])
    asked = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 1), (2, 0, 0)]
    expected = [(1, 1), (1, 2), (2, 2), (4, 4), (4, 5), (5, 5), (8, 8)]
    assert [places.place(*at) for at in asked] == expected
