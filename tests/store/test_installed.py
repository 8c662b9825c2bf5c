"""Models are found by the names under which distributions install them."""

import shutil
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from semipunct import load
from semipunct.errors import ModelError
from semipunct.store import installed
from semipunct.store.installed import GROUP, folder_of, installed_models


@pytest.fixture
def xx(models_of_xx: Path) -> Path:
    return models_of_xx


def register(monkeypatch: pytest.MonkeyPatch, **packages: str) -> None:
    points = [EntryPoint(name, value, GROUP) for name, value in packages.items()]
    monkeypatch.setattr(installed, "entry_points", lambda group: points if group == GROUP else [])


def test_a_name_stands_for_its_folder(xx: Path):
    assert folder_of("xx/text") == folder_of("xx") == xx / "text"
    assert load("xx").parameters.keys() == load(xx / "text").parameters.keys()
    assert "models_of_xx" not in sys.modules  # nothing of a stranger is run


def test_what_is_there_comes_before_a_name(xx: Path):
    Path("xx").mkdir()
    assert folder_of("xx") == Path("xx")
    assert folder_of("xx/text") == xx / "text"


def test_the_text_model_comes_first_and_otherwise_a_part_is_needed(xx: Path):
    shutil.copytree(xx / "text", xx / "parser")
    assert folder_of("xx") == xx / "text"
    shutil.move(xx / "text", xx / "other")
    with pytest.raises(ModelError, match="xx has several models; give one of: xx/other, xx/parser"):
        folder_of("xx")
    shutil.rmtree(xx / "parser")
    assert folder_of("xx") == xx / "other"


def test_unknown_names(xx: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(ModelError, match=r"xx/parser is not installed; installed are: xx/text$"):
        load("xx/parser")
    with pytest.raises(ModelError, match=r"installed are: xx/text; did you mean xx/text\?"):
        load("xx/texts")
    monkeypatch.setitem(installed.LANGUAGE_DISTRIBUTIONS, "xx", "semipunct-xx")
    with pytest.raises(
        ModelError, match=r"; semipunct-xx has such models: pip install semipunct-xx$"
    ):
        load("xx/parser")
    monkeypatch.setitem(installed.LANGUAGE_DISTRIBUTIONS, "zz", "semipunct-zz")
    with pytest.raises(ModelError, match="zz is not installed; semipunct-zz has such models: pip"):
        load("zz")
    with pytest.raises(ModelError, match=r"yxx: there is no such folder; .*semipunct train, or xx"):
        load("yxx")
    # A path is never taken for a name.
    for path in ("./xx", "xx/text/more", Path("xx")):
        assert folder_of(path) == Path(path)
        with pytest.raises(ModelError, match="there is no such folder"):
            load(path)


def test_several_distributions_share_a_name_but_no_part(
    xx: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    distribution = tmp_path / "site" / "more_of_xx"
    shutil.copytree(xx / "text", distribution / "parser")
    points = [EntryPoint("xx", value, GROUP) for value in ("models_of_xx", "more_of_xx")]
    monkeypatch.setattr(installed, "entry_points", lambda group: points)
    assert [m.name for m in installed_models()] == ["xx/parser", "xx/text"]
    shutil.copytree(xx / "text", distribution / "text")
    with pytest.raises(ModelError, match=r"xx/text is installed by .* and by .*; uninstall one"):
        installed_models()


@pytest.mark.parametrize("package", ["not_a_package_at_all", "json.decoder"])
def test_a_package_that_is_not_there(package: str, monkeypatch: pytest.MonkeyPatch):
    register(monkeypatch, xx=package)
    with pytest.raises(ModelError, match=f"xx in {package}, which is not a package; install it"):
        installed_models()
