"""``semipunct parse``: tag and parse words."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import arguments, console
from semipunct.cli.parse_phrases import parse_into_phrases
from semipunct.cli.timings import phase
from semipunct.cli.treebanks import InPieces, LeftOut, in_chunks
from semipunct.errors import UsageError
from semipunct.tasks import limits

if TYPE_CHECKING:
    from semipunct.corpus import Sentence, Words
    from semipunct.corpus.treebank import AnyEntry, WordsEntry
    from semipunct.tasks.base import Trained
    from semipunct.tasks.parse import Parse, ParseOptions

    Outcome = tuple[WordsEntry | AnyEntry, Sequence[Parse]]

DERIVATIONS = "ccg-parser"
"""The kind of model that predicts derivations instead of dependency trees."""

TAGGED = "beam-parser"
"""The kind of model that reads tags and punctuation."""

CHUNK = 1024
"""Sentences parsed at a time."""


class Decoder(StrEnum):
    """The criteria for choosing a tree."""

    RISK = "risk"
    BEST = "best"


def parse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Folder of a parser.")],
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN...",
            help="CoNLL-U or text (.txt), and for a parser of phrases also trees in brackets "
            "(.mrg); '-' for stdin.",
        ),
    ],
    out: arguments.OptionalOutput = None,
    tokeniser: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENISER",
            help="Folder of a tokeniser, which splits running text into sentences and words. "
            "Without it, each line is a sentence, and blanks separate words.",
        ),
    ] = None,
    decoder: Annotated[
        Decoder,
        typer.Option(help="risk: most expected correct arcs; best: the most probable tree."),
    ] = Decoder.RISK,
    trees: Annotated[
        int, typer.Option(metavar="K", min=0, max=limits.TREES, help="Draw K trees per sentence.")
    ] = 0,
    nbest: Annotated[
        int,
        typer.Option(metavar="K", min=0, max=limits.RANKS, help="Write the K most probable trees."),
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, help="With --trees: random seed.")] = 0,
    punctuation: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Folder of a punctuation model, which reranks the parser's most probable trees by "
            "the punctuation of the input.",
        ),
    ] = None,
    weight: Annotated[
        float, typer.Option(metavar="W", min=0, help="With --punctuation: weight of its score.")
    ] = 1.0,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities", help="Add probabilities of heads, relations and tags to MISC."
        ),
    ] = False,
    gold: Annotated[
        bool, typer.Option("--gold", help="Evaluate against the trees and tags of the input.")
    ] = False,
    json: arguments.GoldJson = False,
    result: arguments.GoldResult = None,
    quiet: arguments.Quiet = False,
) -> None:
    """Tag words and parse them into dependency trees, or with a parser of phrases into phrases.

    Punctuation is attached by rule. It influences the parse only with --punctuation, or if the
    parser was trained with model.marks. Tags and trees of the input are ignored; with --gold, those
    of the parser are evaluated against them, without punctuation. A model of the kind beam-parser
    reads the tags and the punctuation of its input (.conllu, .dp), and one of the kind ccg-parser
    reads words with tags (.auto) and writes derivations.
    """
    if (json or result) and not gold:
        raise UsageError(f"{'--json' if json else '--result'} needs --gold; give it as well")
    if trees and nbest:
        raise UsageError("--trees and --nbest cannot be combined; give one of the two")
    if (trees or nbest) and (gold or probabilities):
        raise UsageError(
            f"{'--gold' if gold else '--probabilities'} needs one tree per sentence; leave out "
            "--trees and --nbest"
        )
    if punctuation is not None and (trees or nbest or probabilities):
        raise UsageError(
            "--punctuation chooses one tree for each sentence; leave out --trees, --nbest and "
            "--probabilities"
        )
    if weight != 1 and punctuation is None:
        raise UsageError("--weight needs --punctuation; give a punctuation model as well")
    if tokeniser is not None and gold:
        raise UsageError(
            "--tokeniser reads text, which has no trees; --gold needs a treebank to compare with"
        )
    arguments.check_figures(out, result, printed=json)
    console.check_targets(out, figures=result, inputs=inputs, kept=(model, tokeniser, punctuation))
    with phase("importing"):
        from semipunct.cli.compiling import keep_programs
        from semipunct.cli.derivations import parse_derivations
        from semipunct.cli.progress import sentence_progress
        from semipunct.cli.running_text import read_running_text, running_text_format
        from semipunct.cli.tagged_treebanks import parse_by_beam
        from semipunct.formats import read_words
        from semipunct.models.constituency.parser import PhraseParser
        from semipunct.models.parsing.parser import Parser
        from semipunct.models.punctuation.model import PunctuationModel
        from semipunct.models.segmentation.tokeniser import Tokeniser
        from semipunct.store.checkpoint import load, of_kind
        from semipunct.tasks.parse import ParseOptions, parsing_signature
        from semipunct.tasks.parse import parse as run
        from semipunct.tasks.parse_punctuated import parse_punctuated

    with phase("loading the model"):
        loaded = load(model)
        words_of = load(tokeniser, Tokeniser) if tokeniser is not None else None
        marks_of = load(punctuation, PunctuationModel) if punctuation is not None else None
    others = {
        "--decoder": decoder is not Decoder.RISK, "--trees": trees, "--nbest": nbest,
        "--punctuation": punctuation, "--probabilities": probabilities,
    }  # fmt: skip
    if isinstance(loaded.model, PhraseParser):
        _refuse(loaded.model.kind, others)
        parse_into_phrases(
            loaded, inputs, out, words_of, gold=gold, json=json, path=result, quiet=quiet
        )
        return
    if loaded.model.kind in (TAGGED, DERIVATIONS):
        _refuse(loaded.model.kind, {"--tokeniser": tokeniser, **others})
        keep_programs()
        run_on_tags = parse_by_beam if loaded.model.kind == TAGGED else parse_derivations
        run_on_tags(loaded, inputs, out, gold=gold, json=json, path=result, quiet=quiet)
        return
    loaded = of_kind(loaded, Parser)
    keep_programs()
    options = ParseOptions(decoder.value, seed)

    def parsed(words: "Sequence[Sentence | Words]") -> "list[Parse]":
        if marks_of is not None:
            return parse_punctuated(loaded, marks_of, words, weight=weight)
        return run(loaded, words, options)

    omitted = LeftOut("not parsed")
    cut = InPieces()
    outcomes: Iterable[Outcome]
    if gold:
        marks = "" if marks_of is None else f"+{weight:g}*{marks_of.digest[:12]}"

        def signature(sentences: "Sequence[Sentence]") -> str:
            return parsing_signature(loaded.digest[:12] + marks, sentences, options)

        outcomes = _compared(parsed, signature, model, inputs, json=json, path=result)
        if out is None:
            return
    else:
        if words_of is not None:
            running_text_format(inputs)
            entries = read_running_text(inputs, words_of)
        else:
            entries = read_words(inputs)
        outcomes = _outcomes(entries, parsed, loaded, options, trees, nbest, omitted, cut)
    label = "sample" if trees else "rank" if nbest else ""
    with (
        console.output(out or console.STANDARD) as stream,
        sentence_progress("parsing", out or console.STANDARD, quiet=quiet) as advancing,
    ):
        texts = (_texts(outcome, label, probabilities) for outcome in advancing(outcomes))
        from semipunct.formats.conllu import Conllu

        Conllu().writer().write(chain.from_iterable(texts), stream)
    omitted.say()
    cut.say()


def _refuse(kind: str, options: "Mapping[str, object]") -> None:
    """Refuse the given ones of some options, which parsers of a kind do not support."""
    given = [name for name, value in options.items() if value]
    if given:
        raise UsageError(
            f"a model of the kind {kind} does not support {', '.join(given)}; leave it out"
        )


def _outcomes(
    entries: "Iterable[WordsEntry]",
    parsed: "Callable[[Sequence[Any]], list[Parse]]",
    loaded: "Trained[Any]",
    options: "ParseOptions",
    trees: int,
    nbest: int,
    omitted: LeftOut,
    cut: InPieces,
) -> "Iterator[Outcome]":
    from semipunct.corpus import Words
    from semipunct.tasks.parse import parses

    number = 0
    for chunk in in_chunks(entries, CHUNK):
        words = [e.content for e in chunk if isinstance(e.content, Words)]
        found: Sequence[Sequence[Parse]]
        if trees or nbest:
            found = parses(loaded, words, trees or nbest, options, draw=trees > 0, first=number)
        else:
            found = [[one] for one in parsed(words)]
        cut.look_at(words)
        number += len(words)
        rest = iter(found)
        for entry in chunk:
            if isinstance(entry.content, Words):
                yield entry, next(rest)
            else:
                omitted.count(entry.content)
                yield entry, ()


def _texts(outcome: "Outcome", label: str, probabilities: bool) -> Iterator[str]:
    from semipunct.formats.conllu import Conllu, Record
    from semipunct.render.parses import parsed_texts

    entry, found = outcome
    if not found and isinstance(entry.record, Record):
        yield Conllu().writer().source_text(entry)
    yield from parsed_texts(entry, found, label, probabilities=probabilities)


def _compared(
    parsed: "Callable[[Sequence[Any]], list[Parse]]",
    signature: "Callable[[Sequence[Sentence]], str]",
    model: str,
    inputs: "Sequence[str]",
    *,
    json: bool,
    path: str | None,
) -> "list[Outcome]":
    """Print how the parser's trees and tags compare with those of the input, and store it.

    Return all sentences with their parses, so that standard input is read only once.
    """
    from semipunct.cli.parsing_report import report
    from semipunct.cli.treebanks import check_any
    from semipunct.corpus import Omitted, Treebank
    from semipunct.formats import read_entries

    entries = [*read_entries(inputs)]
    treebank = Treebank.of(entries)
    check_any(treebank, inputs, "sentence")
    cut = InPieces()
    cut.look_at(treebank.sentences)
    found = parsed(treebank.sentences)
    cut.say()
    report(
        model, signature(treebank.sentences), treebank, [one.sentence for one in found],
        json=json, path=path,
    )  # fmt: skip
    rest = iter(found)
    return [(e, () if isinstance(e.content, Omitted) else (next(rest),)) for e in entries]
