"""Derivations in `.auto` files: lossless, with rules; errors with file and line."""

import io
import re
from pathlib import Path

import pytest

from semipunct.corpus import Omitted, Sentence
from semipunct.errors import UsageError
from semipunct.formats import Annotation, format_of, read_entries
from semipunct.papers.ccg.ccgbank import (
    Ccgbank,
    Leaf,
    auto_line,
    read_derivations,
    read_derived_sentences,
)
from semipunct.papers.ccg.derivations import Derivation, parse_category
from tests.papers.ccg.files import MILL, RAIN

TEXT = "\n" + MILL + "\n" + RAIN.rstrip("\n")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.auto"
    path.write_text(TEXT, encoding="utf-8", newline="")
    return path


def test_a_derivation_written_out(file: Path):
    _, rain = read_derivations(file)
    assert (rain.sentence_id, rain.line) == ("mill.2", 5)
    assert rain.leaves[1] == Leaf("MD", "MD", "will", r"(S[dcl]\NP_3)/(S[b]_4\NP_3:B)_4")
    tree = rain.derivation
    assert tree.depths == (0, 1, 2, 1, 2, 3, 3, 2, 3, 3, 4)
    assert tree.categories[3:6] == (r"S[dcl]\NP", r"S[dcl]\NP", r"(S[dcl]\NP)/(S[b]\NP)")
    assert tree.heads == (1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
    assert tree.head_children == (3, 2, -1, 4, 5, -1, -1, 9, -1, 10, -1)
    assert tree.dependencies().heads == (2, 0, 2, 5, 2)
    assert [rule.sign for rule in tree.combinators if rule] == ["<", "*", "<", ">", "T,", "*"]
    assert tree.parsed[10] == parse_category("N")


def test_it_is_read_as_dependencies(file: Path):
    mill, rain = read_entries([file])
    assert isinstance(mill.content, Sentence)
    assert mill.content.forms == ("Ada", "the", "miller", "ground", "rye", "and", "oats")
    assert mill.content.slots == ((), (",",), (), (",",), (), (), (), (".",))
    assert mill.content.tree.heads == (4, 3, 1, 0, 4, 7, 5)
    assert mill.content.tree.relations[2] == r"NP\NP/NP"
    assert (mill.content.where, mill.word_ids) == (
        f"{file}:2: sentence mill.1",
        (1, 3, 4, 6, 7, 8, 9),
    )
    assert rain.content.slots == ((), (), (), (",",), ())
    whole, _ = Ccgbank().read_derivations(file)
    assert whole.content.forms[:3] == ("Ada", ",", "the")
    assert isinstance(whole.content.tree, Derivation)


def test_what_was_read_is_written(file: Path):
    entries, writer, stream = list(read_entries([file])), format_of(file).writer(), io.StringIO()
    writer.write(map(writer.source_text, entries), stream)
    assert stream.getvalue() == TEXT
    stream = io.StringIO()
    writer.write(map(writer.source_text, reversed(entries)), stream)
    assert stream.getvalue() == RAIN + "\n" + MILL + "\n"
    mill, rain = entries
    assert writer.text(mill, mill.content.slots) == "Ada , the miller , ground rye and oats ."
    assert writer.punctuate(rain, rain.content.slots) == RAIN.rstrip("\n")
    for record, text in zip(read_derivations(file), (MILL, RAIN), strict=True):
        assert auto_line(record.derivation, record.leaves) == text.split("\n")[1].rstrip(" ")


def test_what_has_no_place_is_refused(file: Path):
    entry, writer = next(iter(read_entries([file]))), format_of(file).writer()
    with pytest.raises(
        UsageError, match=r"some.auto:2: sentence mill.1: .*cannot contain annotations"
    ):
        writer.annotate(entry, Annotation({1: {"a": "b"}}))
    with pytest.raises(UsageError, match="cannot contain new punctuation"):
        writer.punctuate(entry, [()] * 8)
    with pytest.raises(UsageError, match="2 slots for 7 words"):
        writer.text(entry, [(), ()])


LEAF = "(<L NP PRP PRP it NP>)"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("ID=a.1 X\n", r":1: sentence a.1: no derivation follows"),
        (f"ID=a.1\n(<T NP/ 0 1> {LEAF} )", r":2: sentence a.1: 'NP/' is not a category: the end"),
        ("(<L (NP PRP PRP it NP>)", r":1: sentence #1: '\(NP' is not a category"),
        (f"(<T NP 0 2> {LEAF} )", r":1: .* node 'NP' has 1 child and the arity 2; correct"),
        (f"(<T S 0 3> {LEAF} {LEAF} {LEAF} )", r"node 'S 0 3' has no valid head and arity"),
        (f"ID=a.1\n(<T S 0 2> {LEAF}\n{LEAF}", r":2: sentence a.1: 1 node not closed, .* 'S'"),
        (")", r":1: sentence #1: a node is closed that was not opened"),
        ("(<L NP PRP it NP>)", r"leaf 'NP PRP it NP' has 4 fields"),
        ("(<L NP PRP PRP  NP>)", r"leaf 'NP PRP PRP  NP' has 5 fields of which none may be empty"),
        (f"{LEAF}\nrain\n", r":2: sentence #2: 'rain' is not expected here"),
    ],
)
def test_malformed_derivations_are_omitted_with_their_fault(
    tmp_path: Path, text: str, complaint: str
):
    path = tmp_path / "some.auto"
    path.write_text(f"{text}\n{RAIN}", encoding="utf-8")
    *entries, rain = read_entries([path])
    assert rain.content.sentence_id == "mill.2"
    fault = next(e.content.fault for e in entries if isinstance(e.content, Omitted))
    assert fault.startswith(f"{path}:")
    assert re.search(complaint, fault)
    assert "".join(e.record.source.text for e in (*entries, rain)) == path.read_text("utf-8")
    derived = [e.content for e in Ccgbank().read_derivations(path)]
    assert [c.fault for c in derived if isinstance(c, Omitted)] == [
        e.content.fault for e in entries if isinstance(e.content, Omitted)
    ]
    assert len(read_derived_sentences([path])) == sum(isinstance(c, Sentence) for c in derived)
