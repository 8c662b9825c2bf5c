"""Requests of users: files or texts, options, and the models that take part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semipunct.store.checkpoint import SavedModel
    from semipunct.tasks.base import Trained
    from semipunct.tasks.options import (
        CorrectOptions,
        Lines,
        Objective,
        ParseOptions,
        RestoredForm,
        RestoreOptions,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreRequest:
    """A request to restore punctuation.

    Attributes:
        system: the name of the model in stored results.
        inputs: the files.
        options: of the restoration.
        parsers: that make the trees, if the input has none.
        tokeniser: of running text.
        text_model: that finds the sentences of running text, and whose marks are averaged.
        trees: to be drawn from each parser.
        share: the weight of the marks that parsers or the text model predict between words; None
            for the default.
        lines: what the end of a line says; None for the default.
        objective: what the decisions of a text model optimise; None for the default.
        lower: whether words are read in lower case.
        gold: whether the restored punctuation is compared with the input.
        confusions: to be listed in the comparison.
        form: the format of the output; None for the default.
        first: the number of sentences of treebanks that precede the files.
    """

    system: str
    inputs: Sequence[str]
    options: RestoreOptions
    parsers: Sequence[SavedModel[Any]] = ()
    tokeniser: SavedModel[Any] | None = None
    text_model: SavedModel[Any] | None = None
    trees: int = 0
    share: float | None = None
    lines: Lines | None = None
    objective: Objective | None = None
    lower: bool = False
    gold: bool = False
    confusions: int = 0
    form: RestoredForm | None = None
    first: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectRequest:
    """A request to correct punctuation.

    Attributes:
        system: the name of the model in stored results.
        inputs: the files.
        options: of the correction.
        parser: that makes the trees, if the input has none.
        tokeniser: of running text.
        analysis: a punctuation model that finds underlying trees of the original text.
        supported_by_few: further options that only some kinds support, and whether they were given.
        gold: references; none if nothing is compared.
        align: how sentences are aligned with references.
        errors: to be listed in the comparison.
        first: the number of sentences of treebanks that precede the files.
    """

    system: str
    inputs: Sequence[str]
    options: CorrectOptions
    parser: SavedModel[Any] | None = None
    tokeniser: SavedModel[Any] | None = None
    analysis: SavedModel[Any] | None = None
    supported_by_few: Mapping[str, bool] = field(default_factory=dict[str, bool])
    gold: Sequence[str] = ()
    align: str = "words"
    errors: int = 0
    first: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseRequest:
    """A request to tag and parse words.

    Attributes:
        system: the name of the model in stored results.
        inputs: the files.
        options: of parsing.
        tokeniser: of running text.
        punctuation: a punctuation model, which reranks trees.
        weight: the weight of its score.
        trees: to be drawn for each sentence; 0 for one that is chosen.
        nbest: most probable trees of each sentence; 0 likewise.
        probabilities: whether probabilities are written.
        gold: whether trees and tags are compared with those of the input.
        first: the number of sentences of treebanks that precede the files.
    """

    system: str
    inputs: Sequence[str]
    options: ParseOptions
    tokeniser: SavedModel[Any] | None = None
    punctuation: SavedModel[Any] | None = None
    weight: float = 1.0
    trees: int = 0
    nbest: int = 0
    probabilities: bool = False
    gold: bool = False
    first: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateRequest:
    """A request to evaluate a model.

    Attributes:
        system: the name of the model in stored results.
        model: with its weights.
        digest: of the model.
        examples: of the type that its kind is trained on, at least one; omitted ones do not count.
        treebank: the digest of the examples; None to compute it.
        stored: whether the counts of each sentence are to be stored.
    """

    system: str
    model: Trained[Any]
    digest: str
    examples: Sequence[Any]
    treebank: str | None = None
    stored: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRequest:
    """A request to restore a text in memory; ``functions.restore_text`` has the attributes."""

    options: RestoreOptions
    parser: Trained[Any] | Sequence[Trained[Any]] | None
    tokeniser: Trained[Any] | None
    text_model: Trained[Any] | None
    trees: int
    share: float | None
    ends: Lines
    objective: Objective | None


def refused_by_other_parsers(request: ParseRequest) -> dict[str, bool]:
    """Return the options that only the kind ``parser`` supports, and whether they were given."""
    return {
        "--decoder": request.options.decoder != "risk",
        "--trees": request.trees > 0,
        "--nbest": request.nbest > 0,
        "--punctuation": request.punctuation is not None,
        "--probabilities": request.probabilities,
    }
