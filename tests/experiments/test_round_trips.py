"""The comparison of input and output finds planted faults, and nothing where nothing is wrong."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

Driver = Callable[[str], ModuleType]

SENTENCE = """\
# sent_id = 1
# text = Il vient du nord, him/her.
# note = kept
1\tIl\til\tPRON\t_\t_\t2\tnsubj\t2:nsubj\tRef=1
2\tvient\tvenir\tVERB\t_\t_\t0\troot\t0:root\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\t_\tADP\t_\t_\t5\tcase\t5:case\t_
4\tle\t_\tDET\t_\t_\t5\tdet\t5:det\t_
5\tnord\t_\tNOUN\t_\t_\t2\tobl\t2:obl\tSpaceAfter=No
6\t,\t,\tPUNCT\t_\t_\t7\tpunct\t7:punct\tX=y
6.1\tgone\tgo\tVERB\t_\t_\t_\t_\t2:conj\t_
7-9\thim/her\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
7\thim\t_\tPRON\t_\t_\t2\tobj\t2:obj\t_
8\t/\t_\tPUNCT\t_\t_\t9\tpunct\t9:punct\t_
9\ther\t_\tPRON\t_\t_\t7\tconj\t7:conj\t_
10\t.\t.\tPUNCT\t_\t_\t2\tpunct\t2:punct\tSpacesAfter=\\n

"""

WITHOUT_COMMA = (
    SENTENCE.replace("nord, him", "nord him")
    .replace("6\t,\t,\tPUNCT\t_\t_\t7\tpunct\t7:punct\tX=y\n", "")
    .replace("2:obl\tSpaceAfter=No", "2:obl\t_")
    .replace("6.1\tgone", "5.1\tgone")
    .replace("7-9\t", "6-8\t").replace("7\thim", "6\thim")
    .replace("8\t/\t_\tPUNCT\t_\t_\t9\tpunct\t9:", "7\t/\t_\tPUNCT\t_\t_\t8\tpunct\t8:")
    .replace("9\ther\t_\tPRON\t_\t_\t7\tconj\t7:", "8\ther\t_\tPRON\t_\t_\t6\tconj\t6:")
    .replace("10\t.\t", "9\t.\t")
)  # fmt: skip
"""The same sentence after the comma was deleted, as a faultless command writes it."""

FAULTS = {
    "words": ("5\tnord\t", "5\tnort\t"),
    "comments": ("# note = kept\n", ""),
    "word LEMMA": ("\tvenir\t", "\tvient\t"),
    "word HEAD": ("\t5\tcase\t5:case", "\t2\tcase\t5:case"),
    "word DEPS": ("2:nsubj\tRef", "_\tRef"),
    "word MISC": ("Ref=1", "_"),
    "word DEPREL": ("\tnsubj\t2:", "\tobj\t2:"),
    "mark MISC": ("X=y", "_"),
    "mark HEAD": ("\t2\tpunct\t2:punct\tSpaces", "\t5\tpunct\t2:punct\tSpaces"),
    "multiword token": ("7\thim\t_\tPRON\t_\t_\t2\tobj\t2:obj\t_\n", ""),
    "empty nodes": ("6.1\tgone\tgo\tVERB\t_\t_\t_\t_\t2:conj\t_\n", ""),
    "empty node LEMMA": ("\tgo\t", "\tgone\t"),
    "spaces in MISC": ("\tSpacesAfter=\\n", "\tSpacesAfter=\\n\\n"),
    "spaces in text": ("nord, him", "nord , him"),
    "text and MISC disagree": ("nord, him", "nord , him"),
    "text without the tokens": ("Il vient du", "Il vient de le"),
    "blank lines": ("SpacesAfter=\\n\n\n", "SpacesAfter=\\n\n\n\n"),
    "line ends": ("\n2\tvient", "\r\n2\tvient"),
    "has a text": ("# text = Il vient du nord, him/her.\n", ""),
}


@pytest.fixture
def comparison(driver: Driver) -> ModuleType:
    return driver("round_trip.treebanks")


def kinds(found: list[Any]) -> set[str]:
    return {difference.kind for difference in found}


def test_equal_files_do_not_differ(comparison: ModuleType):
    assert comparison.compare_treebanks(SENTENCE, SENTENCE, comparison.Permission(False)) == []


def test_a_deleted_mark_is_no_difference_where_it_is_permitted(comparison: ModuleType):
    compare, permission = comparison.compare_treebanks, comparison.Permission
    assert compare(SENTENCE, WITHOUT_COMMA, permission()) == []
    assert compare(WITHOUT_COMMA, SENTENCE, permission(deletions=False)) == []
    assert kinds(compare(SENTENCE, WITHOUT_COMMA, permission(deletions=False))) == {"mark lost"}
    assert kinds(compare(SENTENCE, WITHOUT_COMMA, permission(marks=False))) >= {"marks"}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_planted_fault_is_reported(comparison: ModuleType, kind: str):
    before, after = FAULTS[kind]
    assert SENTENCE.count(before) == 1
    damaged = SENTENCE.replace(before, after)
    assert kind in kinds(comparison.compare_treebanks(SENTENCE, damaged, comparison.Permission()))


def test_faults_beside_a_deleted_mark_are_reported(comparison: ModuleType):
    final = "\n9\t.\t.\tPUNCT\t_\t_\t2\tpunct\t2:punct\tSpacesAfter=\\n"
    damaged = WITHOUT_COMMA.replace(final, "").replace("him/her.", "him/her")
    found = kinds(comparison.compare_treebanks(SENTENCE, damaged, comparison.Permission()))
    assert found == {"spaces in MISC: line breaks"}
    wrong = WITHOUT_COMMA.replace("6\tconj\t6:", "7\tconj\t7:")
    found = kinds(comparison.compare_treebanks(SENTENCE, wrong, comparison.Permission()))
    assert found == {"word HEAD", "word DEPS"}


def test_analyses_are_no_differences_and_copies_are_counted(comparison: ModuleType):
    annotated = SENTENCE.replace("2\tvient\tvenir\tVERB\t_\t_\t0\troot\t0:root\t_", (
        "2\tvient\tvenir\tVERB\t_\t_\t0\troot\t0:root\tSemipunctLeft=,"
    )).replace("# text", "# semipunct_log_joint = -1.0\n# text")  # fmt: skip
    compare, permission = comparison.compare_treebanks, comparison.Permission
    assert compare(SENTENCE, annotated, permission(False)) == []
    copies = "".join(annotated.replace("_id = 1", f"_id = 1.rank{k}") for k in (1, 2))
    assert compare(SENTENCE, copies, permission(False, copies=2)) == []
    damaged = copies.replace("Ref=1", "Ref=2")
    assert kinds(compare(SENTENCE, damaged, permission(False, copies=2))) == {"copy"}
    assert kinds(compare(SENTENCE * 2, SENTENCE, permission())) == {"number of sentences"}


SAME_WORDS = [
    ("a  b, c\n", "a  b c\n"),
    ("a b c\n", "a, b (c).\n"),
    ("well—yes\n", "well, yes\n"),
    ("他说,你好\n", "他说你好。\n"),
    ("self-awareness at 10:02\n", "self-awareness, at 10:02.\n"),
    ("a b\r\n", "a b.\r\n"),
]
OTHER_WORDS = [
    ("self-awareness\n", "self awareness\n", "joining mark"),
    ("at 10:02\n", "at 1002\n", "joining mark"),
    ("snow\n", "sn-ow\n", "inside a word"),
    ("a  b\n", "a b\n", "spaces"),
    ("a\u00a0b\n", "a, b\n", "spaces: special blanks"),
    ("a\nb\n", "a. b\n", "spaces: line breaks"),
    ("a , b . c\n", "a , b. c;\n", "spaces"),
    ("a -- \" b\n", "a --\" b\n", "spaces"),
    ("a (,  b\n", "a (, b.\n", "spaces"),
    ("é ❤️ b\n", "é ❤ b\n", "words"),
    ("e\u0301\n", "é\n", "words"),
    ("a b\r\n", "a b\n", "spaces"),
    ("a b\n", "a b", "spaces"),
]  # fmt: skip


@pytest.mark.parametrize("before, after", SAME_WORDS)
def test_changed_marks_of_text_are_no_differences(driver: Driver, before: str, after: str):
    assert driver("round_trip.texts").compare_texts(before, after, deletions=True) == []


@pytest.mark.parametrize("before, after, kind", OTHER_WORDS)
def test_planted_faults_of_text_are_reported(driver: Driver, before: str, after: str, kind: str):
    found = driver("round_trip.texts").compare_texts(before, after, deletions=True)
    assert kinds(found) == {kind}


def test_lost_marks_of_text_are_reported_where_all_are_kept(driver: Driver):
    compare = driver("round_trip.texts").compare_texts
    assert kinds(compare("a, b.", "a b.", deletions=False)) == {"mark lost"}
    assert compare("a, b.", "a, (b).", deletions=False) == []


def test_generated_files_are_determined_and_various(driver: Driver, comparison: ModuleType):
    generation, reading = driver("round_trip.generation"), driver("round_trip.reading")
    treebank = generation.generated_treebank(1, 200)
    assert treebank == generation.generated_treebank(1, 200)
    assert treebank != generation.generated_treebank(2, 200)
    blocks, gaps = reading.split_file(treebank)
    assert len(blocks) == 200
    assert "".join(b + g for b, g in zip(["", *blocks], gaps, strict=True)) == treebank
    read = [reading.read_block(block) for block in blocks]
    inner = [u.rows[1:] for b in read for u in b.units if len(u.rows) > 1]
    assert any(row[reading.UPOS] == "PUNCT" for rows in inner for row in rows)
    assert any(all(row[reading.UPOS] != "PUNCT" for row in rows) for rows in inner)
    assert sum(bool(b.empty) for b in read) > 10
    assert sum(b.text is None for b in read) > 10
    assert sum(reading.has_consistent_text(b) for b in read) > 50
    assert comparison.compare_treebanks(treebank, treebank, comparison.Permission(False)) == []


@pytest.mark.parametrize(
    "name",
    [
        "restore --keep keep",
        "rephrase",
        "normalise --convention unit",
        pytest.param("suspects", marks=pytest.mark.exhaustive),
    ],
)
def test_a_command_is_compared_with_its_input(
    driver: Driver, model: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str], name: str
):
    """A command with a trained model has no fault; if it damages a tag, it has one."""
    commands, trips = driver("round_trip.commands"), driver("round_trips")
    generation = driver("round_trip.generation")
    source = tmp_path / "in.conllu"
    source.write_text(generation.generated_treebank(3, 12), "utf-8")
    models = commands.Models(model, model, model, model)
    assert {"normalise", "suspects", "decode --format svg"} <= {
        each.name for each in commands.commands(models)
    }
    command = next(c for c in commands.commands(models) if c.name == name)
    row = trips.report(command, source, tmp_path, with_validator=False)
    assert row["differences"] == {}
    run = commands.run

    def damaging(command: Any, source: Any, target: Any) -> str:
        failure = run(command, source, target)
        content = target.read_bytes().decode("utf-8")
        target.write_bytes(content.replace("\tNOUN\t", "\tVERB\t", 1).encode())
        return failure

    trips.run = damaging
    try:
        row = trips.report(command, source, tmp_path, with_validator=False)
    finally:
        trips.run = run
    # A second run damages another tag of its input.
    again = {"a second run changes more": 1} if command.repeats else {}
    assert row["differences"] == {"word UPOS": 1, **again}
    assert "word UPOS" in capsys.readouterr().out


def test_new_errors_of_the_validator_are_counted(driver: Driver):
    pytest.importorskip("udtools")
    validation = driver("round_trip.validation")
    before = validation.validation_errors(SENTENCE * 2)
    damaged = SENTENCE + SENTENCE.replace("nord, him", "nord , him")
    after = validation.validation_errors(damaged)
    assert validation.new_errors(before, before).total() == 0
    assert validation.new_errors(before, after) == {"text-form-mismatch": 1, "text-extra-chars": 1}
