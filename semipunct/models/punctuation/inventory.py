"""The inventory of a model: tokens, punctemes and pairs of punctemes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semipunct.corpus import Sentence
from semipunct.corpus.statistics import frequent_tokens, joining_marks, token_counts, with_unknown
from semipunct.features.index import FeatureIndex, FeatureRows
from semipunct.features.strings import Spelling, alphabet
from semipunct.features.support import Support, find_support, outcome_columns
from semipunct.features.templates import TABLES, TARGETS, Table, Target
from semipunct.marks import FINAL, INITIAL, OPEN, START, UNK, Pair, Puncteme, is_symmetric
from semipunct.marks.spacing import BY_TYPOGRAPHY, JoiningMarks
from semipunct.models.punctuation.options import ModelOptions

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # pyright: ignore[reportMissingTypeStubs]


@dataclass(frozen=True, slots=True)
class Inventory:
    """The finite sets of the model, estimated from the surface of a treebank (section 4)."""

    symbols: tuple[str, ...]  # the channel's alphabet; symbol 0 is the start
    labels: tuple[Puncteme, ...]  # punctemes; label 0 is empty
    pairs: npt.NDArray[np.int32]  # [pairs, 2], labels; in pair 0 both are empty
    relations: tuple[str, ...]
    # [relations + 1, pairs] (last row: any other relation); None for all pairs
    allowed: npt.NDArray[np.bool_] | None
    counts: npt.NDArray[np.int32]  # [relations + 1, pairs], of flanked constituents
    spelling: Spelling  # of the open puncteme
    # Tokens that only join words; typographic rules if the treebank records no spaces, or the model
    # is older.
    joining: JoiningMarks = BY_TYPOGRAPHY

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens that may be visible in a slot, without boundary marks."""
        return tuple(s for s in self.symbols[1:] if s not in (INITIAL, FINAL, OPEN))

    def encode(self, puncteme: Sequence[str]) -> tuple[int, ...]:
        """Return the symbols of a surface puncteme; unknown tokens become UNK."""
        number = {s: i for i, s in enumerate(self.symbols) if s not in (START, OPEN)}
        unknown = number[UNK]
        return tuple(number.get(t, unknown) for t in puncteme)

    def pair_name(self, pair: int) -> Pair:
        left, right = (int(label) for label in self.pairs[pair])
        return self.labels[left], self.labels[right]


def target_columns(inventory: Inventory) -> dict[Target, int]:
    """Return the number of outcomes of each target."""
    labels = len(inventory.labels)
    sizes: dict[Target, int] = {
        "pair": len(inventory.pairs),
        "symmetric": 1,
        "closing_symmetric": 1,
    }
    return {target: sizes.get(target, labels) for target in TARGETS}


def build_inventory(sentences: Sequence[Sentence], options: ModelOptions) -> Inventory:
    """Estimate the inventory from training sentences.

    With ``options.hard_sets`` these are the sets of the paper: every surface string of a slot is a
    puncteme, and a relation allows the pairs that flank its constituents (V and W_d of section 4).
    Otherwise pairs of substrings are included, rare pairs are left to the back-off, and every
    single token and the open puncteme may occur on either side of any relation.
    """
    counts = token_counts(slot for s in sentences for slot in s.slots)
    frequent = frequent_tokens(counts, options.minimum_token_count)
    keep = {UNK, *frequent}
    relations = tuple(sorted({r for s in sentences for r in s.tree.relations}))
    row = {r: i for i, r in enumerate(relations)}
    flanks: Counter[tuple[int, Puncteme, Puncteme]] = Counter()
    strings: Counter[Puncteme] = Counter()
    for sentence in sentences:
        slots = [with_unknown(slot, keep) for slot in sentence.slots]
        strings.update(slots)
        left, right = sentence.tree.edges
        for w, relation in enumerate(sentence.tree.relations):
            flanks[row[relation], slots[left[w]], slots[right[w]]] += 1
    candidates: Counter[Pair] = Counter()
    for (_, left_string, right_string), n in flanks.items():
        if options.hard_sets:
            candidates[left_string, right_string] += n
        else:
            # Pairs of substrings: the string of a slot may come from several constituents.
            for pair in product(substrings(left_string), substrings(right_string)):
                candidates[pair] += n
    pairs = _choose(candidates, (*frequent, UNK), options)
    labels = tuple(sorted({p for pair in pairs for p in pair}, key=lambda p: (len(p), p)))
    number = {pair: i for i, pair in enumerate(pairs)}
    seen = np.zeros((len(relations) + 1, len(pairs)), np.int32)
    for (relation, left_string, right_string), n in flanks.items():
        if (i := number.get((left_string, right_string))) is not None:
            seen[relation, i] += n
    seen[-1] = seen.sum(0)
    label = {p: i for i, p in enumerate(labels)}
    symbols = alphabet(frequent)
    return Inventory(
        symbols,
        labels,
        np.array([[label[left], label[right]] for left, right in pairs], np.int32),
        relations,
        seen > 0 if options.hard_sets else None,
        seen,
        Spelling.of(strings, symbols),
        joining_marks(sentences),
    )


def substrings(puncteme: Puncteme) -> set[Puncteme]:
    """Return all substrings, including the empty one and the string itself."""
    n = len(puncteme)
    return {()} | {puncteme[i:j] for i in range(n) for j in range(i + 1, n + 1)}


def _choose(candidates: Counter[Pair], tokens: Sequence[str], options: ModelOptions) -> list[Pair]:
    chosen: set[Pair] = {((), ())}
    for (left, right), n in candidates.items():
        short = max(len(left), len(right)) <= options.longest_puncteme
        if options.hard_sets or (short and n >= options.minimum_pair_count):
            chosen.add((left, right))
    if not options.hard_sets:
        for token in (*tokens, OPEN):
            chosen |= {((token,), ()), ((), (token,))}
        chosen.add(((OPEN,), (OPEN,)))
    return sorted(chosen, key=lambda p: (len(p[0]) + len(p[1]), p))


def supports(
    sentences: Sequence[Sentence],
    inventory: Inventory,
    features: FeatureIndex,
    rows: Mapping[Table, FeatureRows],
    minimum: int,
) -> dict[Table, Support]:
    """Give features weights for the outcomes with which they occur in training.

    Args:
        minimum: number of co-occurrences; 0 for weights for all outcomes.
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
    """Return the mask of outcomes that the surface permits, ``[words, outcomes]``."""
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
