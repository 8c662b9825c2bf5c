import pytest

from semipunct.corpus.statistics import statistics
from semipunct.formats import read_entries, read_treebank
from tests.formats.conllu.builders import sentence, word

# "Hi." he said.  /  Hi, etc.  /  an omitted sentence  /  a crossing arc (4 depends on 2)
TEXT = (
    sentence(
        word(1, '"', 2, upos="PUNCT"),
        word(2, "Hi", 6),
        word(3, ".", 2, upos="PUNCT"),
        word(4, '"', 2, upos="PUNCT"),
        word(5, "he", 6),
        word(6, "said", 0),
        word(7, ".", 6, upos="PUNCT"),
    )
    + sentence(
        word(1, "Hi", 0),
        word(2, ",", 1, upos="PUNCT"),
        word(3, "etc.", 1),
        word(4, ".", 1, upos="PUNCT"),
    )
    + sentence(word(1, "?", 0, upos="PUNCT"))
    + sentence(word(1, "a", 2), word(2, "b", 3), word(3, "c", 0), word(4, "d", 2))
)


@pytest.fixture
def found(tmp_path):
    path = tmp_path / "text.conllu"
    path.write_text(TEXT, encoding="utf-8")
    return statistics(read_entries([path]), minimum_count=2)


def test_counts(found):
    assert (found.sentences_read, found.sentences_used) == (4, 3)
    assert found.omitted == {"punctuation has dependents": 0, "nothing but punctuation": 1}
    assert (found.tokens, found.punctuation) == (16, 7)
    assert found.percent_punctuation == pytest.approx(43.75)
    assert (found.words, found.slots) == (9, 12)
    assert (found.projectivised, found.arcs_lifted) == (1, 1)
    assert found.percent_projectivised == pytest.approx(100 / 3)
    assert (found.quotes_replaced, found.quotes_straight) == (2, 0)
    assert found.abbreviation_dots == 1


def test_empty_lines_of_text_are_no_sentences(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n...\n\n", encoding="utf-8")
    counts = statistics(read_entries([path]))
    assert (counts.sentences_read, counts.omitted["nothing but punctuation"]) == (1, 1)
    assert [(omitted.reason, omitted.line) for omitted in read_treebank([path]).omitted] == [
        ("nothing but punctuation", 2)
    ]


def test_slot_lengths_leave_the_initial_mark_out(found):
    assert found.slot_lengths == {0: 7, 1: 3, 2: 2}


def test_types_and_punctemes_are_counted_after_rare_tokens_are_gone(found):
    assert found.token_counts == {".": 3, ",": 1, "<abbr>": 1, "“": 1, "”": 1}
    assert (found.rare_types, found.rare_tokens) == (4, 4)
    assert found.types == 2  # the period and UNK
    # ^ UNK, . UNK, nothing, period, ^, UNK, UNK period
    assert found.punctemes == 7
    # (^ UNK, . UNK), (. UNK, nothing), (^ UNK, period); (^, UNK period), (UNK, UNK period);
    # (^, nothing), (nothing, nothing)
    assert found.pairs == 7
