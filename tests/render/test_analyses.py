"""Analyses as text, on the sentence of the paper's introduction, made by hand."""

import json
from dataclasses import replace

import pytest

from semipunct.corpus.sentences import Sentence, TreebankOptions, to_sentence
from semipunct.errors import UsageError
from semipunct.formats.conllu.records import read
from semipunct.inference.decode import Analysis, SlotAnalysis, underlying
from semipunct.inference.rewriting import Edit
from semipunct.marks import Puncteme
from semipunct.render import analyses as formats
from semipunct.trees.tree import constituents
from tests.formats.conllu.builders import record, word

LINES = (
    "# sent_id = hail",
    word(1, "Hail", 0, "root"),
    word(2, "the", 3, "det"),
    word(3, "king", 1, "obj"),
    word(4, ",", 6, "punct", "PUNCT"),
    word(5, "Arthur", 6, "name"),
    word(6, "Pendragon", 3, "appos", misc="Known=yes"),
    word(7, ",", 9, "punct", "PUNCT"),
    word(8, "who", 9, "nsubj"),
    word(9, "wields", 6, "acl:relcl"),
    word(10, '"', 11, "punct", "PUNCT", "``"),
    word(11, "Excalibur", 9, "obj", misc="SpaceAfter=No"),
    word(12, ".", 1, "punct", "PUNCT"),
    word(13, '"', 11, "punct", "PUNCT", "''"),
)
# The paper hangs the relative clause beside the apposition: both are constituents of the king.
PAPER_HEADS = (0, 3, 1, 5, 3, 7, 3, 7)
PAIRS: dict[str, tuple[Puncteme, Puncteme]] = {
    "Hail": ((), (".",)),
    "Pendragon": ((",",), (",",)),
    "wields": ((",",), (",",)),
    "Excalibur": (("“",), ("”",)),
}


def analyse(sentence: Sentence, pairs: dict[str, tuple[Puncteme, Puncteme]]) -> Analysis:
    chosen = tuple(pairs.get(form, ((), ())) for form in sentence.forms)
    edits = {3: (), 5: (Edit("absorb_left", ",", ","),)}
    slots = tuple(
        SlotAnalysis(u, edits.get(i, ()), x)
        for i, (u, x) in enumerate(zip(underlying(sentence, chosen), sentence.slots, strict=True))
    )
    return Analysis(sentence, chosen, -12.5, -0.25, slots)


@pytest.fixture
def hail() -> Analysis:
    sentence = to_sentence(record(*LINES))
    assert isinstance(sentence, Sentence)
    return analyse(replace(sentence, heads=PAPER_HEADS), PAIRS)


def test_brackets_are_those_of_the_paper(hail: Analysis):
    assert formats.to_brackets(hail) == (
        "^ Hail the king [ , Arthur Pendragon , ] [ , who wields [ “ Excalibur ” ] , ] ."
    )


def test_nodes_without_punctemes_have_no_brackets(hail: Analysis):
    assert formats.to_brackets(analyse(hail.sentence, {})) == "^ " + " ".join(hail.sentence.forms)


def test_constituents_that_share_edges_nest_and_square_brackets_are_marked():
    lines = (word(1, "a", 2), word(2, "b", 3), word(3, "c", 0))
    sentence = to_sentence(record(*lines), TreebankOptions(final_mark=True))
    assert isinstance(sentence, Sentence)
    pairs = {"a": (("[",), ("]",)), "b": ((";",), ()), "c": (("(",), (")",))}
    text = formats.to_brackets(analyse(sentence, pairs))
    assert text == "^ ( [ ; [ \\[ a \\] ] b ] c ) $"


def test_conllu_adds_attributes_and_comments_and_nothing_else(hail: Analysis):
    before = "\n".join(LINES) + "\n\n"
    after = formats.to_conllu(hail)
    added = [
        "# semipunct_log_joint = -12.500000",
        "# semipunct_log_posterior = -0.250000",
    ]
    lines = after.split("\n")
    assert lines[1:3] == added
    restored = [line for line in lines if line not in added]
    for misc in (
        "|SemipunctLeft=,|SemipunctRight=,",
        "|SemipunctLeft=“|SemipunctRight=”",
    ):
        assert any(line.endswith(misc) for line in restored)
        restored = [line.removesuffix(misc) for line in restored]
    assert [line.removesuffix("SemipunctRight=.") for line in restored][1] == LINES[1][:-1]
    restored = [
        line.replace("SemipunctLeft=,|SemipunctRight=,", "_").replace("SemipunctRight=.", "_")
        for line in restored
    ]
    assert "\n".join(restored) == before


def test_tokens_that_would_break_the_column_are_escaped(hail: Analysis):
    text = formats.to_conllu(analyse(hail.sentence, {"king": (("|", "="), (".", "”"))}), number=3)
    assert "\tSemipunctLeft=%7C%20%3D|SemipunctRight=.%20”\n" in text
    assert "# semipunct_sample = 3\n" in text


def test_annotated_text_reads_back_as_the_same_sentence(hail: Analysis, tmp_path):
    path = tmp_path / "hail.conllu"
    path.write_text(formats.to_conllu(hail), encoding="utf-8")
    (again,) = read(path)
    assert again.tokens[0].form == "Hail"
    assert again.sentence_id == "hail"


def test_without_its_record_a_sentence_cannot_become_conllu(hail: Analysis):
    bare = replace(hail, sentence=replace(hail.sentence, record=None))
    with pytest.raises(UsageError, match="keep_records"):
        formats.to_conllu(bare)


def test_json_is_one_strict_object_in_one_line(hail: Analysis):
    text = formats.to_json(hail, number=2)
    assert "\n" not in text
    value = json.loads(text)
    assert list(value) == [
        "sent_id", "sample", "words", "word_ids", "heads", "relations", "log_joint",
        "log_posterior", "nodes", "slots",
    ]  # fmt: skip
    assert value["sample"] == 2
    assert value["words"] == list(hail.sentence.forms)
    assert value["word_ids"] == [1, 2, 3, 5, 6, 8, 9, 11]
    assert value["nodes"][4] == {"word": 5, "left": [","], "right": [","]}
    assert len(value["slots"]) == len(value["words"]) + 1
    assert value["slots"][5] == {
        "slot": 5,
        "underlying": [",", ","],
        "edits": [{"edit": "absorb_left", "a": ",", "b": ","}],
        "surface": [","],
    }
    assert "sample" not in json.loads(formats.to_json(hail))


def test_json_refuses_what_json_cannot_say(hail: Analysis):
    with pytest.raises(ValueError, match="JSON compliant"):
        formats.to_json(replace(hail, log_joint=float("-inf")))


def test_sentences_left_out(hail: Analysis):
    sentence = hail.sentence
    conllu = formats.omitted_to_conllu(sentence, "a reason")
    assert conllu == "\n".join((LINES[0], "# semipunct_omitted = a reason", *LINES[1:])) + "\n\n"
    assert json.loads(formats.omitted_to_json(sentence, "a reason")) == {
        "sent_id": "hail",
        "omitted": "a reason",
    }
    assert formats.omitted_to_brackets(sentence, "a reason").startswith("# semipunct_omitted")


def test_surface(hail: Analysis):
    assert formats.to_surface(hail.sentence) == (
        "Hail the king , Arthur Pendragon , who wields “ Excalibur . ”"
    )


def test_a_very_deep_tree_is_written():
    n = 20_000
    heads = tuple(range(n))
    sentence = Sentence(
        "deep", "-", 1, ("w",) * n, ("w",) * n, ("X",) * n, ("_",) * n, ("_",) * n, ("dep",) * n,
        heads, ((),) * n + ((",",),), tuple(range(1, n + 1)),
    )  # fmt: skip
    left, _ = constituents(heads)
    assert left == list(range(n))
    pairs = (((), ()),) + (((), (",",)),) * (n - 1)
    slots = tuple(SlotAnalysis((), (), ()) for _ in range(n + 1))
    text = formats.to_brackets(Analysis(sentence, pairs, 0.0, 0.0, slots))
    assert text.count("[") == text.count("]") == n - 1
