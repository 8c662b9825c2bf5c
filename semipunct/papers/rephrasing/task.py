"""Rephrasing: change a tree, and regenerate its surface punctuation (section 6.3).

Constituents of the best underlying tree are deleted, moved or reordered with their punctemes; the
channel then rewrites the underlying string of every slot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from semipunct.arrays.padding import round_up
from semipunct.arrays.programs import jit
from semipunct.corpus import Sentence
from semipunct.corpus.sentences import MISSING, excerpt
from semipunct.corpus.treebank import OmittedT, with_omitted, without_omitted
from semipunct.errors import EditError, UsageError
from semipunct.marks import SILENT, display_form, spacing
from semipunct.models.base import Parameters, Weights
from semipunct.models.punctuation import decode
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.regeneration import Regenerator, UnderlyingTree
from semipunct.papers.rephrasing.edits import TreeEdit
from semipunct.papers.rephrasing.model import PADDED, NodeGroup, OrderingModel
from semipunct.pipelines.options import Surface
from semipunct.pipelines.trained import Slots, Trained, model_of_kind, punctuation_model
from semipunct.structures.distribution import Distribution
from semipunct.structures.permutations import linear_orderings
from semipunct.trees import PLACES, Arrangement, Place

TOGETHER = 256
"""Number of nodes whose orders are sampled at a time."""


class Drawn(NamedTuple):
    """Sampled orders of each sentence, by head, and its number of nodes with too many items."""

    orders: list[Mapping[int, tuple[int, ...]]]
    long: list[int]


def draw_orders(
    model: OrderingModel,
    parameters: Weights,
    sentences: Sequence[Sentence],
    seed: int,
    numbers: Sequence[int] | None = None,
) -> Drawn:
    """Sample an order for each noun and verb, by ``seed`` and the number of the sentence."""
    numbers = range(len(sentences)) if numbers is None else numbers
    encoded = model.encode(sentences)
    weights = model.place_weights(parameters)
    owner = np.searchsorted(encoded.first, np.arange(len(encoded.nodes)), side="right") - 1
    orders: list[dict[int, tuple[int, ...]]] = [{} for _ in sentences]
    for items, nodes in zip(PADDED, encoded.by_size(range(len(encoded.nodes))), strict=True):
        for start in range(0, len(nodes), TOGETHER):
            some = nodes[start : start + TOGETHER]
            group = encoded.group(some, items, round_up(len(some), 32, 1))
            chance = np.zeros((len(group.items), 2), np.uint32)
            chance[: len(some), 0] = np.array(numbers, np.uint32)[owner[some]]
            chance[: len(some), 1] = [encoded.nodes[number].head for number in some]
            places = np.asarray(_draw(model, weights, group, np.uint32(seed % 2**32), chance))
            for number, place in zip(some, places, strict=False):
                node = encoded.nodes[number]
                order = np.argsort(place[: len(node.items)]).tolist()
                orders[owner[number]][node.head] = tuple(node.items[i] for i in order)
    return Drawn(list(orders), encoded.long.tolist())


@partial(jit, static=1)
def _draw(
    model: OrderingModel,
    parameters: Parameters,
    group: NodeGroup,
    seed: jax.Array,
    chance: npt.NDArray[np.uint32],
) -> jax.Array:
    weights, lengths = model.orderings(parameters, group).weights, jnp.asarray(group.items)

    def draw_order(precedence: jax.Array, length: jax.Array, numbers: jax.Array) -> jax.Array:
        key = jax.random.fold_in(jax.random.fold_in(jax.random.key(seed), numbers[0]), numbers[1])
        alone = Distribution(linear_orderings(precedence, length))
        return jnp.sum(alone.sample_parts(key).precedence, 0)

    return jax.vmap(draw_order)(weights.precedence, lengths, jnp.asarray(chance))


_PROPER = "PROPN"


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes to trees, in this order.

    Attributes:
        delete: relations whose constituents are deleted; ``acl`` includes ``acl:relcl``.
        move: relations, and the places to move their constituents to.
        permute: ordering model for the dependents of nouns and verbs.
    """

    delete: Sequence[str] = ()
    move: Sequence[tuple[str, Place]] = ()
    permute: Trained[Any] | None = None

    def check(self) -> None:
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
        sentence: the remaining words in their new order, with regenerated slots.
        words: ``[n]`` original number of each word.
        long: number of nodes with too many dependents to permute.
    """

    sentence: Sentence
    words: tuple[int, ...]
    long: int = 0

    @property
    def text(self) -> str:
        """The sentence as plain text, spaced by the rules of its script."""
        visible = [
            tuple(t if t in SILENT else display_form(t) for t in s) for s in self.sentence.slots
        ]
        return spacing.text(self.sentence.forms, visible)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Rephrasing {self.sentence.sentence_id}: {excerpt(self.text)}>"


def rephrase(
    model: Trained[Any],
    sentences: Sequence[Sentence | OmittedT],
    changes: Changes | None = None,
    *,
    edits: Sequence[Sequence[TreeEdit]] | None = None,
    surface: Surface = "drawn",
    seed: int = 0,
    first: int = 0,
) -> list[Rephrasing | OmittedT | None]:
    """Change the trees of sentences, and regenerate their punctuation.

    Args:
        model: a punctuation model with its weights.
        sentences: words, trees and surface punctuation. Omitted ones pass through.
        changes: changes to all sentences, after their edits.
        edits: edits of each sentence that is not omitted, with word numbers from 1.
        surface: whether to draw the channel's edits, as in the paper, or to use the best ones.
        seed: with the number of a sentence, determines its draws.
        first: the number of the first sentence.

    Returns:
        The changed sentences; None for one without an underlying tree, possible with hard sets.

    Raises:
        EditError: if a tree does not allow an edit.
        UsageError: if a place is invalid.
        ModelError: if a model is of another kind.
    """
    punctuation, changes = punctuation_model(model, alone=True), changes or Changes()
    changes.check()
    usable: list[Sentence] = without_omitted(sentences)
    analyses = decode.best(punctuation.model, punctuation.parameters, usable)
    edits_of = edits if edits is not None else [()] * len(usable)
    trees = [
        None
        if analysis is None
        else _edited(UnderlyingTree.of(analysis), edits_of_sentence, changes)
        for analysis, edits_of_sentence in zip(analyses, edits_of, strict=True)
    ]
    permuted, long = _permuted(trees, changes.permute, seed, first)
    rephrased = _regenerated(
        punctuation.model, punctuation.parameters, usable, permuted, long,
        surface=surface, seed=seed, first=first,
    )  # fmt: skip
    return with_omitted(sentences, rephrased)


def add_underlying_trees(model: Trained[Any], sentences: Sequence[Sentence]) -> list[Sentence]:
    """Add the best underlying trees to sentences, for training an ordering model.

    A sentence without one, possible with hard sets, gets empty punctemes.
    """
    punctuation = punctuation_model(model, alone=True)
    analyses = decode.best(punctuation.model, punctuation.parameters, sentences)
    return [
        replace(sentence, underlying=(((), ()),) * sentence.size)
        if analysis is None
        else UnderlyingTree.of(analysis).annotated
        for sentence, analysis in zip(sentences, analyses, strict=True)
    ]


def names(relation: str, name: str) -> bool:
    """Return whether a relation has a name, or is a subtype of it."""
    return relation == name or relation.startswith(f"{name}:")


def _edited(tree: UnderlyingTree, edits: Sequence[TreeEdit], changes: Changes) -> UnderlyingTree:
    s = tree.sentence
    arrangement = Arrangement(s.tree)
    for edit in edits:
        try:
            if edit.place is None:
                arrangement.delete(edit.word)
            else:
                head = arrangement.head_of(edit.word) if edit.head is None else edit.head
                # The root has no head; moving it raises an error for any head.
                arrangement.move(edit.word, head or edit.word, edit.place)
        except UsageError as error:
            raise EditError(f"{edit.where}: sentence {s.sentence_id}: {error}") from error
    for word, relation in enumerate(s.tree.relations, start=1):
        deleted = any(names(relation, name) for name in changes.delete)
        if deleted and arrangement.has(word) and arrangement.head_of(word):
            arrangement.delete(word)
    for name, place in changes.move:
        for word, relation in enumerate(s.tree.relations, start=1):
            if names(relation, name) and arrangement.has(word) and arrangement.head_of(word):
                arrangement.move(word, arrangement.head_of(word), place)
    return tree.rearrange(arrangement)


def _permuted(
    trees: Sequence[UnderlyingTree | None], ordering: Trained[Any] | None, seed: int, first: int
) -> tuple[list[UnderlyingTree | None], list[int]]:
    """Draw orders; return the trees, and the numbers of nodes too long to permute."""
    permuted, long = list(trees), [0] * len(trees)
    if ordering is None:
        return permuted, long
    present = [(i, tree) for i, tree in enumerate(trees) if tree is not None]
    drawn = draw_orders(
        model_of_kind(ordering, OrderingModel),
        ordering.parameters,
        [tree.annotated for _, tree in present],
        seed,
        [first + i for i, _ in present],
    )
    for (i, tree), orders, left in zip(present, drawn.orders, drawn.long, strict=True):
        arrangement = Arrangement(tree.sentence.tree)
        arrangement.reorder(orders)
        permuted[i], long[i] = tree.rearrange(arrangement), left
    return permuted, long


def _regenerated(
    model: PunctuationModel,
    parameters: Any,
    sources: Sequence[Sentence],
    trees: Sequence[UnderlyingTree | None],
    long: Sequence[int],
    *,
    surface: Surface,
    seed: int,
    first: int,
) -> list[Rephrasing | None]:
    regenerator = Regenerator.of(model, parameters)
    rephrased: list[Rephrasing | None] = []
    for number, (source, tree, left) in enumerate(zip(sources, trees, long, strict=True), first):
        if tree is None:
            rephrased.append(None)
            continue
        chance = np.random.default_rng((seed, number))
        slots: Slots = regenerator.surface(tree, chance, drawn=surface == "drawn")
        forms = _forms(source, tree)
        sentence = replace(tree.sentence, forms=forms, slots=slots)
        rephrased.append(Rephrasing(sentence, tree.words, left))
    return rephrased


def _forms(source: Sentence, tree: UnderlyingTree) -> tuple[str, ...]:
    """Return the word forms, with the initial capital moved to the new first word."""
    forms = list(tree.sentence.forms)
    if tree.words[0] == 1 or not source.forms[0][:1].isupper():
        return tuple(forms)
    if 1 in tree.words and not _has_own_capital(source, 0):
        place = tree.words.index(1)
        forms[place] = _with_first(forms[place], str.lower)
    forms[0] = _with_first(forms[0], str.upper)
    return tuple(forms)


def _has_own_capital(sentence: Sentence, word: int) -> bool:
    form, lemma = sentence.forms[word], sentence.lemmas[word]
    if sentence.upos[word] == _PROPER or any(c.isupper() for c in form[1:]):
        return True
    return lemma not in ("", MISSING) and lemma[:1].isupper()


def _with_first(form: str, change: Any) -> str:
    """Change the case of the first letter, if it is one character before and after."""
    changed = change(form[:1])
    return changed + form[1:] if len(changed) == 1 and changed.lower() == form[:1].lower() else form
