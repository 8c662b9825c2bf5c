"""Average precision of ``semipunct suspects`` on a treebank with planted errors.

    python experiments/suspects.py MODEL DEV.conllu [--tagger TAGGER] [--output PATH]

One percent of the marks are deleted, inserted, exchanged or doubled, at random by the frequencies
of marks. Errors of the treebank itself count as false. Compares lists by rules alone (pairs, heads,
spaces, equal marks in a row, sentences without a final mark), by a slot tagger and by a punctuation
model; *of marks alone* omits pairs, heads and spaces.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.figures import report

import semipunct
from semipunct.corpus import Sentence
from semipunct.formats import FORMATS, read_entries
from semipunct.marks import SILENT, Puncteme
from semipunct.treebanks import Suspect, suspects

SHARE = 0.01
KINDS = ("delete", "insert", "exchange", "double")


def plant(path: Path, target: Path, *, seed: int, most: int | None) -> dict[tuple[int, int], str]:
    """Write a treebank with errors; return the kind of the error by sentence and slot."""
    entries = list(read_entries([path]))[:most]
    random = Random(seed)
    sentences = {i: e.content for i, e in enumerate(entries) if isinstance(e.content, Sentence)}
    places = [
        (i, slot, number)
        for i, sentence in sentences.items()
        for slot, string in enumerate(sentence.slots)
        for number, token in enumerate(string)
        if token not in SILENT
    ]
    tokens = [sentences[i].slots[slot][number] for i, slot, number in places]
    gaps = [
        (i, slot, 0)
        for i, sentence in sentences.items()
        for slot, string in enumerate(sentence.slots)
        if not string and slot not in sentence.closed
    ]
    total = ceil(SHARE * len(places))
    planted: dict[tuple[int, int], str] = {}
    slots: dict[int, list[Puncteme]] = {}
    kinds = [KINDS[n % len(KINDS)] for n in range(total)]
    for kind in kinds:
        while True:
            i, slot, number = random.choice(gaps if kind == "insert" else places)
            if (i, slot) not in planted:
                break
        planted[i, slot] = kind
        row = slots.setdefault(i, list(sentences[i].slots))
        string = row[slot]
        if kind == "delete":
            row[slot] = string[:number] + string[number + 1 :]
        elif kind == "double":
            row[slot] = string[: number + 1] + string[number:]
        elif kind == "insert":
            row[slot] = (random.choice(tokens),)
        else:
            other = random.choice([t for t in tokens if t != string[number]])
            row[slot] = (*string[:number], other, *string[number + 1 :])
    writer = FORMATS["conllu"].writer(entries[:256])
    with target.open("w", encoding="utf-8", newline="") as stream:
        writer.write(
            (
                writer.punctuate(entry, slots[i]) if i in slots else writer.source_text(entry)
                for i, entry in enumerate(entries)
            ),
            stream,
        )
    return planted


def by_rules(path: Path) -> list[Suspect]:
    """List suspects by rules alone."""
    listed = suspects(None, path, top=10**9)
    contents = [entry.content for entry in read_entries([path])]
    sentences = [content for content in contents if isinstance(content, Sentence)]
    strings = Counter(sentence.slots[-1] for sentence in sentences)
    for sentence in sentences:
        for slot, string in enumerate(sentence.slots):
            visible = [token for token in string if token not in SILENT]
            is_doubled = any(a == b for a, b in pairwise(visible))
            is_open = slot == sentence.size and not visible
            if is_doubled or is_open:
                odds = 6.0 if is_doubled else 1 - strings[()] / len(sentences)
                listed.append(Suspect(sentence, "string", slot, odds, odds, string, string, 0, 0))
    return sorted(listed, key=lambda suspect: -suspect.score)


def average_precision(
    listed: Sequence[Suspect], planted: dict[tuple[int, int], str], lines: Sequence[int]
) -> tuple[float, dict[str, float]]:
    """Return the average precision of a list, overall and for each kind of error."""
    number = {line: i for i, line in enumerate(lines)}
    precision: dict[str, list[float]] = {kind: [] for kind in KINDS}
    seen: set[tuple[int, int]] = set()
    hits = 0
    for suspect in listed:
        place = number[suspect.sentence.line], suspect.slot
        if place in seen:
            continue
        seen.add(place)
        if place in planted:
            hits += 1
            precision[planted[place]].append(hits / len(seen))
    counts = Counter(planted.values())
    of_kind = {kind: sum(p) / counts[kind] for kind, p in precision.items()}
    return sum(sum(p) for p in precision.values()) / len(planted), of_kind


def main() -> None:
    """Print a row for each system."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--tagger")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sentences", type=int)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        path = Path(folder, "planted.conllu")
        planted = plant(options.treebank, path, seed=options.seed, most=options.sentences)
        lines = [entry.record.line for entry in read_entries([path])]
        systems: list[tuple[str, Any]] = [("rules", None), ("punctuation model", options.model)]
        if options.tagger:
            systems.append(("slot tagger", options.tagger))
        for name, model in systems:
            start = time.perf_counter()
            if model is None:
                listed = by_rules(path)
            else:
                listed = suspects(semipunct.load(model), path, top=10 * len(planted))
            total, of_kind = average_precision(listed, planted, lines)
            marks, _ = average_precision([s for s in listed if s.kind == "string"], planted, lines)
            row = {
                "system": name,
                "file": "/".join(options.treebank.parts[-2:]),
                "sentences": len(lines),
                "planted": len(planted),
                "seed": options.seed,
                "average precision": round(total, 3),
                "of marks alone": round(marks, 3),
                **{kind: round(value, 3) for kind, value in of_kind.items()},
                "seconds": round(time.perf_counter() - start),
            }
            print(row, flush=True)
            rows.append(row)
    report("en", {"rows": rows}, options.output)


if __name__ == "__main__":
    main()
