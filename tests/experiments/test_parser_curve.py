"""Parts of a treebank for training parsers."""


def test_parts_are_from_all_over_the_treebank(driver):
    spread = driver("parser_curve").spread
    assert spread(range(10), 0.3) == [0, 3, 6]
    assert spread(range(10), 1) == list(range(10))
    assert spread(range(10), 0.01) == [0]
