"""Plain text: one sentence per line."""

import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus import Omitted, Treebank, Words
from semipunct.corpus.located import BLANKS
from semipunct.errors import TreebankError
from semipunct.formats import read_entries, read_words
from semipunct.formats.text import Text, paragraphs


def entries(content: bytes, name: str = "a.txt"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        return list(Text().read_words(path))


def written(found, change=lambda entry: entry.content.slots) -> bytes:
    writer, stream = Text().writer(), io.StringIO(newline="")
    writer.write(
        (
            writer.source_text(entry)
            if isinstance(entry.content, Omitted)
            else writer.punctuate(entry, change(entry))
            for entry in found
        ),
        stream,
    )
    return stream.getvalue().encode("utf-8")


def test_words_are_what_white_space_parts():
    (first, empty, second) = entries("Hello , world's\tend .\r\n\n… ¿ Qué ?".encode())
    assert first.content.forms == ("Hello", "world's", "end")
    assert first.content.slots == ((), (",",), (), (".",))
    assert (first.content.line, second.content.line) == (1, 3)
    assert first.word_ids == (1, 2, 3)
    assert (first.notes.tokens, first.notes.punctuation) == (5, 2)
    assert isinstance(empty.content, Omitted)
    assert second.content.slots == (("…", "¿"), ("?",))


CHARACTERS = st.one_of(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]),
    st.sampled_from(list(" \t\r\n\ufeff\u200b\x85\u2028.,\"'“”()-…$^<>")),
)


@given(st.text(CHARACTERS, max_size=60).filter(lambda text: BLANKS.sub("", text)))
def test_the_same_punctuation_gives_the_same_bytes(text: str):
    content = text.encode("utf-8")
    assert written(entries(content)) == content


@given(st.text(CHARACTERS, max_size=60).filter(lambda text: BLANKS.sub("", text)))
def test_new_marks_change_nothing_but_spaces_between_words(text: str):
    def change(entry):
        return [(*slot, "§") for slot in entry.content.slots]

    content = text.encode("utf-8")
    output = written(entries(content), change).decode("utf-8").replace("§", "")
    gone = str.maketrans("", "", " ")
    assert output.translate(gone) == text.replace("§", "").translate(gone)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b"fine\nbad \xff\n", ":2: byte 0xff"), (b"a\0b\n", ":1: a NUL byte at offset 1")],
)
def test_what_is_no_text(content: bytes, complaint: str):
    with pytest.raises(TreebankError, match=f"a.txt{complaint}"):
        entries(content)


def test_text_has_no_trees(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("\nHello world\n")
    with pytest.raises(TreebankError, match=r"a.txt:2: sentence #2: has no tree; parse it first"):
        list(read_entries([path]))
    with pytest.raises(TreebankError, match="has no tree"):
        Treebank.of(Text().read(path))
    assert [type(entry.content) for entry in read_words([path])] == [Omitted, Words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n", [("a\nb\n", 1)]),
        ("\n\na\n \nb\n\n\nc", [("\n\na\n \n", 1), ("b\n\n\n", 5), ("c", 8)]),
    ],
)
def test_empty_lines_part_paragraphs(text: str, expected: list[tuple[str, int]], tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert [(p.text, p.line) for p in paragraphs(path)] == expected


@pytest.mark.parametrize("content", ["", "\n", " \n\t\n", "\ufeff"])
def test_a_file_without_text(tmp_path: Path, content: str):
    path = tmp_path / "a.txt"
    path.write_text(content, "utf-8")
    for read in (Text().read, Text().read_words, paragraphs):
        with pytest.raises(TreebankError, match=r"a\.txt: no text was found \(the file is empty"):
            list(read(path))
