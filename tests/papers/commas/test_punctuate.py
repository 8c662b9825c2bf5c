"""Punctuation in bracketed trees: it is read back as requested, with few other changes."""

from pathlib import Path

import pytest

from semipunct.errors import UsageError
from semipunct.formats import read_entries
from semipunct.papers.commas.ptb import Ptb

BIRD = """( (S
    (NP-SBJ-1 (NP (DT the) (NN bird) ) (, ,) (ADJP (JJ small) ) )
    (VP (VBD tried) (S (NP-SBJ (-NONE- *-1) ) (VP (TO to) (VP (VB sing) ))))
    (. .) ))
"""


def rewritten(path: Path, text: str, slots: list[tuple[str, ...]]) -> str:
    path.write_text(text, encoding="utf-8")
    (entry,) = read_entries([path])
    return Ptb().writer().punctuate(entry, slots)


def test_new_marks_written_out(tmp_path: Path):
    new_slots = [("“",), (), (), (",",), (), ("--",), ("!", "”")]
    assert (
        rewritten(tmp_path / "a.mrg", BIRD, new_slots)
        == """( (S
    (`` ``) (NP-SBJ-1 (NP (DT the) (NN bird) ) (ADJP (JJ small) ) ) (, ,)
    (VP (VBD tried) (S (NP-SBJ (-NONE- *-1) ) (VP (TO to) (: --) (VP (VB sing) )))) (. !) ('' '') ))
"""
    )


def test_marks_that_stay_are_neighbours(tmp_path: Path):
    text = "(S (NP (NN a) (, ,) (: -)) (VP (VB b)) (. .))"
    output = rewritten(tmp_path / "a.mrg", text, [(), (",", ")", "-"), ("?", ".")])
    assert output == "(S (NP (NN a) (, ,) (-RRB- -RRB-) (: -)) (VP (VB b)) (. ?) (. .))"
    output = rewritten(tmp_path / "a.mrg", text, [(), ("-",), ()])
    assert output == "(S (NP (NN a) (: -)) (VP (VB b)))"


def test_dots_of_abbreviations(tmp_path: Path):
    text = "(S (NP (NNP Mr.) (NNP A )) (VP (VB b)))"
    output = rewritten(tmp_path / "a.mrg", text, [(), (), ("<abbr>", ","), ()])
    assert output == "(S (NP (NNP Mr) (NNP A. )) (, ,) (VP (VB b)))"


@pytest.mark.parametrize(
    ("text", "slots", "complaint"),
    [
        (BIRD, [()] * 6, r"a.mrg:1: sentence #1: 6 slots for 6 words"),
        (BIRD, [("a b",), *[()] * 6], r"the token 'a b' cannot be written"),
        (BIRD, [("<unk>",), *[()] * 6], r"the token '<unk>' cannot be written"),
        (BIRD, [("<abbr>",), *[()] * 6], r"slot 0 has an abbreviation's dot too many"),
        ("(UH yes)", [("!",), ()], r"is a single word without a phrase"),
        ("(X (. .))", [("!",)], r"has no words between which"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, text: str, slots, complaint: str):
    with pytest.raises(UsageError, match=complaint):
        rewritten(tmp_path / "a.mrg", text, slots)
