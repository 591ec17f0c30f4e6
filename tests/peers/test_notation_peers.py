"""IDs, XGIDs, play texts and drawings against gnubg's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gnubg_py.board import Boards
from gnubg_py.dice import roll_dice
from gnubg_py.drawing.text import draw
from gnubg_py.match import CENTRED, GameState, MatchState, Resignation
from gnubg_py.notation import (
    CANNOT_MOVE,
    from_gnubg_id,
    from_match_id,
    gnubg_id,
    match_id,
    parse_play,
    play_text,
    position_ids,
    xgid,
)
from gnubg_py.plays import plays

Positions = Callable[[int, int], Boards]
Script = Callable[..., str]
Emitted = Callable[[str], list[Any]]

SETTINGS = """
import gnubg
for setting in ("automatic game off", "automatic roll off", "automatic move off",
                "automatic bearoff off", "player 0 human", "player 1 human", "confirm new off",
                "display off", "cube use on", "evaluation chequerplay evaluation plies 0"):
    gnubg.command("set " + setting)
gnubg.command("new session")
"""


def random_states(n: int, seed: int) -> list[MatchState]:
    """States of games in play: any cube, score and roll; half of them money sessions."""
    rng = np.random.default_rng(seed)
    states = []
    for _ in range(n):
        length = int(rng.integers(2, 26)) if rng.random() < 0.5 else 0
        score = tuple(int(p) for p in rng.integers(0, length, 2)) if length else (0, 0)
        value = 2 ** int(rng.integers(0, 7))
        move = int(rng.integers(0, 2))
        dice = tuple(roll_dice(rng, 1)[0].tolist()) if rng.random() < 0.5 else (0, 0)
        crawford = length > 0 and max(score) == length - 1 and min(score) < length - 1
        states.append(
            MatchState(
                cube_value=1 if crawford else value,
                cube_owner=CENTRED if crawford or value == 1 else int(rng.integers(0, 2)),
                move=move,
                turn=move,
                crawford=crawford,
                dice=(dice[0], dice[1]),
                match_length=length,
                score=(score[0], score[1]),
                jacoby=length == 0 and bool(rng.integers(0, 2)),
            )
        )
    return states


def test_position_ids_of_10000_positions(
    random_positions: Positions, gnubg_script: Script, emitted: Emitted
) -> None:
    positions = random_positions(10_000, 101)
    output = gnubg_script(
        SETTINGS + "emit([gnubg.positionid((other, mover)) for mover, other in data])",
        positions.tolist(),
    )
    assert emitted(output)[0] == position_ids(positions)


def test_match_ids_of_10000_states(gnubg_script: Script, emitted: Emitted) -> None:
    states = random_states(10_000, 102)
    rng = np.random.default_rng(103)
    for i in range(0, len(states), 2):  # every second one: any flags, whether they agree or not
        states[i] = replace(
            states[i],
            turn=int(rng.integers(0, 2)),
            doubled=bool(rng.integers(0, 2)),
            resigned=Resignation(int(rng.integers(0, 4))),
            game_state=GameState(int(rng.integers(0, 5))),
        )
    output = gnubg_script(
        """
import gnubg
def tuples(info):
    return {name: tuple(map(tuple, value)) if name == "gammonprice" else
            tuple(value) if isinstance(value, list) else value for name, value in info.items()}
emit([gnubg.matchid(tuples(cube), tuples(position)) for cube, position in data])
""",
        [(_cube_info(state), _position_info(state)) for state in states],
    )
    assert emitted(output)[0] == [match_id(state) for state in states]
    assert [from_match_id(match_id(state)) for state in states] == states


def _cube_info(state: MatchState) -> dict[str, Any]:
    return {
        "cube": state.cube_value,
        "cubeowner": state.cube_owner,
        "move": state.move,
        "matchto": state.match_length,
        "score": state.score,
        "crawford": int(state.crawford),
        "jacoby": int(state.jacoby),
        "beavers": 0,
        "gammonprice": ((1.0, 1.0), (1.0, 1.0)),
        "bgv": 0,
    }


def _position_info(state: MatchState) -> dict[str, Any]:
    return {
        "dice": state.dice,
        "turn": state.turn,
        "resigned": int(state.resigned),
        "doubled": int(state.doubled),
        "gamestate": int(state.game_state),
    }


def test_xgids_are_what_gnubg_understands(
    random_positions: Positions, gnubg_script: Script, emitted: Emitted
) -> None:
    positions = random_positions(300, 104)
    states = random_states(300, 105)
    output = gnubg_script(
        SETTINGS
        + """
for xgid in data:
    gnubg.command("set xgid " + xgid)
    emit(gnubg.gnubgid())
""",
        [xgid(board, state) for board, state in zip(positions, states, strict=True)],
    )
    # gnubg seats whoever is on roll at the bottom.
    expected = [
        gnubg_id(board, state if state.move == 1 else _other_seats(state))
        for board, state in zip(positions, states, strict=True)
    ]
    assert emitted(output) == expected


def _other_seats(state: MatchState) -> MatchState:
    """The same with the players' numbers exchanged."""
    return replace(
        state,
        move=1 - state.move,
        turn=1 - state.turn,
        score=state.score[::-1],
        cube_owner=state.cube_owner if state.cube_owner == CENTRED else 1 - state.cube_owner,
    )


def test_play_texts_of_every_play(
    random_positions: Positions, gnubg_script: Script, emitted: Emitted
) -> None:
    positions = random_positions(400, 106)
    rng = np.random.default_rng(107)
    dice = roll_dice(rng, 400)
    dice[::3, 1] = dice[::3, 0]  # doubles have the more intricate texts
    rolls = [(int(a), int(b)) for a, b in dice]
    output = gnubg_script(
        SETTINGS
        + """
for position_id, roll in data:
    gnubg.command("set turn 1")
    gnubg.command("set board " + position_id)
    gnubg.command("set dice {} {}".format(*roll))
    emit([move["move"] for move in gnubg.hint(4000)["hint"]])
""",
        list(zip(position_ids(positions), rolls, strict=True)),
    )
    texts = emitted(output)
    assert len(texts) == len(positions)
    for board, roll, gnubg_texts in zip(positions, rolls, texts, strict=True):
        ours = {play_text(board, roll, result) for result in plays(board, roll)}
        assert ours == set(gnubg_texts or [CANNOT_MOVE])
        assert len(ours) == max(len(gnubg_texts), 1)


def test_what_gnubg_parses_we_parse_alike(gnubg_script: Script, emitted: Emitted) -> None:
    typed = ["8/5 6/5", "8 5 6 5", "8/5,6/5", "8-5 6-5", "6/5 8/5", "8/5(1)", "24/23, 13/10"]
    typed += ["13/9", "13/10/9", "13/12/9", "13/10", "8/5*", "24/20", "7/4 6/5", "25/22", "X/5"]
    output = gnubg_script(
        SETTINGS
        + """
for text in data:
    gnubg.command("new session")
    gnubg.command("set turn 1")
    gnubg.command("set dice 3 1")
    gnubg.command("move " + text)
    emit(gnubg.positionid() if gnubg.posinfo()["turn"] == 0 else "")
""",
        typed,
    )
    start, _ = from_gnubg_id("4HPwATDgc/ABMA:cAkAAAAAAAAA")
    for text, moved in zip(typed, emitted(output), strict=True):
        try:
            ours = position_ids(parse_play(start, (3, 1), text)[None])[0]
        except ValueError:
            ours = ""
        assert ours == moved, text


def test_drawings(random_positions: Positions, gnubg_script: Script, emitted: Emitted) -> None:
    positions = random_positions(60, 108)
    states = random_states(60, 109)
    output = gnubg_script(
        SETTINGS
        + """
gnubg.command("set player 0 name one")
gnubg.command("set player 1 name two")
for i, gnubgid in enumerate(data):
    gnubg.command("set clockwise " + ("on" if i % 2 else "off"))
    gnubg.command("set gnubgid " + gnubgid)
    emit("drawing")
    gnubg.command("show board")
    emit(gnubg.gnubgid())
""",
        [gnubg_id(board, state) for board, state in zip(positions, states, strict=True)],
    )
    drawings = [part.split("\nJSON ")[0] for part in output.split('JSON "drawing"\n')[1:]]
    ids = [value for value in emitted(output) if value != "drawing"]
    assert len(drawings) == len(positions)
    for i, (drawing, gnubgid) in enumerate(zip(drawings, ids, strict=True)):
        ours = draw(*from_gnubg_id(gnubgid), names=("one", "two"), clockwise=bool(i % 2))
        theirs = drawing.replace("GNU Backgammon ", "gnubg_py       ").rstrip()
        assert ours == "\n".join(line.rstrip() for line in theirs.splitlines())
