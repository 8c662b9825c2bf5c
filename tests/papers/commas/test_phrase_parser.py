"""The phrase-structure parser: tree probabilities, a language it learns, and long sentences."""

from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
import pytest

from semipunct.papers.commas.options import PhraseParserOptions
from semipunct.papers.commas.parser import CROSSING, PhraseParser, read_tree, scores
from semipunct.papers.commas.ptb import read_commas, read_whole_phrases
from semipunct.papers.commas.task import parse_phrases
from semipunct.store.checkpoint import load
from tests.papers.commas.phrases import files
from tests.planted import figures

SMALL = PhraseParserOptions(word=4, ngram=4, hidden=4, layers=1, span=4, minimum_word_count=1)


def bracketings(left: int, right: int) -> Iterator[list[tuple[int, int]]]:
    """Return all binary bracketings of words from left to right, as lists of spans."""
    if left == right:
        yield [(left, right)]
        return
    for cut in range(left, right):
        for left_spans in bracketings(left, cut):
            for right_spans in bracketings(cut + 1, right):
                yield [(left, right), *left_spans, *right_spans]


def test_probabilities_are_those_of_a_list_of_all_bracketings(tmp_path: Path):
    path = tmp_path / "a.mrg"
    path.write_text("( (S (NP (DT the) (JJ small) (NN dog)) (VP (VBZ sees))) )\n", "utf-8")
    sentences = read_whole_phrases([path]).sentences
    model = PhraseParser.fit(sentences, SMALL)  # type: ignore[arg-type]
    parameters = model.initial_parameters(1, 0.0)
    parameters["span.weight"] = 3 * parameters["span.weight"]
    batch = model.batch(model.encode(sentences), [0])  # type: ignore[arg-type]
    answer = jax.jit(
        lambda p: (*scores(SMALL, p, batch.inputs, None), model.log_likelihoods(p, batch))
    )(parameters)
    span, tag, log_p = (np.asarray(x, np.float64) for x in answer)
    # A phrase of three words has two bracketings, both of which yield this tree.
    gold = {(0, 3): ("S",), (0, 2): ("NP",), (3, 3): ("VP",)}
    every, of_tree = [], []
    for spans in bracketings(0, 3):
        every.append(sum(np.logaddexp.reduce(span[0, i, j]) for i, j in spans))
        if gold.keys() <= set(spans):
            codes = {s: model.vocabulary.codes("label", gold[s])[0] for s in gold}
            of_tree.append(sum(span[0, i, j, codes.get((i, j), 0)] for i, j in spans))
    assert (len(every), len(of_tree)) == (5, 2)
    tags = tag[0, :4] - np.logaddexp.reduce(tag[0, :4], 1, keepdims=True)
    expected = np.logaddexp.reduce(of_tree) - np.logaddexp.reduce(every)
    expected += sum(tags[i, code] for i, code in enumerate(batch.gold.tags[0, :4]))
    assert log_p[0] == pytest.approx(expected, abs=1e-4)
    assert batch.gold.labels[0, 1, 3] == CROSSING


def test_a_language_is_learnt(phrase_parser: Path):
    best = figures(phrase_parser)
    assert best["dev_f1"] > 0.95
    assert best["dev_tags"] == 1.0


def test_words_are_parsed_without_their_commas(phrase_parser: Path, tmp_path: Path):
    loaded = load(phrase_parser, PhraseParser)
    assert "without commas" in loaded.model.description
    sentences = read_commas([files(tmp_path)["dev"]]).sentences
    parses = parse_phrases(loaded, sentences)
    assert [s.slots for s in parses] == [s.slots for s in sentences]
    right = [
        parse.tree == read_tree(gold, commas=False)[1]  # type: ignore[arg-type]
        for parse, gold in zip(parses, sentences, strict=True)
    ]
    assert np.mean(right) > 0.7
    assert parses[0].tree.tags == parses[0].xpos
    assert parse_phrases(loaded, []) == []
