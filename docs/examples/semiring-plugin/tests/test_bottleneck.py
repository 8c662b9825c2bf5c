"""The bottleneck semiring obeys its laws and finds the weakest link."""

import jax.numpy as jnp
import numpy as np
from semiring_bottleneck import Bottleneck

from semirings.laws import check


def test_it_keeps_its_laws():
    """Check every law that the class claims."""
    check(Bottleneck(), draws=200).raise_if_failed()


def test_the_best_chain_is_that_with_the_strongest_weakest_link():
    """The weakest links of the three chains are 0.1, 0.4 and 0.3."""
    chains = jnp.log(jnp.array([[0.9, 0.1], [0.4, 0.5], [0.3, 0.8]]))
    s = Bottleneck()
    best = s.sum(s.prod(s.lift(chains), 1), 0)
    np.testing.assert_allclose(np.exp(best), 0.4, rtol=1e-6)
