"""Learned rules of a channel (Figure 3), American quote transposition, and absorbed commas.

    python experiments/rewriting.py MODEL TREEBANK... [--output FILE]

Prints the edits of the six underlying bigrams of Figure 3 with probabilities and frequencies in the
1-best analyses, and ten analyses with an absorbed comma.
"""

import argparse
from dataclasses import asdict
from pathlib import Path

from benchmarks.figures import report

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.formats import read_treebank
from semipunct.models.punctuation.decode import Analysis, best
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.models.punctuation.rewriting import Rewriter
from semipunct.papers.analysis.nunberg import FIGURE_3
from semipunct.papers.analysis.task import count, read_channel, rewriting
from semipunct.store.checkpoint import load
from semipunct.wording import quantity


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("treebank", nargs="+", type=Path)
    parser.add_argument("--analyses", type=int, default=10)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    enable_compilation_cache()
    loaded = load(arguments.model, PunctuationModel)
    sentences = read_treebank(arguments.treebank).sentences
    channel = read_channel(Rewriter.of(loaded.model, loaded.parameters))
    analyses = [a for a in best(loaded.model, loaded.parameters, sentences) if a is not None]
    rows = rewriting(channel, count(analyses), FIGURE_3)
    for row in rows:
        shown = "  ".join(f"{edit} {p:.3f}" for edit, p in row.probabilities.items())
        print(f"{row.a} {row.b}  ({quantity(row.times or 0, 'time')} underneath)  {shown}")
    for analysis in [a for a in analyses if absorbs_comma(a)][: arguments.analyses]:
        print(analysis)
    figures = {
        "model": loaded.digest,
        "direction": loaded.model.options.channel,
        "sentences": len(sentences),
        "rules": [asdict(row) for row in rows],
    }
    report("en", figures, arguments.output)


def absorbs_comma(analysis: Analysis) -> bool:
    """Return whether a comma is absorbed by a following period or comma."""
    return any(
        e.a == "," and e.b in ",." and e.name in ("absorb_left", "absorb_right")
        for slot in analysis.slots
        for e in slot.edits
    )


if __name__ == "__main__":
    main()
