"""Computations on structures compared with a plain scan, each other, and other libraries.

    python experiments/benchmarks/structures.py [--peers PEERS/bin/python]
        [--synjax SYNJAX/bin/python] [--output PATH]
    python experiments/benchmarks/structures.py --memory [--output PATH]

Compiled computations are timed ``--repeats`` times in turn, each after an untimed call, which
settles caches and memory. Reports medians, and ratios to the plain scan: ``lax.scan`` over
log-sum-exp with ``jax.grad``. Functions are compiled with ``arrays.programs.jit`` and with
``jax.jit``. Log partitions of SynJax must agree with ours.

``--memory`` measures the log partition with marginals of single items: the peak during a warm call,
above the memory before it; ``checkpoints`` has a budget of 8 MiB (``Recursion``).
"""

from __future__ import annotations

import argparse
import json
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
from figures import machine, process_status, report, use_device
from peer_timing import normal as numbers
from peer_timing import options
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
from semipunct.structures.recursion import Recursion

HERE = Path(__file__).parent

SAME_AS_SYNJAX = {
    "chain": "log partition",
    "trees": "trees, log partition",
    "grammar": "grammar, gradients",
    "non-projective": "non-projective, both",
}
"""For each problem of ``synjax_peer.py``, the question whose answer begins with log partitions."""

TOLERANCE = 1e-4
"""Largest relative difference of the log partitions of two libraries."""


class Question(NamedTuple):
    """A compiled function, its arguments, and the question whose time is the baseline."""

    ask: Callable[..., Any]
    inputs: tuple[Any, ...]
    reference: str = ""


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = options(__doc__, repeats=15)
    add = parser.add_argument
    add("--widths", type=int, default=8, help="maximum segment width of a semi-Markov chain")
    add("--symbols", type=int, default=30, help="symbols of a grammar, a third nonterminals")
    add("--sentence", type=int, default=20, help="words of a sentence parsed with a grammar")
    add("--peers", type=Path, help="a Python interpreter with torch, torch-struct and supar")
    add("--synjax", type=Path, help="a Python interpreter with synjax")
    add("--memory", action="store_true", help="peak memory by the size of an item, instead")
    add("--only", help="internal: run one computation and print the peak memory")
    add("--item", nargs=2, help="internal: the same for an item of a size")
    add("--output", type=Path, help="file of the figures")
    return parser.parse_args()


def normal(seed: int, *shape: int) -> jax.Array:
    """Draw log weights from a standard normal distribution."""
    return jnp.asarray(numbers(seed, *shape))


def questions(args: argparse.Namespace) -> dict[str, Question]:
    """Return all computations by name."""
    shape = (args.batch, args.length, args.states, args.states)
    x = normal(0, *shape)
    start = jnp.zeros(shape[:3]).at[:, 0].set(x[:, 0, 0])
    chain = start, jnp.array(x[:, 1:])
    words = args.words + 1
    tree = (normal(1, args.batch, words, words),)
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

    both = Distribution.log_partition_and_marginals
    structures = {
        "trees": (projective_trees, tree),
        "semi-Markov": (semi_markov_chain, (segments, following)),
        "grammar": (partial(pcfg, spans=0.0), grammar),
    }

    log_partition = partial(plain, log_sum_exp)
    all_questions = {
        "plain log partition": Question(jax.jit(log_partition), (x,)),
        "plain both": Question(jax.jit(jax.value_and_grad(log_partition)), (x,)),
        "plain argmax": Question(jax.jit(jax.grad(partial(plain, jnp.max))), (x,)),
        "trees, log partition": Question(of(projective_trees, Distribution.log_partition), tree),
        "non-projective, both": Question(of(nonprojective_trees, both), tree),
    }
    of_chain: dict[str, Callable[[Distribution[Any]], Any]] = {
        "log partition": Distribution.log_partition,
        "both": both,
        "argmax": Distribution.argmax,
        "sample": lambda d: d.sample(key, 1),
        "sample 100": lambda d: d.sample(key, 100),
        "entropy": Distribution.entropy,
        "top 4": lambda d: d.top_k(4),
    }
    for name, ask in of_chain.items():
        reference = "plain log partition" if name == "log partition" else "plain both"
        all_questions[name] = Question(of(linear_chain, ask), chain, reference)
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
    for name, (build, weights) in structures.items():
        all_questions[f"{name}, both"] = Question(of(build, both), weights)
        for draws in (1, 100):
            ask = of(build, lambda d, n=draws: d.sample(key, n))
            all_questions[f"{name}, sample {draws}"] = Question(ask, weights, f"{name}, both")
    # Our functions with both compilations; which one is faster varies.
    for name in [name for name, question in all_questions.items() if question.reference]:
        question = all_questions[name]
        all_questions[f"{name}, jax.jit"] = question._replace(ask=jax.jit(question.ask.__wrapped__))
    return all_questions


def peak(*only: object) -> float:
    """Return the peak memory in MiB of a process that runs one computation, given by options."""
    command = [sys.executable, __file__, *sys.argv[1:], *map(str, only)]
    finished = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(finished.stdout.splitlines()[-1])


def warm_peak(ask: Callable[[], Any], *, above: bool) -> float:
    """Return the peak memory in MiB during a warm call, optionally above the memory before it."""
    jax.block_until_ready(ask())
    release_memory()
    before = process_status("VmRSS") if above else 0.0
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    jax.block_until_ready(ask())
    return process_status("VmHWM") - before


def chain(size: int) -> Any:
    """Build a chain of 8 states."""
    return linear_chain(normal(0, 1, size, 8), normal(0, 8, 8))


def arcs(size: int) -> jax.Array:
    """Return log weights of the arcs of a tree."""
    return normal(0, 1, size + 1, size + 1)


def grammar(size: int) -> Any:
    """Build a grammar of 20 nonterminals and 20 preterminals."""
    return pcfg(normal(0, 20), normal(0, 20, 40, 40), normal(0, 1, size, 20))


ITEMS: dict[str, tuple[Callable[[int], Any], tuple[int, ...]]] = {
    "chain, positions": (chain, (1_000, 10_000, 100_000)),
    "chain, positions, checkpoints": (chain, (1_000, 10_000, 100_000)),
    "projective trees, words": (lambda n: projective_trees(arcs(n)), (50, 100, 200)),
    "trees of any shape, words": (lambda n: nonprojective_trees(arcs(n)), (50, 100, 200)),
    "grammar of 20 + 20 symbols, words": (grammar, (15, 30, 60)),
}
"""Items of growing size, whose log partition with marginals is measured in memory."""


def timed(all_questions: dict[str, Question], repeats: int) -> dict[str, dict[str, Any]]:
    """Time warm calls in milliseconds, with all computations in turn."""
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


def answered(args: argparse.Namespace, script: str, python: Path, device: str) -> dict[str, Any]:
    """Return the figures that a script prints in the environment of other libraries."""
    names = ("batch", "length", "states", "words", "repeats")
    given = [f"--{name}={getattr(args, name)}" for name in names]
    command = [str(python), str(HERE / script), *given, f"--device={device}"]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(finished.stdout.splitlines()[-1])


def compare(all_questions: dict[str, Question], theirs: dict[str, float]) -> dict[str, float]:
    """Check our log partitions, summed over a batch, against SynJax by problem."""
    ours: dict[str, float] = {}
    for problem, value in theirs.items():
        question = all_questions[SAME_AS_SYNJAX[problem]]
        ours[problem] = float(jnp.sum(jax.tree.leaves(question.ask(*question.inputs))[0]))
        if not np.isclose(value, ours[problem], rtol=TOLERANCE, atol=0):
            raise SystemExit(f"{problem}: SynJax has log partition {value}, not {ours[problem]}")
    return ours


def memory() -> list[dict[str, Any]]:
    """Return the peak memory of a warm call for one item of each size."""
    rows: list[dict[str, Any]] = []
    for name, (_, sizes) in ITEMS.items():
        for size in sizes:
            mib = peak("--item", name, size)
            rows.append({"structure": name, "size": size, "mib": round(mib, 1)})
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Run all computations and report."""
    args = arguments()
    device = use_device(args.device)
    if args.item:
        name, size = args.item
        budget = Recursion(8 if name.endswith("checkpoints") else None)
        d = Distribution(ITEMS[name][0](int(size)), recursion=budget)
        print(warm_peak(d.log_partition_and_marginals, above=True))
        return
    if args.memory:
        report("memory", {"rows": memory(), **machine()}, args.output)
        return
    all_questions = questions(args)
    if args.only:
        question = all_questions[args.only]
        print(warm_peak(lambda: question.ask(*question.inputs), above=False))
        return
    rows = timed(all_questions, args.repeats)
    for name, question in all_questions.items():
        if question.reference in rows:
            rows[name]["ratio"] = rows[name]["ms"] / rows[question.reference]["ms"]
    for name in ("plain both", "both", "argmax", "sample", "entropy", "top 4"):
        rows[name]["peak_mib"] = round(peak("--only", name))
    figures: dict[str, Any] = {
        **machine(),
        "jax": jax.__version__,
        "device": device["kind"],
        "settings": {k: v for k, v in vars(args).items() if isinstance(v, int)},
        "questions": rows,
    }
    elsewhere = "cpu" if device["platform"] == "cpu" else "cuda"
    if args.peers:
        figures["peers"] = answered(args, "peers.py", args.peers, elsewhere)
    if args.synjax:
        figures["synjax"] = answered(args, "synjax_peer.py", args.synjax, elsewhere)
        figures["log partitions"] = compare(all_questions, figures["synjax"]["log partitions"])
    report("questions", figures, args.output)


if __name__ == "__main__":
    main()
