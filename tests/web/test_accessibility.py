"""Pages in a browser: the keyboard reaches everything, and axe finds nothing.

``tests/pages/test_accessibility.py`` has what can be said without a browser.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pages.kinds_of_pages import pages

TEXT = "where is the station i have lost my map and nobody here speaks english"


def violations(page: Any) -> list[str]:
    """Return what axe finds on a page, each with the first element."""
    axe = pytest.importorskip(
        "axe_playwright_python.base", reason="axe-playwright-python is not installed"
    )
    page.evaluate(axe.AXE_SCRIPT)
    found = page.evaluate("() => axe.run(document)")["violations"]
    return [f"{row['impact']} {row['id']}: {row['nodes'][0]['html'][:200]}" for row in found]


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for name, text in pages(folder).items():
        if name != "server":  # it comes from a server
            (folder / f"{name}.html").write_text(text, "utf-8")
    return folder


@pytest.fixture
def server_page(browser: Any, port: int, scheme: str) -> Iterator[Any]:
    page = browser.new_page(color_scheme=scheme)
    page.goto(f"http://127.0.0.1:{port}/")
    page.get_by_label("Your text").fill(TEXT)
    page.get_by_role("status").filter(has_text="changes").wait_for(timeout=10_000)
    yield page
    page.close()


def test_faults_are_found(browser: Any):
    page = browser.new_page()
    page.set_content('<html><body style="color:#999;background:#fff"><button></button>pale</body>')
    faults = " ".join(violations(page))
    assert "serious color-contrast" in faults
    assert "button-name" in faults
    page.close()


def test_files(browser: Any, folder: Path, scheme: str):
    page = browser.new_page(color_scheme=scheme)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in sorted(folder.glob("*.html")):
        page.goto(path.as_uri())
        assert (path.name, violations(page)) == (path.name, [])
        # Nothing comes from elsewhere.
        assert asked == [path.as_uri()]
        asked.clear()
    page.close()


def test_the_page_of_the_server(server_page: Any):
    assert violations(server_page) == []
    server_page.locator("#result button").first.click()
    assert violations(server_page) == []
    server_page.get_by_role("button", name="Refuse", exact=True).click()
    assert violations(server_page) == []


def focused(page: Any) -> str:
    """Return the element that has the focus, and whether it can be seen that it does."""
    return page.evaluate(
        """() => {
          const at = document.activeElement;
          const seen = getComputedStyle(at).outlineStyle !== "none" ? "" : " (unseen)";
          const name = at.id || at.getAttribute("aria-label") || at.value || at.textContent;
          return at.tagName.toLowerCase() + " " + name.trim().slice(0, 30) + seen;
        }"""
    )


def test_reasons_open_and_close_by_the_keyboard(browser: Any, folder: Path):
    page = browser.new_page()
    page.goto((folder / "explained.html").as_uri())
    page.keyboard.press("Tab")
    first = focused(page)
    assert "inserted" in first or "%" in first
    page.keyboard.press("Enter")
    card = page.locator(".card:popover-open")
    assert card.count() == 1
    assert card.get_by_role("heading").inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".card:popover-open").count() == 0
    assert focused(page) == first
    page.close()
