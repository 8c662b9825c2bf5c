"""M2 files: lossless, edits yield corrected versions, and errors have a line number."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus import Omitted, Words
from semipunct.errors import TreebankError, UsageError
from semipunct.formats import FORMATS, Annotation, format_of
from semipunct.formats.m2 import M2, annotators, m2_sentence, punctuation_edits, read_m2_records

TWO = """\
S Well I know , , that .
A 1 1|||M:PUNCT|||,||;|||REQUIRED|||-NONE-|||0
A 3 5|||U:PUNCT|||-NONE-|||REQUIRED|||-NONE-|||0
A 3 4|||U:PUNCT||||||REQUIRED|||said twice|||1
A 2 4|||R:VERB|||see|||REQUIRED|||-NONE-|||1

S The dog
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 1 2|||NOUN|||big dogs|||REQUIRED|||-NONE-|||2
A 2 2|||M:PUNCT|||.|||REQUIRED|||-NONE-|||2
"""


def written(path) -> str:
    writer, stream = M2().writer(), io.StringIO(newline="")
    writer.write(map(writer.source_text, M2().read(path)), stream)
    return stream.getvalue()


@pytest.fixture
def file(tmp_path):
    def write(text: str):
        path = tmp_path / "some.m2"
        path.write_bytes(text.encode())
        return path

    return write


@pytest.mark.parametrize(
    "text",
    [TWO, TWO + "\n", TWO.replace("\n", "\r\n"), "\n\n" + TWO, "\ufeff" + TWO, TWO[:-1],
     TWO.replace("\n\n", "\n \n\n"), "S a\nS b\n", "S \n\nS\n"],
)  # fmt: skip
def test_it_comes_out_as_it_went_in(file, text):
    path = file(text)
    assert "".join("".join(record.lines) for record in read_m2_records(path)) == text
    if text not in ("S a\nS b\n", "S \n\nS\n"):
        assert written(path) == text


def test_annotators_and_their_versions(file):
    first, second = read_m2_records(file(TWO))
    assert annotators([first, second]) == (0, 1, 2)
    assert annotators([second]) == (0, 2)
    assert annotators([]) == (0,)
    assert first.corrected_tokens(2) == first.tokens
    assert " ".join(first.corrected_tokens(0)) == "Well , I know that ."
    assert " ".join(second.corrected_tokens(0)) == "The dog"
    assert " ".join(second.corrected_tokens(2)) == "The big dogs ."
    assert second.reference(2).slots[-1] == (".",)


def test_overlapping_edits_are_read_but_lead_nowhere(file):
    first, _ = read_m2_records(file(TWO))
    with pytest.raises(
        TreebankError, match=r":4: sentence #1: the edit 3 4 .* overlaps 2 4 in line 5"
    ):
        first.corrected_tokens(1)


def test_sentences_and_what_is_none(file):
    assert format_of("x.m2.gz") is FORMATS["m2"]
    first, second = M2().read(file(TWO))
    assert isinstance(first.content, Words)
    assert first.content.forms == ("Well", "I", "know", "that")
    assert first.content.slots == ((), (), (), (",", ","), (".",))
    assert (first.notes.tokens, first.notes.punctuation) == (7, 3)
    assert second.word_ids == (1, 2)
    (none,) = M2().read(file("S . .\n"))
    assert isinstance(none.content, Omitted)
    with pytest.raises(UsageError, match="nothing but punctuation"):
        M2().writer().punctuate(none, [()])


def test_other_punctuation_is_written_as_edits(file):
    first, second = M2().read(file(TWO))
    writer = M2().writer()
    slots = ((), (",",), (), (",",), (".", "”"))
    assert writer.punctuate(first, slots) == (
        "S Well I know , , that .\n"
        "A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0\n"
        "A 4 5|||U:PUNCT|||-NONE-|||REQUIRED|||-NONE-|||0\n"
        "A 7 7|||M:PUNCT|||”|||REQUIRED|||-NONE-|||0\n\n"
    )
    assert writer.text(first, slots) == "Well , I know , that . ”"
    assert writer.surface(first) == ("Well", "I", "know", "that")
    assert writer.punctuate(second, second.content.slots) == (
        "S The dog\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
    )
    with pytest.raises(UsageError, match="cannot contain annotations"):
        writer.annotate(first, Annotation(comments={"a": "b"}))


STRINGS = st.lists(st.sampled_from([",", ".", "”"]), max_size=2).map(tuple)
SENTENCES = st.lists(
    st.tuples(STRINGS, STRINGS, st.sampled_from(["a", "U.S", "1 000"])), min_size=2
)


@given(SENTENCES)
def test_edits_lead_to_the_corrected_punctuation(tmp_path_factory, rows):
    before, after, forms = zip(*rows, strict=True)
    dots = [(), *((("<abbr>",) if form == "U.S" else ()) for form in forms[1:])]
    slots = [(*dot, *string) for dot, string in zip(dots, before, strict=True)]
    path = tmp_path_factory.getbasetemp() / "drawn.m2"
    path.write_text(m2_sentence(forms[1:], slots, [after, slots]), "utf-8")
    (record,) = read_m2_records(path)
    source, target = record.source, record.reference(0)
    assert source.forms == target.forms == tuple(" ".join(forms[1:]).split())
    assert "".join(map("".join, source.slots)) == "".join(map("".join, slots))
    flat = [token for string in target.slots for token in string if token != "<abbr>"]
    assert flat == [token for string in after for token in string]
    assert record.corrected_tokens(1) == record.tokens


@pytest.mark.parametrize("tokens", ["|", "||", ", |", "a||b"])
def test_marks_that_part_fields_are_refused(tokens):
    with pytest.raises(UsageError, match="cannot be written as M2"):
        punctuation_edits(["a"], [(), ()], [(), tuple(tokens.split())])
    assert punctuation_edits(["a"], [(), ("|",)], [(), ("|", ".")])[0].tokens == (".",)


PIECES = st.sampled_from([*"01,aM \n\r\x85", "S ", "A ", "-1", "|||", "||", "noop", "\n\n"])


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_read_or_refused_with_its_line(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.m2"
    path.write_bytes(("S a b\n" + text).encode())
    problem, records = "", []
    try:
        records = list(read_m2_records(path))
        for record in records:
            for annotator in annotators(records):
                record.reference(annotator)
    except TreebankError as error:
        problem = str(error)
    read = "".join("".join(record.lines) for record in records).encode()
    assert re.search(r"any\.m2:\d+: sentence #\d+: ", problem) or read == path.read_bytes()


@pytest.mark.parametrize(
    "text, problem",
    [
        ("A 0 0|||M|||,|||R|||-|||0\n", "1: sentence #1: found 'A 0 0.*before any sentence"),
        ("S a\nA 0 0|||M|||,|||R|||0\n", "2: .*found 5 fields"),
        ("S a\nA 0|||M|||,|||R|||-|||0\n", "2: .*offsets '0' are no two numbers"),
        ("S a\nA 0 x|||M|||,|||R|||-|||0\n", "2: .*offsets '0 x' are no two numbers"),
        ("S a\nA 0 2|||M|||,|||R|||-|||0\n", "2: .*0 2 are outside of the 1 token,"),
        ("S a\nA 1 0|||M|||,|||R|||-|||0\n", "2: .*reverse order"),
        ("S a\nA -1 0|||M|||,|||R|||-|||0\n", "2: .*outside"),
        ("S a\nA 0 0|||M|||,|||R|||-|||me\n", "2: .*annotator 'me' is not a number"),
        ("S a\nA 0 0|||M|||,|||R|||-|||-1\n", "2: .*annotator '-1' is not a number"),
        ("S a\nA 0 0|||M|||,|||R|||-|||" + "9" * 5000 + "\n", "2: .*is not a number"),
        ("S a\nB\n", "2: .*found 'B'"),
        ("S a\n\nA 0 0|||M|||,|||R|||-|||0\n", "3: .*after an empty line"),
        ("\n\n", " no sentence was found"),
        ("", " no sentence was found"),
    ],
)  # fmt: skip
def test_faults_have_a_line(file, text, problem):
    with pytest.raises(TreebankError, match=rf"some\.m2:{problem}"):
        list(read_m2_records(file(text)))
