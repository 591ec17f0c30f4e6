"""Comparing players: groups, agreement, calibration, tables, files and the command."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from gnubg_py.board import START
from gnubg_py.compare.agreement import (
    Agreement,
    compare_players,
    decisions_by,
    group_loss,
    rank_correlation,
    ranked_rows,
    widest,
)
from gnubg_py.compare.calibration import calibration_of, sample_games
from gnubg_py.compare.decisions import Decisions, position_of_line, read_decisions, read_positions
from gnubg_py.compare.players import player_named
from gnubg_py.compare.showcase import galleries, showcase
from gnubg_py.compare.tables import CSV_COLUMNS, csv_text
from gnubg_py.network.weights import save_weights
from tests.command_line import Main
from tests.judged import OPENING, judged_lines, write_lines
from tests.network_twins import random_weights

NAMES = ("ten-factor-play", "ten-factor", "pseudopip")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("judged") / "decisions.jsonl", judged_lines())


@pytest.fixture(scope="module")
def decisions(path: Path) -> Decisions:
    return read_decisions(path)


@pytest.fixture(scope="module")
def agreement(decisions: Decisions) -> Agreement:
    return compare_players([player_named(name) for name in NAMES], decisions)


# Agreement


def test_the_judge_agrees_with_itself(agreement: Agreement) -> None:
    judge = agreement.players[2]
    everything = judge.by_group["all"]["all"]
    assert (everything.mean, everything.agreement) == (0.0, 1.0)
    assert judge.rank_correlation == pytest.approx(1.0)
    assert agreement.same.diagonal().tolist() == [1.0, 1.0, 1.0]
    assert (agreement.same == agreement.same.T).all()


def test_who_does_not_value_positions_has_no_ranks(agreement: Agreement) -> None:
    chooser = agreement.players[0]
    assert (chooser.rank_correlation, chooser.equities) == (None, None)
    assert chooser.by_group["class"]["contact"].n == 4


def test_losses_of_groups_add_up(agreement: Agreement) -> None:
    for player in agreement.players:
        everything = player.by_group["all"]["all"]
        for kind in ("class", "phase"):
            groups = player.by_group[kind].values()
            assert sum(g.n for g in groups) == everything.n == 6
            assert sum(g.n * g.mean for g in groups) == pytest.approx(6 * everything.mean)


def test_a_loss_is_mean_percentile_and_agreement() -> None:
    found = group_loss(np.array([0.0, 0.0, 0.1, 0.3]))
    assert found.mean == pytest.approx(100.0)
    assert found.agreement == 0.5
    assert found.percentile_95 == pytest.approx(270.0)
    assert found.standard_error == pytest.approx(1000 * np.std([0, 0, 0.1, 0.3], ddof=1) / 2)


def test_rank_correlation_turned_round_is_minus_one(decisions: Decisions) -> None:
    assert rank_correlation(decisions, -decisions.equities) == pytest.approx(-1.0)
    generator = np.random.default_rng(1)
    noise = generator.normal(size=len(decisions.equities))
    assert abs(rank_correlation(decisions, noise)) < 0.5


def test_ranked_rows_are_the_ten_best(decisions: Decisions) -> None:
    rows = ranked_rows(decisions)
    for first, last in zip(decisions.offsets[:-1], decisions.offsets[1:], strict=True):
        mine = rows[(first <= rows) & (rows < last)]
        assert len(mine) == min(10, last - first)
        assert decisions.equities[mine].min() >= np.sort(decisions.equities[first:last])[-10:][0]


def test_widest_are_where_one_loses_most_more(agreement: Agreement) -> None:
    worse, _, judge = agreement.players
    rows = widest(worse, judge, 3)
    gaps = (worse.losses - judge.losses)[rows]
    assert (np.diff(gaps) <= 0).all()
    assert gaps[0] == (worse.losses - judge.losses).max()
    assert len(widest(judge, worse, 3)) == 0


def test_a_player_as_the_judge(decisions: Decisions) -> None:
    found = decisions_by(player_named("pseudopip"), decisions.boards, decisions.dice)
    report = compare_players([player_named("pseudopip")], found, "pseudopip").players[0]
    assert report.by_group["all"]["all"].mean == 0.0
    assert found.classes.tolist() == decisions.classes.tolist()
    assert np.sort(found.equities) == pytest.approx(np.sort(decisions.equities), abs=1e-6)


def test_a_showcase_lists_the_best_and_what_is_played(agreement: Agreement) -> None:
    players = [player_named(name) for name in NAMES]
    for number in range(6):
        item = showcase(agreement, players, number, best=2)
        costs = [play.cost for play in item.plays]
        assert costs[0] == 0.0
        assert costs == sorted(costs)
        makers = [name for play in item.plays for name in play.played_by]
        assert sorted(makers) == sorted(NAMES)
        assert [view.player for view in item.plays[0].views] == ["ten-factor", "pseudopip"]
        assert item.plays[0].views[1].equity >= item.plays[-1].views[1].equity
    opening = showcase(agreement, players, 0)
    assert opening.dice == (3, 1)
    assert (opening.board == START).all()


def test_galleries_go_both_ways(agreement: Agreement) -> None:
    players = [player_named(name) for name in NAMES]
    found = galleries(agreement, players, 2)
    assert [(worse.name, better.name) for worse, better, _ in found] == [
        ("ten-factor-play", "pseudopip"),
        ("ten-factor", "pseudopip"),
        ("pseudopip", "ten-factor-play"),
    ]
    assert len(found[0][2]) == 2
    assert found[2][2] == []


# Calibration


def test_true_chances_are_calibrated() -> None:
    generator = np.random.default_rng(2)
    win = generator.random(20_000).astype(np.float32)
    gammon, lost = win / 4, (1 - win) / 4
    five = np.stack([win, gammon, 0 * win, lost, 0 * win], axis=1)
    u = generator.random(20_000)
    points = np.where(u < gammon, 2, np.where(u < win, 1, np.where(u < win + lost, -2, -1)))
    found = calibration_of("true", five, points)
    assert found.positions == 20_000
    for outcome, expected in (("win", 1 / 6), ("win gammon", 0.104)):
        assert found.error[outcome] < 0.015
        assert found.brier[outcome] == pytest.approx(expected, abs=0.006)
        inside = [abs(b.predicted - b.observed) < 3.5 * b.standard_error
                  for b in found.bins[outcome]]  # fmt: skip
        assert all(inside)
    # One that always says the mean is as well calibrated, but worth less.
    flat = calibration_of("flat", np.full_like(five, 0.5), points)
    assert flat.error["win"] < 0.015
    assert flat.brier["win"] == pytest.approx(0.25, abs=0.001)


def test_chances_that_are_too_bold_show(decisions: Decisions) -> None:
    five = np.zeros((1000, 5), np.float32)
    five[:, 0] = 0.95
    points = np.where(np.arange(1000) % 4 == 0, -1, 1)
    found = calibration_of("bold", five, points)
    assert found.error["win"] == pytest.approx(0.2, abs=1e-6)
    (only,) = found.bins["win"]
    assert (only.n, only.observed) == (1000, 0.75)


def test_a_sample_is_one_position_of_each_game() -> None:
    sample = sample_games(player_named("pseudopip"), 40, seed=6)
    assert len(sample.boards) == len(sample.points) == 40
    assert set(np.abs(sample.points).tolist()) <= {1, 2, 3}
    again = sample_games(player_named("pseudopip"), 40, seed=6)
    assert (again.boards == sample.boards).all()
    # Whoever is nearer home at the end of a game mostly wins it.
    late = sample.boards.sum(axis=(1, 2)) < 22
    ahead = sample.boards.sum(axis=2)
    assert (np.sign(ahead[late, 1] - ahead[late, 0]) * sample.points[late]).sum() >= 0


# Files


def test_csv_has_a_line_to_each_decision_and_player(agreement: Agreement, tmp_path: Path) -> None:
    path = tmp_path / "plays.csv"
    path.write_text(csv_text(agreement), newline="")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == CSV_COLUMNS
    assert len(rows) == 6 * 3
    mine = [row for row in rows if row["player"] == "pseudopip"]
    assert all(row["play"] == row["best_play"] for row in mine)
    assert [row["dice"] for row in mine] == ["31", "42", "65", "62", "63", "42"]
    total = sum(float(row["given_up"]) for row in rows if row["player"] == "ten-factor")
    assert total / 6 == pytest.approx(agreement.players[1].by_group["all"]["all"].mean, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "dice"),
    [
        ("4HPwATDgc/ABMA 31", (3, 1)),
        ("4HPwATDgc/ABMA 1-3", (3, 1)),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:1:0:10", (5, 2)),
        (f"{OPENING} 64", (6, 4)),
        ("0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0 21", (2, 1)),
    ],
)
def test_a_line_is_a_position_and_its_roll(text: str, dice: tuple[int, int]) -> None:
    board, roll = position_of_line(text)
    assert (board == START).all()
    assert roll == dice


def test_a_file_of_positions(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text(f"# two openings\n\n{OPENING} 31  # a point\n4HPwATDgc/ABMA 65\n")
    boards, dice = read_positions(path)
    assert boards.shape == (2, 2, 25)
    assert dice.tolist() == [[3, 1], [6, 5]]


# The command


def test_compare_a_file_of_decisions(main: Main, path: Path) -> None:
    words = ("compare", "--decisions", str(path), "--evaluator", *NAMES, "--games", "20")
    status, out, err = main(*words, "--show", "1")
    assert (status, err) == (0, "")
    assert "6 decisions; thousandths of a point given up, by the file's judge:" in out
    assert "Where ten-factor-play gives up most more than pseudopip:" in out
    assert "Chances against 20 games" in out
    assert max(map(len, out.splitlines())) <= 80


def test_compare_as_json(main: Main, path: Path) -> None:
    words = ("compare", "--decisions", str(path), "--evaluator", *NAMES, "--games", "20", "--json")
    _, out, _ = main(*words)
    answer = json.loads(out)
    assert "NaN" not in out
    assert [p["player"] for p in answer["players"]] == list(NAMES)
    assert answer["players"][2]["losses"]["class"]["contact"]["mean"] == 0.0
    assert [c["player"] for c in answer["calibration"]] == ["ten-factor", "pseudopip"]
    assert answer["widest"][0]["decisions"][0]["plays"][0]["cost"] == 0.0


def test_compare_one_position(main: Main) -> None:
    words = ("compare", OPENING, "--dice", "31", "--evaluator", "ten-factor", "pseudopip")
    status, out, _ = main(*words)
    assert status == 0
    assert "by pseudopip:" in out
    assert " 8/5 6/5 " in out
    _, out, _ = main(*words, "--reference", "ten-factor", "--json")
    answer = json.loads(out)
    assert answer["reference"] == "ten-factor"
    assert "ten-factor" in answer["plays"][0]["played_by"]
    assert len(answer["plays"]) >= 5


def test_compare_a_file_of_positions(main: Main, tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text(f"{OPENING} 31\n{OPENING} 65\n{OPENING} 43\n")
    words = ("compare", "--positions", str(path), "--evaluator", "ten-factor", "pseudopip@1")
    status, out, _ = main(*words)
    assert status == 0
    assert "3 decisions; thousandths of a point given up, by pseudopip@1:" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give one of a position, --decisions FILE and --positions FILE"),
        ([OPENING, "--positions", "x.txt"], "give one of a position, --decisions FILE and"),
        ([OPENING], "position 'x 24:2 13:5 8:3 6:5 / o 24:2 13:5 8:3 6:5': no roll"),
        ([OPENING, "--dice", "77"], "dice 7 and 7: each die should be 1 to 6"),
        (["x 6:1 / o", "--dice", "21"], "the game is over"),
        (["--positions", "nowhere.txt"], "nowhere.txt: no such file"),
        (["--decisions", "nowhere.jsonl"], "nowhere.jsonl: no such file"),
        ([OPENING, "--games", "3"], "games 3: should be an even number, 0 or above"),
        ([OPENING, "--games", "-2"], "games -2: should be an even number, 0 or above"),
        ([OPENING, "--show", "-1"], "show -1: should be 0 or above"),
        ([OPENING, "--dice", "31", "--games", "2"], "--csv, --html and --games are of many"),
        ([OPENING, "--dice", "31", "--html", "a.html"], "--csv, --html and --games are of many"),
        (["--positions", "x.txt", "--dice", "31"], "--dice is of one position"),
        (["--positions", "x.txt", "--csv", "/nowhere/x.csv"], "/nowhere/x.csv: there is no folder"),
        (["--positions", "x.txt", "--html", "/"], "/: is a folder"),
        ([OPENING, "--seed", "-1"], "seed -1: should be 0 or above"),
        (
            [OPENING, "--dice", "31", "--evaluator", "pseudopip", "random"],
            "random chooses plays only: it does not value positions",
        ),
    ],
)
def test_bad_words_get_one_line(main: Main, words: list[str], message: str) -> None:
    if "--evaluator" not in words:
        words = [*words, "--evaluator", "pseudopip"]
    status, out, err = main("compare", *words)
    assert (status, out) == (2, "")
    assert err.startswith(f"gnubg-py: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no positions in it"),
        (f"{OPENING} 31\nnonsense 31\n", "line 2: "),
        (f"{OPENING}\n", "line 1: position"),
        ("x 6:1 / o 21\n", "line 1: "),
    ],
)
def test_bad_files_of_positions_get_one_line(
    main: Main, tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "positions.txt"
    path.write_text(text)
    status, _, err = main("compare", "--positions", str(path), "--evaluator", "pseudopip")
    assert status == 2
    assert err.startswith(f"gnubg-py: {path}")
    assert message in err
    assert err.count("\n") == 1


def test_judged_decisions_take_no_other_reference(main: Main, path: Path) -> None:
    words = ("--decisions", str(path), "--evaluator", "pseudopip", "--reference", "pseudopip")
    status, _, err = main("compare", *words)
    assert status == 2
    assert err == "gnubg-py: --reference: the decisions of this file are judged already\n"


def test_a_sample_of_too_many_games_is_refused() -> None:
    with pytest.raises(ValueError, match="should be an even number, 2 to 100,000"):
        sample_games(player_named("pseudopip"), 10**12, 0)


def test_the_report_says_how_it_was_made(main: Main, path: Path, tmp_path: Path) -> None:
    page, net = tmp_path / "report.html", tmp_path / "mine.safetensors"
    save_weights(net, random_weights((8,)))
    words = ("--decisions", str(path), "--net", str(net), "--show", "0", "--html", str(page))
    assert main("compare", *words)[0] == 0
    assert f"gnubg-py compare --decisions {path} --net {net} --show 0" in page.read_text()
