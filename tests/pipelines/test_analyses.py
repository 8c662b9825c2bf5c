"""Analyses as text, for the example sentence of the paper's introduction."""

import json
from dataclasses import replace

import pytest

from semipunct.corpus import Entry, Sentence
from semipunct.formats.conllu import ConlluWriter
from semipunct.formats.conllu.records import Record
from semipunct.marks import Edit, Puncteme, with_boundaries
from semipunct.models.punctuation.decode import Analysis, SlotAnalysis
from semipunct.pipelines import tree_writing as render
from semipunct.trees import DependencyTree
from tests.formats.conllu.builders import records, word
from tests.formats.conllu.punctuation import content, entry_of

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
# The paper attaches the relative clause beside the apposition: both are constituents of the king.
PAPER_HEADS = (0, 3, 1, 5, 3, 7, 3, 7)
PAIRS: dict[str, tuple[Puncteme, Puncteme]] = {
    "Hail": ((), (".",)),
    "Pendragon": ((",",), (",",)),
    "wields": ((",",), (",",)),
    "Excalibur": (("“",), ("”",)),
}


def analyse(
    sentence: Sentence, pairs: dict[str, tuple[Puncteme, Puncteme]], *, final: bool = False
) -> Analysis:
    chosen = tuple(pairs.get(form, ((), ())) for form in sentence.forms)
    edits = {3: (), 5: (Edit("absorb_left", ",", ","),)}
    gathered = [tuple(string) for string in sentence.tree.gather(chosen)]
    underlying, surface = (
        with_boundaries(strings, final=final) for strings in (gathered, sentence.slots)
    )
    slots = tuple(
        SlotAnalysis(u, edits.get(i, ()), x)
        for i, (u, x) in enumerate(zip(underlying, surface, strict=True))
    )
    return Analysis(sentence, chosen, -12.5, -0.25, slots)


@pytest.fixture(scope="module")
def entry() -> Entry[Record]:
    return entry_of(*LINES)


@pytest.fixture
def hail(entry: Entry[Record]) -> Analysis:
    sentence = content(entry)
    return analyse(replace(sentence, tree=replace(sentence.tree, heads=PAPER_HEADS)), PAIRS)


def written(entry: Entry[Record], analysis: Analysis, number: int | None = None) -> str:
    return ConlluWriter().annotate(entry, render.tree_annotation(analysis, number))


def test_brackets_are_those_of_the_paper(hail: Analysis):
    assert str(hail) == (
        "^ Hail the king [ , Arthur Pendragon , ] [ , who wields [ “ Excalibur ” ] , ] ."
    )


def test_nodes_without_punctemes_have_no_brackets(hail: Analysis):
    assert str(analyse(hail.sentence, {})) == "^ " + " ".join(hail.sentence.forms)


def test_constituents_that_share_edges_nest_and_square_brackets_are_marked():
    lines = (word(1, "a", 2), word(2, "b", 3), word(3, "c", 0))
    sentence = content(entry_of(*lines))
    pairs = {"a": (("[",), ("]",)), "b": ((";",), ()), "c": (("(",), (")",))}
    text = str(analyse(sentence, pairs, final=True))
    assert text == "^ ( [ ; [ \\[ a \\] ] b ] c ) $"


def test_an_annotation(hail: Analysis):
    assert render.tree_annotation(hail).attributes == {
        1: {"SemipunctRight": "."},
        5: {"SemipunctLeft": ",", "SemipunctRight": ","},
        7: {"SemipunctLeft": ",", "SemipunctRight": ","},
        8: {"SemipunctLeft": "“", "SemipunctRight": "”"},
    }
    assert render.tree_annotation(hail).comments == {
        "semipunct_log_likelihood": "-12.250000",
        "semipunct_log_joint": "-12.500000",
        "semipunct_log_posterior": "-0.250000",
    }
    ranked = render.tree_annotation(hail, 2, "rank").comments
    assert next(iter(ranked.items())) == ("semipunct_rank", "2")


def test_tokens_that_would_break_the_column_are_escaped(entry, hail: Analysis):
    analysis = analyse(hail.sentence, {"king": (("|", "="), (".", "”"))})
    text = written(entry, analysis, number=3)
    assert "\tSemipunctLeft=%7C%20%3D|SemipunctRight=.%20”\n" in text
    assert "# semipunct_sample = 3\n" in text


def test_annotated_text_reads_back_as_the_same_sentence(entry, hail: Analysis):
    (again,) = records(written(entry, hail))
    assert again.sentence_id == "hail"
    for before, after in zip(entry.record.tokens, again.tokens, strict=True):
        assert before._replace(position=0) == after._replace(position=0)


def test_json_is_one_strict_object_in_one_line(entry, hail: Analysis):
    text = render.dump(render.analysis_as_dict(hail, entry.word_ids, number=2))
    assert "\n" not in text
    value = json.loads(text)
    assert list(value) == [
        "schema", "sent_id", "sample", "words", "word_ids", "heads", "relations",
        "log_likelihood", "log_joint", "log_posterior", "nodes", "slots",
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
    assert "sample" not in render.analysis_as_dict(hail, entry.word_ids)
    assert render.analysis_as_dict(hail, entry.word_ids, 1, "rank")["rank"] == 1


def test_json_refuses_what_json_cannot_say(entry, hail: Analysis):
    with pytest.raises(ValueError, match="JSON compliant"):
        render.dump(render.analysis_as_dict(replace(hail, log_joint=float("-inf")), entry.word_ids))


def test_sentences_left_out(entry, hail: Analysis):
    sentence = hail.sentence
    assert render.omitted_as_dict(sentence, "a reason") == {
        "schema": "semipunct.omitted/1",
        "sent_id": "hail",
        "omitted": "a reason",
    }


def test_a_very_deep_tree_is_written():
    n = 20_000
    heads = tuple(range(n))
    sentence = Sentence(
        "deep", "-", 1, ("w",) * n, ("w",) * n, ("X",) * n, ("_",) * n, ("_",) * n,
        DependencyTree(heads, ("dep",) * n), ((),) * n + ((",",),),
    )  # fmt: skip
    pairs = (((), ()),) + (((), (",",)),) * (n - 1)
    slots = tuple(SlotAnalysis((), (), ()) for _ in range(n + 1))
    text = str(Analysis(sentence, pairs, 0.0, 0.0, slots))
    assert text.count("[") == text.count("]") == n - 1
