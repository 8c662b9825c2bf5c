"""Formats, metrics, templates and kinds of other distributions are found by their names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from semipunct.errors import ConfigError
from semipunct.evaluation import METRICS, Result, read_result, write_result
from semipunct.evaluation.registry import find_metric
from semipunct.features.templates import TEMPLATES, find_template
from semipunct.formats import FORMATS, format_of, read_entries
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.registry import KINDS, find_kind
from semipunct.plugins import find_plugin, plugin_names
from semipunct.store.checkpoint import load, save
from semipunct.training.config import load_config
from tests.models.punctuation.cases import TRAINING

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed distributions, beside the modules of the examples."""
    before = dict(FORMATS), dict(METRICS), list(TEMPLATES)
    FORMATS.pop("lines", None)  # another test may have found it
    for folder in (EXAMPLES, tmp_path):
        monkeypatch.syspath_prepend(str(folder))
    yield tmp_path
    for registry, entries in zip((FORMATS, METRICS), before, strict=False):
        registry.clear()
        registry.update(entries)
    TEMPLATES[:] = before[2]


def install(site: Path, distribution: str, **groups: str) -> None:
    """Write the metadata of a distribution, with one line for each group."""
    folder = site / f"{distribution}-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    lines = (f"[semipunct.{group}]\n{line}\n" for group, line in groups.items())
    (folder / "entry_points.txt").write_text("\n".join(lines))


def test_nothing_is_installed_by_default():
    assert plugin_names("templates") == []
    assert find_plugin("kinds", "unigram", object) is None
    assert find_template("vowel") is None


def test_a_format_is_known_by_the_suffix_of_a_file(site: Path):
    path = site / "some.lines"
    path.write_text("“ Go , ” he said .\n", encoding="utf-8")
    assert format_of(path).name == "conllu"
    install(site, "lines", formats="lines = tests.formats.toy:LINES")
    (entry,) = read_entries([path])
    assert entry.content.slots[1] == (",", "”")


def test_a_metric_is_known_where_a_result_is_read(site: Path):
    install(site, "questions", metrics="questions = questions.metric:QuestionStatistics")
    from questions.metric import QuestionStatistics

    statistics = QuestionStatistics(asked=np.array([1, 0]), right=np.array([1, 1]))
    write_result(str(site / "a.json"), Result("rule", "task:questions|treebank:x", statistics))
    assert read_result(str(site / "a.json")).figures.as_dict()["accuracy"] == 1


def test_a_model_with_an_installed_template_is_saved_and_loaded(site: Path):
    install(site, "vowels", templates="vowel = vowel_template:VOWEL")
    config = load_config(
        None,
        ("model.templates=N,vowel", "model.minimum_token_count=1", "model.minimum_context_count=1"),
    )
    model = PunctuationModel.fit(TRAINING, config.model)
    save(site / "m", model, model.initial_parameters(0, 0.0), config)
    TEMPLATES.pop()  # as in another process
    again = load(site / "m", PunctuationModel).model
    extracted = [m.features.extract(TRAINING)["pair"].context for m in (model, again)]
    np.testing.assert_array_equal(*extracted)
    assert any("vowel" in c.templates for c in again.features.conjunctions)


def test_a_kind_is_known_by_its_name_and_its_models_are_loaded(site: Path):
    install(site, "unigram", kinds="unigram = unigram_model:KIND")
    kind = find_kind("unigram")
    assert kind.name == "unigram"
    assert kind.load().kind == "unigram"
    assert "unigram" not in KINDS
    config = load_config(kind="unigram")
    model = kind.load().fit(TRAINING, config.model)
    save(site / "m", model, model.initial_parameters(0, 0.0), config)
    assert load(site / "m").model.options == config.model


def test_what_cannot_be_used_is_named_with_its_distribution(site: Path):
    install(site, "bad", kinds="unigram = no_such_module:KIND", templates="vowel = json:loads")
    with pytest.raises(
        ConfigError,
        match=r"'unigram' of the group semipunct\.kinds, which bad 1\.0 registers as "
        r"no_such_module:KIND, cannot be loaded \(ModuleNotFoundError: .*\); repair or uninstall",
    ):
        find_kind("unigram")
    with pytest.raises(ConfigError, match=r"registers as json:loads, is a function, not a Templ"):
        find_template("vowel")
    assert find_template("N") is not None  # others are not affected
    install(site, "odd", metrics="odd = json:JSONDecoder", templates="x = vowel_template:VOWEL")
    with pytest.raises(ConfigError, match="'x' has the name 'vowel'"):
        find_template("x")
    with pytest.raises(ConfigError, match="'odd', registered as JSONDecoder, is no subclass of"):
        find_metric("odd")


def test_two_distributions_with_one_name(site: Path):
    install(site, "one", kinds="unigram = unigram_model:KIND")
    install(site, "two", kinds="unigram = other_model:KIND")
    with pytest.raises(ConfigError, match=r"is registered by one 1\.0 and two 1\.0; uninstall one"):
        find_kind("unigram")
