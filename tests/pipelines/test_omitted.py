"""Functions of commands pass omitted sentences through, and give the others what they get alone."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import semipunct
from semipunct.corpus import Omitted
from semipunct.corpus.examples import treebank_digest
from semipunct.papers.rephrasing.task import rephrase
from semipunct.pipelines.parses import parses
from tests.models.parsing.treebank import planted

OMITTED = Omitted("nothing but punctuation", "#2", "a.txt", 2)


@pytest.fixture(scope="module")
def trained(model: Path, parser: Path, corrector: Path) -> dict[str, Any]:
    paths = {"model": model, "parser": parser, "corrector": corrector}
    loaded = {name: semipunct.load(path) for name, path in paths.items()}
    return {**loaded, "both": semipunct.load(model, parser=parser)}


Call = Callable[[dict[str, Any], Sequence[Any]], list[Any]]
CALLS: dict[str, Call] = {
    "restore": lambda t, s: t["model"].restore(s, samples=20),
    "restore words": lambda t, s: t["both"].restore(s, samples=20),
    "parse": lambda t, s: t["parser"].parse(s),
    "parses": lambda t, s: parses(t["parser"], s, 2),
    "decode": lambda t, s: t["model"].decode(s),
    "rephrase": lambda t, s: rephrase(t["model"], s),
    "correct": lambda t, s: t["corrector"].correct(s, samples=20),
}


@pytest.mark.parametrize("name", CALLS)
def test_omitted_sentences_pass_through(name: str, trained: dict[str, Any]):
    sentences = planted(3, 5)
    alone = CALLS[name](trained, sentences)
    mixed = CALLS[name](trained, [OMITTED, sentences[0], OMITTED, *sentences[1:]])
    assert mixed[0] is mixed[2] is OMITTED
    assert list(map(repr, [mixed[1], *mixed[3:]])) == list(map(repr, alone))
    assert CALLS[name](trained, [OMITTED]) == [OMITTED]


def test_omitted_sentences_do_not_count(trained: dict[str, Any], treebanks: dict[str, Path]):
    dev = semipunct.read(treebanks["dev"]).sentences[:3]
    alone = semipunct.evaluate(trained["model"], dev)
    mixed = semipunct.evaluate(trained["model"], [OMITTED, *dev])
    assert mixed.figures.perplexity == alone.figures.perplexity
    assert mixed.signature == alone.signature
    assert treebank_digest(dev)[:12] in mixed.signature
