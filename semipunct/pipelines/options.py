"""Options of tasks: name, type, default and description of each.

The command line makes an option of each field (``semipunct.cli.options``), and functions take the
fields as keywords (docs/decisions/architecture.md). JAX is not imported, so that ``--help`` is
fast.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, fields
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from semipunct.errors import UsageError, suggest
from semipunct.pipelines import limits
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.corpus.sentences import Sentence, Words
    from semipunct.pipelines.trained import Trained


# Candidates for least expected edit distance: strings per slot, or whole draws as in the paper.
Candidates = Literal["slots", "draws"]
# ``errors``: the most probable string among those that a correction seen in training makes of the
# written one; otherwise as ``Candidates``.
Loss = Literal["errors", "slots", "draws"]
# Treatment of visible marks: removed, uncertain evidence, or unchanged with only empty slots
# filled.
Keep = Literal["replace", "repair", "keep"]
# The end of a line: meaningless; the end of a sentence; the only end of sentences.
Lines = Literal["none", "paragraph", "sentence"]
Capitals = Literal["auto", "keep", "restore"]
# The F1 of marks, or the number of edits as in the paper.
Objective = Literal["f1", "edits"]
Surface = Literal["drawn", "best"]
RestoredForm = Literal["conllu", "text", "json"]
CorrectedForm = Literal["text", "conllu", "json", "diff", "m2"]
DecodedForm = Literal["conllu", "brackets", "json", "svg", "html"]
Engine = Literal["dask"]


T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Helpers:
    """The auxiliary models of a pipeline.

    Attributes:
        parser: one or several parsers, for input without trees.
        tokeniser: divides running text into sentences and words.
        text_model: finds sentences and capitals of running text, and votes for marks.
        analysis: a punctuation model that finds underlying trees of the original text.
    """

    parser: Trained[Any] | Sequence[Trained[Any]] | None = None
    tokeniser: Trained[Any] | None = None
    text_model: Trained[Any] | None = None
    analysis: Trained[Any] | None = None

    @property
    def parsers(self) -> Sequence[Trained[Any]]:
        if isinstance(self.parser, Sequence):
            return self.parser
        return () if self.parser is None else (self.parser,)

    def digests(self) -> dict[str, Any]:
        """Return the digests of saved models by name."""
        models: Any = {name: getattr(self, name) for name in self.__slots__}
        models["parser"] = self.parsers
        return {
            name: [m.digest for m in model] if isinstance(model, Sequence) else model.digest
            for name, model in models.items()
            if model
        }


def checked(kind: type[T], task: str, values: Mapping[str, Any]) -> T:
    """Construct the options of a task from keywords.

    A string of marks is divided at spaces, so ``", ."`` is ``{",", "."}``.

    Raises:
        UsageError: with similar option names, or the valid values of an option.
    """
    hints = get_type_hints(kind)
    chosen: dict[str, Any] = {}
    for name, value in values.items():
        if name not in hints:
            known = suggest(name, hints) or f"; its options are {', '.join(sorted(hints))}"
            if name in Helpers.__slots__:
                known = f"; give it to load: semipunct.load(MODEL, {name}=...)"
            raise UsageError(f"{task} has no option {name}{known}")
        is_marks = isinstance(value, str) and Set[str] in get_args(hints[name])
        try:
            chosen[name] = msgspec.convert(value.split() if is_marks else value, hints[name])
        except msgspec.ValidationError as error:
            choices = [
                each
                for hint in (hints[name], *get_args(hints[name]))
                if get_origin(hint) is Literal
                for each in get_args(hint)
            ]
            known = f"give {' or '.join(choices)}" if choices else f"{error}".lower()
            raise UsageError(f"{name} of {task} is {value!r}; {known}") from error
    return kind(**chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """The description of a field, and its form on the command line.

    Attributes:
        help: the description in ``--help``.
        name: the name of the option; by default the name of the field.
        metavar: the placeholder of the value; None for its type.
    """

    help: str
    name: str | None = None
    metavar: str | None = None
    minimum: float = 0
    maximum: float | None = None


@cache
def descriptions(kind: type[Any]) -> dict[str, tuple[Any, Option]]:
    """Return the type and the description of each field of a class of options."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        field.name: (hints[field.name].__origin__, hints[field.name].__metadata__[0])
        for field in fields(kind)
        if hasattr(hints[field.name], "__metadata__")
    }


def check_values(options: Any, tokens: Sequence[str]) -> None:
    """Raise ``UsageError`` unless numbers are in range and marks are known."""
    for name, (_, option) in descriptions(type(options)).items():
        value = getattr(options, name)
        if not isinstance(value, int | float):
            continue
        least, most = option.minimum, option.maximum or math.inf
        if not least <= value <= most:
            limit = f"{least:,} or more" if most == math.inf else f"{least:,} to {most:,}"
            raise UsageError(f"{name.replace('_', ' ')} is {value:,}; give {limit}")
    from semipunct.marks import SILENT, UNK

    known = {*tokens} - {UNK}
    if unknown := sorted({*(options.marks or ())} - known):
        listed = " ".join(token for token in tokens if token in known - SILENT)
        raise UsageError(f"the model has never seen {' '.join(unknown)}; its marks are: {listed}")


Samples = Annotated[
    int, Option(help="Number of draws per sentence.", minimum=1, maximum=limits.SAMPLES)
]
Seed = Annotated[int, Option(help="Random seed.")]
Keeping = Annotated[
    Keep | None,
    Option(
        help="Marks in the input: remove them first (replace), use them as uncertain evidence "
        "(repair), or keep them (keep) [keep for text without --gold, otherwise replace]."
    ),
]
LineEnds = Annotated[
    Lines | None,
    Option(
        help="With a text model: a line is part of a text (none), such as a subtitle, one or "
        "more sentences (paragraph), or a sentence [paragraph; none for subtitles and transcripts; "
        "sentence for a treebank]."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOptions:
    """Options of restoration.

    If ``keep`` is None, marks of a text are kept, and marks of a treebank are replaced. If
    ``marks`` is None, all tokens of the model may be inserted. See ``restore_trees`` for ``trees``
    and ``share``.
    """

    samples: Samples = 1000
    seed: Seed = 0
    minimise: Annotated[
        Candidates,
        Option(
            help="slots: choose the marks of each slot (a place for them: before each word and at "
            "the end) independently; draws: choose among draws for the whole sentence, as in the "
            "paper. A comma model does not draw: its most probable sequence is chosen instead."
        ),
    ] = "slots"
    marks: Annotated[
        Set[str] | None, Option(help="Insert only these marks, e.g. ', . ?'.", metavar="MARKS")
    ] = None
    minimum_confidence: Annotated[
        float,
        Option(
            help="Leave slots with less probable marks empty.",
            name="min_confidence",
            metavar="P",
            maximum=1,
        ),
    ] = 0.0
    nbest: Annotated[
        int,
        Option(help="With JSON: list the N most frequent draws.", metavar="N"),
    ] = 0
    keep: Keeping = None
    mistaken: Annotated[
        float,
        Option(
            help="With --keep repair: factor of the probability for each mark that is removed.",
            metavar="F",
            maximum=1,
        ),
    ] = 0.1
    trees: Annotated[
        int,
        Option(
            help="With --parser: draw K trees per sentence from each parser instead of using the "
            "best one.",
            metavar="K",
            maximum=limits.TREES,
        ),
    ] = 0
    share: Annotated[
        float | None,
        Option(
            help="With --parser: weight of the marks that the parser itself predicts between "
            "words, without a tree, and of those of --text (in texts of the latter alone); 0 for "
            "the punctuation model alone [0.3 for a model of the preset parsed, 0.6 for others; "
            "with --text 0.7].",
            name="parser_share",
            metavar="W",
            maximum=1,
        ),
    ] = None
    lines: LineEnds = None
    case: Annotated[
        Capitals,
        Option(
            help="With a text model: read and restore capitals as far as a passage lacks them "
            "(auto); never change them (keep); read all words in lower case, and restore all "
            "capitals (restore)."
        ),
    ] = "auto"
    objective: Annotated[
        Objective | None,
        Option(
            help="With a text model: optimise the F1 of marks, or the number of edits [f1; for "
            "treebanks with --text edits]."
        ),
    ] = None

    def keep_for(self, sentence: Sentence[Any] | Words) -> Keep:
        return self.keep or ("keep" if sentence.source == "text" else "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectOptions:
    """Options of correction.

    If ``marks`` is None, all may be inserted, deleted or moved.
    """

    samples: Samples = 1000
    seed: Seed = 0
    marks: Annotated[
        Set[str] | None,
        Option(help="Correct only these marks, e.g. ', ; :'.", name="only", metavar="MARKS"),
    ] = None
    minimum_confidence: Annotated[
        float | None,
        Option(
            help="Minimum probability of a correction [0.5; 0.8 with a text model; 0 with "
            "--minimise slots or draws].",
            name="min_confidence",
            metavar="P",
            maximum=1,
        ),
    ] = None
    minimise: Annotated[
        Loss,
        Option(
            help="errors: choose for each slot (place between words) the most probable string that "
            "corrections seen in training can produce; slots: the string with the lowest expected "
            "edit distance; draws: the same for a whole sentence, among its draws, as in the paper."
        ),
    ] = "errors"
    analyses: Annotated[
        int,
        Option(
            help="With --analysis: draw K underlying trees instead of using the best one.",
            metavar="K",
            maximum=limits.TREES,
        ),
    ] = 0
    lines: LineEnds = None

    @property
    def least(self) -> float:
        """The minimum confidence, or its default."""
        if self.minimum_confidence is not None:
            return self.minimum_confidence
        return 0.5 if self.minimise == "errors" else 0.0

    def check(self, tokens: Sequence[str]) -> None:
        check_values(self, tokens)
        if self.analyses > self.samples:
            raise UsageError(
                f"{quantity(self.analyses, 'analysis', 'analyses')} for "
                f"{quantity(self.samples, 'sample')}; give at least one sample each"
            )
        if self.marks is not None and not self.marks:
            raise UsageError("the set of marks to correct is empty; name some, or leave it out")


def as_correction(options: RestoreOptions) -> CorrectOptions:
    """Convert options of restoration to options of correction.

    Raises:
        UsageError: if correction lacks one of them.
    """
    given = {
        field.name: getattr(options, field.name)
        for field in fields(options)
        if getattr(options, field.name) != field.default
    }
    for name in given.keys() - {field.name for field in fields(CorrectOptions)}:
        raise UsageError(f"--{name} is an option of restoration; give --restore, or leave it out")
    return CorrectOptions(**given)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseOptions:
    """Options of parsing.

    Attributes:
        lines: the meaning of line ends for a text model that finds the sentences of a text.
    """

    lines: Lines = "paragraph"

    decoder: Annotated[
        Literal["risk", "best"],
        Option(help="risk: most expected correct arcs; best: the most probable tree."),
    ] = "risk"
    seed: Annotated[int, Option(help="With --trees: random seed.")] = 0
    trees: Annotated[
        int,
        Option(help="Draw K trees per sentence.", metavar="K", maximum=limits.TREES),
    ] = 0
    nbest: Annotated[
        int,
        Option(help="Write the K most probable trees.", metavar="K", maximum=limits.RANKS),
    ] = 0
    probabilities: Annotated[
        bool, Option(help="Add probabilities of heads, relations and tags to MISC.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions:
    """Options of explanations."""

    restore: Annotated[
        bool,
        Option(help="Restore marks, and explain them; otherwise wrong marks are corrected."),
    ] = False
    left_out: Annotated[
        float,
        Option(
            help="List marks that were left out if their probability is at least P.",
            metavar="P",
            maximum=1,
        ),
    ] = limits.LEFT_OUT


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeOptions:
    """Options of decoding."""

    semiring: Annotated[
        str,
        Option(
            help="viterbi: the best tree; kbest: the k best trees; sampling: trees drawn from "
            "the posterior; or another one of 'semipunct semirings list'.",
            metavar="NAME",
        ),
    ] = "viterbi"
    samples: Annotated[
        int | None,
        Option(
            help="With sampling: number of trees per sentence [1].", minimum=1, maximum=limits.TREES
        ),
    ] = None
    nbest: Annotated[
        int | None,
        Option(
            help="With kbest: number of different trees per sentence [4].",
            minimum=1,
            maximum=limits.RANKS,
        ),
    ] = None
    seed: Annotated[int, Option(help="With sampling: random seed.")] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Files to answer, or to compare with references.

    Attributes:
        system: the name of the model in stored results.
        gold: whether the input is the reference.
        references: files of references in place of the input.
        listed: the number of confusions or errors to list.
    """

    inputs: Sequence[str]
    system: str = ""
    form: str | None = None
    gold: bool = False
    references: Sequence[str] = ()
    align: str = "words"
    listed: int = 0


@dataclass(frozen=True, slots=True)
class PartOptions:
    """Options of commands that answer a corpus in parts.

    The parts depend on the input and on ``size``, not on the number of processes.
    """

    folder: Annotated[
        str | None,
        Option(
            help="Divide the input, and write what would be the output for each part to a file of "
            "this folder; parts that are there are not made again. 'cat FOLDER/part-*' is the "
            "output for the whole input.",
            name="parts",
            metavar="FOLDER",
        ),
    ] = None
    shard: Annotated[
        str | None,
        Option(
            help="With --parts: make the parts I, I + N, I + 2N, ... only, for N processes that "
            "share the work; I is 1 to N.",
            metavar="I/N",
        ),
    ] = None
    size: Annotated[
        int,
        Option(
            help="With --parts: size of a part of the input.",
            name="part_size",
            metavar="KIB",
            minimum=1,
        ),
    ] = 1024
    engine: Annotated[
        Engine | None,
        Option(
            help="With --parts: dask makes the parts in processes of its own, or in those of a "
            "cluster, and this one writes them (extra dask)."
        ),
    ] = None
    scheduler: Annotated[
        str | None,
        Option(
            help="With --engine: address of a scheduler, such as tcp://host:8786, whose workers "
            "have semipunct and the models; by default workers of this machine are started.",
            metavar="ADDRESS",
        ),
    ] = None
    workers: Annotated[
        int | None,
        Option(
            help="With --engine, on this machine: number of processes, which share the cores [one "
            "for each core].",
            metavar="N",
            minimum=1,
            maximum=limits.WORKERS,
        ),
    ] = None

    def check(self, *, excluded: Mapping[str, bool]) -> None:
        """Raise ``UsageError`` unless all values are valid.

        Args:
            excluded: whether each option that excludes parts was given.
        """
        if self.folder is None:
            for each in fields(self):
                if getattr(self, each.name) != each.default:
                    name = "part-size" if each.name == "size" else each.name
                    raise UsageError(
                        f"--{name} needs --parts, the folder of the output; give it as well"
                    )
            return
        self.shares()
        for name, value in (("--scheduler", self.scheduler), ("--workers", self.workers)):
            if value is not None and self.engine is None:
                raise UsageError(f"{name} needs --engine dask; give it as well")
        if self.scheduler is not None and self.workers is not None:
            raise UsageError(
                "--workers starts workers on this machine, and a scheduler has its own; leave out "
                "--workers or --scheduler"
            )
        if names := [name for name, is_given in excluded.items() if is_given]:
            raise UsageError(
                f"--parts writes one file for each part of the input, so it excludes {names[0]}; "
                "leave it out"
            )

    def shares(self) -> tuple[int, int]:
        if self.shard is None:
            return 1, 1
        first, _, of = self.shard.partition("/")
        is_valid = all(len(n) < 10 and n.isascii() and n.isdigit() for n in (first, of))
        if not is_valid or not 1 <= int(first) <= int(of):
            raise UsageError(
                f"--shard {self.shard[:20]}: give I/N with I from 1 to N, such as 1/4 for the "
                "first of four"
            )
        return int(first), int(of)
