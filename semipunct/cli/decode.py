"""``semipunct decode``: the underlying tree of each sentence of a treebank."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Annotated, cast

import typer

from semipunct.cli import console
from semipunct.cli.treebanks import Unseen, in_chunks
from semipunct.errors import SemipunctError, UsageError

if TYPE_CHECKING:
    from semipunct.corpus.sentences import Omitted, Sentence
    from semipunct.inference.decode import Analysis
    from semipunct.models.punctuation.model import Parameters, PunctuationModel
    from semirings.derivation import Selective

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
    from semipunct.corpus.sentences import TreebankOptions, iterate_sentences
    from semipunct.models.punctuation.model import PunctuationModel
    from semipunct.store.models import load

    loaded = load(model, PunctuationModel)
    parameters = {name: jnp.asarray(value) for name, value in loaded.parameters.items()}
    enable_compilation_cache()
    options = TreebankOptions(final_mark=loaded.model.options.final_mark)
    items = chain.from_iterable(iterate_sentences(path, options) for path in inputs)
    omitted: Counter[str] = Counter()
    unseen = Unseen(loaded.model)

    def analyse(sentences: "Sequence[Sentence]", chunk: int) -> "list[list[Analysis]]":
        unseen.look_at(sentences)
        return decoder.analyse(loaded.model, parameters, sentences, chunk)

    analysed = _analysed(items, analyse, omitted)
    with console.output(out) as stream:
        if form is Format.CONLLU:
            from semipunct.formats.conllu.records import write_texts

            write_texts(
                (text for item in analysed for text in _texts(item, form, decoder.label)), stream
            )
        else:
            for item in analysed:
                stream.writelines(f"{text}\n" for text in _texts(item, form, decoder.label))
    for reason, number in omitted.items():
        console.say(f"{console.count(number, 'sentence')} not analysed: {reason}")
    unseen.say()


@dataclass(frozen=True, slots=True)
class Outcome:
    """A sentence with its analyses, or the reason why it has none."""

    sentence: "Sentence | Omitted"
    analyses: "Sequence[Analysis]"
    reason: str = ""


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
    from semirings import Derivation, KBest, Sampling
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
    if isinstance(chosen, Derivation) or chosen.laws.selective:
        by = chosen if isinstance(chosen, Derivation) else Derivation(cast("Selective", chosen))
        return Decoder(
            lambda m, p, sentences, _: [[a] if a else [] for a in best(m, p, sentences, by)]
        )
    able = {
        key: plugin
        for key, plugin in plugins.items()
        if plugin.semiring
        and (
            plugin.semiring.laws.selective
            or isinstance(plugin.semiring, Sampling | KBest | Derivation)
        )
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
    items: "Iterable[Sentence | Omitted]",
    decoder: "Callable[[Sequence[Sentence], int], list[list[Analysis]]]",
    omitted: Counter[str],
) -> Iterator[Outcome]:
    from semipunct.corpus.sentences import Sentence
    from semipunct.render.analyses import NO_ANALYSIS

    for number, chunk in enumerate(in_chunks(items, CHUNK)):
        sentences = [item for item in chunk if isinstance(item, Sentence)]
        found = iter(decoder(sentences, number) if sentences else [])
        for item in chunk:
            analyses = next(found) if isinstance(item, Sentence) else []
            if analyses:
                yield Outcome(item, analyses)
                continue
            reason = NO_ANALYSIS if isinstance(item, Sentence) else item.reason
            omitted[reason] += 1
            yield Outcome(item, [], reason)


def _texts(outcome: Outcome, form: Format, label: str) -> Iterator[str]:
    from semipunct.render import analyses as formats

    if not outcome.analyses:
        leave_out = {
            Format.CONLLU: formats.omitted_to_conllu,
            Format.BRACKETS: formats.omitted_to_brackets,
            Format.JSON: formats.omitted_to_json,
        }
        yield leave_out[form](outcome.sentence, outcome.reason)
    for k, analysis in enumerate(outcome.analyses, start=1):
        number = k if label else None
        if form is Format.CONLLU:
            yield formats.to_conllu(analysis, number, label)
        elif form is Format.JSON:
            yield formats.to_json(analysis, number, label)
        else:
            yield formats.to_brackets(analysis)
