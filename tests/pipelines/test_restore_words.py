"""Restoration of words is optimal under the mean of model and parser."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semipunct.errors import ModelError, UsageError
from semipunct.models.parsing.options import ParserOptions
from semipunct.models.parsing.parser import Parser
from semipunct.pipelines import tree_restoration as task
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.parses import parse
from semipunct.pipelines.pipeline import Pipeline
from semipunct.pipelines.trained import InPlace
from semipunct.pipelines.tree_restoration import TEXT, default_share
from semipunct.store.checkpoint import load
from tests.models.parsing.treebank import planted


@pytest.fixture
def words() -> Any:
    return planted(4, 5)


def test_with_all_of_the_share_the_parser_decides(
    finished: Any, parser: Path, words: Any, monkeypatch: pytest.MonkeyPatch
):
    model, trees = load(finished.folder), load(parser)
    marks = [tuple((";",) for _ in s.slots) for s in words]

    def expected(*_: Any, **__: Any) -> Any:
        return [
            replace(one, slots=tuple(SlotPosterior((slot,), np.ones(1)) for slot in of))
            for one, of in zip(parse(trees, words), marks, strict=True)
        ]

    alone = Pipeline(model, parser=trees).restore(words, samples=20, share=0)
    monkeypatch.setattr(task, "parse", expected)
    again = Pipeline(model, parser=trees).restore(words, samples=20, share=0)
    assert [one.slots for one in again] == [one.slots for one in alone]
    found = Pipeline(model, parser=trees).restore(words, samples=20, share=1)
    assert [one.slots for one in found] == marks
    half = Pipeline(model, parser=trees).restore(words, samples=20, share=0.25)
    for one, before in zip(half, alone, strict=True):
        for known, own in zip(one.posteriors, before.posteriors, strict=True):
            assert known.of((";",)) == pytest.approx(0.25 + 0.75 * own.of((";",)))
    # A model that takes every tree for correct gets less than half of the weight.
    usual = Pipeline(model, parser=trees).restore(words, samples=20)
    for one, before in zip(usual, alone, strict=True):
        for known, own in zip(one.posteriors, before.posteriors, strict=True):
            assert known.of((";",)) == pytest.approx(0.6 + 0.4 * own.of((";",)))
    options = replace(model.model.options, templates=("N", "expected"))
    assert default_share(replace(model.model, options=options)) == 0.3
    # Whole draws are selected among those of the model.
    whole = Pipeline(model, parser=trees).restore(words, samples=20, minimise="draws")
    assert not any(known.of((";",)) == 1 for one in whole for known in one.posteriors)


def test_a_parser_that_expects_nothing_leaves_the_model_alone(
    finished: Any, parser: Path, words: Any, monkeypatch: pytest.MonkeyPatch
):
    model, trees = load(finished.folder), load(parser)
    monkeypatch.setattr(task, "parse", lambda *of, slots: parse(*of))
    found = Pipeline(model, parser=trees).restore(words, samples=20)
    alone = Pipeline(model, parser=trees).restore(words, samples=20, share=0)
    assert [one.slots for one in found] == [one.slots for one in alone]


def test_a_parser_that_reads_marks_restores_none(finished: Any, words: Any):
    model = load(finished.folder)
    reading = Parser.fit(words, ParserOptions(8, 8, 8, 2, 1, 8, 8, marks=True))
    parser = InPlace(reading, reading.initial_parameters(0, 0.0))
    with pytest.raises(ModelError, match=r"trained without model\.marks"):
        Pipeline(model, parser=parser).restore(words)


def test_nothing_is_put_into_an_orthographic_word(finished: Any, parser: Path, words: Any):
    model, trees = load(finished.folder), load(parser)
    shut = [
        replace(s, slots=((), (), *s.slots[2:]), closed=frozenset({1}))
        for s in words
        if len(s.forms) > 2
    ]
    assert shut
    views = [one.slots for one in parse(trees, shut, slots=True)]
    for one in Pipeline(model, parser=trees).restore(shut, samples=20, share=0.5):
        assert one.sentence.closed == {1}
        assert one.slots[1] == ()
        assert one.posteriors[1].of(()) == 1
    assert all(of[1].strings == ((),) for of in views)
    # Without that knowledge the parser expects marks there in some sentences.
    plain = parse(trees, [replace(s, closed=frozenset()) for s in shut], slots=True)
    assert any(one.slots[1].of(()) < 1 for one in plain)


@pytest.fixture
def certain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the distributions of text models: a semicolon with a probability of 0.4."""

    def views(_: Any, sentences: Any, options: Any) -> Any:
        known = SlotPosterior(((), (";",)), np.array([0.6, 0.4]))
        return [(known,) * len(s.slots) for s in sentences]

    monkeypatch.setattr(task, "text_views", views)


@pytest.mark.usefixtures("certain")
def test_a_text_model_takes_the_place_of_the_parsers_guess_in_a_text(
    finished: Any, parser: Path, text_model: Path, words: Any
):
    """In a treebank, whose style the parser knows, both guesses have the same weight."""
    model, trees, reader = load(finished.folder), load(parser), load(text_model)
    text = [replace(s, source="text", slots=((),) * len(s.slots)) for s in words]
    alone = Pipeline(model, parser=trees).restore(words, samples=20, share=0)
    guesses = [one.slots for one in parse(trees, words, slots=True)]
    for share, weight in ((0.25, 0.25), (1, 1), (None, TEXT)):
        for some, half in ((text, 0.0), (words, 0.5)):
            found = Pipeline(model, parser=trees, text_model=reader).restore(
                some, samples=20, share=share
            )
            for one, before, guess in zip(found, alone, guesses, strict=True):
                assert one.sentence.tree == before.sentence.tree
                for known, own, read in zip(one.posteriors, before.posteriors, guess, strict=True):
                    others = half * read.of((";",)) + (1 - half) * 0.4
                    mixed = weight * others + (1 - weight) * own.of((";",))
                    assert known.of((";",)) == pytest.approx(mixed, abs=1e-4)


@pytest.mark.usefixtures("certain")
def test_f1_is_the_objective_for_texts_and_edits_for_treebanks(
    finished: Any, parser: Path, text_model: Path, words: Any
):
    model, trees, reader = load(finished.folder), load(parser), load(text_model)
    sure = replace(reader, parameters={**reader.parameters, "threshold": np.float32(0.18)})

    def slots(some: Any, **settings: Any) -> set[Any]:
        found = Pipeline(model, parser=trees, text_model=sure).restore(
            some, samples=20, share=1, **settings
        )
        return {slot for one in found for slot in one.slots}

    text = [replace(s, source="text", slots=((),) * len(s.slots)) for s in words]
    assert slots(text, objective="edits") == {()}
    assert (";",) not in slots(words) == slots(words, objective="edits")
    assert (";",) in slots(text) & slots(words, objective="f1")
    assert slots(text, minimise="draws") == slots(words, minimise="draws")


@pytest.mark.usefixtures("certain")
def test_marks_that_stand_are_evidence_for_a_text_model(
    finished: Any, parser: Path, text_model: Path, words: Any
):
    """Its distributions are averaged in, unlike the parser's, which never sees marks."""
    model, trees, reader = load(finished.folder), load(parser), load(text_model)
    text = [replace(s, source="text") for s in words]
    assert any(any(s.slots) for s in text)
    found = Pipeline(model, parser=trees, text_model=reader).restore(text, samples=20, share=1)
    for one, sentence in zip(found, text, strict=True):
        for slot, known, stands in zip(one.slots, one.posteriors, sentence.slots, strict=True):
            assert slot == stands or not stands
            assert known.of((";",)) == pytest.approx(0.4)


@pytest.mark.usefixtures("certain")
def test_marks_that_may_be_wrong_are_evidence_for_draws_only(
    finished: Any, parser: Path, text_model: Path, words: Any, monkeypatch: pytest.MonkeyPatch
):
    """The text model does not see them, so its distributions would dilute the evidence."""
    model, trees, reader = load(finished.folder), load(parser), load(text_model)
    drawn = task.draw_punctuation

    def blind(model: Any, some: Any, options: Any, first: int) -> Any:
        return drawn(model, some, replace(options, keep="replace"), first)

    monkeypatch.setattr(task, "draw_punctuation", blind)
    settings: Any = {"samples": 20, "keep": "repair"}
    found = Pipeline(model, parser=trees, text_model=reader).restore(words, share=1, **settings)
    alone = Pipeline(model, parser=trees).restore(words, share=0, **settings)
    for one, other in zip(found, alone, strict=True):
        assert [k.strings for k in one.posteriors] == [k.strings for k in other.posteriors]


def test_options_of_a_text_model_are_checked(
    finished: Any, parser: Path, text_model: Path, words: Any
):
    model, trees, reader = load(finished.folder), load(parser), load(text_model)
    with pytest.raises(UsageError, match="objective is for a text model"):
        Pipeline(model, parser=trees).restore(words, objective="f1")
    with pytest.raises(UsageError, match="whole draws minimise edits"):
        Pipeline(model, parser=trees, text_model=reader).restore(
            words, objective="f1", minimise="draws"
        )
    with pytest.raises(ModelError, match="kind text is needed"):
        Pipeline(model, parser=trees, text_model=trees).restore(words)
