"""Punctuation errors of learners: counts in JFLEG, and generation in a treebank.

    python experiments/learner_errors.py count JFLEG --output semipunct/data/learner_errors.json
    python experiments/learner_errors.py make TREEBANK... --seed N --source OUT --corrected OUT

``count`` counts written strings by correct string and context. ``make`` writes a treebank with
sampled errors, and unchanged.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from semipunct.corpus.learners import LearnerErrors, count_errors, english_learner_errors
from semipunct.formats.parallel import read_parallel_texts, write_erroneous
from semipunct.marks import spacing
from semipunct.marks.corrections import corrections
from semipunct.wording import quantity

REFERENCES = 4


def count(folder: Path, output: Path | None) -> None:
    """Count errors, print them by kind, and write the table."""
    paths = [folder / f"dev.ref{number}" for number in range(REFERENCES)]
    pairs = list(read_parallel_texts(folder / "dev.src", paths))
    errors = count_errors(pairs)
    errors_by_kind: Counter[str] = Counter()
    for pair in pairs:
        for reference in pair.references:
            edits = corrections(spacing.visible(pair.source.slots), reference)
            errors_by_kind.update(edit.error for edit in edits)
    judged = sum(errors.occurrences.values())
    print(
        f"{quantity(len(pairs), 'sentence')}, {REFERENCES} references: "
        f"{quantity(errors_by_kind.total(), 'error')} in {judged} slots"
    )
    for error, number in errors_by_kind.most_common(12):
        print(f"{number:6}  {error}")
    print("rates:")
    for situation, rates in errors.rates().items():
        shown = ", ".join(f"{' '.join(s) or 'nothing'} {rate:.4f}" for s, rate in rates.items())
        print(f"{' '.join(situation.right) or 'nothing':8} {situation.context:15} {shown}")
    if output:
        table = {
            "source": "JFLEG, development part: dev.src against dev.ref0 to dev.ref3",
            "sentences": len(pairs),
            "references": REFERENCES,
            "slots": judged,
            "errors": errors_by_kind.total(),
        }
        head = "".join(f"{json.dumps(k)}: {json.dumps(v)},\n" for k, v in table.items())
        rows = (json.dumps(row, ensure_ascii=False) for row in table_rows(errors))
        text = "{\n" + head + '"counts": [\n' + ",\n".join(rows) + "\n]\n}\n"
        output.write_text(text, encoding="utf-8")


def table_rows(errors: LearnerErrors) -> list[dict[str, Any]]:
    """Return a row for each situation, the most frequent first."""
    rows = sorted(errors.occurrences.items(), key=lambda item: (-item[1], item[0]))
    return [
        {
            "right": " ".join(situation.right),
            "context": situation.context,
            "occurrences": seen,
            "errors": {
                " ".join(string): list(error)
                for string, error in sorted(
                    errors.errors.get(situation, {}).items(),
                    key=lambda item: (-item[1].times, item[0]),
                )
            },
        }
        for situation, seen in rows
    ]


def make(treebank: list[Path], seed: int, source: str, corrected: str) -> None:
    """Write a treebank with errors, and unchanged."""
    write_erroneous(treebank, english_learner_errors(), seed, source, corrected)


def main() -> None:
    """Parse the command line and run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    counting = commands.add_parser("count")
    counting.add_argument("folder", type=Path, metavar="JFLEG")
    counting.add_argument("--output", type=Path)
    making = commands.add_parser("make")
    making.add_argument("treebank", type=Path, nargs="+")
    making.add_argument("--seed", type=int, default=0)
    making.add_argument("--source", required=True, help="the file to write with errors")
    making.add_argument("--corrected", required=True, help="the file to write without errors")
    options = parser.parse_args()
    if options.command == "count":
        count(options.folder, options.output)
    else:
        make(options.treebank, options.seed, options.source, options.corrected)


if __name__ == "__main__":
    main()
