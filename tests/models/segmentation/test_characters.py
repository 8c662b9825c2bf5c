"""Character properties, and their codes."""

from semipunct.models.segmentation.characters import CODES, CharacterVocabulary, Coder, properties


def test_properties_written_out():
    found = properties("Ab, c")
    assert found["character"] == list("Ab, c")
    assert found["kind"][:3] == ["Lu LATIN", "Ll LATIN", "Po COMMA"]
    assert found["pair"] == ["Ab", "b,", ", ", " c", "c"]
    assert found["run"] == ["ab", "ab", "", "", "c"]
    assert found["following"] == ["c", "c", "c", "c", ""]
    assert found["shape"] == ["Aa2", "Aa2", "", "", "a1"]
    assert found["style"] == ["marks capitals"] * 5
    assert properties("i'm")["style"] == [" "] * 3


def test_rare_values_are_unknown():
    known = CharacterVocabulary.of(["ab ab", "ab c"], characters=2, runs=2)
    assert known.character == (" ", "a", "b")
    assert known.run == ("ab",)
    codes = dict(zip(CODES, Coder(known).codes("ab c").tolist(), strict=True))
    assert codes["character"] == [2, 3, 1, 0]
    assert codes["run"] == [1, 1, 0, 0]
    assert codes["following"] == [0, 0, 0, 0]
    assert all(max(codes[name]) < known.sizes[name] for name in CODES)


def test_no_characters():
    known = CharacterVocabulary.of([], 1, 1)
    assert Coder(known).codes("").shape == (len(CODES), 0)
    assert set(known.sizes.values()) == {1}
