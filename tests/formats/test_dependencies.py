"""Files with three columns: form, tag and head."""

import io
import re
from pathlib import Path

import pytest

from semipunct.corpus import Sentence
from semipunct.corpus.statistics import statistics
from semipunct.errors import TreebankError, UsageError
from semipunct.formats import Annotation, format_of, read_entries
from semipunct.formats.dependencies import MARK_TAGS, Dependencies
from semipunct.formats.registry import read_with_marks

TEXT = (
    "``\t``\t2\nGo\tVB\t0\n,\t,\t2\n''\t''\t2\nMr.\tNNP\t6\nA\tNNP\t2\n.\t.\t2\n\n\n"
    "Yes\tUH\t0\n-RRB-\t-RRB-\t1\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.dp"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_marks_go_into_slots(file: Path):
    first, second = read_entries([file])
    read_sentence = first.content
    assert isinstance(read_sentence, Sentence)
    assert read_sentence.forms == ("Go", "Mr", "A")
    assert read_sentence.slots == (("“",), (",", "”"), ("<abbr>",), (".",))
    assert read_sentence.tree.heads == (0, 3, 1)
    assert (read_sentence.xpos, read_sentence.upos) == (("VB", "NNP", "NNP"), ("_",) * 3)
    assert (read_sentence.where, first.word_ids) == (f"{file}:1: sentence #1", (2, 5, 6))
    assert first.notes.quotes_replaced == 2
    assert second.content.slots == ((), ("-RRB-",))
    assert second.content.where == f"{file}:10: sentence #2"


def test_marks_stay_among_the_words(file: Path):
    first, _ = Dependencies(marks="words").read(file)
    read_sentence = first.content
    assert isinstance(read_sentence, Sentence)
    assert read_sentence.forms == ("“", "Go", ",", "”", "Mr.", "A", ".")
    assert read_sentence.tree.heads == (2, 0, 2, 2, 6, 2, 2)
    assert [i for i, upos in enumerate(read_sentence.upos) if upos == "PUNCT"] == [0, 2, 3, 6]
    assert read_sentence.slots == ((),) * 8


def test_what_was_read_is_written(file: Path):
    entries, writer, stream = list(read_entries([file])), format_of(file).writer(), io.StringIO()
    writer.write(map(writer.source_text, entries), stream)
    assert stream.getvalue() == TEXT
    stream = io.StringIO()
    writer.write(map(writer.source_text, reversed(entries)), stream)
    assert stream.getvalue() == TEXT[TEXT.index("Yes") :] + "\n" + TEXT[: TEXT.index("Yes")]
    assert writer.text(entries[0], [(), (";",), (), ("!",)]) == "Go ; Mr. A !"
    file.write_text("\n \n" + TEXT, "utf-8")
    entries, stream = list(read_entries([file])), io.StringIO()
    writer.write(map(writer.source_text, entries), stream)
    assert stream.getvalue() == file.read_text("utf-8")
    assert entries[0].content.line == 3


def test_what_has_no_place_is_refused(file: Path):
    entry, writer = next(iter(read_entries([file]))), format_of(file).writer()
    with pytest.raises(UsageError, match=r"some.dp:1: sentence #1: .*cannot contain annotations"):
        writer.annotate(entry, Annotation({1: {"a": "b"}}))
    with pytest.raises(UsageError, match="cannot contain new punctuation"):
        writer.punctuate(entry, entry.content.slots)
    with pytest.raises(UsageError, match="2 slots for 3 words"):
        writer.text(entry, [(), ()])


@pytest.mark.parametrize(
    "text, message",
    [
        ("a\tX\t0\n\nb\tX\n", ":3: sentence #2: found 2 columns"),
        ("a\t\t0\n", ":1: sentence #1: found 3 columns of which none may be empty"),
        ("a X 0\n", ":1: sentence #1: found 1 column .* separated by tabs: form, tag, head"),
        ("a\tX\t0\nb\tX\tone\n", ":2: sentence #1: the head 'one' is not a number"),
        ("a\tX\t²\n", "the head '²' is not a number"),
        ("a\tX\t-1\n", "the head '-1' is not a number"),
        (f"a\tX\t{'9' * 5000}\n", "not a token of the sentence"),
        ("a\tX\t0\nb\tX\t3\n", r":2: sentence #1: word 2 \(b\): its head 3 is not a word"),
        ("a\tX\t2\nb\tX\t1\n", r"word \d .*cycle of heads"),
        ("a\tX\t0\nb\tX\t0\n", ":2: .*second root"),
    ],
)
@pytest.mark.parametrize("marks", ["slots", "words"])
def test_malformed_sentences_are_omitted_with_their_fault(
    tmp_path: Path, text: str, message: str, marks
):
    path = tmp_path / "bad.dp"
    path.write_text(f"{text}\n\nd\tX\t0\n", encoding="utf-8")
    *before, malformed, last = Dependencies(marks=marks).read(path)
    assert last.content.forms == ("d",)
    assert all(isinstance(entry.content, Sentence) for entry in before)
    assert malformed.content.reason == "a malformed tree"
    assert malformed.content.fault.startswith(f"{path}:")
    assert re.search(message, malformed.content.fault)
    assert len(read_with_marks([path])) == len(before) + 1
    writer, stream = Dependencies().writer(), io.StringIO()
    writer.write(map(writer.source_text, [*before, malformed, last]), stream)
    assert stream.getvalue() == path.read_text("utf-8")


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_sentences(tmp_path: Path, text: str):
    path = tmp_path / "bad.dp"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TreebankError, match=r"bad\.dp: no sentence was found"):
        list(read_entries([path]))


def test_sentences_that_models_cannot_take_are_told(tmp_path: Path):
    path = tmp_path / "odd.dp"
    path.write_text(",\t,\t0\na\tX\t1\n\n.\t.\t0\n", encoding="utf-8")
    reasons = [entry.content.reason for entry in read_entries([path])]
    assert reasons == ["punctuation has dependents", "nothing but punctuation"]
    whole = [entry.content for entry in Dependencies(marks="words").read(path)]
    assert [s.tree.heads for s in whole] == [(0, 1), (0,)]


def test_the_sample_of_the_penn_treebank(shared_data: Path):
    """The counts are from another program: lines whose tag is that of a mark."""
    counts = statistics(read_entries([shared_data.parent / "ptb-sample" / "dev.dp"]))
    assert (counts.sentences_used, counts.words) == (273, 6327 - 659)
    assert len(MARK_TAGS) == 7
