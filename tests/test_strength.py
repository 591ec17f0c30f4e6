"""Scoring judged decisions: who gives up what, in checker play and with the cube."""

from __future__ import annotations

import dataclasses
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnubg_py.board import parse
from gnubg_py.commands import comparing
from gnubg_py.compare.cube_decisions import (
    CubeDecisions,
    cube_given_up,
    cube_strength,
    player_equities,
    read_cube_decisions,
)
from gnubg_py.compare.decisions import Decisions, losses_of, read_decisions, score, some_decisions
from gnubg_py.compare.players import Player, choices, evaluator_player, player_named, rows_of_plays
from gnubg_py.compare.strength import strength, strength_differences
from gnubg_py.cube.decision import cube_decision
from gnubg_py.cube.state import OWN, Cube
from gnubg_py.cube.tree import cube_decision_cubes, in_units_before_doubling
from gnubg_py.cube.values import cube_table, node_values
from gnubg_py.evaluators.classify import classify
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.groups import Chooser
from gnubg_py.notation import position_id
from gnubg_py.probabilities import cubeless_equity
from gnubg_py.search.settings import EvalSettings
from tests.command_line import Main
from tests.judged import judged_lines, write_lines

ONE_PLY = EvalSettings(1, cubeful=False, prune=False)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("judged") / "decisions.jsonl.gz", judged_lines())


@pytest.fixture(scope="module")
def decisions(path: Path) -> Decisions:
    return read_decisions(path)


def place_chooser(place: int) -> Chooser:
    """Plays the play listed at that place, or the last one."""

    def choose(boards, dice, candidates, offsets):  # type: ignore[no-untyped-def]
        return np.minimum(offsets[:-1] + place, offsets[1:] - 1)

    return choose


# Reading


def test_the_judge_itself_gives_up_nothing(decisions: Decisions) -> None:
    found = strength(player_named("pseudopip"), decisions)
    assert found.losses.tolist() == [0.0] * 6
    assert list(found.scores) == ["contact", "race", "bearoff", "contact+crashed",
                                  "race+bearoff", "all"]  # fmt: skip
    assert [s.n for s in found.scores.values()] == [4, 1, 1, 4, 2, 6]


def test_a_play_costs_what_it_lies_below_the_best(decisions: Decisions) -> None:
    found = strength(Player("third", place_chooser(2)), decisions)
    for number, (first, last) in enumerate(
        zip(decisions.offsets[:-1], decisions.offsets[1:], strict=True)
    ):
        third = min(first + 2, last - 1)
        expected = decisions.equities[first] - decisions.equities[third]
        assert found.losses[number] == pytest.approx(expected, abs=1e-12)
    everything = found.scores["all"]
    assert everything.error == pytest.approx(1000 * found.losses.mean())
    assert everything.standard_error == pytest.approx(1000 * found.losses.std(ddof=1) / np.sqrt(6))


def test_differences_are_paired(decisions: Decisions) -> None:
    first, second = (strength(Player(str(p), place_chooser(p)), decisions) for p in (1, 2))
    (difference,) = strength_differences(decisions, [first, second])
    gaps = 1000 * (first.losses - second.losses)
    assert (difference.first, difference.second) == ("1", "2")
    assert difference.scores["all"].error == pytest.approx(gaps.mean())
    assert difference.scores["all"].standard_error == pytest.approx(gaps.std(ddof=1) / np.sqrt(6))
    assert difference.scores["all"].standard_error < second.scores["all"].standard_error


def test_ctrl_c_leaves_what_is_finished(
    decisions: Decisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnubg_py.compare.players._SLICE", 2)
    asked = []

    def choose(boards, dice, candidates, offsets):  # type: ignore[no-untyped-def]
        asked.append(len(boards))
        if len(asked) == 3:
            raise KeyboardInterrupt
        return offsets[:-1]

    found = strength(Player("impatient", choose), decisions)
    assert len(found.losses) == 4
    assert found.scores["all"].n == 4
    assert strength_differences(decisions, [found, found])[0].scores["all"].n == 4


def test_choices_do_not_depend_on_slices(
    decisions: Decisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = choices(player_named("ten-factor"), decisions).chosen
    monkeypatch.setattr("gnubg_py.compare.players._SLICE", 1)
    assert choices(player_named("ten-factor"), decisions).chosen.tolist() == whole.tolist()
    part = some_decisions(decisions, 0, 2)
    assert choices(player_named("ten-factor"), part).chosen.tolist() == whole[:2].tolist()


@pytest.mark.parametrize("name", ["pseudopip-analysis", "ten-factor-play", "random"])
def test_every_chooser_plays_legally(decisions: Decisions, name: str) -> None:
    chosen = choices(player_named(name), decisions).chosen
    assert (decisions.offsets[:-1] <= chosen).all()
    assert (chosen < decisions.offsets[1:]).all()
    assert (losses_of(decisions, chosen) >= 0).all()


def test_one_ply_plays_by_the_mean_over_the_replies(decisions: Decisions) -> None:
    """Against a plain search: every play, every roll of the other side, its best reply."""
    from gnubg_py.dice import ROLL_WEIGHTS, ROLLS
    from gnubg_py.plays import plays_batch

    part = some_decisions(decisions, 0, 2)
    leaf = evaluator_named("pseudopip")
    found = choices(evaluator_player(leaf, ONE_PLY), part).chosen
    for number, row in enumerate(found):
        first, last = part.offsets[number], part.offsets[number + 1]
        worth = np.zeros(last - first)
        for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
            rolls = np.repeat(roll[None], last - first, axis=0)
            after, offsets = plays_batch(part.candidates[first:last], rolls)
            equities = -cubeless_equity(leaf(after).astype(float))
            worth -= weight * np.maximum.reduceat(equities, offsets[:-1])
        shallow = cubeless_equity(leaf(part.candidates[first:last]).astype(float))
        near = shallow <= shallow.min() + 0.16  # the Normal filter: within 0.16, nine plays
        near &= shallow.argsort().argsort() < 9
        worth[~near] = -np.inf
        assert worth[row - first] == pytest.approx(worth.max(), abs=36e-5)


def test_a_play_that_is_not_listed_is_an_error(decisions: Decisions) -> None:
    part = some_decisions(decisions, 0, 1)
    with pytest.raises(ValueError, match="a legal play is missing from a decision: "):
        rows_of_plays(part.boards, part.candidates, part.offsets)


# The cube

CENTRED_LINE = {"cube": 1, "owner": "centred", "nd": 0.5, "dt": 0.7, "dp": 1.0}
OWNED_LINE = {"cube": 2, "owner": "own", "away": [5, 3], "crawford": False,
              "nd": 0.9, "dt": 1.3, "dp": 1.0}  # fmt: skip
DEAD_LINE = {"cube": 2, "owner": "own", "away": [2, 2], "nd": 0.4, "dt": 0.4, "dp": 1.0}
CUBE_POSITIONS = {
    "x 13:2 8:3 6:5 5:2 4:3 / o bar:1 24:1 13:4 8:3 6:6": CENTRED_LINE,
    "x 8:3 6:5 4:3 2:2 / o 9:3 6:6 5:4 3:2": OWNED_LINE,
    "x 6:2 5:2 4:2 / o 5:2 4:2 3:2": DEAD_LINE,
}


@pytest.fixture(scope="module")
def cube_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = [{"id": position_id(parse(p)), **rest} for p, rest in CUBE_POSITIONS.items()]
    return write_lines(tmp_path_factory.mktemp("cube") / "cube.jsonl", lines)


@pytest.fixture(scope="module")
def cubes(cube_path: Path) -> CubeDecisions:
    return read_cube_decisions(cube_path)


def test_cube_decisions_are_read(cubes: CubeDecisions) -> None:
    assert cubes.cubes == (Cube(), Cube(2, OWN, (5, 3)), Cube(2, OWN, (2, 2)))
    assert cubes.equities[1].tolist() == [0.9, 1.3, 1.0]


@pytest.mark.parametrize(
    ("judged", "found", "doubling", "answer"),
    [
        # Double, take is right.
        ((0.5, 0.7, 1.0), (0.6, 0.8), 0.0, 0.0),
        ((0.5, 0.7, 1.0), (0.9, 0.8), 0.2, 0.0),  # no double
        ((0.5, 0.7, 1.0), (0.6, 1.2), 0.0, 0.3),  # passes
        # Double, pass is right.
        ((0.9, 1.3, 1.0), (0.9, 1.1), 0.0, 0.0),
        ((0.9, 1.3, 1.0), (0.9, 0.8), 0.1, 0.3),  # neither doubles nor passes
        # Too good, pass: an answer is judged although nobody should double.
        ((1.1, 1.2, 1.0), (1.2, 1.3), 0.0, 0.0),
        ((1.1, 1.2, 1.0), (0.9, 0.95), 0.1, 0.2),
        # The cube is dead for the player.
        ((0.4, 0.4, 1.0), (np.nan, np.nan), 0.0, 0.0),
    ],
)
def test_what_a_cube_action_gives_up(
    judged: tuple[float, ...], found: tuple[float, ...], doubling: float, answer: float
) -> None:
    lost = cube_given_up(np.array([judged]), np.array([found]))
    assert [float(part[0]) for part in lost] == pytest.approx([doubling, answer])


def test_a_players_equities_are_the_static_values(cubes: CubeDecisions) -> None:
    player = player_named("pseudopip")
    found = player_equities(player, cubes)
    five, classes = player.probabilities(cubes.boards), classify(cubes.boards)
    for i in (0, 1):
        cube, one = cubes.cubes[i], slice(i, i + 1)
        table = cube_table(cube_decision_cubes(cube))
        values = node_values(cubes.boards[one], classes[one], five[one], table, may_double=False)
        no_double, take = in_units_before_doubling(values, cube)[0]
        decision = cube_decision((no_double, take), cube)
        expected = [decision.no_double, decision.double_take]
        assert found[i].tolist() == pytest.approx(expected, abs=1e-6)
    assert np.isnan(found[2]).all()


def test_cube_scores_add_up(cubes: CubeDecisions) -> None:
    scores = cube_strength(player_named("pseudopip"), cubes).scores
    parts = scores["doubling alone"].error + scores["answers alone"].error
    assert scores["all"].error == pytest.approx(parts)
    assert (scores["money"].n, scores["match"].n, scores["all"].n) == (1, 2, 3)


# The command


def test_strength_prints_a_table_and_the_difference(main: Main, path: Path) -> None:
    words = ("strength", "--decisions", str(path), "--evaluator", "pseudopip", "ten-factor-play")
    status, out, err = main(*words)
    assert (status, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert ["contact+crashed", "4", "0.00", "±", "0.00"] in [row[:5] for row in rows]
    assert "Paired difference, pseudopip less the other:" in out
    assert max(map(len, out.splitlines()[1:])) <= 80


def test_strength_as_json(main: Main, path: Path) -> None:
    _, out, _ = main("strength", "--decisions", str(path), "--evaluator", "ten-factor", "--json")
    answer = json.loads(out)
    contact = answer["classes"]["contact"]
    assert set(contact) == {"error", "standard_error", "n"}
    lost = strength(player_named("ten-factor"), read_decisions(path)).losses
    assert contact == pytest.approx(dataclasses.asdict(score(lost[:4])))
    # One race: no standard error can be told.
    assert answer["classes"]["race"]["standard_error"] is None
    assert "NaN" not in out


def test_strength_of_the_cube(main: Main, cube_path: Path) -> None:
    words = ("strength", "--cube", str(cube_path), "--evaluator", "pseudopip", "pseudopip@1")
    status, out, _ = main(*words)
    assert status == 0
    assert "doubling alone" in out
    _, out, _ = main(*words, "--json")
    answer = json.loads(out)
    assert answer["classes"]["all"]["n"] == answer["cube"]["n"] == 3
    assert answer["classes"]["all"]["error"] == answer["cube"]["error"]


def test_the_benchmark_beside_a_checkout_is_the_default(
    main: Main, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    place = path.parent / "shared" / "benchmark" / "decisions.jsonl.gz"
    place.parent.mkdir(parents=True)
    place.write_bytes(path.read_bytes())
    monkeypatch.setattr(comparing, "checkout", lambda: path.parent / "checkout")
    status, out, _ = main("strength", "--evaluator", "pseudopip")
    assert status == 0
    assert out.startswith(f"Checker decisions of {place}\n")


def lines_with(number: int, change: Callable[[dict[str, Any]], Any]) -> list[Any]:
    lines = judged_lines()
    lines[number - 1] = change(lines[number - 1])
    return lines


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "no decisions in it"),
        (lines_with(3, lambda line: "{"), "line 3: not a judged decision (Expecting property"),
        (lines_with(2, lambda line: {**line, "id": "nonsense"}), "line 2: not a judged decision"),
        (lines_with(2, lambda line: {**line, "dice": [7, 1]}), "line 2: not a judged decision"),
        (lines_with(5, lambda line: {**line, "class": "chess"}), "line 5: not a judged decision"),
        (lines_with(1, lambda line: {"id": line["id"]}), "line 1: not a judged decision"),
        (lines_with(6, lambda line: [1, 2]), "line 6: not a judged decision"),
        (lines_with(2, lambda line: {**line, "dice": [3.7, 1]}), "line 2: not a judged decision"),
        (lines_with(2, lambda line: {**line, "dice": [10**400, 1]}), "line 2: not a judged"),
        (lines_with(1, lambda line: "[" * 100_000), "line 1: not a judged decision"),
        (
            lines_with(
                3, lambda line: {**line, "plays": [[*line["plays"][0][:1], float("nan"), 0]]}
            ),
            "line 3: not a judged decision (an equity is not a finite number)",
        ),
        (
            lines_with(4, lambda line: {**line, "plays": [[line["id"], 0.1, 0]]}),
            "is after no play of ",
        ),
    ],
)
def test_bad_decisions_get_one_line(
    main: Main, tmp_path: Path, lines: list[Any], message: str
) -> None:
    path = write_lines(tmp_path / "bad.jsonl", lines)
    status, out, err = main("strength", "--decisions", str(path))
    assert (status, out) == (2, "")
    assert err.startswith(f"gnubg-py: {path}")
    assert message in err
    assert err.count("\n") == 1


def test_damaged_and_foreign_files_get_one_line(main: Main, tmp_path: Path) -> None:
    damaged = bytearray(gzip.compress(b"0123456789" * 1000))
    damaged[20] ^= 255
    path = tmp_path / "damaged.jsonl.gz"
    path.write_bytes(damaged)
    for file, message in ((path, "cannot be read"), (tmp_path, "is a folder"),
                          (Path("/dev/null"), "is a device")):  # fmt: skip
        status, out, err = main("strength", "--decisions", str(file))
        assert (status, out) == (2, "")
        assert f"{file}: {message}" in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cube": 3}, "line 1: not a cube decision (cube value 3: should be a power of two"),
        ({"owner": "mine"}, "line 1: not a cube decision (owner 'mine' is not one of centred, own"),
        ({"nd": float("nan")}, "line 1: not a cube decision (equities"),
        ({"nd": 10**400}, "line 1: not a cube decision"),
        ({"away": [0, 3]}, "line 1: not a cube decision (0-away"),
        ({"away": 3}, "line 1: not a cube decision"),
        ({"id": 5}, "line 1: not a cube decision"),
    ],
)
def test_bad_cube_decisions_get_one_line(
    main: Main, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    line = {"id": "4HPwATDgc/ABMA", **CENTRED_LINE, **change}
    path = write_lines(tmp_path / "cube.jsonl", [line])
    status, out, err = main("strength", "--cube", str(path))
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--decisions", "nowhere.jsonl"], "nowhere.jsonl: no such file"),
        (["--evaluator", "nett"], "player 'nett' is not one of net, "),
        (["--evaluator", "pseudopip@9"], "player 'pseudopip@9': the plies after '@' should be"),
        (["--evaluator", "random@2"], "player 'random@2': random does not look ahead by plies"),
        (["--evaluator", "pseudopip", "--ply", "9"], "9 plies: should be a whole number from 0"),
        (["--net", "nowhere.safetensors"], "nowhere.safetensors: no such file"),
        (["--filter", "thick"], "move filter 'thick' is not one of tiny,"),
        (["--evaluator", "nowhere.safetensors"], "nowhere.safetensors"),
    ],
)
def test_bad_words_get_one_line(main: Main, path: Path, words: list[str], message: str) -> None:
    if "--decisions" not in words:
        words = ["--decisions", str(path), *words]
    status, out, err = main("strength", *words)
    assert (status, out) == (2, "")
    assert err.startswith(f"gnubg-py: {message}")
    assert err.count("\n") == 1


def test_a_file_is_required_where_there_is_no_benchmark(
    main: Main, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "checkout", lambda: None)
    status, _, err = main("strength")
    assert status == 2
    assert err == "gnubg-py: nothing to score: name a file with --decisions FILE or --cube FILE\n"


def test_a_chooser_has_no_cube_action(main: Main, cube_path: Path) -> None:
    status, _, err = main("strength", "--cube", str(cube_path), "--evaluator", "random")
    assert status == 2
    assert err == "gnubg-py: random chooses plays only: it has no cube action\n"
