"""Sentences as the parser sees them: words, marks that are parsed as words, and properties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from semipunct.corpus.sentences import MISSING, Sentence
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.errors import TreebankError
from semipunct.marks import ABBREVIATION, Puncteme
from semipunct.models.beam_parsing.options import BeamParserOptions
from semipunct.models.beam_parsing.properties import attach_marks
from semipunct.trees import DependencyTree, lift_arcs, without_words


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a sentence that are parsed, perhaps none; n is their number.

    Attributes:
        forms: ``[n]`` word forms; an abbreviation includes its dot.
        tags: ``[n]`` tags.
        properties: ``[n]`` sets of flags.
        tree: a projective tree over these words; None if there are none.
        numbers: ``[n]`` the number of each in the sentence, from 1.
    """

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    properties: tuple[int, ...]
    tree: DependencyTree | None
    numbers: tuple[int, ...]


def tokens(sentence: Sentence, options: BeamParserOptions) -> Tokens:
    """Remove the marks from a sentence that are not parsed.

    Args:
        sentence: a sentence whose marks are in its slots, or are words with the tag PUNCT.
        options: determine which marks are parsed, and the column of the tags.

    Raises:
        TreebankError: if marks to be parsed are in slots, and so have no heads.
    """
    dots = [slot.count(ABBREVIATION) for slot in sentence.slots[1:]]
    properties, removed = _divided(sentence, options)
    numbers = [number for number in range(1, len(sentence.forms) + 1) if number not in removed]
    tree = lift_arcs(without_words(sentence.tree, removed))[0] if numbers else None
    column = sentence.xpos if options.tags == "xpos" else sentence.upos
    return Tokens(
        tuple(sentence.forms[i - 1] + "." * dots[i - 1] for i in numbers),
        tuple(column[i - 1] for i in numbers),
        tuple(properties[i - 1] for i in numbers),
        tree,
        tuple(numbers),
    )


def _divided(sentence: Sentence, options: BeamParserOptions) -> tuple[list[int], set[int]]:
    """Return the property of each word, and the numbers of the words that are not parsed."""
    is_mark = [upos == PUNCTUATION for upos in sentence.upos]
    visible = [tuple(t for t in slot if t != ABBREVIATION) for slot in sentence.slots]
    nothing = [0] * len(is_mark)
    match options.punctuation:
        case "baseline":
            _check_parsed(sentence, visible, options)
            return nothing, set()
        case "stripped":
            return nothing, {number for number, mark in enumerate(is_mark, start=1) if mark}
        case "paired":
            _check_parsed(sentence, visible, options)
            return _properties(sentence, is_mark, visible, others=False)
        case "all":
            return _properties(sentence, is_mark, visible, others=True)


def _check_parsed(
    sentence: Sentence, visible: Sequence[Puncteme], options: BeamParserOptions
) -> None:
    if any(visible):
        raise TreebankError(
            f"{sentence.where}: with model.punctuation={options.punctuation} marks are parsed as "
            "words, but this sentence was read without its marks and their heads; read the "
            'treebank with marks="words", or choose model.punctuation=all'
        )


def _properties(
    sentence: Sentence, is_mark: Sequence[bool], visible: Sequence[Puncteme], *, others: bool
) -> tuple[list[int], set[int]]:
    """Return the property of each word, and the numbers of the marks that are removed."""
    slots: list[list[str]] = [list(visible[0])]
    origins: list[list[int]] = [[0] * len(visible[0])]  # numbers of marks that are words
    words: list[int] = []
    for number, (form, mark, after) in enumerate(
        zip(sentence.forms, is_mark, visible[1:], strict=True), start=1
    ):
        if mark:
            slots[-1].append(form)
            origins[-1].append(number)
        else:
            words.append(number)
            slots.append([])
            origins.append([])
        slots[-1] += after
        origins[-1] += [0] * len(after)
    marked = attach_marks([tuple(slot) for slot in slots], others=others)
    properties = [0] * len(is_mark)
    for number, flags in zip(words, marked.properties, strict=True):
        properties[number - 1] = flags
    removed = {
        number
        for numbers, gone in zip(origins, marked.absorbed, strict=True)
        for number, is_gone in zip(numbers, gone, strict=True)
        if is_gone and number
    }
    return properties, removed


def check_tags(sentences: Sequence[Sentence], options: BeamParserOptions) -> None:
    """Check that a treebank has the tags that are used.

    Args:
        sentences: the treebank.
        options: determine the column of the tags.

    Raises:
        TreebankError: if the column is empty throughout.
    """
    if any(tag != MISSING for s in sentences for tag in getattr(s, options.tags)):
        return
    alternative = {"xpos": "upos", "upos": "xpos"}[options.tags]
    advice = (
        "tag the treebank first, for example by semipunct parse with a model of the kind parser"
    )
    if any(tag != MISSING for s in sentences for tag in getattr(s, alternative)):
        advice = f"train with model.tags={alternative}, or {advice}"
    raise TreebankError(
        f"{sentences[0].path}: no word has a tag in the column {options.tags}; {advice}"
    )
