"""The fit: optimisers, batches, rates, losses and gradients; the nets that it begins with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from gnubg_py.board import START, parse
from gnubg_py.compare.duel import random_play
from gnubg_py.evaluators.bearoff import BEAROFF1_LEAF
from gnubg_py.network.encoding import encode
from gnubg_py.network.model import Net
from gnubg_py.network.tails import tails_of
from gnubg_py.network.weights import Architecture
from gnubg_py.plays import all_rolls
from gnubg_py.probabilities import OUTCOME_EQUITIES, six_of
from gnubg_py.training.config import TrainConfig
from gnubg_py.training.fit import add, draw_batch, fit, new_buffer, new_fitter, rate, silent_share
from gnubg_py.training.losses import loss_of
from gnubg_py.training.passes import Passes
from gnubg_py.training.warmup import pip_outcomes
from gnubg_py.training.widen import widened
from tests.conftest import play_random_positions

TINY = TrainConfig(hidden=(24, 8), batch=128, positions=2_000)


def test_fitting_exact_values_lowers_the_loss() -> None:
    generator = np.random.default_rng(8)
    rows = generator.multinomial(9, [1 / 6] * 6, size=(4_000, 2))
    boards = np.zeros((4_000, 2, 25), np.int8)
    boards[:, :, :6] = rows
    buffer = new_buffer(4_000)
    add(buffer, boards, six_of(BEAROFF1_LEAF(boards)), np.arange(len(boards)))
    fitter = new_fitter(Net(Architecture((32,))))
    config = replace(TINY, rate_first=3e-3, batch=256)
    first = fit(fitter, buffer, 10, config, 0)
    for _ in range(6):
        last = fit(fitter, buffer, 20, config, 0)
    assert last < 0.85 * first


@pytest.mark.parametrize("tails", [1, 16])
def test_muon_makes_each_step_of_a_matrix_between_hidden_layers_orthogonal(tails: int) -> None:
    net = Net(Architecture((16, 8), tails=tails))
    fitter = new_fitter(net, with_muon=True)
    assert [len(o.param_groups[0]["params"]) for o in fitter.optimisers.values()] == [5, tails]
    boards = play_random_positions(3000, seed=3)
    buffer = new_buffer(len(boards))
    generator = np.random.default_rng(4)
    targets = generator.dirichlet(np.ones(6), len(boards)).astype(np.float32)
    add(buffer, boards, targets, np.arange(len(boards)))
    before = net.linear()[1].weight.detach().clone()
    config = replace(TINY, batch=3000, rate_first=1e-3, muon=10.0, precision="float32")
    fit(fitter, buffer, 1, config, 0)
    steps = (net.linear()[1].weight.detach() - before).unflatten(0, (tails, -1))
    met = np.bincount(tails_of(boards, tails), minlength=tails)
    assert (met >= 40).sum() >= min(tails, 3)
    for step, count in zip(steps, met, strict=True):
        if count >= 40:
            lengths = torch.linalg.svdvals(step)
            assert lengths.tolist() == pytest.approx([10 * 1e-3] * 8, rel=0.4)


@pytest.mark.parametrize("activation", ["leaky", "clipped"])
def test_the_last_third_is_fitted_as_it_will_be_rounded(activation: str) -> None:
    config = replace(TINY, activation=activation, quantise=True, precision="float32")
    buffer = new_buffer(64)
    boards = np.repeat(all_rolls(START[None])[0][:16], 4, axis=0)
    add(buffer, boards, pip_outcomes(boards), np.arange(64))
    losses = []
    for done, rounding in ((0, True), (TINY.positions, True), (TINY.positions, False)):
        torch.manual_seed(2)
        fitter = new_fitter(Net(Architecture((24, 8), activation=activation)))
        losses.append(fit(fitter, buffer, 1, replace(config, quantise=rounding), done))
    assert losses[0] == losses[2] != losses[1]
    assert losses[1] == pytest.approx(losses[0], rel=1e-2)


def test_the_buffer_keeps_the_latest() -> None:
    buffer = new_buffer(5)
    boards = np.zeros((8, 2, 25), np.int8)
    boards[:, 0, 0] = np.arange(8)
    add(buffer, boards[:4], np.zeros((4, 6), np.float32), np.arange(4))
    add(buffer, boards[4:], np.zeros((4, 6), np.float32), np.arange(4))
    assert buffer.filled == 5
    assert sorted(buffer.boards[:, 0, 0].tolist()) == [3, 4, 5, 6, 7]


def test_rate_falls_from_first_to_last() -> None:
    assert rate(TINY, 0) == pytest.approx(TINY.rate_first)
    assert rate(TINY, TINY.positions) == pytest.approx(TINY.rate_last)


def test_silent_units_are_counted() -> None:
    net = Net(Architecture((10,)))
    with torch.no_grad():
        net.linear()[0].weight.zero_()
        net.linear()[0].bias.copy_(torch.tensor([-1.0] * 3 + [1.0] * 7))
    assert silent_share(net, START[None]) == pytest.approx(0.3)


def test_silent_units_are_counted_in_the_tails_that_boards_have() -> None:
    net = Net(Architecture((4, 2), tails=16))
    with torch.no_grad():
        for layer in net.linear():
            layer.weight.zero_()
            layer.bias.fill_(1.0)
        net.linear()[1].bias[2 * 10] = -1.0  # of the tail of the start position
        net.linear()[1].bias[0] = -1.0  # of a tail that evaluates none of the boards
    assert silent_share(net, START[None]) == pytest.approx(1 / 6)


def test_the_first_guess_is_the_race() -> None:
    ahead = parse("x 6:2 / o 24:2 13:5 8:3 6:5")[None]
    assert pip_outcomes(ahead)[0, :3].sum() > 0.9
    assert pip_outcomes(START[None]).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("tails", [1, 16, 64])
def test_a_widened_net_answers_as_the_narrow_one_and_learns(tails: int) -> None:
    torch.manual_seed(5)
    narrow = Net(Architecture((16, 8)))
    wide = widened(narrow, Architecture((40, 12), tails=tails))
    x = torch.from_numpy(encode(all_rolls(START[None])[0]))
    assert torch.allclose(wide(x), narrow(x), atol=1e-6)
    wide(x).square().sum().backward()
    heard = wide.linear()[1].weight.grad
    assert heard is not None
    tail = heard.unflatten(0, (tails, 12))[tails_of(START[None], tails)[0]]
    assert float(tail[:8, 16:].abs().max()) > 0


def test_more_tails_begin_as_those_that_had_their_positions() -> None:
    torch.manual_seed(6)
    few = Net(Architecture((16, 8), tails=16))
    with torch.no_grad():
        for layer in few.linear()[1:]:
            layer.weight.normal_(std=0.3)
    many = widened(few, Architecture((16, 8), tails=64))
    boards = random_play(500, 7)
    assert len(set(tails_of(boards, 64).tolist())) > 16
    x = torch.from_numpy(encode(boards))
    assert torch.allclose(many(x), few(x), atol=1e-6)
    with pytest.raises(ValueError, match="has 64 tails, not 16"):
        widened(many, Architecture((16, 8), tails=16))


def test_a_net_of_the_same_shape_is_for_the_class_asked_for() -> None:
    net = Net(Architecture((16, 8)))
    same = widened(net, Architecture((16, 8), position_class="crashed"))
    x = torch.from_numpy(encode(START[None]))
    assert torch.equal(same(x), net(x))
    assert same.architecture.position_class == "crashed"


@pytest.mark.parametrize(
    ("shape", "fault"),
    [(Architecture((16, 8), slope=0.1), "with slope 0.05, not thermometer with 0.1"),
     (Architecture((16, 8), position_class="rolls"), "is a contact net, not one for rolls")],
)  # fmt: skip
def test_other_kinds_of_nets_are_not_started_from(shape: Architecture, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        widened(Net(Architecture((16, 8))), shape)


@pytest.mark.parametrize("hidden", [(8, 8), (40,), (40, 8, 8)])
def test_what_cannot_be_widened_is_refused(hidden: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="cannot be widened to"):
        widened(Net(Architecture((16, 8))), Architecture(hidden))


def test_batches_of_runs_know_their_rolls() -> None:
    buffer = new_buffer(64)
    boards = np.repeat(START[None], 64, axis=0)
    rolls = np.repeat(np.arange(16), 4)
    add(buffer, boards, np.zeros((64, 6), np.float32), rolls)
    config = replace(TINY, sibling_weight=1.0, batch=64)
    rows, roll = draw_batch(buffer, config, np.random.default_rng(1))
    assert len(rows) == len(roll) == 64
    assert (np.diff(roll) >= 0).all()
    for number in range(roll.max() + 1):
        assert len(set(rolls[rows[roll == number]])) == 1
    alone_config = replace(config, sibling_weight=0.0)
    single, alone = draw_batch(buffer, alone_config, np.random.default_rng(1))
    assert len(set(alone.tolist())) == len(single) == 64


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
