"""Bracketed trees: lossless, as phrases and as dependencies; errors with file and line."""

import io
from pathlib import Path

import pytest
from hypothesis import given

from semipunct.corpus import Omitted, Sentence
from semipunct.errors import TreebankError
from semipunct.formats import format_of, read_entries, read_treebank
from semipunct.formats.registry import read_with_marks
from semipunct.papers.commas.ptb import Ptb, read_bracketings, write_brackets
from tests.papers.commas.nested import Nested, brackets, leaves, nested, nested_trees
from tests.papers.commas.test_trees import flat

TEXT = """
( (S
    (NP-SBJ-1 (NNP Mr.) (NNP Bell) )
    (, ,)
    (VP (VBD said)
      (S (NP-SBJ (-NONE- *-1) ) (`` ``) (VP (VB go) ) ('' '') ))
    (. .) )) (INTJ (UH Yes)(-LRB- -LRB-)
(NN a\\/b)(-RRB- -RRB-))

(X (: --))\t"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.mrg"
    path.write_text(TEXT, encoding="utf-8", newline="")
    return path


def test_it_is_read_as_dependencies(file: Path):
    first, second, third = read_entries([file])
    sentence = first.content
    assert isinstance(sentence, Sentence)
    assert sentence.forms == ("Mr", "Bell", "said", "go")
    assert sentence.xpos == ("NNP", "NNP", "VBD", "VB")
    assert sentence.slots == ((), ("<abbr>",), (",",), ("“",), ("”", "."))
    assert sentence.tree.heads == (2, 3, 0, 3)
    assert sentence.tree.relations == ("NNP/NP", "NP-SBJ/S", "root", "S/VP")
    assert (sentence.where, first.word_ids) == (f"{file}:2: sentence #1", (1, 2, 4, 6))
    assert second.content.where == f"{file}:7: sentence #2"
    assert second.content.slots == ((), ("-LRB-",), ("-RRB-",))
    assert third.content == Omitted("nothing but punctuation", "#3", str(file), 10)


def test_it_is_read_as_phrases(file: Path):
    first, second, third = Ptb().read_phrases(file)
    assert isinstance(first.content, Sentence)
    assert first.content.tree == flat(nested(
        "( (S (NP-SBJ-1 (NNP Mr.) (NNP Bell)) (VP (VBD said) (S (VP (VB go))))))"
    ))  # fmt: skip
    assert first.content.slots == next(iter(read_entries([file]))).content.slots
    assert isinstance(second.content, Sentence)
    assert second.content.tree.tags == ("UH", "NN")
    assert isinstance(third.content, Omitted)
    commas = Ptb(mark_tags={","}).read_phrases(file)
    assert [len(e.content.forms) for e in commas if isinstance(e.content, Sentence)] == [7, 4, 1]
    whole, *_ = Ptb(marks="words").read_phrases(file)
    assert isinstance(whole.content, Sentence)
    assert whole.content.forms == ("Mr.", "Bell", ",", "said", "“", "go", "”", ".")
    assert whole.content.tree.tags == whole.content.xpos


def test_what_was_read_is_written(file: Path):
    entries, writer, stream = list(read_entries([file])), format_of(file).writer(), io.StringIO()
    writer.write(map(writer.source_text, entries), stream)
    assert stream.getvalue() == TEXT
    assert writer.punctuate(entries[0], entries[0].content.slots) + "" in TEXT
    assert writer.text(entries[1], [("¡",), (), ("!",)]) == "¡ Yes a/b !"
    assert len(read_treebank([file]).sentences) == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", r"no tree was found"),
        ("(NN a)\n)", r":2: after 1 tree a bracket is closed that was not opened"),
        ("rain\n", r":1: after 0 trees 'rain' stands outside of brackets"),
        ("(UH a)\n\n(S\n(NP (NN a))", r":3: sentence #2: 1 bracket is not closed .* in line 3; the "
         "first after it that begins a line is in line 4; close"),
        ("(S (NP (NN a)", r":1: sentence #1: 2 brackets are not closed .* opened in line 1; close"),
    ],
)  # fmt: skip
def test_mistakes_are_told(tmp_path: Path, text: str, complaint: str):
    path = tmp_path / "some.mrg"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TreebankError, match=complaint):
        list(read_entries([path]))
    (tmp_path / "other.mrg").write_bytes(b"(NN a)\n(NN \xff)")
    with pytest.raises(TreebankError, match=r"other.mrg:2: byte 0xff"):
        list(read_bracketings(tmp_path / "other.mrg"))


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("(S\n(NP ) (NN a))", ["2: sentence #2: the bracket (NP has no word in it"]),
        ("(S (NN a b))", ["1: sentence #2: the word 'b' stands beside another word"]),
        ("(S (NN a) b)", ["1: sentence #2: the word 'b' stands beside another word or a bracket"]),
        ("(S (NN a b)\n(())) (NN c d)", [
            "1: sentence #2: the word 'b' stands beside", "2: sentence #3: the word 'd' stands"]),
        ("(S (-NONE- *))", ["1: sentence #2: the tree has no word, only empty elements"]),
        ("*x*\n *x* (c) 1999 *x*\n\n", ["1: after 1 tree '*x*' stands outside of brackets",
         "2: sentence #2: the bracket (c has no word", "2: after 2 trees '1999' stands outside"]),
        ("rain :) (NN\n", None),
        ("1. (NN a)\n2.\n", ["1: after 1 tree '1.' stands outside of brackets",
         "2: after 2 trees '2.' stands outside of brackets"]),
    ],
)  # fmt: skip
def test_what_is_no_tree_is_omitted_with_its_fault(
    tmp_path: Path, text: str, faults: list[str] | None
):
    path = tmp_path / "some.mrg"
    before, after = "(UH yes)\n", "\n( (S (UH no)))"
    path.write_text(before + text + after, encoding="utf-8")
    if faults is None:
        with pytest.raises(TreebankError, match=r"some.mrg:2: .* closed that was not opened"):
            list(read_entries([path]))
        return
    for marks in ("slots", "words"):
        first, *between, last = Ptb(marks=marks).read(path)
        assert [first.content.forms, last.content.forms] == [("yes",), ("no",)]
        found_faults = [e.content.fault for e in between if isinstance(e.content, Omitted)]
        assert len(found_faults) == len(faults)
        for fault, expected in zip(found_faults, faults, strict=True):
            line, message = expected.split(":", 1)
            assert fault.startswith(f"{path}:{int(line) + 1}:{message}")
    phrases = [e.content for e in Ptb().read_phrases(path)]
    assert [c.fault for c in phrases if isinstance(c, Omitted)] == found_faults
    treebank = read_with_marks([path])
    assert [c.fault for c in treebank.omitted] == found_faults
    assert treebank.sentences[-1].forms == ("no",)
    writer, stream = Ptb().writer(), io.StringIO()
    writer.write(map(writer.source_text, [first, *between, last]), stream)
    assert stream.getvalue() == path.read_text("utf-8")
    assert "".join(each.text for each in read_bracketings(path)) == path.read_text("utf-8")


@given(nested_trees)
def test_trees_that_are_written_come_back(tmp_path_factory: pytest.TempPathFactory, tree: Nested):
    phrases, forms = flat(tree), tuple(form for _, form in leaves(tree))
    path = tmp_path_factory.getbasetemp() / "written.mrg"
    on_one_line, lines = write_brackets(phrases, forms), write_brackets(phrases, forms, indent=True)
    assert on_one_line == brackets(tree)
    path.write_text(f"{on_one_line}{lines}\n", encoding="utf-8")
    for read in read_bracketings(path):
        assert (read.tree, read.forms) == (phrases, forms)
