"""Kinds of models: their settings, their presets, and where their code is; JAX is not imported.

Settings are read and checked, and model folders recognised, before the model's own module is
loaded: a mistake in a setting is told at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
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
    checked,
)

if TYPE_CHECKING:
    from semipunct.models.base import Model

Schedule = Literal["constant", "cosine"]

VISITS = 268
"""Sentence visits for the square root of the number of training sentences.

It gives 30,000 visits to English-EWT and 17,000 to Chinese-GSD; a number of its own for each
treebank gained next to nothing (docs/decisions/0011-loglinear-preset.md).
"""


@dataclass(frozen=True, slots=True)
class SharedTrainOptions:
    """The settings of the section ``[train]`` that all kinds share; a kind's own class adds more.

    Attributes:
        visits: sentences visited in all, each as often as it comes up; 0 for as many as suit the
            size of the treebank.
        batch_size: sentences in a batch.
        learning_rate: of the optimiser, for the weights that have no rate of their own.
        schedule: ``cosine`` lets all rates fall along a half wave, ``constant`` does not.
        initial_scale: standard deviation of the normal distribution that weights are drawn from
            which else start at zero.
        evaluate_every: sentence visits between evaluations on the development sentences, each
            of which writes a checkpoint; 0 for ``evaluations`` of them in all.
        patience: evaluations without improvement after which training stops; 0 for never.
        seed: of the initial weights and of the order of the sentences.
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
    """Of a run that does not say: few, because each also writes the state of the run."""

    def suggested_visits(self, sentences: int) -> int:
        """Return how many visits suit a treebank of so many sentences.

        A larger one needs more visits in all, and fewer of each sentence.
        """
        return 1000 * max(1, round(VISITS * math.sqrt(sentences) / 1000))

    def remedies(self) -> str:
        """Say which settings to change when training diverges."""
        return f"lower train.learning_rate (now {self.learning_rate}), or raise train.batch_size"


@dataclass(frozen=True, slots=True)
class NetworkTrainOptions(SharedTrainOptions):
    """Settings that all networks share which AdamW trains for some epochs.

    Attributes:
        weight_decay: of AdamW.
        dropout: share of the inputs of layers that a step leaves out.
    """

    patience: Count = 0
    weight_decay: NotNegative = 1e-2
    dropout: Share = 0.2

    epochs: ClassVar[int] = 10
    """Passes over the training examples, of a run that does not say how many visits."""

    def suggested_visits(self, sentences: int) -> int:
        return self.epochs * sentences


@dataclass(frozen=True, slots=True)
class Criterion:
    """The figure of the development examples by which the best weights are chosen.

    Attributes:
        name: of the figure; ``metrics.jsonl`` has it under ``dev_NAME``.
        label: for people.
        highest: whether a higher figure is better.
    """

    name: str
    label: str
    highest: bool = False

    def of(self, entry: Mapping[str, Any]) -> float | None:
        """Return the figure of an evaluation, as ``metrics.jsonl`` holds it; None if undefined."""
        return entry.get(f"dev_{self.name}")

    def rank(self, entry: Mapping[str, Any]) -> tuple[int, float]:
        """Rank an evaluation, the best lowest: fewer unscorable examples first, then the figure."""
        figure = self.of(entry)
        worst = math.inf if figure is None else -figure if self.highest else figure
        return entry.get("dev_unscorable", 0), worst


PERPLEXITY = Criterion("perplexity_of_scorable", "perplexity")


PUNCTUATION = "punctuation"
"""Predicted by the kinds whose perplexities of slots may be compared."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of model, as the registry and model folders know it.

    Attributes:
        name: as in ``semipunct train --kind NAME`` and in manifests.
        model: ``module:Class`` of the model, loaded when it is needed.
        model_options: class of the settings in ``[model]``: what decides the shape of a model.
        train_options: class of the settings in ``[train]``.
        presets: names of the files in the folder ``presets`` beside the module; the first one is
            the default. A kind without any starts from the defaults of its classes.
        criterion: by which the best weights are chosen.
        assess: ``module:function`` that computes the figures of held-out examples, as
            ``semipunct.models.scoring.perplexities`` does.
        examples: ``module:function`` that reads files, given their names, to a sequence of what
            the model is trained on (``semipunct.corpus.examples``).
        unit: one of these, for people.
        predicts: the outcome that it tells the probability of, for people.
    """

    name: str
    model: str
    model_options: type[Any]
    train_options: type[SharedTrainOptions]
    presets: tuple[str, ...] = ()
    criterion: Criterion = PERPLEXITY
    assess: str = "semipunct.models.scoring:perplexities"
    examples: str = "semipunct.formats.registry:read_treebank"
    unit: str = "sentence"
    predicts: str = PUNCTUATION

    @property
    def sections(self) -> dict[str, type[Any]]:
        """The class of options of each section of a configuration."""
        return {"model": self.model_options, "train": self.train_options}

    def load(self) -> type[Model[Any, Any, Any]]:
        """Import the class of the model."""
        return _named(self.model)

    def figures(self, *arguments: Any) -> dict[str, Any]:
        """Return the figures of held-out examples under their names in ``metrics.jsonl``.

        Args:
            *arguments: of the function that ``assess`` names.
        """
        found = _named(self.assess)(*arguments)
        return {f"dev_{name}": value for name, value in found.items()}

    def read(self, paths: Sequence[str]) -> Sequence[Any]:
        """Read the files that a model of this kind is trained on.

        Args:
            paths: their names.

        Raises:
            TreebankError: if a file is missing or damaged.
        """
        return _named(self.examples)(paths)

    def preset(self, name: str) -> str:
        """Return the text of a preset, which is TOML."""
        package = self.model.partition(":")[0].rpartition(".")[0]
        return resources.files(package).joinpath(f"presets/{name}.toml").read_text("utf-8")


def _named(place: str) -> Any:
    """Import ``module:name``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a run.

    Attributes:
        kind: the kind of model.
        model, train: an instance of each of the kind's classes of options.
    """

    kind: Kind
    model: Any
    train: Any

    @classmethod
    def of(cls, kind: Kind, settings: Iterable[Setting] = ()) -> Config:
        """Check settings; those that are not given have the defaults of the kind's classes.

        Args:
            kind: the kind of model.
            settings: of two with the same key the later one wins.

        Raises:
            ConfigError: as ``semipunct.models.settings.checked`` does.
        """
        values = checked(kind.sections, settings)
        return cls(
            kind, kind.model_options(**values["model"]), kind.train_options(**values["train"])
        )

    @classmethod
    def from_dict(
        cls, kind: Kind, values: Mapping[str, Mapping[str, object]], where: str
    ) -> Config:
        """Invert ``to_dict``; a setting that an older program did not know gets its default.

        Args:
            kind: the kind of model.
            values: settings by section and name.
            where: the source, for messages.

        Raises:
            ConfigError: as ``of`` does.
        """
        return cls.of(
            kind,
            (
                Setting(f"{section}.{key}", value, where)
                for section, pairs in values.items()
                for key, value in pairs.items()
            ),
        )

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return sections of plain values, as TOML and JSON hold them."""
        return {
            section: {
                key: list(value) if isinstance(value, tuple) else value
                for key, value in asdict(options).items()
            }
            for section, options in (("model", self.model), ("train", self.train))
        }
