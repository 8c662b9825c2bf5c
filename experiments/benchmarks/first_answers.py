"""Five programs in semipunct and torch-struct: lines, and seconds to the first answer.

    python experiments/benchmarks/first_answers.py --torch-struct PYTHON [--output PATH]

Each program runs in fresh processes with an empty compilation cache; reports the least of
``--repeats``. The first call excludes imports and the conversion of arrays; CPU seconds depend less
on other processes. Lines are those of a program without signature, docstring and blank lines.
Answers of the libraries must agree. ``PYTHON`` has torch, torch-struct and numpy; the programs are
in ``docs/examples/five_programs``.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import numpy as np
from figures import machine, report

NORMAL, INTEGERS = np.random.default_rng(0).standard_normal, np.random.default_rng(0).integers

PROGRAMS = {
    "crf": (NORMAL((32, 20, 8)), NORMAL((8, 8)), INTEGERS(0, 8, (32, 20))),
    "semi_markov": (NORMAL((32, 20, 5, 8)), NORMAL((8, 8))),
    "grammar": (NORMAL(8), NORMAL((8, 20, 20)), NORMAL((16, 12, 12))),
    "spanning_trees": (NORMAL((32, 21, 21)),),
    "alignments": (NORMAL((32, 50, 20)), INTEGERS(1, 20, (32, 10))),
}

TOLERANCE = 1e-3
"""Largest relative difference of answers: torch-struct adds 1e-5 to weights of spanning trees."""


def main() -> None:
    """Run all programs in fresh processes, or one in this process."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--torch-struct", help="its Python interpreter")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs=2, help="internal: library and program")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(ask(*arguments.only)))
        return
    environment = os.environ | {"JAX_ENABLE_COMPILATION_CACHE": "false"}
    pythons = {"semipunct": sys.executable, "torch_struct": arguments.torch_struct}
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for program in PROGRAMS:
        of = rows[program] = {}
        for library, python in pythons.items():
            command = [python, __file__, "--only", library, program]
            outputs = [
                json.loads(subprocess.check_output(command, env=environment))
                for _ in range(arguments.repeats)
            ]
            of[library] = {key: min(x[key] for x in outputs) for key in outputs[0]}
        answers = [row.pop("answer") for row in of.values()]
        if not np.allclose(answers, answers[0], rtol=TOLERANCE, atol=0):
            raise SystemExit(f"the answers of {program} differ: {answers}")
    report("five programs", machine() | {"programs": rows}, arguments.output)


def ask(library: str, program: str) -> dict[str, float]:
    """Return lines of a program, seconds, and a number that depends on the whole answer."""
    began = time.perf_counter()
    sys.path.append(str(Path(__file__).parents[2] / "docs" / "examples" / "five_programs"))
    module = import_module(f"{library}_programs")
    function, arrays = getattr(module, program), [*map(module.array, PROGRAMS[program])]
    imported, cpu = time.perf_counter(), time.process_time()
    answer = module.wait(function(*arrays))
    ended, cpu_ended = time.perf_counter(), time.process_time()
    first = answer[0] if isinstance(answer, tuple) else answer
    values = np.asarray(first.detach() if library == "torch_struct" else first)
    if values.dtype.kind == "i":  # first word, last word and label of spans; -1 in the padding
        spans = values.reshape(-1, 3)
        values = 1.1 + np.cos(spans[spans[:, 0] >= 0] @ [1, 30, 900])
    return {
        "lines": sum(bool(x.strip()) for x in inspect.getsource(function).splitlines()[2:]),
        "import_seconds": round(imported - began, 2),
        "first_seconds": round(ended - imported, 2),
        "first_cpu_seconds": round(cpu_ended - cpu, 2),
        "answer": float(np.sum(np.square(values))),
    }


if __name__ == "__main__":
    main()
