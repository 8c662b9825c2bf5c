"""Folders that are written whole; those of models are tested with the store."""

from pathlib import Path

import pytest

from semipunct.files import recover_folder, replace_folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_others_put_into_a_folder_stays(tmp_path: Path):
    folder = tmp_path / "a" / "b"
    replace_folder(folder, {"one": b"1", "two": b"2"}, frozenset())
    (folder / "notes").write_bytes(b"mine")
    replace_folder(folder, {"one": b"3"}, {"one", "two"})
    assert contents(folder) == {"one": b"3", "notes": b"mine"}
    assert [path.name for path in folder.parent.iterdir()] == ["b"]


def test_a_failed_write_leaves_the_old_folder(tmp_path: Path):
    replace_folder(tmp_path / "a", {"one": b"1"}, frozenset())
    with pytest.raises(OSError, match="no/folder"):
        replace_folder(tmp_path / "a", {"one": b"2", "no/folder": b""}, frozenset())
    assert contents(tmp_path / "a") == {"one": b"1"}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_only_a_known_folder_is_recovered_and_none_replaced(tmp_path: Path):
    folder, aside = tmp_path / "a", tmp_path / ".a.old"
    replace_folder(aside, {"one": b"1"}, frozenset())
    recover_folder(folder, lambda _: False)
    assert not folder.exists()
    recover_folder(folder, lambda found: (found / "one").exists())
    assert contents(folder) == {"one": b"1"}
    replace_folder(aside, {"one": b"2"}, frozenset())
    recover_folder(folder, lambda _: True)
    assert contents(folder) == {"one": b"1"}
