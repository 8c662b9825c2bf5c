"""``semipunct restore``: punctuation for words and trees."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import console
from semipunct.cli.restoration_work import work_on_commas, work_on_marks
from semipunct.cli.restored_sentences import Format
from semipunct.cli.timings import phase
from semipunct.cli.treebanks import in_chunks
from semipunct.errors import TreebankError, UsageError
from semipunct.tasks import limits
from semipunct.wording import counted

if TYPE_CHECKING:
    from semipunct.cli.restored_sentences import Outcome
    from semipunct.corpus import Sentence
    from semipunct.corpus.treebank import AnyEntry
    from semipunct.tasks.restoration import Restoration

MISTAKEN = 0.1
CHUNK = 256
"""Sentences restored at a time."""


class Minimise(StrEnum):
    """The candidates for the punctuation of least expected edit distance."""

    SLOTS = "slots"
    DRAWS = "draws"


class Keep(StrEnum):
    """The treatment of the punctuation of the input."""

    REPLACE = "replace"
    REPAIR = "repair"
    KEEP = "keep"


def restore(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model folder.")],
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN...",
            help="Treebanks in CoNLL-U, for a model of commas trees in brackets; with --parser "
            "text; '-' for stdin.",
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="OUT", help="Where to write, '-' for stdout."),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=1, max=limits.SAMPLES, help="Draws for each sentence.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Fixes what is drawn.")] = 0,
    minimise: Annotated[
        Minimise,
        typer.Option(
            help="Choose the marks of each slot (a place for them: before each word and at the "
            "end) by itself, or among whole draws as the paper does; of a model of commas, which "
            "draws nothing, the most probable ones as a whole."
        ),
    ] = Minimise.SLOTS,
    marks: Annotated[
        str | None, typer.Option(metavar="MARKS", help="Put in these marks only, e.g. ', . ?'.")
    ] = None,
    min_confidence: Annotated[
        float, typer.Option(metavar="P", help="Leave less probable slots empty.")
    ] = 0.0,
    nbest: Annotated[
        int, typer.Option(metavar="N", min=0, help="With JSON: list the N most frequent draws.")
    ] = 0,
    parser: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PARSER",
            help="The folder of a parser: the input may be text, or words without trees; trees "
            "that it has are thrown away. Several are better than one: repeat it, or name a "
            "folder that holds them, as jackknife --models leaves it.",
        ),
    ] = None,
    trees: Annotated[
        int,
        typer.Option(
            metavar="K",
            min=0,
            max=limits.TREES,
            help="With --parser: draw K trees of each sentence from each parser instead of taking "
            "the best.",
        ),
    ] = 0,
    share: Annotated[
        float | None,
        typer.Option(
            "--parser-share",
            metavar="W",
            min=0,
            max=1,
            help="With --parser: share of what the parser, which needs no tree for it, expects "
            "between words; 0 for the model alone [0.5].",
        ),
    ] = None,
    tokeniser: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENISER",
            help="With --parser: the folder of a tokeniser, which finds sentences and words in "
            "running text. Without it each line is a sentence, and blanks part words.",
        ),
    ] = None,
    case: Annotated[
        str | None,
        typer.Option(
            metavar="TRUECASER",
            help="The folder of a truecaser, which gives words in lower case their capitals.",
        ),
    ] = None,
    keep: Annotated[
        Keep,
        typer.Option(
            help="What becomes of marks in the input: removed first, taken for likely, or kept."
        ),
    ] = Keep.REPLACE,
    mistaken: Annotated[
        float,
        typer.Option(metavar="F", help="With --keep repair: factor for each mark taken away."),
    ] = MISTAKEN,
    form: Annotated[
        Format, typer.Option("--format", help="conllu inserts tokens, text is for readers.")
    ] = Format.CONLLU,
    gold: Annotated[
        bool, typer.Option("--gold", help="Compare with the punctuation of the input.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="With --gold: one JSON object.")] = False,
    confusions: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="With --gold: the N costliest mistakes."),
    ] = 0,
    result: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="With --gold: store what 'semipunct compare' reads."),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Show no progress on a terminal.")
    ] = False,
) -> None:
    """Put punctuation between the words of trees, or of text with --parser.

    Punctuation in the input is removed first, unless --keep says otherwise. Words are never
    changed, but for capitals with --case. With --gold the figures go to standard output, and the
    restored sentences only to the file that --output names.
    """
    if (json or result or confusions) and not gold:
        named = "--json" if json else "--result" if result else "--confusions"
        raise UsageError(
            f"{named} is about the comparison that --gold makes; "
            "restored sentences as JSON: --format json"
        )
    if trees and not parser:
        raise UsageError("--trees draws the trees of a parser; give --parser as well")
    if share is not None and not parser:
        raise UsageError("--parser-share is about a parser; give --parser as well")
    if tokeniser is not None and (not parser or gold):
        raise UsageError(
            "--tokeniser reads text, which has no trees; "
            + ("--gold needs a treebank to compare with" if gold else "give --parser as well")
        )
    if case is not None and gold and out is None:
        raise UsageError(
            "--case is about restored sentences, which --gold writes to the file that --output "
            "names; give it as well"
        )
    if mistaken != MISTAKEN and keep is not Keep.REPAIR:
        raise UsageError(f"--mistaken is about --keep repair, not {keep.value}; leave one out")
    if nbest and (form is not Format.JSON or (gold and out is None)):
        raise UsageError(
            "--nbest is about restored sentences as JSON: give --format json (with --gold also "
            "--output)"
        )
    if gold and json and out == console.STANDARD:
        raise UsageError(
            "--json prints the comparison, which leaves no room for restored sentences on standard "
            "output: give --output the name of a file"
        )
    if result == console.STANDARD:
        raise UsageError("--result needs the name of a file; --json prints the figures")
    console.check_targets(
        out, figures=result, inputs=inputs, kept=(model, *(parser or ()), tokeniser, case)
    )
    with phase("importing"):
        from semipunct.arrays.compilation import enable_compilation_cache
        from semipunct.cli.progress import sentence_progress
        from semipunct.cli.restoration_report import report
        from semipunct.cli.restored_sentences import with_capitals, write
        from semipunct.models.casing.truecaser import Truecaser
        from semipunct.models.commas.delimiters import DelimiterModel
        from semipunct.models.commas.model import CommaModel
        from semipunct.models.segmentation.tokeniser import Tokeniser
        from semipunct.store.checkpoint import load
        from semipunct.tasks.restoration import RestoreOptions

    options = RestoreOptions(
        samples, seed, minimise.value, None if marks is None else frozenset(marks.split()),
        min_confidence, nbest, keep.value, mistaken,
    )  # fmt: skip
    with phase("loading the model"):
        loaded = load(model)
        words_of = load(tokeniser, Tokeniser) if tokeniser is not None else None
        capitals_of = load(case, Truecaser) if case is not None else None
        if isinstance(loaded.model, (CommaModel, DelimiterModel)):
            refused = {"--trees": bool(trees), "--parser-share": share is not None}
            work = work_on_commas(loaded, inputs, options, parser or (), words_of, refused=refused)
        else:
            work = work_on_marks(
                loaded, inputs, options, parser or (), words_of, gold=gold, trees=trees, share=share
            )
    enable_compilation_cache()
    omitted: Counter[str] = Counter()
    with phase("reading"):
        first: list[Any] = list(islice(work.entries, CHUNK))
    writer = work.form.writer(first)
    outcomes = _outcomes(chain(first, work.entries), work.restored, omitted)
    done: list[Restoration] = []
    to = out if gold else out or console.STANDARD
    with sentence_progress("restoring", to, quiet=quiet) as advancing:
        outcomes = advancing(outcomes)
        if gold:
            outcomes = list(outcomes)
            done = [found for _, found in outcomes if found]
        # Where nothing can be compared nothing is written.
        if not gold or (done and out is not None):
            if capitals_of is not None:
                outcomes = with_capitals(outcomes, capitals_of, writer)
            with console.output(out or console.STANDARD) as stream:
                write(outcomes, form, writer, stream, parsed=work.parsed)
    for reason, number in omitted.items():
        console.say(f"{counted(number, 'sentence')} left alone: {reason}")
    work.say()
    if gold:
        if not done:
            raise TreebankError("no sentence could be restored: there is nothing to compare")
        line = work.signature([found.sentence for found in done])
        report(model, line, done, confusions, marks=work.marks, json=json, path=result)


def _outcomes(
    entries: "Iterable[AnyEntry]",
    restored: "Callable[[Sequence[Sentence], int], Sequence[Restoration]]",
    omitted: Counter[str],
) -> "Iterator[Outcome]":
    from semipunct.corpus import Omitted

    number = 0
    for chunk in in_chunks(entries, CHUNK):
        sentences = [e.content for e in chunk if not isinstance(e.content, Omitted)]
        found = iter(restored(sentences, number))
        number += len(sentences)
        for entry in chunk:
            if not isinstance(entry.content, Omitted):
                yield entry, next(found)
            else:
                omitted[entry.content.reason] += 1
                yield entry, None
