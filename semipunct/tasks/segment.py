"""Segmentation of plain text into sentences, words and marks, with their offsets in the text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from semipunct.corpus.fixed_parts import fixed_parts, starts_of_speech
from semipunct.corpus.located import Located, Piece, RawText, is_within_word, located_sentence
from semipunct.corpus.passages import Span
from semipunct.formats.text import omit_line
from semipunct.marks.spacing import ENDS
from semipunct.models.segmentation.guises import Segmentation
from semipunct.models.segmentation.segmenter import Segmenter
from semipunct.models.segmentation.tokeniser import Tokeniser
from semipunct.tasks.base import Trained, model_of_kind


def segment(model: Trained[Any], texts: Sequence[str | RawText]) -> list[list[Located]]:
    """Split texts into sentences.

    A line break is whitespace like any other: a sentence may span several lines, and a line may
    contain several sentences. Text before the first and after the last sentence is part of these.
    Marks that the model takes for a sentence belong to the sentence before it, at the beginning of
    a text to the one after it, so that every sentence has a word and formats with trees lose none.
    Addresses, markup, numbers and code are never split (``corpus.fixed_parts``,
    ``corpus.fixed_parts``), and marks between two words without a blank belong to one word with
    them (*self-awareness*, *him/her*). So does an exclamation or question mark after a capitalised
    word within a sentence (*on Yahoo! in*). The time and the speaker of a line of speech are part
    of its sentence.

    Args:
        model: a tokeniser with its weights.
        texts: texts of any length, with any characters.

    Returns:
        The sentences of each text, whose parts add up to the text: one sentence without words for a
        text without any, or for what is no text; no sentence for the empty text.

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
    """Yield the parts of a text, each of which extends to the beginning of the next sentence."""
    fixed = fixed_parts(source.text)
    cut = _with_labels(cut.join(fixed.words), fixed.labels)
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


def _with_labels(cut: Segmentation, labels: Sequence[Span]) -> Segmentation:
    """End no sentence within a label or after it, and one before it if it begins speech."""
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

    The mark follows a capitalised word that is not the first of its sentence. It ends no sentence
    if a word in lower case follows, or if the tokeniser says so.
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
    """End no sentence within an orthographic word, unless it contains the end of a sentence.

    The blank after a sentence may be missing (*home.Then*).
    """
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
    """Join words with the marks between them that belong to the same orthographic word."""
    tokens: list[Span] = []
    ends: list[bool] = []
    word: int | None = None  # the last token that is a word, if its sentence goes on
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
