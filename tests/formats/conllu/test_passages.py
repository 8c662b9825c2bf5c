"""Running text from treebanks."""

from pathlib import Path

from semipunct.formats.conllu.passages import SENTENCES, passages, read_passages
from tests.formats.conllu.builders import records, sentence, word

NO = "SpaceAfter=No"


def test_spaces_are_those_of_the_treebank():
    text = sentence(
        word(1, "Go", 0), word(2, ",", 1, upos="PUNCT", misc=NO), word(3, "Al", 1, misc=NO),
        word(4, "!", 1, upos="PUNCT"),
    ) + sentence(word(1, "Why", 0, misc=NO), word(2, "?", 1, upos="PUNCT", misc=NO)) + sentence(
        word(1, "Yes", 0)
    )  # fmt: skip
    (found,) = passages(records(text))
    assert found.text == "Go ,Al! Why?Yes"
    assert list(found.forms()) == ["Go", ",", "Al", "!", "Why", "?", "Yes"]
    assert found.ends == (False, False, False, True, False, True, True)
    assert found.marks == (False, True, False, True, False, True, False)
    assert found.words[0] == ("Go",)


def test_a_typographer_sets_those_that_a_file_does_not_tell():
    text = sentence(word(1, "“", 2, upos="PUNCT"), word(2, "Go", 0), word(3, "!", 2, upos="PUNCT"))
    (found,) = passages(records(text + text))
    assert found.text == "“Go! “Go!"
    chinese = sentence(word(1, "我", 2), word(2, "来", 0), word(3, "。", 2, upos="PUNCT"))
    (found,) = passages(records(chinese + chinese))
    assert found.text == "我来。我来。"


def test_multiword_tokens_are_spelt_as_one():
    text = sentence(
        word("1-2", "Al", "_", misc=NO), word(1, "A", 2, misc=NO), word(2, "el", 0, misc=NO),
        word(3, ".", 2, upos="PUNCT"),
    )  # fmt: skip
    (found,) = passages(records(text))
    assert (found.text, found.words) == ("Al.", (("A", "el"), (".",)))


def test_passages_end_with_documents_and_when_they_are_long():
    one = sentence(word(1, "Go", 0))
    found = [len(p.sentences) for p in passages(records(one * (SENTENCES + 3)))]
    assert found == [SENTENCES, 3]
    parted = one + "# newdoc id = b\n" + one + "# newpar\n" + one + one
    assert [len(p.sentences) for p in passages(records(parted))] == [1, 1, 2]
    assert [len(p.sentences) for p in passages(records(one * 3), characters=2)] == [1, 1, 1]


def test_heads_need_not_be_there(tmp_path: Path):
    path = tmp_path / "a.conllu"
    path.write_text(sentence(word(1, "Go", "_")))
    (found,) = read_passages([path])
    assert (found.text, found.path, found.line, found.name) == ("Go", str(path), 1, "#1")


def test_all_of_a_treebank_is_in_its_passages(shared_data: Path):
    found = read_passages([shared_data / "en" / "dev.conllu"])
    assert sum(len(p.sentences) for p in found) == 2002
    assert sum(p.size for p in found) == 25148
