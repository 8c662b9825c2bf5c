"""The driver that compares ways to use punctuation sets sentences aside."""

from collections.abc import Callable
from types import ModuleType

import pytest


def test_the_last_sentences_are_set_aside(driver: Callable[[str], ModuleType]):
    set_aside = driver("punctuation_properties").set_aside
    assert set_aside(["a", "b", "c", "d", "e"], 0.4) == (["a", "b", "c"], ["d", "e"])
    assert set_aside(["a", "b"], 0.0) == (["a", "b"], [])


@pytest.mark.parametrize("share", ["1", "-0.1"])
def test_something_is_left_to_train_on(
    driver: Callable[[str], ModuleType],
    share: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    program = driver("punctuation_properties")
    files = ["--name", "x", "--train", "a", "--dev", "b", "--folder", "c"]
    monkeypatch.setattr("sys.argv", ["punctuation_properties.py", *files, f"--held-out={share}"])
    with pytest.raises(SystemExit):
        program.main()
    assert "--held-out must be" in capsys.readouterr().err
