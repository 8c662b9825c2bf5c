"""``semipunct restore``: tokens are inserted, words are kept, and figures match the metrics."""

import json
import re
from pathlib import Path

import pytest

from semipunct.corpus.sentences import open_slots
from semipunct.evaluation.results import read_result
from semipunct.formats import read_entries, read_treebank
from tests.commands import Cli

FEW = ("--samples", 40)


@pytest.fixture(scope="module")
def some(treebanks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six sentences, with one among them that no model supports."""
    sentences = treebanks["test"].read_text("utf-8").split("\n\n")[:6]
    sentences[2:2] = ["1\t!\t!\tPUNCT\t_\t_\t0\troot\t_\t_"]
    path = tmp_path_factory.mktemp("some") / "some.conllu"
    path.write_text("\n\n".join(sentences) + "\n\n", encoding="utf-8")
    return path


def test_conllu_keeps_words_and_trees(cli: Cli, model: Path, some: Path, tmp_path: Path):
    out = tmp_path / "out.conllu"
    result = cli("restore", model, some, "-o", out, *FEW)
    assert (result.status, result.out) == (0, "")
    assert result.told == "1 sentence left unchanged: nothing but punctuation\n"
    before, after = (read_treebank([path]) for path in (some, out))
    assert len(after.omitted) == 1
    for old, new in zip(before.sentences, after.sentences, strict=True):
        assert (new.forms, new.upos, new.lemmas) == (old.forms, old.upos, old.lemmas)
        assert new.tree == old.tree
    assert [s.slots for s in before.sentences] != [s.slots for s in after.sentences]
    # Punctuation of the input is removed first, so it does not affect the result.
    again = cli("restore", model, out, *FEW)
    assert again.out == out.read_text("utf-8")


def test_formats_tell_the_same(cli: Cli, model: Path, some: Path):
    texts = cli("restore", model, some, "--format", "text", *FEW).out.splitlines()
    lines = cli("restore", model, some, "--format", "json", "--nbest", 2, *FEW).out.splitlines()
    values = [json.loads(line) for line in lines]
    # An omitted sentence keeps its own text.
    assert [v.get("text", "!") for v in values] == texts
    for value, entry in zip(values, read_entries([some]), strict=True):
        if "omitted" in value:
            assert value["omitted"] == "nothing but punctuation"
            continue
        assert value["word_ids"] == list(entry.word_ids)
        assert len(value["slots"]) == len(value["words"]) + 1
        assert 1 <= len(value["nbest"]) <= 2
        for slot in value["slots"]:
            told = {"surface": slot["surface"], "probability": slot["probability"]}
            assert told in slot["alternatives"]
            assert slot["entropy_nats"] >= 0


def test_gold_compares(cli: Cli, model: Path, some: Path, tmp_path: Path):
    stored, out = tmp_path / "result.json", tmp_path / "out.conllu"
    result = cli("restore", model, some, "--gold", "--json", "--result", stored, "-o", out, *FEW)
    assert result.status == 0, result.err
    value = json.loads(result.out)
    gold, restored = (read_treebank([path]).sentences for path in (some, out))
    assert value["sentences"] == len(gold) == 6
    # Slots within multiword tokens do not count.
    assert value["slots"] == sum(s.choices for s in gold) < sum(len(s.slots) for s in gold)
    pairs = [
        zip(open_slots(x, x.slots), open_slots(y, y.slots), strict=True)
        for x, y in zip(gold, restored, strict=True)
    ]
    same = sum(a == b for slots in pairs for a, b in slots)
    assert value["slot_accuracy"] == pytest.approx(same / value["slots"])
    assert 0 < value["average_edit_distance"] < 1
    assert value["signature"].startswith("task:restoration|model:")
    kept = read_result(stored)
    assert kept.signature == value["signature"]
    assert kept.figures.average_edit_distance == value["average_edit_distance"]  # type: ignore[union-attr]
    assert "confusions" not in value
    shown = cli("restore", model, some, "--gold", *FEW)
    assert f"{value['average_edit_distance']:.4f}" in shown.out
    assert value["signature"] in shown.out


def test_mistakes_are_listed(cli: Cli, model: Path, some: Path):
    command = ("restore", model, some, "--gold", "--confusions", 1000, *FEW)
    value = json.loads(cli(*command, "--json").out)
    edits = sum(mistake["edits"] for mistake in value["confusions"])
    assert edits == pytest.approx(value["average_edit_distance"] * value["slots"])
    assert all(m["gold"] != m["predicted"] and m["examples"] for m in value["confusions"])
    table = cli(*command).out
    assert "for example" in table
    example = value["confusions"][0]["examples"][0]
    assert {"▁", *example["before"].split(), *example["after"].split()} <= set(table.split())


def test_marks_restrict(cli: Cli, model: Path, some: Path):
    texts = cli("restore", model, some, "--format", "json", "--marks", ".", *FEW).out
    values = map(json.loads, texts.splitlines())
    slots = [slot for value in values for slot in value.get("slots", ())]
    assert {token for slot in slots for token in slot["surface"]} == {"."}
    # The precision of a mark that was not inserted is undefined.
    table = cli("restore", model, some, "--gold", "--min-confidence", 1, *FEW).out
    assert "nan" not in table
    assert re.search(r"^ *, +- +0\.0000 ", table, re.M)


@pytest.mark.parametrize(
    "options, message",
    [
        (("--mistaken", 0.5), "--mistaken needs --keep repair; give it"),
        (("--nbest", 3), "--nbest needs restored sentences as JSON"),
        (("--nbest", 3, "--format", "json", "--gold"), "--nbest needs restored sentences"),
        (("--marks", "€"), "never seen €; its marks are: , . "),
        (("--json",), "--json needs --gold"),
        (("--json", "--gold", "--output", "-"), "give --output the name of a file"),
        (("--confusions", 3), "--confusions needs --gold"),
        (("--result", "x.json"), "--result needs --gold"),
    ],
)
def test_wrong_usage(cli: Cli, model: Path, some: Path, options: tuple[object, ...], message: str):
    result = cli("restore", model, some, *options)
    assert result.status == 2
    assert message in result.message


def test_marks_of_the_input_are_kept(cli: Cli, model: Path, some: Path, tmp_path: Path):
    out = tmp_path / "out.conllu"
    assert cli("restore", model, some, "--keep", "keep", "-o", out, *FEW).status == 0
    before, after = (read_treebank([path]).sentences for path in (some, out))
    slots = [[slot for s in sentences for slot in s.slots] for sentences in (before, after)]
    assert all(new == old for old, new in zip(*slots, strict=True) if old)
    assert any(slots[0])
    assert cli("restore", model, some, "--keep", "repair", "--mistaken", 2).status == 2


QUOTED = """1	"	"	PUNCT	_	_	2	punct	_	SpaceAfter=No
2	Go	go	VERB	_	_	4	ccomp	_	SpaceAfter=No
3	"	"	PUNCT	_	_	2	punct	_	_
4	said	say	VERB	_	_	0	root	_	_
5	he	he	PRON	_	_	4	nsubj	_	_

"""


def test_straight_quotes_of_the_input_stay_straight(cli: Cli, model: Path):
    """This holds for the output and for messages about it."""
    arguments = ("restore", model, "-", "--keep", "keep", *FEW)
    conllu = cli(*arguments, stdin=QUOTED.encode()).out
    forms = [line.split("\t")[1] for line in conllu.strip().splitlines()]
    assert forms[:4] == ['"', "Go", '"', "said"]
    shown = cli(*arguments, "--format", "json", "--nbest", 2, stdin=QUOTED.encode()).out
    value = json.loads(shown)
    assert value["text"].startswith('"Go" said he')
    for slot in (0, 1):
        assert "“" not in json.dumps(value["slots"][slot], ensure_ascii=False)
        assert {tuple(draw["slots"][slot]) for draw in value["nbest"]} == {('"',)}
