"""Marks restored to held-out text whose capitals and marks are removed, file by file.

    python experiments/text_marks.py MODEL FILE.txt[.gz]... [--objective edits] [--output JSON]
    python experiments/text_marks.py MODEL TALKS.tsv[.gz] [--last 45000] [--write FOLDER]

The text of a file is one line in lower case; marks count as commas, full stops and question marks.
The calibration error has ten bins (Guo et al. 2017, section 2).

Talks (IWSLT) have a word, a tab, and O, COMMA, PERIOD or QUESTION in each line; the last words are
restored. Colons and dashes count as COMMA, semicolons and exclamation marks as PERIOD (Tilk and
Alumäe 2016; Alam et al. 2020). ``--write`` writes the other words for ``semipunct train --kind
text``.
"""

import argparse
import gzip
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
from benchmarks.figures import report

from semipunct.corpus import Words
from semipunct.corpus.word_streams import WordStream, is_final, items, word_stream
from semipunct.formats.lines import text_lines
from semipunct.formats.running_text import line_of_text, read_lines, read_running_text
from semipunct.marks import Puncteme
from semipunct.models.running_text.model import TextModel
from semipunct.pipelines.distributions import SlotPosterior
from semipunct.pipelines.options import Lines, Objective
from semipunct.pipelines.results import Corrected
from semipunct.pipelines.text_correction import correct_running_text
from semipunct.pipelines.text_restoration import restore_running_text
from semipunct.pipelines.trained import Trained
from semipunct.store.checkpoint import load

BINS = 10
MARKS = {"COMMA": ",", "PERIOD": ".", "QUESTION": "?"}
CLITIC = re.compile(r"'(?:s|m|re|ve|ll|d)|n't|'t", re.IGNORECASE)
DEVELOPMENT = 25_000
"""The words before the last ones that are for development."""

Pairs = list[tuple[str, str]]


def main() -> None:
    """Print and write the figures of each file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--objective", choices=("f1", "edits"), default="f1")
    parser.add_argument(
        "--lines", choices=("none", "paragraph"), default="none", help="what a line of text is"
    )
    parser.add_argument("--case", choices=("lower", "names", "upper", "written"), default="lower")
    parser.add_argument("--probes", action="store_true", help="count lines right beside numbers")
    parser.add_argument("--correct", action="store_true", help="count changes in text as written")
    parser.add_argument("--last", type=int, default=45_000, help="words of talks to measure")
    parser.add_argument("--write", type=Path, help="folder for the text before them")
    parser.add_argument("--name", help="of the figures in the output [that of the model]")
    parser.add_argument("--output", type=Path, help="file of the table")
    arguments = parser.parse_args()
    if arguments.write:
        write_talks(words_and_labels(arguments.files[0])[: -arguments.last], arguments.write)
        return
    model = load(arguments.model, TextModel)
    if arguments.correct or arguments.probes:
        for path in arguments.files:
            if arguments.probes:
                print(f"{path.name:28} {beside_numbers(model, path)}")
            else:
                print(f"{path.name:28} {changes(model, path):.2f} changes in 1,000 words")
        return
    figures_of: dict[str, Any] = {}
    for path in arguments.files:
        if ".tsv" in path.suffixes:
            row = of_talks(model, path, arguments.last, arguments.objective)
        else:
            row = figures(model, path, arguments.objective, arguments.lines, arguments.case)
        figures_of[path.name] = row
        shown = " ".join(f"{name.lower()} {row[name]['F1']:.1f}" for name in (*MARKS, "overall"))
        print(f"{path.name:28} {row['words']:8,} words  {shown}")
    report(arguments.name or arguments.model, {"files": figures_of}, arguments.output)


def of_talks(
    model: Trained[TextModel], path: Path, last: int, objective: Objective = "f1"
) -> dict[str, Any]:
    """Return precision, recall and F1 of each mark in the last words of talks."""
    pairs = words_and_labels(path)[-last:]
    words = [word for word, _ in pairs]
    part = line_of_text("#1", str(path), 1, " ".join(words))
    (restored,) = restore_running_text(model, [part.content], lines="none", objective=objective)
    ends = list(accumulate(len(word) + 1 for word in words))
    predicted = ["O"] * len(words)
    # A few words of the file are several words, or marks, for us.
    for (start, _), slot in zip(part.spans, restored.slots[1:], strict=True):
        predicted[bisect_right(ends, start)] = label(slot)
    return {**scores([name for _, name in pairs], predicted), "words": len(words)}


def figures(
    model: Trained[TextModel],
    path: Path,
    objective: Objective = "f1",
    ends: Lines = "none",
    case: str = "lower",
) -> dict[str, Any]:
    """Return precision, recall and F1 of each mark, the calibration error and the word count."""
    if ends == "none":
        streams = [read_running_text([path])[0].stream]
    else:
        streams = [word_stream(str(path), items([line])) for line in text_lines(path)]
    streams = [stream for stream in streams if len(stream)]
    named = Counter(
        stream.forms[word]
        for stream in streams
        for word, slot in zip(stream.words[1:], stream.slots[1:-1], strict=True)
        if not is_final(stream.strings[slot])
    )
    texts = [bare(stream, case, named) for stream in streams]
    restored = restore_running_text(model, texts, lines=ends, objective=objective)
    gold = [label(stream.strings[i]) for stream in streams for i in stream.slots[1:]]
    rows = scores(gold, [label(slot) for text in restored for slot in text.slots[1:]])
    posteriors = [slot for text in restored for slot in text.posteriors[1:]]
    error = calibration_error(posteriors, [name != "O" for name in gold])
    return {**rows, "calibration_error": error, "words": sum(map(len, streams))}


def beside_numbers(model: Trained[TextModel], path: Path) -> str:
    """Return how many lines have the right marks on both sides of all words with digits."""
    streams = [word_stream(str(path), items([line])) for line in text_lines(path)]
    texts = [bare(stream, "lower", Counter()) for stream in streams]
    right = 0
    for stream, text in zip(streams, restore_running_text(model, texts), strict=True):
        gold = [stream.strings[slot] for slot in stream.slots]
        places = [i for i, form in enumerate(text.sentence.forms) if re.search(r"\d", form)]
        right += all(gold[j] == text.slots[j] for i in places for j in (i, i + 1))
    return f"{right} of {len(streams)} lines right beside numbers"


def changes(model: Trained[TextModel], path: Path) -> float:
    """Return how many slots of 1,000 words are corrected in text as written."""
    lines = [line.content for line in read_lines([path], whole=True)]
    corrected = [x for x in correct_running_text(model, lines) if isinstance(x, Corrected)]
    pairs = [pair for x in corrected for pair in zip(x.sentence.slots, x.slots, strict=True)]
    words = sum(len(x.sentence.forms) for x in corrected)
    return 1000 * sum(written != slot for written, slot in pairs) / words


def bare(stream: WordStream, case: str, named: Counter[str]) -> Words:
    """Return the words of a stream without marks; names keep capitals that they have inside."""
    forms = [stream.forms[i] for i in stream.words]
    if case == "names":
        begins = [True, *(is_final(stream.strings[i]) for i in stream.slots[1:-1])]
        forms = [
            form.lower() if begin and named[form.lower()] >= named[form] else form
            for form, begin in zip(forms, begins, strict=True)
        ]
    elif case != "written":
        forms = [form.upper() if case == "upper" else form.lower() for form in forms]
    return Words("#1", stream.path, 1, tuple(forms), ((),) * (len(forms) + 1), source="text")


def calibration_error(posteriors: Sequence[SlotPosterior], has_mark: Sequence[bool]) -> float:
    """Return the expected calibration error of the probability that a slot has a counted mark."""
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


def write_talks(pairs: Pairs, folder: Path) -> None:
    """Write the words and marks of talks as text for training and for development."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in (("train", pairs[:-DEVELOPMENT]), ("dev", pairs[-DEVELOPMENT:])):
        text = " ".join(word + MARKS.get(label, "") for word, label in part)
        (folder / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")


def label(string: Puncteme) -> str:
    """Return the label of a string of marks."""
    marks = normalize("NFKC", "".join(string))
    if "?" in marks:
        return "QUESTION"
    if is_final(string) or ";" in marks:
        return "PERIOD"
    return "COMMA" if re.search(r"[,、،:–—-]", marks) else "O"


def scores(gold: Sequence[str], predicted: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return precision, recall and F1 in per cent, for each label and over all."""
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
