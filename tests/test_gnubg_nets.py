"""gnubg's inputs against what a player counts, and its weights files, made up and damaged.

That the inputs are gnubg's to the last one is shown beside gnubg, in tests/peers.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import START, Boards, parse
from gnubg_py.errors import WeightsError
from gnubg_py.evaluators.gnubg_nets import gnubg_router, installed_weights
from gnubg_py.evaluators.registry import evaluator_named, evaluator_names
from gnubg_py.network.gnubg_inputs import ESCAPES, ESCAPES_PAST, FEATURES, gnubg_inputs
from gnubg_py.network.gnubg_reciprocal import reciprocals
from gnubg_py.network.gnubg_weights import BINARY_START, load_gnubg_nets

OFF, BREAK_CONTACT, BACK_CHECKER, BACK_POINT, ANCHOR = 0, 3, 4, 5, 6
LOSS, ONE_HIT, TWO_HITS, ENTER, CLOSED, BACK_GAME, ONE_ANCHOR = 7, 8, 9, 17, 18, 21, 22


def features(text: str, kind: str = "contact") -> NDArray[np.float32]:
    """The features of x, who is on roll."""
    return gnubg_inputs(kind, parse(text)[None])[0, 200 : 200 + FEATURES]


def test_the_start_in_gnubgs_eyes() -> None:
    x = gnubg_inputs("contact", START[None])[0]
    assert np.array_equal(x[:100], x[100:200])  # both sides stand alike
    assert np.array_equal(x[200:225], x[225:])
    assert x[100 + 4 * 5 : 100 + 4 * 6].tolist() == [0, 0, 1, 1]  # five checkers on the 6 point
    assert x[100 + 4 * 23 : 100 + 4 * 24].tolist() == [0, 1, 0, 0]  # two on the 24 point
    mine = x[200:225]
    assert mine[BREAK_CONTACT] == pytest.approx(1)  # all 167 pips
    assert mine[[BACK_CHECKER, BACK_POINT]].tolist() == pytest.approx([23 / 24, 23 / 24])
    assert mine[ANCHOR] == pytest.approx(1 / 6)  # the other's ace point
    assert mine[[OFF, LOSS, ONE_HIT, TWO_HITS, ENTER, BACK_GAME]].tolist() == [0] * 6
    assert mine[ONE_ANCHOR] == 2 / 8


@pytest.mark.parametrize(
    ("pips", "rolls"), list(enumerate([11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3], start=1))
)
def test_shots_are_as_many_as_every_player_knows(pips: int, rolls: int) -> None:
    x = features(f"x {5 + pips}:1 24:14 / o 20:1 24:14")
    assert round(float(x[ONE_HIT]) * 36) == rolls


def test_a_blocked_way_takes_shots_away() -> None:
    open_way = features("x 14:1 22:14 / o 17:1 24:14")  # 6 away
    blocked = features("x 14:1 22:14 / o 17:1 14:2 13:2 24:10")  # 3-3 is blocked, and 2-2
    assert round(float(open_way[ONE_HIT]) * 36) == 17
    assert round(float(blocked[ONE_HIT]) * 36) == 15


def test_two_on_the_bar_hit_with_single_dice_only() -> None:
    x = features("x bar:2 6:13 / o 2:1 6:2 24:12")
    assert round(float(x[ONE_HIT]) * 36) == 11  # a 2
    assert x[ENTER] > 0


def test_blocks_and_the_rolls_that_escape_them() -> None:
    assert ESCAPES[0] == 36
    assert ESCAPES[0b111111] == 0  # a full prime ahead
    assert ESCAPES[0b111110] == ESCAPES_PAST[0b111110] == 2  # 6-1, the 1 first
    assert ESCAPES[0b100000] == 36 - 6  # 5-1 and 4-2 twice, 3-3, 6-6
    assert ESCAPES_PAST[0] == 0


def test_timing_and_anchors() -> None:
    x = features("x 20:2 22:2 6:2 5:2 4:2 3:2 2:2 24:1 / o 6:5 8:3 13:5 24:2")
    assert x[ANCHOR] == pytest.approx((24 - 19) / 6)
    assert x[BACK_GAME] == (5 - 3) / 4
    assert x[CLOSED] == pytest.approx((36 - 25) / 36)


def test_races_count_checkers_off_and_crossovers() -> None:
    x = gnubg_inputs("race", parse("x 6:5 5:5 / o 8:3 13:2 1:10")[None])[0]
    other, mine = x[:107], x[107:]
    assert np.flatnonzero(mine[92:106]).tolist() == [4]
    assert other[92:106].sum() == 0
    assert other[106] == pytest.approx((3 * 1 + 2 * 2) / 10)


def made_up(hidden: int = 4, seed: int = 1) -> list[tuple[int, ...] | NDArray[np.float32]]:
    generator = np.random.default_rng(seed)
    parts: list[tuple[int, ...] | NDArray[np.float32]] = []
    for inputs in (250, 214, 250):
        parts.append((inputs, hidden, 5, 1))
        size = inputs * hidden + 5 * hidden + hidden + 5
        parts.append(generator.normal(0, 1, size).astype(np.float32))
    return parts


def binary(parts: list[tuple[int, ...] | NDArray[np.float32]]) -> bytes:
    data = BINARY_START
    for part in parts:
        if isinstance(part, tuple):
            data += struct.pack("<4i2f", *part, 0.1, 1.0)
        else:
            data += part.tobytes()
    return data


def text(parts: list[tuple[int, ...] | NDArray[np.float32]]) -> bytes:
    lines = ["GNU Backgammon 1.00"]
    for part in parts:
        if isinstance(part, tuple):
            lines.append(" ".join(map(str, part)) + " 0.1 1.0")
        else:
            lines += [repr(float(number)) for number in part]
    return "\n".join(lines).encode()


def test_binary_and_text_files_hold_the_same_nets(tmp_path: Path) -> None:
    (tmp_path / "a.wd").write_bytes(binary(made_up()))
    (tmp_path / "a.weights").write_bytes(text(made_up()))
    boards = np.stack([START, parse("x 1:8 24:7 / o 13:15"), parse("x 6:5 / o 6:5 7:1")])
    first, second = (evaluator_named(str(tmp_path / f"a.{end}")) for end in ("wd", "weights"))
    assert np.array_equal(first(boards), second(boards))
    assert first.identity != second.identity  # by the file's checksum


def twin(path: Path, kind: str, boards: Boards) -> NDArray[np.float64]:
    """The same net in numpy and float64, but for the reciprocals of the hidden units."""
    net = load_gnubg_nets(path)[kind]

    def logistic(x: NDArray[np.float64], short: bool) -> NDArray[np.float64]:
        tenths = np.minimum(np.floor(np.abs(x) * 10), 99)
        beyond = np.where(np.abs(x) < 10, np.abs(x) - tenths / 10, 0)
        below = 1 + np.exp(tenths / 10) * (1 + beyond)
        inverse = below.astype(np.float32).ravel()
        reciprocals(inverse)
        small = inverse.reshape(x.shape) if short else 1 / below
        return np.asarray(np.where(x < 0, small, 1 - small))

    x = gnubg_inputs(kind, boards).astype(np.float64)
    hidden = logistic(net.betas[0] * (x @ net.matrices[0] + net.biases[0]), short=True)
    return logistic(net.betas[1] * (hidden @ net.matrices[1].T + net.biases[1]), short=False)


@pytest.mark.parametrize("kind", ["contact", "race", "crashed"])
def test_the_forward_pass_is_that_of_its_twin(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.wd"
    path.write_bytes(binary(made_up(hidden=16)))
    boards = np.stack([START, parse("x 6:5 5:3 8:7 / o 6:5 4:2 8:3")])
    assert load_gnubg_nets(path)[kind](boards) == pytest.approx(twin(path, kind, boards), abs=2e-6)


def test_answers_do_not_depend_on_the_batch(tmp_path: Path) -> None:
    (tmp_path / "a.wd").write_bytes(binary(made_up()))
    router = gnubg_router(tmp_path / "a.wd", "a")
    boards = np.repeat(np.stack([START, parse("x 6:5 7:2 / o 6:5 4:2 8:3")]), 700, axis=0)
    assert np.array_equal(router(boards)[[0, 701]], router(boards[[0, 701]]))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"not at all", "not a weights file of gnubg"),
        (binary(made_up())[:5000], "cut short or damaged"),
        (BINARY_START, "ends before its contact net"),
        (
            BINARY_START + struct.pack("<4i2f", 250, 2**30, 5, 1, 0.1, 1),
            "net is 250-1073741824-5, expected",
        ),
        (BINARY_START + struct.pack("<4i2f", 10, 4, 5, 1, 0.1, 1), "10-4-5, expected 250 inputs"),
        (b"GNU Backgammon 1.00\n250 four 5 1", "holds something that is no number"),
    ],
)
def test_damaged_files_are_refused_in_a_line(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "a.wd"
    path.write_bytes(data)
    with pytest.raises(WeightsError, match=message) as error:
        load_gnubg_nets(path)
    assert "\n" not in str(error.value)


def test_gnubgs_nets_value_the_start_as_gnubg_does() -> None:
    try:
        installed_weights()
    except WeightsError:
        pytest.skip("gnubg's weights file is not installed: apt-get install gnubg-data")
    five = evaluator_named("gnubg")(START[None])[0]
    assert five.round(3).tolist() == pytest.approx([0.522, 0.154, 0.008, 0.130, 0.008])
    assert "gnubg" not in evaluator_names()  # it is no part of this program
