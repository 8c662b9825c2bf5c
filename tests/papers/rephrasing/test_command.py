"""``semipunct rephrase``: its output can be read, and unsupported changes are reported."""

from pathlib import Path

import pytest

import semipunct
from semipunct.errors import EditError
from semipunct.formats import read_entries
from semipunct.papers.rephrasing.edits import TreeEdit
from semipunct.papers.rephrasing.task import Changes, add_underlying_trees, rephrase
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


def test_moves_of_a_relation(cli: Cli, model: Path, treebank: Path, tmp_path: Path):
    out = tmp_path / "out.conllu"
    assert cli("rephrase", model, treebank, "--move", "obj=before", "-o", out).status == 0
    assert words(out) == [["Mira", "late", "the", "harp", "tuned"]] * 2
    wrong = cli("rephrase", model, treebank, "--move", "obj=up")
    assert wrong.status == 2
    assert "--move obj=up: give a relation and a place" in wrong.message


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
def test_permuted_sentences_have_the_same_words(
    cli: Cli, model: Path, ordering: Path, treebank: Path, tmp_path: Path
):
    first, second = tmp_path / "a.conllu", tmp_path / "b.conllu"
    for out in (first, second):
        result = cli("rephrase", model, treebank, "--permute", ordering, "--seed", 3, "-o", out)
        assert result.status == 0, result.err
    assert first.read_bytes() == second.read_bytes()
    expected = sorted(row[1].lower() for row in ROWS if row[3] != "PUNCT")
    assert [sorted(x.lower() for x in each) for each in words(first)] == [expected] * 2
    wrong = cli("rephrase", model, treebank, "--permute", model)
    assert wrong.status == 1
    assert "ordering" in wrong.message


@pytest.mark.parametrize(
    "line, message",
    [
        ("one\tdelete\t9", "the sentence has no word with the ID 9"),
        ("one\tdelete\t2", "or it is punctuation"),
        ("one\tdelete\t4", "sentence one: word 3 is the root"),
        ("one\tmove\t6\tfirst\t5", "sentence one: word 5 cannot be moved below word 4"),
        ("one\tmove\t4\tfirst", "is the root and cannot be moved"),
    ],
)
def test_edits_that_cannot_be(
    cli: Cli, model: Path, treebank: Path, tmp_path: Path, line: str, message: str
):
    edits = tmp_path / "edits.tsv"
    edits.write_text(f"{line}\n", "utf-8")
    result = cli("rephrase", model, treebank, "--edits", edits)
    assert result.status == 1
    assert f"{edits}:1: " in result.err
    assert message in result.err
    assert "Traceback" not in result.err


def test_edits_of_other_sentences_are_told_and_all_else_is_written(
    cli: Cli, model: Path, treebank: Path, tmp_path: Path
):
    edits, out = tmp_path / "edits.tsv", tmp_path / "out.conllu"
    edits.write_text("one\tdelete\t3\nthree\tdelete\t3\n", "utf-8")
    result = cli("rephrase", model, treebank, "--edits", edits, "-o", out)
    assert result.status == 1
    assert f"{edits}:2: 1 sentence of the list could not be changed" in result.err
    assert [len(each) for each in words(out)] == [4, 5]


def test_an_edit_is_of_one_sentence(cli: Cli, model: Path, treebank: Path, tmp_path: Path):
    other, edits, out = (tmp_path / name for name in ("other.conllu", "e.tsv", "out.conllu"))
    other.write_bytes(conllu("three") + conllu("one"))
    edits.write_text("one\tdelete\t3\n", "utf-8")
    result = cli("rephrase", model, treebank, other, "--edits", edits, "-o", out)
    assert result.status == 1
    assert f"{edits}:1: two sentences have this sent_id, {treebank}:1: " in result.err
    assert f" and {other}:11: sentence one; give each" in result.err
    assert not out.exists()


def test_files_whose_words_stay_are_refused(cli: Cli, model: Path, tmp_path: Path):
    path = tmp_path / "in.mrg"
    path.write_text("( (S (NP (PRP It)) (VP (VBD rained)) (. .)) )\n", "utf-8")
    result = cli("rephrase", model, path)
    assert result.status == 2
    assert result.message.startswith(f"error: {path}: words of this file format cannot")


def test_sentences_that_models_cannot_take_pass(cli: Cli, model: Path, tmp_path: Path):
    bare = b"# sent_id = x\n1\t.\t.\tPUNCT\t_\t_\t0\troot\t_\t_\n\n"
    result = cli("rephrase", model, "-", stdin=bare)
    assert (result.status, result.out) == (0, bare.decode())
    assert "1 sentence left unchanged: nothing but punctuation" in result.err
    stated = b"# text = . .\n" + bare
    for content, text in ((bare, ".\n"), (stated, ". .\n")):
        assert cli("rephrase", model, "-", "--format", "text", stdin=content).out == text
        assert cli("restore", model, "-", "--format", "text", stdin=content).out == text


def test_in_python(model: Path, treebank: Path):
    sentences = semipunct.read(treebank)
    loaded = semipunct.load(model)
    edits = [[TreeEdit(2)], [TreeEdit(5, "first")]]
    first, second = rephrase(loaded, sentences, edits=edits, surface="best")
    assert first is not None
    assert second is not None
    assert first.words == (1, 3, 4, 5)
    assert second.sentence.forms == ("The", "harp", "Mira", "late", "tuned")
    # Without a change, sentences are unchanged.
    again = rephrase(loaded, sentences, Changes(), surface="best")
    assert [found and found.sentence.forms for found in again] == [s.forms for s in sentences]
    with pytest.raises(EditError, match="edit: sentence one: word 3 is the root"):
        rephrase(loaded, sentences, edits=[[TreeEdit(3)], []])
