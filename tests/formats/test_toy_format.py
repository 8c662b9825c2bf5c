"""A custom format: one class and one entry of the registry; see also tests/cli."""

import io

import pytest

from semipunct.corpus import Omitted, ReadingNotes
from semipunct.formats import FORMATS, Annotation, format_of, read_entries, read_treebank
from semipunct.trees import DependencyTree
from tests.formats.toy import Lines

TEXT = "“ Go , ” he said .\n. . .\nYes !\n"


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setitem(FORMATS, Lines.name, Lines())
    path = tmp_path / "some.lines"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_it_is_read(path):
    go, nothing, yes = read_entries([path])
    assert go.content.forms == ("Go", "he", "said")
    assert go.content.slots == (("“",), (",", "”"), (), (".",))
    assert go.content.tree == DependencyTree((0, 1, 1), ("root", "dep", "dep"))
    assert go.notes == ReadingNotes(7, 4)
    assert nothing.content == Omitted("nothing but punctuation", "#2", str(path), 2)
    assert yes.content.where == f"{path}:3: sentence #3"
    treebank = read_treebank([path])
    assert treebank.sentences == (go.content, yes.content)
    assert treebank.omitted == (nothing.content,)


def test_it_is_written(path):
    writer = format_of(path).writer()
    go, nothing, yes = read_entries([path])
    stream = io.StringIO()
    annotation = Annotation({1: {"Left": "“"}}, {"log": "-1.0"})
    texts = (writer.annotate(go, annotation), writer.source_text(nothing))
    writer.write((*texts, writer.punctuate(yes, [("¡",), ("!",)])), stream)
    assert stream.getvalue() == "“ Go , ” he said .  # 1:Left=“ log=-1.0\n. . .\n¡ Yes !\n"
    assert writer.text(yes, yes.content.slots) == "Yes !"
