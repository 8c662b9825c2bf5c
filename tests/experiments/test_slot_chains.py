"""The driver that compares slots of the text model that are independent with those of a chain."""

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp


def test_only_transitions_make_slots_depend_on_each_other(driver):
    module = driver("slot_chains")
    generator = np.random.default_rng(0)
    emissions = log_softmax(generator.normal(size=(2, 2, 3)), -1).astype(np.float32)
    transitions = generator.normal(size=(3, 3)).astype(np.float32)
    independent = module.chains({}, emissions, np.array([2, 1]))
    assert independent.log_partition() == pytest.approx(0, abs=1e-5)
    chained = module.chains({"transitions": transitions}, emissions, np.array([2, 1]))
    pairs = emissions[0, 0][:, None] + transitions + emissions[0, 1]
    assert chained.log_partition() == pytest.approx([logsumexp(pairs), 0], abs=1e-5)
    second = np.exp(pairs - logsumexp(pairs)).sum(0)
    assert chained.marginals().emission[0, 1] == pytest.approx(second, abs=1e-5)
