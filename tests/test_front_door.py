"""The names of ``import semipunct``: lazy, typed, documented; their behaviour and results."""

import subprocess
import sys
from dataclasses import fields
from functools import partial
from importlib import import_module
from inspect import getdoc, signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import semipunct
from semipunct import treebanks
from semipunct.errors import ModelError, UsageError
from semipunct.models.punctuation import decode as inference
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.papers.analysis.task import analyse
from semipunct.pipelines import decoding as task
from semipunct.pipelines.options import Keep, RestoreOptions
from semipunct.pipelines.trained import InPlace
from tests.trained import SETTINGS, Finished, Tiny

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "semipunct" / "data" / "sample.conllu"

# For each function, the arguments that it shares with its command; options for input and output
# (--json, --format, --output, --gold ...) belong to the command only.


def loaded_after(statement: str) -> set[str]:
    """Return the modules loaded in a new process after a statement."""
    script = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_loads_none_of_it():
    loaded = loaded_after("import semipunct; dir(semipunct)")
    assert {name for name in loaded if name.startswith("semipunct")} == {
        "semipunct",
        "semipunct.installation",
        "semipunct.lazy",
        "semipunct.version",
    }
    assert not {"jax", "numpy", "scipy", "optax", "typer", "msgspec"} & loaded


def test_reading_waits_for_no_jax():
    loaded = loaded_after(f"import semipunct; assert len(semipunct.read({str(SAMPLE)!r})) == 362")
    assert not {"jax", "optax", "safetensors"} & loaded


def test_restoring_text_waits_for_no_other_kind_of_model():
    loaded = loaded_after("import semipunct.pipelines.running_text, semipunct.pipelines.pipeline")
    others = (
        "models.punctuation.model",
        "models.parsing.parser",
        "inference.decode",
        "pipelines.criteria",
    )
    assert "semipunct.models.running_text.model" in loaded
    assert not {f"semipunct.{name}" for name in others} & loaded


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="module 'semipunct' has no attribute 'parser'"):
        getattr(semipunct, "parser")  # noqa: B009


@pytest.fixture
def model(finished: Finished, loaded_once: None) -> Any:
    return semipunct.load(finished.folder)


def test_evaluating_a_folder_and_a_run(model: Any, finished: Finished, tiny: Tiny):
    found, again = (semipunct.evaluate(m, tiny.dev) for m in (model, finished.result))
    assert found.statistics.figures().perplexity == finished.result.best["dev_perplexity"]
    assert found.signature == again.signature


def test_draws_are_those_of_the_command(tiny: Tiny, monkeypatch: pytest.MonkeyPatch):
    """Chunks have equal size and separate seeds, so that functions and commands draw the same."""
    asked: list[tuple[int, int, int]] = []

    def sample(_m: object, _p: object, sentences: Any, samples: int, seed: int) -> Any:
        asked.append((len(sentences), samples, seed))
        return [[] for _ in sentences]

    monkeypatch.setattr(inference, "sample", sample)
    monkeypatch.setattr(task, "CHUNK", 5)
    fitted = PunctuationModel.fit(tiny.train, tiny.config.model)
    nothing = InPlace(fitted, {})
    pipeline = semipunct.Pipeline(nothing)
    assert pipeline.decode(tiny.dev, semiring="sampling", samples=3) == [[]] * 12
    seeds = [task.part_seed(0, chunk) for chunk in range(3)]
    assert asked == [(5, 3, seeds[0]), (5, 3, seeds[1]), (2, 3, seeds[2])]
    with pytest.raises(UsageError, match="nbest"):
        pipeline.decode(tiny.dev, nbest=2)


def test_parts_and_seeds_share_no_random_numbers():
    derived = {task.part_seed(seed, part) for seed in range(20) for part in range(20)}
    assert len(derived) == 400
    assert task.part_seed(3, 7) == task.part_seed(3, 7)


def test_training(tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Settings are those of the command; the loop is tested separately."""
    module = import_module("semipunct.training.train")
    given: dict[str, Any] = {}

    def trainer(config: Any, place: Path, *arguments: Any) -> Any:
        def run(*examples: Any) -> Any:
            given.update(config=config, examples=examples, arguments=arguments)
            return SimpleNamespace(interrupted=True)

        return SimpleNamespace(run=run)

    monkeypatch.setattr(module, "Trainer", trainer)
    settings = [text for text in SETTINGS if "seed" not in text]
    folder, near = tmp_path / "m", cast(Any, object())
    semipunct.train(tiny.train, tiny.dev, folder, settings=settings, seed=3, near=near)
    assert given["config"] == tiny.config
    assert given["examples"] == (tiny.train, tiny.dev, False)
    assert near in given["arguments"]
    assert "semipunct train" not in given["arguments"]
    semipunct.train(tiny.train, tiny.dev, folder, config=tiny.config, command="semipunct train")
    assert given["config"] is tiny.config
    assert "semipunct train" in given["arguments"]
    semipunct.train(tiny.train, tiny.dev, folder, kind="slot-tagger", settings=["preset=crf"])
    assert given["config"].kind.name == "slot-tagger"
    wrong: Any
    for wrong in ({"seed": 3}, {"settings": settings}, {"kind": "parser"}, {"channel": "l2r"}):
        with pytest.raises(UsageError, match="config holds all settings"):
            semipunct.train(tiny.train, tiny.dev, folder, config=tiny.config, **wrong)


def test_a_model_of_another_kind_is_refused(tiny: Tiny):
    from semipunct.papers.analysis.options import TaggerOptions
    from semipunct.papers.analysis.tagger import SlotTagger

    tagger = InPlace(SlotTagger.fit(tiny.train, TaggerOptions()), {})
    pipeline = semipunct.Pipeline(tagger, parser=tagger, tokeniser=tagger)
    for ask in (pipeline.decode, partial(analyse, tagger)):
        with pytest.raises(ModelError, match="kind slot-tagger, but one of the kind punctuation"):
            ask(tiny.dev)
    for ask, name in ((pipeline.restore, "restore"), (pipeline.parse, "parse")):
        with pytest.raises(ModelError, match=f"kind slot-tagger cannot {name}; name a model of"):
            ask(tiny.dev)
    with pytest.raises(ModelError, match="kind slot-tagger, but a tokeniser is needed"):
        pipeline.segment("so it ran")


@pytest.fixture(scope="module")
def english() -> Any:
    return semipunct.load("en")


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda nlp: nlp("so", kep="keep"), "restore has no option kep; did you mean 'keep'?"),
        (lambda nlp: nlp("so", parser="p"), "give it to load: semipunct.load(MODEL, parser=...)"),
        (lambda nlp: nlp("so", x_y_z=1), "its options are case, keep, lines, marks"),
        (lambda nlp: nlp("so", keep="all"), "keep of restore is 'all'; give replace or repair or"),
        (
            lambda nlp: nlp("so", samples="9"),
            "samples of restore is '9'; expected `int`",
        ),
        (lambda nlp: nlp(["so", "it"]), "takes one text; for several call pipe(texts, 'restore')"),
        (lambda nlp: nlp.correct(5), "a text or a list of sentences, and this is of the type int"),
        (lambda nlp: next(nlp.pipe(["so"], "correct", keep="keep")), "correct has no option keep"),
        (lambda nlp: nlp.decode("so"), "decode reads sentences with trees"),
    ],
)
def test_first_guesses_are_answered_in_a_line(english: Any, call: Any, message: str):
    with pytest.raises(UsageError) as caught:
        call(english)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_pipeline_says_what_it_is_and_takes(english: Any, finished: Finished):
    assert repr(english).startswith("<Pipeline en/text for English: text")
    assert repr(english).endswith("6,302,859 weights, trained for 60,009 visits>")
    in_memory = semipunct.Pipeline(finished.result)
    assert "a run: punctuation; " in repr(in_memory)
    assert in_memory.digest == semipunct.load(finished.folder).digest != english.digest
    with pytest.raises(UsageError, match="load the folder of its run"):
        _ = in_memory.config
    keywords = signature(english.restore).parameters
    assert list(keywords)[1:] == [field.name for field in fields(RestoreOptions)]
    assert keywords["keep"].annotation == Keep | None
    told = str(getdoc(english.restore))
    assert "minimum_confidence: Leave slots with less probable marks empty." in told
    assert english("so he left", marks=". ,") == english.restore("so he left", marks={",", "."})


def test_texts_are_explained_by_the_part_that_is_written(english: Any):
    text = "It was late, but we stayed.\nDo you know him.\n"
    kept, wrong = english.explain(text)
    assert str(kept.text) + str(wrong.text) == english.correct(text)
    assert [mark.decision for mark in wrong.text.marks] == ["replaced"]
    assert english.explain(text, restore=True)[1].text == "Do you know him.\n"


def test_the_names_are_few():
    assert len(semipunct.__all__) <= 22
    assert {"load", "read", "train", "evaluate", "compare"} <= {*semipunct.__all__}
    assert "suspects" in treebanks.__all__
    assert {*treebanks.__all__} <= {*dir(treebanks)}


def test_a_treebank_is_a_sequence_of_sentences():
    treebank = semipunct.read(SAMPLE)
    assert treebank[0] is treebank.sentences[0]
    assert treebank[-2:] == treebank.sentences[-2:]
    assert list(treebank) == list(treebank.sentences)
    both = semipunct.read(SAMPLE, SAMPLE)
    assert (len(both), both.projectivised) == (2 * 362, 6)
    assert treebanks.stats(SAMPLE, SAMPLE).words == 2 * 3713
