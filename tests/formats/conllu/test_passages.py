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
    (passage,) = passages(records(text))
    assert passage.text == "Go ,Al! Why?Yes"
    assert list(passage.forms()) == ["Go", ",", "Al", "!", "Why", "?", "Yes"]
    assert passage.ends == (False, False, False, True, False, True, True)
    assert passage.marks == (False, True, False, True, False, True, False)
    assert passage.words[0] == ("Go",)


def test_a_typographer_sets_those_that_a_file_does_not_tell():
    text = sentence(word(1, "“", 2, upos="PUNCT"), word(2, "Go", 0), word(3, "!", 2, upos="PUNCT"))
    (passage,) = passages(records(text + text))
    assert passage.text == "“Go! “Go!"
    chinese = sentence(word(1, "我", 2), word(2, "来", 0), word(3, "。", 2, upos="PUNCT"))
    (passage,) = passages(records(chinese + chinese))
    assert passage.text == "我来。我来。"


def test_multiword_tokens_are_spelt_as_one():
    text = sentence(
        word("1-2", "Al", "_", misc=NO), word(1, "A", 2, misc=NO), word(2, "el", 0, misc=NO),
        word(3, ".", 2, upos="PUNCT"),
    )  # fmt: skip
    (passage,) = passages(records(text))
    assert (passage.text, passage.words) == ("Al.", (("A", "el"), (".",)))


def test_passages_end_with_documents_and_when_they_are_long():
    short = sentence(word(1, "Go", 0))
    sizes = [len(p.sentences) for p in passages(records(short * (SENTENCES + 3)))]
    assert sizes == [SENTENCES, 3]
    parted = short + "# newdoc id = b\n" + short + "# newpar\n" + short + short
    assert [len(p.sentences) for p in passages(records(parted))] == [1, 1, 2]
    assert [len(p.sentences) for p in passages(records(short * 3), characters=2)] == [1, 1, 1]


def test_heads_need_not_be_there(tmp_path: Path):
    path = tmp_path / "a.conllu"
    path.write_text(sentence(word(1, "Go", "_")))
    (passage,) = read_passages([path])
    assert (passage.text, passage.path, passage.line, passage.name) == ("Go", str(path), 1, "#1")
