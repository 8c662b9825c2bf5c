"""The driver that compares tokenisers gives its tagger passages as sentences."""

from collections.abc import Callable
from types import ModuleType

from semipunct.models.segmentation.guises import Segmentation


def test_a_passage_as_a_sentence(driver: Callable[[str], ModuleType]):
    passage = Segmentation("so he so", [(0, 2), (3, 5), (6, 8)], [False, True, True])
    found = driver("segmentation").as_sentence(passage)
    assert found.forms == ("so", "he", "so")
    assert found.slots == ((), (), (".",), (".",))
    assert found.tree.heads == (0, 1, 2)
