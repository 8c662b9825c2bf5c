"""``semipunct decode``: the underlying tree of each sentence of a treebank."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO

import typer

from semipunct.cli import arguments, console
from semipunct.cli.completion import complete_semirings
from semipunct.cli.options import with_options
from semipunct.cli.parts import check_parts, make_parts
from semipunct.cli.timings import phase
from semipunct.tasks import limits
from semipunct.tasks.options import PartOptions

if TYPE_CHECKING:
    from semipunct.batches.parts import Part
    from semipunct.formats import Writer
    from semipunct.inference.decode import Analysis
    from semipunct.tasks.run import Chunk, Outcome


Format = Literal["conllu", "brackets", "json", "svg", "html"]


@with_options
def decode(
    model: arguments.Model,
    inputs: arguments.Treebanks,
    out: arguments.Output = console.STANDARD,
    parts: PartOptions = PartOptions(),
    semiring: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=complete_semirings,
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
            "three columns if a sentence has several trees; json: one object per line; svg: a "
            "picture of all trees; html: one page with a picture of each tree, for a browser.",
        ),
    ] = "conllu",
    quiet: arguments.Quiet = False,
) -> None:
    """Find the underlying punctuation tree of each sentence, with its log-probabilities.

    They are that of the marks given the tree of words (log likelihood), of underlying tree and
    marks together (log joint), and of the underlying tree given the marks (log posterior).
    Sentences that the model cannot process are passed through and counted.
    """
    with phase("importing"):
        from semipunct.tasks.decode import choose_decoder

    decoder = choose_decoder(semiring, samples, nbest, seed)
    check_parts(
        parts,
        inputs,
        {
            "--output": out != console.STANDARD, f"--format {form}": form in ("svg", "html"),
            # A thousand sentences share their random numbers.
            f"--semiring {semiring}": decoder.draws,
        }
    )  # fmt: skip
    console.check_targets(out, inputs=inputs, kept=(model,))
    with phase("importing"):
        from semipunct.cli.compiling import keep_programs
        from semipunct.cli.progress import sentence_progress
        from semipunct.formats import format_of, read_entries
        from semipunct.kinds.reading import unit_of
        from semipunct.marks import legend
        from semipunct.models.punctuation.model import PunctuationModel
        from semipunct.render.analyses import NO_ANALYSIS, shown_tokens
        from semipunct.store.checkpoint import load
        from semipunct.tasks.base import InPlace
        from semipunct.tasks.decode import CHUNK
        from semipunct.tasks.notices import Omissions, UnseenValues
        from semipunct.tasks.run import answer_entries

    with phase("loading the model"):
        loaded = load(model, PunctuationModel)
        fitted = InPlace.of(loaded)
    keep_programs()
    form_in = format_of(*inputs)
    writer = form_in.writer()
    omitted, unseen = Omissions("not analysed"), UnseenValues(fitted.model)
    shown: set[str] = set()

    def analyse(chunk: "Chunk") -> "Iterator[Sequence[Analysis] | None]":
        sentences = chunk.contents
        unseen.count(sentences)
        for analyses in decoder.analyse(fitted.model, fitted.parameters, sentences, chunk.number):
            if not analyses:
                omitted.count_reason(NO_ANALYSIS)
            yield analyses or None

    def write(analysed: "Iterator[Outcome[Sequence[Analysis]]]", stream: TextIO) -> None:
        if form == "conllu":
            texts = (_annotated(item, writer, decoder.label) for item in analysed)
            writer.write(chain.from_iterable(texts), stream)
        elif form == "svg":
            from semipunct.render.tree_pictures import picture

            stream.write(picture(tree for item in analysed for tree in item[1] or ()))
        elif form == "html":
            from semipunct.files import display_name
            from semipunct.render.trees_page import decoded_page

            trees = (_for_page(item, decoder.label) for item in analysed)
            stream.writelines(decoded_page(trees, ", ".join(map(display_name, inputs))))
        else:
            for item in analysed:
                stream.writelines(f"{text}\n" for text in _texts(item, form, decoder.label))
                if form == "brackets":
                    shown.update(*map(shown_tokens, item[1] or ()))

    def answer(files: Sequence[str]) -> "Iterator[Outcome[Sequence[Analysis]]]":
        return answer_entries(read_entries(files), analyse, omitted, size=CHUNK)

    if parts.folder is None:
        with (
            console.output(out) as stream,
            sentence_progress("decoding", out, quiet=quiet) as advancing,
        ):
            write(advancing(answer(inputs)), stream)
    else:

        def write_part(part: "Part", sections: Sequence[str], stream: TextIO) -> Sequence[str]:
            write(answer(sections), stream)
            return ()

        make_parts(
            parts,
            unit_of(form_in, tokenised=False),
            write_part,
            inputs=inputs,
            settings={
                "command": "decode",
                "models": [loaded.digest],
                "options": {"semiring": semiring, "nbest": nbest, "format": form},
            },
            quiet=quiet,
            chunk=CHUNK,
        )
    console.say_all(omitted.messages())
    if explanation := legend(shown):
        console.say(explanation)
    console.say_all(unseen.messages())


def _numbered(
    analyses: "Sequence[Analysis]", label: str
) -> "Iterator[tuple[Analysis, int | None]]":
    """Yield analyses, numbered if there is a label."""
    for number, analysis in enumerate(analyses, start=1):
        yield analysis, number if label else None


def _reason(outcome: "Outcome[Sequence[Analysis]]") -> str:
    """Return why a sentence has no analysis."""
    from semipunct.corpus import Omitted
    from semipunct.render.analyses import NO_ANALYSIS

    content = outcome[0].content
    return content.reason if isinstance(content, Omitted) else NO_ANALYSIS


def _annotated(
    outcome: "Outcome[Sequence[Analysis]]", writer: "Writer[Any]", label: str
) -> Iterator[str]:
    from semipunct.render.analyses import annotation, omission

    entry, analyses = outcome
    if analyses is None:
        yield writer.annotate(entry, omission(_reason(outcome)))
    for analysis, number in _numbered(analyses or (), label):
        yield writer.annotate(entry, annotation(analysis, number, label))


def _for_page(
    outcome: "Outcome[Sequence[Analysis]]", label: str
) -> "tuple[str, Sequence[tuple[str, Analysis]] | str]":
    """Return the ID of a sentence with its trees, or with the reason why it has none."""
    entry, analyses = outcome
    trees = [
        ("" if number is None else f"{label} {number}", analysis)
        for analysis, number in _numbered(analyses or (), label)
    ]
    return entry.content.sentence_id, trees or _reason(outcome)


def _texts(outcome: "Outcome[Sequence[Analysis]]", form: Format, label: str) -> Iterator[str]:
    from semipunct.render import analyses as render

    entry, analyses = outcome
    if analyses is None:
        reason = _reason(outcome)
        omitted = render.omitted_as_dict(entry.content, reason)
        brackets = render.omitted_to_brackets(entry.content, reason)
        yield render.dump(omitted) if form == "json" else brackets
    for analysis, number in _numbered(analyses or (), label):
        if form == "json":
            yield render.dump(render.as_dict(analysis, entry.word_ids, number, label))
        else:
            yield render.to_brackets(analysis, number)
