"""Agreement of derivations: their dependencies between predicates and arguments, their categories.

Source: Clark and Curran (2004); Tse and Curran (2008), section 6.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from semipunct.evaluation.metric import ratio
from semipunct.files import finite

Labelled = tuple[int, str, int, int]
"""Head, its category, the number of the argument, dependent."""


class DerivationCounts(NamedTuple):
    """Counts over sentences; one that was not parsed has all its words and dependencies missed.

    Attributes:
        sentences: all of them.
        parsed: those for which a derivation was found.
        exact: those whose dependencies are all right, and no other is there.
        words: of all sentences, marks included.
        categories: words with the right category.
        gold: dependencies of the treebank.
        found: dependencies of the parser.
        labelled: those that are both.
        gold_pairs, found_pairs, unlabelled: the same of pairs of head and dependent.
    """

    sentences: int = 0
    parsed: int = 0
    exact: int = 0
    words: int = 0
    categories: int = 0
    gold: int = 0
    found: int = 0
    labelled: int = 0
    gold_pairs: int = 0
    found_pairs: int = 0
    unlabelled: int = 0

    @classmethod
    def of(
        cls,
        gold: tuple[Sequence[str], Collection[Labelled]],
        found: tuple[Sequence[str], Collection[Labelled]] | None,
    ) -> DerivationCounts:
        """Count one sentence.

        Args:
            gold: the categories of its words, and its dependencies.
            found: those of a parser, None if it has no derivation.
        """
        categories, right = gold[0], {*gold[1]}
        mine = {*found[1]} if found else set[Labelled]()
        pairs, my_pairs = ({(d[0], d[3]) for d in deps} for deps in (right, mine))
        same = sum(a == b for a, b in zip(categories, found[0], strict=True)) if found else 0
        return cls(
            1,
            int(found is not None),
            int(found is not None and mine == right),
            len(categories),
            same,
            len(right),
            len(mine),
            len(right & mine),
            len(pairs),
            len(my_pairs),
            len(pairs & my_pairs),
        )

    def plus(self, other: DerivationCounts) -> DerivationCounts:
        """Return the sums of two counts."""
        return DerivationCounts(*(a + b for a, b in zip(self, other, strict=True)))

    def as_dict(self) -> dict[str, Any]:
        """Return all figures for JSON; null stands for an undefined one."""
        return {
            "sentences": self.sentences,
            "words": self.words,
            "coverage": finite(ratio(self.parsed, self.sentences)),
            "sentence_accuracy": finite(ratio(self.exact, self.sentences)),
            "category_accuracy": finite(ratio(self.categories, self.words)),
            **_scores("labelled", self.labelled, self.found, self.gold),
            **_scores("unlabelled", self.unlabelled, self.found_pairs, self.gold_pairs),
        }


def _scores(name: str, right: int, found: int, gold: int) -> dict[str, Any]:
    return {
        f"{name}_precision": finite(ratio(right, found)),
        f"{name}_recall": finite(ratio(right, gold)),
        f"{name}_f1": finite(ratio(2 * right, found + gold)),
    }
