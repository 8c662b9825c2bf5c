"""An untrained tokeniser, and one trained on the rules of the generated passages."""

import numpy as np
import pytest

from semipunct.models.segmentation.options import TokeniserOptions
from semipunct.models.segmentation.segmenter import Segmenter
from semipunct.models.segmentation.tokeniser import TEMPERATURE, Tokeniser
from tests.models.segmentation.passages import generated

TINY = TokeniserOptions(size=6, layers=2, minimum_run_count=1, minimum_count=1)


@pytest.fixture(scope="session")
def untrained() -> Segmenter:
    """A tokeniser with random weights, whose output is meaningless."""
    model = Tokeniser.fit(generated(8, 0), TINY)
    drawn = model.initial_parameters(1, 1.0)
    weights = {name: 2 * np.asarray(x) for name, x in drawn.items()}
    return Segmenter(model, weights | {TEMPERATURE: drawn[TEMPERATURE]})
