"""The comma model: probabilities of strings, and a planted rule."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import exp, log
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from semipunct.corpus import Sentence
from semipunct.papers.commas.model import CommaModel, slot_features
from semipunct.papers.commas.ngrams import COMMA, START
from semipunct.papers.commas.options import TEMPLATES, CommaOptions
from semipunct.papers.commas.ptb import read_commas
from semipunct.papers.commas.restorer import CommaRestorer
from semipunct.papers.commas.task import restore_commas
from semipunct.papers.commas.trees import constituent_counts
from semipunct.store.checkpoint import load
from semipunct.training.train import train
from tests.papers.commas.phrases import files

PAPER = {
    2: CommaOptions(penalty=True),
    3: CommaOptions(ends="bit", threshold=2),
    10: CommaOptions(ends="counts", tags=True),
}
"""Models of the paper by number, which together cover all components."""


@pytest.fixture(scope="module")
def sentences(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sequence[Sentence[Any]]]:
    paths = files(tmp_path_factory.mktemp("commas"))
    return {name: read_commas([path]).sentences for name, path in paths.items()}


def log_weight(model: CommaModel, sentence: Sentence[Any], commas: Sequence[bool]) -> float:
    """Compute the weight of a string of words and commas, symbol by symbol, as in the paper."""
    trigrams, options = model.trigrams, model.options
    symbols = {k: v[0].tolist()[2:] for k, v in trigrams.symbols.streams([sentence]).items()}
    ends = constituent_counts(sentence.tree)[1]
    total = 0.0
    tables = {name: katz.table() for name, katz in trigrams.counts.items()}

    def log_p(name: str, outcome: int, context: Sequence[int]) -> float:
        entries = trigrams.counts[name].entries([context], [outcome])[0]
        return sum(float(tables[name][i]) for i in entries if i >= 0)

    def of_symbol(stream: str, outcome: int, last: int, before: int, end: int) -> float:
        if stream == "tags":
            return log_p("tags", outcome, (last, before))
        if options.ends == "bit":
            return log_p("words", outcome, (int(end >= options.threshold), last, before))
        total = log_p("words", outcome, (last, before))
        if options.ends == "counts":
            counts = trigrams.counts["words"].counts[0]
            place = int(np.searchsorted(trigrams.counts["words"].keys[0], outcome))
            total += log_p("ends", outcome, (last, end)) - log(counts[place] / counts.sum())
        return total

    for stream in ("words", "tags") if options.tags else ("words",):
        string = [START, START]
        for slot, symbol in enumerate(symbols[stream]):
            for outcome in (COMMA, symbol) if commas[slot] else (symbol,):
                last, before = string[-1], string[-2]
                total += of_symbol(stream, outcome, last, before, ends[slot])
                if options.penalty and outcome != COMMA:
                    total += log(1 - exp(of_symbol(stream, COMMA, last, before, ends[slot])))
                string.append(outcome)
    return total


@pytest.mark.parametrize("number", PAPER)
def test_probabilities_are_those_of_a_list_of_all_strings(number: int, sentences):
    model = CommaModel.fit(sentences["train"], PAPER[number])
    sentence = min(sentences["dev"], key=lambda s: s.size)
    # An unseen word, and a tree with more ends than any in training.
    sentence = replace(sentence, forms=("zebra", *sentence.forms[1:]))
    parameters = model.initial_parameters(0, 0.0)
    ways = list(product((False, True), repeat=sentence.size + 1))
    weights = [log_weight(model, sentence, way) for way in ways]
    total = np.logaddexp.reduce(weights)
    gold = tuple("," in slot for slot in sentence.slots)
    log_p = jax.jit(model.log_likelihoods)(parameters, model.batch(model.encode([sentence]), [0]))
    assert float(log_p[0]) == pytest.approx(weights[ways.index(gold)] - total, abs=1e-3)
    (commas,) = CommaRestorer(model, parameters).commas([sentence], 3)
    ranked = sorted(zip(weights, ways, strict=True), reverse=True)
    assert [tuple(way) for way in commas.best.tolist()] == [way for _, way in ranked[:3]]
    assert commas.log_probability == pytest.approx([w - total for w, _ in ranked[:3]], abs=1e-3)
    marginal = [
        sum(exp(w - total) for w, way in zip(weights, ways, strict=True) if way[slot])
        for slot in range(sentence.size + 1)
    ]
    assert commas.marginal == pytest.approx(marginal, abs=1e-4)


def test_commas_that_are_there_are_not_looked_at(sentences):
    model = CommaModel.fit(sentences["train"], CommaOptions(ends="bit", templates=TEMPLATES))
    bare = [replace(s, slots=((),) * s.choices) for s in sentences["dev"]]
    for with_commas, without_commas in zip(sentences["dev"], bare, strict=True):
        assert list(slot_features(with_commas, TEMPLATES)) == list(
            slot_features(without_commas, TEMPLATES)
        )
    some, none = model.encode(sentences["dev"]), model.encode(bare)
    assert all(np.array_equal(a, b) for a, b in zip(some.terms, none.terms, strict=True))


def test_a_rule_is_learnt(sentences, tmp_path: Path):
    settings = ["preset=model-3", "model.minimum_word_count=1", "train.learning_rate=0.1"]
    training = train(
        sentences["train"], sentences["dev"], tmp_path / "m", kind="commas", settings=settings
    )
    assert training.best["dev_f1"] == 1.0
    loaded = load(tmp_path / "m", CommaModel)
    assert loaded.digest
    restored = restore_commas(loaded, sentences["dev"])
    assert [restoration.slots for restoration in restored] == [s.slots for s in sentences["dev"]]
