"""Segmentation of plain text into sentences, words and marks, with offsets."""

from __future__ import annotations

import io
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from semipunct.corpus.fixed_parts import fixed_parts, markup, overlapping, starts_of_speech
from semipunct.corpus.located import Located, Piece, RawText, is_within_word, located_sentence
from semipunct.corpus.passages import Span
from semipunct.corpus.sentences import Words
from semipunct.corpus.treebank import Omitted
from semipunct.corpus.word_streams import is_final
from semipunct.errors import UsageError
from semipunct.files import as_section, display_name
from semipunct.formats import FORMATS, Format, format_of
from semipunct.formats.conllu import Conllu
from semipunct.formats.running_text import line_of_text, part_of_line
from semipunct.formats.text import (
    Text,
    in_lines,
    in_paragraphs,
    join_lines,
    lines_with_text,
    omit_line,
    paragraphs,
    read_line,
    read_spaced_words,
    text_entry,
)
from semipunct.marks import Puncteme
from semipunct.marks.spacing import ENDS
from semipunct.models.segmentation.guises import Segmentation
from semipunct.models.segmentation.segmenter import Segmenter
from semipunct.models.segmentation.tokeniser import Tokeniser
from semipunct.pipelines.chunks import in_chunks
from semipunct.pipelines.options import Helpers, RestoreOptions
from semipunct.pipelines.text_choice import opening_marks
from semipunct.pipelines.text_restoration import lines_of, restore_running_text
from semipunct.pipelines.trained import Trained, model_of_kind

if TYPE_CHECKING:
    from semipunct.corpus.treebank import WordsEntry
    from semipunct.pipelines.task import Unit


def segment(model: Trained[Any], texts: Sequence[str | RawText]) -> list[list[Located]]:
    """Segment texts into sentences, each of which has a word.

    A sentence may span lines, and includes the surrounding text and marks without words. Addresses,
    markup, numbers and code are never divided (``corpus.fixed_parts``). Marks between two words
    without a space belong to one word with them (*self-awareness*, *him/her*), as does an
    exclamation or question mark after a capitalised word within a sentence (*on Yahoo! in*). The
    time and the speaker of a line of speech are part of its sentence.

    Returns:
        The sentences of each text, whose parts concatenate to the text; markup or a text without
        words is one sentence.

    Raises:
        ModelError: if the model is of another kind.
    """
    segmenter = Segmenter(model_of_kind(model, Tokeniser), model.parameters)
    raw_texts = [text if isinstance(text, RawText) else RawText(text) for text in texts]
    cut = iter(segmenter.segment([raw.text for raw in raw_texts if raw.is_text]))
    return [
        list(_sentences(segmenter, raw, next(cut))) if raw.is_text else [omit_line(raw)]
        for raw in raw_texts
    ]


def _sentences(segmenter: Segmenter, source: RawText, cut: Segmentation) -> Iterator[Located]:
    fixed = fixed_parts(source.text)
    cut = _with_labels(_without_markup(cut), fixed.labels)
    cut = _with_inner_marks(segmenter, _with_whole_words(segmenter, cut))
    cut = _with_names(segmenter, cut)
    cut = _with_words(segmenter, cut)
    begins = [start for start, _ in cut.sentences]
    edges = [0, *begins[1:], len(source.text)]
    line, token = source.line, 0
    for number, (begin, end) in enumerate(pairwise(edges), start=1):
        if begin == end:
            continue
        part = source.text[begin:end]
        pieces: list[Piece] = []
        while token < len(cut.tokens) and cut.tokens[token][0] < end:
            first, last = cut.tokens[token]
            form = source.text[first:last]
            mark = segmenter.is_mark(form)
            words = () if mark else segmenter.words(form)
            pieces.append(Piece((first - begin, last - begin), mark, words))
            token += 1
        skipped = part[: pieces[0].span[0]].count("\n") if pieces else 0
        name = f"#{line + skipped}.{number}"
        parts = fixed.within(begin, end)
        yield located_sentence(name, source.path, line + skipped, part, pieces, begin, parts)
        line += part.count("\n")


def _without_markup(cut: Segmentation) -> Segmentation:
    """Leave out markup, which lies between words."""
    gaps = markup(cut.text)
    tokens: list[Span] = []
    ends: list[bool] = []
    for (first, last), stops in zip(cut.tokens, cut.ends, strict=True):
        for start, end in [*overlapping(gaps, first, last), (last, last)]:
            if first < start:
                tokens.append((first, start))
                ends.append(False)
            first = end
        if tokens:
            ends[-1] = ends[-1] or stops
    return Segmentation(cut.text, tokens, ends)


def _with_labels(cut: Segmentation, labels: Sequence[Span]) -> Segmentation:
    """Forbid sentence ends within or after a label, and require one before a speech label."""
    ends = list(cut.ends)
    starts = [start for start, _ in cut.tokens]
    for start, end in labels:
        first, after = bisect_left(starts, start), bisect_left(starts, end)
        ends[first:after] = [False] * (after - first)
    for start in starts_of_speech(cut.text, labels):
        first = bisect_left(starts, start)
        if first:
            ends[first - 1] = True
    return Segmentation(cut.text, cut.tokens, ends)


def _with_names(segmenter: Segmenter, cut: Segmentation) -> Segmentation:
    """Join names with their exclamation or question marks, as in *on Yahoo! in*.

    The mark follows a capitalised word that does not begin a sentence. It ends no sentence if a
    word in lower case follows, or if the tokeniser says so.
    """
    text, tokens = cut.text, cut.tokens
    ends = list(cut.ends)
    names: list[Span] = []
    for number in range(1, len(tokens) - 1):
        if text[tokens[number][1] - 1] not in "!?":
            continue
        first = number
        while first and tokens[first - 1][1] == tokens[first][0]:
            first -= 1
        name, after = (tokens[first][0], tokens[number][1]), tokens[number + 1]
        if (
            first > 0
            and name[1] < after[0]
            and text[name[0]].isupper()
            and not any(ends[first - 1 : number])
            and (text[after[0]].islower() or not ends[number])
            and not any(segmenter.is_mark(text[slice(*t)]) for t in (tokens[first - 1], after))
        ):
            names.append(name)
            ends[number] = False
    return Segmentation(text, tokens, ends).join(names)


def _with_whole_words(segmenter: Segmenter, cut: Segmentation) -> Segmentation:
    """Forbid sentence ends within an orthographic word, unless a space is missing (*home.Then*)."""
    ends = list(cut.ends)
    last: int | None = None  # the last word
    for number, (start, end) in enumerate(cut.tokens):
        if segmenter.is_mark(cut.text[start:end]):
            continue
        if last is not None and any(ends[last:number]):
            place = cut.tokens[last][1]
            if is_within_word(cut.text, place, start) and ENDS.isdisjoint(cut.text[place:start]):
                ends[last:number] = [False] * (number - last)
        last = number
    return Segmentation(cut.text, cut.tokens, ends)


def _with_inner_marks(segmenter: Segmenter, cut: Segmentation) -> Segmentation:
    """Join words with the marks between them in the same orthographic word."""
    tokens: list[Span] = []
    ends: list[bool] = []
    word: int | None = None  # the last word token, if its sentence continues
    for (start, end), stops in zip(cut.tokens, cut.ends, strict=True):
        is_word = not segmenter.is_mark(cut.text[start:end])
        has_marks = word is not None and word < len(tokens) - 1
        if is_word and word is not None and has_marks:
            first, last = tokens[word]
            if is_within_word(cut.text, last, start):
                del tokens[word:], ends[word:]
                start = first
        tokens.append((start, end))
        ends.append(stops)
        if stops:
            word = None
        elif is_word:
            word = len(tokens) - 1
    return Segmentation(cut.text, tokens, ends)


def _with_words(segmenter: Segmenter, cut: Segmentation) -> Segmentation:
    """Join sentences without words to their neighbours."""
    ends = list(cut.ends)
    previous: int | None = None
    has_word = False
    for number, (start, end) in enumerate(cut.tokens):
        has_word = has_word or not segmenter.is_mark(cut.text[start:end])
        is_last = number == len(ends) - 1
        if not (ends[number] or is_last):
            continue
        if not has_word and previous is not None:
            ends[previous] = False
        elif not has_word and not is_last:
            ends[number] = False
            continue
        previous, has_word = number, False
    return Segmentation(cut.text, cut.tokens, ends)


def segment_running_text(
    model: Trained[Any],
    texts: Sequence[str | RawText],
    options: RestoreOptions | None = None,
    **settings: Any,
) -> list[list[Located]]:
    """Segment texts at the sentence ends that a text model inserts or keeps.

    A text without capitals gets restored capitals.
    """
    options = replace(options or RestoreOptions(), **settings)
    # Sentences end whether or not their marks are to be inserted.
    options = RestoreOptions(keep=options.keep, lines=options.lines)
    ends = lines_of(options)
    raw = [text if isinstance(text, RawText) else RawText(text) for text in texts]
    whole = [read_line(text, line_of_text) for text in raw]
    # Without ends, all lines of a call would be one text.
    calls = [[part] for part in whole] if ends == "none" else [whole]
    restorations = [
        restoration
        for parts in calls
        for restoration in restore_running_text(model, [part.content for part in parts], options)
    ]
    sentences_of_texts: list[list[Located]] = []
    for text, part, restoration in zip(raw, whole, restorations, strict=True):
        if isinstance(part.content, Omitted) or isinstance(restoration, Omitted):
            sentences_of_texts.append([part] if text.text else [])
            continue
        cased = part.recase(restoration.sentence.forms)
        cuts = [] if ends == "sentence" else _cuts(part.content, restoration.slots)
        sentences_of_texts.append(list(_parts(cased, text, cuts)))
    return sentences_of_texts


def _cuts(words: Words, slots: Sequence[Puncteme]) -> list[int]:
    return [
        slot
        for slot in range(1, len(words.forms))
        if is_final(slots[slot]) and slot not in words.closed
    ]


def _parts(whole: Located, source: RawText, cuts: Sequence[int]) -> Iterator[Located]:
    """Yield the sentences of a text, each of which extends to the next.

    A sentence includes its opening marks, and the marks before the first word of the text.
    """
    begins = [0, *(_begin(whole, slot) for slot in cuts), len(whole.text)]
    edges = [0, *cuts, len(whole.spans)]
    line = source.line
    for number, ((begin, end), (first, last)) in enumerate(
        zip(pairwise(begins), pairwise(edges), strict=True), start=1
    ):
        text = whole.text[begin:end]
        skipped = whole.text[begin : whole.spans[first][0]].count("\n")
        name = f"#{line + skipped}.{number}" if cuts else f"#{line + skipped}"
        yield part_of_line(name, source.path, line + skipped, whole, (begin, end), (first, last))
        line += text.count("\n")


def _begin(whole: Located, slot: int) -> int:
    marks = whole.marks[slot]
    strings = () if isinstance(whole.content, Omitted) else whole.content.slots[slot]
    opening = len(opening_marks(strings))
    return marks[len(marks) - opening][0] if opening else whole.spans[slot][0]


def sentences_of_text(
    text: str, helpers: Helpers, options: RestoreOptions = RestoreOptions()
) -> list[Located]:
    """Return the sentences of a text, which concatenate to it up to capitals."""
    tokeniser, finder = helpers.tokeniser, helpers.text_model
    if tokeniser is not None and finder is not None:
        raise UsageError("a tokeniser and a text model both find sentences; give one of the two")
    lines = io.StringIO(text, newline="\n")
    if tokeniser is not None:
        sentences = segment(tokeniser, list(in_paragraphs(lines)))
    elif finder is not None:
        sentences = segment_running_text(finder, _lines_of(in_lines(lines), options), options)
    else:
        return [read_line(line, read_spaced_words) for line in in_lines(lines)]
    return [part for parts in sentences for part in parts]


def _lines_of(lines: Iterable[RawText], options: RestoreOptions) -> list[RawText]:
    return list(join_lines(lines) if options.lines == "none" else lines)


# Paragraphs per batch of the tokeniser.
PARAGRAPHS = 64

# Lines per batch of a text model.
LINES = 256


def unit_of(form: Format[Any], *, tokenised: bool) -> Unit:
    """Return the smallest independent unit of files of a format."""
    if tokenised:
        return "paragraph"
    if form.name == Conllu.name:
        return "sentence"
    return "line" if form.name == Text.name else "file"


def running_text_format(paths: Sequence[str]) -> Format[Any]:
    """Return the format of files of running text."""
    for path in paths:
        form = format_of(path, words=True, default=Text.name)
        if form.name != Text.name:
            raise UsageError(
                f"{display_name(path)}: --tokeniser is for running text, but this is "
                f"{form.name}, which is already split into words; leave the option out"
            )
    return FORMATS[Text.name]


def read_running_text(
    paths: Sequence[str], helpers: Helpers, options: RestoreOptions = RestoreOptions()
) -> Iterator[WordsEntry]:
    """Yield the sentences that a tokeniser or a text model finds in files."""
    finder: Any = helpers.text_model
    for number, path in enumerate(paths, start=1):
        ended = number < len(paths)
        if helpers.tokeniser is not None:
            chunks = in_chunks(paragraphs(path, ended=ended), PARAGRAPHS)
            found = (segment(helpers.tokeniser, chunk) for chunk in chunks)
        else:
            texts = lines_with_text(path, ended=ended)
            chunks = in_chunks(
                in_lines(texts, display_name(path), as_section(path).first_line), LINES
            )
            found = (
                segment_running_text(finder, _lines_of(chunk, options), options) for chunk in chunks
            )
        for sentences_of_texts in found:
            for sentences in sentences_of_texts:
                yield from map(text_entry, sentences)
