"""Valid inputs to damage (sentences, models, stored results), and state shared between cases."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, wraps
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from unittest import mock

import jax.numpy as jnp
import numpy as np

from fuzzing.brackets import PHRASES
from fuzzing.commands import run
from semipunct.corpus.sentences import Written
from semipunct.corpus.synthetic import english_learner_errors, erroneous
from semipunct.formats import read_treebank
from semipunct.formats.examples import read_examples
from semipunct.models.registry import find_kind
from semipunct.store import checkpoint
from semipunct.store.card import model_card
from semipunct.training.config import Config, load_config
from semipunct.training.run import Run, Sources

SHORT = 12
"""Maximum number of words and punctuation tokens in a sampled sentence."""

KINDS: dict[str, tuple[str, ...]] = {
    "punctuation": ("model.templates=N,history", "model.minimum_token_count=2"),
    "slot-tagger": (
        "model.word=4", "model.suffix=3", "model.tag=3", "model.xpos=3", "model.hidden=5",
    ),
    "correction": ("model.templates=N,written,history", "model.minimum_token_count=2"),
    "ordering": (),
    "commas": (
        "model.templates=words,tags,counts,phrases", "model.ends=bit", "model.tags=true",
        "model.minimum_feature_count=1", "model.minimum_word_count=1",
    ),
    "phrase-commas": ("model.minimum_feature_count=1",),
    "phrase-parser": (
        "model.word=4", "model.ngram=4", "model.hidden=4", "model.layers=1", "model.span=4",
        "model.minimum_word_count=1", "model.minimum_ngram_forms=1",
    ),
    "ccg-parser": ("model.size=4", "model.layers=1", "model.minimum_count=1"),
}  # fmt: skip
"""The kinds of models to damage, with settings that keep them small."""

KEPT = 4
"""Number of models kept in memory; those applied to many treebanks come first."""

ODD = """\
# newdoc id = d
# sent_id = odd-1
# text = "Vámonos," del Dr. dijo.
1	"	"	PUNCT	``	_	2	punct	2:punct	SpaceAfter=No
2-3	Vámonos	_	_	_	_	_	_	_	SpaceAfter=No
2	Vamos	ir	VERB	VB	Mood=Imp|Number=Plur	0	root	0:root	_
3	nos	yo	PRON	PRP	Case=Acc	2	obj	2:obj|6.1:x	_
4	,	,	PUNCT	,	_	2	punct	2:punct	SpaceAfter=No
5	"	"	PUNCT	''	_	2	punct	2:punct	_
6-7	del	_	_	_	_	_	_	_	_
6	de	de	ADP	IN	_	8	case	8:case	_
6.1	el	el	DET	DT	_	_	_	8:det	CopyOf=7
7	el	el	DET	DT	Definite=Def	8	det	8:det	Gloss=the%20|a=b=c
8	Dr.	doctor	NOUN	NN	_	2	nsubj	2:nsubj	_
# within
9	dijo	decir	VERB	VBD	_	2	parataxis	2:parataxis	SpaceAfter=No
10	.	.	PUNCT	.	_	2	punct	2:punct	_

1	(	(	PUNCT	-LRB-	_	3	punct	_	_
2	"	"	PUNCT	_	_	3	punct	_	_
3	a	a	X	FW	_	0	root	_	_
4	"	"	PUNCT	_	_	3	punct	_	_
5	)	)	PUNCT	-RRB-	_	3	punct	_	_

"""
"""Sentences with all features of the format."""


@dataclass(frozen=True, slots=True)
class Material:
    """Valid inputs.

    Attributes:
        sentences: short sentences in CoNLL-U.
        derivations: derivations in the format of CCGbank, each with its ID line.
        folders: files of model folders except their state, by kind.
        states: files of a folder with an unfinished training run.
        paths: paths of these folders, by kind.
        models: models of these folders.
        results: stored results, by task.
        fresh: a training run at its start, for the state.
        sources: sources of the sentences of the models.
        treebank: a file of valid sentences.
        files: training files of each kind of model, by kind.
        examples: training examples read from these files, by kind.
    """

    sentences: tuple[str, ...]
    derivations: tuple[str, ...]
    folders: Mapping[str, Mapping[str, bytes]]
    states: Mapping[str, bytes]
    paths: Mapping[str, Path]
    models: Mapping[str, checkpoint.SavedModel]
    results: Mapping[str, bytes]
    fresh: Run
    sources: Sources
    treebank: Path
    files: Mapping[str, Path]
    examples: Mapping[str, Sequence[Any]]

    @classmethod
    def made(cls, folder: Path) -> Material:
        """Create all inputs in a folder; weights are random, nothing is trained."""
        text = resources.files("semipunct.data").joinpath("sample.conllu").read_text("utf-8")
        blocks = [block + "\n\n" for block in text.strip().split("\n\n")]
        short = [b for b in blocks if b.count("\n") <= SHORT]
        treebank = folder / "sound.conllu"
        treebank.write_text("".join(short[:3]), "utf-8")
        learnt = folder / "learnt.conllu"
        learnt.write_text("".join(blocks[:60]), "utf-8")
        sentences = read_treebank([learnt]).sentences
        sources = Sources.of(sentences, sentences[:5])
        files = _files_by_kind(folder, learnt)
        examples = {kind: _examples(kind, path) for kind, path in files.items()}
        paths = {kind: folder / kind for kind in KINDS}
        fresh: dict[str, Run] = {}
        for kind, settings in KINDS.items():
            learning = examples[kind]
            sources_of_kind = sources if files[kind] == learnt else Sources.of(learning, learning)
            config = load_config(None, settings, {}, kind)
            fresh[kind] = _save(paths[kind], config, learning, sources_of_kind)
        _save(folder / "state", load_config(None, KINDS["punctuation"]), sentences, sources, True)
        models = {kind: checkpoint.load(path) for kind, path in paths.items()}
        result_files = {}
        for task, options in (("evaluate", ()), ("restore", ("--gold", "--samples", "3"))):
            path = folder / f"{task}.json"
            command = [task, str(paths["punctuation"]), str(treebank), *options]
            finished = run([*command, "--result", str(path)])
            if finished.status:
                raise RuntimeError(f"{' '.join(command)}: {finished.err}{finished.fault}")
            result_files[task] = path.read_bytes()
        return cls(
            (ODD, *short),
            tuple(re.findall(r"ID=.*\n.*\n", files["ccg-parser"].read_text("utf-8"))),
            {kind: _files(path) for kind, path in paths.items()},
            _files(folder / "state"),
            paths,
            models,
            result_files,
            fresh["punctuation"],
            sources,
            treebank,
            files,
            examples,
        )


def _files_by_kind(folder: Path, learnt: Path) -> dict[str, Path]:
    """Write training files for models of phrases and of derivations, next to the treebank."""
    phrases, derivations = folder / "sound.mrg", folder / "sound.auto"
    phrases.write_text(PHRASES, "utf-8")
    finished = run(["normalise", str(phrases), "--to", "ccg", "-o", str(derivations)])
    if finished.status:
        raise RuntimeError(f"normalise: {finished.err}{finished.fault}")
    files = dict.fromkeys(KINDS, learnt)
    files |= dict.fromkeys(("commas", "phrase-commas", "phrase-parser"), phrases)
    return files | {"ccg-parser": derivations}


def _examples(kind: str, path: Path) -> Sequence[Any]:
    if kind != "correction":
        return read_examples(find_kind(kind).examples, [str(path)])
    right = read_treebank([path]).sentences
    written = erroneous(right, english_learner_errors(), 0)
    return [
        replace(sentence, written=Written(erroneous.slots))
        for sentence, erroneous in zip(right, written, strict=True)
    ]


def _save(
    path: Path,
    config: Config,
    sentences: Sequence[Any],
    sources: Sources,
    unfinished: bool = False,
) -> Run:
    model = config.kind.load().fit(sentences, config.model)
    weights = {n: jnp.asarray(w) for n, w in model.initial_parameters(3, 0.3).items()}
    run_to_save = Run(weights, model.optimiser(config.train, 10, 10.0).init(weights), visits=48)
    entry: dict[str, Any] = {"visits": 48, "dev_perplexity": 2.0, "dev_perplexity_of_scorable": 2.0,
             "dev_unscorable": 0}  # fmt: skip
    entry.setdefault(f"dev_{config.kind.criterion.name}", 0.5)
    run_to_save.metrics, run_to_save.best_figures = [entry], entry
    figures = run_to_save.figures(finished=not unfinished)
    figures["seconds"] = 1.0
    checkpoint.save(
        path,
        model,
        {name: np.asarray(weight) for name, weight in weights.items()},
        config,
        figures=figures,
        metrics=run_to_save.metrics,
        card=model_card(model, config, sources.train, sources.development, figures, ""),
        state=run_to_save.state(sources) if unfinished else None,
    )
    return run_to_save


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@contextmanager
def shared() -> Generator[None, None, None]:
    """Share slow computations between cases: one padded shape, and loaded models.

    An unchanged folder yields the same model object again, with its compiled functions. A server
    ends as soon as it would listen.
    """
    load = checkpoint.load
    loaded: dict[Any, checkpoint.SavedModel] = {}

    @wraps(load)
    def load_once(path: str | Path, expected: type[Any] | None = None) -> checkpoint.SavedModel:
        files = sorted((p.name, p.stat().st_mtime_ns) for p in Path(path).glob("*") if p.exists())
        key = (str(path), tuple(files))
        cached = loaded.get(key)
        if cached is None or not isinstance(cached.model, expected or object):
            cached = load(path, expected)
            if expected is None and len(loaded) < KEPT:
                loaded[key] = cached
        return cached

    with (
        mock.patch.object(checkpoint, "load", load_once),
        # Installed plugins and available commands do not change between cases.
        _computed_once("semirings.plugins.available"),
        _computed_once("typer.main.get_command"),
        mock.patch("uvicorn.run") if find_spec("uvicorn") else nullcontext(),
    ):
        yield


def _computed_once(name: str) -> Any:
    return mock.patch(name, cache(resolve_name(name)))


def warm(material: Material) -> None:
    """Compile the functions that cases need, so that no case has to wait for it."""
    used, tagger = (str(material.paths[kind]) for kind in ("punctuation", "slot-tagger"))
    corrector = str(material.paths["correction"])
    treebank = str(material.treebank)
    for path in (used, tagger, corrector):
        checkpoint.load(path)
    for command in (
        ["evaluate", used, treebank],
        ["evaluate", tagger, treebank],
        ["decode", used, treebank],
        ["restore", used, treebank, "--samples", "3"],
        ["analyse", used, treebank],
        ["correct", corrector, treebank, "--samples", "3"],
        ["rephrase", used, treebank, "--delete", "det"],
    ):
        run(command)
