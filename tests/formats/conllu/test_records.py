import gzip
import io
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.errors import UsageError
from semipunct.files import output
from semipunct.formats.conllu.misc import attributes
from semipunct.formats.conllu.records import NO_HEAD, format_record, read_records, write_texts
from tests.formats.conllu.builders import chain, record, records, sentence, word
from tests.trees.cases import trees

ODD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\t\n\r"), max_size=4)
FORMS = ODD.filter(str.strip)


def written(all_records):
    stream = io.StringIO(newline="")
    write_texts(map(format_record, all_records), stream)
    return stream.getvalue()


@st.composite
def texts(draw):
    """CoNLL-U files with all content that a file may have in addition to words."""
    lines = draw(st.lists(st.sampled_from(["", "# newdoc", "\ufeff", " "]), max_size=3))
    for heads in draw(st.lists(trees(5), min_size=1, max_size=3)):
        lines += draw(st.lists(st.builds("# {}".format, ODD), max_size=2))
        covered = 0
        for word_id, head in enumerate(heads, start=1):
            if covered < word_id < len(heads) and draw(st.booleans()):
                covered = word_id + 1
                lines.append(word(f"{word_id}-{covered}", draw(FORMS), "_"))
            lines.append(word(word_id, draw(FORMS), head, misc=draw(ODD)))
            if draw(st.booleans()):
                lines.append(word(f"{word_id}.1", "empty", "_"))
        lines += draw(st.sampled_from([[""], ["", ""], ["  "], ["", "# apart", ""]]))
    ends = [draw(st.sampled_from(["\n", "\r\n"])) for _ in lines]
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    return text.rstrip("\r\n") if draw(st.booleans()) else text


@given(texts())
def test_files_come_out_as_they_went_in(text):
    all_records = records(text)
    assert written(all_records) == text
    starts = [record.line for record in all_records]
    assert starts[0] == 1
    assert all(
        later.line == earlier.line + len(earlier.lines) for earlier, later in pairwise(all_records)
    )


@given(texts(), st.text(st.characters(exclude_categories=["Cs"])))
def test_annotations_are_read_back_and_nothing_else_changes(text, value):
    all_records = records(text)
    annotated = "".join(
        format_record(item, {1: {"Punct:Left": value}}, ["# note"]) for item in all_records
    )
    again = records(annotated)
    columns = [item.lines[item.tokens[0].position].split("\t")[9] for item in again]
    assert [attributes(column)["Punct:Left"] for column in columns] == [value] * len(all_records)
    without = [line for item in again for line in item.lines if line.lstrip("\ufeff") != "# note"]
    first_words = {item.line - 1 + item.tokens[0].position for item in all_records}
    original = [line for item in all_records for line in item.lines]
    for number, (line_before, line_after) in enumerate(zip(original, without, strict=True)):
        columns = 9 if number in first_words else None
        assert (
            line_before.lstrip("\ufeff").split("\t")[:columns]
            == (line_after.lstrip("\ufeff").split("\t")[:columns])
        )


@pytest.mark.parametrize(
    "comment, expected",
    [
        ("# sent_id = weblog-7", "weblog-7"),
        ("# sent_id weblog 7", "weblog 7"),
        ("#sent_id=x", "x"),
        ("# sent_id =", "#2"),
        ("# sent_ident = x", "#2"),
        ("# text = sent_id = x", "#2"),
    ],
)
def test_sentence_ids(comment, expected):
    all_records = records(chain(1) + sentence(comment, word(1, "a", 0)))
    assert [item.sentence_id for item in all_records] == ["#1", expected]


def test_a_comment_after_the_last_sentence_does_not_name_it():
    (only_record,) = records(chain(1) + "# sent_id = next\n")
    assert only_record.sentence_id == "#1"


def test_without_trees_heads_may_be_missing():
    all_records = records(sentence(word(1, "a", "_"), word(2, "b", 1)), trees=False)
    assert [token.head for token in all_records[0].tokens] == [NO_HEAD, 1]


def test_standard_input_and_gzip(tmp_path, monkeypatch):
    text = chain(3)
    path = tmp_path / "text.conllu.gz"
    with output(str(path)) as stream:
        write_texts(map(format_record, records(text)), stream)
    assert gzip.decompress(path.read_bytes()).decode() == text
    assert written(read_records(path)) == text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    (only_record,) = read_records("-")
    assert only_record.path == "<stdin>"
    assert written([only_record]) == text


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n\r\n", "\n ", "\n\n# end\n", "\n\n# end"])
def test_sentences_of_two_files_are_kept_apart(end):
    text = word(1, "a", 0) + end
    stream = io.StringIO(newline="")
    write_texts([text, text], stream)
    assert stream.getvalue().startswith(text)
    assert stream.getvalue().endswith(text)
    assert [len(item.tokens) for item in records(stream.getvalue())] == [1, 1]
    assert "\n\n\n" not in stream.getvalue()


def test_comments_go_after_the_comments_and_after_a_byte_order_mark():
    only_record = record("# one", word(1, "a", 0))
    assert format_record(only_record, {}, ["# two"]).startswith("# one\n# two\n1\ta")
    (marked,) = records("\ufeff" + word(1, "a", 0) + "\r\n")
    assert format_record(marked, {}, ["# two"]).startswith("\ufeff# two\r\n1\ta")
    (half,) = records(word(1, "a", 0) + "\r")
    assert format_record(half, {}, ["# two"]).startswith("# two\n1\ta")


@pytest.mark.parametrize("comment", ["no sign", "# two\n# lines", "# \r"])
def test_what_is_no_comment_is_refused(comment):
    with pytest.raises(UsageError, match=r"text\.conllu:1: sentence #1: .*cannot be added"):
        format_record(record(word(1, "a", 0)), {}, [comment])


def test_a_word_that_is_not_there_cannot_be_annotated():
    with pytest.raises(UsageError, match=r"there is no word 2 to annotate; its words are 1 to 1"):
        format_record(record(word(1, "a", 0)), {2: {"A": "1"}})


def test_a_long_sentence_is_read_in_a_second():
    text = chain(20_000)
    (only_record,) = records(text)
    assert len(only_record.tokens) == 20_000
    assert format_record(only_record) == text


def test_annotations_that_are_replaced_go():
    text = sentence(
        "\ufeff# ours_a = 1", "# text = a", "#ours_b", "# oursmine = no",
        word(1, "a", 0, misc="OursX=1|Gloss=y|OursY"), word(2, "b", 1, misc="OursX=1"),
    )  # fmt: skip
    (only_record,) = records(text)
    rewritten = format_record(only_record, {1: {"OursZ": "2"}}, ["# ours_c = 3"], ("ours_", "Ours"))
    assert rewritten == sentence(
        "\ufeff# text = a", "# oursmine = no", "# ours_c = 3",
        word(1, "a", 0, misc="Gloss=y|OursZ=2"), word(2, "b", 1),
    )  # fmt: skip
    assert format_record(only_record) == text
