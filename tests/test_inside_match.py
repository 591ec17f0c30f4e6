"""gnubg's forms of a match: as a dictionary, with its analysis, and walked through."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnubg_py.inside.module import gnubg_module
from tests.inside_sessions import START, module_after, session_after

PLAYED = (
    "new match 3", "set turn 1", "double", "take", "set dice 6 5", "24/13", "set dice 2 1",
    "13/11 6/5", "resign normal", "accept", "new game", "set turn 0", "set dice 4 2", "8/4 6/4",
)  # fmt: skip


def test_the_match_as_a_dictionary() -> None:
    gnubg = module_after(*PLAYED)
    found = gnubg.match()
    assert list(found) == ["match-info", "games"]
    info = found["match-info"]
    assert list(info) == ["X", "O", "match-length", "date", "result", "variation", "rules"]
    assert (info["X"], info["match-length"], info["result"]) == ({"name": "X"}, 3, 0)
    assert (info["variation"], info["rules"]) == ("Standard", ("Crawford",))
    first, second = found["games"]
    assert first["info"] == {
        "score-X": 0, "score-O": 0, "winner": "X", "points-won": 2, "resigned": True,
    }  # fmt: skip
    assert second["info"] == {"score-X": 2, "score-O": 0, "crawford": True, "winner": None}
    assert first["game"][0]["action"] == "set"
    assert first["game"][1:] == (
        {"board": "4HPwATDgc/ABMA", "action": "double", "player": "O"},
        {"action": "take", "player": "X"},
        {
            "dice": (6, 5), "move": ((24, 18), (18, 13)), "board": "4HPwATDgc/ABMA",
            "action": "move", "player": "O",
        },
        {
            "dice": (2, 1), "move": ((13, 11), (6, 5)), "board": "4HPwAyDgc/ABMA",
            "action": "move", "player": "X",
        },
        {"action": "resign", "player": "O", "points": 1},
    )  # fmt: skip


def test_what_is_set_by_hand_is_told_from_player_0s_side() -> None:
    gnubg = module_after(
        "new match 5", "set turn 1", "set board 2G4OACDYZsMBAA", "set cube value 2"
    )
    assert gnubg.match()["games"][0]["game"][-2:] == (
        {"board": "wTYbDgBsNwcAAA", "action": "set"},
        {"cube": 2, "action": "set"},
    )
    gnubg.command("set cube owner 0")
    assert gnubg.match()["games"][0]["game"][-1] == {"cube-owner": "X", "action": "set"}


def test_plays_of_an_imported_match_begin_with_the_highest_point(tmp_path: Path) -> None:
    path = tmp_path / "short.mat"
    path.write_text(" 3 point match\n\n Game 1\n a : 0      b : 0\n  1) 52: 13/8 24/22    \n")
    gnubg = module_after(f"import mat {path}")
    assert gnubg.match()["games"][0]["game"][0]["move"] == ((24, 22), (13, 8))
    assert module_after("new match 3", "set turn 1", "set dice 5 2", "24/22 13/8").match()["games"][
        0
    ]["game"][-1]["move"] == ((13, 8), (24, 22))


def test_the_analysis_in_the_match() -> None:
    gnubg = module_after(*PLAYED, "analyse match")
    found = gnubg.match(statistics=1, verbose=1)
    assert list(found) == ["match-info", "games", "stats"]
    assert list(found["games"][0]) == ["info", "stats", "game"]
    double, take, play = found["games"][0]["game"][1:4]
    assert list(double["analysis"]) == [
        "type", "probs", "nd-cubeful-eq", "dt-cubeful-eq", "nd-match-eq", "dt-match-eq", "skill",
    ]  # fmt: skip
    assert double["analysis"]["skill"] == "very bad"
    assert "analysis" not in take
    assert list(play["analysis"]) == ["moves", "imove", "luck-value"]
    assert list(play["analysis"]["moves"][0]) == ["type", "move", "probs", "score"]
    assert list(gnubg.match(0, 0)["games"][0]["game"][1]) == ["action", "player"]
    stats = found["stats"]["O"]
    assert list(stats) == ["moves", "cube", "dice", "error-based-fibs-rating"]
    assert stats["cube"]["wrong-double-below-dp"] == 1
    assert stats["moves"]["total-moves"] == 1


def test_dice_of_a_seed_named_with_their_generator() -> None:
    rolls = [module_after("set rng mersenne 5").dicerolls(20) for _ in range(2)]
    assert rolls[0] == rolls[1] != module_after("set rng mersenne 6").dicerolls(20)


def test_the_analysis_of_a_roll_without_a_play_and_of_another_depth() -> None:
    gnubg = module_after(
        "new match 5", "set turn 0", "set gnubgid 7U8DACHeZUcAQA:MAGvAAAAAAAE", "move",
        "set dice 6 5", "set analysis cubedecision evaluation plies 1",
    )  # fmt: skip
    gnubg.command(f"move {gnubg.hint(1)['hint'][0]['move']}")
    gnubg.command("analyse match")
    danced, played = gnubg.match()["games"][0]["game"][-2:]
    assert (danced["move"], "moves" in danced.get("analysis", {})) == ((), False)
    assert played["analysis"]["eval-context"] == {"plies": 1}


def test_navigation_by_gnubgs_records() -> None:
    gnubg = module_after(*PLAYED)
    assert gnubg.navigate() is None
    assert gnubg.board() == START
    assert gnubg.navigate(1) is None
    assert gnubg.navigate(next=2) is None
    assert gnubg.posinfo()["dice"] == (6, 5)
    assert gnubg.navigate(100) == (97, 0)
    assert gnubg.navigate(game=1) == (0, 1)
    assert gnubg.cubeinfo()["crawford"] == 1
    with pytest.raises(ValueError, match="negative next record"):
        gnubg.navigate(-1)


def test_show_gives_text_and_prints_nothing() -> None:
    session = session_after("new match 3")
    printed = len(session.out.getvalue())  # type: ignore[attr-defined]
    text = gnubg_module(session).show("score")
    assert text == "The score (after 0 games) is: X 0, O 0 (match to 3 points)"
    assert len(session.out.getvalue()) == printed  # type: ignore[attr-defined]
