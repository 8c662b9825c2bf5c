"""Readers of parallel data: pairs of treebanks, texts with corrections, M2, inserted errors."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar

from semipunct.corpus import Omitted, Sentence, Words
from semipunct.corpus.learners import LearnerErrors, erroneous
from semipunct.corpus.parallel import Alignment, ParallelSentence, align_versions, to_learn_from
from semipunct.corpus.treebank import OUTSIDE
from semipunct.errors import TreebankError, UsageError
from semipunct.files import output
from semipunct.formats.m2 import M2, M2Record, annotators, read_m2_records
from semipunct.formats.registry import format_of, read_entries, read_words
from semipunct.formats.running_text import line_of_text, read_lines
from semipunct.formats.text import Text
from semipunct.wording import quantity

Content = Sentence | Omitted
A = TypeVar("A", bound=Sentence | Words | Omitted)
B = TypeVar("B", bound=Sentence | Words | Omitted)


@dataclass(frozen=True, slots=True)
class ParallelTreebank:
    """The usable pairs of two treebanks, and messages for omitted pairs."""

    sentences: tuple[ParallelSentence[Sentence], ...]
    omitted: tuple[str, ...]


class Corrections(list[Sentence]):
    """Sentences with original and corrected punctuation, and messages for omitted ones."""

    omitted: tuple[str, ...] = ()


def read_parallel_treebanks(
    source: Iterable[str | Path],
    corrected: Iterable[str | Path],
    alignment: Alignment = "words",
    *,
    omit: bool = False,
) -> ParallelTreebank:
    """Read two treebanks of the same sentences, original and corrected.

    Sentences are paired by ``sent_id`` or, if ids do not match, by position. Pairs without words,
    or with dependents of punctuation, are omitted.

    Args:
        omit: whether to omit pairs that do not align, instead of raising an error.

    Raises:
        TreebankError: if a file is damaged, a sentence lacks a counterpart, or a pair does not
            align.
    """
    pairs: list[ParallelSentence[Sentence]] = []
    omitted: list[str] = []
    sides = (
        _sentences(entry.content for entry in read_entries(files)) for files in (source, corrected)
    )
    for original, version in _together(*sides):
        if isinstance(original, Omitted) or isinstance(version, Omitted):
            bad = next(content for content in (original, version) if isinstance(content, Omitted))
            omitted.append(bad.fault or f"{bad.where}: {bad.reason}")
            continue
        try:
            pairs.append(align_versions(original, [version], alignment))
        except TreebankError as error:
            if not omit:
                raise
            omitted.append(str(error))
    return ParallelTreebank(tuple(pairs), tuple(omitted))


def read_corrections(
    source: Iterable[str | Path],
    corrected: Iterable[str | Path],
    alignment: Alignment = "words",
    *,
    omit: bool = False,
) -> Corrections:
    """Read two treebanks as training data for correction; see ``read_parallel_treebanks``.

    Raises:
        TreebankError: as there, and if no sentence has punctuation.
    """
    source = list(source)
    parallel = read_parallel_treebanks(source, corrected, alignment, omit=omit)
    sentences = Corrections(map(to_learn_from, parallel.sentences))
    sentences.omitted = parallel.omitted
    if sentences and not any(slot for s in sentences for slot in s.slots):
        raise TreebankError(
            f"{sentences[0].path}: neither the sentences nor their corrected versions have any "
            "punctuation; give the original text with its marks, as tokens of the tag PUNCT"
        )
    return sentences


def read_references(
    sources: Sequence[Sentence | Words | Omitted],
    paths: Sequence[str | Path],
    alignment: Alignment = "words",
    *,
    running: bool = False,
) -> list[ParallelSentence[Sentence | Words] | None]:
    """Read corrected versions of given sentences.

    Args:
        paths: files with a corrected version of every sentence; an M2 file has one per annotator.
        running: whether marks are split from words as in running text.

    Returns:
        One entry per source; None if it or one of its versions was omitted.
    """
    versions: list[list[Sentence | Words | Omitted]] = [[] for _ in sources]
    read = _sentences(sources)
    versions_wanted = [v for v, s in zip(versions, sources, strict=True) if _is_sentence(s)]
    for path in paths:
        if format_of(path, words=True).name == M2.name:
            records = list(read_m2_records(path))
            numbers = annotators(records)
            contents = [_reference(record, None, running=running) for record in records]
            by_place = {id(c): record for c, record in zip(contents, records, strict=True)}
            for of_source, (_, source) in zip(
                versions_wanted, _together(read, contents), strict=True
            ):
                record = by_place[id(source)]
                of_source += [_reference(record, a, running=running) for a in numbers]
        else:
            is_text = running and format_of(path, words=True).name == Text.name
            entries = (
                read_lines([path], whole=True, joins_marks=False) if is_text else read_words([path])
            )
            contents = _sentences([entry.content for entry in entries])
            for of_source, (_, version) in zip(
                versions_wanted, _together(read, contents), strict=True
            ):
                of_source.append(version)
    references: list[ParallelSentence[Sentence | Words] | None] = []
    for source, of_source in zip(sources, versions, strict=True):
        usable = [version for version in of_source if not isinstance(version, Omitted)]
        if isinstance(source, Omitted) or len(usable) < len(of_source):
            references.append(None)
        else:
            references.append(align_versions(source, usable, alignment))
    return references


def _reference(record: M2Record, annotator: int | None, *, running: bool) -> Words | Omitted:
    if not running:
        return record.source if annotator is None else record.reference(annotator)
    tokens = record.tokens if annotator is None else record.corrected_tokens(annotator)
    return line_of_text(record.sentence_id, record.path, record.line, " ".join(tokens)).content


def _together(source: Sequence[A], corrected: Sequence[B]) -> Iterator[tuple[A, B]]:
    by_id = {content.sentence_id: content for content in corrected}
    names = {content.sentence_id for content in source}
    if len(names) == len(source) == len(corrected) and names == by_id.keys():
        return ((content, by_id[content.sentence_id]) for content in source)
    if len(source) != len(corrected):
        raise TreebankError(_lonely(source, corrected))
    return zip(source, corrected, strict=True)


def _sentences(contents: Iterable[A]) -> list[A]:
    """Leave out text outside of trees, such as a header, which needs no counterpart."""
    return [*filter(_is_sentence, contents)]


def _is_sentence(content: Sentence | Words | Omitted) -> bool:
    return not isinstance(content, Omitted) or content.reason != OUTSIDE


def _lonely(
    source: Sequence[Sentence | Words | Omitted], corrected: Sequence[Sentence | Words | Omitted]
) -> str:
    longer, shorter = (source, corrected) if len(source) > len(corrected) else (corrected, source)
    ids = {content.sentence_id for content in shorter}
    over = next((c for c in longer if c.sentence_id not in ids), longer[len(shorter)])
    return (
        f"{over.where} has no counterpart: there are "
        f"{quantity(len(source), 'sentence')} and {len(corrected)} corrected ones; give the same "
        "sentences twice, with the same sent_id or in the same order"
    )


def read_parallel_texts(
    source: str | Path, corrected: Sequence[str | Path], alignment: Alignment = "shared"
) -> list[ParallelSentence[Sentence | Words]]:
    """Read the sentences of a file with corrected versions from other files, paired by order.

    Raises:
        TreebankError: if a file is damaged, has other sentences, or does not align.
    """
    sources = [entry.content for entry in read_words([source])]
    return [pair for pair in read_references(sources, corrected, alignment) if pair is not None]


def read_m2(
    path: str | Path, alignment: Alignment = "shared"
) -> list[ParallelSentence[Sentence | Words]]:
    """Read the sentences of an M2 file, with the versions of all annotators."""
    return read_parallel_texts(path, [path], alignment)


def write_erroneous(
    paths: Sequence[str | Path],
    errors: LearnerErrors,
    seed: int,
    source: str | Path,
    corrected: str | Path,
) -> None:
    """Write a treebank with and without inserted punctuation errors, in its own format.

    Words, tags, trees and ids are the same in both files; ``read_parallel_treebanks`` reads them.

    Raises:
        UsageError: if input formats differ, or a file is named twice.
    """
    names = [Path(path).resolve() for path in (*paths, source, corrected) if str(path) != "-"]
    if len({*names}) < len(names):
        raise UsageError("a file was named twice; give other names for the two files to write")
    form = format_of(*paths)
    writer = form.writer()
    entries = list(chain.from_iterable(map(form.read, paths)))
    usable = [(entry, entry.content) for entry in entries if isinstance(entry.content, Sentence)]
    written = erroneous((sentence for _, sentence in usable), errors, seed)
    pairs = list(zip(usable, written, strict=True))
    with output(str(source)) as stream:
        writer.write((writer.punctuate(entry, s.slots) for (entry, _), s in pairs), stream)
    with output(str(corrected)) as stream:
        writer.write((writer.source_text(entry) for entry, _ in usable), stream)
