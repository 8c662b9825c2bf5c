"""Accuracy of heads and spaces of restored gold punctuation, by language.

    python experiments/punctuation_attachment.py DEV.conllu... [--output PATH]

The punctuation of every sentence is removed, the result is read again, and the same punctuation is
inserted without its original heads and spaces. Spaces are counted only next to marks, and only in
files with SpaceAfter.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import get_args

from semipunct.corpus import Entry, Sentence
from semipunct.formats.conllu.heads import convention_of
from semipunct.formats.conllu.punctuate import Style, punctuate_record
from semipunct.formats.conllu.reading import to_entry
from semipunct.formats.conllu.records import Record, read_records
from semipunct.formats.conllu.renumber import spaces
from semipunct.trees.conventions import Convention


def main() -> None:
    """Print a row for each file and convention."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    rows = [row for path in options.files for row in measure(path)]
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))
    if options.output:
        options.output.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")


def measure(path: Path) -> list[dict[str, object]]:
    """Count the heads by either convention, and the spaces, of one file."""
    entries = [to_entry(record) for record in read_records(path)]
    usual = convention_of(entries)
    rows: list[dict[str, object]] = []
    for convention in get_args(Convention):
        counts: Counter[str] = Counter()
        for entry in entries:
            if isinstance(entry.content, Sentence):
                add(counts, entry, entry.content, convention)
        heads, beside = counts["tokens"], counts["spaces"] if counts["glued"] else 0
        rows.append(
            {
                "file": "/".join(path.parts[-2:]),
                "convention": convention,
                "chosen": convention == usual,
                "tokens": heads,
                "heads": round(counts["heads right"] / heads, 4),
                "inner tokens": counts["inner"],
                "inner heads": round(counts["inner right"] / counts["inner"], 4),
                "spaces": round(counts["spaces right"] / beside, 4) if beside else None,
            }
        )
    return rows


def add(
    counts: Counter[str], entry: Entry[Record], sentence: Sentence, convention: Convention
) -> None:
    """Add the counts of one sentence, the content of the entry.

    Args:
        counts: counts to update.
        entry: the entry as read.
        sentence: the content of the entry.
        convention: convention for the heads of marks.
    """
    gold = entry.record
    bare = to_entry(punctuate_record(entry, [()] * len(sentence.slots)))
    restored = punctuate_record(bare, sentence.slots, Style(convention))
    last_word = entry.word_ids[-1]
    for gold_token, restored_token in zip(gold.tokens, restored.tokens, strict=True):
        if gold_token.upos == "PUNCT":
            counts["tokens"] += 1
            counts["heads right"] += gold_token.head == restored_token.head
            if gold_token.word_id < last_word:
                counts["inner"] += 1
                counts["inner right"] += gold_token.head == restored_token.head
    gold_spaces, new_spaces = spaces(gold), spaces(restored)
    counts["glued"] += gold_spaces.count(False)
    for place, (gold_token, restored_token) in enumerate(
        zip(gold_spaces[:-1], new_spaces[:-1], strict=True)
    ):
        if "PUNCT" in (gold.tokens[place].upos, gold.tokens[place + 1].upos):
            counts["spaces"] += 1
            counts["spaces right"] += gold_token == restored_token


if __name__ == "__main__":
    main()
