"""``semipunct restore``: punctuation for words and trees."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from semipunct.cli import console
from semipunct.cli.timings import phase
from semipunct.cli.treebanks import Unseen, in_chunks
from semipunct.errors import UsageError
from semipunct.tasks import limits

if TYPE_CHECKING:
    from semipunct.corpus import Sentence
    from semipunct.corpus.treebank import AnyEntry
    from semipunct.formats import Writer
    from semipunct.tasks.restore import Restoration

    Outcome = tuple[AnyEntry, Restoration | None]

MISTAKEN = 0.1
CHUNK = 256
"""Sentences restored at a time."""


class Format(StrEnum):
    """The formats that restored sentences are written in."""

    CONLLU = "conllu"
    TEXT = "text"
    JSON = "json"


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
        list[str], typer.Argument(metavar="IN...", help="Treebanks in CoNLL-U, '-' for stdin.")
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
            "end) by itself, or among whole draws as the paper does."
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
        str | None,
        typer.Option(
            metavar="PARSER",
            help="The folder of a parser: the input may be text, or words without trees; trees "
            "that it has are thrown away.",
        ),
    ] = None,
    trees: Annotated[
        int,
        typer.Option(
            metavar="K",
            min=0,
            max=limits.TREES,
            help="With --parser: draw K trees of each sentence instead of taking the best.",
        ),
    ] = 0,
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
    changed. With --gold the figures go to standard output, and the restored sentences only to
    the file that --output names.
    """
    if (json or result or confusions) and not gold:
        named = "--json" if json else "--result" if result else "--confusions"
        raise UsageError(
            f"{named} is about the comparison that --gold makes; "
            "restored sentences as JSON: --format json"
        )
    if trees and parser is None:
        raise UsageError("--trees draws the trees of a parser; give --parser as well")
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
    console.check_targets(out, result)
    with phase("importing"):
        from semipunct.arrays.compilation import enable_compilation_cache
        from semipunct.cli.progress import sentence_progress
        from semipunct.cli.restoration_report import report
        from semipunct.models.parsing.parser import Parser
        from semipunct.models.punctuation.model import PunctuationModel
        from semipunct.store.checkpoint import load
        from semipunct.tasks.base import InPlace
        from semipunct.tasks.restore import RestoreOptions
        from semipunct.tasks.restore import restore as run
        from semipunct.tasks.restore_words import restore_words as run_on_words

    options = RestoreOptions(
        samples, seed, minimise.value, frozenset(marks.split()) if marks else None,
        min_confidence, nbest, keep.value, mistaken,
    )  # fmt: skip
    with phase("loading the model"):
        loaded = load(model, PunctuationModel)
        options.check(loaded.model)
        fitted = InPlace.of(loaded)
        trees_of = load(parser, Parser) if parser is not None else None
    enable_compilation_cache()
    from semipunct.formats import format_of, read_entries, read_words

    # What is compared needs the input's own punctuation as a treebank has it.
    bare = trees_of is not None and not gold
    form_in = format_of(*inputs, words=bare)  # before any of it is read
    entries = read_words(inputs) if bare else read_entries(inputs)
    omitted: Counter[str] = Counter()
    with phase("reading"):
        first: list[Any] = list(islice(entries, CHUNK))
    writer = form_in.writer(first)
    unseen = Unseen(loaded.model)

    def restored(sentences: "Sequence[Any]", number: int) -> "Sequence[Restoration]":
        if trees_of is not None:
            found = run_on_words(fitted, trees_of, sentences, options, trees=trees, first=number)
            unseen.look_at([one.sentence for one in found])
            return found
        unseen.look_at(sentences)
        return run(fitted, sentences, options, first=number)

    outcomes = _outcomes(chain(first, entries), restored, omitted)
    done: list[Restoration] = []
    to = out if gold else out or console.STANDARD
    with sentence_progress("restoring", to, quiet=quiet) as counted:
        outcomes = counted(outcomes)
        if gold:
            outcomes = list(outcomes)
            done = [found for _, found in outcomes if found]
        # Where nothing can be compared nothing is written.
        if not gold or (done and out is not None):
            with console.output(out or console.STANDARD) as stream:
                _write(outcomes, form, writer, stream, parsed=trees_of is not None)
    for reason, number in omitted.items():
        console.say(f"{console.count(number, 'sentence')} left alone: {reason}")
    unseen.say()
    if gold:
        report(model, loaded.digest, done, options, confusions, json=json, path=result)


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


def _write(
    outcomes: "Iterable[Outcome]",
    form: Format,
    writer: "Writer[Any]",
    stream: TextIO,
    *,
    parsed: bool,
) -> None:
    from semipunct.corpus import Omitted
    from semipunct.formats.conllu import Conllu
    from semipunct.formats.text import TextWriter
    from semipunct.render.analyses import dump, omitted_as_dict
    from semipunct.render.restorations import as_dict, in_own_characters
    from semipunct.tasks.restore import LISTED

    if form is Format.CONLLU and parsed:
        outcomes, writer = _with_trees(outcomes), Conllu().writer()
    # Lines of a text come back as they were, the empty ones among them.
    if form is Format.CONLLU or (form is Format.TEXT and isinstance(writer, TextWriter)):
        writer.write(
            (
                writer.punctuated(entry, found.written) if found else writer.unchanged(entry)
                for entry, found in outcomes
            ),
            stream,
        )
        return
    for entry, found in outcomes:
        text = writer.text(entry, found.written) if found else ""
        if form is Format.TEXT:
            stream.write(text + "\n")
        elif found:
            own = in_own_characters(found, writer.spelt(entry, found.written))
            stream.write(dump(as_dict(own, text, entry.word_ids, LISTED)) + "\n")
        elif isinstance(entry.content, Omitted):
            omitted = omitted_as_dict(entry.content, entry.content.reason)
            stream.write(dump(omitted) + "\n")


def _with_trees(outcomes: "Iterable[Outcome]") -> "Iterator[Outcome]":
    """Give entries the tags and trees of a parser; text without words has no place in CoNLL-U."""
    from semipunct.formats.conllu import Record, analysed_entry

    for entry, found in outcomes:
        if found:
            yield analysed_entry(entry, found.sentence), found
        elif isinstance(entry.record, Record):
            yield entry, None
