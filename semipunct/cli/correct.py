"""``semipunct correct``: punctuation corrected, correction by correction."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import console
from semipunct.cli.corrected_sentences import Form, write
from semipunct.cli.timings import phase
from semipunct.cli.treebanks import InPieces, Unseen, in_chunks
from semipunct.errors import UsageError
from semipunct.tasks import limits
from semipunct.wording import counted

if TYPE_CHECKING:
    from semipunct.cli.corrected_sentences import Outcome
    from semipunct.corpus import Entry
    from semipunct.tasks.correction import Corrected

CHUNK = 256
"""Sentences corrected at a time."""

ERRORS = 10
"""Errors that are listed unless another number is asked for."""


class Align(StrEnum):
    """The ways to align sentences with their corrected versions."""

    WORDS = "words"
    TREES = "trees"
    SHARED = "shared"


class Minimise(StrEnum):
    """The choices of the corrected string of a slot."""

    ERRORS = "errors"
    SLOTS = "slots"
    DRAWS = "draws"


def correct(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="The folder of a model of --kind correction.")
    ],
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN...", help="Treebanks in CoNLL-U, with --parser text; '-' for stdin."
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="OUT", help="Where to write, '-' for stdout."),
    ] = None,
    parser: Annotated[
        str | None,
        typer.Option(
            metavar="PARSER",
            help="The folder of a parser: the input may be text, or words without trees; trees "
            "that it has are thrown away.",
        ),
    ] = None,
    tokeniser: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENISER",
            help="With --parser: the folder of a tokeniser, which finds sentences, words and marks "
            "in running text. Without it each line is a sentence, and blanks part words and marks.",
        ),
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="Make no correction that is less probable [0.5, or 0 with --minimise slots or "
            "draws].",
            min=0,
            max=1,
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="MARKS", help="Correct these marks only, e.g. ', ; :'."),
    ] = None,
    minimise: Annotated[
        Minimise,
        typer.Option(
            help="For each place between words take the most probable string that corrections "
            "seen in training lead to, or, whatever was written, that of least expected edit "
            "distance (slots; draws: among whole draws, as the paper does)."
        ),
    ] = Minimise.ERRORS,
    analysis: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="The folder of a punctuation model of text as it is written, for a model that "
            "looks at the underlying tree that it finds (preset paper-correction).",
        ),
    ] = None,
    analyses: Annotated[
        int,
        typer.Option(
            metavar="K",
            min=0,
            max=limits.TREES,
            help="With --analysis: draw K underlying trees instead of taking the best.",
        ),
    ] = 0,
    samples: Annotated[
        int, typer.Option(min=1, max=limits.SAMPLES, help="Draws for each sentence.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Fixes what is drawn.")] = 0,
    form: Annotated[
        Form | None,
        typer.Option(
            "--format",
            help="text for readers, conllu with trees, json with each correction and its reason, "
            "diff of the sentences that change, m2 for scorers [as the input].",
        ),
    ] = None,
    gold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GOLD",
            help="Compare with a corrected version of the whole input; repeat it for several "
            "references. A file in M2 has the versions of all its annotators.",
        ),
    ] = None,
    align: Annotated[
        Align | None,
        typer.Option(
            help="With --gold: all words must agree, or all heads; or count the slots between "
            "words that both share [words]."
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="With --gold: print one JSON object of figures.")
    ] = False,
    errors: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="With --gold: the N most frequent errors [10]."),
    ] = None,
    result: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="With --gold: store what 'semipunct compare' reads."),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Show no progress on a terminal.")
    ] = False,
) -> None:
    """Correct the punctuation of treebanks, or of text with --parser.

    Nothing but punctuation is changed: words, line breaks and the spaces around marks that stay are
    given back as they were. With --gold the figures go to standard output, and corrected sentences
    only to the file that --output names.
    """
    if (json or result) and not gold:
        raise UsageError(
            f"{'--json' if json else '--result'} is about the comparison that --gold makes; "
            "corrections as JSON: --format json"
        )
    if (align is not None or errors is not None) and not gold:
        raise UsageError(
            f"{'--align' if align is not None else '--errors'} is about the comparison that --gold "
            "makes; give --gold as well, or leave it out"
        )
    if form is not None and gold and out is None:
        raise UsageError(
            "--format is about corrected sentences, which --gold writes to the file that --output "
            "names; give it as well"
        )
    if tokeniser is not None and not parser:
        raise UsageError("--tokeniser reads text, which has no trees; give --parser as well")
    if analyses and analysis is None:
        raise UsageError("--analyses draws the trees of a model; give --analysis as well")
    if gold and json and out == console.STANDARD:
        raise UsageError(
            "--json prints the comparison, which leaves no room for corrected sentences on "
            "standard output: give --output the name of a file"
        )
    if result == console.STANDARD:
        raise UsageError("--result needs the name of a file; --json prints the figures")
    console.check_targets(
        out,
        figures=result,
        inputs=(*inputs, *(gold or ())),
        kept=(model, *(gold or ()), parser, tokeniser, analysis),
    )
    with phase("importing"):
        from semipunct.arrays.compilation import enable_compilation_cache
        from semipunct.cli.correction_report import report
        from semipunct.cli.progress import sentence_progress
        from semipunct.cli.running_text import read_running_text, running_text_format
        from semipunct.formats import format_of, read_entries, read_words
        from semipunct.models.parsing.parser import Parser
        from semipunct.models.punctuation.model import PunctuationModel
        from semipunct.models.segmentation.tokeniser import Tokeniser
        from semipunct.store.checkpoint import load
        from semipunct.tasks.base import InPlace
        from semipunct.tasks.correct import correct as run
        from semipunct.tasks.correct import correction_model
        from semipunct.tasks.correction import CorrectOptions

    options = CorrectOptions(
        samples, seed, frozenset(only.split()) if only is not None else None, min_confidence,
        minimise.value, analyses,
    )  # fmt: skip
    with phase("loading the model"):
        loaded = load(model)
        fitted = correction_model(loaded)
        options.check(fitted.model)
        parsing = load(parser, Parser) if parser is not None else None
        words_of = load(tokeniser, Tokeniser) if tokeniser is not None else None
        finder = InPlace.of(load(analysis, PunctuationModel)) if analysis is not None else None
    enable_compilation_cache()
    entries: Iterator[Any]
    if words_of is not None:
        form_in = running_text_format(inputs)
        entries = read_running_text(inputs, words_of)
    else:
        form_in = format_of(*inputs, words=parsing is not None)
        entries = read_words(inputs) if parsing is not None else read_entries(inputs)
    references: list[Any] = []
    with phase("reading"):
        first: list[Any] = list(islice(entries, None if gold else CHUNK))
        if gold:
            from semipunct.formats.parallel import read_references

            references = read_references(
                [e.content for e in first], gold, (align or Align.WORDS).value
            )
    writer = form_in.writer(first)
    form = form or _form(form_in.name)
    unseen, cut = Unseen(loaded.model), InPieces()
    omitted: Counter[str] = Counter()

    def corrected(sentences: "Sequence[Any]", number: int) -> "Sequence[Corrected]":
        if parsing is not None:
            cut.look_at(sentences)
        found = run(fitted, sentences, options, parser=parsing, analysis=finder, first=number)
        unseen.look_at([one.sentence for one in found])
        return found

    outcomes: Iterable[Outcome] = _outcomes(chain(first, entries), corrected, omitted)
    done: list[Outcome] = []
    with sentence_progress("correcting", out or console.STANDARD, quiet=quiet) as advancing:
        outcomes = advancing(outcomes)
        if gold:
            outcomes = done = list(outcomes)
        if not gold or out is not None:
            with console.output(out or console.STANDARD) as stream:
                write(outcomes, form, writer, stream, parsed=parsing is not None)
    for reason, number in omitted.items():
        console.say(f"{counted(number, 'sentence')} left alone: {reason}")
    cut.say()
    unseen.say()
    if gold:
        digest = loaded.digest
        pairs = list(zip((found for _, found in done), references, strict=True))
        most = ERRORS if errors is None else errors
        report(model, digest, pairs, options, most, json=json, path=result)


def _form(name: str) -> Form:
    return Form(name) if name in (Form.TEXT, Form.M2) else Form.CONLLU


def _outcomes(
    entries: "Iterable[Entry[Any, Any]]",
    corrected: "Callable[[Sequence[Any], int], Sequence[Corrected]]",
    omitted: Counter[str],
) -> "Iterator[Outcome]":
    from semipunct.corpus import Omitted

    number = 0
    for chunk in in_chunks(entries, CHUNK):
        sentences = [e.content for e in chunk if not isinstance(e.content, Omitted)]
        found = iter(corrected(sentences, number) if sentences else ())
        number += len(sentences)
        for entry in chunk:
            if isinstance(entry.content, Omitted):
                omitted[entry.content.reason] += 1
                yield entry, None
            else:
                yield entry, next(found)
