"""Judging by rollouts: what is rolled out, how surely, and what a second run adds."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnubg_py import cli
from gnubg_py.board import Boards, parse
from gnubg_py.commands import judge as command
from gnubg_py.compare import judge as judge_module
from gnubg_py.compare.decisions import read_decisions
from gnubg_py.compare.judge import (
    FIRST_BLOCKS,
    TRIALS_PER_BLOCK,
    Judge,
    RollToJudge,
    best_play,
    candidates_of,
    judge_roll,
    roll_out_blocks,
)
from gnubg_py.compare.players import Player, player_named
from gnubg_py.compare.strength import strength, strength_differences
from gnubg_py.engine import engine_of
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.notation import position_id
from gnubg_py.plays import plays
from gnubg_py.probabilities import cubeless_equity
from tests.judged import write_lines

ENDING = "x 4:1 3:1 2:1 / o 2:2"


def judge_of(error: float = 0.01, trials: int = 720) -> Judge:
    return Judge(engine_of("fast"), error, trials)


def made_up(means: list[float], spread: float) -> Any:
    """Stands in for rollouts: plays whose blocks are drawn around means."""

    def blocks(judge: Judge, after: Boards, begin: int, end: int) -> Any:
        rows = after[:, 0, 0].tolist()
        drawn = [np.random.default_rng([row, n]).normal(means[row], spread) for row in rows
                 for n in range(begin, end)]  # fmt: skip
        return np.array(drawn).reshape(len(rows), -1)

    return blocks


def numbered(count: int) -> Boards:
    """Boards that tell their number, for rollouts that are made up."""
    boards = np.zeros((count, 2, 25), np.int8)
    boards[:, 0, 0] = np.arange(count)
    return boards


def roll_of(
    count: int, candidates: set[int], wanted: set[int], blocks: dict[int, Any] | None = None
) -> RollToJudge:
    return RollToJudge(
        numbered(count), np.zeros(count), frozenset(candidates), frozenset(wanted), blocks or {}
    )


def test_differences_are_known_to_the_wanted_error(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = made_up([0.1, 0.095, 0.3, 0.0], 0.03)
    monkeypatch.setattr(judge_module, "roll_out_blocks", fake)
    found = judge_roll(judge_of(0.005, 36_000), roll_of(4, {0, 1, 2}, {3}))
    lengths = {play: len(means) for play, means in found.blocks.items()}
    assert best_play(found.blocks) == 2
    # 0 and 1 are surely behind after the first blocks; 3, which a player makes, is known as well.
    assert lengths[0] == lengths[1] == FIRST_BLOCKS
    assert found.behind_errors[2] == 0
    assert found.equities[2] - found.equities[3] == pytest.approx(0.3, abs=0.1)

    close = judge_roll(judge_of(0.005, 36_000), roll_of(2, {0, 1}, set()))
    assert len(close.blocks[0]) > 30
    assert max(close.behind_errors) <= 0.005


def test_trials_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_module, "roll_out_blocks", made_up([0.1, 0.1], 0.3))
    found = judge_roll(judge_of(1e-6, 720), roll_of(2, {0, 1}, set()))
    assert [len(means) for means in found.blocks.values()] == [20, 20]


def test_a_second_judgement_adds_only_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    fake, asked = made_up([0.1, 0.12, 0.11], 0.05), []

    def counting(judge: Judge, after: Boards, begin: int, end: int) -> Any:
        asked.append((after[:, 0, 0].tolist(), begin, end))
        return fake(judge, after, begin, end)

    monkeypatch.setattr(judge_module, "roll_out_blocks", counting)
    first = judge_roll(judge_of(0.02), roll_of(3, {0, 1}, set()))
    asked.clear()
    again = judge_roll(judge_of(0.02), roll_of(3, {0, 1}, set(), dict(first.blocks)))
    assert asked == []
    assert again.equities.tolist() == first.equities.tolist()
    # Another player makes play 2: only that is rolled out, from the first trial on.
    judge_roll(judge_of(0.02), roll_of(3, {0, 1}, {2}, dict(first.blocks)))
    assert asked[0] == ([2], 0, FIRST_BLOCKS)
    # A smaller error in two steps is the same as at once.
    twice = judge_roll(judge_of(0.01), roll_of(3, {0, 1}, set(), dict(first.blocks)))
    once = judge_roll(judge_of(0.01), roll_of(3, {0, 1}, set()))
    assert twice.equities.tolist() == once.equities.tolist()


def test_a_roll_with_one_candidate_is_not_rolled_out() -> None:
    found = judge_roll(judge_of(), roll_of(2, {0}, {0}))
    assert not found.blocks


def test_candidates_are_near_the_best_by_either_judge() -> None:
    estimates = np.array([0.5, 0.47, 0.3, 0.1])
    assert candidates_of(estimates, None, 0.05, 6) == {0, 1}
    assert candidates_of(estimates, np.array([0.0, 0.0, 0.0, 0.2]), 0.05, 6) == {0, 1, 3}
    assert candidates_of(estimates, None, 1.0, 3) == {0, 1, 2}


def test_rollouts_of_exact_positions_are_exact() -> None:
    board = parse(ENDING)
    after = plays(board, (3, 2))
    exact = -cubeless_equity(evaluator_named("net")(after))
    blocks = roll_out_blocks(judge_of(), after, 0, 2)
    assert blocks.mean(axis=1) == pytest.approx(exact, abs=1e-4)
    over = plays(parse("x 1:1 / o 2:2 1:13"), (3, 2))
    assert roll_out_blocks(judge_of(), over, 0, 2).tolist() == [[2.0, 2.0]]


def test_blocks_depend_on_their_numbers_alone() -> None:
    after = plays(parse("x 8:2 6:3 / o 17:2 4:3"), (2, 1))[:3]
    together = roll_out_blocks(judge_of(), after, 0, 3)
    assert roll_out_blocks(judge_of(), after[1:2], 2, 3)[0, 0] == together[1, 2]
    assert together.shape == (3, 3)
    assert TRIALS_PER_BLOCK == 36


SHORT = [("x 6:2 5:2 3:1 / o 24:1 4:3 2:2", (4, 2)), ("x 6:2 4:1 2:1 / o 5:2 3:2 1:1", (4, 2))]


def short_lines() -> list[dict[str, Any]]:
    """Rolls near the end of the game, judged by the pseudopip evaluator."""
    judge, lines = evaluator_named("pseudopip"), []
    for (text, dice), name in zip(SHORT, ("contact", "bearoff"), strict=True):
        after = plays(parse(text), dice)
        equities = -cubeless_equity(judge(after))
        order = np.argsort(-equities, kind="stable")
        known = [[position_id(after[i]), float(equities[i]), 0] for i in order]
        lines.append(
            {"id": position_id(parse(text)), "class": name, "dice": list(dice), "plays": known}
        )
    return lines


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("judge") / "given.jsonl", short_lines())


@pytest.fixture(scope="module")
def judged(given: Path) -> Path:
    out = given.with_name("judged.jsonl.gz")
    assert run(given, out) == 0
    return out


def run(path: Path, out: Path, *words: str) -> int:
    small = ("--evaluator", "fast", "--trials", "324", "--estimate-ply", "0", "--most", "2")
    return cli.main(["judge", str(path), str(out), *small, *words])


def test_judge_writes_what_strength_reads(judged: Path, given: Path) -> None:
    decisions = read_decisions(judged)
    assert decisions.ids == read_decisions(given).ids
    assert decisions.errors is not None
    assert (decisions.errors > 0).any()
    players = [player_named("pseudopip"), player_named("random")]
    strengths = [strength(player, decisions) for player in players]
    (difference,) = strength_differences(decisions, strengths)
    assert difference.scores["all"].error < 0
    assert cli.main(["strength", "--decisions", str(judged), "--json"]) == 0


def test_a_line_tells_each_plays_errors(judged: Path) -> None:
    for line in gzip.decompress(judged.read_bytes()).decode().splitlines():
        item = json.loads(line)
        equities = [play[1] for play in item["plays"]]
        assert equities == sorted(equities, reverse=True)
        rolled = {play[0]: play for play in item["plays"] if play[2] == "rollout"}
        assert rolled.keys() == item["blocks"].keys()
        assert len(rolled) != 1
        for play in rolled.values():
            assert 0 <= play[4] < 0.2
        assert "0-ply rollouts, seed 0" in item["judge"]


def test_a_second_run_does_what_is_missing(
    judged: Path, given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "again.jsonl"
    out.write_bytes(gzip.decompress(judged.read_bytes()))
    assert run(given, out) == 0
    assert out.read_bytes() == gzip.decompress(judged.read_bytes())
    positions = tmp_path / "positions.txt"
    positions.write_text(f"{position_id(parse('x 6:2 5:1 / o 24:1 3:1'))} 31  # another roll\n")
    assert run(positions, out, "--player", "pseudopip") == 0
    assert "1 of 1 rolls judged" in capsys.readouterr().out
    *_, last = out.read_text().splitlines()
    judged_plays = json.loads(last)["blocks"].keys()
    assert set(json.loads(last)["players"].values()) <= judged_plays or not judged_plays
    assert len(read_decisions(out).ids) == len(SHORT) + 1


def test_a_players_plays_are_remembered(
    given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "remembered.jsonl"
    assert run(given, out, "--player", "pseudopip") == 0
    (made,) = json.loads(out.read_text().splitlines()[0])["players"].values()
    assert made == short_lines()[0]["plays"][0][0]

    def no_choice(boards: Boards, dice: Any, candidates: Boards, offsets: Any) -> Any:
        raise AssertionError("the player chooses again")

    def without_choice(name: str) -> Player:
        return replace(player_named(name), choose=no_choice)

    monkeypatch.setattr(command, "player_named", without_choice)
    before = out.read_bytes()
    assert run(given, out, "--player", "pseudopip") == 0
    assert out.read_bytes() == before


def test_ctrl_c_keeps_the_rolls_that_are_judged(
    given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[RollToJudge] = []

    def stopping(judge: Judge, roll: RollToJudge) -> Any:
        if judged:
            raise KeyboardInterrupt
        judged.append(roll)
        return judge_roll(judge, roll)

    monkeypatch.setattr(command, "judge_roll", stopping)
    out = tmp_path / "stopped.jsonl"
    assert run(given, out) == 130
    assert len(read_decisions(out).ids) == 1


def test_what_cannot_be_judged_is_one_line(
    judged: Path, given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    for path, out, words, problem in (
        (given, given, (), "is the file to judge"),
        (given, judged, ("--seed", "1"), "name another file"),
        (given, judged, ("--error", "0"), "error 0.0: should be above 0"),
        (given, judged, ("--trials", "10"), "trials 10: should be at least 324"),
        (tmp_path / "no.txt", judged, (), "no such file"),
        (given, write_lines(tmp_path / "bad.jsonl", ['{"blocks": 3}']), (), "not a line of judge"),
        (given, write_lines(tmp_path / "short.jsonl", [{"id": "x", "dice": [1, 2], "judge": "",
                                                        "players": {}, "blocks": {"y": [1.0]}}]),
         (), "blocks"),
    ):  # fmt: skip
        assert run(path, out, *words) == 2
        assert problem in capsys.readouterr().err
