"""Agreement of numbers with nouns."""

import math

from semipunct.wording import figure, quantity


def test_a_number_and_its_noun_agree():
    assert quantity(1, "sentence") == "1 sentence"
    assert [quantity(n, "node") for n in (0, 2, -1)] == ["0 nodes", "2 nodes", "-1 nodes"]
    assert quantity(12_467, "sentence") == "12,467 sentences"
    assert quantity(1, "leaf", "leaves") == "1 leaf"
    assert quantity(3, "leaf", "leaves") == "3 leaves"


def test_an_undefined_figure_is_a_dash():
    assert figure(math.nan) == "-"
    assert [figure(0.5), figure(math.inf), figure(1234.5, ",.1f")] == ["0.5000", "inf", "1,234.5"]
