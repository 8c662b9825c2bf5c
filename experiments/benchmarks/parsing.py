"""Sentences parsed per second in a warm process, compared with UDPipe 1 in the same run.

    python experiments/benchmarks/parsing.py --model PARSER --dev DEV... [--udpipe MODEL]

The parser computes tags, trees and their probabilities; UDPipe, which is single-threaded, computes
tags and trees. ``experiments/udpipe.py --models`` keeps a UDPipe model trained on the same data.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from figures import machine, report, use_device

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.formats import read_treebank
from semipunct.models.parsing.parser import Parser
from semipunct.store.checkpoint import load
from semipunct.tasks.base import InPlace
from semipunct.tasks.parse import parse


def main() -> None:
    """Parse the sentences several times, the first time as a warm-up, and print the median."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", required=True, help="folder of a parser")
    parser.add_argument("--dev", nargs="+", type=Path, required=True)
    parser.add_argument("--udpipe", type=Path, help="a UDPipe model")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--device", help="platform: cpu, cuda, rocm or tpu [JAX's choice]")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    device = use_device(arguments.device)
    enable_compilation_cache()
    sentences = read_treebank(arguments.dev).sentences
    model = InPlace.of(load(arguments.model, Parser))
    parse(model, sentences)
    seconds: list[float] = []
    for _ in range(arguments.passes):
        began = time.perf_counter()
        parse(model, sentences)
        seconds.append(time.perf_counter() - began)
    speed = len(sentences) / statistics.median(seconds)
    figures: dict[str, Any] = {
        "device": device["kind"],
        "sentences": len(sentences),
        "sentences_per_second": round(speed, 1),
        "passes": arguments.passes,
    }
    if arguments.udpipe:
        sys.path.append(str(Path(__file__).parents[1]))
        import udpipe as driver  # pyright: ignore[reportMissingImports]

        udpipe_model = driver.udpipe.Model.load(str(arguments.udpipe))
        figures["udpipe"] = driver.speed(udpipe_model, sentences, arguments.passes)
        figures["times_udpipe"] = round(speed / figures["udpipe"]["sentences_per_second"], 2)
    report(figures | machine(), arguments.output)


if __name__ == "__main__":
    main()
