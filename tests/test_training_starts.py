"""What games of a run begin from, and which positions get targets."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from gnubg_py.board import START, Boards, parse, possible, swap
from gnubg_py.compare.late_contact import deal_late_contact
from gnubg_py.dice import ROLL_WEIGHTS
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.groups import lowest
from gnubg_py.keys import board_keys
from gnubg_py.network.encoding import encode, encoding_named
from gnubg_py.network.model import Net, net_from_weights, weights_of
from gnubg_py.network.tails import MOST_TAILS, tails_of
from gnubg_py.network.weights import Architecture, load_weights, save_weights
from gnubg_py.plays import all_rolls
from gnubg_py.probabilities import INVERTED_OUTCOMES, OUTCOME_EQUITIES
from gnubg_py.training import run as run_module
from gnubg_py.training.fit import add, fit, new_buffer, new_fitter
from gnubg_py.training.games import starts_of
from gnubg_py.training.hard import NO_HARD, Hard, draw_hard, with_new
from gnubg_py.training.moves import Nets, child_values
from gnubg_py.training.net import training_net
from gnubg_py.training.run import train
from gnubg_py.training.selfplay import new_games, play_round
from gnubg_py.training.starts import main as starts_main
from gnubg_py.training.tasks import self_play_task
from tests.test_training import TINY, StopAfter


def boards_of(*texts: str) -> Boards:
    return np.stack([parse(text) for text in texts])


def test_dealt_positions_have_contact_and_checkers_off() -> None:
    boards = deal_late_contact(500, np.random.default_rng(1))
    assert possible(boards).all()
    assert (classify(boards) >= PositionClass.CRASHED).all()
    checkers = boards.sum(axis=2, dtype=np.int64)
    assert (checkers.min(axis=1) < 15).all()
    assert (checkers >= 1).all()
    assert (checkers[:, 0] < 15).mean() > 0.4 < (checkers[:, 1] < 15).mean()
    off = 30 - checkers.sum(axis=1)
    assert np.bincount(off, minlength=15)[1:15].min() > 5  # every count of checkers off
    assert len(np.unique(board_keys(boards), axis=0)) > 490
    assert np.array_equal(boards, deal_late_contact(500, np.random.default_rng(1)))


def test_dealt_positions_do_not_occupy_a_point_twice() -> None:
    boards = deal_late_contact(500, np.random.default_rng(2))
    mine, theirs = boards[:, 0, :24] > 0, boards[:, 1, 23::-1] > 0
    assert not (mine & theirs).any()


def test_games_begin_in_the_shares_of_the_settings(tmp_path: Path) -> None:
    own = boards_of("x 8:3 6:5 / o 24:2 13:5 8:3 6:5")
    np.save(tmp_path / "own.npy", own)
    hard = Hard(boards_of("x 24:2 6:5 / o 20:3 8:2 6:5"), np.ones(1, np.float32))
    config = replace(
        TINY, boards=str(tmp_path / "own.npy"), boards_share=0.5, late_contact=0.3, hard_boards=0.2
    )
    drawn = starts_of(config)(4_000, np.random.default_rng(3), hard)

    def share(board: Boards) -> float:
        return float((drawn == board).all(axis=(1, 2)).mean())

    assert 0.17 < share(hard.boards[0]) < 0.23
    assert 0.22 < share(START) < 0.28
    assert 0.22 < share(own[0]) < 0.28
    off = (drawn.sum(axis=2, dtype=np.int64) < 15).any(axis=1) & (drawn != own).any(axis=(1, 2))
    late = off & (drawn != hard.boards).any(axis=(1, 2))
    assert 0.27 < late.mean() < 0.33


def test_without_shares_every_game_begins_at_the_start() -> None:
    drawn = starts_of(TINY)(50, np.random.default_rng(3))
    assert (drawn == START).all()


def test_hard_positions_are_those_of_the_largest_residuals() -> None:
    boards = boards_of(*(f"x 24:{n} / o 24:1" for n in range(1, 7)))
    first = with_new(NO_HARD, boards[:4], np.array([0.1, -0.4, 0.2, 0.3]), 3)
    assert first.boards[:, 0, 23].tolist() == [2, 4, 3]
    # The second board is met again and no longer hard: its old residual is forgotten.
    again = with_new(first, boards[[1, 4]], np.array([0.2, 0.25]), 3)
    assert again.boards[:, 0, 23].tolist() == [4, 5, 2]
    assert again.residuals[0] < 0.3


def test_harder_positions_are_drawn_more_often() -> None:
    hard = Hard(boards_of("x 24:1 / o 24:1", "x 24:2 / o 24:1"), np.array([0.9, 0.1], np.float32))
    drawn = draw_hard(hard, 4_000, np.random.default_rng(1))
    assert 0.72 < (drawn[:, 0, 23] == 1).mean() < 0.78  # square roots: 3 to 1


def test_both_best_plays_of_a_roll_get_targets() -> None:
    torch.manual_seed(2)
    nets = Nets((training_net(weights_of(Net(Architecture((16,))))),))
    config = replace(TINY, turns=2, siblings=True, random_plays=0.0)
    games = new_games(nets, np.repeat(START[None], 6, axis=0))
    starts = starts_of(config)
    _, found = play_round(nets, games, np.random.default_rng(4), config, starts, 99)
    assert np.bincount(found.rolls).tolist() == [1] * 6 + [2] * 6
    pairs = np.flatnonzero(np.diff(found.rolls) == 0)
    for made, target in zip(found.boards[pairs], found.targets[pairs + 1], strict=True):
        assert abs(target.sum() - 1) < 1e-3
        assert (made != START).any()
    # Both are plays of one roll from the opening position, the play that was made the better.
    children, offsets = all_rolls(START[None])
    singles = np.arange(len(children) + 1, dtype=np.int64)
    values, _ = child_values(nets, children, children, singles)
    equities = values @ OUTCOME_EQUITIES
    keys = [key.tobytes() for key in board_keys(children)]
    for pair in pairs:
        one, other = (board_keys(found.boards[[k]])[0].tobytes() for k in (pair, pair + 1))
        rolls = [
            r
            for r in range(21)
            if {one, other} <= set(keys[offsets[r] : offsets[r + 1]])
            and sorted(equities[offsets[r] : offsets[r + 1]])[:2]
            == [equities[keys.index(one)], equities[keys.index(other)]]
        ]
        assert rolls
    ahead = play_round(
        nets, new_games(nets, found.boards[pairs + 1]), np.random.default_rng(1),
        replace(config, turns=1), starts, 99,
    )[1]  # fmt: skip
    assert np.allclose(ahead.targets, found.targets[pairs + 1], atol=2e-3)


def test_both_plays_of_a_roll_get_the_corrections_of_the_game() -> None:
    torch.manual_seed(2)
    nets = Nets((training_net(weights_of(Net(Architecture((16,))))),))
    games = new_games(nets, np.repeat(START[None], 20, axis=0))
    rounds = []
    for trace in (0.0, 0.9):
        config = replace(TINY, turns=6, siblings=True, random_plays=0.0, trace=trace)
        generator = np.random.default_rng(4)
        rounds.append(play_round(nets, games, generator, config, starts_of(config), 999)[1])
    without, corrected = rounds
    assert np.array_equal(without.boards, corrected.boards)
    corrections = corrected.targets - without.targets
    pairs = np.flatnonzero(np.diff(corrected.rolls) == 0)
    assert len(pairs) > 20
    assert np.abs(corrections[pairs]).max() > 0.002
    np.testing.assert_allclose(corrections[pairs], corrections[pairs + 1], atol=1e-6)


def test_teachers_that_look_ahead_give_their_mean_values_one_roll_ahead(tmp_path: Path) -> None:
    paths = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        paths.append(tmp_path / f"{seed}.safetensors")
        save_weights(paths[-1], weights_of(Net(Architecture((16,)))))
    config = replace(TINY, teacher=tuple(map(str, paths)), look_ahead=True, siblings=True,
                     random_plays=0.0, trace=0.0, turns=1, precision="float32")  # fmt: skip
    task = self_play_task(config)
    pupil = new_fitter(Net(Architecture((8,))))
    games = task.begin(pupil, np.random.default_rng(3))
    none = weights_of(pupil.net)
    _, found = task.play(none, games, np.random.default_rng(4), 99)
    nets = [net_from_weights(load_weights(path)) for path in paths]
    children, offsets = all_rolls(START[None])
    encoded = torch.from_numpy(encode(children, encoding_named("thermometer")))
    with torch.no_grad():
        values = np.mean([net(encoded).softmax(dim=1).numpy() for net in nets], axis=0)
    best = lowest(values @ OUTCOME_EQUITIES, offsets)
    expected = (ROLL_WEIGHTS / 36) @ values[best][:, INVERTED_OUTCOMES]
    assert np.array_equal(found.boards, games.boards)
    np.testing.assert_allclose(found.targets, np.tile(expected, (len(games.boards), 1)), atol=1e-4)


def test_a_run_with_every_kind_of_start_resumes_to_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(TINY, late_contact=0.2, hard_boards=0.3, hard_kept=50, siblings=True,
                     sibling_weight=5.0, micro_batch=32, activation="clipped", quantise=True,
                     positions=3_000)  # fmt: skip
    through = train(config, tmp_path / "through")
    monkeypatch.setattr(run_module, "stop_when_asked", lambda: nullcontext(StopAfter(3)))
    stopped = train(config, tmp_path / "stopped")
    assert 0 < stopped.progress.positions < config.positions
    assert len(stopped.lanes[0].games.hard.boards) == 50
    monkeypatch.undo()
    resumed = train(config, tmp_path / "stopped", resume=True)
    assert np.array_equal(resumed.lanes[0].games.hard.boards, through.lanes[0].games.hard.boards)
    names = through.fitter.average.state_dict()
    for name, value in resumed.fitter.average.state_dict().items():
        assert torch.equal(value, names[name])


def test_micro_batches_take_the_steps_of_whole_ones() -> None:
    generator = np.random.default_rng(5)
    boards = deal_late_contact(256, generator)
    boards = np.concatenate([boards, swap(boards)])
    buffer = new_buffer(512)
    targets = generator.dirichlet(np.ones(6), 512).astype(np.float32)
    add(buffer, boards, targets, np.arange(512) // 4)
    nets = []
    for micro_batch in (0, 32):
        torch.manual_seed(7)
        config = replace(TINY, siblings=True, sibling_weight=3.0, equity_weight=1.0, batch=128,
                         precision="float32", micro_batch=micro_batch)  # fmt: skip
        fitter = new_fitter(Net(Architecture((24,))))
        fit(fitter, buffer, 5, config, 0)
        nets.append(fitter.net.linear()[0].weight.detach())
    # (The plays of a roll that a micro-batch cuts in two are compared in each part alone.)
    assert float((nets[0] - nets[1]).abs().mean()) < 0.02 * float(nets[0].abs().mean())


def test_balanced_starts_have_as_many_of_every_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    train(replace(TINY, uses=0, positions=3000, buffer=4000, race=""), folder)
    assert starts_main([str(folder), str(tmp_path / "starts.npy"), "--each", "5"]) == 0
    boards = np.load(tmp_path / "starts.npy")
    assert capsys.readouterr().out.endswith(f"starts.npy: {len(boards)} boards\n")
    kinds = classify(boards).astype(np.int64) * MOST_TAILS + tails_of(boards, MOST_TAILS)
    _, counts = np.unique(kinds, return_counts=True)
    assert counts.max() == 5
    assert len(counts) > 10
    assert len(np.unique(board_keys(boards), axis=0)) > 0.8 * len(boards)
    drawn = starts_of(replace(TINY, boards=str(tmp_path / "starts.npy")))(
        9, np.random.default_rng(1)
    )
    assert {board.tobytes() for board in drawn} <= {board.tobytes() for board in boards}


def test_starts_need_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert starts_main([str(tmp_path), str(tmp_path / "starts.npy")]) == 2
    assert "no such checkpoint" in capsys.readouterr().err
    assert starts_main([str(tmp_path), str(tmp_path / "starts.npy"), "--each", "0"]) == 2
    assert "each 0: should be at least 1" in capsys.readouterr().err
