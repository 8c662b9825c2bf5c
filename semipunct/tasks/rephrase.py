"""Rephrasing: a tree is changed, and its surface punctuation regenerated (section 6.3).

The best underlying tree is found, constituents are deleted, moved or reordered together with their
underlying punctuation, and the channel rewrites what then meets at every slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from semipunct.corpus import Sentence
from semipunct.corpus.sentences import MISSING, excerpt
from semipunct.errors import EditError, UsageError
from semipunct.inference import decode
from semipunct.inference.regeneration import Regenerator, UnderlyingTree
from semipunct.marks import SILENT, shown, spacing
from semipunct.models.ordering.model import OrderingModel
from semipunct.models.ordering.orders import draw_orders
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.tasks.base import Slots, Trained, model_of_kind, punctuation_model
from semipunct.tasks.tree_edits import TreeEdit
from semipunct.tasks.truecase import truecase
from semipunct.trees import PLACES, Arrangement, Place

Surface = Literal["drawn", "best"]

_PROPER = "PROPN"


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of trees, in the order in which they are made.

    Attributes:
        delete: relations whose constituents are deleted; ``acl`` stands for ``acl:relcl`` as well.
        move: the places that constituents of some relations are moved to, by relation.
        permute: an ordering model with its weights, by which the dependents of nouns and verbs
            are put into an order that is drawn; None to leave them as they stand.
    """

    delete: Sequence[str] = ()
    move: Sequence[tuple[str, Place]] = ()
    permute: Trained[Any] | None = None

    def check(self) -> None:
        """Raise ``UsageError`` unless all values make sense, ``ModelError`` for another model."""
        for relation, place in self.move:
            if place not in PLACES:
                raise UsageError(
                    f"{relation} cannot be moved to {place!r}; choose one of: {', '.join(PLACES)}"
                )
        if self.permute is not None:
            model_of_kind(self.permute, OrderingModel)


@dataclass(frozen=True, slots=True, repr=False)
class Rephrasing:
    """A sentence whose tree was changed.

    Attributes:
        sentence: the words that are left, in their new order, with tree and regenerated slots.
        words: ``[n]`` the number of each word in the sentence that was given.
        long: nodes that were not permuted since they have too many dependents.
    """

    sentence: Sentence
    words: tuple[int, ...]
    long: int = 0

    @property
    def text(self) -> str:
        """The sentence as plain text, spaced as its script is; no file is looked at for spaces."""
        visible = [tuple(t if t in SILENT else shown(t) for t in s) for s in self.sentence.slots]
        return spacing.text(self.sentence.forms, visible)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Rephrasing {self.sentence.sentence_id}: {excerpt(self.text)}>"


def rephrase(
    model: Trained[Any],
    sentences: Sequence[Sentence],
    changes: Changes | None = None,
    *,
    edits: Sequence[Sequence[TreeEdit]] | None = None,
    surface: Surface = "drawn",
    case: Trained[Any] | None = None,
    seed: int = 0,
    first: int = 0,
) -> list[Rephrasing | None]:
    """Change the trees of sentences, and regenerate their punctuation.

    Args:
        model: a punctuation model with its weights.
        sentences: words, trees and surface punctuation.
        changes: the same for all sentences, made after the edits of each.
        edits: of each sentence, words by their numbers from 1, as they were at first.
        surface: whether the string of a slot is drawn from the channel, as in the paper, or
            that of the most probable edits.
        case: a truecaser with its weights, for the capitals of the new sentences; without one
            the capital of the first word goes to the new first word.
        seed: with the number of a sentence fixes what is drawn for it.
        first: the number of the first sentence.

    Returns:
        What became of each sentence; None for one that has no underlying tree, which only a model
        with hard sets can have.

    Raises:
        EditError: for an edit that a tree does not allow, with its place and the sentence.
        UsageError: if there is no such place.
        ModelError: if a model is of another kind.
    """
    asked, changes = punctuation_model(model, alone=True), changes or Changes()
    changes.check()
    found = decode.best(asked.model, asked.parameters, sentences)
    given = edits if edits is not None else [()] * len(sentences)
    trees = [
        None if analysis is None else _edited(UnderlyingTree.of(analysis), own, changes)
        for analysis, own in zip(found, given, strict=True)
    ]
    permuted, long = _permuted(trees, changes.permute, seed, first)
    return _regenerated(
        asked.model, asked.parameters, sentences, permuted, long,
        surface=surface, case=case, seed=seed, first=first,
    )  # fmt: skip


def analysed(model: Trained[Any], sentences: Sequence[Sentence]) -> list[Sentence]:
    """Put the best underlying trees into sentences, for an ordering model to learn from.

    Args:
        model: a punctuation model with its weights.
        sentences: words, trees and surface punctuation.

    Returns:
        The sentences; one without punctemes for each that has no underlying tree, which only a
        model with hard sets can have.

    Raises:
        ModelError: if the model is of another kind.
    """
    asked = punctuation_model(model, alone=True)
    found = decode.best(asked.model, asked.parameters, sentences)
    return [
        replace(sentence, underlying=(((), ()),) * sentence.size)
        if analysis is None
        else UnderlyingTree.of(analysis).annotated
        for sentence, analysis in zip(sentences, found, strict=True)
    ]


def names(relation: str, wanted: str) -> bool:
    """Tell whether a relation is the one that is wanted, or a subtype of it.

    Args:
        relation: of a word.
        wanted: with or without a subtype.
    """
    return relation == wanted or relation.startswith(f"{wanted}:")


def _edited(tree: UnderlyingTree, edits: Sequence[TreeEdit], changes: Changes) -> UnderlyingTree:
    s = tree.sentence
    arrangement = Arrangement(s.tree)
    for edit in edits:
        try:
            if edit.place is None:
                arrangement.delete(edit.word)
            else:
                head = arrangement.head_of(edit.word) if edit.head is None else edit.head
                # The root has no head: to move it is refused, whatever the head.
                arrangement.move(edit.word, head or edit.word, edit.place)
        except UsageError as error:
            raise EditError(f"{edit.where}: sentence {s.sentence_id}: {error}") from error
    for word, relation in enumerate(s.tree.relations, start=1):
        deleted = any(names(relation, wanted) for wanted in changes.delete)
        if deleted and arrangement.has(word) and arrangement.head_of(word):
            arrangement.delete(word)
    for wanted, place in changes.move:
        for word, relation in enumerate(s.tree.relations, start=1):
            if names(relation, wanted) and arrangement.has(word) and arrangement.head_of(word):
                arrangement.move(word, arrangement.head_of(word), place)
    return tree.rearranged(arrangement)


def _permuted(
    trees: Sequence[UnderlyingTree | None], ordering: Trained[Any] | None, seed: int, first: int
) -> tuple[list[UnderlyingTree | None], list[int]]:
    """Return the trees with an order drawn for nouns and verbs, and their nodes that stayed."""
    result, long = list(trees), [0] * len(trees)
    if ordering is None:
        return result, long
    there = [(i, tree) for i, tree in enumerate(trees) if tree is not None]
    drawn = draw_orders(
        model_of_kind(ordering, OrderingModel),
        ordering.parameters,
        [tree.annotated for _, tree in there],
        seed,
        [first + i for i, _ in there],
    )
    for (i, tree), orders, left in zip(there, drawn.orders, drawn.long, strict=True):
        arrangement = Arrangement(tree.sentence.tree)
        arrangement.reorder(orders)
        result[i], long[i] = tree.rearranged(arrangement), left
    return result, long


def _regenerated(
    model: PunctuationModel,
    parameters: Any,
    sources: Sequence[Sentence],
    trees: Sequence[UnderlyingTree | None],
    long: Sequence[int],
    *,
    surface: Surface,
    case: Trained[Any] | None,
    seed: int,
    first: int,
) -> list[Rephrasing | None]:
    regenerator = Regenerator.of(model, parameters)
    result: list[Rephrasing | None] = []
    for number, (source, tree, left) in enumerate(zip(sources, trees, long, strict=True), first):
        if tree is None:
            result.append(None)
            continue
        chance = np.random.default_rng((seed, number))
        slots: Slots = regenerator.surface(tree, chance, drawn=surface == "drawn")
        forms = _forms(source, tree, initial=case is None)
        sentence = replace(tree.sentence, forms=forms, slots=slots)
        result.append(Rephrasing(sentence, tree.words, left))
    if case is not None:
        done = [one for one in result if one is not None]
        spelt = iter(truecase(case, [one.sentence for one in done]))
        result = [
            one and replace(one, sentence=replace(one.sentence, forms=next(spelt)))
            for one in result
        ]
    return result


def _forms(source: Sentence, tree: UnderlyingTree, *, initial: bool) -> tuple[str, ...]:
    """Spell words: the capital that began the sentence goes to the word that now does.

    Args:
        source: the sentence as it was.
        tree: its words as they are now.
        initial: whether the new first word gets a capital, if the old one had it.
    """
    forms = list(tree.sentence.forms)
    if tree.words[0] == 1 or not source.forms[0][:1].isupper():
        return tuple(forms)
    if 1 in tree.words and not _has_own_capital(source, 0):
        place = tree.words.index(1)
        forms[place] = _with_first(forms[place], str.lower)
    if initial:
        forms[0] = _with_first(forms[0], str.upper)
    return tuple(forms)


def _has_own_capital(sentence: Sentence, word: int) -> bool:
    """Tell whether a word would have its capital in the middle of a sentence, too."""
    form, lemma = sentence.forms[word], sentence.lemmas[word]
    if sentence.upos[word] == _PROPER or any(c.isupper() for c in form[1:]):
        return True
    return lemma not in ("", MISSING) and lemma[:1].isupper()


def _with_first(form: str, change: Any) -> str:
    """Change the case of the first letter, where that is one character before and after."""
    changed = change(form[:1])
    return changed + form[1:] if len(changed) == 1 and changed.lower() == form[:1].lower() else form
