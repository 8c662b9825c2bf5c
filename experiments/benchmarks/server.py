"""Latency of the server for a paragraph: alone, and with 32 clients at once.

    python experiments/benchmarks/server.py

The application is asked in the same process, without a network.
"""

from __future__ import annotations

import asyncio
import statistics
import time

import httpx2

import semipunct
from semipunct.web.app import application

PARAGRAPH = (
    "However I think that we should wait until the report is ready. The council voted to close the "
    "swimming pool which has lost money since it opened but nobody came to the meeting. If you "
    "want to cancel the order please write to us within two weeks. We are here from nine to five. "
)


async def main() -> None:
    """Print the median of 50 requests, and the time of 32 requests at once."""
    transport = httpx2.ASGITransport(application(semipunct.load("en")))
    async with httpx2.AsyncClient(transport=transport, base_url="http://local") as client:

        async def check(number: int) -> None:
            text = f"{number} {PARAGRAPH}"
            answer = await client.post("/v2/check", data={"text": text, "language": "en"})
            assert answer.status_code == 200, answer.text

        await asyncio.gather(*map(check, range(32)))
        for number in range(3):
            await check(number)
        seconds: list[float] = []
        for number in range(50):
            start = time.perf_counter()
            await check(number)
            seconds.append(time.perf_counter() - start)
        print(f"one client: median {1000 * statistics.median(seconds):.0f} ms")
        start = time.perf_counter()
        await asyncio.gather(*map(check, range(32)))
        print(f"32 clients at once: {1000 * (time.perf_counter() - start):.0f} ms for all")


if __name__ == "__main__":
    asyncio.run(main())
