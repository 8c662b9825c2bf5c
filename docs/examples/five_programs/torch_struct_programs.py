"""The five programs of ``first_answers.py`` with torch-struct."""

from __future__ import annotations

from typing import Any

import torch
from torch_struct import LinearChainCRF, NonProjectiveDependencyCRF, SemiMarkovCRF, SentCFG

IMPOSSIBLE = -1e9  # minus infinity would give gradients of NaN


def array(x: Any) -> Any:
    """Convert numbers to a float32 tensor with gradients, and integers to a tensor."""
    return (
        torch.tensor(x) if x.dtype.kind == "i" else torch.tensor(x.astype("f"), requires_grad=True)
    )


def wait(answer: Any) -> Any:
    """Return the answer, which is computed."""
    return answer


def crf(emission: Any, transition: Any, tags: Any) -> Any:
    """Return the loss of a conditional random field and its gradients."""
    potentials = (emission[:, 1:, :, None] + transition.T).contiguous()
    potentials[:, 0] += emission[:, 0, None]
    parts = LinearChainCRF.struct.to_parts(tags, len(transition))
    loss = -LinearChainCRF(potentials).log_prob(parts).mean()
    return loss, torch.autograd.grad(loss, (emission, transition))


def semi_markov(segment: Any, transition: Any) -> Any:
    """Return the best segmentation."""
    batch, length, widths, states = segment.shape
    potentials = torch.full((batch, length, widths + 1, states, states), IMPOSSIBLE)
    for width in range(1, widths + 1):
        begun = segment[:, width - 1 :, width - 1, None]
        potentials[:, : length - width, width] = begun[:, :-1] + transition.T
        potentials[:, length - width, width, 0] = begun[:, -1, 0]  # the end has state 0
    _, first, width, _, state = SemiMarkovCRF(potentials).argmax.nonzero().T
    return torch.stack([first, first + width - 1, state], 1)


def grammar(root: Any, rules: Any, emission: Any) -> Any:
    """Return the best parse."""
    batch = len(emission)
    potentials = emission, rules.expand(batch, *rules.shape), root.expand(batch, *root.shape)
    words, _, _, spans = SentCFG(potentials).argmax
    _, word, preterminal = words.nonzero().T
    _, width, first, symbol = spans.nonzero().T
    single = torch.stack([word, word, preterminal + len(root)], 1)
    return torch.cat([torch.stack([first, first + width + 1, symbol], 1), single])


def spanning_trees(arcs: Any) -> Any:
    """Return the marginals of arcs."""
    words = arcs[:, 1:, 1:]
    eye = torch.eye(words.shape[1], dtype=torch.bool)
    potentials = torch.where(eye, arcs[:, 0, None, 1:], words)
    return NonProjectiveDependencyCRF(potentials).marginals


def alignments(log_probs: Any, labels: Any) -> Any:
    """Return the CTC loss and its gradient."""
    symbols = torch.zeros(len(labels), 2 * labels.shape[1] + 1, dtype=torch.int64)
    symbols[:, 1::2] = labels
    emission = log_probs.gather(2, symbols[:, None].expand(-1, log_probs.shape[1], -1))
    state = torch.arange(symbols.shape[1])
    step = state[:, None] - state
    skips = (symbols[:, :, None] != symbols[:, None]) & (symbols != 0)[:, :, None] & (step == 2)
    possible = ((step == 0) | (step == 1) | skips)[:, None]
    potentials = torch.where(possible, emission[:, 1:, :, None], IMPOSSIBLE)
    potentials[:, 0] += torch.where(state < 2, emission[:, 0], IMPOSSIBLE)[:, None]
    potentials[:, -1] += torch.where(state >= len(state) - 2, 0.0, IMPOSSIBLE)[:, None]
    loss = -LinearChainCRF(potentials).partition.mean()
    return loss, torch.autograd.grad(loss, log_probs)
