"""Error markup of learner corpora: two versions of one text, from XML and from comments."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import TreebankError
from semipunct.formats.error_markup import (
    read_error_markup,
    read_learner_treebank,
    versions,
)

FCE = """\
<learner><head sortkey="x"><text><answer1><coded_answer>
<p>Dear Mr Ryan<ns type="MP"><c>,</c></ns></p>
<p>Well<ns type="MP"><c>,</c></ns> I <ns type="AGV"><i>knows</i><c>know</c></ns> &lt; see<ns \
type="RP"><i>,</i><c>;</c></ns> it is <ns type="UP"><i>,</i></ns> e.g. good<ns \
type="RP"><i>...</i><c>.</c></ns></p>
<p><ns type="R"><i>a <ns type="S"><i>teh</i><c>the</c></ns></i><c>this</c></ns> end.</p>
</coded_answer></answer1></text></head></learner>
"""

ESL = """\
#ID=doc1
#SENT=But he came late<ns type="MP"><c>.</c></ns>
1	_	_	CONJ	_	_	2	cc	_	_

# sent_id = two
#SENT=Yes!
1	_	_	INTJ	_	_	0	root	_	_

"""


def write(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_paragraphs_of_xml(tmp_path: Path):
    first, second, third = read_error_markup(write(tmp_path, FCE, "fce.xml"))
    assert first.source.forms == ("Dear", "Mr", "Ryan")
    assert (first.source.slots[-1], first.references[0][-1]) == ((), (",",))
    assert second.source.forms[:4] == ("Well", "I", "knows", "<")
    assert "e.g" in second.source.forms or "e.g." in second.source.forms
    changed = [
        (before, after)
        for before, after in zip(second.source.slots, second.references[0], strict=True)
        if after is not None and before != after
    ]
    assert changed == [((), (",",)), ((",",), (";",)), ((",",), ()), (("...",), (".",))]
    # Slots next to words that differ are not annotated.
    assert second.references[0][2:4] == (None, None)
    assert third.source.forms == ("a", "teh", "end")
    assert third.corrected[0].forms == ("this", "end")


def test_comments_of_conllu(tmp_path: Path):
    first, second = read_error_markup(write(tmp_path, ESL, "esl.conllu"), "words")
    assert (first.source.sentence_id, second.source.sentence_id) == ("doc1", "two")
    assert first.source.forms == ("But", "he", "came", "late")
    assert first.references == (((), (), (), (), (".",)),)
    assert second.references == (((), ("!",)),)


TREEBANK = """\
#ID=/0100_2000_12/doc1.xml 6
#SENT=I don't <ns type="RV"><i>now</i><c>know</c></ns> him<ns type="MP"><c>,</c></ns> but he came\
<ns type="RP"><i>,</i><c>.</c></ns>
1	I	_	PRON	PRP	_	4	nsubj	_	_
2	do	_	AUX	VBP	_	4	aux	_	_
3	n't	_	PART	RB	_	4	neg	_	_
4	now	_	VERB	VB	_	0	root	_	_
5	him	_	PRON	PRP	_	4	dobj	_	_
6	but	_	CONJ	CC	_	4	cc	_	_
7	he	_	PRON	PRP	_	8	nsubj	_	_
8	came	_	VERB	VBD	_	4	conj	_	_
9	,	_	PUNCT	,	_	4	punct	_	_

"""
"""A treebank in the format of a release with words, invented for this test."""

RELEASED = re.sub(
    r"(?m)^(\d+\t)[^\t]+", r"\1_", re.sub(r"(?m)^#SENT=.*", "#SENT=", TREEBANK)
)  # fmt: skip
"""The same in the format of the public release."""


def test_a_treebank_of_learners(tmp_path: Path):
    (pair,) = read_learner_treebank(write(tmp_path, TREEBANK, "esl.conllu"))
    assert pair.source.forms == ("I", "do", "n't", "now", "him", "but", "he", "came")
    assert pair.source.tree.heads == (4, 4, 4, 0, 4, 4, 8, 4)
    assert pair.source.slots[-1] == (",",)
    # Slots next to words that differ, or are tokenised differently, are not annotated.
    nobody = None
    assert pair.references == (
        ((), nobody, nobody, nobody, nobody, (",",), (), (), (".",)),
    )  # fmt: skip
    assert pair.target().slots[-1] == (".",)


def test_a_release_without_words_is_told(tmp_path: Path):
    released = write(tmp_path, RELEASED, "esl.conllu")
    with pytest.raises(TreebankError, match=r"esl.conllu:1: sentence .* no words; .* merge.py"):
        list(read_learner_treebank(released))
    with pytest.raises(TreebankError, match=r"#SENT= are empty; .* merge.py"):
        list(read_error_markup(released))


@pytest.mark.parametrize(
    ("comment", "told"),
    [("", "no error markup; give a comment #SENT="), ("#SENT=a <ns>b", "<ns> is not closed")],
)
def test_damage_of_a_treebank_is_told(tmp_path: Path, comment: str, told: str):
    body = "".join(line + "\n" for line in TREEBANK.splitlines() if line[:1].isdigit())
    path = write(tmp_path, f"{comment}\n{body}\n".lstrip("\n"), "esl.conllu")
    with pytest.raises(TreebankError, match=f"esl.conllu:1: sentence .*{told}"):
        list(read_learner_treebank(path))


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        ("#SENT=a <ns><i>b</ns>\n\n", "a.conllu", r"a.conllu:1: sentence #1: </ns> closes"),
        ("#SENT=a <i>b</i>\n\n", "a.conllu", "<i> outside of <ns>"),
        ("#SENT=a <ns>b\n\n", "a.conllu", "<ns> is not closed"),
        ("1\ta\n\n", "a.conllu", "no text with error markup"),
        ("<a><p>b</a>", "a.xml", r"a.xml:1: this is not XML"),
        ("<a></a>", "a.xml", "no text with error markup"),
        ("<a>\n<p>c</p>\n<p>b <i>x</i></p>\n</a>", "a.xml", r"a.xml:3: .*<i> outside of <ns>"),
        ("<a>\n<p>b\n<p>c</p></p></a>", "a.xml", r"a.xml:3: a paragraph <p> within another"),
    ],
)
def test_damage_is_told(tmp_path: Path, text: str, name: str, told: str):
    with pytest.raises(TreebankError, match=told):
        list(read_error_markup(write(tmp_path, text, name)))


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b ", ",", ""]), st.sampled_from(["c", " .", ""])),
        max_size=6,
    )
)
def test_versions_are_those_that_were_put_together(pairs: list[tuple[str, str]]):
    marked = "x".join(f'<ns type="R"><i>{i}</i><c>{c}</c></ns>' for i, c in pairs)
    put_together = versions(marked)
    expected = ("x".join(i for i, _ in pairs), "x".join(c for _, c in pairs))
    assert put_together == tuple(" ".join(text.split()) for text in expected)


def test_markup_of_any_depth_and_all_characters(tmp_path: Path):
    marked = '<ns type="R&amp;D">' * 3000 + "<i>a &lt; b</i><c>a &amp; b</c>" + "</ns>" * 3000
    path = write(tmp_path, f"<a><p>so {marked} é</p></a>", "a.xml")
    (pair,) = read_error_markup(path)
    assert pair.source.forms == ("so", "a", "<", "b", "é")
