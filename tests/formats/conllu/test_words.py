"""CoNLL-U words without heads."""

from pathlib import Path

import pytest

from semipunct.corpus import Words
from semipunct.errors import UsageError
from semipunct.formats import format_of, read_treebank
from semipunct.formats.conllu.reading import to_words
from semipunct.marks import ABBREVIATION
from tests.formats.conllu.builders import records, sentence, word


def words(*lines: str):
    (record,) = records(sentence(*lines), trees=False)
    return to_words(record)


def test_marks_are_told_by_tags_or_without_any_by_their_characters():
    tagged = words(word(1, "%", "_", upos="PUNCT"), word(2, "etc.", "_"), word(3, "!", "_"))
    assert tagged.content.slots == (("%",), (ABBREVIATION,), ())
    assert tagged.content.forms == ("etc", "!")
    bare = words(
        *(word(i, form, "_", upos="_") for i, form in enumerate(['"', "Go", '"', "$", "."], 1))
    )
    assert bare.content == Words(
        bare.record.sentence_id, bare.record.path, 1, ("Go", "$"), (("“",), ("”",), (".",))
    )
    assert bare.word_ids == (2, 4)


def test_a_file_with_trees_gives_words_as_well(tmp_path: Path):
    path = tmp_path / "a.conllu"
    path.write_text(sentence(word(1, "Go", 0), word(2, "!", 1, upos="PUNCT")))
    (entry,) = format_of(path).read_words(path)
    (s,) = read_treebank([path]).sentences
    assert entry.content == Words(s.sentence_id, s.path, s.line, s.forms, s.slots)


def test_marks_cannot_be_attached_without_a_tree():
    entry = words(word(1, "Go", "_"), word(2, "on", "_"))
    writer = format_of().writer()
    with pytest.raises(UsageError, match=r"it has no tree.*parse it first"):
        writer.punctuate(entry, [(), (), (".",)])
