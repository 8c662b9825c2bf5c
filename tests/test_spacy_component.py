"""The component of spaCy's pipelines: attributes, tokens, batches, options, storage."""

from __future__ import annotations

import json
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semipunct
from semipunct.errors import ModelError, UsageError
from semipunct.pipelines.marked_text import places_in_source

pytest.importorskip("spacy", reason="the extra spacy is not installed")
import spacy
from spacy.tokens import Doc, DocBin

from semipunct.spacy_component import Punctuator, create_punctuator

ROOT = Path(__file__).resolve().parents[1]
QUESTION = "where is the station i have lost my map , who had lost her map"


def pipeline(**config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("semipunct", config=config)
    return nlp


@pytest.fixture(scope="module")
def english() -> Any:
    return semipunct.load("en")


@pytest.fixture(scope="module")
def nlp() -> Any:
    return pipeline()


def test_the_entry_point_is_the_factory():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    (name, value), *others = groups["spacy_factories"].items()
    assert not others
    assert name == "semipunct"
    assert EntryPoint(name, value, "spacy_factories").load() is create_punctuator


def test_text_and_marks(nlp: Any, english: Any):
    doc = nlp(QUESTION)
    text = english.restore(QUESTION)
    assert doc._.punctuated == text == "Where is the station? asked Anna , who had lost her map."
    assert [m["reason"] for m in doc._.marks] == [m.reason for m in text.marks]
    assert [m["probability"] for m in doc._.marks] == [m.probability for m in text.marks]
    inserted = [(m["token"], m["after"]) for m in doc._.marks if m["decision"] == "inserted"]
    assert inserted == [(3, "?"), (11, ".")]
    assert (doc[3].text, doc[11].text) == ("station", "map")
    assert [(m["token"], m["after"]) for m in doc._.marks if m["decision"] == "kept"] == [(5, ",")]


def test_tokens_stay(nlp: Any):
    words = ["Hello", ",", "world", " ", "how", "are", "you", "\n", "😀"]
    doc = Doc(nlp.vocab, words=words, spaces=[False, True, *[False] * 7])
    before = [(token.text, token.whitespace_, token.idx) for token in doc]
    assert [(token.text, token.whitespace_, token.idx) for token in nlp(doc)] == before


@given(
    texts=st.lists(
        st.text(st.sampled_from([*"ab,. \n\r\t😀ß\u2028"]), max_size=12),
        max_size=6,
    )
)
@settings(max_examples=6, deadline=None)
def test_batches_are_single_documents(nlp: Any, texts: list[str]):
    docs = list(nlp.pipe(texts, batch_size=4))
    assert [doc.text for doc in docs] == texts
    for doc, text in zip(docs, texts, strict=True):
        alone = nlp(text)
        assert (doc._.punctuated, doc._.marks) == (alone._.punctuated, alone._.marks)
        assert all(m["token"] is None or 0 <= m["token"] < len(doc) for m in doc._.marks)


def test_stored_documents_have_the_attributes(nlp: Any):
    doc = nlp(QUESTION)
    (from_bin,) = DocBin(store_user_data=True, docs=[doc]).get_docs(nlp.vocab)
    for stored in (from_bin, Doc(nlp.vocab).from_bytes(doc.to_bytes())):
        assert stored._.punctuated == doc._.punctuated
        # spaCy makes tuples of some lists.
        assert json.loads(json.dumps(stored._.marks)) == doc._.marks


def test_correction_and_options(english: Any):
    wrong = "However I think its fine"
    corrected = pipeline(task="correct", options={"marks": [","], "minimum_confidence": 0.6})(wrong)
    expected = english.correct(wrong, marks=frozenset({","}), minimum_confidence=0.6)
    assert corrected._.punctuated == expected == "However, I think its fine"
    replaced = pipeline(options={"keep": "replace", "lines": "none"})
    texts = ["he came, late", "and left"]
    expected = [english.restore(text, keep="replace", lines="none") for text in texts]
    assert [doc._.punctuated for doc in replaced.pipe(texts)] == expected


@pytest.mark.parametrize(
    "config, message",
    [
        ({"options": {"kep": "keep"}}, "restore has no option kep; did you mean keep?"),
        ({"options": {"keep": "all"}}, "an option of restore has a wrong value.*'all'"),
        ({"task": "correct", "helpers": {"parser": "a"}}, "reads no other model; leave out parser"),
    ],
)
def test_wrong_options(config: dict[str, Any], message: str):
    with pytest.raises(UsageError, match=message):
        pipeline(**config)


def test_an_unknown_model():
    with pytest.raises(ModelError, match="xx: there is no such folder"):
        pipeline(model="xx")("hello")


def test_stored_pipelines(nlp: Any, english: Any, tmp_path: Path):
    nlp.to_disk(tmp_path / "by-name")
    loaded = spacy.load(tmp_path / "by-name")
    assert loaded(QUESTION)._.punctuated == nlp(QUESTION)._.punctuated
    saved = tmp_path / "by-name/semipunct/models.json"
    assert sorted(path.name for path in saved.parent.iterdir()) == ["models.json"]
    saved.write_text(saved.read_text().replace(english.digest, "0" * 64))
    with pytest.warns(UserWarning, match="en is another version of the model"):
        spacy.load(tmp_path / "by-name")
    saved.write_text("[]")
    with pytest.raises(ModelError, match=r"models\.json: missing or damaged"):
        spacy.load(tmp_path / "by-name")


def test_a_model_of_ones_own_is_stored_with_the_pipeline(english: Any, tmp_path: Path):
    from shutil import copytree

    copytree(english.path, tmp_path / "model")
    Punctuator("restore", {"model": str(tmp_path / "model")}).to_disk(tmp_path / "stored")
    (tmp_path / "model").rename(tmp_path / "moved")
    component = Punctuator("restore", {"model": str(tmp_path / "model")})
    component.from_disk(tmp_path / "stored")
    doc = component(spacy.blank("en").make_doc("hello how are you"))
    assert doc._.punctuated == english.restore("hello how are you")


def test_places_in_the_source():
    source, text = "a b , c", "A, b c."
    assert places_in_source(source, text, [0, 1, 3, 4, 6, 7]) == [0, 1, 2, 3, 7, 7]
    assert places_in_source("", ".", [0, 1]) == [0, 0]
