"""The text model of English that comes with the distribution."""

from typing import Any

import pytest

import semipunct
from semipunct.store.installed import installed_models


@pytest.fixture(scope="module")
def english() -> Any:
    return semipunct.load("en")


def test_it_is_small_and_says_what_it_was_trained_on():
    (model,) = (m for m in installed_models() if m.name == "en/text")
    assert model.distribution == "semipunct"
    assert sum(path.stat().st_size for path in model.folder.iterdir()) < 8_000_000
    card = (model.folder / "README.md").read_text("utf-8")
    sources = (model.folder.parent / "SOURCES.md").read_text("utf-8")
    files = {line.split("`")[1] for line in card.splitlines() if line.startswith("| training |")}
    assert len(files) == 6
    assert all(f"| `{name}` |" in sources for name in files)
    assert not any(name.startswith("/") for name in files)


def test_words_become_text(english: Any):
    text = (
        "where is the station asked anna who had lost her map\n"
        "we waited for an hour but nobody came\n"
    )
    assert semipunct.restore_text(english, text) == (
        "“Where is the station?” asked Anna, who had lost her map.\n"
        "We waited for an hour, but nobody came.\n"
    )
