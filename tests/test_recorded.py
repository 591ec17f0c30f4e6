"""Players whose plays a file records."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gnubg_py.compare.decisions import losses_of, read_decisions
from gnubg_py.compare.players import choices, player_named
from tests.judged import judged_lines


def write(path: Path, lines: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def recorded(number: int) -> list[dict[str, object]]:
    """A record of the play that is ``number`` in each judged decision, the dice the other way."""
    return [
        {"id": line["id"], "dice": line["dice"][::-1], "play": line["plays"][number][0]}
        for line in judged_lines()
    ]


@pytest.mark.parametrize("number", [0, 1])
def test_the_recorded_play_is_chosen(tmp_path: Path, number: int) -> None:
    decisions = read_decisions(write(tmp_path / "judged.jsonl", judged_lines()))
    player = player_named(str(write(tmp_path / "gnubg.jsonl", recorded(number))))
    losses = losses_of(decisions, choices(player, decisions).chosen)
    expected = [line["plays"][0][1] - line["plays"][number][1] for line in judged_lines()]
    assert player.name == "gnubg.jsonl"
    np.testing.assert_allclose(losses, expected)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "no plays in it"),
        ([{"id": "4HPwATDgc/ABMA", "dice": [3, 1]}], "line 1: not a recorded play"),
        ([{"id": "4HPwATDgc/ABMA", "dice": [3, 7], "play": "4HPwATDgc/ABMA"}], "1 to 6"),
    ],
)
def test_a_bad_record_gets_one_line(
    tmp_path: Path, lines: list[dict[str, object]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        player_named(str(write(tmp_path / "plays.jsonl", lines)))


def test_a_roll_that_is_not_recorded_is_named(tmp_path: Path) -> None:
    decisions = read_decisions(write(tmp_path / "judged.jsonl", judged_lines()))
    player = player_named(str(write(tmp_path / "plays.jsonl", recorded(0)[1:])))
    with pytest.raises(ValueError, match="no play of 4HPwATDgc/ABMA with 3-1"):
        choices(player, decisions)


def test_a_play_that_is_none_of_the_decisions_is_named(tmp_path: Path) -> None:
    lines = recorded(0)
    lines[0]["play"] = lines[1]["play"]
    decisions = read_decisions(write(tmp_path / "judged.jsonl", judged_lines()))
    player = player_named(str(write(tmp_path / "plays.jsonl", lines)))
    with pytest.raises(ValueError, match="none of the decision's plays"):
        choices(player, decisions)
