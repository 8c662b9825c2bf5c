"""Character properties, and their codes."""

from semipunct.models.segmentation.characters import CODES, CharacterVocabulary, properties


def test_properties_written_out():
    values = properties("Ab, c")
    assert values["character"] == list("Ab, c")
    assert values["kind"][:3] == ["Lu LATIN", "Ll LATIN", "Po COMMA"]
    assert values["pair"] == ["Ab", "b,", ", ", " c", "c"]
    assert values["run"] == ["ab", "ab", "", "", "c"]
    assert values["following"] == ["c", "c", "c", "c", ""]
    assert values["shape"] == ["Aa2", "Aa2", "", "", "a1"]
    assert values["style"] == ["marks capitals"] * 5
    assert properties("12 雨 1B")["shape"] == ["12", "12", "", "x1", "", "A2", "A2"]
    assert properties("i'm")["style"] == [" "] * 3


def test_rare_values_are_unknown():
    vocabulary = CharacterVocabulary.of(["ab ab", "ab c"], characters=2, runs=2)
    assert vocabulary.character == (" ", "a", "b")
    assert vocabulary.run == ("ab",)
    codes = dict(zip(CODES, vocabulary.encode("ab c").tolist(), strict=True))
    assert codes["character"] == [2, 3, 1, 0]
    assert codes["run"] == [1, 1, 0, 0]
    assert codes["following"] == [0, 0, 0, 0]
    assert all(max(codes[name]) < vocabulary.size(name) for name in CODES)


def test_no_characters():
    vocabulary = CharacterVocabulary.of([], 1, 1)
    assert vocabulary.encode("").shape == (len(CODES), 0)
    assert set(vocabulary.sizes(CODES).values()) == {1}
