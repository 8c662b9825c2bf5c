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
    # The next in the order of tabs refuses it.
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert result.get_by_role("button", name="refused").count() == 1
    assert result.inner_text().replace("‸", "") == restored[1:]
    result.get_by_role("button", name="refused").click()
    page.get_by_role("button", name="Accept", exact=True).click()
    page.keyboard.press("Escape")
    assert result.inner_text() == restored
    assert page.messages == []


def test_refusals_stay_while_one_types(page: Any, english: Any):
    page.get_by_label("Your text").fill(TEXT)
    page.get_by_role("status").filter(has_text="changes").wait_for(timeout=10_000)
    result = page.locator("#result")
    page.get_by_role("button", name="Refuse all").click()
    marks = result.get_by_role("button").count()
    assert result.get_by_role("button", name="refused").count() == marks > 1
    with page.expect_response("**/v1/restore"):
        page.get_by_label("Your text").fill("now " + TEXT)
    result.filter(has_text="ow ").wait_for(timeout=10_000)
    assert result.get_by_role("button", name="refused").count() >= 1
    page.get_by_role("button", name="Accept all").click()
    assert result.inner_text() == english.restore("now " + TEXT)


def test_a_file_and_the_languages(page: Any):
    page.locator("#file").set_input_files(
        {"name": "a.txt", "mimeType": "text/plain", "buffer": TEXT.encode()}
    )
    page.get_by_role("status").filter(has_text="changes").wait_for(timeout=10_000)
    assert page.get_by_label("Your text").input_value() == TEXT
    assert page.get_by_label("Language").locator("option").first.inner_text() == "English"


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
