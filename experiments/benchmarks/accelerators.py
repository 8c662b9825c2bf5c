"""Speed of training and answering on an accelerator, compared with the CPU of the same machine.

    python experiments/benchmarks/accelerators.py --output PATH [--minutes 10] [--peers PYTHON]

Runs on whatever device JAX finds, which is named in the figures, and on the CPU: a text model, a
parser and a punctuation model, fitted to the bundled sample (or to ``--treebank``), with batches of
32 to 4,096 sentences, passages for the text model. ``training`` is a whole step, whose batch is
laid out beforehand; ``answering`` is a call of ``restore`` or ``parse`` with as many sentences,
layout included. ``structures`` computes log partition and marginals of linear chains and
projective trees. Sentences are repeated where the sample is too small. Weights are those after the
timed steps.

Each part runs in a process of its own, and each row is written as soon as it is measured, so that
the figures are whole whenever the script ends. The time is divided among the parts that remain; a
row that would take too long, or for which there is not enough memory, is listed with the reason.
``--peers`` is a Python interpreter with torch, torch-struct and supar (``peers.py`` says how to
create it), which computes the same structures on the same device.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from figures import machine, use_device

HERE = Path(__file__).parent
KINDS = ("text", "parser", "punctuation")
PARTS = (*KINDS, "structures")
BATCHES = (32, 128, 512, 1024, 4096)
LENGTH, STATES, WORDS = 64, 32, 40
"""Positions and states of a chain, and words of a tree."""

LEAST_PASSES = 2
"""Timed passes of each row, at least; otherwise as many as fit into ``--seconds``."""

Row = dict[str, Any]


def main() -> None:
    """Measure every part on every device, and write each row at once."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--device", help="platform to compare with the CPU; JAX's own choice by default")
    add("--minutes", type=float, default=10.0, help="for everything together")
    add("--seconds", type=float, default=2.0, help="of timed passes for each row")
    add("--batches", type=int, nargs="+", default=list(BATCHES))
    add("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    add("--treebank", type=Path, nargs="+", help="in place of the bundled sample")
    add("--peers", type=Path, help="a Python interpreter with torch, torch-struct and supar")
    add("--output", type=Path, help="file that is written anew after each row")
    add("--part", help="internal: measure one part and print its rows")
    add("--until", type=float, help="internal: seconds for it")
    arguments = parser.parse_args()
    if arguments.part:
        device = use_device(arguments.device)
        say({"device": device})
        for row in rows(arguments, time.monotonic() + arguments.until):
            say(row)
        return
    measure_all(arguments, time.monotonic() + 60 * arguments.minutes)


def measure_all(arguments: argparse.Namespace, end: float) -> None:
    """Run each part on each device in a process of its own.

    Args:
        arguments: the command line.
        end: when the time is over, by the monotonic clock.
    """
    chosen = devices_of(arguments)
    figures: dict[str, Any] = {**machine(), "devices": chosen, "rows": []}
    if "cpu" in chosen and len(chosen) == 1:
        figures["note"] = "no accelerator was found: these are figures of a CPU only"
    jobs = [(part, platform) for part in arguments.parts for platform in chosen]
    for number, (part, platform) in enumerate(jobs):
        share = max(1.0, (end - time.monotonic()) / (len(jobs) - number))
        for row in child(arguments, part, platform, share):
            figures["rows"].append({"part": part, "platform": platform, **row})
            write(figures, arguments.output)
        if part == "structures" and arguments.peers:
            for row in peers(arguments, platform):
                figures["rows"].append({"part": part, "platform": platform, **row})
                write(figures, arguments.output)
    write(figures, arguments.output)
    print(table(figures))


def devices_of(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the kinds of device by platform: JAX's choice, or the one named, and the CPU."""
    found: dict[str, str] = {}
    for platform in (arguments.device, "cpu"):
        named = [] if platform is None else ["--device", platform]
        command = [sys.executable, __file__, "--part", "none", "--until", "0", *named]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        if finished.returncode:
            raise SystemExit(finished.stderr.strip().splitlines()[-1])
        device = json.loads(finished.stdout)["device"]
        found[device["platform"]] = device["kind"]
    return found


def child(arguments: argparse.Namespace, part: str, platform: str, seconds: float) -> Iterator[Row]:
    """Yield the rows of one part on one device, as they are measured.

    Args:
        arguments: the command line.
        part: the name of the part.
        platform: of the device.
        seconds: the time for it.
    """
    command = [sys.executable, __file__, "--part", part, "--until", str(seconds)]
    # A name of JAX, such as cuda, is more precise than the platform.
    named = "cpu" if platform == "cpu" else arguments.device
    command += ["--device", named] if named else []
    command += ["--seconds", str(arguments.seconds), "--batches", *map(str, arguments.batches)]
    command += ["--treebank", *map(str, arguments.treebank)] if arguments.treebank else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        # A single computation may take longer than expected.
        killer = threading.Timer(seconds + 30, process.kill)
        killer.start()
        try:
            for line in process.stdout or ():
                row = json.loads(line)
                if "device" not in row:
                    yield row
            status = process.wait()
        finally:
            killer.cancel()
            process.kill()
    if status:
        yield {"left_out": f"the process ended with status {status}: time or memory"}


def rows(arguments: argparse.Namespace, end: float) -> Iterator[Row]:
    """Measure one part on the device of this process.

    Args:
        arguments: the command line.
        end: when the time is over, by the monotonic clock.
    """
    if arguments.part == "structures":
        measures = structures()
    elif arguments.part in KINDS:
        measures = model_of(arguments.part, arguments.treebank)
    else:
        return
    for name, prepare in measures.items():
        before: Row = {"first_seconds": 0.0, "milliseconds": 0.0}
        for size in sorted(arguments.batches):
            row = {"what": name, "batch": size}
            if reason := refuse(before, size, arguments.batches, end):
                yield {**row, "left_out": reason}
                continue
            try:
                ask, words = prepare(size)
                before = timed(ask, size, words, arguments.seconds)
                yield {**row, **before}
            except Exception as error:  # noqa: BLE001 - of the device: mostly too little memory
                yield {**row, "left_out": f"{type(error).__name__}: {str(error)[:160]}"}


def refuse(before: Row, size: int, sizes: Sequence[int], end: float) -> str:
    """Return why a row is left out, or nothing.

    Args:
        before: the row of the next smaller size.
        size: the size of the row.
        sizes: all sizes.
        end: when the time is over, by the monotonic clock.
    """
    smaller = [each for each in sizes if each < size]
    ratio = size / max(smaller) if smaller else 1
    passes = (1 + LEAST_PASSES) * ratio * before["milliseconds"] / 1000
    if before["first_seconds"] + passes > end - time.monotonic():
        return "time"
    held, free = memory()
    return "memory" if held * ratio > held + free else ""


def memory() -> tuple[int, int]:
    """Return the mebibytes that this process holds, and those that are free on the machine."""
    found = {"VmRSS": 0, "MemAvailable": 2**30}
    for path in (Path("/proc/self/status"), Path("/proc/meminfo")):
        for line in path.read_text("utf-8").splitlines() if path.exists() else ():
            name, _, rest = line.partition(":")
            if name in found:
                found[name] = int(rest.split()[0]) // 1024
    return found["VmRSS"], found["MemAvailable"]


def timed(ask: Callable[[], Any], size: int, words: int, seconds: float) -> Row:
    """Time a computation after one untimed pass, in which it is compiled.

    Args:
        ask: the computation, which ends when its result is there.
        size: the sentences of a pass.
        words: their words.
        seconds: the time for it.
    """
    began = time.perf_counter()
    ask()
    first = time.perf_counter() - began
    passes: list[float] = []
    while len(passes) < LEAST_PASSES or sum(passes) < seconds:
        began = time.perf_counter()
        ask()
        passes.append(time.perf_counter() - began)
    median = statistics.median(passes)
    return {
        "sentences_per_second": round(size / median, 1),
        "words_per_second": round(words / median),
        "milliseconds": round(1000 * median, 2),
        "first_seconds": round(first, 2),
        "passes": len(passes),
    }


def model_of(kind: str, treebank: Sequence[Path] | None) -> dict[str, Callable[[int], Any]]:
    """Fit a model of a kind; return how to prepare its computations by name.

    Args:
        kind: the kind.
        treebank: the files to fit it to; None for the bundled sample.
    """
    import jax
    import jax.numpy as jnp
    import numpy as np

    import semipunct
    from semipunct.formats import read_treebank
    from semipunct.formats.running_text import read_running_text
    from semipunct.models.capabilities import NeedsConstants
    from semipunct.tasks.base import InPlace
    from semipunct.training.config import load_config
    from semipunct.training.step import Recipe, step

    config = load_config(kind=kind)
    with resources.as_file(resources.files("semipunct.data") / "sample.conllu") as sample:
        paths = treebank or [sample]
        sentences = list(read_treebank(paths).sentences)
        examples = list(read_running_text(paths)) if kind == "text" else sentences
    model, encoded = config.kind.load().fit_and_encode(examples, config.model)
    slots = float(np.mean([example.choices for example in examples]))
    recipe = Recipe(model, config.train, 1000, slots)
    initial = model.initial_parameters(0, config.train.initial_scale)
    weights = {name: jnp.asarray(value) for name, value in initial.items()}
    constants = model.constants(config.train) if isinstance(model, NeedsConstants) else {}
    trained: dict[str, Any] = {"weights": weights, "state": recipe.optimiser().init(weights)}
    order = np.random.default_rng(0)

    def training(size: int) -> tuple[Callable[[], Any], int]:
        members = [int(i) for i in order.permutation(np.resize(np.arange(len(examples)), size))]
        shape = model.fit_shape(encoded, [members], size, scoring=False)
        batch = jax.device_put(model.batch(encoded, members, shape))

        def ask() -> None:
            key = jax.random.key(0)
            current = trained["weights"], trained["state"]
            trained["weights"], trained["state"], outcome = step(
                recipe, current[0], current[1], constants, batch, key
            )
            jax.block_until_ready((trained, outcome))

        return ask, sum(examples[i].size for i in members)

    def answering(size: int) -> tuple[Callable[[], Any], int]:
        given = [sentences[i % len(sentences)] for i in range(size)]
        host = {name: np.asarray(value) for name, value in trained["weights"].items()}
        work: Any = semipunct.parse if kind == "parser" else semipunct.restore
        placed = InPlace.of(InPlace(model, host))
        return partial(work, placed, given), sum(len(each.forms) for each in given)

    return {"training": training, "answering": answering}


def structures() -> dict[str, Callable[[int], Any]]:
    """Return how to prepare log partition and marginals of structures, by name."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from semipunct.arrays.programs import jit
    from semipunct.structures import Distribution, linear_chain, projective_trees

    def draw(*shape: int) -> Any:
        return jnp.asarray(np.random.default_rng(0).standard_normal(shape), jnp.float32)

    def prepare(build: Any, words: int, shapes: Sequence[tuple[int, ...]], size: int) -> Any:
        weights = [draw(size, *shape) for shape in shapes]
        both = jit(lambda *xs: Distribution(build(*xs)).log_partition_and_marginals())
        return lambda: jax.block_until_ready(both(*weights)), size * words

    chain = [(LENGTH, STATES), (LENGTH - 1, STATES, STATES)]
    trees = [(WORDS + 1, WORDS + 1)]
    return {
        "chain": partial(prepare, linear_chain, LENGTH, chain),
        "trees": partial(prepare, projective_trees, WORDS, trees),
    }


def peers(arguments: argparse.Namespace, platform: str) -> Iterator[Row]:
    """Yield the milliseconds of other libraries for the structures of the same sizes.

    Args:
        arguments: the command line.
        platform: of the device.
    """
    for size in sorted(arguments.batches):
        command = [str(arguments.peers), str(HERE / "peers.py"), f"--batch={size}"]
        command += [f"--length={LENGTH}", f"--states={STATES}", f"--words={WORDS}"]
        command += ["--device=cpu" if platform == "cpu" else "--device=cuda"]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        if finished.returncode:
            said = finished.stderr.strip().splitlines()[-1:]
            yield {"what": "peers", "batch": size, "left_out": " ".join(said)}
            return
        for problem, libraries in json.loads(finished.stdout.splitlines()[-1]).items():
            for library, times in libraries.items() if isinstance(libraries, dict) else ():
                found = times["both"]
                told = (
                    {"left_out": found["error"]}
                    if "error" in found
                    else {"milliseconds": round(found["ms"], 2)}
                )
                yield {"what": problem, "library": library, "batch": size, **told}


def say(row: Row) -> None:
    """Print a row for the process that started this one."""
    print(json.dumps(row), flush=True)


def write(figures: dict[str, Any], path: Path | None) -> None:
    """Write all figures so far, so that the file is whole at any time.

    Args:
        figures: what was measured.
        path: the file; None for none.
    """
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}")
    unfinished.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    unfinished.replace(path)


def table(figures: dict[str, Any]) -> str:
    """Return all rows as lines of text."""
    names = ", ".join(f"{name}: {kind}" for name, kind in figures["devices"].items())
    lines = [f"{names}; {figures['machine']}", figures.get("note", "")]
    for row in figures["rows"]:
        name = f"{row['part']}, {row.get('what', '')} {row.get('library', '')}"
        value = row.get("left_out") or f"{row['milliseconds']:10.2f} ms"
        lines.append(f"{row['platform']:5} {name:32} {row.get('batch', ''):>5} {value}")
    return "\n".join(line for line in lines if line)


if __name__ == "__main__":
    main()
