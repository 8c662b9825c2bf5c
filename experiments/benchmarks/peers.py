"""Other libraries on the problems of ``structures.py``: timings, and reference values for tests.

    PEERS/bin/python experiments/benchmarks/peers.py [--repeats N]
    PEERS/bin/python experiments/benchmarks/peers.py --gold tests/structures/gold/peers.json

Runs in a separate environment, with torch, torch-struct and supar and without this project:

    python -m venv PEERS && PEERS/bin/pip install torch==2.13.0 torch-struct supar numpy

Prints one JSON object; unsupported computations are listed with their error.
"""

from __future__ import annotations

import argparse
import json
import resource
import warnings
from pathlib import Path
from typing import Any

import torch
import torch_struct
from peer_timing import Question, milliseconds, normal, options
from supar.structs import ConstituencyCRF, DependencyCRF, LinearChainCRF

warnings.simplefilter("ignore")  # both libraries use deprecated features of torch


def wait(answer: Any) -> None:
    """Wait for the device."""
    del answer
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def potentials(seed: int, *shape: int) -> torch.Tensor:
    """Draw the same potentials as the benchmark and the tests."""
    return torch.tensor(normal(seed, *shape), device=torch.get_default_device())


def chains(args: argparse.Namespace) -> dict[str, dict[str, Question]]:
    """Return computations on linear chains by library."""
    x = potentials(0, args.batch, args.length, args.states, args.states)
    # supar's chains share one transition matrix: a smaller problem.
    shared = torch.nn.functional.pad(x[0, 0], (0, 1, 0, 1))

    def struct() -> Any:
        return torch_struct.LinearChainCRF(x.clone())

    def supar() -> Any:
        return LinearChainCRF(x[:, :, 0, :].clone(), shared.clone())

    return {
        "torch-struct": {
            "log partition": lambda: struct().partition,
            "both": lambda: [(d := struct()).partition, d.marginals],
            "argmax": lambda: struct().argmax,
            "entropy": lambda: struct().entropy,
        },
        "supar": {
            "log partition": lambda: supar().log_partition,
            "both": lambda: [(d := supar()).log_partition, d.marginals],
            "argmax": lambda: supar().argmax,
            "sample": lambda: supar().sample(),
            "entropy": lambda: supar().entropy,
            "top 4": lambda: supar().topk(4),
        },
    }


def trees(args: argparse.Namespace) -> dict[str, dict[str, Question]]:
    """Return computations on projective trees by library."""
    x = potentials(1, args.batch, args.words + 1, args.words + 1)
    inner = x[:, 1:, 1:]  # torch-struct stores the arcs of the root on the diagonal

    def supar() -> Any:
        return DependencyCRF(x.clone())

    def struct() -> Any:
        return torch_struct.DependencyCRF(inner.clone(), multiroot=False)

    def struct_forward() -> Any:
        with torch.no_grad():
            return torch_struct.DepTree(torch_struct.LogSemiring).sum(inner.clone())

    return {
        "torch-struct": {
            "both": lambda: [(d := struct()).partition, d.marginals],
            "log partition without gradients": struct_forward,
        },
        "supar": {
            "log partition": lambda: supar().log_partition,
            "both": lambda: [(d := supar()).log_partition, d.marginals],
        },
    }


def grammars(args: argparse.Namespace) -> dict[str, dict[str, Question]]:
    """Return the log partition of a grammar with gradients, by library."""
    rules = torch.log_softmax(potentials(10, 20, 1600), 1).reshape(20, 40, 40)
    weights = [
        torch.log_softmax(potentials(9, 20), 0), rules,
        torch.log_softmax(potentials(11, 8, 30, 20), 2),
    ]  # fmt: skip

    def ask() -> Any:
        root, rules, words = (x.clone().requires_grad_() for x in weights)
        batch = (words, rules.expand(8, *rules.shape), root.expand(8, *root.shape))
        total = torch_struct.SentCFG(batch).partition.sum()
        return total.detach(), torch.autograd.grad(total, (root, rules, words))

    return {"torch-struct": {"gradients": ask}}


def gold() -> dict[str, Any]:
    """Return log partitions and entropies of small problems, by library and problem."""

    def values(d: Any) -> dict[str, list[float]]:
        each = d.log_partition if hasattr(d, "log_partition") else d.partition
        return {"log partition": each.tolist(), "entropy": d.entropy.tolist()}

    arcs, lengths = potentials(5, 3, 7, 7), torch.tensor([6, 4, 1])
    spans = potentials(6, 2, 6, 6)
    return {
        "torch-struct": {
            "chain, seed 2, [3, 5, 4, 4]": values(
                torch_struct.LinearChainCRF(potentials(2, 3, 5, 4, 4))
            ),
            "spans, seed 4, [2, 5, 5, 3]": values(torch_struct.TreeCRF(potentials(4, 2, 5, 5, 3))),
            "pcfg, seeds 7 8 9, [2, 5, 3], [2, 2, 5, 5], [2, 2]": {
                "log partition": torch_struct.SentCFG(
                    (potentials(7, 2, 5, 3), potentials(8, 2, 2, 5, 5), potentials(9, 2, 2))
                ).partition.tolist()
            },
        },
        "supar": {
            "trees of one root, seed 5, [3, 7, 7], lengths 6 4 1": values(
                DependencyCRF(arcs.clone(), lengths)
            ),
            "trees of any roots, seed 5, [3, 7, 7], lengths 6 4 1": values(
                DependencyCRF(arcs.clone(), lengths, multiroot=True)
            ),
            "brackets, seed 6, [2, 6, 6], lengths 5 3": values(
                ConstituencyCRF(spans.clone(), torch.tensor([5, 3]))
            ),
        },
    }


PROBLEMS = {"chain": chains, "trees": trees, "grammar": grammars}


def main() -> None:
    """Run all computations and print the results."""
    parser = options(__doc__)
    parser.add_argument("--gold", type=Path, help="file of the values of small problems, instead")
    args = parser.parse_args()
    torch.set_default_device(args.device or "cpu")
    if args.gold:
        written = {"command": "experiments/benchmarks/peers.py --gold", **gold()}
        args.gold.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
        return
    figures: dict[str, Any] = {
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "device": args.device,
    }
    for problem, questions in PROBLEMS.items():
        figures[problem] = milliseconds(questions(args), args.repeats, wait)
    figures["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
