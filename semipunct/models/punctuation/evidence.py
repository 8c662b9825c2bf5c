"""The punctemes that the surface permits at each node, which determine the weights of features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from semipunct.corpus import Sentence
from semipunct.corpus.tokens import with_unknown
from semipunct.features.index import FeatureIndex, FeatureRows
from semipunct.features.support import Support, find_support, outcome_columns
from semipunct.features.templates import TABLES, Table
from semipunct.marks import OPEN, Puncteme, is_symmetric
from semipunct.models.punctuation.inventory import Inventory, substrings, target_columns

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # pyright: ignore[reportMissingTypeStubs]


def supports(
    sentences: Sequence[Sentence],
    inventory: Inventory,
    features: FeatureIndex,
    rows: Mapping[Table, FeatureRows],
    minimum: int,
) -> dict[Table, Support]:
    """Give features weights for the outcomes with which they occur in training.

    Args:
        sentences: sentences of the training treebank.
        inventory: labels and pairs.
        features: the features.
        rows: the feature vectors of the sentences' words.
        minimum: minimum number of co-occurrences of an outcome with a feature; 0 for weights for
            all outcomes.
    """
    supports_of: dict[Table, Support] = {}
    for table in TABLES:
        families = [family for family in features.conjunctions if family.table == table]
        columns = outcome_columns(table, target_columns(inventory))
        possible = _possible(sentences, inventory, table)
        supports_of[table] = find_support(families, columns, rows[table], possible, minimum)
    return supports_of


def _possible(
    sentences: Sequence[Sentence], inventory: Inventory, table: Table
) -> csr_array[Any, Any]:
    """Return the outcomes that the surface permits at each word, ``[words, outcomes]``.

    The permitted punctemes are the substrings of the strings that flank the word's constituent, as
    for the pairs of the inventory (docs/decisions/0008). Others may have been removed from the text
    by the channel; they are observed elsewhere.
    """
    # SciPy is not needed for using a model.
    from scipy.sparse import csr_array  # pyright: ignore[reportMissingTypeStubs]

    label = {puncteme: i for i, puncteme in enumerate(inventory.labels)}
    pair = {(int(a), int(b)): i for i, (a, b) in enumerate(inventory.pairs)}
    tokens = frozenset(inventory.tokens)
    columns = outcome_columns(table, target_columns(inventory))

    @cache
    def parts(slot: Puncteme) -> tuple[int, ...]:
        string = with_unknown(slot, tokens)
        labels_within = {label[part] for part in substrings(string) if part in label}
        return tuple(
            sorted(labels_within if string in label else {*labels_within, label.get((OPEN,), 0)})
        )

    @cache
    def outcomes(left: Puncteme, right: Puncteme) -> tuple[int, ...]:
        of_left, of_right = parts(left), parts(right)
        pairs = [p for p in ((a, b) for a in of_left for b in of_right) if p in pair]
        symmetric = any(is_symmetric(*(inventory.labels[x] for x in p)) for p in pairs)
        each: dict[str, Iterable[int]] = {
            "pair": (pair[p] for p in pairs),
            "left": of_left,
            "opening": of_left,
            "right": of_right,
            "closing": of_right,
            "symmetric": (0,) * symmetric,
            "closing_symmetric": (0,) * symmetric,
        }
        return tuple(span.start + x for target, span in columns.items() for x in each[target])

    outcomes_of_words: list[tuple[int, ...]] = []
    for sentence in sentences:
        edges = zip(*sentence.tree.edges, strict=True)
        outcomes_of_words += [
            outcomes(sentence.slots[left], sentence.slots[right]) for left, right in edges
        ]
    start = np.cumsum([0, *map(len, outcomes_of_words)])
    column = np.fromiter(chain.from_iterable(outcomes_of_words), np.int32, int(start[-1]))
    size = max(span.stop for span in columns.values())
    return csr_array(
        (np.ones(len(column), np.int32), column, start), shape=(len(outcomes_of_words), size)
    )
