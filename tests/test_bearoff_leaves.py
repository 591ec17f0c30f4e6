"""The leaves of finished games and of bearoff positions."""

from __future__ import annotations

import numpy as np
import pytest

from gnubg_py.bearoff.numbering import all_positions
from gnubg_py.board import parse
from gnubg_py.evaluators import bearoff
from gnubg_py.evaluators.over import over, over_leaf
from gnubg_py.evaluators.protocol import Evaluator


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("x 6:14 / o", [0, 0, 0, 0, 0]),
        ("x 6:15 / o", [0, 0, 0, 1, 0]),
        ("x 18:1 6:14 / o", [0, 0, 0, 1, 0]),
        ("x 19:1 6:14 / o", [0, 0, 0, 1, 1]),
        ("x bar:1 6:14 / o", [0, 0, 0, 1, 1]),
        ("x bar:1 6:13 / o", [0, 0, 0, 0, 0]),  # one is off: neither
        ("x / o 6:14", [1, 0, 0, 0, 0]),
        ("x / o 6:15", [1, 1, 0, 0, 0]),
        ("x / o 24:1 6:14", [1, 1, 1, 0, 0]),
    ],
)
def test_finished_games(text: str, outcome: list[float]) -> None:
    assert over(parse(text)[None])[0].tolist() == outcome


def test_in_hypergammon_three_checkers_left_are_a_gammon() -> None:
    boards = np.stack([parse("x 1:3 / o"), parse("x 1:2 / o"), parse("x 24:1 1:2 / o")])
    leaf = over_leaf(checkers=3)
    assert leaf(boards)[:, 3:].tolist() == [[1, 0], [0, 0], [1, 1]]
    assert leaf.name == "over"


@pytest.mark.parametrize("text", ["x 1:1 / o 1:1", "x / o"])
def test_games_that_are_not_finished_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="board 1 is not finished"):
        over(np.stack([parse("x 1:1 / o"), parse(text)]))


def test_hurrying_gives_up_little_where_both_databases_know_the_answer() -> None:
    rows = all_positions(6, 6)[1:]
    boards = np.zeros((len(rows) ** 2, 2, 25), dtype=np.int8)
    boards[:, 0, :6] = np.repeat(rows, len(rows), axis=0)
    boards[:, 1, :6] = np.tile(rows, (len(rows), 1))
    gap = np.abs(bearoff.BEAROFF2_LEAF(boards)[:, 0] - bearoff.BEAROFF1_LEAF(boards)[:, 0])
    print(f"winning chances differ by {gap.max():.4f} at most, {gap.mean():.6f} on average")
    assert 0 < gap.max() < 0.02
    assert gap.mean() < 0.002


def test_bearoff2_has_exact_chances_and_no_gammons() -> None:
    answer = bearoff.BEAROFF2_LEAF(parse("x 5:1 2:1 / o 1:1")[None])
    assert answer.dtype == np.float32
    assert answer[0].tolist() == pytest.approx([19 / 36, 0, 0, 0, 0])


def test_leaves_have_names_and_answer_an_empty_batch() -> None:
    nothing = np.zeros((0, 2, 25), dtype=np.int8)
    leaves: list[Evaluator] = [bearoff.BEAROFF1_LEAF, bearoff.BEAROFF2_LEAF]
    for leaf, name in zip(leaves, ["bearoff1", "bearoff2"], strict=True):
        assert leaf.name == name
        assert leaf(nothing).shape == (0, 5)
