"""The pictures of the documentation, in docs/pictures.

python experiments/pictures.py [--output FOLDER] [NAME...]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from drawing import sentences
from drawing.canvas import Canvas

import semipunct
from semipunct.corpus import Sentence

ROOT = Path(__file__).resolve().parents[1]


def sample(sentence_id: str) -> Sentence:
    """Return a sentence of the bundled sample."""
    sample_sentences = semipunct.read(ROOT / "semipunct" / "data" / "sample.conllu")
    return next(s for s in sample_sentences if s.sentence_id == sentence_id)


def tree() -> Canvas:
    """Draw a tree with underlying and surface marks."""
    sentence = sample("sample-308")
    words = {form: number for number, form in enumerate(sentence.forms, start=1)}
    return sentences.underlying_tree(
        sentence,
        [
            sentences.Constituent(words["optician"], ",", ",", "red"),
            sentences.Constituent(words["named"], "", ".", "blue"),
        ],
    )


SEMIRINGS = (
    ("log", "likelihood"),
    ("viterbi", "the best analysis"),
    ("kbest", "the k best"),
    ("sampling", "draws"),
    ("expectation", "expected counts"),
    ("entropy", "uncertainty"),
    ("provenance", "the set of all analyses"),
)
"""Each semiring, and the answer of the recursion in it."""

STRUCTURES = (
    "given trees", "chains", "segments", "projective trees", "grammars", "automata",
)  # fmt: skip


def recursion() -> Canvas:
    """Draw the structures on the left, the semirings with their answers on the right."""
    rows = max(len(SEMIRINGS), len(STRUCTURES))
    height = 74 + 40 * rows
    canvas = Canvas(
        760,
        height,
        "One recursion, and a semiring for each question",
        f"Structures ({', '.join(STRUCTURES)}) share one recursion. "
        + " ".join(f"In the semiring {name} it gives {answer}." for name, answer in SEMIRINGS),
    )
    for x, heading in ((95, "structure"), (320, "recursion"), (560, "semiring and answer")):
        canvas.text((x, 28), heading, "soft", size=12)
    middle = 50 + 20 * rows
    canvas.box((250, middle - 30), (140, 60), "ink")
    canvas.text((320, middle - 4), "forward", is_code=True, is_bold=True)
    canvas.text((320, middle + 14), "written once", "soft", size=11)
    for i, name in enumerate(STRUCTURES):
        y = 50 + 40 * (rows - len(STRUCTURES)) / 2 + 40 * i
        canvas.box((20, y), (150, 30), "green")
        canvas.text((95, y + 20), name, size=13)
        canvas.line([(170, y + 15), (250, middle)], "faint")
    for i, (name, answer) in enumerate(SEMIRINGS):
        y = 50 + 40 * (rows - len(SEMIRINGS)) / 2 + 40 * i
        canvas.arrow((390, middle), (464, y + 15), "faint")
        canvas.box((468, y), (108, 30), "blue")
        canvas.text((522, y + 20), name, size=13, is_code=True)
        canvas.text((588, y + 20), answer, size=13, anchor="start")
    return canvas


PICTURES: dict[str, Callable[[], Canvas]] = {
    "tree": tree,
    "recursion": recursion,
}
"""Each picture by the name of its file."""


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="all by default")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "pictures")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in PICTURES]
    if unknown:
        parser.error(f"there is no picture {unknown[0]!r}; choose from: {', '.join(PICTURES)}")
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or PICTURES:
        (arguments.output / f"{name}.svg").write_text(PICTURES[name]().svg(), "utf-8")


if __name__ == "__main__":
    main()
