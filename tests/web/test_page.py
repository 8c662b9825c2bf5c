"""The page of the server in a browser: restored as one types, marks refused and accepted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

TEXT = "where is the <b>station</b> asked anna"


@pytest.fixture(scope="module")
def page(browser: Any, port: int) -> Iterator[Any]:
    """The page, and below its ``messages`` whatever its console and its policy report."""
    page = browser.new_page()
    page.messages = []
    page.on("console", lambda message: page.messages.append(message.text))
    page.on("pageerror", lambda error: page.messages.append(str(error)))
    page.goto(f"http://127.0.0.1:{port}/")
    yield page
    page.close()


def test_text_is_restored_and_marks_are_refused(page: Any, english: Any):
    restored = english.restore(TEXT)
    page.get_by_label("Your text").fill(TEXT)
    page.get_by_role("status").filter(has_text="changes").wait_for(timeout=10_000)
    result = page.locator("#result")
    assert result.inner_text() == restored
    # Markup in the text is shown as text.
    assert page.locator("#result b").count() == 0
    opening = result.get_by_role("button").first
    assert opening.inner_text() == "“"
    opening.focus()
    page.keyboard.press("Enter")
    assert page.locator("#reason").inner_text() == restored.marks[0].reason
    page.get_by_role("button", name="Refuse").click()
    assert result.get_by_role("button", name="refused").count() == 1
    assert result.inner_text().replace("‸", "") == restored[1:]
    page.get_by_role("button", name="Accept").click()
    assert result.inner_text() == restored
    assert page.messages == []


def test_corrections_and_an_empty_text(page: Any, english: Any):
    wrong = "However I think its fine."
    page.get_by_label("correct the marks").check()
    page.get_by_label("Your text").fill(wrong)
    page.get_by_role("status").filter(has_text="1 change").wait_for(timeout=10_000)
    assert page.locator("#result").inner_text() == english.correct(wrong)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    content = download.value.path().read_text("utf-8")
    assert content == english.correct(wrong)
    page.get_by_label("Your text").fill(" ")
    page.locator("#download[disabled]").wait_for(timeout=10_000)
    assert page.locator("#result").inner_text() == ""
    assert page.messages == []
