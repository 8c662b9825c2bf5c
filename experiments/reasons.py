"""Reasons of inserted marks, judged by hand.

    python experiments/reasons.py
    python experiments/reasons.py --model MODEL --treebank dev.conllu

``en`` restores ``everyday.txt``. Each inserted mark is printed with its reason, and the verdict in
``results/reasons.json``: whether the reason is true of the words and agrees with a style guide. A
reason for a wrong mark is wrong, unless it only states the model's decision. A punctuation model
restores sentences 301 to 380 of a treebank given their trees; periods are not listed.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import semipunct

FOLDER = Path(__file__).parent
SOME = slice(300, 380)


def main() -> None:
    """Print marks with reasons and verdicts, and the share of correct ones."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", metavar="MODEL", help="punctuation model")
    parser.add_argument("--treebank", metavar="FILE", help="with --model: treebank in CoNLL-U")
    options = parser.parse_args()
    if options.model:
        listed, name = with_trees(options.model, options.treebank), "trees"
    else:
        listed, name = without_trees(), "everyday"
    judged = json.loads((FOLDER / "results" / "reasons.json").read_text("utf-8"))[name]
    verdicts = {tuple(key): verdict for *key, verdict in judged["verdicts"]}
    counts: Counter[str] = Counter()
    for key, reason in listed:
        verdict = verdicts.get(key, "not judged")
        counts[verdict] += 1
        print(*key, verdict, reason, sep="\t")
    for verdict, count in counts.most_common():
        print(f"{verdict}: {count} of {counts.total()}")


Key = tuple[str, str, str]
"""The numbers of a sentence and of a word or slot in it, and the key of a reason."""


def without_trees() -> Iterator[tuple[Key, str]]:
    """Yield the marks that the text model inserts, with their reasons."""
    model = semipunct.load("en")
    for number, line in enumerate((FOLDER / "everyday.txt").read_text("utf-8").splitlines(), 1):
        text = model.restore(re.sub(r"[,.?!;:“”]", "", line).lower())
        for mark in text.marks:
            if mark.decision == "inserted":
                word = len(re.findall(r"[\w'’]+", text[: mark.start]))
                yield (str(number), str(word), mark.why.key), mark.reason


def with_trees(folder: str, treebank: str) -> Iterator[tuple[Key, str]]:
    """Yield the marks that a punctuation model restores, with their reasons."""
    model = semipunct.load(folder)
    sentences = list(semipunct.read(treebank))[SOME]
    for explained in model.explain(sentences, restore=True):
        for place, mark in enumerate(m for m in explained.text.marks if m.after not in ("", ".")):
            yield (explained.name, str(place), mark.why.key), mark.reason


if __name__ == "__main__":
    main()
