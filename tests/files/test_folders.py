"""Atomically written folders; model folders are tested with the store."""

from pathlib import Path

from semipunct.files.folders import make_folder, recover_folder, replace_folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_others_put_into_a_folder_stays(tmp_path: Path):
    folder = tmp_path / "a" / "b"
    replace_folder(folder, {"one": b"1", "two": b"2"}, frozenset())
    (folder / "notes").write_bytes(b"mine")
    replace_folder(folder, {"one": b"3"}, {"one", "two"})
    assert contents(folder) == {"one": b"3", "notes": b"mine"}
    assert [path.name for path in folder.parent.iterdir()] == ["b"]


def test_only_a_known_folder_is_recovered_and_none_replaced(tmp_path: Path):
    folder, aside = tmp_path / "a", tmp_path / ".a.old"
    replace_folder(aside, {"one": b"1"}, frozenset())
    recover_folder(folder, lambda _: False)
    assert not folder.exists()
    recover_folder(folder, lambda candidate: (candidate / "one").exists())
    assert contents(folder) == {"one": b"1"}
    replace_folder(aside, {"one": b"2"}, frozenset())
    recover_folder(folder, lambda _: True)
    assert contents(folder) == {"one": b"1"}


def test_notes_survive_a_kill_before_they_have_moved_over(tmp_path: Path):
    replace_folder(tmp_path / "a", {"one": b"1"}, frozenset())
    replace_folder(tmp_path / ".a.old", {"one": b"0", "notes": b"mine"}, frozenset())
    replace_folder(tmp_path / "a", {"one": b"2"}, {"one"})
    assert contents(tmp_path / "a") == {"one": b"2", "notes": b"mine"}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_folders_that_were_made_for_nothing_go_again(tmp_path: Path):
    (tmp_path / "a").mkdir()
    with make_folder(tmp_path / "a" / "b" / "c"):
        assert (tmp_path / "a" / "b" / "c").is_dir()
    assert list(tmp_path.rglob("*")) == [tmp_path / "a"]
    with make_folder(tmp_path / "a" / "b" / "c"):
        (tmp_path / "a" / "b" / "file").touch()
    assert sorted(p.name for p in (tmp_path / "a").rglob("*")) == ["b", "file"]
