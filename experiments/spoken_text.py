"""Marks restored to transcripts of talks without capitals, marks and sentence boundaries (IWSLT).

    python experiments/spoken_text.py FILE.tsv[.gz] --model MODEL [--last 45000] [--output JSON]
    python experiments/spoken_text.py FILE.tsv[.gz] --last 45000 --write FOLDER

A line of the file is a word, a tab, and O, COMMA, PERIOD or QUESTION. As in Tilk and Alumäe (2016)
and Alam et al. (2020), colons and dashes count as COMMA, semicolons and exclamation marks as
PERIOD. ``--write`` writes the words before the last ones as text with marks, a part of them for
development, on which ``semipunct train --kind text --from MODEL`` trains further.
"""

import argparse
import gzip
import json
import re
import sys
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from unicodedata import normalize

from semipunct.corpus import Omitted
from semipunct.corpus.word_streams import is_final
from semipunct.formats.running_text import line_of_text
from semipunct.marks import Puncteme
from semipunct.models.running_text.model import TextModel
from semipunct.store.checkpoint import load
from semipunct.tasks.restore_running_text import restore_running_text

MARKS = {"COMMA": ",", "PERIOD": ".", "QUESTION": "?"}
CLITIC = re.compile(r"'(?:s|m|re|ve|ll|d)|n't|'t", re.IGNORECASE)
DEVELOPMENT = 25_000
"""The words before the last ones that are for development."""

Pairs = list[tuple[str, str]]


def main() -> None:
    """Measure a model, or write text for training."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--last", type=int, default=45_000, help="words that are measured")
    parser.add_argument("--write", type=Path, help="folder for the text before them")
    parser.add_argument("--objective", choices=("f1", "edits"), default="f1")
    parser.add_argument("--output", type=Path, help="JSON file to write")
    arguments = parser.parse_args()
    pairs = words_and_labels(arguments.file)
    remaining, measured = pairs[: -arguments.last], pairs[-arguments.last :]
    if arguments.write:
        arguments.write.mkdir(parents=True, exist_ok=True)
        for name, part in (("train", remaining[:-DEVELOPMENT]), ("dev", remaining[-DEVELOPMENT:])):
            (arguments.write / f"{name}.txt").write_text(written(part), encoding="utf-8")
        return
    if arguments.model is None:
        sys.exit("give --model to measure, or --write to write text for training")
    words = [word for word, _ in measured]
    part = line_of_text("#1", str(arguments.file), 1, " ".join(words))
    (restoration,) = restore_running_text(
        load(arguments.model, TextModel), [part.content], lines="none", objective=arguments.objective
    )
    if isinstance(restoration, Omitted):
        sys.exit(f"{arguments.file}: no words to measure on")
    ends = list(accumulate(len(word) + 1 for word in words))
    predicted = ["O"] * len(words)
    # The file has a few words that are several for us, and some that are marks for us.
    for (start, _), slot in zip(part.spans, restoration.slots[1:], strict=True):
        predicted[bisect_right(ends, start)] = label(slot)
    figures = scores([label for _, label in measured], predicted)
    for name, row in figures.items():
        print(f"{name:9}", *(f"{key} {value:6.2f}" for key, value in row.items()))
    if arguments.output:
        arguments.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def words_and_labels(path: Path) -> Pairs:
    """Read a file; clitics that it separates are joined to their words."""
    opened = gzip.open if path.suffix == ".gz" else open
    pairs: Pairs = []
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            word, _, label = line.rstrip("\n").partition("\t")
            if not word:
                continue
            if pairs and CLITIC.fullmatch(word):
                pairs[-1] = (pairs[-1][0] + word, label)
            else:
                pairs.append((word, label))
    return pairs


def written(pairs: Pairs) -> str:
    """Return words with their marks as text."""
    return " ".join(word + MARKS.get(label, "") for word, label in pairs) + "\n"


def label(string: Puncteme) -> str:
    """Return the label of a string of marks."""
    marks = normalize("NFKC", "".join(string))
    if "?" in marks:
        return "QUESTION"
    if is_final(string) or ";" in marks:
        return "PERIOD"
    return "COMMA" if re.search(r"[,、،:–—-]", marks) else "O"


def scores(gold: Sequence[str], predicted: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return precision, recall and F1 in per cent, for each label and over all.

    Args:
        gold: labels of the words.
        predicted: predicted labels.
    """
    rows: dict[str, dict[str, float]] = {}
    for name, labels in (*((label, (label,)) for label in MARKS), ("overall", tuple(MARKS))):
        right = sum(a == b and a in labels for a, b in zip(gold, predicted, strict=True))
        gold_count, proposed = (sum(x in labels for x in some) for some in (gold, predicted))
        precision, recall = right / max(proposed, 1), right / max(gold_count, 1)
        f1 = 2 * right / max(gold_count + proposed, 1)
        rows[name] = {"P": 100 * precision, "R": 100 * recall, "F1": 100 * f1}
    return rows


if __name__ == "__main__":
    main()
