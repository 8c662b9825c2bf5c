"""Conditional perplexity per slot (Table 3) by channel, settings and seed, over all sentences.

    python experiments/perplexity.py --name en --train TRAIN... --dev DEV... --output FILE
    python experiments/perplexity.py --name es --split FILE --output FILE
    python experiments/perplexity.py --table FILE

Each run adds a row to the result file, so an interrupted experiment can be continued. ``--split``
uses the first 80% of a file for training and the next 10% for development. ``--models`` has models
in folders NAME-CHANNEL-SEED. ``--table`` prints the rows, with the increase over the default.
"""

import argparse
import json
import statistics
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.figures import report
from models import trained
from treebanks import add_treebanks, check_treebanks, sentences

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.files import finite
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.pipelines.evaluation import evaluate
from semipunct.training.config import load_config

LENGTH = ("train.visits=", "train.batch_size=")
LOOKS = "train.evaluate_every="
TEMPLATES = "model.templates="

Perplexities = dict[int, float | None]
"""Perplexities by seed; None if infinite."""


class Kind(NamedTuple):
    """The treebank and the settings of runs that differ in their seeds alone."""

    name: str
    length: tuple[str, ...]
    changes: tuple[str, ...]


def main() -> None:
    """Train and evaluate missing combinations, or print the table."""
    printing = argparse.ArgumentParser(add_help=False)
    printing.add_argument("--table", type=Path)
    if file := printing.parse_known_args()[0].table:
        print_table(json.loads(file.read_text("utf-8")))
        return
    arguments = parse()
    enable_compilation_cache()
    file = arguments.output
    table = json.loads(file.read_text("utf-8")) if file.exists() else {}
    rows = table.get(arguments.name, {}).get("rows", [])
    finished = {(r["channel"], r["seed"], tuple(r["set"])) for r in rows}
    train_sentences, dev_sentences = sentences(arguments)
    for seed in arguments.seeds:
        for channel in arguments.channels:
            if (channel, seed, tuple(arguments.set)) in finished:
                continue
            config = load_config(
                None, arguments.set, {"model.channel": channel, "train.seed": seed}
            )
            with tempfile.TemporaryDirectory() as folder:
                path = (arguments.models or Path(folder)) / f"{arguments.name}-{channel}-{seed}"
                loaded = trained(config, train_sentences, dev_sentences, path, PunctuationModel)
            evaluation = evaluate(loaded, dev_sentences)
            scores = evaluation.statistics.figures()
            row = {
                "channel": channel,
                "seed": seed,
                "set": arguments.set,
                "perplexity": finite(scores.perplexity),
                "sentences": scores.sentences,
                "slots": scores.slots,
                "unscorable": scores.unscorable,
                "visits": loaded.figures["visits"],
                "seconds": round(loaded.figures["seconds"], 1),
                "signature": evaluation.signature,
            }
            rows.append(row)
            report(arguments.name, {"rows": rows}, file)


def print_table(table: dict[str, Any]) -> None:
    """Print the kinds of runs of a result file."""
    runs: dict[Kind, Perplexities] = defaultdict(dict)
    for name, figures in table.items():
        for row in figures["rows"]:
            runs[kind(name, row)][row["seed"]] = row["perplexity"]
    print("| treebank | settings | seeds | perplexity | more than the default |")
    print("| --- | --- | --- | --- | --- |")
    for k, seeds in sorted(runs.items(), key=place):
        changes = ", ".join(map(say, (*k.length, *k.changes))) or "default"
        base = runs.get(k._replace(changes=()), {}) if k.changes else {}
        print(
            f"| {k.name} | {changes} | {len(seeds)} | {cell(seeds)} | {difference(seeds, base)} |"
        )


def kind(name: str, row: dict[str, Any]) -> Kind:
    """Return the kind of a run."""
    default = load_config(None, [])
    settings = [
        s
        for s in (f"model.channel={row['channel']}", *row["set"])
        if not s.startswith(LOOKS) and load_config(None, [s]) != default
    ]
    length = tuple(s for s in settings if s.startswith(LENGTH))
    return Kind(name, length, tuple(s for s in settings if s not in length))


def place(item: tuple[Kind, object]) -> tuple[object, ...]:
    """Return the key that sorts the paper's treebanks first, and few changes before many."""
    k, _ = item
    return k.name not in ("en", "zh"), k.name, k.length, len(k.changes), k.changes


def say(setting: str) -> str:
    """Format a setting; for templates, only the difference from the default."""
    if not setting.startswith(TEMPLATES):
        return f"`{setting}`"
    default, chosen = load_config(None, []).model.templates, setting[len(TEMPLATES) :].split(",")
    without = [f"`{t}`" for t in default if t not in chosen]
    more = [f"`{t}`" for t in chosen if t not in default]
    parts = [("without", without), ("with", more)]
    return "templates " + " and ".join(f"{word} {' '.join(some)}" for word, some in parts if some)


def cell(seeds: Perplexities) -> str:
    """Format the mean over seeds, with the range if there is more than one."""
    values = [p for p in seeds.values() if p is not None]
    if len(values) < len(seeds):
        return "infinite"
    mean = f"{statistics.mean(values):.4f}"
    return mean if len(values) == 1 else f"{mean} ({min(values):.4f} to {max(values):.4f})"


def difference(seeds: Perplexities, base: Perplexities) -> str:
    """Format the increase in perplexity over the default, over the seeds of both."""
    increases = [
        p - q for seed, p in seeds.items() if p is not None and (q := base.get(seed)) is not None
    ]
    return f"{statistics.mean(increases):+.4f}" if increases else ""


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_treebanks(parser)
    parser.add_argument("--channels", nargs="+", default=["none", "l2r", "r2l"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--set", nargs="*", default=[], help="settings, as for semipunct train")
    parser.add_argument("--models", type=Path, help="a folder")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    check_treebanks(parser, arguments)
    return arguments


if __name__ == "__main__":
    main()
