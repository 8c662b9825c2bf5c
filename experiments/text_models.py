"""Text models of several languages, trained in a given time on whatever device there is.

    python experiments/text_models.py TEXTS -o FOLDER [--languages en zh es] [--minutes 60]

TEXTS has a folder for each language with files NAME.train.txt.gz and NAME.dev.txt.gz. The speed is
measured for half a minute, and gives the number of visits, which FOLDER/LANGUAGE.plan.json keeps:
the same command continues a run that was stopped. FOLDER/LANGUAGE is the model, and
FOLDER/LANGUAGE.json has the F1 of marks on each development file.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
from text_marks import LABELS, figures

import semipunct
from semipunct.formats.running_text import read_running_text
from semipunct.models.running_text.model import TextModel
from semipunct.store.checkpoint import load
from semipunct.training.config import load_config
from semipunct.training.report import Progress
from semipunct.training.train import train

TRIAL = 30.0
"""Seconds in which the speed is measured, once everything is compiled."""


def main() -> None:
    """Train and measure the model of each language."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the models")
    parser.add_argument("--languages", nargs="+", default=["en", "zh", "es"])
    parser.add_argument("--without", nargs="*", default=[], help="names of files to leave out")
    parser.add_argument("--minutes", type=float, default=60.0, help="of training, for each")
    parser.add_argument("--set", nargs="*", default=[], dest="settings", help="as of train")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for language in arguments.languages:
        training, development = (
            [
                path
                for path in sorted((arguments.texts / language).glob(f"*.{part}.txt.gz"))
                if path.name.split(".")[0] not in arguments.without
            ]
            for part in ("train", "dev")
        )
        place = arguments.output / language
        make(training, development, place, arguments.minutes, arguments.settings, arguments.seed)
        model = load(place, TextModel)
        rows = {path.name: figures(model, path) for path in development}
        _write(place.with_suffix(".json"), rows)
        for name, row in rows.items():
            shown = " ".join(f"{mark.lower()} {row[mark]['F1']:.1f}" for mark in LABELS)
            print(f"{language} {name:28} {shown}", flush=True)


def make(
    training: Sequence[Path],
    development: Sequence[Path],
    place: Path,
    minutes: float,
    settings: Sequence[str],
    seed: int,
) -> None:
    """Train a model, or continue its training.

    Args:
        training: files of text.
        development: files of text, on which the best weights are selected.
        place: the folder of the model.
        minutes: the time for training.
        settings: as of ``semipunct train --set``.
        seed: the random seed.
    """
    passages, held_out = read_running_text(training), read_running_text(development)
    path = place.with_suffix(".plan.json")
    if path.exists():
        plan = json.loads(path.read_text("utf-8"))
    else:
        rate = passages_per_second(passages, held_out[:1], settings)
        device = jax.devices()[0]
        plan = {
            "visits": int(rate * minutes * 60),
            "device": f"{device.platform} {device.device_kind}",
        }
        _write(path, plan)
    print(f"{place}: {plan['visits']:,} visits, {plan['device']}", flush=True)
    semipunct.train(
        passages,
        held_out,
        place,
        kind="text",
        settings=[*settings, f"train.visits={plan['visits']}"],
        seed=seed,
        resume=place.exists(),
        report=_Log(),
    )


def passages_per_second(
    passages: Sequence[Any], held_out: Sequence[Any], settings: Sequence[str]
) -> float:
    """Return the speed of training on this machine, without compilation.

    Args:
        passages: the examples.
        held_out: at least one example, which is not evaluated.
        settings: as of ``semipunct train --set``.
    """
    marks: list[tuple[float, int]] = []

    def report(progress: Progress) -> None:
        if progress.phase == "training":
            marks.append((time.perf_counter(), progress.visits))

    def stop() -> bool:
        # The first steps compile.
        return len(marks) > WARMING and marks[-1][0] - marks[WARMING][0] > TRIAL

    visits = f"train.visits={100 * len(passages)}"  # far more than are begun
    config = load_config(None, [*settings, visits], {}, "text", None)
    with tempfile.TemporaryDirectory() as folder:
        train(passages, held_out, Path(folder) / "trial", config=config, report=report, stop=stop)
    (start, first), (end, last) = marks[WARMING], marks[-1]
    return (last - first) / (end - start)


WARMING = 20
"""The steps before the speed is measured."""


class _Log:
    """Prints a line for each evaluation."""

    def __init__(self) -> None:
        self.best: float | None = None

    def __call__(self, progress: Progress) -> None:
        if progress.figure is not None and progress.best != self.best:
            self.best = progress.best
            print(
                f"{progress.visits:,} of {progress.total:,} visits, {progress.seconds:.0f} s: "
                f"{progress.measure} {progress.figure:.4f}",
                flush=True,
            )


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
