"""Losses, gradients and passes of the fit, held against torch's autograd."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from gnubg_py.network.encoding import encode
from gnubg_py.network.model import Net
from gnubg_py.network.weights import Architecture
from gnubg_py.probabilities import OUTCOME_EQUITIES
from gnubg_py.training.losses import loss_of
from gnubg_py.training.passes import Passes
from tests.conftest import play_random_positions
from tests.test_training import TINY


def test_the_gradient_of_the_loss_is_that_of_torch() -> None:
    generator = torch.Generator().manual_seed(1)
    target = torch.softmax(torch.randn(9, 6, generator=generator), dim=1)
    logits = torch.randn(9, 6, generator=generator)
    roll = np.array([0, 0, 0, 1, 2, 2, 3, 4, 4])
    config = replace(TINY, equity_weight=2.0, sibling_weight=3.0)
    found = loss_of(logits, target.numpy(), config, roll)
    heard = logits.clone().requires_grad_()
    log_p = torch.log_softmax(heard, dim=1)
    error = (log_p.exp() - target) @ torch.from_numpy(OUTCOME_EQUITIES)
    apart = torch.cat([e - e.mean() for e in error.split([3, 1, 2, 1, 2])])
    loss = -(target * log_p).sum(1) + 2 * error**2 + 3 * apart**2
    loss.mean().backward()
    assert found.loss == pytest.approx(loss.mean().item(), rel=1e-6)
    assert heard.grad is not None
    assert torch.allclose(found.gradient, heard.grad, atol=1e-7)


def test_an_error_that_all_plays_of_a_roll_share_costs_no_sibling_weight() -> None:
    target = torch.softmax(torch.randn(6, 6, generator=torch.Generator().manual_seed(1)), dim=1)
    logits = torch.randn(6, 6, generator=torch.Generator().manual_seed(2))
    plain = replace(TINY, equity_weight=0.0)
    weighted = replace(plain, sibling_weight=1.0)
    alone, together = np.arange(6), np.zeros(6, np.int64)
    base = loss_of(logits, target.numpy(), plain, alone).loss
    assert loss_of(logits, target.numpy(), weighted, alone).loss == pytest.approx(base)
    error = (torch.softmax(logits, dim=1) - target) @ torch.from_numpy(OUTCOME_EQUITIES)
    spread = float(error.var(correction=0))
    found = loss_of(logits, target.numpy(), weighted, together).loss
    assert found - base == pytest.approx(spread, rel=1e-4)


@pytest.mark.parametrize(("activation", "tails"), [("leaky", 1), ("clipped", 1), ("leaky", 16)])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_gradients_of_the_fit_are_those_of_torch(
    activation: str, tails: int, precision: str
) -> None:
    torch.manual_seed(6)
    net = Net(Architecture((24, 16), activation=activation, tails=tails))
    boards = play_random_positions(40 * min(tails, 8), seed=2)
    of_logits = torch.randn(len(boards), 6)
    logits = net(torch.from_numpy(encode(boards)))
    logits.backward(of_logits)
    wanted = [parameter.grad for parameter in net.parameters()]
    passes = Passes(net, len(boards), getattr(torch, precision))
    # (In bfloat16 some units are on the other side of a bend.)
    near = 1e-5 if precision == "float32" else 0.1
    assert torch.allclose(passes.forward(boards), logits, atol=near)
    passes.backward(of_logits.clone(), first=True)
    for part in (slice(10), slice(10, None)):  # added up, in parts
        passes.forward(boards[part])
        passes.backward(of_logits[part].clone(), first=False)
    for parameter, gradient in zip(net.parameters(), wanted, strict=True):
        assert parameter.grad is not None
        assert gradient is not None
        assert float((parameter.grad - 2 * gradient).norm()) < 2 * near * float(gradient.norm())
