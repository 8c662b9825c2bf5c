"""Kinds of models: settings, presets and the location of their code.

JAX is not imported, so that mistakes in settings are reported at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from pkgutil import resolve_name
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

# This gives 30,000 visits for English-EWT and 17,000 for Chinese-GSD; tuning by treebank gained
# almost nothing (docs/decisions/training.md).
VISITS = 268
"""The default number of visits is ``VISITS * sqrt(sentences)``."""


@dataclass(frozen=True, slots=True)
class SharedTrainOptions:
    """The settings in ``[train]`` that all kinds share.

    Attributes:
        visits: sentences visited, with repetitions; 0 for a number that suits the treebank.
        learning_rate: of weights without a rate of their own.
        initial_scale: standard deviation of initial weights that would otherwise be zero.
        evaluate_every: visits between evaluations, each of which writes a checkpoint; 0 for
            ``evaluations`` in all.
        patience: evaluations without improvement before training stops; 0 for no early stopping.
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
    """The default number of evaluations; few, because each also saves a checkpoint."""

    def suggested_visits(self, sentences: int) -> int:
        """Return the number of visits that suits a treebank of this size."""
        return 1000 * max(1, round(VISITS * math.sqrt(sentences) / 1000))

    def remedies(self) -> str:
        """Name the settings to change when training diverges."""
        return f"lower train.learning_rate (now {self.learning_rate}), or raise train.batch_size"


@dataclass(frozen=True, slots=True)
class NetworkTrainOptions(SharedTrainOptions):
    """Settings of networks that AdamW trains for a number of epochs."""

    patience: Count = 0
    weight_decay: NotNegative = 1e-2
    dropout: Share = 0.2  # fraction of layer inputs

    epochs: ClassVar[int] = 10
    """Number of epochs, unless ``visits`` is set."""

    def suggested_visits(self, sentences: int) -> int:
        return self.epochs * sentences


@dataclass(frozen=True, slots=True)
class Criterion:
    """The development metric by which the best weights are chosen."""

    name: str  # ``metrics.jsonl`` stores the metric as ``dev_NAME``
    label: str  # in messages
    highest: bool = False  # whether higher values are better

    def of(self, entry: Mapping[str, Any]) -> float | None:
        """Return the metric from a line of ``metrics.jsonl``; None if undefined."""
        return entry.get(f"dev_{self.name}")

    def rank(self, entry: Mapping[str, Any]) -> tuple[int, float]:
        """Return a sort key, best first: number of unscorable examples, then the metric."""
        figure = self.of(entry)
        worst = math.inf if figure is None else -figure if self.highest else figure
        return entry.get("dev_unscorable", 0), worst


PERPLEXITY = Criterion("perplexity_of_scorable", "perplexity")


PUNCTUATION = "punctuation"
"""The unit of kinds whose perplexities per slot are comparable."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of model, as found in the registry and in model folders.

    Attributes:
        model: ``module:Class`` of the model, imported on demand.
        model_options: settings in ``[model]``.
        train_options: settings in ``[train]``.
        presets: TOML files in ``presets`` beside the module, default first.
        assess: ``module:function`` that computes metrics on held-out examples.
        examples: type of the training examples, or ``module:function`` of their reader; a property
            of this name of the model options takes precedence.
        unit: noun for one example in messages.
        counted: unit of the size of examples in progress messages, such as ``words``.
        predicts: the predicted outcome, in messages.
        corrected: whether it is trained on original text with a corrected version.
        underlying: ``module:function`` that adds the underlying trees of a punctuation model to
            sentences.
        removed: settings of earlier versions to ignore.
        tasks: ``module:name`` of its tasks, imported on demand.
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
        return {"model": self.model_options, "train": self.train_options}

    def load(self) -> type[Model]:
        return resolve_name(self.model)

    def metrics(self, *arguments: Any) -> dict[str, Any]:
        """Call ``assess``."""
        return resolve_name(self.assess)(*arguments)

    def figures(self, *arguments: Any) -> dict[str, Any]:
        """Return ``metrics`` under their names in ``metrics.jsonl``."""
        return {f"dev_{name}": value for name, value in self.metrics(*arguments).items()}

    def preset(self, name: str) -> str:
        package = self.model.partition(":")[0].rpartition(".")[0]
        return resources.files(package).joinpath(f"presets/{name}.toml").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a training run."""

    kind: Kind
    model: Any
    train: Any

    @classmethod
    def of(cls, kind: Kind, settings: Iterable[Setting] = ()) -> Config:
        """Check settings and fill in defaults; the last setting of a key takes precedence."""
        values = check_settings(kind.sections, settings)
        return cls(
            kind, kind.model_options(**values["model"]), kind.train_options(**values["train"])
        )

    @classmethod
    def from_dict(
        cls, kind: Kind, values: Mapping[str, Mapping[str, object]], where: str
    ) -> Config:
        """Invert ``to_dict``; settings missing in older data get their defaults."""
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
        """The type, or the reader, of the training examples."""
        return getattr(self.model, "examples", self.kind.examples)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return sections of plain values, as in TOML and JSON."""
        return {
            section: {
                key: list(value) if isinstance(value, tuple) else value
                for key, value in asdict(options).items()
            }
            for section, options in (("model", self.model), ("train", self.train))
        }
