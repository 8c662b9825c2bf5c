"""Features of a slot: the neighbouring words and tags, and the constituents that meet there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import numpy.typing as npt

from semipunct.corpus.sentences import Sentence, dotted_forms
from semipunct.papers.commas.trees import PhraseTree, category

EDGE = "^"
"""Stands for positions outside of the sentence."""

_MOST = 6
"""Larger counts of constituents are not distinguished."""

_WIDTHS = (1, 2, 3, 5, 8, 13, 21)
"""Lower bounds of the classes of widths."""


class SlotFeatures(msgspec.Struct, frozen=True):
    """The features that have weights: feature i has weight i, in ascending order."""

    names: tuple[str, ...]

    @classmethod
    def of(
        cls, sentences: Sequence[Sentence[PhraseTree]], templates: Sequence[str], minimum: int
    ) -> SlotFeatures:
        """Collect the features of training sentences.

        Args:
            sentences: training sentences.
            templates: groups of features, a subset of ``options.TEMPLATES``.
            minimum: minimum number of slots with a feature.
        """
        counts = Counter(f for s in sentences for slot in slot_features(s, templates) for f in slot)
        return cls(tuple(sorted(f for f, n in counts.items() if n >= minimum)))

    def encode(
        self, sentences: Sequence[Sentence[PhraseTree]], templates: Sequence[str]
    ) -> list[npt.NDArray[np.int32]]:
        """Return for each sentence ``[n + 1, most]`` i + 1 for feature i; 0 for none."""
        number = {name: i for i, name in enumerate(self.names, 1)}
        encoded: list[npt.NDArray[np.int32]] = []
        for s in sentences:
            rows = [[number.get(f, 0) for f in slot] for slot in slot_features(s, templates)]
            encoded.append(np.array(rows, np.int32))
        return encoded


def slot_features(sentence: Sentence[PhraseTree], templates: Sequence[str]) -> Iterator[list[str]]:
    """Yield the features of each slot; their number is the same for all slots.

    Args:
        sentence: a sentence with its phrases; its commas are ignored.
        templates: groups of features, a subset of ``options.TEMPLATES``.
    """
    n = sentence.size
    words = [EDGE, EDGE, *(form.lower() for form in dotted_forms(sentence)), EDGE, EDGE]
    tags = [EDGE, EDGE, *sentence.tree.tags, EDGE, EDGE]
    meeting = _Meeting(sentence.tree) if {"counts", "phrases"} & set(templates) else None
    for slot in range(n + 1):
        features = ["bias"]
        if "words" in templates:
            features += _around("w", words[slot : slot + 4])
        if "tags" in templates:
            features += _around("t", tags[slot : slot + 4])
            if "words" in templates:
                w, t = words[slot + 1 : slot + 3], tags[slot + 1 : slot + 3]
                features += [f"w0t1={w[0]} {t[1]}", f"t0w1={t[0]} {w[1]}"]
        if meeting is not None and "counts" in templates:
            features += meeting.counts(slot, tags[slot + 1 : slot + 3])
        if meeting is not None and "phrases" in templates:
            features += meeting.phrases(slot, words[slot : slot + 4], tags[slot : slot + 4])
        yield features


def _around(name: str, four: Sequence[str]) -> list[str]:
    a, b, c, d = four
    return [
        f"{name}-1={a}", f"{name}0={b}", f"{name}1={c}", f"{name}2={d}", f"{name}-10={a} {b}",
        f"{name}01={b} {c}", f"{name}12={c} {d}", f"{name}-101={a} {b} {c}",
        f"{name}012={b} {c} {d}",
    ]  # fmt: skip


def ranks(tree: PhraseTree) -> list[int]:
    """Return the position of each node among its siblings, from 0.

    Args:
        tree: a phrase-structure tree.
    """
    ranks_of_nodes = [0] * len(tree.categories)
    for children in tree.children:
        for place, child in enumerate(children):
            ranks_of_nodes[child] = place
    return ranks_of_nodes


def conjunctions(tree: PhraseTree) -> list[int]:
    """Return the number of conjunctions among the children of each node.

    Args:
        tree: a phrase-structure tree.
    """
    return [sum(tree.categories[x] == "CC" for x in children) for children in tree.children]


class _Meeting:
    """The constituents of a tree, grouped by the slots where they start and end."""

    def __init__(self, tree: PhraseTree) -> None:
        self.tree = tree
        self.left, self.right = tree.edges
        self.label = [category(label) or EDGE for label in tree.categories]
        n = tree.words
        self.starts: list[list[int]] = [[] for _ in range(n + 1)]
        self.ends: list[list[int]] = [[] for _ in range(n + 1)]
        self.rank, self.conjunctions = ranks(tree), conjunctions(tree)
        for node, label in enumerate(tree.categories):  # outer nodes first
            if label:
                self.starts[self.left[node]].append(node)
                self.ends[self.right[node]].append(node)

    def counts(self, slot: int, tags: Sequence[str]) -> list[str]:
        starts, ends = (str(min(len(x[slot]), _MOST)) for x in (self.starts, self.ends))
        return [
            f"s={starts}", f"e={ends}", f"se={starts} {ends}", f"et0={ends} {tags[0]}",
            f"et1={ends} {tags[1]}", f"set1={starts} {ends} {tags[1]}",
        ]  # fmt: skip

    def phrases(self, slot: int, words: Sequence[str], tags: Sequence[str]) -> list[str]:
        before, after = self._topmost(self.ends[slot]), self._topmost(self.starts[slot])
        label, parents = self.label, self.tree.parents
        b, a = (label[x] if x >= 0 else EDGE for x in (before, after))
        # The lowest phrase that contains both: a comma would be its child.
        over = parents[before if before >= 0 else after]
        p = label[over] if over >= 0 else EDGE
        width = [self._width(x) for x in (before, after)]
        siblings = self.tree.children[over] if over >= 0 else ()
        places = [self.rank[x] if x >= 0 and parents[x] == over else -1 for x in (before, after)]
        first, last = places[0] == 0, places[1] == len(siblings) - 1
        beyond = [
            label[siblings[i]] if 0 <= i < len(siblings) else EDGE
            for i in (
                places[0] - 1 if places[0] >= 0 else -1,
                places[1] + 1 if places[1] >= 0 else -1,
            )
        ]
        above = label[parents[over]] if over >= 0 and parents[over] >= 0 else EDGE
        chains = [
            "_".join(label[x] for x in nodes[:3] if not self.tree.anchors[x])
            for nodes in (self.ends[slot], self.starts[slot])
        ]
        functions = [self.tree.categories[x] if x >= 0 else EDGE for x in (before, after)]
        inner = self.conjunctions[over] if over >= 0 else 0
        return [
            f"b={b}", f"a={a}", f"p={p}", f"ba={b} {a}", f"pba={p} {b} {a}", f"pb={p} {b}",
            f"pa={p} {a}", f"pbafl={p} {b} {a} {first} {last}", f"gpba={above} {p} {b} {a}",
            f"bw={b} {width[0]}", f"aw={a} {width[1]}", f"pbaw={p} {b} {a} {width[0]}",
            f"pbawa={p} {b} {a} {width[1]}", f"pbaww={p} {b} {a} {width[0]} {width[1]}",
            f"pbn={p} {b} {beyond[0]}", f"pan={p} {a} {beyond[1]}",
            f"pban={p} {b} {a} {beyond[1]}", f"pbbn={p} {beyond[0]} {b} {a}",
            f"ce={chains[0]}", f"cs={chains[1]}", f"pbat={p} {b} {a} {tags[2]}",
            f"pbaw1={p} {b} {a} {words[2]}", f"pbaw0={p} {b} {a} {words[1]}",
            f"fb={p} {functions[0]} {a}", f"fa={p} {b} {functions[1]}",
            f"cc={p} {b} {a} {inner} {tags[2]}", f"bt={b} {self._opening(before, tags)}",
            f"pbo={p} {b} {a} {self._opening(before, tags)}", f"n={p} {len(siblings) > 2} {a} {b}",
        ]  # fmt: skip

    def _topmost(self, nodes: Sequence[int]) -> int:
        """Return the outermost of some nodes, listed from the outside; -1 if there is none."""
        return nodes[0] if nodes else -1

    def _width(self, node: int) -> int:
        if node < 0:
            return 0
        width = self.right[node] - self.left[node]
        return sum(width >= bound for bound in _WIDTHS)

    def _opening(self, node: int, tags: Sequence[str]) -> str:
        """Return the tag of the first word of a constituent."""
        return self.tree.tags[self.left[node]] if node >= 0 else EDGE


def without_some(features: npt.NDArray[np.int32] | jax.Array, share: float, key: jax.Array) -> Any:
    """Drop features at random, for training.

    Args:
        features: an array of any shape, 0 for no feature.
        share: the fraction to drop.
        key: PRNG key.
    """
    return jnp.where(jax.random.bernoulli(key, 1 - share, features.shape), features, 0)
