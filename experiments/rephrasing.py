"""Naturalness of rephrased sentences compared with the treebank's (Table 6).

    python experiments/rephrasing.py --name en --train TRAIN... --dev DEV... --models FOLDER
    python experiments/rephrasing.py --name es --split FILE --models FOLDER [--output FILE]

The dependents of nouns and verbs are reordered by samples from a model, and a trigram model of the
result predicts the original sentences. *Base* treats punctuation as words (Wang and Eisner 2016);
*Full* permutes the underlying tree and samples the surface; *Half* samples the surface in the order
of Base. Constituents are also deleted, to count unattested surfaces.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.figures import report
from models import trained
from surfaces import Pair, Surface, invalid, read, slot_kinds, unpaired
from treebanks import add_treebanks, check_treebanks, training_and_dev
from trigrams import Trigrams, scored

import semipunct
from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.corpus import Sentence
from semipunct.evaluation import Result, join_signature
from semipunct.evaluation.comparison import compare
from semipunct.models.punctuation.decode import best
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.regeneration import Regenerator, UnderlyingTree
from semipunct.papers.rephrasing.task import add_underlying_trees, draw_orders, names
from semipunct.store.checkpoint import SavedModel
from semipunct.training.config import load_config
from semipunct.trees import Arrangement

SYSTEMS = ("base", "half", "full")


DELETED = ("acl:relcl", "appos", "parataxis")


def permuted(
    pairs: Sequence[Pair], trees: Sequence[UnderlyingTree], models: Mapping[str, Any],
    regenerator: Regenerator, seed: int,
) -> dict[str, list[Surface]]:  # fmt: skip
    """Permute sentences in the three ways, with ordering models of Base and Full."""
    base, full = models["base"], models["full"]
    of_tokens = draw_orders(base.model, base.parameters, [p.words for p in pairs], seed)
    of_words = draw_orders(full.model, full.parameters, [tree.annotated for tree in trees], seed)
    print(f"nodes left as they are: base {sum(of_tokens.long)}, full {sum(of_words.long)}")
    surfaces_of: dict[str, list[Surface]] = {system: [] for system in SYSTEMS}
    columns = zip(pairs, trees, of_tokens.orders, of_words.orders, strict=True)
    for number, (pair, tree, tokens, words) in enumerate(columns):
        with_marks = Arrangement(pair.words.tree)
        with_marks.reorder(tokens)
        order = with_marks.words
        surfaces_of["base"].append(pair.base(order))
        likewise = Arrangement(pair.slots.tree)
        likewise.reorder(same_order(pair, order))
        arrangement_of_words = Arrangement(pair.slots.tree)
        arrangement_of_words.reorder(words)
        for system, arrangement in (("half", likewise), ("full", arrangement_of_words)):
            chance = np.random.default_rng((seed, number))
            rearranged = tree.rearrange(arrangement)
            slots = regenerator.surface(rearranged, chance, drawn=True)
            # Capitals stay in place, as in the paper, so no system benefits from them.
            forms = [pair.slots.forms[word - 1] for word in rearranged.words]
            surfaces_of[system].append(Surface.of(forms, slots))
    return surfaces_of


def same_order(pair: Pair, tokens: Sequence[int]) -> dict[int, list[int]]:
    """Return the orders of all heads that keep the order of words among tokens."""
    upos = pair.words.upos
    number = {t: i for i, t in enumerate((t for t in sorted(tokens) if upos[t - 1] != "PUNCT"), 1)}
    place = {number[t]: i for i, t in enumerate(tokens) if t in number}
    items: defaultdict[int, list[int]] = defaultdict(list)
    for word, head in enumerate(pair.slots.tree.heads, start=1):
        if head:
            items[head].append(word)
    return {head: sorted([head, *below], key=place.__getitem__) for head, below in items.items()}


def perplexities(
    trained: Mapping[str, Sequence[Surface]], test: Sequence[Surface], smoothing: str
) -> dict[str, Any]:
    """Return the perplexity of sentences under each system's model, with significance tests."""
    vocabulary = {
        token for surfaces in (*trained.values(), test) for s in surfaces for token, _ in s.tokens
    }
    models = {name: Trigrams(surfaces, len(vocabulary) + 1) for name, surfaces in trained.items()}
    figures: dict[str, Any] = {}
    for part in ("punctuation", "all"):
        result_of: dict[str, Result] = {}
        for name, model in models.items():
            scores = scored(test, getattr(model, smoothing), marks_only=part == "punctuation")
            signature = join_signature({"task": "perplexity", "model": name, "treebank": part})
            result_of[name] = Result(name, signature, scores)
        row: dict[str, Any] = {
            n: r.statistics.figures().as_dict()["perplexity"] for n, r in result_of.items()
        }
        for a, b in (*pairwise(result_of), ("base", "full")):
            row[f"p {a} {b}"] = compare(result_of[a], result_of[b], resamples=1000).differences[0].p
        row["full over base"] = row["full"] / row["base"]
        figures[part] = row
    return figures


def compressed(
    pairs: Sequence[Pair], trees: Sequence[UnderlyingTree], regenerator: Regenerator, seed: int
) -> dict[str, Any]:
    """Delete constituents, and count the surfaces that occur in none of the sentences."""
    seen = [slot_kinds(pair.original) for pair in pairs]
    attested = {kind for kinds in seen for kind in kinds}
    counts = {system: Counter[str]() for system in ("base", "full", "full, most probable")}
    number = 0
    for at, (pair, tree) in enumerate(zip(pairs, trees, strict=True)):
        with_marks, without_marks = Arrangement(pair.words.tree), Arrangement(pair.slots.tree)
        if not (delete(with_marks, pair.words) and delete(without_marks, pair.slots)):
            continue
        number += 1
        rearranged = tree.rearrange(without_marks)
        chance = np.random.default_rng((seed, at))
        forms = [pair.slots.forms[word - 1] for word in rearranged.words]
        drawn, likeliest = (regenerator.surface(rearranged, chance, drawn=x) for x in (True, False))
        surfaces = {
            "base": pair.base(with_marks.words),
            "full": Surface.of(forms, drawn),
            "full, most probable": Surface.of(forms, likeliest),
        }
        for system, surface in surfaces.items():
            faults = invalid(surface, attested, unpaired(pair.original))
            counts[system].update(faults)
            counts[system]["any"] += bool(faults)
    return {
        "sentences": number,
        **{system: dict(faults_of_system) for system, faults_of_system in counts.items()},
    }


def delete(arrangement: Arrangement, sentence: Sentence) -> bool:
    """Delete the constituents of ``DELETED``; return whether there are any."""
    has_deleted = False
    for word, relation in enumerate(sentence.tree.relations, start=1):
        is_deleted = any(names(relation, name) for name in DELETED)
        if is_deleted and arrangement.has(word) and arrangement.head_of(word):
            arrangement.delete(word)
            has_deleted = True
    return has_deleted


def treebank(options: argparse.Namespace) -> dict[str, Sequence[Pair]]:
    """Read training and development sentences."""
    most = options.sentences
    if options.split:
        train, dev = training_and_dev(read([options.split]))
    else:
        train, dev = read(options.train), read(options.dev)
    return {"train": train[:most], "dev": dev[:most]}


def punctuation(
    pairs: Mapping[str, Sequence[Pair]], folder: Path, seed: int
) -> SavedModel[PunctuationModel]:
    """Load or train the default punctuation model."""
    config = load_config(None, [], {"train.seed": seed})
    train, dev = ([pair.slots for pair in pairs[part]] for part in ("train", "dev"))
    return trained(config, train, dev, folder / "punctuation", PunctuationModel)


def orderings(
    pairs: Mapping[str, Sequence[Pair]], folder: Path, model: SavedModel[PunctuationModel]
) -> dict[str, Any]:
    """Load or train the ordering models: of Base on surface trees, of Full on underlying trees."""
    models: dict[str, Any] = {}
    for system in ("base", "full"):
        place = folder / f"ordering-{system}"
        if not place.exists():
            parts = [pairs["train"], pairs["dev"]]
            if system == "base":
                train, dev = ([pair.words for pair in part] for part in parts)
            else:
                train, dev = (
                    add_underlying_trees(model, [pair.slots for pair in part]) for part in parts
                )
            settings = [f"model.underlying={str(system == 'full').lower()}"]
            semipunct.train(train, dev, place, kind="ordering", settings=settings)
        models[system] = semipunct.load(place)
    return models


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Rephrased sentences (Table 6).")
    add_treebanks(parser)
    add = parser.add_argument
    add("--models", type=Path, required=True, help="folder of existing or new models")
    add("--seed", type=int, default=0, help="random seed of training and sampling")
    add("--sentences", type=int, help="maximum number from each treebank")
    add("--output", type=Path, help="file of the table")
    options = parser.parse_args()
    check_treebanks(parser, options)
    return options


def main() -> None:
    """Permute, compress, count, print and write."""
    options = arguments()
    enable_compilation_cache()
    pairs = treebank(options)
    loaded = punctuation(pairs, options.models, options.seed)
    models = orderings(pairs, options.models, loaded)
    analyses = best(loaded.model, loaded.parameters, [pair.slots for pair in pairs["train"]])
    # A model with hard sets may have no tree for a sentence; all systems exclude it.
    trees_found = [
        (p, UnderlyingTree.of(a)) for p, a in zip(pairs["train"], analyses, strict=True) if a
    ]
    pairs_kept, trees = [p for p, _ in trees_found], [tree for _, tree in trees_found]
    regenerator = Regenerator.of(loaded.model, loaded.parameters)
    surfaces = permuted(pairs_kept, trees, models, regenerator, options.seed)
    figures = {
        "sentences": len(pairs_kept),
        "without a tree": len(pairs["train"]) - len(pairs_kept),
        "seed": options.seed,
        "train": perplexities(surfaces, [p.original for p in pairs_kept], "added"),
        "dev": perplexities(surfaces, [p.original for p in pairs["dev"]], "interpolated"),
        "compression": compressed(pairs_kept, trees, regenerator, options.seed),
    }
    report(options.name, figures, options.output)


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
