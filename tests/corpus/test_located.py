"""Sentences with positions in a text."""

import pytest

from semipunct.corpus import Omitted, Words
from semipunct.corpus.located import Located, Piece, is_mark, located_sentence
from semipunct.errors import UsageError
from semipunct.marks import ABBREVIATION, UNK


def made(text: str, *tokens: str, **expanded: tuple[str, ...]) -> Located:
    """Find tokens in a text, one after another."""
    pieces, place = [], 0
    for token in tokens:
        place = text.index(token, place)
        span = (place, place + len(token))
        pieces.append(Piece(span, is_mark(token), expanded.get(token, ())))
        place += len(token)
    return located_sentence("s", "x.txt", 4, text, pieces)


SAID = made(' "Go",\the said to Mr. X.\n', '"', "Go", '"', ",", "he", "said", "to", "Mr.", "X", ".")


def test_marks_go_into_slots_as_from_a_treebank():
    forms = ("Go", "he", "said", "to", "Mr", "X")
    slots = (("“",), ("”", ","), (), (), (), (ABBREVIATION,), (".",))
    assert SAID.content == Words("s", "x.txt", 4, forms, slots, source="text")
    assert [SAID.text[slice(*span)] for span in SAID.spans] == list(SAID.content.forms)


def test_the_same_punctuation_gives_the_same_text():
    assert SAID.punctuate() == SAID.punctuate(SAID.content.slots) == SAID.text
    # The same through rewriting, with the given words.
    assert SAID.punctuate(SAID.content.slots, SAID.content.forms) == SAID.text


def test_marks_that_stay_are_spelt_as_they_are():
    unchanged = [('"',), ('"', ","), (), (), (), (ABBREVIATION,), (".",)]
    assert SAID.spell_marks(SAID.content.slots) == unchanged
    changed = ((), ("”", "—"), ("“",), (), (), (ABBREVIATION, "!"), (".", "”"))
    spelt = [(), ('"', "—"), ("“",), (), (), (ABBREVIATION, "!"), (".", "”")]
    assert SAID.spell_marks(changed) == spelt


def test_other_punctuation_leaves_the_rest_alone():
    slots = list(SAID.content.slots)
    slots[1], slots[5], slots[6] = (("”",), (), ("!",))
    assert SAID.punctuate(slots) == ' "Go"\the said to Mr X!\n'
    bare = made("  the end\r\n", "the", "end")
    assert bare.punctuate([("“",), (",",), ("”", ".")]) == "  “the, end”.\r\n"
    assert bare.punctuate([(), (), (ABBREVIATION,)]) == "  the end.\r\n"


def test_capitals_keep_all_places():
    sea = made("al mar 1\u00a0b, x", "al", "mar", "1\u00a0b", ",", "x", al=("a", "el"))
    cased = sea.recase(["A", "el", "Mar", "1 B", "x"])
    assert cased.text == "Al Mar 1\u00a0B, x"
    assert cased.content.forms == ("A", "el", "Mar", "1 B", "x")
    assert (cased.spans, cased.marks) == (sea.spans, sea.marks)
    assert cased.punctuate([(), (), (), (), (), ("!",)]) == "Al Mar 1\u00a0B x!"
    with pytest.raises(UsageError, match="in more than case"):
        made("stra\u00dfe", "stra\u00dfe").recase(["STRASSE"])


def test_a_mark_inside_a_multiword_token_goes_behind_it():
    sea = made("al mar", "al", "mar", al=("a", "el"))
    assert sea.content.forms == ("a", "el", "mar")
    assert sea.spans == ((0, 2), (0, 2), (3, 6))
    assert sea.punctuate([(), (",",), (";",), (".",)]) == "al,; mar."
    assert sea.punctuate(None, ["A", "el", "Mar"]) == "Al Mar"


def test_a_part_without_words():
    part = made(" *** \n", "***")
    assert part.content == Omitted("nothing but punctuation", "s", "x.txt", 4)
    assert part.punctuate() == " *** \n"
    with pytest.raises(UsageError, match=r"x\.txt:4: sentence s: nothing but punctuation"):
        part.punctuate([()])


@pytest.mark.parametrize(
    ("slots", "complaint"),
    [
        ([()], "1 slot for 2 words"),
        ([(), (UNK,), ()], "'<unk>' of slot 1 cannot be written"),
        ([(), (" ",), ()], "' ' of slot 1 cannot be written"),
        ([(), (",", ABBREVIATION), ()], "dot that follows no word"),
        ([(ABBREVIATION,), (), ()], "dot that follows no word"),
    ],
)
def test_what_cannot_be_written(slots: list[tuple[str, ...]], complaint: str):
    bare = made("the end", "the", "end")
    with pytest.raises(UsageError, match=f"x.txt:4: sentence s: .*{complaint}"):
        bare.punctuate(slots)


@pytest.mark.parametrize(
    "slot, start, stop, before, tokens",
    [
        (0, 0, 1, " ", '"'),
        (0, 0, 0, " ", ""),
        (0, 1, 1, ' "', ""),
        (1, 0, 2, ' "Go', '",'),
        (1, 1, 2, ' "Go"', ","),
        (1, 2, 2, ' "Go",', ""),
        (2, 0, 0, ' "Go",\the', ""),
        (5, 0, 0, ' "Go",\the said to Mr.', ""),
        (6, 0, 1, ' "Go",\the said to Mr. X', "."),
    ],
)
def test_corrections_have_places_in_the_text(slot, start, stop, before, tokens):
    first, last = SAID.place(slot, start, stop)
    assert (SAID.text[:first], SAID.text[first:last]) == (before, tokens)


@pytest.mark.parametrize("place", [(7, 0, 0), (-1, 0, 0), (1, 0, 3), (1, 2, 1), (1, -1, 0)])
def test_places_that_are_not_there_are_refused(place):
    with pytest.raises(UsageError, match=r"x.txt:4: sentence s: there are no tokens"):
        SAID.place(*place)
