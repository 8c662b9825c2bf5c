"""``semipunct suspects``: a planted error is named, in every format."""

from pathlib import Path

import pytest

import semipunct
from semipunct.errors import ModelError
from semipunct.formats.conllu.misc import attributes, unescape
from semipunct.treebanks import suspicions as suspects
from tests.commands import Cli, sample_lines
from tests.trained import Finished


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, int]:
    """Sentences of which one has its final mark twice: the file, line and ID of the second."""
    blocks = [block for block in sample_lines() if block.count("\n") < 12][:40]
    chosen = next(n for n, block in enumerate(blocks) if n > 9 and "\t.\t.\tPUNCT" in block[-80:])
    lines = blocks[chosen].rstrip("\n").split("\n")
    last = lines[-1].split("\t")
    token = int(last[0]) + 1
    blocks[chosen] = "\n".join([*lines, "\t".join([str(token), *last[1:]])]) + "\n\n"
    path = tmp_path_factory.mktemp("suspects") / "planted.conllu"
    path.write_text("".join(blocks), "utf-8")
    line = "".join(blocks[:chosen]).count("\n") + len(lines) + 1
    return path, line, token


def test_a_planted_error_is_among_the_first(
    cli: Cli, finished: Finished, planted: tuple[Path, int, int]
):
    path, line, token = planted
    model = semipunct.load(finished.folder)
    listed = suspects.suspects(model, path, top=6)
    result = cli("suspects", finished.folder, path, "--top", 6)
    told = result.out.splitlines()
    assert told == [suspects.line(suspect) for suspect in listed]
    assert "strings compared" in result.err  # it is no terminal
    (place,) = [n for n, suspect in enumerate(listed) if suspect.line == line]
    assert "doubled ." in told[place]
    rows = suspects.json_object(listed, [str(path)])["suspects"]
    assert (rows[place]["line"], rows[place]["token"]) == (line, token)
    assert (rows[place]["written"], rows[place]["proposed"]) == ([".", "."], ["."])
    scores = [row["score"] for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert [suspects.columns(suspect).count("\t") for suspect in listed] == [8] * 6
    page = "".join(suspects.suspects_page(listed, [path], model))
    assert page.count("<tr>") == 7
    assert "<h1>Suspicious marks: planted.conllu</h1>" in page
    assert page.count("log p(marks | tree)") == page.count("<section id=")
    # Only MISC of suspicious tokens changes, and not twice.
    before = path.read_text("utf-8").splitlines()
    after = "".join(suspects.annotate(listed, [str(path)])).splitlines()
    changed = [n for n, pair in enumerate(zip(before, after, strict=True), 1) if len({*pair}) > 1]
    assert changed == sorted({row["line"] for row in rows})
    misc = attributes(after[line - 1].split("\t")[9])
    assert misc["Suspect"] == f"{scores[place]:.2f}:doubled ."
    path.write_text("".join(f"{line}\n" for line in after), "utf-8")
    assert "".join(suspects.annotate(listed, [str(path)])).splitlines() == after


def test_without_a_model(tmp_path: Path):
    """Pairs, heads and spaces are judged by the treebank alone."""
    word = "1\tgo\t_\tVERB\t_\t_\t0\troot\t_\t{}\n2\t{}\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
    usual = word.format("SpaceAfter=No", ".") * 9
    odd = word.format("_", ".") + word.format("SpaceAfter=No", ")")
    crossing = (
        "1\tHe\t_\tPRON\t_\t_\t4\tnsubj\t_\t_\n2\tleft\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
        "3\t,\t_\tPUNCT\t_\t_\t4\tpunct\t_\t_\n4\tlate\t_\tADV\t_\t_\t2\tadvmod\t_\t_\n"
        "5\t-\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
    )
    path = tmp_path / "odd.conllu"
    path.write_text(usual + odd + crossing, "utf-8")
    listed = suspects.suspects(None, path)
    assert {(suspect.kind, suspect.line) for suspect in listed} == {
        ("space", 29), ("pair", 32), ("head", 38),
    }  # fmt: skip
    # MISC is in the normal form C where the form that is named in it is not.
    path.write_text(usual + odd + crossing.replace("left", "le\u0301ft"), "utf-8")
    annotated = "".join(suspects.annotate(suspects.suspects(None, path), [path]))
    (misc,) = (line.split("\t")[9] for line in annotated.split("\n") if "5\t-" in line)
    assert misc.startswith("Suspect=")
    assert "l\u00e9ft" in unescape(misc)
    assert "le\u0301ft" in annotated


def test_wrong_usage(
    cli: Cli, finished: Finished, text_model: Path, planted: tuple[Path, int, int]
):
    path = planted[0]
    result = cli("suspects", finished.folder, "-", "--format", "conllu")
    assert (result.status, "reads the input twice" in result.message) == (2, True)
    result = cli("suspects", text_model, path)
    assert (result.status, "a model of the kind text cannot judge" in result.message) == (1, True)
    with pytest.raises(ModelError, match="cannot judge"):
        suspects.suspects(semipunct.load(text_model), path)
