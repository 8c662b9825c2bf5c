"""What the check of the wheel complains of; `make wheel` builds one."""

import zipfile
from pathlib import Path

import pytest

from tests import wheel

METADATA = [f"semipunct-1.dist-info/{name}" for name in
            ("METADATA", "entry_points.txt", "licenses/LICENSE")]  # fmt: skip


def test_a_complete_wheel_has_no_complaints():
    expected = wheel.sources(wheel.ROOT)
    assert {"semirings/py.typed", "semipunct/data/en/text/model.safetensors"} <= expected
    assert not any("__pycache__" in name for name in expected)
    assert wheel.complaints([*expected, *METADATA], expected) == []


def test_what_is_missing_and_what_is_too_much_is_named():
    names = ["semipunct/a.py", "tests/b.py", *METADATA[:2]]
    assert wheel.complaints(names, {"semipunct/a.py", "semipunct/presets/c.toml"}) == [
        "the wheel lacks semipunct/presets/c.toml",
        "the wheel has tests/b.py, which is no file of a package",
        "the wheel lacks licenses/LICENSE in its metadata",
    ]


def test_an_incomplete_wheel_ends_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def build(arguments: list[str | Path], folder: Path, stdin: str = "") -> str:
        with zipfile.ZipFile(folder / "semipunct-1-py3-none-any.whl", "w") as archive:
            archive.writestr("semipunct/__init__.py", "")
        return ""

    monkeypatch.setattr(wheel, "run", build)
    with pytest.raises(SystemExit, match=r"the wheel lacks semipunct/__main__\.py"):
        wheel.main()


def test_a_program_that_fails_says_what_it_said(tmp_path: Path):
    with pytest.raises(SystemExit, match=r"(?s)failed:\n.*no such thing"):
        wheel.run(["/bin/sh", "-c", "echo no such thing >&2; exit 3"], tmp_path)
