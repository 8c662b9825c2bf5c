"""Values computed from weights are cached for the same weights, and released with their model."""

import gc
import weakref

from semipunct.models.remembered import cache_latest


class Held:
    """A stand-in for a model: compared by identity, and weakly referenced."""


def test_once_for_the_same_weights_of_the_same_model():
    made = []

    @cache_latest
    def total(model, parameters):
        made.append(model)
        return sum(parameters.values())

    one, other = Held(), Held()
    weights = {"a": 1, "b": 2}
    assert [total(one, weights), total(one, weights), total(other, weights)] == [3, 3, 3]
    assert made == [one, other]
    assert total(one, {"a": 5}) == 5
    assert total(one, weights) == 3
    assert made == [one, other, one, one]


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
