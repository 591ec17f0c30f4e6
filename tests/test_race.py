"""Races: chances of rolls from a rolls net, and what two sides' chances make of a game."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from gnubg_py.bearoff.numbering import row_number
from gnubg_py.bearoff.one_sided import backgammon_chances, finishes_first, one_sided_database
from gnubg_py.bench.reference_plays import reference_states
from gnubg_py.board import BAR, parse, swap
from gnubg_py.cli import main
from gnubg_py.evaluators.bearoff import BEAROFF1_LEAF
from gnubg_py.evaluators.race import RaceLeaf, race_leaf, roll_chances
from gnubg_py.network.encoding import encode
from gnubg_py.network.floats import fast_net
from gnubg_py.network.forward import logits
from gnubg_py.network.model import Net, weights_of
from gnubg_py.network.weights import ROLLS_COUNTED, Architecture, load_weights
from gnubg_py.paths import nets_dir
from gnubg_py.training import run as run_module
from gnubg_py.training.config import TrainConfig, check_config
from gnubg_py.training.rolls import alone, play_rolls, starting_sides
from gnubg_py.training.run import train
from tests.test_training import StopAfter

COUNTS = np.arange(ROLLS_COUNTED)
Row = tuple[int, ...]


def untrained() -> RaceLeaf:
    torch.manual_seed(4)
    return race_leaf(weights_of(Net(Architecture((32,), position_class="rolls"))), "untrained")


@pytest.fixture(scope="module")
def leaf() -> RaceLeaf:
    return race_leaf(load_weights(nets_dir() / "race.safetensors"), "race")


@cache
def exact_chances(row: Row) -> tuple[float, ...]:
    """Plain-Python twin: chances of 0, 1, 2 ... rolls, fewest expected rolls."""
    chances = np.zeros(ROLLS_COUNTED)
    if not any(row):
        chances[0] = 1
        return tuple(chances)
    for a in range(1, 7):
        for b in range(1, a + 1):
            after = {own for own, _ in reference_states((row, (0,) * 25), (a, b))}
            best = min((exact_chances(own) for own in after), key=lambda c: float(c @ COUNTS))
            chances[1:] += np.array(best)[:-1] * (1 if a == b else 2) / 36
    return tuple(chances)


def row_of(text: str) -> NDArray[np.int8]:
    return np.asarray(parse(f"x {text} / o")[0])


def test_home_sides_come_from_the_database(leaf: RaceLeaf) -> None:
    boards = np.stack([parse("x 6:3 5:2 1:4 / o 4:7 2:2"), parse("x 6:15 / o 5:10 3:5")])
    for some in (leaf, untrained()):
        assert some(boards) == pytest.approx(BEAROFF1_LEAF(boards), abs=1e-6)


@pytest.mark.parametrize("text", ["7:1", "9:1 1:1", "12:1", "8:2", "10:1 6:1"])
def test_chances_of_small_sides_are_near_exact(leaf: RaceLeaf, text: str) -> None:
    row = row_of(text)
    found = roll_chances(leaf.net, row[None]).bearoff[0]
    exact = np.array(exact_chances(tuple(row.tolist())))
    assert found.sum() == pytest.approx(1, abs=1e-5)
    assert found @ COUNTS == pytest.approx(exact @ COUNTS, abs=0.05)


def test_targets_are_exact_where_every_play_ends_at_home() -> None:
    row = row_of("7:1 2:1")
    net = untrained().net
    _, found = play_rolls(net, net, alone(row[None]), np.random.default_rng(1))
    exact = exact_chances(tuple(row.tolist()))
    assert found.targets[0, :ROLLS_COUNTED] == pytest.approx(np.array(exact), abs=1e-5)


def test_values_are_nested_and_the_two_sides_agree_on_the_leader(leaf: RaceLeaf) -> None:
    ahead = parse("x 8:3 6:4 4:4 2:4 / o 12:5 10:4 8:3 6:3")[None]
    win, gammon, backgammon, lose_gammon, lose_backgammon = leaf(ahead)[0]
    assert 0 <= backgammon <= gammon <= win <= 1
    assert 0 <= lose_backgammon <= lose_gammon <= 1 - win
    assert win > 0.8 > 0.2 > leaf(swap(ahead))[0, 0]


def test_no_gammon_once_a_checker_is_off(leaf: RaceLeaf) -> None:
    both_started = parse("x 9:1 6:4 4:4 2:4 / o 13:2 10:4 8:3 6:3")[None]
    assert leaf(both_started)[0, [1, 2, 3, 4]] == pytest.approx(0, abs=1e-6)


def test_a_straggler_in_the_winners_home_is_a_backgammon(leaf: RaceLeaf) -> None:
    last_roll = parse("x 1:1 / o 24:1 7:14")[None]
    assert leaf(last_roll)[0].tolist() == pytest.approx([1, 1, 1, 0, 0], abs=1e-5)
    straggler = parse("x 24:1 7:14 / o 2:4")[None]
    # o bears off in two rolls, or at once with a double; till then x has one roll to leave with.
    assert leaf(straggler)[0, 4] == pytest.approx(backgammon_chances(straggler)[0, 1], abs=1e-6)
    assert backgammon_chances(straggler)[0, 1] > 0.02


def test_only_rolls_nets_count_rolls() -> None:
    with pytest.raises(ValueError, match="a contact net counts no rolls"):
        race_leaf(weights_of(Net(Architecture((8,)))), "wrong")


def test_every_side_is_its_own_position(leaf: RaceLeaf) -> None:
    texts = "x 9:2 3:3 / o 4:7 2:2", "x 13:1 7:5 / o 16:1 6:4 3:4", "x 9:2 3:3 / o 16:1 6:4 3:4"
    boards = np.stack([parse(text) for text in texts])
    boards = np.concatenate([boards, boards[:, ::-1], boards[:1]])
    together = leaf(boards)
    for board, value in zip(boards, together, strict=True):
        assert leaf(board[None])[0].tolist() == value.tolist()


def test_chances_side_by_side_are_those_of_one_after_the_other(leaf: RaceLeaf) -> None:
    generator, boards = np.random.default_rng(5), np.zeros((400, 2, 25), np.int8)
    for row in boards.reshape(-1, 25):
        np.add.at(row, generator.integers(0, generator.choice([6, 9, 12]), 15), 1)
        row[0] -= min(row[0], generator.integers(0, 2))
    stragglers = generator.permutation(400)[:100]
    boards[stragglers, 1, :6], boards[stragglers, 1, 19] = 0, 1
    mine, theirs = (roll_chances(leaf.net, boards[:, side]) for side in (0, 1))
    leaving = one_sided_database().leaving
    for i, five in enumerate(leaf(boards).tolist()):
        win = finishes_first(mine.bearoff[i], theirs.bearoff[i], 1)
        gammon = min(win, finishes_first(mine.bearoff[i], theirs.first[i], 1))
        lost = min(1 - win, finishes_first(theirs.bearoff[i], mine.first[i], 0))
        behind = [leaving[row_number(boards[i, side, 18:24], 6)] for side in (0, 1)]
        backgammon = min(gammon, finishes_first(mine.bearoff[i], behind[1], 1))
        lost_backgammon = min(lost, finishes_first(theirs.bearoff[i], behind[0], 0))
        expected = np.array([win, gammon, backgammon, lost, lost_backgammon], np.float32)
        assert five == expected.tolist()


TINY = TrainConfig(
    "rolls",
    (16,),
    games=32,
    turns=1,
    positions=1920,
    batch=128,
    uses=24,
    buffer=10_000,
    average=0.9,
    report_positions=960,
)


def test_a_short_run_learns(tmp_path: Path) -> None:
    races = tmp_path / "races.npy"
    np.save(races, np.stack([parse("x 9:2 7:3 4:5 / o 8:3 6:4"), parse("x 7:4 6:4 / o 10:2 3:8")]))
    train(replace(TINY, boards=str(races)), tmp_path)
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert log[-1]["residual"] < log[0]["residual"]
    assert log[-1]["loss"] < log[0]["loss"]
    assert race_leaf(load_weights(tmp_path / "net.safetensors"), "trained")


def test_a_stopped_run_of_rolls_resumes_to_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    races = tmp_path / "races.npy"
    np.save(races, parse("x 9:2 7:3 4:5 / o 8:3 6:4")[None])
    config = replace(TINY, boards=str(races), games=16, positions=128, buffer=64)
    through = train(config, tmp_path / "through")
    monkeypatch.setattr(run_module, "stop_when_asked", lambda: nullcontext(StopAfter(1)))
    assert train(config, tmp_path / "stopped").progress.rounds == 1
    monkeypatch.undo()
    resumed = train(config, tmp_path / "stopped", resume=True)
    names = through.fitter.average.state_dict()
    for name, value in resumed.fitter.average.state_dict().items():
        assert torch.equal(value, names[name])


@pytest.mark.parametrize(
    ("setting", "problem"),
    [({"thinned": 2.0}, "thinned 2.0: should be from 0 to 1"),
     ({"boards": ""}, "name a .npy file of races"),
     ({"race": "race.safetensors"}, "race: not a setting of rolls nets"),
     ({"prune": ("a", "b")}, "a rolls net takes one at most")],
)  # fmt: skip
def test_settings_of_rolls_that_cannot_be(setting: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_config(replace(TINY, **{"boards": "races.npy"} | setting))


def test_boards_without_a_race_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "home.npy"
    np.save(path, parse("x 6:2 / o 5:3")[None])
    words = ["train", str(tmp_path), "--position-class", "rolls", "--boards", str(path)]
    assert main(words) == 2
    assert "no race in it" in capsys.readouterr().err
    on_bar = parse("x bar:1 9:1 / o 5:3")
    on_bar[0, BAR] = 1
    np.save(path, np.stack([on_bar, parse("x 9:1 / o 5:3")]))
    assert len(starting_sides(str(path))) == 1


def test_fast_and_torch_logits_agree() -> None:
    net = Net(Architecture((32, 16), position_class="rolls"))
    rows = np.stack([row_of("24:2 13:5 8:3 6:5"), row_of("9:1 3:4")])
    boards = np.zeros((2, 2, 25), np.int8)
    boards[:, 0] = rows
    expected = net(torch.from_numpy(encode(boards))).detach().numpy()
    assert logits(fast_net(weights_of(net)), boards, 2 * ROLLS_COUNTED) == pytest.approx(
        expected, abs=1e-5
    )
