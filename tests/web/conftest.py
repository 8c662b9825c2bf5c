"""A server for the tests of this folder."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import semipunct

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)

LIMIT = 2000
"""The characters of a text that the server accepts."""


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="package")
def english() -> Any:
    return semipunct.load("en")


@pytest.fixture(scope="package")
def app(english: Any) -> Any:
    pytest.importorskip("starlette", reason="the extra web is not installed")
    from semipunct.web.app import application

    return application(english, limit=LIMIT)


@pytest.fixture(scope="package")
def port(app: Any) -> Iterator[int]:
    """A port at which the server listens."""
    uvicorn = pytest.importorskip("uvicorn", reason="the extra web is not installed")
    number = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=number, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield number
    server.should_exit = True
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Chromium without a window."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
