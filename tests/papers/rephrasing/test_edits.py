"""Lists of tree edits."""

from pathlib import Path

import pytest

from semipunct.errors import EditError
from semipunct.papers.rephrasing.edits import TreeEdit, read_tree_edits

LIST = """a-1\tdelete\t5
{"sent_id": "b", "move": 7, "place": "first", "head": 2}

a-1\tmove\t3\tlast
#2\tmove\t4\tbefore\t1
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "edits.tsv"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_both_ways_to_write_them(tmp_path: Path, end: str):
    path = written(tmp_path, "\ufeff" + LIST.replace("\n", end))
    assert read_tree_edits(path) == {
        "a-1": [TreeEdit(5, where=f"{path}:1"), TreeEdit(3, "last", None, f"{path}:4")],
        "b": [TreeEdit(7, "first", 2, f"{path}:2")],
        "#2": [TreeEdit(4, "before", 1, f"{path}:5")],
    }


def test_ids_are_those_of_words():
    edit = TreeEdit(5, "first", 2, "list:1")
    assert edit.renumber((1, 2, 5)) == TreeEdit(3, "first", 2, "list:1")
    with pytest.raises(EditError, match=r"^list:1: .* no word with the ID 5, or it is punctuation"):
        edit.renumber((1, 2, 4, 6))


@pytest.mark.parametrize(
    "line, message",
    [
        ("a\tdelet\t5", "'delet' is neither delete nor move; did you mean 'delete'"),
        ("a delete 5", "no columns separated by tabs"),
        ("a\tdelete\tfive", "'five' is not the ID of a word"),
        ("a\tmove\t5\tmiddle", "there is no place 'middle'; choose one of: first, last"),
        ("{", "this is not JSON"),
        ('{"sent_id": "a", "delete": true}', "True is not the ID of a word"),
        ('{"sent_id": "a", "delete": 1, "place": "first"}', "delete has no place"),
        ('{"sent_id": "a"}', "either delete or move"),
        ('{"sent_id": "a", "remove": 1}', "the key 'remove' is unknown"),
    ],
)
def test_wrong_lines_are_told_with_their_place(tmp_path: Path, line: str, message: str):
    path = written(tmp_path, f"a\tdelete\t5\n{line}\n")
    with pytest.raises(EditError, match=rf"edits\.tsv:2: .*{message}"):
        read_tree_edits(path)
