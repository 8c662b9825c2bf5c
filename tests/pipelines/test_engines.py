"""The recipes for engines in the documentation, where these are installed."""

import re
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "corpora.md"
RECIPES = {"ray": "Ray Data", "datasets": "Hugging Face datasets"}
RESTORED = "“Where is the station?” asked Anna."


@pytest.mark.parametrize(
    "library",
    [
        pytest.param("datasets", marks=pytest.mark.exhaustive),
        pytest.param("ray", marks=pytest.mark.exhaustive),
    ],
)
def test_recipe(library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    section = PAGE.read_text("utf-8").split(f"### {RECIPES[library]}\n")[1]
    code = re.findall(r"```python\n(.*?)```", section, re.S)[0]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    Path("texts.jsonl").write_text('{"text": "where is the station asked anna"}\n', "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the engines
        exec(code, {})
    parquet = pytest.importorskip("pyarrow.parquet")

    (written,) = tmp_path.glob(f"restored-by-{library}*")
    assert parquet.read_table(written)["punctuated"].to_pylist() == [RESTORED]
