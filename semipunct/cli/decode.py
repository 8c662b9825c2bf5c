"""``semipunct decode``: the underlying tree of each sentence of a treebank."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semipunct.cli import console
from semipunct.cli.treebanks import Unseen, in_chunks
from semipunct.errors import SemipunctError, UsageError

if TYPE_CHECKING:
    from semipunct.corpus import Sentence
    from semipunct.corpus.treebank import AnyEntry
    from semipunct.formats import Writer
    from semipunct.inference.decode import Analysis
    from semipunct.models.punctuation.model import Parameters, PunctuationModel

CHUNK = 1024
"""Sentences held in memory at a time."""


class Format(StrEnum):
    """How analyses are written."""

    CONLLU = "conllu"
    BRACKETS = "brackets"
    JSON = "json"


def decode(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model folder.")],
    inputs: Annotated[
        list[str], typer.Argument(metavar="IN...", help="Treebanks in CoNLL-U, '-' for stdin.")
    ],
    out: Annotated[
        str, typer.Option("-o", "--output", metavar="OUT", help="Where to write, '-' for stdout.")
    ] = console.STANDARD,
    semiring: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="viterbi: the best tree; kbest: the best few; sampling: trees drawn from "
            "the posterior; or another one of 'semipunct semirings list'.",
        ),
    ] = "viterbi",
    samples: Annotated[
        int | None, typer.Option(min=1, help="With sampling: trees drawn for each sentence [1].")
    ] = None,
    nbest: Annotated[
        int | None, typer.Option(min=1, help="With kbest: different trees for each sentence [4].")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="With sampling: fixes what is drawn.")] = 0,
    form: Annotated[
        Format, typer.Option("--format", help="conllu keeps the input and adds attributes.")
    ] = Format.CONLLU,
) -> None:
    """Find the underlying punctuation tree of each sentence, with its log-probabilities.

    Sentences that the model cannot take are passed through and counted.
    """
    decoder = choose_decoder(semiring, samples, nbest, seed)
    import jax.numpy as jnp

    from semipunct.arrays.compilation import enable_compilation_cache
    from semipunct.formats import format_of, read_entries
    from semipunct.models.punctuation.model import PunctuationModel
    from semipunct.store.checkpoint import load

    loaded = load(model, PunctuationModel)
    parameters = {name: jnp.asarray(value) for name, value in loaded.parameters.items()}
    enable_compilation_cache()
    writer = format_of(*inputs).writer()
    omitted: Counter[str] = Counter()
    unseen = Unseen(loaded.model)

    def analyse(sentences: "Sequence[Sentence]", chunk: int) -> "list[list[Analysis]]":
        unseen.look_at(sentences)
        return decoder.analyse(loaded.model, parameters, sentences, chunk)

    analysed = _analysed(read_entries(inputs), analyse, omitted)
    with console.output(out) as stream:
        if form is Format.CONLLU:
            texts = (_annotated(item, writer, decoder.label) for item in analysed)
            writer.write(chain.from_iterable(texts), stream)
        else:
            for item in analysed:
                stream.writelines(f"{text}\n" for text in _texts(item, form, decoder.label))
    for reason, number in omitted.items():
        console.say(f"{console.count(number, 'sentence')} not analysed: {reason}")
    unseen.say()


@dataclass(frozen=True, slots=True)
class Outcome:
    """A sentence with its analyses, or the reason why it has none."""

    entry: "AnyEntry"
    analyses: "Sequence[Analysis]"
    reason: str = ""

    def numbered(self, label: str) -> "Iterator[tuple[Analysis, int | None]]":
        """Yield the analyses, with their numbers where there is a label."""
        for number, analysis in enumerate(self.analyses, start=1):
            yield analysis, number if label else None


@dataclass(frozen=True, slots=True)
class Decoder:
    """A way to analyse sentences.

    `analyse` goes from model, weights, sentences and the number of their chunk to the analyses
    of each sentence; where they have a `label` they are numbered in the output.
    """

    analyse: """Callable[
        [PunctuationModel, Parameters, Sequence[Sentence], int], list[list[Analysis]]
    ]"""
    label: str = ""


def choose_decoder(name: str, samples: int | None, nbest: int | None, seed: int) -> Decoder:
    """Find the semiring of that name and what decoding with it means.

    A selective semiring gives the best derivation, ``kbest`` the best few, ``sampling`` draws from
    the posterior. Raises `UsageError` if there is no such semiring, if it cannot decode, or if
    `samples` or `nbest` is given where it means nothing; `SemipunctError` if it cannot be loaded.
    """
    from semirings import Derivation, KBest, Sampling, Selective
    from semirings.plugins import available

    plugins = available()
    if name not in plugins:
        raise UsageError(f"there is no semiring {name!r}; {console.nearest(name, plugins)}")
    chosen = plugins[name].semiring
    if chosen is None:
        raise SemipunctError(
            f"the semiring {name!r} of {plugins[name].distribution} {plugins[name].version} cannot "
            f"be loaded ({plugins[name].fault}); repair or remove that package"
        )
    if samples is not None and not isinstance(chosen, Sampling):
        raise UsageError(f"--samples needs --semiring sampling; {name} draws nothing")
    if nbest is not None and not isinstance(chosen, KBest):
        raise UsageError(f"--nbest needs --semiring kbest; {name} ranks nothing")
    from semipunct.inference.decode import best, best_of, sample

    if isinstance(chosen, Sampling):
        draws = samples or 1
        return Decoder(
            lambda m, p, sentences, chunk: sample(m, p, sentences, draws, _seed(seed, chunk)),
            label="sample",
        )
    if isinstance(chosen, KBest):
        count = nbest or chosen.k
        return Decoder(lambda m, p, sentences, _: best_of(m, p, sentences, count), label="rank")
    if isinstance(chosen, Selective):
        by = chosen if isinstance(chosen, Derivation) else Derivation(chosen)
        return Decoder(
            lambda m, p, sentences, _: [[a] if a else [] for a in best(m, p, sentences, by)]
        )
    able = {
        key: plugin
        for key, plugin in plugins.items()
        if isinstance(plugin.semiring, Selective | Sampling | KBest)
    }
    raise UsageError(
        f"the semiring {name} adds where decoding has to choose (it is not selective); "
        f"take one of: {', '.join(able)}"
    )


def _seed(seed: int, chunk: int) -> int:
    """A seed for each chunk of sentences, which must not share their random numbers."""
    import numpy as np

    return int(np.random.SeedSequence((seed, chunk)).generate_state(1)[0] >> 1)


def _analysed(
    entries: "Iterable[AnyEntry]",
    decoder: "Callable[[Sequence[Sentence], int], list[list[Analysis]]]",
    omitted: Counter[str],
) -> Iterator[Outcome]:
    from semipunct.corpus import Sentence
    from semipunct.render.analyses import NO_ANALYSIS

    for number, chunk in enumerate(in_chunks(entries, CHUNK)):
        sentences = [e.content for e in chunk if isinstance(e.content, Sentence)]
        found = iter(decoder(sentences, number) if sentences else [])
        for entry in chunk:
            analyses = next(found) if isinstance(entry.content, Sentence) else []
            if analyses:
                yield Outcome(entry, analyses)
                continue
            left_out = entry.content
            reason = NO_ANALYSIS if isinstance(left_out, Sentence) else left_out.reason
            omitted[reason] += 1
            yield Outcome(entry, [], reason)


def _annotated(outcome: Outcome, writer: "Writer[Any]", label: str) -> Iterator[str]:
    from semipunct.render.analyses import annotation, omission

    if not outcome.analyses:
        yield writer.annotated(outcome.entry, omission(outcome.reason))
    for analysis, number in outcome.numbered(label):
        yield writer.annotated(outcome.entry, annotation(analysis, number, label))


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
            yield render.to_brackets(analysis)
