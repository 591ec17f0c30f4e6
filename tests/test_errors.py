"""Errors have types that callers can tell apart, and all of them are ValueErrors."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path

import pytest

from gnubg_py.board import START, parse
from gnubg_py.compare.players import player_named
from gnubg_py.errors import (
    FileError,
    IllegalActionError,
    IllegalPlayError,
    NotationError,
    Refusal,
    UnknownNameError,
    WeightsError,
)
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.game.actions import Double
from gnubg_py.game.position import Rules, apply, start_game
from gnubg_py.match import MatchState
from gnubg_py.network.weights import load_weights
from gnubg_py.notation import parse_play, parse_position
from gnubg_py.shell.refusals import refusal_text


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (NotationError, lambda: parse("x 6:2 / 6:2")),
        (NotationError, lambda: parse_position("4HPwATDgc/ABM*")),
        (NotationError, lambda: parse_position("XGID=what:1:1")),
        (NotationError, lambda: parse_position("4HPwATDgc/ABMA:cAkA")),
        (IllegalPlayError, lambda: parse_play(START, (3, 1), "8/4 6/5")),
        (IllegalPlayError, lambda: parse_play(START, (3, 1), "eight to five")),
        (FileError, lambda: load_weights(Path("no/such.safetensors"))),
        (WeightsError, lambda: load_weights(Path(__file__))),
        (UnknownNameError, lambda: evaluator_named("snowie")),
        (UnknownNameError, lambda: player_named("snowie@1")),
    ],
)
def test_what_is_refused_has_a_type(error: type[ValueError], call: Callable[[], object]) -> None:
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


def test_a_refused_action_says_why() -> None:
    opening = start_game((1, 3), MatchState(), Rules())
    with pytest.raises(IllegalActionError, match="after rolling the dice") as caught:
        apply(opening, Double(1), Rules())
    assert caught.value.kind is Refusal.DOUBLE_AFTER_ROLL


@pytest.mark.parametrize("kind", Refusal)
def test_every_refusal_has_one_line_in_library_and_shell(kind: Refusal) -> None:
    names = [name for _, name, _, _ in string.Formatter().parse(kind.value) if name]
    error = IllegalActionError(kind, **dict.fromkeys(names, 1))
    for text in (str(error), refusal_text(error)):
        assert text.endswith(".")
        assert not set(text) & set("{}\n")
    assert "help" not in str(error)
