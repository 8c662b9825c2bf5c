r"""SynJax on the problems of ``structures.py``: timings, and log partitions to compare.

    SYNJAX/bin/python experiments/benchmarks/synjax_peer.py [--repeats N]

Runs in an environment without this project. SynJax (google-deepmind/synjax) is not on the package
index: clone it, and install it with the last JAX that it supports:

    python -m venv SYNJAX
    SYNJAX/bin/pip install jax==0.4.30 jaxlib==0.4.30 equinox==0.11.10 jaxtyping==0.2.25 \
        typeguard==2.13.3 "numpy<2" "scipy<1.13" numba opt_einsum
    SYNJAX/bin/pip install --no-deps CLONE

Prints one JSON object; unsupported computations are listed with their error.
"""

from __future__ import annotations

import argparse
import json
import resource
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from peer_timing import Question, milliseconds, normal, options
from plain_scan import log_sum_exp, plain

warnings.simplefilter("ignore")  # of decorators in an older style

Build = Callable[..., Any]

KEY = jax.random.PRNGKey(0)
"""The key of samples."""


def compiled(build: Build, *weights: jax.Array) -> Callable[[Callable[[Any], Any]], Question]:
    """Return a function that compiles a computation on the distribution that ``build`` creates."""

    def of(ask: Callable[[Any], Any]) -> Question:
        function = jax.jit(lambda *w: ask(build(*w)))
        return lambda: function(*weights)

    return of


def with_gradients(build: Build, *weights: jax.Array, recompute: bool = True) -> Question:
    """Compute the log partitions and the gradients of their sum, the marginals, in one pass.

    With ``recompute``, the default of SynJax, values are recomputed for the gradient to save
    memory.
    """
    from synjax import set_config

    def total(*w: jax.Array) -> tuple[jax.Array, jax.Array]:
        set_config(checkpoint_loops=recompute, checkpoint_semiring_einsum=recompute)
        try:
            each = build(*w).log_partition()
        finally:
            set_config(checkpoint_loops=True, checkpoint_semiring_einsum=True)
        return jnp.sum(each), each

    places = tuple(range(len(weights)))
    function = jax.jit(jax.value_and_grad(total, places, has_aux=True))
    return lambda: function(*weights)


def chains(args: argparse.Namespace) -> dict[str, Question]:
    """Return computations on linear chains."""
    from synjax import LinearChainCRF

    # The first row of the first matrix has the weights of the first state.
    x = jnp.asarray(normal(0, args.batch, args.length, args.states, args.states))
    of = compiled(LinearChainCRF, x)
    log_partition = partial(plain, log_sum_exp)
    plain_one, plain_both = jax.jit(log_partition), jax.jit(jax.value_and_grad(log_partition))
    return {
        "plain log partition": lambda: plain_one(x),
        "plain both": lambda: plain_both(x),
        "log partition": of(lambda d: d.log_partition()),
        "both": with_gradients(LinearChainCRF, x),
        "both, without recomputation": with_gradients(LinearChainCRF, x, recompute=False),
        "argmax": of(lambda d: d.argmax()),
        "sample": of(lambda d: d.sample(KEY)),
        "entropy": of(lambda d: d.entropy()),
        "top 4": of(lambda d: d.top_k(4)),
    }


def trees(args: argparse.Namespace, projective: bool) -> dict[str, Question]:
    """Return computations on trees of one root."""
    from synjax import SpanningTreeCRF

    build = partial(SpanningTreeCRF, directed=True, projective=projective, single_root_edge=True)
    x = jnp.asarray(normal(1, args.batch, args.words + 1, args.words + 1))
    of = compiled(build, x)
    if not projective:
        return {"both": with_gradients(build, x)}
    return {
        "log partition": of(lambda d: d.log_partition()),
        "both": with_gradients(build, x),
        "both, without recomputation": with_gradients(build, x, recompute=False),
        "argmax": of(lambda d: d.argmax()),
        "sample": of(lambda d: d.sample(KEY)),
    }


def grammars(args: argparse.Namespace) -> dict[str, Question]:
    """Return the log partitions of a grammar with gradients.

    SynJax normalises root and rules; ours are normalised, so log partitions agree, and gradients
    are with respect to weights before normalisation.
    """
    from synjax import GeneralizedPCFG

    del args

    def build(root: jax.Array, rules: jax.Array, words: jax.Array) -> Any:
        batch = words.shape[:1]
        return GeneralizedPCFG(
            root=jnp.broadcast_to(root, batch + root.shape),
            rule=jnp.broadcast_to(rules, batch + rules.shape),
            preterminal_scores=words,
        )

    weights = (
        jax.nn.log_softmax(jnp.asarray(normal(9, 20))),
        jax.nn.log_softmax(jnp.asarray(normal(10, 20, 1600))).reshape(20, 40, 40),
        jax.nn.log_softmax(jnp.asarray(normal(11, 8, 30, 20))),
    )
    return {
        "gradients": with_gradients(build, *weights),
        "gradients, without recomputation": with_gradients(build, *weights, recompute=False),
    }


PROBLEMS = {
    "chain": (chains, "log partition"),
    "trees": (partial(trees, projective=True), "log partition"),
    "grammar": (grammars, "gradients"),
    "non-projective": (partial(trees, projective=False), "both"),
}
"""Computations, and the one whose answer begins with the log partitions to compare."""


def main() -> None:
    """Run all computations and print the results."""
    args = options(__doc__).parse_args()
    jax.config.update("jax_platforms", args.device)
    import synjax

    figures: dict[str, Any] = {
        "jax": jax.__version__,
        "synjax": synjax.__version__,
        "device": jax.devices()[0].device_kind,
        "log partitions": {},
    }
    for problem, (of, name) in PROBLEMS.items():
        questions = of(args)
        figures[problem] = milliseconds(questions, args.repeats, jax.block_until_ready)
        if "error" not in figures[problem][name]:
            total = jnp.sum(jax.tree.leaves(questions[name]())[0])
            figures["log partitions"][problem] = float(total)
    figures["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
