"""The text board, against what gnubg 1.07 draws (its own name and trailing spaces apart)."""

from __future__ import annotations

import pytest

from gnubg_py.board import START
from gnubg_py.drawing.text import draw
from gnubg_py.match import GameState, MatchState, Resignation
from gnubg_py.notation import from_gnubg_id

NAMES = ("gnubg", "root")

CUBE_AND_BORNE_OFF = """\
 gnubg_py        Position ID: AADAD/APAIA/AA
                 Match ID   : UgkAAAAAAAAA
 +13-14-15-16-17-18------19-20-21-22-23-24-+     O: gnubg
 |                  |   |                  | OO  0 points
 |                  |   |                  | OO
 |                  |   |                  | OO
 |                  |   |                  | OO
 |                  |   |                  | O
v|                  |BAR|                  |
 |                  | 7 | 8           6    |
 |                  | X | X           O    |
 |                  | X | X           O    |
 |                  | X | X           O    |     On roll
 |                  | X | X           O    |     0 points
 +12-11-10--9--8--7-------6--5--4--3--2--1-+     X: root (Cube: 4)"""

TOP_PLAYER_ON_ROLL = """\
 gnubg_py        Position ID: 4Dn4AGLgc/ABUA
                 Match ID   : MAESAAAAAAAA
 +12-11-10--9--8--7-------6--5--4--3--2--1-+     O: gnubg
 | X           O    | O | O        X       |     0 points
 | X           O    |   | O                |     Rolled 44
 | X           O    |   | O                |
 | X                |   | O                |
 | X                |   | O                |
^|                  |BAR|                  |     (Cube: 1)
 | O                |   |                  |
 | O                |   | X                |
 | O           X    |   | X                |
 | O           X    | X | X                |
 | O           X    | X | X              O |     0 points
 +13-14-15-16-17-18------19-20-21-22-23-24-+     X: root"""

CLOCKWISE = """\
    gnubg_py        Position ID: DwAA/AAAAPgfAA
                    Match ID   : MAEAAAAAAAAA
    +-1--2--3--4--5--6-------7--8--9-10-11-12-+  O: gnubg
  O |    X             | O |                  |  0 points
  O |    X             | O |                  |  On roll
  O |    X             | O |                  |
  O |    X             | O |                  |
  O |    6             | A |                  |
    |                  |BAR|                  |^ (Cube: 1)
  X |                  |   |                  |
  X | X                |   |                  |
  X | X                |   |                  |
  X | X                |   |                  |
  X | X                |   |                  |  0 points
    +24-23-22-21-20-19------18-17-16-15-14-13-+  X: root"""


@pytest.mark.parametrize(
    ("drawing", "clockwise"),
    [(CUBE_AND_BORNE_OFF, False), (TOP_PLAYER_ON_ROLL, False), (CLOCKWISE, True)],
)
def test_drawn_as_gnubg_draws(drawing: str, clockwise: bool) -> None:
    first, second = drawing.splitlines()[:2]
    board, state = from_gnubg_id(f"{first.split()[-1]}:{second.split()[-1]}")
    assert draw(board, state, NAMES, clockwise=clockwise) == drawing


@pytest.mark.parametrize(
    ("state", "line", "text"),
    [
        (MatchState(match_length=1), 8, "1 point match"),
        (MatchState(match_length=7), 8, "7 points match (Cube: 1)"),
        (MatchState(match_length=5, score=(4, 3), crawford=True), 8, "match (Crawford game)"),
        (MatchState(match_length=3, score=(1, 0)), 3, "|     1 point"),
        (MatchState(cube_value=4, cube_owner=0), 2, "O: gnubg (Cube: 4)"),
        (MatchState(turn=0, doubled=True), 4, "Cube offered at 2"),
        (MatchState(cube_value=2, cube_owner=0, doubled=True), 12, "Cube offered at 4"),
        (MatchState(move=0, turn=1, resigned=Resignation.GAMMON), 4, "On roll, resigns gammon"),
        (
            MatchState(dice=(6, 3), turn=0, resigned=Resignation.SINGLE),
            12,
            "Rolled 63, resigns single game",
        ),
    ],
)
def test_what_stands_to_the_right(state: MatchState, line: int, text: str) -> None:
    assert draw(START, state, NAMES).splitlines()[line].endswith(text)


def test_nobody_is_on_roll_when_the_game_is_over() -> None:
    drawing = draw(START, MatchState(game_state=GameState.DROPPED, score=(0, 1)), NAMES)
    assert "On roll" not in drawing
    assert drawing.splitlines()[13].endswith("1 point")


def test_an_offered_cube_is_nobodys() -> None:
    assert "(Cube:" not in draw(START, MatchState(turn=0, doubled=True), NAMES)
