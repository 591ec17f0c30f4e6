"""``gnubg-py rollout``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import Main

OPENING = "4HPwATDgc/ABMA"
QUICK = ("--evaluator", "pseudopip", "--truncate", "2")


def test_json_has_every_number_by_name(main: Main) -> None:
    status, out, _ = main("rollout", OPENING, "--trials", "36", "--ply", "0", "--json", *QUICK)
    answer = json.loads(out)
    assert status == 0
    assert answer["trials"] == 36
    assert len(answer["probabilities"]) == len(answer["probabilities_standard_error"]) == 5
    for name in ("cubeless_equity", "cubeful_equity"):
        assert -1 < answer[name] < 1
        assert 0 < answer[f"{name}_standard_error"] < 0.5
    assert answer["seconds"] > 0
    assert answer["games_per_second"] == pytest.approx(36 / answer["seconds"])


def test_cube_decision_as_json_and_as_a_table(main: Main) -> None:
    words = (OPENING, "--cube", "--trials", "36", *QUICK)
    answer = json.loads(main("rollout", *words, "--json")[1])
    assert answer["action"] == "No double, take"
    assert answer["double_pass"] == 1
    assert answer["double_take"] < answer["no_double"]
    out = main("rollout", *words)[1]
    assert "Proper cube action: No double, take" in out


def test_plays_named_saved_and_gone_on_with(main: Main, tmp_path: Path) -> None:
    file = str(tmp_path / "kept.json")
    words = (OPENING, "--dice", "31", "--plays", "8/5 6/5", "24/23 13/10", *QUICK)
    assert main("rollout", *words, "--trials", "36", "--save", file)[0] == 0
    status, out, _ = main("rollout", *words, "--trials", "72", "--extend", file, "--json")
    whole = json.loads(main("rollout", *words, "--trials", "72", "--json")[1])
    assert status == 0
    assert json.loads(out)["sums"] == whole["sums"]
    assert [row["name"] for row in whole["alternatives"]] == ["8/5 6/5", "24/23 13/10"]
    status, _, err = main("rollout", *words, "--trials", "72", "--seed", "5", "--extend", file)
    assert (status, err.count("\n")) == (2, 1)
    assert "other settings" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((OPENING, "--trials", "0"), "trials 0"),
        ((OPENING, "--truncate", "-3"), "truncation -3"),
        ((OPENING, "--ply", "9"), "9 plies"),
        ((OPENING, "--dice", "31", "--best", "0"), "best 0 plays"),
        (("x 1:1 / o", "--trials", "36"), "the game is over"),
        ((OPENING, "--evaluator", "nobody"), "evaluator 'nobody'"),
        ((OPENING, "--stop-error", "-1"), "stop at error"),
        ((OPENING, "--extend", "/nowhere/at/all.json"), "no such file"),
    ],
)
def test_bad_input_is_one_line(main: Main, words: tuple[str, ...], message: str) -> None:
    status, out, err = main("rollout", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    main: Main, tmp_path: Path
) -> None:
    for path, message in (
        (tmp_path, "is a folder"),
        (Path("/dev/null"), "is no ordinary file"),
        (tmp_path / "no" / "file.json", "there is no folder"),
    ):
        status, out, err = main("rollout", OPENING, "--trials", "1000000", "--save", str(path))
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert message in err


def test_a_cube_is_turned_before_the_roll(main: Main) -> None:
    status, out, err = main("rollout", OPENING, "--cube", "--dice", "31")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "--dice with --cube" in err


def test_statistics_count_every_game_by_cube_value(main: Main) -> None:
    words = (OPENING, "--trials", "72", "--evaluator", "pseudopip", "--no-databases")
    answer = json.loads(main("rollout", *words, "--json")[1])
    (alternative,) = answer["alternatives"]
    counts = alternative["statistics"]
    assert counts["games"] == 72
    assert counts["valued_before_the_end"] == 0
    sides = counts["side_on_roll"], counts["other_side"]
    decided = ("single", "gammon", "backgammon", "dropped")
    assert sum(at[event] for side in sides for at in side.values() for event in decided) == 72
    # A cube at 2 was taken at 1 by somebody, once a game.
    taken = sum(side["1"]["taken"] for side in sides)
    at_one = sum(side["1"][event] for side in sides for event in decided)
    assert at_one + taken == 72
    table = main("rollout", *words, "--statistics")[1]
    assert "doubles dropped" in table
    assert "Valued before the end: 0 of 72 games" in table


def test_statistics_go_on_with_a_saved_rollout(main: Main, tmp_path: Path) -> None:
    file, quick = str(tmp_path / "kept.json"), ("--evaluator", "pseudopip", "--no-databases")
    assert main("rollout", OPENING, "--trials", "36", "--save", file, *quick)[0] == 0
    more = json.loads(
        main("rollout", OPENING, "--trials", "72", "--extend", file, "--json", *quick)[1]
    )
    whole = json.loads(main("rollout", OPENING, "--trials", "72", "--json", *quick)[1])
    statistics = [answer["alternatives"][0]["statistics"] for answer in (more, whole)]
    assert statistics[0] == statistics[1]


def test_a_bearoff_won_by_the_roll_is_a_single_win_with_the_cube_where_it_was(main: Main) -> None:
    words = ("x 1:2 / o 1:2", "--trials", "36", "--no-databases", "--cubeless", "--json")
    counts = json.loads(main("rollout", *words)[1])["alternatives"][0]["statistics"]
    assert counts["side_on_roll"] == {
        "1": {"single": 36, "gammon": 0, "backgammon": 0, "dropped": 0, "taken": 0}
    }


def test_each_side_and_later_turns_have_settings_of_their_own(main: Main) -> None:
    words = (OPENING, "--trials", "2", "--evaluator", "pseudopip", "--truncate", "2", "--json")
    own = ("--ply", "1,0", "--cube-ply", "0,1", "--filter", "tiny,huge")
    later = ("--later", "1", "--later-ply", "0", "--later-cube-ply", "0,0")
    settings = json.loads(main("rollout", *words, *own, *later)[1])["settings"]
    assert [side["plays"]["plies"] for side in settings["sides"]] == [1, 0]
    assert [side["cube"]["plies"] for side in settings["sides"]] == [0, 1]
    assert [side["filter"] for side in settings["sides"]] == ["tiny", "huge"]
    assert settings["later_from"] == 1
    assert [side["plays"]["plies"] for side in settings["later"]] == [0, 0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--ply", "1,x"), "plies 1,x: should be 0 to 4, or one for each side as 1,0"),
        (("--ply", "1,2,0"), "1,2,0: should be one value, or one for each side as 1,0"),
        (("--cube-ply", "9"), "9 plies: should be a whole number from 0 to 4"),
        (("--later-ply", "1"), "--later-ply, --later-cube-ply and --later-filter need --later N"),
    ],
)
def test_wrong_settings_of_sides_are_refused(
    main: Main, words: tuple[str, ...], message: str
) -> None:
    status, _, err = main("rollout", OPENING, *words)
    assert status == 2
    assert err == f"gnubg-py: {message}\n"
