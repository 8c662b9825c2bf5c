"""``semipunct decode``: the underlying tree of each sentence of a treebank."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import arguments, console
from semipunct.cli.timings import phase
from semipunct.cli.treebanks import LeftOut, Unseen, in_chunks
from semipunct.tasks import limits

if TYPE_CHECKING:
    from semipunct.corpus import Sentence
    from semipunct.corpus.treebank import AnyEntry
    from semipunct.formats import Writer
    from semipunct.inference.decode import Analysis


class Format(StrEnum):
    """The formats that analyses are written in."""

    CONLLU = "conllu"
    BRACKETS = "brackets"
    JSON = "json"


def decode(
    model: arguments.Model,
    inputs: arguments.Treebanks,
    out: arguments.Output = console.STANDARD,
    semiring: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="viterbi: the best tree; kbest: the k best trees; sampling: trees drawn from "
            "the posterior; or another one of 'semipunct semirings list'.",
        ),
    ] = "viterbi",
    samples: Annotated[
        int | None,
        typer.Option(
            min=1, max=limits.TREES, help="With sampling: number of trees per sentence [1]."
        ),
    ] = None,
    nbest: Annotated[
        int | None,
        typer.Option(
            min=1, max=limits.RANKS, help="With kbest: number of different trees per sentence [4]."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="With sampling: random seed.")] = 0,
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="conllu: the input with added attributes; brackets: one tree per line, after "
            "three columns if a sentence has several trees; json: one object per line.",
        ),
    ] = Format.CONLLU,
    quiet: arguments.Quiet = False,
) -> None:
    """Find the underlying punctuation tree of each sentence, with its log-probabilities.

    Sentences that the model cannot process are passed through and counted.
    """
    with phase("importing"):
        from semipunct.tasks.decode import choose_decoder

    decoder = choose_decoder(semiring, samples, nbest, seed)
    console.check_targets(out, inputs=inputs, kept=(model,))
    with phase("importing"):
        from semipunct.cli.compiling import keep_programs
        from semipunct.cli.progress import sentence_progress
        from semipunct.formats import format_of, read_entries
        from semipunct.marks import legend
        from semipunct.models.punctuation.model import PunctuationModel
        from semipunct.render.analyses import shown_tokens
        from semipunct.store.checkpoint import load
        from semipunct.tasks.base import InPlace

    with phase("loading the model"):
        fitted = InPlace.of(load(model, PunctuationModel))
    keep_programs()
    writer = format_of(*inputs).writer()
    omitted = LeftOut("not analysed")
    shown: set[str] = set()
    unseen = Unseen(fitted.model)

    def analyse(sentences: "Sequence[Sentence]", chunk: int) -> "list[list[Analysis]]":
        unseen.look_at(sentences)
        return decoder.analyse(fitted.model, fitted.parameters, sentences, chunk)

    analysed = _analysed(read_entries(inputs), analyse, omitted)
    with (
        console.output(out) as stream,
        sentence_progress("decoding", out, quiet=quiet) as advancing,
    ):
        if form is Format.CONLLU:
            texts = (_annotated(item, writer, decoder.label) for item in advancing(analysed))
            writer.write(chain.from_iterable(texts), stream)
        else:
            for item in advancing(analysed):
                stream.writelines(f"{text}\n" for text in _texts(item, form, decoder.label))
                if form is Format.BRACKETS:
                    shown.update(*map(shown_tokens, item.analyses))
    omitted.say()
    if told := legend(shown):
        console.say(told)
    unseen.say()


@dataclass(frozen=True, slots=True)
class Outcome:
    """A sentence with its analyses, or the reason why it has none."""

    entry: "AnyEntry"
    analyses: "Sequence[Analysis]"
    reason: str = ""

    def numbered(self, label: str) -> "Iterator[tuple[Analysis, int | None]]":
        """Yield the analyses, numbered if there is a label."""
        for number, analysis in enumerate(self.analyses, start=1):
            yield analysis, number if label else None


def _analysed(
    entries: "Iterable[AnyEntry]",
    decoder: "Callable[[Sequence[Sentence], int], list[list[Analysis]]]",
    omitted: LeftOut,
) -> Iterator[Outcome]:
    from semipunct.corpus import Sentence
    from semipunct.render.analyses import NO_ANALYSIS
    from semipunct.tasks.decode import CHUNK

    for number, chunk in enumerate(in_chunks(entries, CHUNK)):
        sentences = [e.content for e in chunk if isinstance(e.content, Sentence)]
        found = iter(decoder(sentences, number) if sentences else [])
        for entry in chunk:
            analyses = next(found) if isinstance(entry.content, Sentence) else []
            if analyses:
                yield Outcome(entry, analyses)
                continue
            if isinstance(entry.content, Sentence):
                omitted.count_reason(NO_ANALYSIS)
                yield Outcome(entry, [], NO_ANALYSIS)
            else:
                omitted.count(entry.content)
                yield Outcome(entry, [], entry.content.reason)


def _annotated(outcome: Outcome, writer: "Writer[Any]", label: str) -> Iterator[str]:
    from semipunct.render.analyses import annotation, omission

    if not outcome.analyses:
        yield writer.annotate(outcome.entry, omission(outcome.reason))
    for analysis, number in outcome.numbered(label):
        yield writer.annotate(outcome.entry, annotation(analysis, number, label))


def _texts(outcome: Outcome, form: Format, label: str) -> Iterator[str]:
    from semipunct.render import analyses as render

    entry = outcome.entry
    if not outcome.analyses:
        omitted = render.omitted_as_dict(entry.content, outcome.reason)
        brackets = render.omitted_to_brackets(entry.content, outcome.reason)
        yield render.dump(omitted) if form is Format.JSON else brackets
    for analysis, number in outcome.numbered(label):
        if form is Format.JSON:
            yield render.dump(render.as_dict(analysis, entry.word_ids, number, label))
        else:
            yield render.to_brackets(analysis, number)
