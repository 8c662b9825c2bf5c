"""Load of the server: its latency, 32 clients for a minute, and malformed requests.

    python experiments/benchmarks/server.py [--seconds 60] [--malformed 10000]

Starts ``semipunct serve en`` and queries it over the network. Memory is resident (Linux only).
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter

import httpx2
from figures import process_status

PARAGRAPH = (
    "However I think that we should wait until the report is ready. The council voted to close the "
    "swimming pool which has lost money since it opened but nobody came to the meeting. If you "
    "want to cancel the order please write to us within two weeks. We are here from nine to five. "
)
CLIENTS = 32
PIECES = [
    b"text", b"=", b"data", b"{", b"}", b'"', b":", b"[", b"]", b"&", b"%", b"\xff", b"annotation",
    b"markup", b"\\ud83d", b"a, b", b"\x00", b"language", b"en", b"null", b"1e999", b"," * 50,
]  # fmt: skip
PATHS = ("/v2/check", "/v1/restore", "/v1/correct", "/v1/parse", "/v2//check", "/nowhere")


def main() -> None:
    """Start a server, send requests, and print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--malformed", type=int, default=10_000)
    arguments = parser.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "semipunct", "serve", "en", "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            asyncio.run(measure(port, server.pid, arguments.seconds, arguments.malformed))
        finally:
            server.send_signal(signal.SIGTERM)
            _, log = server.communicate(timeout=30)
    faults = [line for line in log.splitlines() if "Traceback" in line or "rror" in line]
    print(f"stopped with status {server.returncode}; {len(faults)} lines of its log are errors")


async def measure(port: int, pid: int, seconds: float, malformed: int) -> None:
    """Print latency, throughput, memory, and the answers to malformed requests."""
    limits = httpx2.Limits(max_connections=CLIENTS)
    base = f"http://127.0.0.1:{port}"
    async with httpx2.AsyncClient(base_url=base, limits=limits, timeout=90) as client:
        await wait(client)

        async def check(number: int, length: int = 1) -> int:
            data = {"text": f"{number} {PARAGRAPH * length}", "language": "en"}
            return (await client.post("/v2/check", data=data)).status_code

        await asyncio.gather(*map(check, range(CLIENTS)))
        alone: list[float] = []
        for number in range(50):
            start = time.perf_counter()
            await check(number)
            alone.append(time.perf_counter() - start)
        print(f"one client: median {1000 * statistics.median(alone):.0f} ms")
        start = time.perf_counter()
        await asyncio.gather(*map(check, range(CLIENTS)))
        print(f"{CLIENTS} at once: {1000 * (time.perf_counter() - start):.0f} ms for all")

        before, end = process_status("VmRSS", pid), time.perf_counter() + seconds
        statuses: Counter[int] = Counter()
        slowest: list[float] = []

        async def ask_on(number: int) -> None:
            generator = random.Random(number)
            while time.perf_counter() < end:
                start = time.perf_counter()
                statuses[await check(generator.randrange(10**6), generator.choice((1, 1, 4)))] += 1
                slowest.append(time.perf_counter() - start)

        await asyncio.gather(*map(ask_on, range(CLIENTS)))
        print(
            f"{CLIENTS} clients for {seconds:.0f} s: answers {dict(statuses)}, "
            f"median {statistics.median(slowest):.2f} s, longest {max(slowest):.2f} s; "
            f"memory {before:.0f} to {process_status('VmRSS', pid):.0f} MiB"
        )

        generator = random.Random(3)
        answers: Counter[int] = Counter()

        async def send(_: int) -> None:
            content = b"".join(generator.choices(PIECES, k=generator.randrange(12)))
            answer = await client.post(generator.choice(PATHS), content=content)
            answers[answer.status_code] += 1

        before = process_status("VmRSS", pid)
        for first in range(0, malformed, CLIENTS):
            await asyncio.gather(*map(send, range(first, min(first + CLIENTS, malformed))))
        health = (await client.get("/health")).json()["status"]
        print(
            f"{malformed:,} malformed requests: answers {dict(sorted(answers.items()))}; memory "
            f"{before:.0f} to {process_status('VmRSS', pid):.0f} MiB; health {health}"
        )


async def wait(client: httpx2.AsyncClient) -> None:
    """Wait until the server answers."""
    for _ in range(600):
        try:
            await client.get("/health")
            return
        except httpx2.TransportError:
            await asyncio.sleep(0.1)
    raise SystemExit("the server does not answer")


if __name__ == "__main__":
    main()
