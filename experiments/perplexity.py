"""Conditional perplexity per slot (Table 3) by channel and seed, over all sentences.

    python experiments/perplexity.py --name en --train TRAIN... --dev DEV... --output FILE
    python experiments/perplexity.py --name es --split FILE --output FILE

Each run adds one row to the result file, so that an interrupted experiment can be continued.
``--split`` uses the first 80% of a file for training and the next 10% for development, in the order
of the file; the last 10% are never read. ``--models`` stores the models in folders
NAME-CHANNEL-SEED; existing models are not retrained.
"""

import argparse
import json
import platform
import tempfile
from pathlib import Path

from models import trained
from treebanks import add_treebanks, check_treebanks, sentences

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.files import finite
from semipunct.models.punctuation.model import PunctuationModel
from semipunct.tasks.evaluate import evaluate
from semipunct.training.config import load_config


def main() -> None:
    """Train and evaluate every combination missing from the result file."""
    arguments = parse()
    enable_compilation_cache()
    rows = json.loads(arguments.output.read_text("utf-8")) if arguments.output.exists() else []
    finished = {(r["name"], r["channel"], r["seed"], tuple(r["set"])) for r in rows}
    train_sentences, dev_sentences = sentences(arguments)
    for seed in arguments.seeds:
        for channel in arguments.channels:
            if (arguments.name, channel, seed, tuple(arguments.set)) in finished:
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
                "name": arguments.name,
                "channel": channel,
                "seed": seed,
                "set": arguments.set,
                "perplexity": finite(scores.perplexity),
                "sentences": scores.sentences,
                "slots": scores.slots,
                "unscorable": scores.unscorable,
                "visits": loaded.figures["visits"],
                "seconds": round(loaded.figures["seconds"], 1),
                "machine": f"{platform.machine()}, CPU",
                "signature": evaluation.signature,
            }
            rows.append(row)
            arguments.output.parent.mkdir(parents=True, exist_ok=True)
            arguments.output.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
            print(json.dumps({k: row[k] for k in ("name", "channel", "seed", "perplexity")}))


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
