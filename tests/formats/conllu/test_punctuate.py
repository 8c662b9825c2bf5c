from dataclasses import replace

import pytest

from semipunct.corpus import Sentence
from semipunct.corpus.sentences import without_punctuation
from semipunct.errors import UsageError
from semipunct.formats.conllu.from_text import bare_entry
from semipunct.formats.conllu.punctuate import (
    convention_of,
    punctuate_record,
    spell_marks,
    surface_text,
)
from semipunct.formats.conllu.reading import to_entry
from semipunct.marks import ABBREVIATION, OPEN, UNK, with_boundaries
from semipunct.trees import DependencyTree
from tests.formats.conllu.builders import record, word
from tests.formats.conllu.punctuation import GLUED, body, content, entry_of, mark, reread

YES = entry_of(
    "# sent_id = yes",
    "# text = Yes, Mr. Ho left.",
    "# text_en = Yes, Mr. Ho left.",
    word(1, "Yes", 5, "discourse", misc=f"{GLUED}|Gloss=si"),
    mark(2, ",", 5, ","),
    word(3, "Mr.", 5, "nsubj"),
    word(4, "Ho", 3, "flat"),
    word(5, "left", 0, "root", "VERB", misc=GLUED),
    mark(6, ".", 5, "."),
)


def test_a_record_that_is_already_right_comes_back():
    slots = content(YES).slots
    assert punctuate_record(YES, slots) is YES.record
    bare = replace(YES, content=without_punctuation(content(YES)))
    assert punctuate_record(bare, slots) is YES.record
    # Boundary marks belong to the channel: they are never written.
    assert punctuate_record(YES, with_boundaries(slots, final=True)) is YES.record


def test_other_marks():
    new_record = punctuate_record(YES, [("“",), ("!", "”"), (ABBREVIATION, ","), (), (".",)])
    assert body(new_record) == [
        "# sent_id = yes",
        "# text = “Yes!” Mr., Ho left.",
        "# text_en = Yes, Mr. Ho left.",
        "1 “ “ PUNCT _ _ 2 punct _ SpaceAfter=No",
        "2 Yes yes X _ _ 8 discourse _ SpaceAfter=No|Gloss=si",
        "3 ! ! PUNCT _ _ 2 punct _ SpaceAfter=No",
        "4 ” ” PUNCT _ _ 2 punct _ _",
        "5 Mr. mr. X _ _ 8 nsubj _ SpaceAfter=No",
        "6 , , PUNCT _ _ 7 punct _ _",
        "7 Ho ho X _ _ 5 flat _ _",
        "8 left left VERB _ _ 0 root _ SpaceAfter=No",
        "9 . . PUNCT . _ 8 punct _ _",
    ]
    assert content(reread(new_record)).slots == (
        ("“",),
        ("!", "”"),
        (ABBREVIATION, ","),
        (),
        (".",),
    )


def test_no_marks():
    new_record = punctuate_record(YES, [()] * 5)
    assert body(new_record) == [
        "# sent_id = yes",
        "# text = Yes Mr Ho left",
        "# text_en = Yes, Mr. Ho left.",
        "1 Yes yes X _ _ 4 discourse _ Gloss=si",
        "2 Mr mr. X _ _ 4 nsubj _ _",
        "3 Ho ho X _ _ 2 flat _ _",
        "4 left left VERB _ _ 0 root _ _",
    ]
    back = punctuate_record(reread(new_record), content(YES).slots)
    assert body(back)[3:] == [
        "1 Yes yes X _ _ 5 discourse _ Gloss=si|SpaceAfter=No",
        "2 , , PUNCT _ _ 1 punct _ _",
        "3 Mr. mr. X _ _ 5 nsubj _ _",
        "4 Ho ho X _ _ 3 flat _ _",
        "5 left left VERB _ _ 0 root _ SpaceAfter=No",
        "6 . . PUNCT _ _ 5 punct _ _",
    ]
    assert back.lines[1] == "# text = Yes, Mr. Ho left."


QUOTES = [
    mark(1, '"', 2),
    word(2, "Go", 4, "ccomp"),
    mark(3, '"', 2),
    word(4, "he", 0),
    mark(5, ".", 4),
]


@pytest.mark.parametrize(
    "slots, forms, surface",
    [
        # Unchanged lines keep their spelling.
        ([("“",), ("”",), ("!",)], ['"', "Go", '"', "he", "!"], '"Go" he!'),
        # A mark without its partner would no longer be read as a closing one.
        ([(), ("”",), (".",)], ["Go", "”", "he", "."], "Go” he."),
        # Partners have the same style.
        ([("“",), ("!",), ("”",)], ["“", "Go", "!", "he", "”"], "“Go! he”"),
    ],
)
def test_straight_quotation_marks(slots, forms, surface):
    source = entry_of(*QUOTES)
    new_record = punctuate_record(source, slots)
    assert [token.form for token in new_record.tokens] == forms
    assert content(reread(new_record)).slots == tuple(slots)
    assert surface_text(source, slots) == surface


@pytest.mark.parametrize(
    "lines, slots, forms",
    [
        # This holds even if their partner is new and directional.
        ([mark(1, '"', 2), word(2, "Go", 0)], [('"',), ("”",)], ['"', "Go", "”"]),
        ([mark(1, '"', 2, "``"), word(2, "Go", 0)], [("“",), ("”",)], ['"', "Go", "”"]),
        (QUOTES, [("“",), (",", "”"), ("“", ".", "”")], ['"', "Go", ",", '"', "he", "“", ".", "”"]),
        (QUOTES, [("“",), ("”",), (".", "!")], ['"', "Go", '"', "he", ".", "!"]),
    ],
)
def test_marks_that_are_there_keep_their_forms_where_others_are_added(lines, slots, forms):
    source = entry_of(*lines)
    new_record = punctuate_record(source, slots)
    assert [token.form for token in new_record.tokens] == forms
    assert content(reread(new_record)).slots == tuple(slots)
    written = [token for slot in spell_marks(source, slots) for token in slot]
    assert written == [form for form in forms if form not in ("Go", "he")]


@pytest.mark.parametrize(
    "slots, complaint",
    [
        ([()] * 4, "4 slots for 4 words"),
        ([(), (UNK,), (), (), ()], "the token '<unk>' of slot 1 cannot be written"),
        ([(), (), (), (), (OPEN,)], "'<open>'"),
        ([(), (), (), ("",), ()], "the token '' of slot 3"),
        ([(), (), (), ("a\tb",), ()], "slot 3"),
        ([(ABBREVIATION,), (), (), (), ()], "slot 0 has an abbreviation's dot"),
        ([(), (",", ABBREVIATION), (), (), ()], "slot 1 has an abbreviation's dot"),
        ([(), (ABBREVIATION, ABBREVIATION), (), (), ()], "slot 1"),
    ],
)
def test_what_cannot_be_written(slots, complaint):
    for function in (punctuate_record, surface_text):
        with pytest.raises(UsageError, match=f"sentence yes: .*{complaint}"):
            function(YES, slots)


def test_a_mark_spelt_like_a_special_token_stays():
    source = entry_of(mark(1, "^", 2), word(2, "a", 0))
    slots = content(source).slots
    assert slots[0] == (UNK,)
    assert punctuate_record(source, slots) is source.record
    new_record = punctuate_record(source, [(UNK,), ("!",)])
    assert [token.form for token in new_record.tokens] == ["^", "a", "!"]
    with pytest.raises(UsageError):
        punctuate_record(source, [(UNK, UNK), ()])


@pytest.mark.parametrize(
    "forms, slots, expected",
    [
        (("Yes", "etc"), [("“",), (",",), (ABBREVIATION, "”")], "“Yes, etc.”"),
        (("同樣", "施力"), [(), (",",), ("。",)], "同樣,施力。"),
        (("同樣", "施力"), [(), (), ()], "同樣施力"),
    ],
)
def test_a_sentence_without_a_record(forms, slots, expected):
    tree = DependencyTree((2, 0), ("nsubj", "root"))
    columns = (forms, ("l1", "l2"), ("X", "Y"), ("X1", "_"), ("_", "Case=Nom|Number=Sing"))
    bare = Sentence("s", "<none>", 1, *columns, tree, ((), (), ()))
    entry = bare_entry(bare)
    assert (entry.content, entry.word_ids) == (bare, (1, 2))
    new_record = punctuate_record(entry, slots)
    again = content(reread(new_record))
    assert new_record.lines[:2] == ("# sent_id = s", f"# text = {expected}")
    assert surface_text(entry, slots) == expected
    assert again.slots == tuple(slots)
    for name in ("sentence_id", "forms", "lemmas", "upos", "xpos", "feats", "tree"):
        assert getattr(again, name) == getattr(bare, name)


def test_surface_text():
    assert surface_text(YES, content(YES).slots) == "Yes, Mr. Ho left."
    odd = replace(YES, record=record("# text = Yes,  Mr. Ho left .", *YES.record.lines[3:-1]))
    assert surface_text(odd, content(odd).slots) == "Yes,  Mr. Ho left ."
    # Without information on spaces, the spacing rules apply.
    silent = entry_of(word(1, "字", 0), mark(2, "，", 1), word(3, "字", 1), mark(4, ".", 1))
    assert surface_text(silent, content(silent).slots) == "字，字."
    assert surface_text(silent, [(), (), ()]) == "字字"
    # Information on the space of one token implies information on all.
    spaced = entry_of(
        word(1, "a", 0, misc=GLUED), mark(2, ",", 1), word(3, "b", 1), mark(4, ".", 1)
    )
    assert surface_text(spaced, content(spaced).slots) == "a, b ."
    assert surface_text(spaced, [(), (";",), (".",)]) == "a; b ."
    assert surface_text(spaced, [(), (",",), ("!",)]) == "a, b!"


def test_the_convention_is_read_off_the_records():
    lines = [word(1, "Here", 3), mark(2, ",", 3), word(3, "is", 0), mark(4, ".", 3)]
    assert convention_of([entry_of(*lines)]) == "governor"
    lines[1] = mark(2, ",", 1)
    assert convention_of([entry_of(*lines)]) == "unit"
    assert convention_of([]) == "unit"
    # An omitted sentence does not count.
    omitted = to_entry(record(word(1, "Here", 2), mark(2, ",", 0)))
    assert convention_of([omitted]) == "unit"
    with pytest.raises(UsageError, match="it was omitted \\(punctuation has dependents\\)"):
        punctuate_record(omitted, [(), ()])
