"""``semipunct normalise`` for treebanks: what is written, listed and left as it is."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from semipunct import treebanks
from semipunct.errors import TreebankError, UsageError
from tests.commands import Cli, sample_lines

ENHANCED = (
    "# sent_id = a\n"
    "1\tIn\tin\tADP\tIN\t_\t2\tcase\t2:case\t_\n"
    "2\tMay\tMay\tPROPN\tNNP\t_\t6\tobl\t6:obl:in\tSpaceAfter=No\n"
    "3\t,\t,\tPUNCT\t,\t_\t6\tpunct\t6:punct|9:dep\tNote=x\n"
    "4-5\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "4\tdid\tdo\tAUX\tVBD\t_\t6\taux\t6:aux\t_\n"
    "5\tn't\tnot\tPART\tRB\t_\t6\tadvmod\t6:advmod\t_\n"
    "6\train\train\tVERB\tVB\t_\t0\troot\t0:root\t_\n"
    "6.1\tit\tit\tPRON\t_\t_\t_\t_\t6:nsubj\t_\n"
    "7\t(\t(\tPUNCT\t-LRB-\t_\t6\tpunct\t6.1:punct\t_\n"
    "8\ta\ta\tDET\tDT\t_\t9\tdet\t9:det\t_\n"
    "9\tlot\tlot\tNOUN\tNN\t_\t6\tobj\t6:obj\t_\n"
    "10\t)\t)\tPUNCT\t-RRB-\t_\t9\tpunct\t9:punct\t_\n"
    "\n"
)
RIGHT = (
    "# sent_id = right\n1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n"
    "2\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
)
CYCLE = RIGHT.replace("right", "cycle").replace("\t0\troot", "\t2\tdep")
GOVERNING = (
    "# sent_id = g\n1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n2\t-\t-\tPUNCT\t_\t_\t1\tpunct\t_\t_\n"
    "3\tb\tb\tNOUN\t_\t_\t2\tdep\t_\t_\n\n"
)
CHANGED = {3: ("6", "2", "2:punct|9:dep"), 7: ("6", "9", "6.1:punct")}


def written(tmp_path: Path, text: str, name: str = "in.conllu") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def expected() -> str:
    lines: list[str] = [*ENHANCED.splitlines(keepends=True)]
    for number, (_, head, deps) in CHANGED.items():
        place = next(i for i, line in enumerate(lines) if line.startswith(f"{number}\t"))
        columns = lines[place].split("\t")
        columns[6], columns[8] = head, deps
        lines[place] = "\t".join(columns)
    return "".join(lines)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_only_heads_of_marks_change(cli: Cli, tmp_path: Path, ending: str):
    text = ("\ufeff" + RIGHT + ENHANCED + CYCLE + GOVERNING).replace("\n", ending)
    result = cli("normalise", path := written(tmp_path, text), "--convention", "unit")
    assert result.status == 0
    assert result.out == text.replace(
        ENHANCED.replace("\n", ending), expected().replace("\n", ending)
    )
    assert (
        f"{path}:8: sentence a: mark 3 (,): head 6 (rain) → 2 (May), unit: it is att" in result.err
    )
    assert (
        f"{path}:14: sentence a: mark 7 ((): head 6 (rain) → 9 (lot), pair: its par" in result.err
    )
    assert f"{path}:20: sentence cycle: word 1 (Go): it is on a cycle" in result.err
    assert f"{path}:25: sentence g: mark 2 (-): 3 (b) depends on it" in result.err
    assert "attached 2 of 6 marks in 1 of 4 sentences (unit 1, pair 1)" in result.err
    again = cli("normalise", "-", "--convention", "unit", stdin=result.out.encode())
    assert again.out == result.out


def test_check(cli: Cli, tmp_path: Path):
    path = written(tmp_path, ENHANCED)
    result = cli("normalise", path, "--check", "--convention", "unit", "--max", 1)
    assert result.status == 1
    assert result.out.count("\n") == 1
    assert "and 1 more" in result.err
    assert "would attach 2 of 3 marks" in result.err
    assert path.read_text("utf-8") == ENHANCED
    result = cli("normalise", path, "--check", "--only", "pair")
    assert result.out == (
        f"{path}:10: sentence a: mark 7 ((): head 6 (rain) → 9 (lot), pair: its partner is "
        "attached to another word\n"
    )
    assert cli("normalise", written(tmp_path, RIGHT), "--check").status == 0
    assert cli("normalise", written(tmp_path, CYCLE), "--check").status == 1
    # Words that depend on marks cannot be repaired, but are listed.
    result = cli("normalise", written(tmp_path, GOVERNING), "--check")
    assert (result.status, "3 (b) depends on it" in result.out) == (0, True)


def test_reports(cli: Cli, tmp_path: Path):
    path, out = written(tmp_path, ENHANCED), tmp_path / "out.conllu"
    options = ("normalise", path, "--convention", "unit", "-o")
    printed = cli(*options, out, "--format", "json")
    values = json.loads(printed.out)
    checked = tmp_path / "changes"
    assert cli(*options, checked, "--check", "--format", "json").status == 1
    assert values == json.loads(checked.read_text("utf-8"))
    cli(*options, checked, "--check", "--format", "html")
    assert "<h1>Changed heads of marks: in.conllu</h1>" in checked.read_text("utf-8")
    assert out.read_text("utf-8") == expected()
    assert values["rules"] == {"unit": 1, "pair": 1}
    assert [(c["mark"], c["before"], c["after"]) for c in values["changes"]] == [
        (3, 6, 2),
        (7, 6, 9),
    ]


@pytest.mark.parametrize("options", [{}, {"strict": True}, {"only": ["unit", "highest"]}])
def test_heads_at_random_settle(tmp_path: Path, options: dict[str, Any]):
    """Even though the conventions of the treebank, and pairs, are told by heads that change."""
    random = Random(0)
    for _ in range(8):
        lines = "".join(random.sample(sample_lines(), 12)).split("\n")
        for place, line in enumerate(lines):
            columns = line.split("\t")
            if columns[3:4] == ["PUNCT"] and random.random() < 0.7:
                columns[1] = random.choice([columns[1], '"', "(", ")", ","])
                columns[6] = str(random.randint(1, int(columns[0]) - 1 or 2))
                lines[place] = "\t".join(columns)
        once = treebanks.normalise(written(tmp_path, "\n".join(lines)), **options)
        again = treebanks.normalise(written(tmp_path, once.text), **options)
        assert once.changes
        assert again.text == once.text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--format", "json"), "--format json and the trees cannot both"),
        (("--commas", "ccg", "--check"), "--check is for treebanks in CoNLL-U"),
        (("--rule", "paper"), "--rule needs --commas"),
    ],
)
def test_wrong_usage(cli: Cli, tmp_path: Path, arguments: tuple[str, ...], complaint: str):
    result = cli("normalise", written(tmp_path, RIGHT), *arguments)
    assert result.status == 2
    assert complaint in result.message


def test_bad_files(cli: Cli, tmp_path: Path):
    result = cli("normalise", written(tmp_path, RIGHT.replace("\t_\t_\n", "\t_\n")))
    assert result.status == 1
    assert "in.conllu:2: sentence right: 9 columns instead of 10" in result.message
    with pytest.raises(TreebankError, match="no sentence was found"):
        treebanks.normalise(written(tmp_path, "\n"))
    with pytest.raises(UsageError, match=r"no rule 'units' .did you mean 'unit'"):
        treebanks.normalise(written(tmp_path, RIGHT), only=["units"])
    text = RIGHT.replace("\t0\troot", "\t_\t_")
    assert "it has no HEAD" in cli("normalise", written(tmp_path, text)).err
