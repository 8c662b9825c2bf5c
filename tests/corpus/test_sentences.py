import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipunct.corpus.sentences import (
    Omitted,
    Sentence,
    TreebankOptions,
    frequent_tokens,
    read_sentences,
    to_sentence,
    token_counts,
    with_unknown,
)
from semipunct.marks import ABBREVIATION, FINAL, INITIAL, UNK
from tests.formats.conllu.builders import chain, record, records, trees, word

ROOT = Path(__file__).resolve().parents[2]


def mark(word_id, form, head, xpos="_"):
    return word(word_id, form, head, "punct", "PUNCT", xpos)


HAIL = record(
    "# sent_id = hail",
    mark(1, '"', 2, "``"),
    word(2, "Hail", 4, "ccomp"),
    mark(3, '"', 2, "''"),
    word(4, "said", 0, "root", "VERB"),
    word(5, "Mr.", 4, "nsubj"),
    mark(6, ".", 4),
)


def test_punctuation_goes_into_slots():
    found = to_sentence(HAIL)
    assert isinstance(found, Sentence)
    assert found.forms == ("Hail", "said", "Mr")
    assert found.lemmas == ("hail", "said", "mr.")
    assert found.slots == ((INITIAL, "“"), ("”",), (), (ABBREVIATION, "."))
    assert found.heads == (2, 0, 2)
    assert found.relations == ("ccomp", "root", "nsubj")
    assert found.upos == ("X", "VERB", "X")
    assert found.word_ids == (2, 4, 5)
    assert (found.sentence_id, found.line, found.record) == ("hail", 1, HAIL)
    assert (found.lifted, found.quotes_replaced, found.quotes_straight) == (0, 2, 0)


def test_options():
    options = TreebankOptions(
        initial_mark=False, final_mark=True, abbreviation_dots=False, keep_records=False
    )
    found = to_sentence(HAIL, options)
    assert isinstance(found, Sentence)
    assert found.forms == ("Hail", "said", "Mr.")
    assert found.slots == (("“",), ("”",), (), (".", FINAL))
    assert found.record is None


@pytest.mark.parametrize(
    "form, split",
    [
        ("etc.", True),
        ("U.S.", True),
        ("a..", True),
        ("1.", True),
        (".", False),
        ("...", False),
        ("-.", False),
        ("$.", False),
        ("etc", False),
        ("etc。", False),
        (".net", False),
    ],
)
def test_abbreviation_dots(form, split):
    found = to_sentence(record(word(1, form, 0)))
    assert isinstance(found, Sentence)
    assert found.forms == ((form[:-1] if split else form),)
    assert found.slots[1] == ((ABBREVIATION,) if split else ())


@pytest.mark.parametrize("form", ["^", "$", "<unk>", "<open>", "<abbr>"])
def test_a_token_spelt_like_a_special_one_is_unknown(form):
    found = to_sentence(record(mark(1, form, 2), word(2, "a", 0)))
    assert isinstance(found, Sentence)
    assert found.slots[0] == (INITIAL, UNK)


def test_a_word_spelt_like_a_mark_is_a_word():
    found = to_sentence(record(word(1, ",", 0)))
    assert isinstance(found, Sentence)
    assert found.forms == (",",)


@pytest.mark.parametrize(
    "lines, reason",
    [
        ([mark(1, ".", 0)], "nothing but punctuation"),
        ([mark(1, ".", 2), mark(2, ".", 0)], "punctuation has dependents"),
        ([word(1, "a", 0), mark(2, ",", 1), word(3, "b", 2)], "punctuation has dependents"),
    ],
)
def test_omitted_sentences(lines, reason):
    source = record(*lines)
    assert to_sentence(source) == Omitted(reason, "#1", source.path, 1, source)
    assert to_sentence(source, TreebankOptions(keep_records=False)).record is None


def test_arcs_that_only_punctuation_made_cross_are_left_alone():
    # The arc from word 4 to the comma crosses the root; without the comma the tree is projective.
    found = to_sentence(record(word(1, "a", 3), mark(2, ",", 4), word(3, "b", 0), word(4, "c", 3)))
    assert isinstance(found, Sentence)
    assert found.lifted == 0


@given(trees(), st.data())
def test_nothing_is_lost(heads, data):
    """The words and the slots read from left to right are the sentence."""
    leaves = [node for node in range(1, len(heads) + 1) if node not in heads]
    picked = set(data.draw(st.lists(st.sampled_from(leaves)))) if len(heads) > 1 else set()
    lines = [
        mark(node, f"m{node}", head) if node in picked else word(node, f"w{node}", head)
        for node, head in enumerate(heads, start=1)
    ]
    found = to_sentence(record(*lines), TreebankOptions(initial_mark=False))
    assert isinstance(found, Sentence)
    text = [*found.slots[0]]
    for form, slot in zip(found.forms, found.slots[1:], strict=True):
        text += [form, *slot]
    assert text == [line.split("\t")[1] for line in lines]
    assert found.forms == tuple(f"w{i}" for i in found.word_ids)
    for word_id, head in zip(found.word_ids, found.heads, strict=True):
        if found.lifted == 0:
            assert heads[word_id - 1] == (found.word_ids[head - 1] if head else 0)


def test_files_are_read_in_order(tmp_path):
    paths = [tmp_path / "one.conllu", tmp_path / "two.conllu"]
    paths[0].write_text(chain(2) + mark(1, ".", 0) + "\n\n", encoding="utf-8")
    paths[1].write_text(chain(4), encoding="utf-8")
    found = read_sentences(paths)
    assert [len(item.forms) for item in found.sentences] == [2, 4]
    assert found.omitted_by_reason() == {
        "punctuation has dependents": 0,
        "nothing but punctuation": 1,
    }
    assert (found.projectivised, found.lifted) == (0, 0)


def test_rare_tokens_become_unknown():
    found = to_sentence(HAIL)
    assert isinstance(found, Sentence)
    counts = token_counts([found])
    assert counts == {INITIAL: 1, "“": 1, "”": 1, ABBREVIATION: 1, ".": 1}
    known = frequent_tokens({**counts, "“": 5}, 5)
    replaced = with_unknown(found, known)
    assert replaced.slots == ((INITIAL, "“"), (UNK,), (), (UNK, UNK))
    assert with_unknown(replaced, known) is replaced
    assert with_unknown(found, frozenset()).slots[0] == (INITIAL, UNK)


def test_a_sentence_of_100000_words_takes_seconds():
    (source,) = records(chain(100_000))
    found = to_sentence(source)
    assert isinstance(found, Sentence)
    assert len(found.slots) == 100_001


def test_jax_is_not_imported():
    code = "import sys, semipunct.treebank; sys.exit('jax' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
