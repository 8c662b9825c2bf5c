"""Error markup of learner corpora: two versions of one text, from XML and from comments."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import TreebankError
from semipunct.formats.error_markup import read_error_markup, versions

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
    # Beside words that differ nobody judges.
    assert second.references[0][2:4] == (None, None)
    assert third.source.forms == ("a", "teh", "end")
    assert third.corrected[0].forms == ("this", "end")


def test_comments_of_conllu(tmp_path: Path):
    one, two = read_error_markup(write(tmp_path, ESL, "esl.conllu"), "words")
    assert (one.source.sentence_id, two.source.sentence_id) == ("doc1", "two")
    assert one.source.forms == ("But", "he", "came", "late")
    assert one.references == (((), (), (), (), (".",)),)
    assert two.references == (((), ("!",)),)


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        ("#SENT=a <ns><i>b</ns>\n\n", "a.conllu", r"a.conllu:1: sentence #1: </ns> closes"),
        ("#SENT=a <i>b</i>\n\n", "a.conllu", "<i> outside of <ns>"),
        ("#SENT=a <ns>b\n\n", "a.conllu", "<ns> is not closed"),
        ("1\ta\n\n", "a.conllu", "no text with error markup"),
        ("<a><p>b</a>", "a.xml", r"a.xml:1: this is no XML"),
        ("<a></a>", "a.xml", "no text with error markup"),
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
    found = versions(marked)
    wanted = ("x".join(i for i, _ in pairs), "x".join(c for _, c in pairs))
    assert found == tuple(" ".join(text.split()) for text in wanted)
