"""What the channel learned (Figure 3), American quote transposition, and absorbed commas.

    python experiments/rewriting.py MODEL TREEBANK... [--output FILE]

Prints, for the six underlying bigrams of the paper's Figure 3, the probability of each outcome
and how often the 1-best analyses of the treebank hold the bigram; whether the channel transposes
a closing quote and the mark after it; and ten analyses in which a comma was absorbed by a
period or by another comma.
"""

import argparse
import json
import math
from collections import Counter
from pathlib import Path

from semipunct.inference.decode import Analysis, best
from semipunct.inference.formats import to_brackets
from semipunct.inference.rewriting import Rewriter
from semipunct.model.channel import EDITS
from semipunct.training.checkpoint import load
from semipunct.training.monitor import enable_compilation_cache
from semipunct.treebank import TreebankOptions, read_sentences

FIGURE_3 = ((",", "."), ("”", "."), (".", "”"), ("”", ","), (",", "-"), (",", ")"))
"""The bigrams whose rewriting is reported: point and bracket absorption, quote transposition."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("treebank", nargs="+", type=Path)
    parser.add_argument("--analyses", type=int, default=10)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    enable_compilation_cache()
    loaded = load(arguments.model)
    options = TreebankOptions(final_mark=loaded.model.options.final_mark)
    sentences = read_sentences(arguments.treebank, options).sentences
    rewriter = Rewriter.of(loaded.model, loaded.parameters)
    analyses = [a for a in best(loaded.model, loaded.parameters, sentences) if a is not None]
    counts = windows(analyses)
    number = {s: i for i, s in enumerate(loaded.model.inventory.symbols)}
    rules = []
    for a, b in FIGURE_3:
        if a not in number or b not in number:
            continue
        probabilities = {
            e: math.exp(float(rewriter.log_probability[i, number[a], number[b]]))
            for i, e in enumerate(EDITS)
        }
        rules.append({"a": a, "b": b, "count": counts[a, b], "p": probabilities})
        shown = "  ".join(f"{e} {p:.3f}" for e, p in probabilities.items())
        print(f"{a} {b}  (in {counts[a, b]} analyses)  {shown}")
    absorbed = [to_brackets(a) for a in analyses if absorbs_comma(a)][: arguments.analyses]
    for text in absorbed:
        print(text)
    if arguments.output:
        result = {
            "model": loaded.digest,
            "direction": loaded.model.options.channel,
            "sentences": len(sentences),
            "rules": rules,
            "analyses": absorbed,
        }
        text = json.dumps(result, indent=1, ensure_ascii=False)
        arguments.output.write_text(text + "\n", "utf-8")


def windows(analyses: list[Analysis]) -> Counter[tuple[str, str]]:
    """How often each window was edited in the 1-best analyses."""
    return Counter((e.a, e.b) for a in analyses for slot in a.slots for e in slot.edits)


def absorbs_comma(analysis: Analysis) -> bool:
    """Whether a comma disappears into a period or another comma after it."""
    return any(
        e.a == "," and e.b in ",." and e.edit in ("absorb_left", "absorb_right")
        for slot in analysis.slots
        for e in slot.edits
    )


if __name__ == "__main__":
    main()
