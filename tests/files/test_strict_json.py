"""Strict JSON, and the messages for invalid JSON."""

import math

import pytest

from semipunct.files import finite, from_json, json_document, to_json


def test_json_has_no_infinities():
    assert [finite(x) for x in (1.5, math.nan, math.inf, -math.inf)] == [1.5, None, None, None]
    assert to_json({"é": [1, None]}) == '{"é":[1,null]}'
    assert to_json({"a": 1, "b": 2}, indent=1) == '{\n "a": 1,\n "b": 2\n}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(math.nan)
    assert from_json(b'{"a": [1, 2.5]}') == {"a": [1, 2.5]}
    with pytest.raises(ValueError, match="it contains -Infinity, which is not a number"):
        from_json(b"[-Infinity]")


def test_half_of_a_surrogate_pair_is_no_text():
    assert from_json(rb'["\ud83d\ude00", "\\ud800"]') == ["😀", r"\ud800"]
    for content in (rb'["\ud800"]', rb'{"\uDFFF": 1}', rb'["\ude00\ud83d"]'):
        with pytest.raises(ValueError, match="surrogates not allowed"):
            from_json(content)


def test_names_of_files_that_are_no_text_are_shown():
    assert to_json({"file": "a\udcff.conllu"}) == '{"file":"a?.conllu"}'


def test_a_document_is_read_back_and_ends_its_last_line():
    content = json_document({"é": [1]})
    assert content == '{\n "é": [\n  1\n ]\n}\n'.encode()
