"""Segmentation of plain text into sentences, words and marks, with their offsets in the text."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from semipunct.corpus.located import Located, Piece, RawText, is_within_word, located
from semipunct.corpus.passages import Span
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
    Addresses, markup and numbers are never split (``corpus.whole_tokens``), and marks between two
    words without a blank belong to one word with them (*self-awareness*, *him/her*).

    Args:
        model: a tokeniser with its weights.
        texts: texts of any length, with any characters.

    Returns:
        The sentences of each text, whose parts add up to the text: one sentence without words for a
        text without any, no sentence for the empty text.

    Raises:
        ModelError: if the model is of another kind.
    """
    segmenter = Segmenter(model_of_kind(model, Tokeniser), model.parameters)
    given = [text if isinstance(text, RawText) else RawText(text) for text in texts]
    cut = segmenter.segmented([text.text for text in given])
    return [list(_sentences(segmenter, *pair)) for pair in zip(given, cut, strict=True)]


def _sentences(segmenter: Segmenter, source: RawText, cut: Segmentation) -> Iterator[Located]:
    """Yield the parts of a text, each of which extends to the beginning of the next sentence."""
    cut = _with_words(segmenter, _with_inner_marks(segmenter, cut))
    begins = [start for start, _ in cut.sentences]
    edges = [0, *begins[1:], len(source.text)]
    line, token = source.line, 0
    for number, (begin, end) in enumerate(itertools.pairwise(edges), start=1):
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
        yield located(name, source.path, line + skipped, part, pieces, begin)
        line += part.count("\n")


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
