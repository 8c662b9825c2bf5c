"""What draws choose from, one distribution for those that agree."""

import numpy as np

from semipunct.inference.categorical import Categorical


def test_a_point_chooses_a_column():
    log_weight = np.array([[0.0, np.log(2), 0.0], [np.log(3), -np.inf, 0.0]], np.float32)
    kind = np.array([0, 0, 0, 0, 1, 1, 1])
    choice = Categorical.of(log_weight - 50, kind)
    points = np.array([0.0, 0.24, 0.26, 0.76, 0.74, 0.76, 0.999])
    assert choice.draw(points).tolist() == [0, 0, 1, 2, 0, 2, 2]
    np.testing.assert_allclose(choice.probability(0), [0.25] * 4 + [0.75] * 3, rtol=1e-6)
    np.testing.assert_allclose(choice.probability(1), [0.5] * 4 + [0.0] * 3, rtol=1e-6)
