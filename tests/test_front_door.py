"""The names of ``import semipunct``: lazy, typed, documented; their behaviour and results."""

import inspect
import json
import re
import subprocess
import sys
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import typer

import semipunct
from semipunct.cli.app import app
from semipunct.errors import ModelError, UsageError
from semipunct.evaluation.comparison import Comparison, Difference
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.evaluation.results import Result, write_result
from semipunct.marks import Edit
from semipunct.models.punctuation import decode as inference
from semipunct.models.punctuation.decode import SlotAnalysis
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.papers.analysis.task import analyse
from semipunct.pipelines import correct as correcting
from semipunct.pipelines import decode as task
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.options import (
    CorrectOptions,
    CorrectSettings,
    ParseOptions,
    ParseSettings,
    RestoreOptions,
    RestoreSettings,
)
from semipunct.pipelines.trained import InPlace
from semipunct.training.report import TrainingResult
from tests.commands import run, sample_lines
from tests.models.punctuation.cases import sentence
from tests.trained import SETTINGS, Finished, Tiny

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
FUNCTIONS = sorted(name for name in semipunct.__all__ if name.islower())
SAMPLE = ROOT / "semipunct" / "data" / "sample.conllu"

# For each function, the arguments that it shares with its command; options for input and output
# (--json, --format, --output, --gold ...) belong to the command only.
COMMANDS = {
    "compare": ("a", "b", "resamples", "seed"),
    "correct": (
        "model", "inputs", "samples", "seed", "only", "min_confidence", "minimise", "analyses",
    ),
    "diff": ("a", "b"),
    "decode": ("model", "inputs", "semiring", "samples", "nbest", "seed"),
    "evaluate": ("model", "tests"),
    "explain": ("model", "left_out"),
    "parse": (
        "model", "inputs", "decoder", "seed", "trees", "nbest", "weight", "probabilities",
    ),
    "jackknife": ("files", "dev", "folds", "trees", "models", "config", "settings", "seed"),
    "restore": (
        "model", "inputs", "samples", "seed", "minimise", "marks", "min_confidence", "nbest",
        "keep", "mistaken", "trees", "parser_share", "lines", "lower", "objective",
    ),
    "stats": ("files",),
    "train": (
        "files", "dev", "out", "kind", "config", "settings", "channel", "seed", "resume", "force",
    ),
}  # fmt: skip
CALLED = {
    "files": "train", "out": "output", "treebanks": "sentences", "inputs": "sentences",
    "tests": "examples", "min_confidence": "minimum_confidence", "only": "marks",
    "parser_share": "share",
}  # fmt: skip


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


def test_each_name_is_that_of_its_room():
    assert sorted(semipunct._NAMES.modules) == semipunct.__all__
    assert set(semipunct.__all__) <= set(dir(semipunct))
    assert len(semipunct.__all__) == 32
    for name, room in semipunct._NAMES.modules.items():
        assert getattr(semipunct, name) is getattr(sys.modules[room], name)


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="module 'semipunct' has no attribute 'parser'"):
        getattr(semipunct, "parser")  # noqa: B009


def test_the_page_has_all_names_with_their_signatures():
    section = PAGE.split("## Functions and classes")[1].split("\n## ")[0]
    shown = dict(re.findall(r"^### `(\w+)(.*)`$", section, re.MULTILINE))
    assert sorted(shown) == semipunct.__all__
    for name in FUNCTIONS:
        parameters = inspect.signature(getattr(semipunct, name)).parameters.values()
        expected = [p.replace(annotation=p.empty) for p in parameters]
        signature = str(inspect.Signature(expected)).replace("'", '"')
        assert shown[name] == signature, name


def arguments_of(command: str) -> dict[str, Any]:
    """Return the parameters of a command, with their defaults."""
    group = typer.main.get_command(app)
    found = group.commands[command]  # type: ignore[attr-defined]
    return {p.name: p.default for p in found.params}


@pytest.mark.parametrize("name", COMMANDS)
def test_arguments_are_those_of_the_command(name: str):
    theirs = arguments_of(name)
    assert [p for p in theirs if p in COMMANDS[name]] == list(COMMANDS[name])
    ours = dict(inspect.signature(getattr(semipunct, name)).parameters)
    if name == "stats":
        assert list(ours) == ["files"]
        return
    if name in ("correct", "restore", "parse"):
        kind, settings = {
            "correct": (CorrectOptions, CorrectSettings),
            "restore": (RestoreOptions, RestoreSettings),
            "parse": (ParseOptions, ParseSettings),
        }[name]
        options = kind()
        defaults = {f.name: getattr(options, f.name) for f in fields(options)}
        assert list(defaults) == list(settings.__annotations__)
        called = {CALLED.get(p, p): theirs[p] for p in COMMANDS[name][2:]}
        assert called == defaults
        return
    called = [CALLED.get(p, p) for p in COMMANDS[name]]
    assert [p for p in ours if p in called] == called
    for p in COMMANDS[name][2:]:
        if p not in ("out", "settings", "dev"):
            assert ours[CALLED.get(p, p)].default == theirs[p], p


@pytest.fixture
def model(finished: Finished, loaded_once: None) -> Any:
    return semipunct.load(finished.folder)


def test_evaluating_a_folder_and_a_run(model: Any, finished: Finished, tiny: Tiny):
    found, again = (semipunct.evaluate(m, tiny.dev) for m in (model, finished.result))
    assert found.statistics.figures().perplexity == finished.result.best["dev_perplexity"]
    assert found.signature == again.signature


def test_decoding_and_analysing_are_what_the_commands_print(
    model: Any, finished: Finished, tmp_path: Path
):
    path = tmp_path / "three.conllu"
    path.write_text("".join(sample_lines()[24:27]), "utf-8")
    few = semipunct.read(path)
    first, *_ = found = semipunct.decode(model, few)
    assert [len(analyses) for analyses in found] == [1, 1, 1]
    assert first[0].sentence == few[0]
    told = json.loads(run("decode", finished.folder, path, "--format", "json").out.splitlines()[0])
    assert told.pop("word_ids")
    assert told.pop("schema") == "semipunct.decode/1"
    ours = first[0].as_dict()
    assert ours == told
    grammar = analyse(model).as_dict()
    printed = json.loads(run("analyse", finished.folder, "--json").out)
    assert {key: printed[key] for key in grammar} == grammar


def test_restoring(model: Any, tiny: Tiny):
    few = tiny.dev[:2]
    found = semipunct.restore(model, few, samples=20, nbest=1, seed=3)
    options = RestoreOptions(samples=20, nbest=1, seed=3)
    again = semipunct.restore(model, few, options)
    assert [one.slots for one in found] == [one.slots for one in again]
    assert [len(one.nbest) for one in found] == [1, 1]
    assert json.dumps(found[0].as_dict())
    with pytest.raises(UsageError, match="0 samples"):
        semipunct.restore(model, few, options, samples=0)


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
    assert semipunct.decode(nothing, tiny.dev, "sampling", samples=3) == [[]] * 12
    seeds = [task.part_seed(0, chunk) for chunk in range(3)]
    assert asked == [(5, 3, seeds[0]), (5, 3, seeds[1]), (2, 3, seeds[2])]
    with pytest.raises(UsageError, match="nbest"):
        semipunct.decode(nothing, tiny.dev, nbest=2)


def test_parts_and_seeds_share_no_random_numbers():
    derived = {task.part_seed(seed, part) for seed in range(20) for part in range(20)}
    assert len(derived) == 400
    assert task.part_seed(3, 7) == task.part_seed(3, 7)


def test_analyses_of_later_sentences_are_not_those_of_another_seed(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
):
    """Correction of sentences 5, 6, ... with seed 0 differs from that of 0, 1, ... with seed 5."""
    seeds: list[int] = []

    def analysed(_analysis: object, _sentences: object, _count: int, seed: int) -> Any:
        seeds.append(seed)
        raise InterruptedError

    reads_analyses = SimpleNamespace(model=SimpleNamespace(analysed=True))
    monkeypatch.setattr(correcting, "correction_model", lambda _: reads_analyses)
    monkeypatch.setattr(CorrectOptions, "check", lambda *_: None)
    monkeypatch.setattr(correcting, "add_written_trees", analysed)
    given: Any = SimpleNamespace()
    for seed, first in ((0, 5), (5, 0), (0, 5)):
        with pytest.raises(InterruptedError):
            correcting.correct(given, tiny.dev, analysis=given, first=first, seed=seed)
    assert seeds[0] == seeds[2] != seeds[1]


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


def scored(system: str, *log_p: float, model: str = "a") -> Result[PerplexityStatistics]:
    statistics = PerplexityStatistics(np.array(log_p), np.full(len(log_p), 5))
    return Result(system, f"task:perplexity|model:{model}|treebank:t|tokens:>=5", statistics)


def test_comparing_results_and_stored_ones(tmp_path: Path):
    a, b = scored("ours", -2.0, -3.0, -4.0), scored("theirs", -3.0, -5.0, -4.5, model="b")
    write_result(tmp_path / "b.json", b)
    found = semipunct.compare(a, tmp_path / "b.json", resamples=9, seed=1)
    assert found.as_dict() == semipunct.compare(a, b, resamples=9, seed=1).as_dict()
    assert found.differences[0].a == pytest.approx(np.exp(9 / 15))
    # Two of eight permutations are as extreme.
    assert found.differences[0].p == 0.25
    (tmp_path / "runs").mkdir()
    for number in range(2):
        write_result(tmp_path / "runs" / f"{number}.json", b)
    with pytest.raises(UsageError, match=r"A = ours has 1 run, B = .*runs has 2"):
        semipunct.compare(a, tmp_path / "runs")


def test_a_model_of_another_kind_is_refused(tiny: Tiny):
    from semipunct.papers.analysis.options import TaggerOptions
    from semipunct.papers.analysis.tagger import SlotTagger

    tagger = InPlace(SlotTagger.fit(tiny.train, TaggerOptions()), {})
    for ask in (semipunct.decode, analyse):
        with pytest.raises(ModelError, match="kind slot-tagger, but one of the kind punctuation"):
            ask(tagger, tiny.dev)
    with pytest.raises(ModelError, match="kind slot-tagger cannot restore; name a model of the"):
        semipunct.restore(tagger, tiny.dev)
    with pytest.raises(ModelError, match="kind slot-tagger, but one of the kind punctuation"):
        semipunct.restore_words(tagger, tagger, tiny.dev)
    for ask, kind in ((semipunct.parse, "parser"), (semipunct.segment, "tokeniser")):
        with pytest.raises(ModelError, match=f"kind slot-tagger, but a {kind} is needed"):
            ask(tagger, tiny.dev)


def test_from_text_to_text(model: Any, parser: Path, tokeniser: Path, finished: Finished):
    """These are the functions called by one command with all its options."""
    text = "so gu al ke so mo"
    (sentences,) = semipunct.segment(semipunct.load(tokeniser), [text])
    assert [s.text for s in sentences] == ["so gu al ke ", "so mo"]
    words = [s.content for s in sentences]
    parses = semipunct.parse(semipunct.load(parser), words)
    assert [one.sentence.size for one in parses] == [5, 2]
    found = semipunct.restore_words(model, semipunct.load(parser), words, samples=20)
    slots = [one.written for one in found]
    put = [s.punctuate(each) for s, each in zip(sentences, slots, strict=True)]
    options = ("--parser", parser, "--tokeniser", tokeniser)
    told = run(
        "restore", finished.folder, "-", *options, "--samples", 20, "--format", "text",
        stdin=text.encode(),
    )  # fmt: skip
    assert "".join(put) == told.out


def test_a_treebank_is_a_sequence_of_sentences():
    treebank = semipunct.read(SAMPLE)
    assert treebank[0] is treebank.sentences[0]
    assert treebank[-2:] == treebank.sentences[-2:]
    assert list(treebank) == list(treebank.sentences)
    both = semipunct.read(SAMPLE, SAMPLE)
    assert (len(both), both.projectivised) == (2 * 362, 6)
    assert semipunct.stats(SAMPLE, SAMPLE).words == 2 * 3713


BEES = replace(
    sentence([2, 0, 2], ["", ",", "", "."], ["nsubj", "root", "obl"]),
    sentence_id="bees",
    forms=("Bees", "navigate", "well"),
)
ANALYSIS = semipunct.Analysis(
    BEES,
    (((), (",",)), ((), (".",)), ((), ())),
    -4.5,
    -0.25,
    tuple(
        SlotAnalysis(slot, (Edit("keep", "^", ","),) * (i == 1), slot)
        for i, slot in enumerate((("^",), (",",), (), (".",)))
    ),
)
CERTAIN = SlotPosterior(((),), np.ones(1))
RESTORED = semipunct.Restoration(BEES, ((), (",",), (), (".",)), (CERTAIN,) * 4, ())
DIFFERENCE = Difference("perplexity", "perplexity per slot", 1.5, 1.25, 0.25, 0.125, 0.5, 0.0123)


@pytest.mark.parametrize(
    "value, shown",
    [
        (BEES, "<Sentence bees: Bees , navigate well .>"),
        (BEES.tree, "<DependencyTree of 3 words: 2 nsubj, 0 root, 2 obl>"),
        (
            ANALYSIS,
            "<Analysis log p(T', x | T) = -4.5000, log p(T' | T, x) = -0.2500: "
            "^ [ Bees , ] navigate well .>",
        ),
        (RESTORED, "<Restoration bees: Bees, navigate well.>"),
        (
            scored("ours", -2.0, -3.0),
            "<Result of ours: perplexity per slot 1.6487, log-likelihood (nats) -5.00, slots 10, "
            "sentences 2>",
        ),
        (
            Comparison(scored("a", -1.0), scored("b", -1.0), 1, 9, 0, 0.95, (DIFFERENCE,)),
            "<Comparison of a and b: perplexity per slot 1.5000 and 1.2500 (p = 0.012)>",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_results_are_shown(value: object, shown: str):
    assert repr(value) == shown


def test_analyses_and_restorations_are_printed_as_text():
    assert str(ANALYSIS) == "^ [ Bees , ] navigate well ."
    assert str(RESTORED) == RESTORED.as_dict()["text"] == "Bees, navigate well."
    assert ANALYSIS.as_dict()["nodes"][0] == {"word": 1, "left": [], "right": [","]}


def test_treebanks_and_counts_are_shown():
    assert repr(semipunct.read(SAMPLE)) == (
        "<Treebank: 362 sentences, 3,713 words; 0 sentences omitted, 3 made projective>"
    )
    assert repr(semipunct.stats(SAMPLE)) == (
        "<TreebankStatistics: 362 sentences and 0 omitted, 4,917 tokens, 24.5% punctuation, "
        "17 types, 51 punctemes, 180 pairs>"
    )


def test_models_and_runs_are_shown(model: Any, finished: Finished, tiny: Tiny):
    weights = sum(array.size for array in finished.result.parameters.values())
    best = finished.result.best["dev_perplexity"]
    assert repr(model) == (
        f"<punctuation model in {finished.folder}: {weights:,} weights, dev perplexity {best:.4f}>"
    )
    assert model.as_dict()["figures"]["dev_perplexity"] == best
    assert json.dumps(model.as_dict())
    assert repr(finished.result) == (
        f"<TrainingResult: punctuation, dev perplexity {best:.4f}, 48 visits>"
    )
    assert repr(model.model) == f"<PunctuationModel: {tiny.config.model}>"
    new = TrainingResult(model.model, {}, (), {}, 32, True, False, 1, 0.5, 0.5, 61.0)
    assert repr(new) == "<TrainingResult: punctuation, not evaluated, 32 visits, interrupted>"


def test_what_a_model_has_learnt_is_shown(model: Any):
    shown = repr(analyse(model))
    assert re.fullmatch(
        r"<PunctuationGrammar of no treebank: \d+ bigrams, mean reciprocal rank of Nunberg's rules "
        r"[01]\.\d{4}>",
        shown,
    )


def test_nothing_is_shown_at_length():
    words = 5000
    long = replace(
        sentence([0, *range(1, words)], [""] * (words + 1)), sentence_id="long", path="x"
    )
    silent = tuple(SlotAnalysis((), (), ()) for _ in range(words + 1))
    values = [
        long,
        long.tree,
        semipunct.Analysis(long, (((), ()),) * words, -1.0, -1.0, silent),
        semipunct.Restoration(long, long.slots, (CERTAIN,) * (words + 1), ()),
        semipunct.Treebank((long,), ()),
    ]
    assert max(len(repr(value)) for value in values) < 400
    assert str(long) in f"{long}"
    assert repr(long).endswith(" ...>")
