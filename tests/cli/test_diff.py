"""``semipunct diff``: planted differences are found, and nothing else."""

import json
from collections import Counter
from itertools import count
from pathlib import Path
from random import Random

import pytest

from semipunct import treebanks
from semipunct.errors import TreebankError
from tests.commands import Cli, sample_lines

A = (
    "# sent_id = a\n"
    "1\tIn\t_\tADP\t_\t_\t2\tcase\t_\t_\n"
    "2\tMay\t_\tPROPN\t_\t_\t4\tobl\t_\tSpaceAfter=No\n"
    "3\t,\t_\tPUNCT\t_\t_\t4\tpunct\t_\t_\n"
    "4\train\t_\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
    "5\t.\t_\tPUNCT\t_\t_\t4\tpunct\t_\t_\n"
    "\n"
)
# Without the comma, with quotation marks, another space, and the head of the period moved.
B = (
    "# a comment\n# sent_id = a\n"
    "1\t“\t_\tPUNCT\t_\t_\t3\tpunct\t_\tSpaceAfter=No\n"
    "2\tIn\t_\tADP\t_\t_\t3\tcase\t_\t_\n"
    "3\tMay\t_\tPROPN\t_\t_\t4\tobl\t_\t_\n"
    "4\train\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    "5\t.\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_\n"
    "6\t”\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_\n"
    "\n"
)


def write(folder: Path, *texts: str) -> list[Path]:
    paths = [folder / f"{name}.conllu" for name in "ab"]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, "utf-8")
    return paths


def test_a_small_case(cli: Cli, tmp_path: Path):
    a, b = write(tmp_path, A, B)
    result = cli("diff", a, b)
    assert result.status == 1
    assert result.out.splitlines() == [
        f"{a}:2 {b}:3: sentence a: added 1 (“)",
        f"{a}:4 {b}:5: sentence a: removed 3 (,)",
        f"{a}:5 {b}:6: sentence a: after 4 (rain): no space → a space",
        f"{a}:6 {b}:7: sentence a: head of 5 (.): 4 (rain) → 3 (May)",
        f"{a}:6 {b}:8: sentence a: added 6 (”)",
    ]
    assert (
        "5 differences (mark 3, head 1, space 1) in 1 sentence; of 2 and 3 marks, 1 are"
        in result.err
    )
    value = json.loads(cli("diff", a, b, "--json").out)
    assert value["counts"] == {"mark": 3, "tag": 0, "head": 1, "space": 1}
    assert (value["marks"], value["common_marks"]) == ([2, 3], 1)
    tokens = [each["tokens"] for each in value["differences"]]
    assert tokens == [[0, 1], [3, 0], [4, 4], [5, 5], [0, 6]]
    assert value["differences"][3]["heads"] == [4, 3]
    same = cli("diff", a, a)
    assert (same.status, same.out) == (0, "")
    # The other way round, what was added is removed.
    back = treebanks.diff(b, a)
    assert back.counts == treebanks.diff(a, b).counts
    assert [each.tokens for each in back.differences if each.kind == "mark"] == [
        (1, 0),
        (0, 3),
        (6, 0),
    ]


def test_a_mark_that_is_a_symbol_in_one_annotation(tmp_path: Path):
    a, b = write(tmp_path, A, A.replace(",\t_\tPUNCT", ",\t_\tSYM"))
    (difference,) = treebanks.diff(a, b).differences
    assert (difference.kind, difference.values) == ("tag", ("PUNCT", "SYM"))
    # Also where another mark is missing, so that the tokens are not the same.
    a, b = write(tmp_path, A, B.replace(".\t_\tPUNCT", ".\t_\tSYM"))
    differences = treebanks.diff(a, b).differences
    assert [each.kind for each in differences] == ["mark", "mark", "space", "tag", "mark"]


@pytest.mark.parametrize("seed", range(2))
def test_planted_differences_are_found(tmp_path: Path, seed: int):
    """Marks that are inserted, whose head is another word, or that lose the space after them."""
    random = Random(seed)
    before, after = [], []
    planted: Counter[str] = Counter()
    for block in sample_lines()[:60]:
        lines = [line.split("\t") for line in block.rstrip("\n").split("\n") if line[:1] != "#"]
        if any("-" in columns[0] or "." in columns[0] for columns in lines):
            continue
        marks = [n for n, columns in enumerate(lines) if columns[3] == "PUNCT"]
        words = [n for n, columns in enumerate(lines) if columns[3] != "PUNCT"]
        changed = [[*columns] for columns in lines]
        for n in marks:
            kind = random.choice(["", "head", "space"])
            if kind == "head":
                others = [w + 1 for w in words if str(w + 1) != lines[n][6]]
                changed[n][6] = str(random.choice(others)) if others else lines[n][6]
                planted["head"] += bool(others)
            elif kind == "space" and n + 1 < len(lines):
                toggled = "_" if "SpaceAfter=No" in lines[n][9] else "SpaceAfter=No"
                changed[n][9] = toggled
                planted["space"] += 1
        place = random.randrange(len(changed) + 1)
        if random.random() < 0.5:
            new = [str(place + 1), "§", "_", "PUNCT", "_", "_", "1", "punct", "_", "_"]
            for columns in changed:
                columns[0] = str(int(columns[0]) + (int(columns[0]) > place))
                columns[6] = str(int(columns[6]) + (int(columns[6]) > place))
            new[6] = changed[words[0]][0]
            if 0 < place < len(lines):
                # The space between its neighbours cannot be compared any more.
                was, now = (side[place - 1][9] for side in (lines, changed))
                planted["space"] -= was != now
            changed.insert(place, new)
            planted["mark"] += 1
        before.append("\n".join("\t".join(columns) for columns in lines) + "\n\n")
        after.append("\n".join("\t".join(columns) for columns in changed) + "\n\n")
    a, b = write(tmp_path, "".join(before), "".join(after))
    differing = treebanks.diff(a, b)
    assert +Counter(differing.counts) == +planted
    assert differing.marks[1] == differing.marks[0] + planted["mark"]
    assert differing.common_marks == differing.marks[0]
    assert treebanks.diff(b, b).differences == ()


def test_other_texts_are_refused(cli: Cli, tmp_path: Path):
    numbers = count()
    for a, b, message in (
        (A, A.replace("May", "March"), r"b\.conllu:3: sentence a: word 2 is 'March'"),
        (A, B.replace("rain", "rains"), r"b\.conllu:6: sentence a: word 3 is 'rains', but in"),
        (
            A + A,
            A,
            r"a\.conllu:8: sentence a: this is sentence 2 of the file, and .* has only 1 sentence;",
        ),
        (A, "", "no sentence"),
    ):
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        paths = write(folder, a, b)
        with pytest.raises(TreebankError, match=message):
            treebanks.diff(*paths)
        result = cli("diff", *paths)
        assert result.status == 1
        assert result.err.startswith("error: ")
    assert cli("diff", "-", "-").status == 2
