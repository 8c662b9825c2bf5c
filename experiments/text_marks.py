"""Marks restored to held-out text whose capitals and marks are removed, file by file.

    python experiments/text_marks.py MODEL FILE.txt[.gz]... [--objective edits] [--output JSON]

MODEL is a folder, an archive or the name of an installed model, such as ``en``.
The text of a file is one line in lower case. The marks of its slots are counted as commas, full
stops and question marks, as ``spoken_text.py`` does. The calibration error is the mean difference
between the probability that a slot has a mark and the share of such slots that have one, in ten
bins of equal width (Guo et al. 2017, section 2).
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from spoken_text import MARKS, label, scores

from semipunct.corpus import Words
from semipunct.corpus.word_streams import WordStream, items, word_stream
from semipunct.formats.lines import text_lines
from semipunct.formats.running_text import read_running_text
from semipunct.models.running_text.model import TextModel
from semipunct.pipelines.pipeline import load
from semipunct.tasks.base import Trained
from semipunct.tasks.options import Lines, Objective
from semipunct.tasks.restore_running_text import restore_running_text
from semipunct.tasks.slot_posteriors import SlotPosterior

BINS = 10
LABELS = (*MARKS, "overall")


def main() -> None:
    """Print and write the figures of each file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--objective", choices=("f1", "edits"), default="f1")
    parser.add_argument(
        "--lines", choices=("none", "paragraph"), default="none", help="what a line of text is"
    )
    parser.add_argument("--output", type=Path, help="JSON file to write")
    arguments = parser.parse_args()
    model = load(arguments.model, TextModel)
    figures_of: dict[str, Any] = {}
    for path in arguments.files:
        row = figures_of[path.name] = figures(model, path, arguments.objective, arguments.lines)
        shown = " ".join(f"{name.lower()} {row[name]['F1']:.1f}" for name in LABELS)
        error = row["calibration_error"]
        print(f"{path.name:28} {row['words']:8,} words  {shown}  calibration error {error:.3f}")
    if arguments.output:
        arguments.output.write_text(json.dumps(figures_of, indent=1) + "\n", encoding="utf-8")


def figures(
    model: Trained[TextModel], path: Path, objective: Objective = "f1", ends: Lines = "none"
) -> dict[str, Any]:
    """Return precision, recall and F1 of each mark, the calibration error and the number of words.

    Args:
        model: a text model with its weights.
        path: a file of text.
        objective: of the decisions.
        ends: ``none`` if the words are one text, ``paragraph`` if each line is one.
    """
    if ends == "none":
        streams = [read_running_text([path])[0].stream]
    else:
        streams = [word_stream(str(path), items([line])) for line in text_lines(path)]
    streams = [stream for stream in streams if len(stream)]
    restored = restore_running_text(model, [*map(bare, streams)], lines=ends, objective=objective)
    gold = [label(stream.strings[i]) for stream in streams for i in stream.slots[1:]]
    rows = scores(gold, [label(slot) for text in restored for slot in text.slots[1:]])
    posteriors = [slot for text in restored for slot in text.posteriors[1:]]
    error = calibration_error(posteriors, [name != "O" for name in gold])
    return {**rows, "calibration_error": error, "words": sum(map(len, streams))}


def bare(stream: WordStream) -> Words:
    """Return the words of a stream in lower case, without marks."""
    forms = tuple(stream.forms[i].lower() for i in stream.words)
    return Words("#1", stream.path, 1, forms, ((),) * (len(forms) + 1), source="text")


def calibration_error(posteriors: Sequence[SlotPosterior], has_mark: Sequence[bool]) -> float:
    """Return the expected calibration error of the probability that a slot has a counted mark.

    Args:
        posteriors: ``[n]`` the distribution of the slot after each word.
        has_mark: ``[n]`` whether there is a mark after each word.
    """
    probability = np.array(
        [
            sum(
                p for s, p in zip(k.strings, k.probability.tolist(), strict=True) if label(s) != "O"
            )
            for k in posteriors
        ]
    )
    marked = np.asarray(has_mark, float)
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    gaps = [abs(float((probability - marked)[bins == b].sum())) for b in range(BINS)]
    return sum(gaps) / len(marked)


if __name__ == "__main__":
    main()
