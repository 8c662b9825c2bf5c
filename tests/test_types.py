"""Types of the public interface: a client, checked by pyright if it is installed, and overloads."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

CLIENT = Path(__file__).with_name("typed_client.py")
ROOT = CLIENT.parents[1]


def pyright(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pyright", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


def test_a_client_knows_what_it_gets():
    if find_spec("pyright") is None:
        pytest.skip("pyright is not installed (the extra 'lint')")
    if (tried := pyright("--version")).returncode:
        pytest.skip(f"pyright does not run: {tried.stderr.strip()[-200:]}")
    done = pyright("--outputjson", "--pythonpath", sys.executable, str(CLIENT))
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] == 1
    told = [
        f"{d['range']['start']['line'] + 1}: {d['message']}" for d in found["generalDiagnostics"]
    ]
    assert told == []
