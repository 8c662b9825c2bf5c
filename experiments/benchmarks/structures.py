"""Computations on structures compared with a plain scan, each other, and other libraries.

    python experiments/benchmarks/structures.py [--peers PEERS/bin/python]
        [--synjax SYNJAX/bin/python] [--output PATH]

Every computation is compiled and called twice. It then runs ``--repeats`` times in turn with all
others, so that other load on the machine affects all of them. Each timed call follows an untimed
one, because the preceding computation changes the state of caches and free memory. Each call blocks
until the result is available. Reported are medians, and ratios to the plain scan of the same run:
``lax.scan`` over log-sum-exp with ``jax.grad``, as written without a library. Samples of structures
other than chains are compared with the log partition and marginals of the same structure. Functions
of this project are compiled with ``arrays.programs.jit``, and again with plain ``jax.jit``.
``peers.py`` and ``synjax_peer.py`` explain how to create the environments of the other libraries.
Log partitions of SynJax are compared with ours; where they differ, the run ends with an error.
Memory is the peak of a process during a warm call of one computation, so that compilation is
excluded.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from figures import use_device
from plain_scan import log_sum_exp, plain

from semipunct.arrays.memory import release_memory
from semipunct.arrays.programs import jit
from semipunct.structures import (
    Distribution,
    linear_chain,
    nonprojective_trees,
    pcfg,
    projective_trees,
    semi_markov_chain,
)

HERE = Path(__file__).parent

SAME_AS_SYNJAX = {
    "chain": "log partition",
    "trees": "trees, log partition",
    "grammar": "grammar, gradients",
    "non-projective": "non-projective, both",
}
"""By problem of ``synjax_peer.py``: the question whose answer begins with its log partitions."""

TOLERANCE = 1e-4
"""The largest relative difference of the log partitions of two libraries."""


class Question(NamedTuple):
    """A compiled function and its arguments.

    Attributes:
        ask: the compiled function.
        inputs: its arguments.
        reference: the question whose time is the baseline.
        bar: the target: maximum ratio to the baseline.
    """

    ask: Callable[..., Any]
    inputs: tuple[Any, ...]
    reference: str = ""
    bar: float | None = None


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--batch", type=int, default=32)
    add("--length", type=int, default=128, help="positions of a chain")
    add("--states", type=int, default=32)
    add("--words", type=int, default=40, help="words of a dependency tree")
    add("--widths", type=int, default=8, help="maximum segment width of a semi-Markov chain")
    add("--symbols", type=int, default=30, help="symbols of a grammar, a third nonterminals")
    add("--sentence", type=int, default=20, help="words of a sentence parsed with a grammar")
    add("--repeats", type=int, default=15)
    add("--peers", type=Path, help="a Python interpreter with torch, torch-struct and supar")
    add("--synjax", type=Path, help="a Python interpreter with synjax")
    add("--device", help="platform: cpu, cuda, rocm or tpu [JAX's choice]")
    add("--only", help="run only this computation and print the peak memory")
    add("--questions", nargs="+", help="names of computations to time instead of all")
    add("--problems", nargs="+", help="of the peers and of synjax [all that they have]")
    add("--output", type=Path, help="also write the figures to this JSON file")
    return parser.parse_args()


def normal(seed: int, *shape: int) -> jax.Array:
    """Draw log weights from a standard normal distribution.

    Args:
        seed: the random seed.
        *shape: shape of the weights.
    """
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), jnp.float32)


def questions(args: argparse.Namespace) -> dict[str, Question]:
    """Return all computations by name."""
    shape = (args.batch, args.length, args.states, args.states)
    x = jnp.asarray(np.random.default_rng(0).standard_normal(shape).astype(np.float32))
    start = jnp.zeros(shape[:3]).at[:, 0].set(x[:, 0, 0])
    chain = start, jnp.array(x[:, 1:])
    words = args.words + 1
    arcs = np.random.default_rng(1).standard_normal((args.batch, words, words))
    tree = (jnp.asarray(arcs.astype(np.float32)),)
    key = jax.random.key(0)
    segments = normal(2, args.batch, args.length, args.widths, args.states)
    following = normal(3, args.states, args.states)
    expanding = args.symbols // 3
    grammar = (
        normal(4, expanding),
        normal(5, expanding, args.symbols, args.symbols),
        normal(6, args.batch, args.sentence, args.symbols - expanding),
    )

    def of(build: Callable[..., Any], ask: Callable[[Distribution[Any]], Any]) -> Any:
        return jit(lambda *weights: ask(Distribution(build(*weights))))

    of_chain, of_tree = partial(of, linear_chain), partial(of, projective_trees)
    structures = {
        "trees": (projective_trees, tree, 10.0),
        "semi-Markov": (semi_markov_chain, (segments, following), 5.0),
        "grammar": (pcfg, grammar, 10.0),
    }

    log_partition = partial(plain, log_sum_exp)
    maximum = partial(plain, jnp.max)
    side = jnp.ones((2048, 2048))
    all_questions = {
        "plain log partition": Question(jax.jit(log_partition), (x,)),
        "plain both": Question(jax.jit(jax.value_and_grad(log_partition)), (x,)),
        "plain argmax": Question(jax.jit(jax.grad(maximum)), (x,)),
        "log partition": Question(
            of_chain(lambda d: d.log_partition()), chain, "plain log partition", 1.3
        ),
        "both": Question(
            of_chain(lambda d: d.log_partition_and_marginals()), chain, "plain both", 0.8
        ),
        "argmax": Question(of_chain(lambda d: d.best()), chain, "plain both", 1.0),
        "sample": Question(of_chain(lambda d: d.sample(key, 1)), chain, "plain both", 0.6),
        "sample 100": Question(of_chain(lambda d: d.sample(key, 100)), chain, "plain both", 5.0),
        "entropy": Question(of_chain(lambda d: d.entropy()), chain, "plain both", 1.3),
        "top 4": Question(of_chain(lambda d: d.top(4)), chain, "plain both", 4.0),
        "trees, log partition": Question(of_tree(lambda d: d.log_partition()), tree),
        "non-projective, both": Question(
            jit(lambda w: nonprojective_trees(w).log_partition_and_marginals()), tree
        ),
        "copy": Question(jax.jit(lambda a: a + 1), (x,)),
        "matrix product": Question(jax.jit(lambda a: a @ a), (side,)),
    }
    emission, shared = normal(7, *shape[:3]), normal(8, args.states, args.states)
    of_shared = of_chain(lambda d: d.log_partition())
    mapped = jit(jax.vmap(
        lambda e, t: Distribution(linear_chain(e[None], t)).log_partition()[0], (0, None)
    ))  # fmt: skip
    low = shared.at[1, 2].set(-1e4)
    all_questions |= {
        "shared matrix": Question(of_shared, (emission, shared)),
        "shared, one low weight": Question(of_shared, (emission, low), "shared matrix", 1.3),
        "shared, vmap": Question(mapped, (emission, shared), "shared matrix", 1.3),
        "shared, vmap, low": Question(mapped, (emission, low), "shared matrix", 1.3),
    }
    # A batch of 8 sentences of 30 words; 20 nonterminals and 20 preterminals.
    rules = normal(10, 20, 1600)
    probabilities = (
        jax.nn.log_softmax(normal(9, 20)),
        jax.nn.log_softmax(rules).reshape(20, 40, 40),
        jax.nn.log_softmax(normal(11, 8, 30, 20)),
    )
    gradients = jax.value_and_grad(
        lambda *w: jnp.sum(Distribution(pcfg(*w)).log_partition()), (0, 1, 2)
    )
    all_questions["grammar, gradients"] = Question(jit(gradients), probabilities)
    all_questions["grammar, gradients, jax.jit"] = Question(jax.jit(gradients), probabilities)
    for name, (build, weights, bar) in structures.items():
        both_answers = of(build, lambda d: d.log_partition_and_marginals())
        all_questions[f"{name}, both"] = Question(both_answers, weights)
        for draws, most in ((1, 0.6), (100, bar)):
            ask = of(build, lambda d, n=draws: d.sample(key, n))
            all_questions[f"{name}, sample {draws}"] = Question(ask, weights, f"{name}, both", most)
    # Functions of this project with both compilations; which one is faster varies.
    for name in [name for name, question in all_questions.items() if question.reference]:
        question = all_questions[name]
        all_questions[f"{name}, jax.jit"] = question._replace(ask=jax.jit(question.ask.__wrapped__))
    return all_questions


def high_water() -> int:
    """Return the peak memory of this process since the last reset, in MiB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (kibibytes,) = (line.split()[1] for line in lines if line.startswith("VmHWM"))
    return int(kibibytes) // 1024


def peak(name: str) -> int:
    """Return the peak memory in MiB of a process that runs one computation."""
    command = [sys.executable, __file__, *sys.argv[1:], "--only", name]
    finished = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(finished.stdout.splitlines()[-1])


def timed(all_questions: dict[str, Question], repeats: int) -> dict[str, dict[str, Any]]:
    """Time warm calls in milliseconds, with all computations in turn.

    Args:
        all_questions: computations by name.
        repeats: calls of each.
    """
    times: dict[str, list[float]] = {name: [] for name in all_questions}
    for question in all_questions.values():
        for _ in range(2):
            jax.block_until_ready(question.ask(*question.inputs))
    for _ in range(repeats):
        for name, question in all_questions.items():
            jax.block_until_ready(question.ask(*question.inputs))
            start = time.perf_counter()
            jax.block_until_ready(question.ask(*question.inputs))
            times[name].append(1000 * (time.perf_counter() - start))
    return {
        name: {"ms": statistics.median(each), "least": min(each)} for name, each in times.items()
    }


def physical(args: argparse.Namespace, rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Compare memory traffic and arithmetic with the peak rates of this machine.

    Args:
        args: the command line.
        rows: times of all computations.
    """
    entries = args.batch * (args.length - 1) * args.states**2
    copied = 2 * 4 * args.batch * args.length * args.states**2
    bandwidth = copied / rows["copy"]["ms"] / 1e6
    flops = 2 * 2048**3 / rows["matrix product"]["ms"] / 1e6
    work = {
        # Read each weight; an addition, a maximum, a subtraction, an exponential, an addition.
        "log partition": (4 * entries, 5 * entries),
        # The same, with a division and a product for each marginal, which is written.
        "both": (2 * 4 * entries, 7 * entries),
    }
    figures: dict[str, Any] = {"copy, GB/s": bandwidth, "matrix product, GFLOP/s": flops}
    for name, (moved, computed) in work.items():
        seconds = rows[name]["ms"] / 1000
        figures[name] = {
            "MB moved at least": moved / 1e6,
            "part of the copy's rate": moved / 1e9 / seconds / bandwidth,
            "MFLOP at least": computed / 1e6,
            "part of the product's rate": computed / 1e9 / seconds / flops,
        }
    return figures


def answered(args: argparse.Namespace, script: str, python: Path, device: str) -> dict[str, Any]:
    """Return the figures of other libraries.

    Args:
        args: the command line.
        script: the script in this folder that prints them.
        python: the interpreter of their environment.
        device: the device of theirs.
    """
    names = ("batch", "length", "states", "words", "repeats")
    options = [f"--{name}={getattr(args, name)}" for name in names]
    options.append(f"--device={device}")
    if args.problems:
        options += ["--problems", *args.problems]
    command = [str(python), str(HERE / script), *options]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(finished.stdout.splitlines()[-1])


def compare(all_questions: dict[str, Question], theirs: dict[str, float]) -> dict[str, float]:
    """Return our log partitions, summed over a batch, by problem.

    Args:
        all_questions: our computations by name.
        theirs: the log partitions of SynJax by problem.

    Raises:
        SystemExit: if a log partition differs.
    """
    ours: dict[str, float] = {}
    for problem, value in theirs.items():
        question = all_questions[SAME_AS_SYNJAX[problem]]
        each = jax.tree.leaves(question.ask(*question.inputs))[0]
        ours[problem] = float(jnp.sum(each))
        if not np.isclose(value, ours[problem], rtol=TOLERANCE, atol=0):
            raise SystemExit(
                f"{problem}: the log partitions of SynJax sum to {value}, ours to "
                f"{ours[problem]}: one of the two has another problem"
            )
    return ours


def main() -> None:
    """Run all computations and report."""
    args = arguments()
    device = use_device(args.device)
    all_questions = questions(args)
    if args.only:
        question = all_questions[args.only]
        jax.block_until_ready(question.ask(*question.inputs))
        release_memory()
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        jax.block_until_ready(question.ask(*question.inputs))
        print(high_water())
        return
    every_question = all_questions
    if args.questions:
        all_questions = {name: all_questions[name] for name in args.questions}
    rows = timed(all_questions, args.repeats)
    for name, question in all_questions.items():
        if question.reference in rows:
            rows[name]["ratio"] = rows[name]["ms"] / rows[question.reference]["ms"]
            rows[name]["bar"] = question.bar
    for name in ("plain both", "both", "argmax", "sample", "entropy", "top 4"):
        if name in rows:
            rows[name]["peak_mib"] = peak(name)
    figures: dict[str, Any] = {
        "cores": os.cpu_count(),
        "jax": jax.__version__,
        "device": device["kind"],
        "settings": {k: v for k, v in vars(args).items() if isinstance(v, int)},
        "questions": rows,
        "physical": {} if args.questions else physical(args, rows),
    }
    elsewhere = "cpu" if device["platform"] == "cpu" else "cuda"
    if args.peers:
        figures["peers"] = answered(args, "peers.py", args.peers, elsewhere)
    if args.synjax:
        figures["synjax"] = answered(args, "synjax_peer.py", args.synjax, elsewhere)
        figures["log partitions"] = compare(every_question, figures["synjax"]["log partitions"])
    for name, row in rows.items():
        ratio = f"{row['ratio']:6.2f} of {all_questions[name].reference}" if "ratio" in row else ""
        bar = f", aimed at {row['bar']:g}" if row.get("bar") else ""
        memory = f", {row['peak_mib']} MiB" if "peak_mib" in row else ""
        print(f"{name:22s} {row['ms']:9.2f} ms  {ratio}{bar}{memory}")
    printed = ("physical", "peers", "synjax", "log partitions")
    print(json.dumps({name: figures.get(name) for name in printed}, indent=1))
    if args.output:
        args.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
