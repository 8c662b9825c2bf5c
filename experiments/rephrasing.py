"""Rephrased sentences: are they as natural as those of the treebank (Table 6)?

    python experiments/rephrasing.py PUNCTUATION --train TRAIN --dev DEV --models FOLDER [--output]

The dependents of nouns and verbs are put into an order drawn from a model that was trained on the
same treebank, and a trigram language model that is trained on the result predicts the original
sentences. *Base* takes punctuation for words (Wang and Eisner 2016); *Full* permutes the underlying
tree and draws the surface; *Half* draws the surface for words in the order of Base. Beyond the
paper, the development sentences are predicted with a smoothing that is meant for unseen text, and
constituents are deleted, to count the surfaces that no sentence of the treebank has.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import semipunct
from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus import Sentence
from semipunct.evaluation import Result, join_signature
from semipunct.evaluation.comparison import compare
from semipunct.evaluation.perplexity import PerplexityStatistics
from semipunct.formats.conllu import Conllu
from semipunct.inference.decode import best
from semipunct.inference.regeneration import Regenerator, UnderlyingTree
from semipunct.marks import ABBREVIATION
from semipunct.marks.matching import matched_pairs
from semipunct.marks.tokens import PAIRS
from semipunct.models.ordering.orders import draw_orders
from semipunct.tasks.rephrase import names
from semipunct.trees import Arrangement

LAMBDA = 0.001
"""Added to every count: the smoothing of the paper."""
SYSTEMS = ("base", "half", "full")
DELETED = ("acl:relcl", "appos", "parataxis")
EDGES = ("<s>", "<s>"), ("</s>",)


@dataclass(frozen=True)
class Surface:
    """A sentence as readers see it.

    Attributes:
        words: in order, with the dots of abbreviations.
        slots: the marks before each and at the end.
    """

    words: tuple[str, ...]
    slots: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, forms: Sequence[str], slots: Sequence[Sequence[str]]) -> Surface:
        """Put dots of abbreviations on their words.

        Args:
            forms: ``[n]`` words.
            slots: ``[n + 1]`` strings, the dots among them.
        """
        dots = ["." * list(slot).count(ABBREVIATION) for slot in slots[1:]]
        marks = tuple(tuple(t for t in slot if t != ABBREVIATION) for slot in slots)
        return cls(tuple(form + dot for form, dot in zip(forms, dots, strict=True)), marks)

    @property
    def tokens(self) -> list[tuple[str, bool]]:
        """Words and marks in order, each with whether it is a mark."""
        found = [(mark, True) for mark in self.slots[0]]
        for word, slot in zip(self.words, self.slots[1:], strict=True):
            found += [(word, False), *((mark, True) for mark in slot)]
        return found


@dataclass(frozen=True)
class Pair:
    """A sentence twice: with its marks in slots, and with its marks as words."""

    slots: Sentence
    words: Sentence

    @property
    def original(self) -> Surface:
        """The sentence of the treebank."""
        return Surface.of(self.slots.forms, self.slots.slots)

    def base(self, order: Sequence[int]) -> Surface:
        """Return the surface of the tokens of the tree with marks, in an order."""
        words: list[str] = []
        slots: list[list[str]] = [[]]
        for token in order:
            form = self.words.forms[token - 1]
            if self.words.upos[token - 1] == "PUNCT":
                slots[-1].append(form)
            else:
                words.append(form)
                slots.append([])
        return Surface(tuple(words), tuple(map(tuple, slots)))


def read(path: Path, most: int | None) -> list[Pair]:
    """Read the sentences that models can take, both ways.

    Args:
        path: a treebank in CoNLL-U.
        most: sentences at most; None for all.
    """
    both = zip(Conllu().read(path), Conllu("words").read(path), strict=True)
    found = [
        Pair(a.content, b.content)
        for a, b in both
        if isinstance(a.content, Sentence) and isinstance(b.content, Sentence)
    ]
    return found[:most]


def permuted(
    pairs: Sequence[Pair], trees: Sequence[UnderlyingTree], models: Mapping[str, Any],
    regenerator: Regenerator, seed: int,
) -> dict[str, list[Surface]]:  # fmt: skip
    """Permute sentences in the three ways.

    Args:
        pairs: the sentences.
        trees: the underlying tree of each.
        models: the ordering models of Base and Full.
        regenerator: the channel.
        seed: of what is drawn.
    """
    base, full = models["base"], models["full"]
    of_tokens = draw_orders(base.model, base.parameters, [p.words for p in pairs], seed)
    of_words = draw_orders(full.model, full.parameters, [p.slots for p in pairs], seed)
    print(f"nodes left as they are: base {sum(of_tokens.long)}, full {sum(of_words.long)}")
    found: dict[str, list[Surface]] = {system: [] for system in SYSTEMS}
    columns = zip(pairs, trees, of_tokens.orders, of_words.orders, strict=True)
    for number, (pair, tree, tokens, words) in enumerate(columns):
        with_marks = Arrangement(pair.words.tree)
        with_marks.reorder(tokens)
        order = with_marks.words
        found["base"].append(pair.base(order))
        likewise = Arrangement(pair.slots.tree)
        likewise.reorder(same_order(pair, order))
        own = Arrangement(pair.slots.tree)
        own.reorder(words)
        for system, arrangement in (("half", likewise), ("full", own)):
            chance = np.random.default_rng((seed, number))
            new = tree.rearranged(arrangement)
            slots = regenerator.surface(new, chance, drawn=True)
            # Capitals stay where they are, as in the paper: no system has an advantage of them.
            forms = [pair.slots.forms[word - 1] for word in new.words]
            found[system].append(Surface.of(forms, slots))
    return found


def same_order(pair: Pair, tokens: Sequence[int]) -> dict[int, list[int]]:
    """Return the orders of all heads that give words the order they have among tokens.

    Args:
        pair: the sentence.
        tokens: words and marks in their new order.
    """
    upos = pair.words.upos
    number = {t: i for i, t in enumerate((t for t in sorted(tokens) if upos[t - 1] != "PUNCT"), 1)}
    place = {number[t]: i for i, t in enumerate(tokens) if t in number}
    items: defaultdict[int, list[int]] = defaultdict(list)
    for word, head in enumerate(pair.slots.tree.heads, start=1):
        if head:
            items[head].append(word)
    return {head: sorted([head, *below], key=place.__getitem__) for head, below in items.items()}


class Trigrams:
    """A trigram language model: add-lambda smoothing, or interpolation (Witten and Bell 1991)."""

    def __init__(self, surfaces: Sequence[Surface], types: int) -> None:
        """Count the trigrams of sentences.

        Args:
            surfaces: to train on.
            types: different tokens that can be predicted.
        """
        self.types = types
        self.counts = [Counter[tuple[str, ...]]() for _ in range(3)]
        self.histories = [Counter[tuple[str, ...]]() for _ in range(3)]
        for surface in surfaces:
            for trigram, _ in trigrams(surface):
                for n in range(3):
                    self.counts[n][trigram[2 - n :]] += 1
                    self.histories[n][trigram[2 - n : 2]] += 1
        self.followers = [Counter(gram[:-1] for gram in counts) for counts in self.counts]

    def added(self, trigram: tuple[str, ...]) -> float:
        """Return log p of the last token given the first two, with lambda added to all counts."""
        seen, history = self.counts[2][trigram], self.histories[2][trigram[:2]]
        return math.log((seen + LAMBDA) / (history + LAMBDA * self.types))

    def interpolated(self, trigram: tuple[str, ...]) -> float:
        """Return the same with lower orders weighted by how many tokens follow a history."""
        p = 1 / self.types
        for n in range(3):
            history = trigram[2 - n : 2]
            new, old = self.followers[n][history], self.histories[n][history]
            if old:
                p = (self.counts[n][trigram[2 - n :]] + new * p) / (old + new)
        return math.log(p)


def trigrams(surface: Surface) -> list[tuple[tuple[str, str, str], bool]]:
    """List the trigrams of a sentence, each with whether it has punctuation."""
    tokens = surface.tokens
    start, end = ([(edge, False) for edge in edges] for edges in EDGES)
    padded = [*start, *tokens, *end]
    found: list[tuple[tuple[str, str, str], bool]] = []
    for i in range(len(padded) - 2):
        (a, x), (b, y), (c, z) = padded[i : i + 3]
        found.append(((a, b, c), x or y or z))
    return found


def scored(
    surfaces: Sequence[Surface], log_p: Callable[[tuple[str, ...]], float], *, marks_only: bool
) -> PerplexityStatistics:
    """Score sentences; those without a trigram that counts are left out.

    Args:
        surfaces: the sentences.
        log_p: of the last token of a trigram.
        marks_only: whether trigrams without punctuation do not count.
    """
    totals: list[float] = []
    sizes: list[int] = []
    for surface in surfaces:
        found = [log_p(trigram) for trigram, has in trigrams(surface) if has or not marks_only]
        if found:
            totals.append(math.fsum(found))
            sizes.append(len(found))
    return PerplexityStatistics(np.array(totals), np.array(sizes, np.int64))


def perplexities(
    trained: Mapping[str, Sequence[Surface]], test: Sequence[Surface], smoothing: str
) -> dict[str, Any]:
    """Return the perplexity of sentences under each system's model, with tests of differences.

    Args:
        trained: permuted sentences by system.
        test: the sentences that are predicted.
        smoothing: the name of a method of ``Trigrams``.
    """
    known = {
        token for surfaces in (*trained.values(), test) for s in surfaces for token, _ in s.tokens
    }
    models = {name: Trigrams(surfaces, len(known) + 1) for name, surfaces in trained.items()}
    figures: dict[str, Any] = {}
    for part in ("punctuation", "all"):
        results: dict[str, Result] = {}
        for name, model in models.items():
            scores = scored(test, getattr(model, smoothing), marks_only=part == "punctuation")
            signature = join_signature({"task": "perplexity", "model": name, "treebank": part})
            results[name] = Result(name, signature, scores)
        row: dict[str, Any] = {
            n: r.statistics.figures().as_dict()["perplexity"] for n, r in results.items()
        }
        for a, b in (*pairwise(results), ("base", "full")):
            row[f"p {a} {b}"] = compare(results[a], results[b], 1000).differences[0].p
        row["full over base"] = row["full"] / row["base"]
        figures[part] = row
    return figures


def compressed(
    pairs: Sequence[Pair], trees: Sequence[UnderlyingTree], regenerator: Regenerator, seed: int
) -> dict[str, Any]:
    """Delete constituents, and count the surfaces that no sentence of these has.

    Args:
        pairs: the sentences.
        trees: the underlying tree of each.
        regenerator: the channel.
        seed: of what is drawn.
    """
    seen = [slot_kinds(pair.original) for pair in pairs]
    known = {kind for kinds in seen for kind in kinds}
    counts = {system: Counter[str]() for system in ("base", "full")}
    number = 0
    for at, (pair, tree) in enumerate(zip(pairs, trees, strict=True)):
        with_marks, own = Arrangement(pair.words.tree), Arrangement(pair.slots.tree)
        if not (delete(with_marks, pair.words) and delete(own, pair.slots)):
            continue
        number += 1
        new = tree.rearranged(own)
        chance = np.random.default_rng((seed, at))
        forms = [pair.slots.forms[word - 1] for word in new.words]
        slots = regenerator.surface(new, chance, drawn=True)
        surfaces = {"base": pair.base(with_marks.words), "full": Surface.of(forms, slots)}
        for system, surface in surfaces.items():
            faults = invalid(surface, known, unpaired(pair.original))
            counts[system].update(faults)
            counts[system]["any"] += bool(faults)
    return {"sentences": number, **{system: dict(found) for system, found in counts.items()}}


def delete(arrangement: Arrangement, sentence: Sentence) -> bool:
    """Delete the constituents of ``DELETED``; return whether there is one.

    Args:
        arrangement: of the sentence's tree.
        sentence: whose relations are looked at.
    """
    found = False
    for word, relation in enumerate(sentence.tree.relations, start=1):
        wanted = any(names(relation, one) for one in DELETED)
        if wanted and arrangement.has(word) and arrangement.head_of(word):
            arrangement.delete(word)
            found = True
    return found


def slot_kinds(surface: Surface) -> set[tuple[str, tuple[str, ...]]]:
    """Return the strings of the slots, at the beginning, at the end, or inside."""
    first, *inside, last = surface.slots
    return {("first", first), ("last", last), *(("inside", slot) for slot in inside)}


def invalid(surface: Surface, known: set[tuple[str, tuple[str, ...]]], before: int) -> set[str]:
    """Tell which faults a surface has.

    Args:
        surface: after deleting.
        known: the strings of slots that some sentence has.
        before: marks without a partner that the sentence had.
    """
    new = slot_kinds(surface) - known
    faults = {"sentence-initial"} if any(where == "first" for where, _ in new) else set[str]()
    for where, slot in new:
        if where != "first":
            doubled = any(a == b for a, b in pairwise(slot))
            faults.add("doubled" if doubled else "other strings")
    if unpaired(surface) > before:
        faults.add("unpaired")
    return faults


def unpaired(surface: Surface) -> int:
    """Count marks that open or close something and have no partner."""
    of_pairs = {mark for pair in PAIRS for mark in pair}
    matched = {place for pair in matched_pairs(surface.slots) for place in pair}
    return sum(
        mark in of_pairs and (slot, index) not in matched
        for slot, string in enumerate(surface.slots)
        for index, mark in enumerate(string)
    )


def ordering(pairs: Mapping[str, Sequence[Pair]], folder: Path, system: str) -> Any:
    """Train the ordering model of a system unless its folder is there.

    Args:
        pairs: training and development sentences.
        folder: for the models of all systems.
        system: ``base`` takes marks for words, ``full`` does without.
    """
    place = folder / f"ordering-{system}"
    if not place.exists():
        train, dev = (
            [pair.words if system == "base" else pair.slots for pair in pairs[part]]
            for part in ("train", "dev")
        )
        semipunct.train(train, dev, place, kind="ordering")
    return semipunct.load(place)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Rephrased sentences (Table 6).")
    add = parser.add_argument
    add("model", type=Path, help="a punctuation model")
    add("--train", type=Path, required=True, help="the treebank that is permuted")
    add("--dev", type=Path, required=True, help="development sentences")
    add("--models", type=Path, required=True, help="where ordering models are, or are made")
    add("--seed", type=int, default=0, help="of what is drawn")
    add("--sentences", type=int, help="of each treebank at most")
    add("--output", type=Path, help="write the figures here as JSON, too")
    return parser.parse_args()


def main() -> None:
    """Permute, compress, count, print and write."""
    options = arguments()
    enable_compilation_cache()
    pairs = {
        "train": read(options.train, options.sentences),
        "dev": read(options.dev, options.sentences),
    }
    loaded: Any = semipunct.load(options.model)
    models = {name: ordering(pairs, options.models, name) for name in ("base", "full")}
    analyses = best(loaded.model, loaded.parameters, [pair.slots for pair in pairs["train"]])
    # A model with hard sets may have no tree for a sentence; all systems do without it.
    there = [(p, UnderlyingTree.of(a)) for p, a in zip(pairs["train"], analyses, strict=True) if a]
    kept, trees = [p for p, _ in there], [tree for _, tree in there]
    regenerator = Regenerator.of(loaded.model, loaded.parameters)
    surfaces = permuted(kept, trees, models, regenerator, options.seed)
    figures = {
        "treebank": options.train.name,
        "sentences": len(kept),
        "without a tree": len(pairs["train"]) - len(kept),
        "seed": options.seed,
        "train": perplexities(surfaces, [p.original for p in kept], "added"),
        "dev": perplexities(surfaces, [p.original for p in pairs["dev"]], "interpolated"),
        "compression": compressed(kept, trees, regenerator, options.seed),
    }
    print(json.dumps(figures, indent=1))
    if options.output:
        options.output.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
