"""The hook of pre-commit, run by pre-commit in a repository of treebanks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
ROWS = ("In ADP 2 case", "May PROPN 4 obl", ", PUNCT 2 punct", "rained VERB 0 root",
        "( PUNCT 7 punct", "a DET 7 det", "lot NOUN 4 obj", ") PUNCT 7 punct")  # fmt: skip

pytest.importorskip("pre_commit", reason="pre-commit is not installed")
yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
if shutil.which("git") is None:
    pytest.skip("git is not installed", allow_module_level=True)


def treebank(*rows: str) -> str:
    lines = [
        f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{relation}\t_\t_"
        for number, row in enumerate(rows, start=1)
        for form, upos, head, relation in [row.split(" ")]
    ]
    return "\n".join(lines) + "\n\n"


def call(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command where this installation's commands are found, and nothing is kept."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(folder.parent / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_manifest_is_valid():
    done = call(ROOT, sys.executable, "-m", "pre_commit", "validate-manifest", str(MANIFEST))
    assert done.returncode == 0, done.stdout


def test_wrong_heads_stop_a_commit(tmp_path: Path):
    """Installing the hook needs the index, so it is the installed command that is called."""
    folder = tmp_path / "treebanks"
    folder.mkdir()
    (hook,) = yaml.safe_load(MANIFEST.read_text("utf-8"))
    hooks = [{**hook, "language": "system"}]
    config = {"repos": [{"repo": "local", "hooks": hooks}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    (folder / "right.conllu").write_text(treebank(*ROWS), "utf-8")
    # No treebank: the hook is not asked about it.
    (folder / "notes.txt").write_text("1\n", "utf-8")
    call(folder, "git", "init", "-q")
    call(folder, "git", "add", ".")
    run = (sys.executable, "-m", "pre_commit", "run", "--all-files")
    done = call(folder, *run)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout
    wrong = treebank(*ROWS[:4], "( PUNCT 4 punct", *ROWS[5:])
    (folder / "wrong.conllu").write_text(wrong, "utf-8")
    call(folder, "git", "add", ".")
    done = call(folder, *run)
    assert done.returncode == 1
    assert "wrong.conllu:5: sentence #1: mark 5 ((): head 4 (rained) → 7 (lot)" in done.stdout
    assert "right.conllu:" not in done.stdout
    assert (folder / "wrong.conllu").read_text("utf-8") == wrong
