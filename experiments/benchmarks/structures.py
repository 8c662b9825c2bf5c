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
from figures import machine, normal_weights, process_status, report, use_device
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
    add("--memory", action="store_true", help="peak memory by the size of an item, instead")
    add("--only", help="internal: run one computation and print the peak memory")
    add("--item", nargs=2, help="internal: the same for an item of a size")
    add("--output", type=Path, help="file of the figures")
    return parser.parse_args()


def normal(seed: int, *shape: int) -> jax.Array:
    """Draw log weights from a standard normal distribution."""
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
        "trees": (projective_trees, tree),
        "semi-Markov": (semi_markov_chain, (segments, following)),
        "grammar": (partial(pcfg, spans=0.0), grammar),
    }

    log_partition = partial(plain, log_sum_exp)
    maximum = partial(plain, jnp.max)
    all_questions = {
        "plain log partition": Question(jax.jit(log_partition), (x,)),
        "plain both": Question(jax.jit(jax.value_and_grad(log_partition)), (x,)),
        "plain argmax": Question(jax.jit(jax.grad(maximum)), (x,)),
        "log partition": Question(
            of_chain(lambda d: d.log_partition()), chain, "plain log partition"
        ),
        "both": Question(of_chain(lambda d: d.log_partition_and_marginals()), chain, "plain both"),
        "argmax": Question(of_chain(lambda d: d.argmax()), chain, "plain both"),
        "sample": Question(of_chain(lambda d: d.sample(key, 1)), chain, "plain both"),
        "sample 100": Question(of_chain(lambda d: d.sample(key, 100)), chain, "plain both"),
        "entropy": Question(of_chain(lambda d: d.entropy()), chain, "plain both"),
        "top 4": Question(of_chain(lambda d: d.top_k(4)), chain, "plain both"),
        "trees, log partition": Question(of_tree(lambda d: d.log_partition()), tree),
        "non-projective, both": Question(
            jit(lambda w: Distribution(nonprojective_trees(w)).log_partition_and_marginals()), tree
        ),
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
    for name, (build, weights) in structures.items():
        both_answers = of(build, lambda d: d.log_partition_and_marginals())
        all_questions[f"{name}, both"] = Question(both_answers, weights)
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
    return linear_chain(normal_weights(1, size, 8), normal_weights(8, 8))


def grammar(size: int) -> Any:
    """Build a grammar of 20 nonterminals and 20 preterminals."""
    return pcfg(normal_weights(20), normal_weights(20, 40, 40), normal_weights(1, size, 20))


ITEMS: dict[str, tuple[Callable[[int], Any], tuple[int, ...]]] = {
    "chain, positions": (lambda n: Distribution(chain(n)), (1_000, 10_000, 100_000)),
    "chain, positions, checkpoints": (
        lambda n: Distribution(chain(n), recursion=Recursion(8)), (1_000, 10_000, 100_000),
    ),
    "projective trees, words": (
        lambda n: Distribution(projective_trees(normal_weights(1, n + 1, n + 1))), (50, 100, 200),
    ),
    "trees of any shape, words": (
        lambda n: Distribution(nonprojective_trees(normal_weights(1, n + 1, n + 1))),
        (50, 100, 200),
    ),
    "grammar of 20 + 20 symbols, words": (lambda n: Distribution(grammar(n)), (15, 30, 60)),
}  # fmt: skip
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
    options = [f"--{name}={getattr(args, name)}" for name in names]
    options.append(f"--device={device}")
    command = [str(python), str(HERE / script), *options]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(finished.stdout.splitlines()[-1])


def compare(all_questions: dict[str, Question], theirs: dict[str, float]) -> dict[str, float]:
    """Check our log partitions, summed over a batch, against SynJax by problem."""
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
        d = ITEMS[args.item[0]][0](int(args.item[1]))
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
