"""Punctuation as properties or as words: tables 1, 4 and 5 of Ma, Zhang and Zhu (2014).

    python experiments/punctuation_properties.py --name ptb --train TRAIN --dev DEV --folder MODELS

Modes are evaluated on the same words against trees without marks, and marks against trees with
them. Sentences whose marks have dependents are excluded. ``--train-tags`` and ``--dev-tags`` are
copies of the treebanks with predicted tags. ``--held-out 0.2`` also evaluates on the last fifth of
the training sentences, since a small treebank shows only large differences.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from benchmarks.figures import report
from models import trained
from tables import chance, markdown

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.arrays.memory import hold_memory
from semipunct.corpus import Entry, Omitted, Sentence
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.evaluation.parsing import ParsingStatistics
from semipunct.evaluation.results import Result, join_signature
from semipunct.formats import format_of
from semipunct.formats.conllu import Conllu
from semipunct.formats.conllu.reading import to_entry
from semipunct.papers.transitions.options import Punctuation
from semipunct.papers.transitions.parser import BeamParser, Parse
from semipunct.training.config import load_config


@dataclass(frozen=True)
class Example:
    """A sentence for evaluation.

    Attributes:
        whole: the sentence with its marks among the words.
        words: ``[n]`` numbers of its words in ``whole``.
        heads: ``[n]`` heads of the words, as numbers in ``whole``, or 0.
    """

    whole: Sentence
    words: tuple[int, ...]
    heads: tuple[int, ...]

    @property
    def marks(self) -> list[int]:
        return [i for i, upos in enumerate(self.whole.upos, start=1) if upos == PUNCTUATION]


@dataclass(frozen=True)
class Counts:
    """Counts of one sentence; counts of marks are None if the parser does not attach marks."""

    words: int
    right: int
    marks: int
    marks_right: int | None
    root: bool


def examples(
    files: Sequence[Path], tagged: Sequence[Path], limit: int | None
) -> tuple[list[Example], int]:
    """Read sentences with and without marks among the words; count those excluded.

    ``tagged`` are the same files with other tags.
    """
    read_examples: list[Example] = []
    omitted = 0
    tags = iter(_read(tagged, "words"))
    for whole, bare in zip(_read(files, "words"), _read(files, "slots"), strict=True):
        sentence = whole.content
        tagged_sentence = next(tags).content if tagged else sentence
        if not isinstance(bare.content, Sentence) or not isinstance(sentence, Sentence):
            omitted += 1
            continue
        if not isinstance(tagged_sentence, Sentence) or len(tagged_sentence.forms) != len(
            sentence.forms
        ):
            raise SystemExit(
                f"{tagged_sentence.path}:{tagged_sentence.line}: not the words of {sentence.where}"
            )
        ids = (0, *bare.word_ids)
        heads = tuple(ids[head] for head in bare.content.tree.heads)
        is_mark = [upos == PUNCTUATION for upos in sentence.upos]
        upos = (PUNCTUATION if m else u for m, u in zip(is_mark, tagged_sentence.upos, strict=True))
        sentence = replace(sentence, upos=tuple(upos), xpos=tagged_sentence.xpos)
        read_examples.append(Example(sentence, bare.word_ids, heads))
    return read_examples[:limit], omitted


def _read(files: Iterable[Path], marks: Any) -> Iterable[Entry[Any]]:
    for path in files:
        form: Any = format_of(path)
        if isinstance(form, Conllu):
            yield from (
                entry
                if isinstance(entry.content, Omitted) and entry.content.fault
                else to_entry(entry.record, marks)
                for entry in form.read(path)
            )
        else:
            yield from replace(form, marks=marks).read(path)


def set_aside(training: list[Example], share: float) -> tuple[list[Example], list[Example]]:
    """Return the sentences to train on, and a share of the last ones, which are only evaluated."""
    training_size = len(training) - round(share * len(training))
    return training[:training_size], training[training_size:]


def counted(example: Example, parse: Parse) -> Counts:
    """Compare a parse with the tree."""
    heads = [parse.heads[word - 1] for word in example.words]
    marks = example.marks
    gold = example.whole.tree.heads
    parsed = [mark for mark in marks if parse.heads[mark - 1] >= 0]
    return Counts(
        len(heads),
        sum(a == b for a, b in zip(heads, example.heads, strict=True)),
        len(parsed),
        sum(parse.heads[m - 1] == gold[m - 1] for m in parsed) if parsed else None,
        parse.heads[example.words[example.heads.index(0)] - 1] == 0,
    )


def figures(counts: Sequence[Counts]) -> dict[str, float | None]:
    """Compute attachment of words and of marks, complete trees and roots, in percent."""
    marks = sum(c.marks for c in counts)
    right = sum(c.marks_right or 0 for c in counts)
    return {
        "uas": _percent(sum(c.right for c in counts), sum(c.words for c in counts)),
        "uas of marks": _percent(right, marks) if marks else None,
        "complete": _percent(sum(c.right == c.words for c in counts), len(counts)),
        "root": _percent(sum(c.root for c in counts), len(counts)),
    }


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2)


def _result_of_run(counts: Sequence[Counts], run: int) -> Result:
    columns = [
        [c.words for c in counts],
        [1] * len(counts),
        [c.right for c in counts],
        *[[0] * len(counts)] * 5,
        [c.root for c in counts],
    ]
    signature = join_signature({"task": "parsing", "treebank": "words", "seed": str(run)})
    return Result("run", signature, ParsingStatistics(*np.array(columns, np.int64)))


def main() -> None:
    """Train and evaluate the selected modes, and print a row for each run, then the tests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", required=True, help="name of the treebank in the results")
    parser.add_argument("--train", nargs="+", type=Path, required=True)
    parser.add_argument("--dev", nargs="+", type=Path, required=True)
    parser.add_argument("--train-tags", nargs="+", type=Path, default=[])
    parser.add_argument("--dev-tags", nargs="+", type=Path, default=[])
    parser.add_argument("--folder", type=Path, required=True, help="folder to keep models in")
    parser.add_argument("--modes", nargs="+", default=list(get_args(Punctuation)))
    parser.add_argument("--beams", nargs="+", type=int, default=[1, 2, 4, 8, 16, 64])
    parser.add_argument("--parse-beams", nargs="+", type=int, default=[],
                        help="beams for parsing, in addition to that of training")  # fmt: skip
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--limit", type=int, help="maximum number of training sentences")
    parser.add_argument("--held-out", type=float, default=0.0, metavar="SHARE",
                        help="share of the training sentences that is only evaluated")  # fmt: skip
    parser.add_argument("--set", nargs="*", default=[], help="further settings of all models")
    parser.add_argument("--speed", action="store_true", help="parse twice, and time the second")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if not 0 <= options.held_out < 1:
        parser.error("--held-out must be at least 0 and less than 1")
    enable_compilation_cache()
    training, omitted = examples(options.train, options.train_tags, options.limit)
    held_out, omitted_dev = examples(options.dev, options.dev_tags, None)
    training, set_aside_part = set_aside(training, options.held_out)
    held_out = set_aside_part + held_out
    runs: dict[tuple[str, int, int], list[list[Counts]]] = {}
    rows: list[dict[str, Any]] = []
    for seed in options.seeds:
        for beam in options.beams:
            for mode in options.modes:
                measured = _measure(options, training, held_out, mode, beam, seed)
                for used, (counts, speed) in measured.items():
                    runs.setdefault((mode, beam, used), []).append(counts)
                    row = {
                        "name": options.name, "mode": mode, "beam": beam, "parse beam": used,
                        "seed": seed, **figures(counts), "sentences per second": speed,
                        "sentences": len(counts), "omitted": [omitted, omitted_dev],
                        "words": sum(c.words for c in counts), "training": len(training),
                        "settings": options.set,
                    }  # fmt: skip
                    print(row, flush=True)
                    rows.append(row)
    tests = _tests(runs)
    print(markdown(tests))
    report(options.name, {"runs": rows, "tests": tests}, options.output)


def _measure(
    options: argparse.Namespace,
    training: Sequence[Example],
    held_out: Sequence[Example],
    mode: str,
    beam: int,
    seed: int,
) -> dict[int, tuple[list[Counts], float | None]]:
    """Train or load a parser, and evaluate it with each beam."""
    settings = [f"model.punctuation={mode}", f"model.beam={beam}", f"train.seed={seed}"]
    config = load_config(None, [*options.set, *settings], kind="beam-parser")
    place = options.folder / f"{options.name}-{mode}-{beam}-{seed}"
    wholes = [e.whole for e in training], [e.whole for e in held_out]
    loaded = trained(config, *wholes, place, BeamParser)
    counts_of_beam: dict[int, tuple[list[Counts], float | None]] = {}
    for used in dict.fromkeys((beam, *options.parse_beams)):
        model = BeamParser(replace(loaded.model.options, beam=used), loaded.model.vocabulary)
        parses, speed = model.parse(loaded.parameters, wholes[1]), None
        if options.speed:
            began = time.monotonic()
            model.parse(loaded.parameters, wholes[1])
            speed = round(len(held_out) / (time.monotonic() - began), 1)
        counts = [counted(e, p) for e, p in zip(held_out, parses, strict=True)]
        counts_of_beam[used] = counts, speed
    return counts_of_beam


def _tests(runs: dict[tuple[str, int, int], list[list[Counts]]]) -> list[dict[str, Any]]:
    tests: list[dict[str, Any]] = []
    for (mode, beam, used), counts in runs.items():
        base = runs.get(("baseline", beam, used))
        if base is None or mode == "baseline":
            continue
        sides = ({i: _result_of_run(run, i) for i, run in enumerate(x)} for x in (counts, base))
        p = chance(*sides, "uas")
        means = [np.mean([figures(c)["uas"] for c in side]) for side in (base, counts)]
        tests.append(
            {
                "mode": mode, "beam": beam, "parse beam": used, "seeds": len(counts),
                "baseline": round(float(means[0]), 3), "uas": round(float(means[1]), 3),
                "gain": round(float(means[1] - means[0]), 3),
                "p": p,
            }
        )  # fmt: skip
    return tests


if __name__ == "__main__":
    hold_memory()  # as in semipunct train
    main()
