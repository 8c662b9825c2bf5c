"""Names that the shell completes."""

import pytest
from typer.testing import CliRunner

from semipunct.cli.app import app


@pytest.mark.parametrize(
    "line, names",
    [
        ("restore en/te", ["en/text"]),
        ("restore m --parser en/te", ["en/text"]),
        ("models show en/te", ["en/text"]),
        ("decode m --format co", ["conllu"]),
    ],
)
def test_completed_names(line: str, names: list[str]):
    words = f"semipunct {line}"
    environment = {
        "_SEMIPUNCT_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": f"{len(words.split()) - 1}",
    }
    result = CliRunner().invoke(app, [], env=environment, prog_name="semipunct")
    assert result.output.split() == names


def test_the_script_for_the_shell(monkeypatch: pytest.MonkeyPatch):
    # The shell is that of a process above, which may be none of those that typer knows.
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))
    script = CliRunner().invoke(app, ["--show-completion"], prog_name="semipunct")
    assert "_SEMIPUNCT_COMPLETE" in script.output
