"""Running rollouts: batches, threads, stop rules, stopping by hand, saving, going on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import START, Boards, parse
from gnubg_py.cube.state import Cube
from gnubg_py.engine import default_engine, engine_of
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.heuristics.pseudopip import PSEUDOPIP_LEAF
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.evaluators.router import Router
from gnubg_py.match import MatchState
from gnubg_py.plays import plays
from gnubg_py.rollouts.result import (
    DONE,
    INTERRUPTED,
    STOPPED,
    RolloutResult,
    load_result,
    result_from_dict,
)
from gnubg_py.rollouts.run import roll_out, rollout
from gnubg_py.rollouts.settings import RolloutSettings, StopRules, same_plies
from gnubg_py.rollouts.task import cube_task, few_best_plays, plays_task, position_task
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.settings import EvalSettings, Strength
from gnubg_py.threads import set_thread_count, thread_count

SHORT = RolloutSettings(trials=72, truncate=3)
OPENING = "4HPwATDgc/ABMA"


@pytest.fixture
def router() -> Router:
    """Pseudopips, and the exact endings: quick, and no net is needed."""
    answer = evaluator_named("pseudopip")
    assert isinstance(answer, Router)
    return answer


@pytest.fixture
def threads() -> Iterator[None]:
    before = thread_count()
    yield
    set_thread_count(before)


def same_sums(a: RolloutResult, b: RolloutResult) -> bool:
    return all(np.array_equal(vars(a.sums)[name], vars(b.sums)[name]) for name in vars(a.sums))


def test_results_do_not_depend_on_batches_or_threads(router: Router, threads: None) -> None:
    task = cube_task(START, Cube())
    results = []
    for games_at_once, n in ((4000, 1), (22, 2), (4000, 3)):
        set_thread_count(n)
        results.append(roll_out(task, SHORT, engine=engine_of(router), games_at_once=games_at_once))
    assert same_sums(results[0], results[1])
    assert same_sums(results[0], results[2])


def test_alternatives_share_dice_and_their_difference_is_surer(router: Router) -> None:
    # Beside another play or alone, a play's games are the same.
    after = plays(START, (3, 1))
    both = roll_out(
        plays_task(START, Cube(), (3, 1), list(after[:2])), SHORT, engine=engine_of(router)
    )
    alone = roll_out(plays_task(START, Cube(), (3, 1), [after[1]]), SHORT, engine=engine_of(router))
    assert np.array_equal(both.sums.total[1], alone.sums.total[0])
    best, other = sorted(both.rows, key=lambda row: -row.equity)
    assert best.difference == 0
    assert other.difference == pytest.approx(other.equity - best.equity)
    assert 0 < other.difference_error < 2 * np.hypot(best.error, other.error)


def test_deep_rollouts_share_nodes_and_do_not_depend_on_it(threads: None) -> None:
    # What the cache holds, and which games are played beside which, changes no bit.
    settings = RolloutSettings(trials=4, truncate=3, sides=same_plies(2, 0))
    board = parse("x 10:1 8:3 7:3 6:4 5:2 4:2 / o 9:3 7:3 6:4 5:3 4:2")
    task = position_task(board, Cube(2, 1))
    results = []
    for size, games_at_once, n in ((1 << 16, 4, 1), (0, 1, 2), (1 << 16, None, 2)):
        set_thread_count(n)
        engine = replace(default_engine(), cache=SearchCache(size))
        results.append(roll_out(task, settings, engine=engine, games_at_once=games_at_once))
    assert same_sums(results[0], results[1])
    assert same_sums(results[0], results[2])


def test_stops_at_the_standard_error_asked_for(router: Router) -> None:
    task = position_task(START, Cube())
    whole = roll_out(task, replace(SHORT, trials=360), engine=engine_of(router))
    limit = whole.rows[0].error * 1.4
    stop = StopRules(error=limit, error_minimum=72)
    settings = replace(SHORT, trials=360, stop=stop)
    results = [
        roll_out(task, settings, engine=engine_of(router), games_at_once=n) for n in (50, 4000)
    ]
    assert same_sums(*results)
    result = results[0]
    assert result.ending == STOPPED
    assert 72 <= result.trials < 360
    assert result.trials % 36 == 0
    assert max(result.rows[0].error, result.rows[0].cubeless_error) <= limit
    before = roll_out(task, replace(SHORT, trials=result.trials - 36), engine=engine_of(router))
    assert before.trials < 72 or max(before.rows[0].error, before.rows[0].cubeless_error) > limit


def test_stops_when_one_play_is_ahead(router: Router) -> None:
    ranked = few_best_plays(START, Cube(), (3, 1), 16, engine_of(router))
    stop = StopRules(ahead=2.0, ahead_minimum=72)
    settings = replace(SHORT, trials=360, stop=stop)
    task = plays_task(START, Cube(), (3, 1), [ranked[0], ranked[-1]])
    result = roll_out(task, settings, engine=engine_of(router))
    assert (result.ending, result.trials) == (STOPPED, 72)
    assert -result.rows[1].difference > 2 * result.rows[1].difference_error
    # One play alone is ahead of none: the rule is not for it.
    task = plays_task(START, Cube(), (3, 1), [ranked[0]])
    result = roll_out(task, replace(settings, trials=108), engine=engine_of(router))
    assert (result.ending, result.trials) == (DONE, 108)


class Interrupting:
    """Pseudopips until so many calls have been made; then Ctrl-C."""

    name = identity = "interrupting"

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        self.calls -= 1
        if self.calls < 0:
            raise KeyboardInterrupt
        return PSEUDOPIP_LEAF(boards)


def test_ctrl_c_keeps_what_is_done(router: Router, threads: None) -> None:
    set_thread_count(1)  # so that the second batch is played after the first
    task = position_task(START, Cube())
    counting = Interrupting(10**9)
    roll_out(
        task,
        SHORT,
        engine=engine_of(router.routed(PositionClass.CONTACT, counting)),
        games_at_once=36,
    )
    used = 10**9 - counting.calls
    halfway = router.routed(PositionClass.CONTACT, Interrupting(used - 2))
    result = roll_out(task, SHORT, engine=engine_of(halfway), games_at_once=36)
    assert (result.ending, result.trials) == (INTERRUPTED, 36)
    assert "interrupted" in str(result)
    with pytest.raises(KeyboardInterrupt):
        roll_out(
            task, SHORT, engine=engine_of(router.routed(PositionClass.CONTACT, Interrupting(1)))
        )


def test_ctrl_c_ends_the_batches_under_way(router: Router, threads: None) -> None:
    set_thread_count(3)

    def interrupt(result: RolloutResult) -> None:
        raise KeyboardInterrupt

    settings = replace(SHORT, trials=10_000)
    result = roll_out(
        position_task(START, Cube()),
        settings,
        engine=engine_of(router),
        report=interrupt,
        games_at_once=36,
    )
    assert (result.ending, result.trials) == (INTERRUPTED, 36)


def test_goes_on_from_a_saved_result(router: Router, tmp_path: Path) -> None:
    task = cube_task(START, Cube())
    whole = roll_out(task, SHORT, engine=engine_of(router))
    part = roll_out(task, replace(SHORT, trials=50), engine=engine_of(router))
    file = tmp_path / "part.json"
    part.save(file)
    read = load_result(file)
    assert same_sums(part, read)
    assert read.settings == part.settings
    settings = replace(part.settings, trials=72)
    longer = roll_out(read.task, settings, engine=engine_of(router), earlier=read)
    assert same_sums(longer, whole)
    assert longer.seconds > part.seconds
    with pytest.raises(ValueError, match="72 trials already"):
        roll_out(longer.task, settings, engine=engine_of(router), earlier=longer)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"position": "x 24:2 13:5 8:2 6:6 / o 24:2 13:5 8:3 6:5"}, "another position"),
        ({"settings": replace(SHORT, trials=90, seed=1)}, "other settings"),
        ({"cube": False}, "something else"),
        ({"evaluator": evaluator_named("ten-factor")}, "another evaluator"),
    ],
)
def test_goes_on_from_the_same_games_only(
    router: Router, changed: dict[str, Any], message: str
) -> None:
    state = MatchState()
    part = rollout((START, state), replace(SHORT, trials=36), cube=True, evaluator=router)
    asked: dict[str, Any] = {"settings": SHORT, "cube": True, "evaluator": router, **changed}
    position = (parse(asked.pop("position")) if "position" in asked else START, state)
    with pytest.raises(ValueError, match=message):
        rollout(position, asked.pop("settings"), earlier=part, **asked)


def test_a_full_disk_leaves_the_old_file(
    router: Router, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = roll_out(
        position_task(START, Cube()), replace(SHORT, trials=36), engine=engine_of(router)
    )
    file = tmp_path / "kept.json"
    file.write_text("old")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ValueError, match="No space left"):
        result.save(file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_damaged_files_are_refused_in_one_line(router: Router, tmp_path: Path) -> None:
    task = plays_task(START, Cube(), (3, 1), ["8/5 6/5", "24/23 13/10"])
    result = roll_out(task, replace(SHORT, trials=36), engine=engine_of(router))
    good = result.to_dict()
    assert same_sums(result_from_dict(json.loads(json.dumps(good))), result)
    wrong: list[dict[str, Any]] = [
        {},
        {**good, "format": "something"},
        {**good, "position": "nonsense"},
        {**good, "sums": {**good["sums"], "trials": 0}},
        {**good, "sums": {**good["sums"], "total": [[0.0] * 7]}},
        {**good, "sums": {**good["sums"], "squares": [[None] * 7] * 2}},
        {**good, "settings": {**good["settings"], "surprise": 1}},
        {**good, "settings": {}},
        {k: v for k, v in good.items() if k != "evaluators"},
        {**good, "cube": {"value": 3}},
    ]
    file = tmp_path / "bad.json"
    for values in wrong:
        file.write_text(json.dumps(values))
        with pytest.raises(ValueError, match=r"bad\.json: ") as problem:
            load_result(file)
        assert "\n" not in str(problem.value)
    for text in ("", "{", "[1]"):
        file.write_text(text)
        with pytest.raises(ValueError, match=r"bad\.json: "):
            load_result(file)
    with pytest.raises(ValueError, match="no such file"):
        load_result(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"position": "x 1:1 / o"}, "the game is over"),
        ({"plays": ["8/5 6/5"]}, "plays without a roll"),
        ({"dice": (3, 1), "best": 0}, "best 0 plays of 3-1: should be 1 or more"),
        ({"dice": (3, 1), "plays": []}, "no plays"),
        ({"dice": (3, 1), "plays": ["8/5 6/5", "6/5 8/5"]}, "given twice"),
        ({"dice": (3, 1), "plays": ["8/4 6/5"]}, "8/4"),
        ({"dice": (3, 1), "cube": True, "best": 2}, "one or the other"),
        ({"position": "x 2:1 1:1 / o 1:2", "dice": (6, 1)}, "ends the game"),
        ({"position": (START, MatchState(cube_value=2, cube_owner=0)), "cube": True}, "cannot"),
    ],
)
def test_what_cannot_be_rolled_out(router: Router, asked: dict[str, Any], message: str) -> None:
    position = asked.pop("position", OPENING)
    with pytest.raises(ValueError, match=message):
        rollout(position, SHORT, evaluator=router, **asked)


def test_not_even_no_plays_are_rolled_out_without_a_roll(router: Router) -> None:
    none_named: list[dict[str, Any]] = [{"best": 0}, {"plays": []}]
    for asked in none_named:
        with pytest.raises(ValueError, match="plays without a roll: give the dice"):
            rollout(OPENING, SHORT, evaluator=router, **asked)


def test_the_best_plays_are_cut_to_those_there_are(router: Router) -> None:
    forced = parse("x bar:1 1:14 / o 6:2 5:2 4:2 3:2 1:2")
    result = rollout((forced, MatchState()), SHORT, dice=(6, 2), best=2, evaluator=router)
    assert len(result.rows) == 1


def test_sides_and_later_settings_play_their_own_way(router: Router) -> None:
    # Noise on one side alone costs that side equity; from a late turn on it costs nothing yet.
    noisy = Strength(EvalSettings(noise=0.3))
    calm = Strength()
    task = position_task(START, Cube())
    settings = replace(SHORT, trials=36, cubeful=False)
    equity = {}
    for name, sides in {"0": (noisy, calm), "1": (calm, noisy), "": (calm, calm)}.items():
        result = roll_out(task, replace(settings, sides=sides), engine=engine_of(router))
        equity[name] = result.rows[0].cubeless_equity
    assert equity["0"] < equity[""] < equity["1"]
    late = replace(settings, later=(noisy, noisy), later_from=3)
    assert roll_out(task, late, engine=engine_of(router)).rows[0].cubeless_equity == equity[""]
    soon = replace(settings, later=(noisy, calm), later_from=2)
    assert roll_out(task, soon, engine=engine_of(router)).rows[0].cubeless_equity < equity[""]


def test_one_ply_of_look_ahead(router: Router) -> None:
    settings = replace(SHORT, trials=36, truncate=2, sides=same_plies(1))
    result = roll_out(cube_task(START, Cube(away=(5, 3))), settings, engine=engine_of(router))
    row = result.rows[0]
    assert row.mwc is not None
    assert 0.2 < row.mwc < 0.6
    # What luck there was is judged at 0-ply, and does not hide it all.
    assert 0 < row.error < 0.1


def test_table_and_running_results(router: Router) -> None:
    seen: list[int] = []
    result = rollout(
        OPENING,
        SHORT,
        dice=(3, 1),
        best=2,
        evaluator=router,
        report=lambda sofar: seen.append(sofar.trials),
        games_at_once=72,
    )
    assert seen == [36, 72]
    lines = str(result).splitlines()
    assert "Cubeful" in lines[0]
    assert lines[1].startswith(result.best.name)
    assert lines[2].split()[0] == "mean"
    assert lines[3].split()[0] == "error"
    assert lines[8].startswith("72 trials each")
    assert max(map(len, lines)) <= 80


def test_a_rollout_of_the_cube_lists_the_proper_action_first(router: Router) -> None:
    text = str(roll_out(cube_task(START, Cube()), SHORT, engine=engine_of(router)))
    actions = text.split("Cubeful equities:\n")[1].splitlines()
    assert actions[0].startswith("1. No double  ")
    assert all("  (" in line for line in actions[1:3])
    assert actions[3] == "Proper cube action: No double, take"
