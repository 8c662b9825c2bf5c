"""A tokeniser that has learnt nothing, and one that has learnt the rules of the made passages."""

import numpy as np
import pytest

from semipunct.models.segmentation.options import TokeniserOptions
from semipunct.models.segmentation.segmenter import Segmenter
from semipunct.models.segmentation.tokeniser import Tokeniser
from tests.models.segmentation.passages import generated

TINY = TokeniserOptions(size=6, layers=2, minimum_run_count=1, minimum_count=1)


@pytest.fixture(scope="session")
def untrained() -> Segmenter:
    """A tokeniser with weights at random: what it finds means nothing."""
    model = Tokeniser.fit(generated(8, 0), TINY)
    found = model.initial_parameters(1, 1.0)
    return Segmenter(model, {name: 2 * np.asarray(x) for name, x in found.items()})
