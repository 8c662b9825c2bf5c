"""Reasons of inserted marks, judged by hand.

    python experiments/reasons.py

The sentences of ``everyday.txt`` lose marks and capitals, and ``en`` restores them. Each inserted
mark is printed with its reason, and with the verdict of ``results/reasons.tsv`` if there is one
for the same line, word and key: whether what the reason says of the words is true, and is what a
style guide would say of this mark. Whether the mark itself is right is judged apart: a reason for a
wrong mark is wrong, too, unless it only says what the model does.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import semipunct

FOLDER = Path(__file__).parent


def main() -> None:
    """Print marks with reasons and verdicts, and the share of right ones."""
    rows = (FOLDER / "results" / "reasons.tsv").read_text("utf-8").splitlines()
    verdicts = {tuple(row.split("\t")[:3]): row.split("\t")[3] for row in rows}
    model = semipunct.load("en")
    counts: Counter[str] = Counter()
    for number, line in enumerate((FOLDER / "everyday.txt").read_text("utf-8").splitlines(), 1):
        text = model.restore(re.sub(r"[,.?!;:“”]", "", line).lower())
        print(text)
        for mark in text.marks:
            if mark.decision == "inserted":
                word = len(re.findall(r"[\w'’]+", text[: mark.start]))
                verdict = verdicts.get((str(number), str(word), mark.why.key), "not judged")
                counts[verdict] += 1
                print(f"  {number}\t{word}\t{mark.why.key}\t{verdict}\t{mark.reason}")
    for verdict, count in counts.most_common():
        print(f"{verdict}: {count} of {counts.total()}")


if __name__ == "__main__":
    main()
