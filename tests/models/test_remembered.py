"""Values computed from weights are cached for the same weights, and released with their model."""

import gc
import weakref

from semipunct.models.base import cache_latest


class Held:
    """A stand-in for a model: compared by identity, and weakly referenced."""


def test_once_for_the_same_weights_of_the_same_model():
    computed = []

    @cache_latest
    def total(model, parameters):
        computed.append(model)
        return sum(parameters.values())

    first, second = Held(), Held()
    weights = {"a": 1, "b": 2}
    assert [total(first, weights), total(first, weights), total(second, weights)] == [3, 3, 3]
    assert computed == [first, second]
    assert total(first, {"a": 5}) == 5
    assert total(first, weights) == 3
    assert computed == [first, second, first, first]


def test_a_model_that_is_gone_is_forgotten():
    @cache_latest
    def double(model, parameters):
        return 2 * parameters

    model = Held()
    gone = weakref.ref(model)
    assert double(model, 2) == 4
    del model
    gc.collect()
    assert gone() is None
