"""``semipunct rephrase``: its output can be read, and unsupported changes are reported."""

from pathlib import Path

import pytest

import semipunct
from semipunct.formats import read_entries
from semipunct.papers.rephrasing.task import add_underlying_trees
from tests.commands import Cli, run
from tests.trained import Once

ROWS = (
    (1, "Mira", "mira", "PROPN", 4, "nsubj", "SpaceAfter=No"),
    (2, ",", ",", "PUNCT", 3, "punct", "_"),
    (3, "late", "late", "ADJ", 1, "acl", "_"),
    (4, "tuned", "tune", "VERB", 0, "root", "_"),
    (5, "the", "the", "DET", 6, "det", "_"),
    (6, "harp", "harp", "NOUN", 4, "obj", "SpaceAfter=No"),
    (7, ".", ".", "PUNCT", 4, "punct", "_"),
)


def conllu(sentence_id: str = "s") -> bytes:
    lines = [f"# sent_id = {sentence_id}", "# text = Mira, late tuned the harp."]
    for n, form, lemma, upos, head, relation, misc in ROWS:
        lines.append(f"{n}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\t{relation}\t_\t{misc}")
    return ("\n".join(lines) + "\n\n").encode()


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "in.conllu"
    path.write_bytes(conllu("one") + conllu("two"))
    return path


@pytest.fixture(scope="session")
def ordering(model: Path, treebanks: dict[str, Path], once: Once) -> Path:
    """The folder of an ordering model of underlying trees, trained with the command."""

    def make(folder: Path) -> None:
        result = run(
            "train", treebanks["test"], "--dev", treebanks["test"], "-o", folder / "model",
            "--kind", "ordering", "--analysis", model, "--set", "train.visits=64",
        )  # fmt: skip
        assert result.status == 0, result.err

    return once("ordering", make) / "model"


def words(path: Path) -> list[list[str]]:
    return [
        [t.form for t in entry.record.tokens if t.upos != "PUNCT"] for entry in read_entries([path])
    ]


def test_constituents_are_deleted_and_moved(cli: Cli, model: Path, treebank: Path, tmp_path: Path):
    out, edits = tmp_path / "out.conllu", tmp_path / "edits.tsv"
    edits.write_text("two\tmove\t6\tfirst\n", "utf-8")
    result = cli(
        "rephrase", model, treebank, "--edits", edits, "--delete", "acl", "--delete", "appos",
        "--surface", "best", "-o", out,
    )  # fmt: skip
    assert result.status == 0, result.err
    # A proper noun keeps its capital; the new first word of the sentence is capitalised.
    assert words(out) == [["Mira", "tuned", "the", "harp"], ["The", "harp", "Mira", "tuned"]]
    assert result.told == "no word of the input has the relation appos, so it changed nothing\n"
    texts = [line for line in out.read_text("utf-8").splitlines() if line.startswith("# text")]
    plain = cli(
        "rephrase", model, treebank, "--edits", edits, "--delete", "acl", "--surface", "best",
        "--format", "text",
    )  # fmt: skip
    assert [f"# text = {line}" for line in plain.out.splitlines()] == texts


def test_an_ordering_model_learns_from_underlying_trees(
    cli: Cli, model: Path, ordering: Path, treebanks: dict[str, Path], tmp_path: Path
):
    finder, learnt = semipunct.load(model), semipunct.load(ordering)
    found = add_underlying_trees(finder, semipunct.read(treebanks["test"]))
    expected = {
        " ".join((relation, *left, "_", *right))
        for s in found
        for relation, (left, right) in zip(s.tree.relations, s.underlying or (), strict=True)
        if left or right
    }
    assert len(expected) > 2
    assert expected < {*learnt.model.vocabulary.relation}
    command = ("train", treebanks["test"], "--dev", treebanks["test"], "-o", tmp_path / "out")
    bare = cli(*command, "--kind", "ordering", "--set", "model.underlying=true")
    assert bare.status == 1
    assert "no underlying tree" in bare.err
    assert "--analysis MODEL" in bare.err
    wrong = cli(*command, "--kind", "parser", "--analysis", model)
    assert wrong.status == 2
    assert "or --kind ordering" in wrong.message


def test_edits_of_other_sentences_are_told_and_all_else_is_written(
    cli: Cli, model: Path, treebank: Path, tmp_path: Path
):
    edits, out = tmp_path / "edits.tsv", tmp_path / "out.conllu"
    edits.write_text("one\tdelete\t3\nthree\tdelete\t3\n", "utf-8")
    result = cli("rephrase", model, treebank, "--edits", edits, "-o", out)
    assert result.status == 1
    assert f"{edits}:2: 1 sentence of the list could not be changed" in result.err
    assert [len(each) for each in words(out)] == [4, 5]
    edits.write_text("one\tmove\t6\tfirst\t5\n", "utf-8")
    result = cli("rephrase", model, treebank, "--edits", edits)
    assert result.status == 1
    assert f"{edits}:1: sentence one: word 5 cannot be moved below word 4" in result.err
