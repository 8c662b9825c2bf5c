"""Comma restoration (Shieber and Tao 2003)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Any, TextIO, TypeVar

import numpy as np

from semipunct.corpus import Entry, Words
from semipunct.corpus.examples import treebank_digest
from semipunct.corpus.located import Located
from semipunct.corpus.sentences import MISSING, Sentence, dotted_forms
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.errors import ModelError, TreebankError, UsageError
from semipunct.evaluation.results import Result, figures_signature
from semipunct.formats import Writer, format_of, read_words
from semipunct.marks import SILENT, Puncteme
from semipunct.marks.penn import tagged_mark
from semipunct.marks.spacing import may_stand_between
from semipunct.papers.commas.delimiters import DelimiterModel
from semipunct.papers.commas.figures import BracketStatistics, bracket_statistics
from semipunct.papers.commas.model import CommaModel
from semipunct.papers.commas.ngrams import MARK
from semipunct.papers.commas.parser import PhraseFinder, PhraseParser, read_tree
from semipunct.papers.commas.ptb import (
    COMMA_TAGS,
    PTB,
    read_phrases,
    read_whole_phrases,
    write_phrases,
)
from semipunct.papers.commas.restorer import COMMA_MODELS, CommaRestorer, Commas
from semipunct.papers.commas.trees import PhraseTree, prune_words
from semipunct.pipelines import limits
from semipunct.pipelines.assessment import Assessment, assess_restorations, restorations_of
from semipunct.pipelines.chunks import Chunk, Outcome
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.notices import LongSentences, Omissions
from semipunct.pipelines.options import ParseOptions, RestoreOptions
from semipunct.pipelines.parsing import beyond_trees
from semipunct.pipelines.results import Restoration
from semipunct.pipelines.segmentation import (
    read_running_text,
    running_text_format,
    sentences_of_text,
)
from semipunct.pipelines.task import (
    Documents,
    EvaluateRequest,
    Helpers,
    Request,
    Task,
    Tasks,
)
from semipunct.pipelines.trained import Trained, model_of_kind
from semipunct.pipelines.writing import RestoreTask

T = TypeVar("T")


def with_marks_as_words(sentence: Words, predicted: Set[str]) -> Words:
    """Turn marks that are not predicted into words, spelt as in the Penn Treebank."""
    forms: list[str] = []
    slots: list[list[str]] = []
    closed: set[int] = set()
    for number, form in enumerate(("", *sentence.forms)):
        slot, first = sentence.slots[number], len(slots)
        if form:
            forms.append(form)
        slots.append([])
        for token in slot:
            if token in predicted or token in SILENT:
                slots[-1].append(token)
            else:
                forms.append(tagged_mark(token)[1])
                slots.append([])
        if number in sentence.closed:
            closed.update(range(first, len(slots)))
    return replace(
        sentence, forms=tuple(forms), slots=tuple(map(tuple, slots)), closed=frozenset(closed)
    )


def slots_of_words(sentence: Words, slots: Sequence[T], predicted: Set[str]) -> list[list[T]]:
    """Group results for the slots of ``with_marks_as_words`` by the original slots."""
    groups: list[list[T]] = []
    remaining = iter(slots)
    for slot in sentence.slots:
        marks_as_words = sum(token not in predicted and token not in SILENT for token in slot)
        groups.append([next(remaining) for _ in range(marks_as_words + 1)])
    return groups


def join_marks(slot: Puncteme, parts: Sequence[Puncteme], predicted: Set[str]) -> Puncteme:
    """Insert the marks that were words between the predicted parts of a slot."""
    marks_as_words = [token for token in slot if token not in predicted and token not in SILENT]
    joined = list(parts[0])
    for token, part in zip(marks_as_words, parts[1:], strict=True):
        joined += (token, *part)
    return tuple(joined)


def interleave_marks(sentence: Sentence[Any] | Words) -> tuple[list[str], list[int]]:
    """Return words and marks in order, and the positions of the marks, from 1."""
    tokens: list[str] = []
    marks: list[int] = []
    for form, slot in zip(("", *dotted_forms(sentence)), sentence.slots, strict=True):
        if form:
            tokens.append(form)
        for token in slot:
            if token not in SILENT:
                tokens.append(tagged_mark(token)[1])
                marks.append(len(tokens))
    return tokens, marks


JOINED = "FRAG"
"""Label of the node above the pieces of a sentence that is too long to parse at once."""


def phrase_trees(model: Trained[Any], sentences: Sequence[Sequence[str]]) -> list[PhraseTree]:
    """Parse words into phrases.

    Sentences of more than ``limits.PARSED`` words are parsed in pieces, to bound memory.
    """
    fitted = model_of_kind(model, PhraseParser)
    most = limits.PARSED
    pieces = [
        [forms[start : start + most] for start in range(0, len(forms), most)] for forms in sentences
    ]
    trees = iter(
        PhraseFinder(fitted, model.parameters).trees(
            [piece for pieces_of_sentence in pieces for piece in pieces_of_sentence]
        )
    )
    return [_joined([next(trees) for _ in pieces_of_sentence]) for pieces_of_sentence in pieces]


def _joined(trees: Sequence[PhraseTree]) -> PhraseTree:
    if len(trees) == 1:
        return trees[0]
    return PhraseTree(
        (0, *(depth + 1 for tree in trees for depth in tree.depths)),
        (JOINED, *(label for tree in trees for label in tree.categories)),
    )


def parse_phrases(
    model: Trained[Any], sentences: Sequence[Sentence[Any] | Words]
) -> list[Sentence[PhraseTree]]:
    """Parse sentences with commas in their slots and all other marks among the words.

    A parser that reads commas gets them as words, which are pruned from its trees.
    """
    fitted = model_of_kind(model, PhraseParser)
    if fitted.options.commas:
        read = [interleave_marks(s) for s in sentences]
        trees = phrase_trees(model, [tokens for tokens, _ in read])
        trees = [prune_words(tree, marks) for tree, (_, marks) in zip(trees, read, strict=True)]
    else:
        trees = phrase_trees(model, [dotted_forms(s) for s in sentences])
    return [with_phrases(s, tree) for s, tree in zip(sentences, trees, strict=True)]


def with_phrases(sentence: Sentence[Any] | Words, tree: PhraseTree) -> Sentence[PhraseTree]:
    """Set the tree of a sentence, and its parts of speech."""
    s = sentence
    nothing = (MISSING,) * len(s.forms)
    return Sentence(
        s.sentence_id, s.path, s.line, s.forms, nothing, nothing, tree.tags, nothing, tree, s.slots,
        closed=s.closed, source=s.source,
    )  # fmt: skip


def restore_commas(
    model: Trained[Any],
    sentences: Sequence[Sentence[PhraseTree] | OmittedT],
    options: RestoreOptions | None = None,
    **settings: Any,
) -> list[Restoration[Sentence[Any]] | OmittedT]:
    """Restore the commas of sentences, given their phrases.

    With ``minimise="slots"`` a slot gets a comma if its marginal probability is above 0.5; with
    ``"draws"`` the result is the most probable sequence, as in the paper.

    Args:
        model: a comma model with its weights.
        sentences: words and phrases. Omitted ones pass through.
        options: ``keep`` must be ``replace`` or ``keep``.
        **settings: attributes of ``RestoreOptions``, which override ``options``.

    Raises:
        UsageError: if an option is invalid for a comma model.
        ModelError: if the model is of another kind.
    """
    options = replace(options or RestoreOptions(), **settings)
    check(options)
    fitted = model.model
    if not isinstance(fitted, COMMA_MODELS):
        fitted = model_of_kind(model, CommaModel)
    if isinstance(fitted, DelimiterModel) and options.nbest > 1:
        raise UsageError("a model of the kind phrase-commas has one best result; leave out --nbest")
    restorer = CommaRestorer(fitted, model.parameters)
    usable: list[Sentence[PhraseTree]] = without_omitted(sentences)
    commas_of_all = restorer.commas(usable, max(1, options.nbest))
    restored = [
        _restored(s, commas, options) for s, commas in zip(usable, commas_of_all, strict=True)
    ]
    return with_omitted(sentences, restored)


def restore_commas_of_words(
    model: Trained[Any],
    parser: Trained[Any],
    sentences: Sequence[Sentence[Any] | Words | OmittedT],
    options: RestoreOptions | None = None,
    **settings: Any,
) -> list[Restoration[Sentence[Any] | Words] | OmittedT]:
    """Restore the commas of sentences, given the phrases predicted by a parser.

    Args:
        model: a comma model with its weights.
        parser: a phrase parser that reads no commas, with its weights.
        sentences: sentences of bracketed trees, with all marks but commas among the words; or
            words, with all marks in slots. Omitted ones pass through.
        options: as for ``restore_commas``.
        **settings: likewise.
    """
    options = replace(options or RestoreOptions(), **settings)
    check(options)
    if model_of_kind(parser, PhraseParser).options.commas:
        raise ModelError(
            "the parser reads commas, which are to be restored; name one that was trained with "
            "model.commas=false"
        )
    usable: list[Sentence[Any] | Words] = without_omitted(sentences)
    read = [with_marks_as_words(s, _PREDICTED) if isinstance(s, Words) else s for s in usable]
    restorations = restore_commas(model, parse_phrases(parser, read), options)
    restored = [
        _with_own_slots(s, restoration) if isinstance(s, Words) else restoration
        for s, restoration in zip(usable, restorations, strict=True)
    ]
    return with_omitted(sentences, restored)


_PREDICTED = frozenset((MARK,))


def _with_own_slots(sentence: Words, restoration: Restoration[Sentence[Any]]) -> Restoration[Words]:
    """Map a result for a sentence with marks as words back to the original slots."""

    def own_slots(slots: Sequence[Puncteme]) -> tuple[Puncteme, ...]:
        parts = slots_of_words(sentence, slots, _PREDICTED)
        rows = zip(sentence.slots, parts, strict=True)
        return tuple(join_marks(slot, part, _PREDICTED) for slot, part in rows)

    views: list[SlotPosterior] = []
    rows = slots_of_words(sentence, restoration.posteriors, _PREDICTED)
    for slot, parts in zip(sentence.slots, rows, strict=True):
        # Commas on either side of a mark are assumed independent.
        ways: list[tuple[list[Puncteme], float]] = [([], 1.0)]
        for part in parts:
            pairs = list(zip(part.strings, part.probability.tolist(), strict=True))
            ways = [([*way, s], p * q) for way, p in ways for s, q in pairs][:_MOST_WAYS]
        strings = {join_marks(slot, way, _PREDICTED): p for way, p in ways}
        ranked = sorted(strings.items(), key=lambda item: -item[1])
        views.append(SlotPosterior(tuple(s for s, _ in ranked), np.array([p for _, p in ranked])))
    nbest = tuple((own_slots(way), p) for way, p in restoration.nbest)
    return Restoration(sentence, own_slots(restoration.slots), tuple(views), nbest)


_MOST_WAYS = 64


def check(options: RestoreOptions) -> None:
    """Raise a UsageError for options that comma models do not support."""
    if options.marks is not None and options.marks != {MARK}:
        unsupported = " ".join(sorted(options.marks - {MARK})) or "nothing"
        raise UsageError(f"the model restores only commas, not {unsupported}; give --marks ,")
    usual = RestoreOptions()
    if (options.samples, options.seed) != (usual.samples, usual.seed):
        raise UsageError("a comma model does not draw; leave out --samples and --seed")
    if not 0 <= options.minimum_confidence <= 1:
        raise UsageError(
            f"the minimum confidence is {options.minimum_confidence}; give a probability, 0 to 1"
        )
    if not 0 <= options.nbest <= limits.RANKS:
        raise UsageError(f"nbest is {options.nbest}; give 0 to {limits.RANKS}")
    if options.keep == "repair":
        raise UsageError("a comma model cannot repair marks; give --keep replace or keep")


def _restored(
    sentence: Sentence[PhraseTree], commas: Commas, options: RestoreOptions
) -> Restoration[Sentence[PhraseTree]]:
    chosen = commas.marginal > 0.5 if options.minimise == "slots" else commas.best[0]
    slots: list[Puncteme] = []
    views: list[SlotPosterior] = []
    words = ("", *sentence.forms, "")
    rows = zip(sentence.slots, commas.marginal, chosen.tolist(), strict=True)
    for number, (slot, p, comma) in enumerate(rows):
        if number in sentence.closed:
            slots.append(slot)
            views.append(SlotPosterior((slot,), np.ones(1)))
            continue
        has, lacks = _with(slot), _without(slot)
        views.append(
            SlotPosterior((has, lacks), np.array([p, 1 - p]))
            if p > 0.5
            else SlotPosterior((lacks, has), np.array([1 - p, p]))
        )
        sure = (p if comma else 1 - p) >= options.minimum_confidence
        beside = sentence.source == "treebank" or may_stand_between(
            (MARK,), *words[number : number + 2]
        )
        string = has if comma and sure and beside else lacks
        slots.append(slot if options.keep_for(sentence) == "keep" and slot else string)
    ways = zip(commas.best, np.exp(commas.log_probability).tolist(), strict=True)
    nbest = tuple(
        (
            tuple(
                s if i in sentence.closed else _with(s) if c else _without(s)
                for i, (s, c) in enumerate(zip(sentence.slots, way, strict=True))
            ),
            p,
        )
        for way, p in ways
    )[: options.nbest]
    return Restoration(sentence, tuple(slots), tuple(views), nbest)


def _with(slot: Puncteme) -> Puncteme:
    return slot if MARK in slot else (*slot, MARK)


def _without(slot: Puncteme) -> Puncteme:
    return tuple(token for token in slot if token != MARK)


def commas_signature(
    digest: str, sentences: Sequence[Sentence[Any]], options: RestoreOptions
) -> str:
    """Return the signature of the figures, regardless of trees."""
    words = [_Surface(s) for s in sentences]
    return figures_signature(
        "restoration",
        digest[:12],
        treebank_digest(words),
        {
            "minimise": options.minimise,
            "marks": "commas",
            "confidence": f">={options.minimum_confidence:g}",
            "keep": options.keep or "replace",
        },
    )


class _Surface:
    """A sentence without its tree, for ``treebank_digest``."""

    def __init__(self, sentence: Sentence[Any]) -> None:
        self.path, self.size, self.choices = sentence.path, sentence.size, sentence.choices
        self.seen = (sentence.forms, sentence.slots)


class RestoreCommas(RestoreTask):
    """Restores commas in bracketed trees or, with a parser, in words or text."""

    writes_trees = False

    def __init__(self, model: Trained[Any], helpers: Helpers, options: RestoreOptions) -> None:
        super().__init__(model, helpers, options)
        self.refuse(
            "a comma model",
            {
                "--trees": options.trees, "--parser-share": options.share is not None,
                "--text": helpers.text_model, "--lines": options.lines,
                "--objective": options.objective, "--case": options.case != "auto",
            },
        )  # fmt: skip
        if len(helpers.parsers) > 1:
            raise UsageError("a comma model uses only one parser; give --parser once")
        check(options)
        self._parser = helpers.parsers[0] if helpers.parsers else None
        if self._parser is not None:
            model_of_kind(self._parser, PhraseParser)

    def read(self, request: Request) -> Documents:
        inputs, parser = request.inputs, self._parser
        entries: Iterator[Any]
        form = PTB
        if self.helpers.tokeniser is not None:
            form = running_text_format(inputs)
            entries = read_running_text(inputs, self.helpers)
        elif parser is None or format_of(*inputs, words=True).name == form.name:
            entries = read_phrases(inputs, COMMA_TAGS)
        else:
            form = format_of(*inputs, words=True)
            entries = read_words(inputs)

        def assess(outcomes: Sequence[Outcome[Restoration[Any]]]) -> Assessment:
            model: Any = self.model
            restored = restorations_of(outcomes)
            line = commas_signature(model.digest, [r.sentence for r in restored], self.options)
            return assess_restorations(
                request.system, line, restored, most=request.listed, marks=COMMA_TAGS
            )

        return Documents(entries=entries, format=form, form=request.form or "conllu", assess=assess)

    def answer_chunk(self, chunk: Chunk) -> Sequence[Restoration[Any]]:
        if self._parser is None:
            return restore_commas(self.model, chunk.contents, self.options)
        return restore_commas_of_words(self.model, self._parser, chunk.contents, self.options)

    def read_text(self, text: str) -> Sequence[Located]:
        if self._parser is None:
            raise UsageError(
                f"a model of the kind {self.model.model.kind} restores text with a parser; give "
                "parser"
            )
        return sentences_of_text(text, self.helpers)


COMMAS = Tasks(restore=RestoreCommas)


class ParsePhrases(Task[ParseOptions, "Sentence[Any]"]):
    """Parses words into phrases."""

    name = "parse"
    outcome = "not parsed"

    def __init__(self, model: Trained[Any], helpers: Helpers, options: ParseOptions) -> None:
        super().__init__(model, helpers, options)
        self.refuse("a model of the kind phrase-parser", beyond_trees(options))
        self.omitted = Omissions(self.outcome, keeps_markup=False)
        self._long = LongSentences()

    def read(self, request: Request) -> Documents:
        inputs = request.inputs
        form = PTB
        entries: Iterator[Any]
        if self.helpers.tokeniser is not None:
            running_text_format(inputs)
            entries = read_running_text(inputs, self.helpers)
        elif format_of(*inputs, words=True).name == form.name:
            entries = read_phrases(inputs, COMMA_TAGS)
        else:
            entries = read_words(inputs)

        def assess(_: Sequence[Outcome[Any]]) -> Assessment:
            model: Any = self.model
            treebank = read_whole_phrases(inputs)
            if not treebank:
                raise TreebankError(
                    f"{', '.join(inputs)}: no sentence is left; give trees with words"
                )
            return assess_phrases(
                EvaluateRequest(
                    system=request.system, model=model, digest=model.digest, examples=treebank
                )
            )

        return Documents(entries=entries, format=form, form="ptb", assess=assess, reads_again=True)

    def answer_chunk(self, chunk: Chunk) -> Sequence[Sentence[Any]]:
        sentences = [_with_commas_in_slots(entry) for entry in chunk.entries]
        self._long.count(sentences)
        return parse_phrases(self.model, sentences)

    def messages(self) -> Iterable[str]:
        return [*self.omitted.messages(), *self._long.messages()]

    def write(
        self, outcomes: Iterator[Any], form: str, writer: Writer[Any], stream: TextIO
    ) -> None:
        stream.writelines(write_phrases(tree) for _, tree in outcomes if tree is not None)


def _with_commas_in_slots(entry: Entry[Any, Any]) -> Any:
    content = entry.content
    return with_marks_as_words(content, COMMA_TAGS) if isinstance(content, Words) else content


def assess_phrases(request: EvaluateRequest) -> Assessment:
    """Compare predicted phrases with a treebank."""
    fitted, sentences = (
        model_of_kind(request.model, PhraseParser),
        without_omitted(request.examples),
    )
    read = [read_tree(s, commas=fitted.options.commas) for s in sentences]
    trees = phrase_trees(request.model, [forms for forms, _ in read])
    treebank = request.treebank or treebank_digest(sentences)
    line = figures_signature(BracketStatistics.task, request.digest[:12], treebank)
    statistics = bracket_statistics([tree for _, tree in read], trees)
    return Assessment.of(Result(request.system, line, statistics))


PHRASE_PARSER = Tasks(evaluate=assess_phrases, parse=ParsePhrases)
