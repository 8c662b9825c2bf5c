"""A correction experiment: the data shared by all systems, and systems that require training."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from models import trained
from parsers import parsed_treebank
from tables import stored
from treebanks import sentences

from correcting import checkers, systems
from correcting.data import (
    Pairs,
    learnt_from,
    of_learners,
    only_right,
    only_written,
    with_errors,
)
from correcting.systems import System
from semipunct.corpus import Sentence
from semipunct.corpus.examples import parallel_digest
from semipunct.evaluation.correction import correction_statistics
from semipunct.evaluation.restoration import Slots
from semipunct.evaluation.results import Result, join_signature
from semipunct.models.kind import Config
from semipunct.models.punctuation.corrector import CorrectionModel
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.papers.analysis.tagger import SlotTagger
from semipunct.pipelines.trained import Trained
from semipunct.pipelines.tree_correction import add_written_trees
from semipunct.store.checkpoint import SavedModel, load
from semipunct.training.config import load_config

SYSTEMS = (
    "nothing",
    "restoration",
    "repair",
    "bilstm-restoration",
    "bilstm-correction",
    "paper-restoration",
    "paper",
    "correction-gold",
    "least-risk",
    "correction",
    "text",
    "languagetool",
    "harper",
)

WITHOUT_TREES = {"nothing", "text", "languagetool", "harper"}
"""The systems that read words and marks alone."""

PAPER = (
    "model.templates=N,W,A,C,L,R,S,c",
    "model.tied=false",
    "model.hard_sets=true",
    "model.minimum_pair_count=1",
    "train.xi=1.0",
    "train.visits=12000",
)
"""The model of the paper, with its number of visits but the default schedule, since the paper's
does not converge (docs/decisions/training.md).
"""


class Learning(NamedTuple):
    """Correct training and development sentences annotated with a written version."""

    training: Sequence[Sentence]
    dev: Sequence[Sentence]

    def seen_by(self, view: Callable[[Sequence[Sentence]], list[Sentence]]) -> Learning:
        return Learning(view(self.training), view(self.dev))


class Material(NamedTuple):
    """Sentences for training, by kind of trees, and to correct, by name."""

    learning: Mapping[str, Learning]
    data: Mapping[str, Pairs]


class Run(NamedTuple):
    """The edits of one run of a system, from the written text and from bare words."""

    edits: Result[Any]
    bare: Result[Any]


@dataclass(frozen=True)
class Experiment:
    """The data shared by all systems, and the results."""

    arguments: argparse.Namespace

    @property
    def models(self) -> Path:
        folder: Path = self.arguments.models / self.arguments.name
        return folder

    @property
    def names(self) -> Sequence[str]:
        return ["drawn", *["learners"] * (self.arguments.jfleg is not None)]

    @cached_property
    def material(self) -> Material:
        """The treebank with errors, parsed; computed only if a result is missing."""
        arguments, first = self.arguments, self.arguments.first
        training, dev = sentences(arguments)
        seed, dev_seed = arguments.errors_seed, arguments.dev_errors_seed

        def learning(training: Sequence[Sentence], dev: Sequence[Sentence]) -> Learning:
            return Learning(learnt_from(training, seed), learnt_from(dev, dev_seed))

        if WITHOUT_TREES.issuperset(arguments.systems):
            return Material({}, self._data(dev[:first], None))
        treebank = parsed_treebank(arguments, training, dev, self.models, first)
        gold = learning(training[:first], dev[:first])
        parsed = learning([*training[:first], *treebank.training], treebank.dev)
        data = self._data(treebank.dev, treebank.committee[0])
        return Material({"gold": gold, "parsed": parsed}, data)

    def _data(self, dev: Sequence[Sentence], parser: Trained[Any] | None) -> dict[str, Pairs]:
        arguments = self.arguments
        data: dict[str, Pairs] = {"drawn": with_errors(dev, arguments.dev_errors_seed)}
        if arguments.jfleg:
            data["learners"] = of_learners(arguments.jfleg, parser, arguments.first)
        return data

    def system(self, name: str, seed: int) -> System:
        match name:
            case "nothing":
                return systems.nothing
            case "restoration":
                return partial(systems.restoration, self.restorer(seed))
            case "repair":
                return partial(systems.repair, self.restorer(seed))
            case "bilstm-restoration":
                return partial(systems.bilstm_restoration, self.tagger("crf", seed))
            case "bilstm-correction":
                return partial(systems.bilstm_correction, self.tagger("correction", seed))
            case "paper-restoration":
                return partial(systems.restoration, self.paper_restorer(seed))
            case "paper":
                return partial(systems.paper, *self.paper(seed))
            case "text":
                model = load(self.arguments.text)
                return partial(systems.text, model, confidence=self.arguments.confidence)
            case "languagetool":
                return partial(checkers.checked, checkers.languagetool())
            case "harper":
                return partial(checkers.checked, checkers.harper())
            case "correction-gold":
                return partial(systems.correction, self.corrector("gold", seed))
            case "least-risk":
                return partial(systems.least_risk, self.corrector("parsed", seed))
            case _:
                return partial(systems.correction, self.corrector("parsed", seed))

    def restorer(self, seed: int) -> SavedModel[PunctuationModel]:
        """Return the restoration model that ``parsed_text.py`` trains."""
        config = self._config("punctuation", seed, "preset=parsed")
        data = self.material.learning["parsed"].seen_by(only_right)
        return trained(config, *data, self.models / f"parsed-{seed}", PunctuationModel)

    def tagger(self, preset: str, seed: int) -> SavedModel[SlotTagger]:
        """Return a recurrent tagger, preset ``crf`` or ``correction``."""
        data = self.material.learning["parsed"]
        visits = self.arguments.epochs * len(self.material.learning["gold"].training)
        config = self._config("slot-tagger", seed, f"preset={preset}", f"train.visits={visits}")
        place = self.models / f"parsed-bilstm-{preset}-{seed}"
        of = data if preset == "correction" else data.seen_by(only_right)
        return trained(config, *of, place, SlotTagger)

    def corrector(self, trees: str, seed: int) -> SavedModel[CorrectionModel]:
        preset = ["preset=parsed-correction"] * (trees == "parsed")
        config = self._config("correction", seed, *preset)
        place = self.models / f"{trees}-correction-{seed}"
        return trained(config, *self.material.learning[trees], place, CorrectionModel)

    def paper_restorer(self, seed: int) -> SavedModel[PunctuationModel]:
        """Return the paper's model of correct text, towards which ``paper`` is regularised."""
        return self._paper_model("right", only_right, seed)

    def paper(self, seed: int) -> tuple[SavedModel[CorrectionModel], SavedModel[PunctuationModel]]:
        """Return the model of the paper, and the model that provides T'_e."""
        analysis = self._paper_model("written", only_written, seed)
        near = self.paper_restorer(seed)
        learning = self.material.learning["parsed"]
        config = self._config("correction", seed, "preset=paper-correction")
        place = self.models / f"parsed-paper-correction-{seed}"
        # Trees T'_e are computed only if the model is missing.
        if not place.exists():
            analyses = (add_written_trees(analysis, some) for some in learning)
            learning = Learning(
                *([analysis_of_part for (analysis_of_part,) in of] for of in analyses)
            )
        return trained(config, *learning, place, CorrectionModel, near), analysis

    def _paper_model(
        self, name: str, view: Callable[[Sequence[Sentence]], list[Sentence]], seed: int
    ) -> SavedModel[PunctuationModel]:
        data = self.material.learning["parsed"].seen_by(view)
        place = self.models / f"parsed-paper-{name}-{seed}"
        return trained(self._config("punctuation", seed, *PAPER), *data, place, PunctuationModel)

    def _config(self, kind: str, seed: int, *settings: str) -> Config:
        visits = self.arguments.visits
        chosen = [*settings, *([] if visits is None else [f"train.visits={visits}"])]
        return load_config(None, chosen, {"train.seed": seed}, kind)

    def run(self, system: str, name: str, seed: int) -> Run:
        @cache
        def predicted() -> Sequence[Slots]:
            pairs = self.material.data[name]
            return self.system(system, seed)([pair.source for pair in pairs])

        def counted(start: str) -> Result[Any]:
            pairs = self.material.data[name]
            slots = [pair.source.slots for pair in pairs]
            if start == "words":
                slots = [((),) * len(of_sentence) for of_sentence in slots]
            of = {"system": system, "seed": str(seed), "treebank": parallel_digest(pairs)[:12]}
            signature = join_signature({"task": "correction", "from": start, **of})
            references = [pair.references for pair in pairs]
            figures = correction_statistics(slots, predicted(), references)
            return Result(system, signature, figures)

        paths = (
            (start, self.models / f"{name}-{system}-{seed}.{start}.json.gz")
            for start in ("written", "words")
        )
        run = Run(*(stored(path, partial(counted, start)) for start, path in paths))
        print(f"{name}, {system}, {seed}: F0.5 {run.edits.statistics.score:.4f}", flush=True)
        return run
