"""Kinds of models: their settings, presets, and the location of their code; JAX is not imported.

Settings are read and checked, and model folders recognised, before the model's own module is
loaded, so mistakes in settings are reported at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from semipunct.models.settings import (
    AtLeastOne,
    Count,
    NotNegative,
    Positive,
    Seed,
    Setting,
    Share,
    check_settings,
)

if TYPE_CHECKING:
    from semipunct.models.base import Model

Schedule = Literal["constant", "cosine"]

VISITS = 268
"""Factor of the square root of the number of training sentences in the number of visits.

It gives 30,000 visits for English-EWT and 17,000 for Chinese-GSD; tuning the number for each
treebank improved almost nothing (docs/decisions/training.md).
"""


@dataclass(frozen=True, slots=True)
class SharedTrainOptions:
    """The settings of the section ``[train]`` that all kinds share; subclasses of kinds add more.

    Attributes:
        visits: total number of sentences visited, repetitions included; 0 for a number that suits
            the size of the treebank.
        batch_size: number of sentences in a batch.
        learning_rate: learning rate of the weights that have none of their own.
        schedule: ``cosine`` decays all rates along half a cosine wave, ``constant`` does not.
        initial_scale: standard deviation of the normal distribution for the initial values of
            weights that would otherwise start at zero.
        evaluate_every: sentence visits between evaluations on the development sentences, each of
            which writes a checkpoint; 0 for ``evaluations`` of them in all.
        patience: number of evaluations without improvement after which training stops; 0 for never.
        seed: seed of the initial weights and of the order of the sentences.
    """

    visits: Count = 0
    batch_size: AtLeastOne = 32
    learning_rate: Positive = 0.004
    schedule: Schedule = "cosine"
    initial_scale: NotNegative = 0.0
    evaluate_every: Count = 0
    patience: Count = 4
    seed: Seed = 0

    evaluations: ClassVar[int] = 6
    """The default number of evaluations: small, because each also saves the state of the run."""

    def suggested_visits(self, sentences: int) -> int:
        """Return the number of visits that suits a treebank of this many sentences.

        A larger treebank needs more visits in total, but fewer of each sentence.
        """
        return 1000 * max(1, round(VISITS * math.sqrt(sentences) / 1000))

    def remedies(self) -> str:
        """Say which settings to change when training diverges."""
        return f"lower train.learning_rate (now {self.learning_rate}), or raise train.batch_size"


@dataclass(frozen=True, slots=True)
class NetworkTrainOptions(SharedTrainOptions):
    """Settings shared by all networks that AdamW trains for a number of epochs.

    Attributes:
        weight_decay: weight decay of AdamW.
        dropout: fraction of the inputs of layers that is dropped in a training step.
    """

    patience: Count = 0
    weight_decay: NotNegative = 1e-2
    dropout: Share = 0.2

    epochs: ClassVar[int] = 10
    """Passes over the training examples, if the number of visits is not set."""

    def suggested_visits(self, sentences: int) -> int:
        return self.epochs * sentences


@dataclass(frozen=True, slots=True)
class Criterion:
    """The metric on the development examples by which the best weights are chosen.

    Attributes:
        name: name of the metric; ``metrics.jsonl`` has it under ``dev_NAME``.
        label: name of the metric in messages for users.
        highest: whether higher values are better.
    """

    name: str
    label: str
    highest: bool = False

    def of(self, entry: Mapping[str, Any]) -> float | None:
        """Return the value of the metric in a line of ``metrics.jsonl``; None if undefined."""
        return entry.get(f"dev_{self.name}")

    def rank(self, entry: Mapping[str, Any]) -> tuple[int, float]:
        """Return a sort key, best first: number of unscorable examples, then the metric."""
        figure = self.of(entry)
        worst = math.inf if figure is None else -figure if self.highest else figure
        return entry.get("dev_unscorable", 0), worst


PERPLEXITY = Criterion("perplexity_of_scorable", "perplexity")


PUNCTUATION = "punctuation"
"""The units predicted by the kinds whose perplexities of slots may be compared."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of model, as represented in the registry and in model folders.

    Attributes:
        name: name in ``semipunct train --kind NAME`` and in manifests.
        model: ``module:Class`` of the model, imported on demand.
        model_options: class of the settings in ``[model]``, which determine the architecture.
        train_options: class of the settings in ``[train]``.
        presets: names of the files in the folder ``presets`` beside the module; the first one is
            the default. A kind without presets starts from the defaults of its classes.
        criterion: criterion by which the best weights are chosen.
        assess: ``module:function`` that computes metrics on held-out examples, like
            ``semipunct.models.scoring.perplexities``.
        examples: type of the examples that the model is trained on, or ``module:function`` of a
            reader of files; a class of settings may have a property of this name, which takes
            precedence.
        unit: name of one example in messages for users.
        counted: what the size of an example counts, such as ``words``, if the progress of a
            training is told in it; otherwise empty.
        predicts: description, for users, of the outcome that the model gives a probability to.
        corrected: whether it is trained on original text with a corrected version.
        underlying: ``module:function`` that adds the underlying trees of a punctuation model to
            sentences, for a kind that can be trained on them.
        removed: settings in folders of earlier versions that this one does not have.
        tasks: ``module:name`` of its tasks, imported on demand; empty if it has none.
    """

    name: str
    model: str
    model_options: type[Any]
    train_options: type[SharedTrainOptions]
    presets: tuple[str, ...] = ()
    criterion: Criterion = PERPLEXITY
    assess: str = "semipunct.models.scoring:perplexities"
    examples: str = "sentences"
    unit: str = "sentence"
    counted: str = ""
    predicts: str = PUNCTUATION
    corrected: Literal["never", "optionally", "always"] = "never"
    underlying: str = ""
    removed: tuple[str, ...] = ()
    tasks: str = ""

    @property
    def sections(self) -> dict[str, type[Any]]:
        """The class of options of each section of a configuration."""
        return {"model": self.model_options, "train": self.train_options}

    def load(self) -> type[Model]:
        """Import the class of the model."""
        return _import_place(self.model)

    def metrics(self, *arguments: Any) -> dict[str, Any]:
        """Return metrics on held-out examples by name.

        Args:
            *arguments: arguments of the function named in ``assess``.
        """
        return _import_place(self.assess)(*arguments)

    def figures(self, *arguments: Any) -> dict[str, Any]:
        """Return metrics on held-out examples under their names in ``metrics.jsonl``.

        Args:
            *arguments: as of ``metrics``.
        """
        return {f"dev_{name}": value for name, value in self.metrics(*arguments).items()}

    def underlying_trees(self, *arguments: Any) -> Any:
        """Return sentences with underlying trees.

        Args:
            *arguments: a punctuation model with its weights, and the sentences.
        """
        return _import_place(self.underlying)(*arguments)

    def preset(self, name: str) -> str:
        """Return the text of a preset, in TOML."""
        package = self.model.partition(":")[0].rpartition(".")[0]
        return resources.files(package).joinpath(f"presets/{name}.toml").read_text("utf-8")


def _import_place(place: str) -> Any:
    """Import ``module:name``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a training run.

    Attributes:
        kind: the kind of model.
        model, train: an instance of each of the kind's classes of options.
    """

    kind: Kind
    model: Any
    train: Any

    @classmethod
    def of(cls, kind: Kind, settings: Iterable[Setting] = ()) -> Config:
        """Check settings; those not given have the defaults of the kind's classes.

        Args:
            kind: the kind of model.
            settings: if two have the same key, the later one takes precedence.

        Raises:
            ConfigError: as for ``semipunct.models.settings.check_settings``.
        """
        values = check_settings(kind.sections, settings)
        return cls(
            kind, kind.model_options(**values["model"]), kind.train_options(**values["train"])
        )

    @classmethod
    def from_dict(
        cls, kind: Kind, values: Mapping[str, Mapping[str, object]], where: str
    ) -> Config:
        """Invert ``to_dict``; settings missing in data of an older version get their defaults.

        Args:
            kind: the kind of model.
            values: settings by section and name.
            where: the source of the values, for error messages.

        Raises:
            ConfigError: under the same conditions as in ``of``.
        """
        return cls.of(
            kind,
            (
                Setting(f"{section}.{key}", value, where)
                for section, pairs in values.items()
                for key, value in pairs.items()
                if f"{section}.{key}" not in kind.removed
            ),
        )

    @property
    def examples(self) -> str:
        """The type, or the reader, of the examples that a model with these settings learns from."""
        return getattr(self.model, "examples", self.kind.examples)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return sections of plain values, as TOML and JSON hold them."""
        return {
            section: {
                key: list(value) if isinstance(value, tuple) else value
                for key, value in asdict(options).items()
            }
            for section, options in (("model", self.model), ("train", self.train))
        }
