"""Blocks of code in running text."""

from collections.abc import Iterable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus import Omitted
from semipunct.formats.running_text import line_of_text, lines_of_text, read_lines
from semipunct.formats.text import lines_judged_together

BLOCK = ["a b\n", "```python\n", "def f(a, b)\n", "````\n", "c d\n", "``` e ``` f\n", "  ```\n"]


def judge_code(lines: Iterable[str]) -> list[tuple[str, bool]]:
    """Return lines, each with whether it is text."""
    return [(line, is_text) for group, is_text in lines_judged_together(lines) for line in group]


def test_lines_between_fences_are_code():
    assert [is_text for _, is_text in judge_code(BLOCK)] == [True, *[False] * 3, *[True] * 3]
    # A shorter fence, or one with an info string, closes nothing.
    inner = ["````\n", "```\n", "```` a\n", "````  \n", "a\n"]
    assert [is_text for _, is_text in judge_code(inner)] == [*[False] * 4, True]
    assert all(is_text for _, is_text in judge_code(["```\n", *["a\n"] * 5000, "```\n"]))


@given(st.lists(st.sampled_from([*BLOCK, "```\n", "~~~\n", "\n", "    ```\n"])))
def test_lines_come_back_in_order(lines: list[str]):
    assert [line for line, _ in judge_code(iter(lines))] == lines


def test_files_and_texts_are_read_alike(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("".join(BLOCK), encoding="utf-8")
    from_file = [entry.record for entry in read_lines([path])]
    in_memory = lines_of_text("".join(BLOCK), str(path))
    assert [part.text for part in from_file] == [part.text for part in in_memory] == BLOCK
    omitted = [isinstance(part.content, Omitted) for part in in_memory]
    assert omitted == [isinstance(part.content, Omitted) for part in from_file]
    assert omitted == [False, True, True, True, False, False, False]


def closed(text: str) -> list[int]:
    """Return the slots that nothing is inserted into."""
    content = line_of_text("#1", "a.txt", 1, text).content
    assert not isinstance(content, Omitted)
    return sorted(content.closed)


def test_cells_formulas_and_headings():
    assert closed("| anna | 30 |\n") == [1, 2, 3, 4, 5]
    assert closed("a + b = c and d\n") == [1, 2, 3, 4]
    assert closed("## a b c\n") == [3]  # the sign is no word; no mark at the end
    assert closed("a b # c\n") == [2, 3]
    assert closed("#a b\n") == []
    assert closed("it rose by 5 %\n") == []  # which may end a sentence


def test_front_matter_and_rows_of_tables_are_no_text():
    front = ["---\n", "title: a b\n", "\n", "---\n"]
    assert judge_code([*front, "a\n"]) == [*((line, False) for line in front), ("a\n", True)]
    assert all(is_text for _, is_text in judge_code(["---\n", "a b\n", "---\n"]))
    assert all(is_text for _, is_text in judge_code(["a\n", *front]))
    rows = ["| a | b |\n", "|---|:-:|\n"]
    assert judge_code(["a | b\n", *rows]) == [("a | b\n", True), *((row, False) for row in rows)]


def test_marks_in_a_line_of_their_own_belong_to_the_line_before():
    lines = ["a b\n", "\n", "...\n", "c.\n", "!\n", "- d\n", "- ?!\n", "***\n", ",\n"]
    joined = ["a b\n\n...\n", "c.\n", "!\n", "- d\n- ?!\n", "***\n,\n"]
    assert judge_code(lines) == [(line, True) for line in joined]
    parts = lines_of_text("".join(lines), "a.txt")
    assert [part.content.line for part in parts] == [1, 4, 5, 6, 8]
    first, content = parts[0], parts[0].content
    assert not isinstance(content, Omitted)
    assert (content.slots[-1], content.closed) == (("...",), {2})
    assert [first.text[a:b] for a, b in first.marks[-1]] == ["..."]
    assert parts[3].punctuate([("-",), (",", "?", "!")]) == "- d,\n- ?!\n"
