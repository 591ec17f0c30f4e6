"""gnubg's Match ID: a ``MatchState`` in 12 base64 characters.

The fields below lie end to end, each least significant bit first; nine bytes in all. The layout
is gnubg's manual's ("A technical description of the Match ID"); the Jacoby bit, which the manual
leaves out, was found by asking gnubg 1.07: it is set when the rule is NOT in use.
"""

from __future__ import annotations

import base64

from gnubg_py.errors import NotationError
from gnubg_py.match import CENTRED, GameState, MatchState, Resignation
from gnubg_py.notation.position_id import check_base64

_LENGTH = 12
_BYTES = 9
_OWNER_BITS = {0: 0, 1: 1, CENTRED: 3}
_FIELDS = (
    ("cube", 4),
    ("owner", 2),
    ("move", 1),
    ("crawford", 1),
    ("game_state", 3),
    ("turn", 1),
    ("doubled", 1),
    ("resigned", 2),
    ("die1", 3),
    ("die2", 3),
    ("match_length", 15),
    ("score0", 15),
    ("score1", 15),
    ("no_jacoby", 1),
    ("unused", 5),
)


def match_id(state: MatchState) -> str:
    """The Match ID of a state.

    >>> match_id(MatchState(match_length=7, dice=(2, 1), move=0, turn=0))
    'MAHlAAAAAAAE'
    """
    values = {
        "cube": state.cube_value.bit_length() - 1,
        "owner": _OWNER_BITS[state.cube_owner],
        "move": state.move,
        "crawford": int(state.crawford),
        "game_state": int(state.game_state),
        "turn": state.turn,
        "doubled": int(state.doubled),
        "resigned": int(state.resigned),
        "die1": state.dice[0],
        "die2": state.dice[1],
        "match_length": state.match_length,
        "score0": state.score[0],
        "score1": state.score[1],
        "no_jacoby": int(not state.jacoby),
        "unused": 0,
    }
    key = shift = 0
    for name, width in _FIELDS:
        key |= values[name] << shift
        shift += width
    return base64.b64encode(key.to_bytes(_BYTES, "little")).decode("ascii")


def from_match_id(text: str) -> MatchState:
    """Read a Match ID; ``ValueError`` names the field at fault.

    >>> from_match_id("cAmgADAAGAAE").score
    (3, 3)
    """
    check_base64(text, _LENGTH, "Match ID")
    key = int.from_bytes(base64.b64decode(text), "little")
    values = {}
    for name, width in _FIELDS:
        values[name] = key & ((1 << width) - 1)
        key >>= width
    try:
        return _state(values)
    except ValueError as error:
        raise NotationError(f"Match ID {text!r}: {error}") from None


def _state(values: dict[str, int]) -> MatchState:
    owners = {bits: owner for owner, bits in _OWNER_BITS.items()}
    if values["owner"] not in owners:
        raise NotationError(
            "cube owner bits 10: should be 00 (player 0), 01 (player 1) or 11 (centred)"
        )
    if values["unused"]:
        raise NotationError("the five bits after the Jacoby flag should be 0")
    for name, kind in (("game_state", GameState), ("resigned", Resignation)):
        if values[name] > max(kind):
            raise NotationError(f"{name.replace('_', ' ')} {values[name]}: 0 to {max(kind).value}")
    return MatchState(
        cube_value=1 << values["cube"],
        cube_owner=owners[values["owner"]],
        move=values["move"],
        crawford=bool(values["crawford"]),
        game_state=GameState(values["game_state"]),
        turn=values["turn"],
        doubled=bool(values["doubled"]),
        resigned=Resignation(values["resigned"]),
        dice=(values["die1"], values["die2"]),
        match_length=values["match_length"],
        score=(values["score0"], values["score1"]),
        jacoby=not values["no_jacoby"],
    )
