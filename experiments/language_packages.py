"""Makes the models of the distributions in packages/, step by step.

    python experiments/language_packages.py es TEXTS -o FOLDER
    python experiments/language_packages.py en TREEBANK -o FOLDER
    python experiments/language_packages.py LANGUAGE DATA -o FOLDER --install

Each step is a command of ``semipunct``; models in FOLDER are reused. TEXTS has NAME.train.txt.gz
and NAME.dev.txt.gz, TREEBANK train.conllu and dev.conllu. ``--install`` packs the models with the
loss on development data and writes them to packages/.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

from semipunct import load, read

ROOT = Path(__file__).resolve().parents[1]

SMALL = ("model.words=24576", "model.ngrams=12288")
"""Settings of text models below 6 MB."""

RUNS = {
    "es": ((*SMALL, "train.visits=120279", "train.dropout=0.2"),),
    "zh": (
        (*SMALL, "train.visits=27682"),
        ("train.visits=32000", "train.learning_rate=0.0015"),
    ),
}
"""Settings of the runs that made the text models in packages/."""

TREEBANK_KINDS = {
    "parser": (),
    "punctuation": (),
    "tokeniser": ("train.visits=12000",),
}
"""The parts of the English package, with their settings."""


def main() -> None:
    """Train the models of a package, or pack and install them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("language", choices=("en", "es", "zh"))
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the models")
    parser.add_argument("--install", action="store_true", help="write them to packages/")
    arguments = parser.parse_args()
    data, output = arguments.data.resolve(), arguments.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    if arguments.language == "en":
        parts = {kind: output / kind for kind in TREEBANK_KINDS}
        development = ["dev.conllu"]
        for kind, settings in TREEBANK_KINDS.items():
            train(["train.conllu"], development, parts[kind], kind, settings, data)
    else:
        files = sorted(path.name for path in data.glob("*.txt.gz"))
        development = [name for name in files if ".dev." in name]
        training = [name for name in files if ".train." in name]
        if not training or not development:
            sys.exit(f"{data}: no files NAME.train.txt.gz and NAME.dev.txt.gz")
        start: Path | None = None
        for number, settings in enumerate(RUNS[arguments.language]):
            place = output / f"text-{number + 1}"
            train(training, development, place, "text", settings, data, start)
            start = place
        assert start is not None
        parts = {"text": start}
    if arguments.install:
        package = ROOT / "packages" / arguments.language / f"semipunct_{arguments.language}"
        for part, place in parts.items():
            nlp = load(place)
            examples = read(*(data / name for name in development), examples=nlp.config.examples)
            nlp.pack(package / part, examples, force=True)


def train(
    training: list[str],
    development: list[str],
    place: Path,
    kind: str,
    settings: tuple[str, ...] | list[str],
    data: Path,
    start: Path | None = None,
) -> None:
    """Train a model, or continue its training, unless it is finished."""
    if (place / "config.json").exists() and not (place / "state.json").exists():
        print(f"{place}: finished", flush=True)
        return
    resume = ["--resume"] if place.exists() else []
    semipunct(
        [
            "train", *training, *(w for name in development for w in ("--dev", name)),
            "-o", f"{place}", "--kind", kind, *(w for s in settings for w in ("--set", s)),
            *(["--from", f"{start}"] if start else []), *resume,
        ],
        data,
    )  # fmt: skip


def semipunct(arguments: list[str], folder: Path) -> None:
    """Print and run a command in a folder."""
    print(shlex.join(["semipunct", *arguments]), flush=True)
    subprocess.run([sys.executable, "-m", "semipunct", *arguments], cwd=folder, check=True)


if __name__ == "__main__":
    main()
