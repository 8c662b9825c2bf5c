"""Readers of the examples of every kind of model."""

from pathlib import Path
from typing import get_args

import pytest

from semipunct.corpus.examples import ExampleType
from semipunct.formats.reading import READERS, read_examples
from semipunct.models.registry import find_kind, kind_names
from semipunct.training.config import load_config

CONLLU = (
    "1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\tSpaceAfter=No\n2\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
)
PHRASES = "( (S (NP (PRP I)) (, ,) (VP (VBP sit)) (. .)) )\n"
DERIVATION = (
    "ID=a.1 PARSER=GOLD NUMPARSE=1\n"
    "(<T S 0 2> (<L NP PRP PRP I NP>) (<L S\\NP VBP VBP sit S\\NP>) )\n"
)


def test_every_type_has_a_reader_and_a_kind():
    assert set(READERS) == set(get_args(ExampleType))
    kinds = {find_kind(name).examples for name in kind_names()}
    parser = load_config(None, ["model.trees=nonprojective"], {}, "parser")
    assert {name for name in kinds if ":" not in name} | {parser.examples} == set(READERS)


@pytest.mark.parametrize(
    "examples, name, text, size",
    [
        ("sentences", "a.conllu", CONLLU, 1),
        ("sentences with marks as words", "a.conllu", CONLLU, 2),
        ("semipunct.papers.commas.ptb:read_commas", "a.mrg", PHRASES, 3),
        ("semipunct.papers.commas.ptb:read_whole_phrases", "a.mrg", PHRASES, 4),
        ("semipunct.papers.ccg.ccgbank:read_derived_sentences", "a.auto", DERIVATION, 2),
        ("passages", "a.conllu", CONLLU, 2),
    ],
)
def test_what_counts_as_a_word(examples: str, name: str, text: str, size: int, tmp_path: Path):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    (example,) = read_examples(examples, [path])
    assert example.size == size
