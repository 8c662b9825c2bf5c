"""The pictures of the documentation, in docs/pictures.

    python experiments/pictures.py [--output FOLDER] [NAME...]

Sentences come from the bundled sample, rooms and imports from the source, figures from
``experiments/results``; so a picture changes when these do. A test compares the stored pictures
with those that the driver makes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from drawing import channel, curves, framework, sentences
from drawing.canvas import Canvas

import semipunct
from semipunct.corpus import Sentence

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "experiments" / "results"

LAYERS = {
    "semirings": ["semirings"],
    "marks": ["semipunct/marks"],
    "trees": ["semipunct/trees"],
    "corpus": ["semipunct/corpus"],
    "formats": ["semipunct/formats"],
    "arrays": ["semipunct/arrays"],
    "structures": ["semipunct/structures"],
    "search": ["semipunct/search"],
    "features": ["semipunct/features"],
    "models": ["semipunct/models"],
    "evaluation": ["semipunct/evaluation"],
    "store": ["semipunct/store"],
    "training": ["semipunct/training"],
    "tasks": ["semipunct/tasks"],
    "render": ["semipunct/render"],
    "kinds": ["semipunct/kinds"],
    "cli": ["semipunct/cli"],
}
"""The rooms of the code that are drawn, with their folders."""

CONTENTS = {
    "semirings": "the algebra",
    "marks": "tokens, pairs, edits, spacing",
    "trees": "functions from tree to tree",
    "corpus": "sentences and treebanks",
    "formats": "readers and writers",
    "arrays": "shapes and compilation",
    "structures": "one recursion each",
    "search": "beams and transitions",
    "features": "templates and vocabularies",
    "models": "one folder a kind",
    "evaluation": "metrics and comparison",
    "store": "model folders",
    "training": "loop and optimisation",
    "tasks": "one function a command",
    "render": "brackets, text, JSON",
    "kinds": "what a model can be asked",
    "cli": "commands",
}


def sample(sentence_id: str) -> Sentence:
    """Return a sentence of the bundled sample.

    Args:
        sentence_id: its id.
    """
    sample_sentences = semipunct.read(ROOT / "semipunct" / "data" / "sample.conllu")
    return next(s for s in sample_sentences if s.sentence_id == sentence_id)


def tree() -> Canvas:
    """A tree with underlying and surface marks."""
    sentence = sample("sample-308")
    words = {form: number for number, form in enumerate(sentence.forms, start=1)}
    return sentences.underlying_tree(
        sentence,
        [
            sentences.Constituent(words["optician"], ",", ",", "red"),
            sentences.Constituent(words["named"], "", ".", "blue"),
        ],
    )


def absorption() -> Canvas:
    """Three marks that meet in one slot."""
    return channel.absorption(
        [
            ((",", ",", "."), 1, "three constituents end here; the window reads the last two"),
            ((",", "."), 0, "the full stop has absorbed a comma, and the window moves left"),
            ((".",), -1, "it absorbs the other one: what a reader sees"),
        ]
    )


def pipeline() -> Canvas:
    """The way of a text through tokeniser, parser and punctuation model."""
    return sentences.from_text(
        [
            ("as it came in", "text", "where is the station asked anna"),
            ("tokeniser", "words", "where | is | the | station | asked | anna"),
            ("parser", "tree", "[ where is the station ] asked [ anna ]"),
            ("punctuation model", "marks", "“where is the station?” asked anna."),
        ]
    )


def recursion() -> Canvas:
    """One recursion and its semirings."""
    return framework.recursion(
        [
            ("log", "likelihood"),
            ("viterbi", "the best analysis"),
            ("kbest", "the k best"),
            ("sampling", "draws"),
            ("expectation", "expected counts"),
            ("entropy", "uncertainty"),
            ("provenance", "the set of all analyses"),
        ],
        ["given trees", "chains", "segments", "projective trees", "grammars", "automata"],
    )


def rooms() -> Canvas:
    """The rooms of the code, from the imports."""
    return framework.architecture(framework.imports(ROOT, LAYERS), CONTENTS)


def parser_curve() -> Canvas:
    """Edits per slot by the accuracy of the parser."""
    series: dict[str, list[tuple[float, float]]] = {}
    for name, language in (("en", "English"), ("zh", "Chinese")):
        rows = stored(f"parser-curve-{name}")["rows"]
        for system, label in (("gold", "gold trees"), ("parsed", "parsed trees")):
            series[f"{language}, {label}"] = [(row["las"], row[system]) for row in rows]
    return curves.lines(
        "Restoration with trees of better and worse parsers",
        series,
        "LAS of the parser in per cent (100: gold trees)",
        "edits per slot",
        percent=True,
    )


def growth() -> Canvas:
    """Time per word by the length of sentences."""
    rows = [row for row in stored("growth")["growth"] if row["shape"] == "random"]
    columns = {"forward": "forward", "with gradient": "gradient"}
    series = {
        label: [(row["words"], row[f"{name}_microseconds_per_word"]) for row in rows]
        for label, name in columns.items()
    }
    return curves.lines(
        "The inside recursion takes linear time",
        series,
        "words in a sentence (random trees)",
        "microseconds per word",
        logarithmic=True,
    )


def chain_times() -> Canvas:
    """Questions asked of a chain, relative to a plain scan with its gradient."""
    questions = stored("structures")["questions"]
    names = {
        "log partition and marginals": "both",
        "best chain": "argmax",
        "one sample": "sample",
        "a hundred samples": "sample 100",
        "entropy": "entropy",
        "four best chains": "top 4",
    }
    compiled = ("", ", jax.jit")  # by arrays.programs.jit, and by jax.jit
    return curves.bars(
        "Linear chains: what an answer costs",
        {
            label: min(questions[name + how]["ratio"] for how in compiled)
            for label, name in names.items()
        },
        "ratio of times in one run",
        "log partition and marginals by a plain lax.scan with jax.grad",
    )


def stored(name: str) -> dict[str, Any]:
    """Return a stored result.

    Args:
        name: of its file in ``experiments/results``, without extension.
    """
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


PICTURES: dict[str, Callable[[], Canvas]] = {
    "tree": tree,
    "edits": channel.edits,
    "absorption": absorption,
    "pipeline": pipeline,
    "recursion": recursion,
    "rooms": rooms,
    "parser-curve": parser_curve,
    "growth": growth,
    "chain-times": chain_times,
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
