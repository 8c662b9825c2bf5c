"""Phrases written in brackets can be read again."""

from dataclasses import replace
from pathlib import Path

import pytest

from semipunct.errors import UsageError
from semipunct.papers.commas.ptb import Ptb, write_phrases
from semipunct.papers.commas.trees import PhraseTree

TEXT = "( (S (NP (NNP Mr.) (NNP A)) (, ,) (VP (VB b) (-LRB- -LRB-)) (. .)) )"


def read(path: Path, text: str):
    path.write_text(text, encoding="utf-8")
    (entry,) = Ptb(mark_tags={","}).read_phrases(path)
    return entry.content


def test_what_is_written_is_read(tmp_path: Path):
    sentence = read(tmp_path / "a.mrg", TEXT)
    text = write_phrases(sentence)
    assert text == "( (S (NP (NNP Mr.) (NNP A)) (, ,) (VP (VB b) (-LRB- -LRB-)) (. .)))\n"
    again = read(tmp_path / "b.mrg", text)
    assert (again.tree, again.forms, again.slots) == (sentence.tree, sentence.forms, sentence.slots)


def test_brackets_in_words_are_escaped(tmp_path: Path):
    sentence = read(tmp_path / "a.mrg", "(S (NP (NN a)) (VP (VB b)))")
    assert "(NN -LRB-x-RRB-)" in write_phrases(replace(sentence, forms=("(x)", "b")))
    with pytest.raises(UsageError, match="cannot be a form"):
        write_phrases(replace(sentence, tree=PhraseTree((0, 1, 1), ("S S", "NN", "VB"))))


def test_blanks_in_words_do_not_break_lines(tmp_path: Path):
    sentence = read(tmp_path / "a.mrg", "(S (NP (NN a)) (VP (VB b)))")
    text = write_phrases(replace(sentence, forms=("10 000", "b\u2028c")))
    assert read(tmp_path / "b.mrg", text).forms == ("10\u00a0000", "b\u00a0c")
