"""Training: a tiny net learns, a stopped run goes on as if never stopped, bad input is refused."""

from __future__ import annotations

import json
import re
import signal
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save_file

from gnubg_py.board import START, parse, swap
from gnubg_py.cli import main as command_line
from gnubg_py.compare.players import player_named
from gnubg_py.evaluators.bearoff import BEAROFF1_LEAF
from gnubg_py.evaluators.classify import classify
from gnubg_py.evaluators.over import over
from gnubg_py.network.encoding import encode
from gnubg_py.network.integers import save_integers
from gnubg_py.network.model import Net, weights_of
from gnubg_py.network.quantise import quantise
from gnubg_py.network.weights import Architecture, load_weights, save_weights
from gnubg_py.plays import all_rolls
from gnubg_py.probabilities import INVERTED_OUTCOMES, OUTCOME_EQUITIES, six_of
from gnubg_py.training import run as run_module
from gnubg_py.training.checkpoint import CHECKPOINT
from gnubg_py.training.config import TrainConfig, check_config, config_json
from gnubg_py.training.fit import new_fitter
from gnubg_py.training.games import read_boards, starts_of
from gnubg_py.training.moves import Nets, child_values
from gnubg_py.training.net import helper_net, outcomes, training_net
from gnubg_py.training.run import train
from gnubg_py.training.selfplay import _targets, new_games, play_round
from gnubg_py.training.stop import stop_when_asked
from gnubg_py.training.tasks import task_of
from tests.judged import judged_lines, write_lines

TINY = TrainConfig(
    hidden=(24, 8),
    games=32,
    turns=8,
    positions=2_000,
    batch=128,
    buffer=5_000,
    uses=4,
    average=0.9,
    report_positions=700,
    checkpoint_minutes=0.0,
    max_game_turns=80,
)


@pytest.fixture(scope="module")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    train(TINY, folder)
    return folder


def test_a_tiny_net_learns(tiny_run: Path) -> None:
    log = [json.loads(line) for line in (tiny_run / "log.jsonl").read_text().splitlines()]
    assert log[-1]["positions"] == TINY.positions
    trained = training_net(load_weights(tiny_run / "net.safetensors"))
    ahead = parse("x 7:1 6:5 4:5 / o 24:2 13:5 8:3 6:5")[None]
    value = outcomes(trained, ahead, ahead, np.array([0, 1]))[0] @ OUTCOME_EQUITIES
    behind = outcomes(trained, swap(ahead), swap(ahead), np.array([0, 1]))[0] @ OUTCOME_EQUITIES
    assert value > 0.3 > -0.3 > behind


def test_a_run_plays_the_positions_it_is_given(tmp_path: Path) -> None:
    config = replace(TINY, games=1024, positions=100, turns=24)
    state = train(config, tmp_path)
    assert state.progress.positions == state.buffer.filled == 100
    assert state.fitter.steps == 603  # 600 of the first guess, and 4 uses of 100 positions


def test_a_run_that_meets_no_position_of_its_class_reports_zeros(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "stop_when_asked", lambda: nullcontext(StopAfter(1)))
    train(replace(TINY, position_class="crashed", turns=1, games=2), tmp_path)
    line = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])
    assert (line["positions"], line["buffer_residual"], line["silent"]) == (0, 0, 0)


def test_a_run_leaves_what_its_page_says(tiny_run: Path) -> None:
    names = {path.name for path in tiny_run.iterdir()}
    assert {"config.json", "log.jsonl", "net.safetensors", CHECKPOINT, "races.npy"} <= names
    assert (tiny_run / "config.json").read_text() == config_json(TINY) + "\n"
    card = load_weights(tiny_run / "net.safetensors").card
    assert json.loads(card["config"])["seed"] == TINY.seed


def test_a_trained_net_is_called_after_its_folder(tiny_run: Path) -> None:
    players = [player_named(name) for name in (str(tiny_run / "net.safetensors"), "net")]
    assert [player.name for player in players] == [tiny_run.name, "net"]


class StopAfter:
    """Stands in for Ctrl-C: asks the run to stop once it has looked so many times."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    @property
    def asked(self) -> bool:
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize(
    "config",
    [TINY, replace(TINY, muon=10.0), replace(TINY, play_rounded=True, micro_batch=48)],
    ids=["adam", "muon", "rounded"],
)
def test_a_stopped_run_resumes_to_the_same_weights(
    config: TrainConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train(config, whole)
    monkeypatch.setattr(run_module, "stop_when_asked", lambda: nullcontext(StopAfter(5)))
    stopped = train(config, parts)
    assert stopped.progress.positions < config.positions
    with pytest.raises(ValueError, match="this folder has a run: continue it with --resume"):
        train(config, parts)
    monkeypatch.undo()
    train(config, parts, resume=True)
    through = load_weights(whole / "net.safetensors")
    resumed = load_weights(parts / "net.safetensors")
    for (matrix, bias), (other, other_bias) in zip(through.layers, resumed.layers, strict=True):
        assert np.array_equal(matrix, other)
        assert np.array_equal(bias, other_bias)


def test_a_checkpoint_of_another_configuration_is_refused(tiny_run: Path) -> None:
    with pytest.raises(ValueError, match="batch was 128, now 64"):
        train(replace(TINY, batch=64), tiny_run, resume=True)


def test_a_checkpoint_from_before_a_setting_was_added_had_its_default(
    tiny_run: Path, tmp_path: Path
) -> None:
    with safe_open(str(tiny_run / CHECKPOINT), framework="numpy") as file:
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        metadata = file.metadata()
    saved = json.loads(metadata["config"])
    del saved["activation"]
    save_file(arrays, tmp_path / CHECKPOINT, metadata | {"config": json.dumps(saved)})
    assert train(TINY, tmp_path, resume=True).progress.positions == TINY.positions
    with pytest.raises(ValueError, match="activation was 'leaky', now 'clipped'"):
        train(replace(TINY, activation="clipped"), tmp_path, resume=True)


def test_a_damaged_or_missing_checkpoint_is_named(tiny_run: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no checkpoint to resume"):
        train(TINY, tmp_path, resume=True)
    whole = (tiny_run / CHECKPOINT).read_bytes()
    (tmp_path / CHECKPOINT).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="not a whole checkpoint"):
        train(TINY, tmp_path, resume=True)


def test_a_net_that_plays_rounded_finds_nearly_the_same_values() -> None:
    torch.manual_seed(4)
    net = Net(Architecture(TINY.hidden))
    config = replace(TINY, precision="float32", games=64, turns=1)
    rounds = []
    for rounded in (False, True):
        task = task_of(replace(config, play_rounded=rounded))
        games = task.begin(new_fitter(net), np.random.default_rng(5))
        rounds.append(task.play(weights_of(net), games, np.random.default_rng(6), 64)[1])
    exact, found = rounds
    np.testing.assert_array_equal(exact.boards, found.boards)
    assert 0 < np.abs(exact.targets - found.targets).max() < 0.01


def test_a_loss_that_breaks_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = tmp_path / "start.safetensors"
    save_weights(good, weights_of(Net(Architecture(TINY.hidden))))
    config = replace(TINY, start=str(good), rate_first=1e30, rate_last=1e30)
    with pytest.raises(ValueError, match=r"the loss became .* last good checkpoint"):
        train(config, tmp_path / "run")


def test_bad_settings_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    only_races = [line for line in judged_lines() if line["class"] == "race"]
    races = write_lines(tmp_path / "races.jsonl", only_races)
    for words, problem in (
        (["--positions", "0"], "positions 0: should be at least 1"),
        (["--position-class", "opening"], "class 'opening': expected one of contact"),
        (["--trace", "1.5"], "trace 1.5: should be from 0 to 1"),
        (["--position-class", "rolls"], "boards: name a .npy file of races"),
        (["--activation", "tanh"], "activation 'tanh': expected one of leaky, clipped"),
        (["--slope", "9"], "slope 9.0: should be from 0 to 1"),
        (["--uses", "-1"], "uses -1.0: should be at least 0"),
        (["--sibling-weight", "20"], "give --teacher or --siblings"),
        (["--late-contact", "0.6", "--hard-boards", "0.5"], "more than all games"),
        (["--siblings", "--rolls", "one"], "siblings: needs targets of all rolls"),
        (["--look-ahead"], "look_ahead: give --teacher"),
        (["--hard-boards", "0.1", "--teacher", "x"], "no residual; give --look-ahead"),
        (["--quantise", "--hidden", "8"], "quantise, muon: need two hidden layers"),
        (["--muon", "10", "--hidden", "8"], "quantise, muon: need two hidden layers"),
        (["--muon", "-1"], "muon -1.0: should be at least 0"),
        (["--play-rounded", "--hidden", "8"], "play_rounded: the net in training should play"),
        (["--play-rounded", "--position-class", "race"], "and learn contact positions"),
        (["--micro-batch", "-1"], "micro_batch -1: should be at least 0"),
        (["--start", "none.safetensors"], "none.safetensors: no such file"),
        (["--encoding", "gnubg-contact"], "encoding 'gnubg-contact' is of the whole board"),
        (["--decisions", str(races)], "no decisions of positions that a contact net evaluates"),
    ):
        assert command_line(["train", str(tmp_path / "run"), *words]) == 2
        assert problem in capsys.readouterr().err
    with pytest.raises(ValueError, match="rates"):
        check_config(replace(TINY, rate_last=0.0))


def test_boards_to_start_from_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "boards.npy"
    np.save(path, np.zeros((3, 25), np.int8))
    with pytest.raises(ValueError, match="expected int8"):
        read_boards(str(path))
    np.save(path, START[None])
    assert read_boards(str(path)).shape == (1, 2, 25)
    crowded = np.stack([START, parse("x 6:15 5:1 / o 5:3"), parse("x 6:2 / o")])
    for faulty in crowded[[0, 1]], crowded[[0, 2]]:
        np.save(path, faulty)
        with pytest.raises(ValueError, match=r"boards.npy: board 1 is no position to play from"):
            read_boards(str(path))
    for content in (b"", b"PK\3\4"):  # the second is how an archive of several arrays begins
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"boards.npy: not a .npy file of numbers"):
            read_boards(str(path))


def test_help_says_what_each_setting_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["train", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "--trace FLOAT How much of the later corrections" in told
    assert "races: a net that chooses the plays that others look at" in told  # prune
    assert "(default 512 128 64)" in told
    assert "Only with --prune. (default 0.0)" in told


def test_the_page_lists_every_setting_with_its_default() -> None:
    page = (Path(__file__).parent.parent / "docs" / "training.md").read_text()
    rows = re.findall(r"^\| `--([a-z-]+)` \|([^|]*)\|", page, re.MULTILINE)
    shown = {
        one.name.replace("_", "-"): " ".join(map(str, one.default))
        if isinstance(one.default, tuple)
        else ""
        if one.default is False
        else str(one.default)
        for one in fields(TrainConfig)
    }
    assert {name: default.strip() for name, default in rows} == shown


def test_ctrl_c_asks_a_run_to_stop_and_no_more() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stop_when_asked() as stop:
        assert not stop.asked
        signal.raise_signal(signal.SIGINT)
        assert stop.asked
    assert signal.getsignal(signal.SIGINT) is before


def test_targets_add_later_corrections_from_the_right_side() -> None:
    # One game, two turns: the later position turns out 0.3 better for its side than the net
    # thought; half of that is news to the side that moved into it, reversed.
    ahead = np.zeros((2, 1, 6), np.float32)
    own = np.zeros((2, 1, 6), np.float32)
    ahead[0, 0, 0], ahead[0, 0, 3] = 0.6, 0.4
    ahead[1, 0, 0], ahead[1, 0, 3] = 0.8, 0.2
    own[1, 0, 0], own[1, 0, 3] = 0.5, 0.5
    linked = np.ones((2, 1), bool)
    targets = _targets(ahead, own, np.zeros((1, 6), np.float32), linked, 0.5)
    assert targets[1, 0].tolist() == ahead[1, 0].tolist()
    assert targets[0, 0, [0, 3]].tolist() == pytest.approx([0.45, 0.55])
    linked[0] = False
    cut = _targets(ahead, own, np.zeros((1, 6), np.float32), linked, 0.5)
    assert cut[0, 0].tolist() == ahead[0, 0].tolist()


def test_one_roll_ahead_is_the_mean_over_the_best_plays() -> None:
    net = Net(Architecture((16,)))
    nets = Nets((training_net(weights_of(net)),))
    config = replace(TINY, hidden=(16,), games=6, turns=1, random_plays=0.0)
    starts = np.stack([START, parse("x 24:2 6:3 5:2 bar:1 / o 20:3 8:2 6:4 4:2")])
    boards = starts[[0, 1, 0, 1, 0, 1]]
    games = new_games(nets, boards)
    _, found = play_round(nets, games, np.random.default_rng(6), config, starts_of(config), 99)
    for board, target in zip(boards, found.targets, strict=True):
        children, offsets = all_rolls(board[None])
        values, _ = child_values(
            nets, children, children, np.arange(len(children) + 1, dtype=np.int64)
        )
        mean = np.zeros(6)
        for roll in range(21):
            mine = values[offsets[roll] : offsets[roll + 1]]
            best = mine[np.argmin(mine @ OUTCOME_EQUITIES)][INVERTED_OUTCOMES]
            mean += best * (1 if roll in (0, 2, 5, 9, 14, 20) else 2) / 36
        assert target == pytest.approx(mean, abs=2e-3)


def test_exact_endings_are_targets() -> None:
    nets = Nets((training_net(weights_of(Net(Architecture((16,))))),))
    boards = np.stack([parse("x 6:15 / o"), parse("x 6:3 / o 5:4 1:9")])
    values, classes = child_values(nets, boards, boards, np.arange(3))
    assert classes.tolist() == classify(boards).tolist()
    assert values[0].tolist() == six_of(over(boards[:1]))[0].tolist()
    assert values[1].tolist() == six_of(BEAROFF1_LEAF(boards[1:]))[0].tolist()


def test_self_play_net_agrees_with_torch() -> None:
    net = Net(Architecture((64, 16)))
    boards = np.stack([START, parse("x bar:2 24:1 6:5 / o 13:5 8:3 6:5")])
    children, offsets = all_rolls(boards)
    values = outcomes(
        training_net(weights_of(net)), swap(boards), children, np.ascontiguousarray(offsets[::21])
    )
    expected = torch.softmax(net(torch.from_numpy(encode(children))), dim=1).detach().numpy()
    assert np.abs(values - expected).max() < 5e-3  # bfloat16 in the tail


def test_nets_of_whole_numbers_help_in_play(tmp_path: Path) -> None:
    torch.manual_seed(4)
    weights = weights_of(Net(Architecture((64, 16), activation="clipped")))
    boards = np.stack([START, parse("x bar:2 24:1 6:5 / o 13:5 8:3 6:5")])
    children, offsets = all_rolls(boards)
    path = tmp_path / "whole.safetensors"
    save_integers(path, quantise(weights, children))
    given = swap(boards), children, np.ascontiguousarray(offsets[::21])
    whole = outcomes(helper_net(path, "float32"), *given)
    assert whole.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert np.abs(whole - outcomes(training_net(weights, "float32"), *given)).max() < 0.01
    config = replace(TINY, prune=(str(path),), keep=(3,), positions=200)
    assert train(config, tmp_path / "run").progress.positions == 200


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"keep": (0,)}, "keep (0,): each should be 1 to 3060"),
        ({"keep": (3061,)}, "keep (3061,): each should be 1 to 3060"),
        ({"seed": -1}, "seed -1: should be at least 0"),
        ({"prune": ("a", "b")}, "keep (5,): expected a number for each of ('a', 'b')"),
    ],
)
def test_each_pruning_net_keeps_some_plays(settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        check_config(replace(TINY, **settings))
